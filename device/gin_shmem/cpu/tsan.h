/* SPDX-License-Identifier: BSD-3-Clause */
/* What ThreadSanitizer is told of fences, which it does not follow, and of other processes. Without it: nothing. */
#ifndef GIN_SHMEM_CPU_TSAN_H
#define GIN_SHMEM_CPU_TSAN_H

#if defined(__SANITIZE_THREAD__)
#define GIN_SHMEM_CPU_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GIN_SHMEM_CPU_TSAN 1
#endif
#endif

#ifdef GIN_SHMEM_CPU_TSAN
#ifdef __cplusplus
extern "C" {
#endif
void __tsan_acquire(void *address);
void __tsan_release(void *address);
extern char gin_shmem_cpu_order; /* its address stands for all words of the heap */
#ifdef __cplusplus
}
#endif
#endif

/* This thread has released at system scope; it has acquired. */
static inline void gin_shmem_cpu_released(void)
{
#ifdef GIN_SHMEM_CPU_TSAN
    __tsan_release(&gin_shmem_cpu_order);
#endif
}
static inline void gin_shmem_cpu_acquired(void)
{
#ifdef GIN_SHMEM_CPU_TSAN
    __tsan_acquire(&gin_shmem_cpu_order);
#endif
}

#endif

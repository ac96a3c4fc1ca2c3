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
void gin_shmem_cpu_tsan_fence(void);
void gin_shmem_cpu_tsan_stores(void *word);
void gin_shmem_cpu_tsan_loaded(const void *word);
#ifdef __cplusplus
}
#endif
#endif

#if defined(GIN_SHMEM_CPU_TSAN) && defined(GIN_SHMEM_PE_THREADS)
/* PEs are threads of this process, so that acquires and releases are seen: only fences are to be told of, and which relaxed
 * accesses go with them (tests/pe-threads/order.c). */
static inline void gin_shmem_cpu_released(void) {}
static inline void gin_shmem_cpu_acquired(void) {}
static inline void gin_shmem_cpu_fenced(void)
{
    gin_shmem_cpu_tsan_fence();
}
/* A relaxed store or read-modify-write follows; a relaxed load or read-modify-write went before. */
static inline void gin_shmem_cpu_stores(void *word)
{
    gin_shmem_cpu_tsan_stores(word);
}
static inline void gin_shmem_cpu_loaded(const void *word)
{
    gin_shmem_cpu_tsan_loaded(word);
}

#else
/* This thread has released at system scope; it has acquired; both, with a fence. */
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
static inline void gin_shmem_cpu_fenced(void)
{
    gin_shmem_cpu_released();
    gin_shmem_cpu_acquired();
}
static inline void gin_shmem_cpu_stores(void *word)
{
    (void)word;
}
static inline void gin_shmem_cpu_loaded(const void *word)
{
    (void)word;
}
#endif

#endif

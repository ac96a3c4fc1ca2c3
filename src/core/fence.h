/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences, and words that a peer may look for all the time: loads and stores of them are whole. ThreadSanitizer does not
 * know fences; where PEs are threads of one process (tests/pe-threads) it is told of them, and of the stores that a fence
 * makes releases.
 */
#ifndef GS_FENCE_H
#define GS_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define GS_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GS_TSAN
#endif
#endif

#ifdef GS_TSAN
void gs_tsan_fence(void) __attribute__((weak));
void gs_tsan_stores(void *word) __attribute__((weak));
#endif

/* Are the PEs threads of this process? */
static inline bool gs_pes_are_threads(void)
{
#ifdef GS_TSAN
    return gs_tsan_fence != NULL;
#else
    return false;
#endif
}

/* A relaxed store to the word, or a read-modify-write of it, follows. */
static inline void gs_word_stores(void *word)
{
#ifdef GS_TSAN
    if (gs_pes_are_threads())
        gs_tsan_stores(word);
#else
    (void)word;
#endif
}

static inline void gs_fence(memory_order order)
{
#ifdef GS_TSAN
    if (gs_pes_are_threads())
        gs_tsan_fence();
#endif
    atomic_thread_fence(order);
}

typedef uint16_t __attribute__((may_alias)) gs_word2;
typedef uint32_t __attribute__((may_alias)) gs_word4;
typedef uint64_t __attribute__((may_alias)) gs_word8;

/* Both copy bytes, of which the compiler knows the number: relaxed atomically where they are an aligned word. */
#define GS_WORDS(WORD) \
    WORD(gs_word8)     \
    WORD(gs_word4)     \
    WORD(gs_word2)     \
    WORD(uint8_t)

static inline __attribute__((always_inline)) void gs_store_word(void *to, const void *value, size_t bytes)
{
    gs_word_stores(to);
#define WORD(T)                                                                                        \
    if (__builtin_constant_p(bytes) && bytes == sizeof(T) && ((uintptr_t)to & (sizeof(T) - 1)) == 0) { \
        T v;                                                                                           \
        memcpy(&v, value, sizeof v);                                                                   \
        __atomic_store_n((T *)to, v, __ATOMIC_RELAXED);                                                \
        return;                                                                                        \
    }
    GS_WORDS(WORD)
#undef WORD
    memcpy(to, value, bytes);
}

static inline __attribute__((always_inline)) void gs_load_word(void *value, const void *from, size_t bytes)
{
#define WORD(T)                                                                                          \
    if (__builtin_constant_p(bytes) && bytes == sizeof(T) && ((uintptr_t)from & (sizeof(T) - 1)) == 0) { \
        T v = __atomic_load_n((const T *)from, __ATOMIC_RELAXED);                                        \
        memcpy(value, &v, sizeof v);                                                                     \
        return;                                                                                          \
    }
    GS_WORDS(WORD)
#undef WORD
    memcpy(value, from, bytes);
}

#endif

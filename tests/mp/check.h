/* SPDX-License-Identifier: BSD-3-Clause */
/* What every multi-PE test needs: CHECK, and little helpers that are worth sharing. */
#ifndef CHECK_H
#define CHECK_H

#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* CHECK(condition, "format", ...): a failure prints one line and ends all PEs with status 1. */
#define CHECK(cond, ...)                                          \
    do {                                                          \
        if (!(cond))                                              \
            check_failed(__FILE__, __LINE__, #cond, __VA_ARGS__); \
    } while (0)

__attribute__((format(printf, 4, 5), cold, noreturn)) static inline void
check_failed(const char *file, int line, const char *cond, const char *fmt, ...)
{
    char text[512];
    int up = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    shmem_query_initialized(&up);
    fprintf(stderr, "%s:%d: PE %d: %s: %s\n", file, line, up ? shmem_my_pe() : -1, cond, text);
    shmem_global_exit(1);
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A well mixed number for each (i, j): data that tells where it came from. */
static inline unsigned long long mix(unsigned long long i, unsigned long long j)
{
    unsigned long long x = i * 0x9e3779b97f4a7c15ull + j + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

#endif

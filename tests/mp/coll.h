/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of collectives and teams: random numbers that all PEs agree on, data that tells its origin, and
 * tables of the typed calls. */
#ifndef COLL_H
#define COLL_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    return mix(++r->state, 77);
}

/* 0 .. n-1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

static inline int rng_between(struct rng *r, int lo, int hi)
{
    return lo + (int)rng_below(r, (uint64_t)(hi - lo + 1));
}

/* The seed of this run, the same on every PE and printed: GIN_SHMEM_TEST_SEED, or the time. Needs shmem_init. */
static inline uint64_t common_seed(void)
{
    static uint64_t seed; /* symmetric */
    const char *text = getenv("GIN_SHMEM_TEST_SEED");
    if (shmem_my_pe() == 0) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        uint64_t mine = text ? strtoull(text, NULL, 0) : (uint64_t)t.tv_sec * 1000003u + (uint64_t)t.tv_nsec / 1000;
        printf("repeat with GIN_SHMEM_TEST_SEED=%llu\n", (unsigned long long)mine);
        fflush(stdout);
        for (int pe = 0; pe < shmem_n_pes(); pe++)
            shmem_uint64_p(&seed, mine, pe);
    }
    shmem_barrier_all();
    return seed;
}

/* Now and then a pause of up to max_us: makes PEs fast and slow. r is this PE's own. */
static inline void stumble(struct rng *r, unsigned max_us)
{
    switch (rng_below(r, 8)) {
    case 0: {
        struct timespec t = {0, (long)rng_below(r, max_us + 1) * 1000};
        nanosleep(&t, NULL);
        break;
    }
    case 1:
        for (volatile uint64_t i = rng_below(r, 20000); i > 0; i--)
            ;
        break;
    default:
        break;
    }
}

/* Bytes of the array named by key and pe: byte k of it. */
static inline unsigned char pattern_byte(uint64_t key, int pe, size_t k)
{
    return (unsigned char)(mix(key * 1024 + (uint64_t)pe, k / 8) >> (k % 8 * 8));
}

static inline void pattern_fill(void *to, uint64_t key, int pe, size_t bytes)
{
    unsigned char *out = to;
    for (size_t k = 0; k < bytes; k += 8) {
        uint64_t word = mix(key * 1024 + (uint64_t)pe, k / 8);
        memcpy(out + k, &word, bytes - k < 8 ? bytes - k : 8);
    }
}

/* True when at[0..bytes) are bytes first.. of the array named by key and pe. */
static inline int pattern_is(const void *at, uint64_t key, int pe, size_t first, size_t bytes)
{
    const unsigned char *in = at;
    for (size_t k = 0; k < bytes;) {
        size_t in_word = (first + k) % 8, len = 8 - in_word < bytes - k ? 8 - in_word : bytes - k;
        uint64_t word = mix(key * 1024 + (uint64_t)pe, (first + k) / 8);
        if (memcmp(in + k, (unsigned char *)&word + in_word, len) != 0)
            return 0;
        k += len;
    }
    return 1;
}

enum { GUARD = 0xa5, GUARD_BYTES = 64 };

static inline int all_guard(const void *at, size_t bytes)
{
    const unsigned char *in = at;
    for (size_t k = 0; k < bytes; k++)
        if (in[k] != GUARD)
            return 0;
    return 1;
}

static inline int team_world_pe(shmem_team_t team, int pe)
{
    return shmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "transport/shared/word.h"

#include <time.h>

#define COMPARE(now, cmp, than)                \
    ((cmp) == SHMEM_CMP_EQ   ? (now) == (than) \
     : (cmp) == SHMEM_CMP_NE ? (now) != (than) \
     : (cmp) == SHMEM_CMP_GT ? (now) > (than)  \
     : (cmp) == SHMEM_CMP_LE ? (now) <= (than) \
     : (cmp) == SHMEM_CMP_LT ? (now) < (than)  \
                             : (now) >= (than))

static bool holds_signed(int64_t now, int cmp, int64_t than)
{
    return COMPARE(now, cmp, than);
}

static bool holds_unsigned(uint64_t now, int cmp, uint64_t than)
{
    return COMPARE(now, cmp, than);
}

bool gs_word_holds(uint64_t now, size_t size, bool is_signed, int cmp, uint64_t than)
{
    unsigned unused = 64 - 8 * (unsigned)size; /* bits above the word, which count for nothing */
    now <<= unused, than <<= unused;
    return is_signed ? holds_signed((int64_t)now, cmp, (int64_t)than) : holds_unsigned(now, cmp, than);
}

#define AMO(T)                                                                                   \
    T *p = addr, v = (T)operand, expected = (T)cond;                                             \
    switch (op) {                                                                                \
    case GS_AMO_FETCH:                                                                           \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                             \
    case GS_AMO_SET:                                                                             \
    case GS_AMO_SWAP:                                                                            \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                      \
    case GS_AMO_CSWAP:                                                                           \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return expected;                                                                         \
    case GS_AMO_ADD:                                                                             \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                       \
    case GS_AMO_AND:                                                                             \
        return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                       \
    case GS_AMO_OR:                                                                              \
        return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                        \
    case GS_AMO_XOR:                                                                             \
        return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                       \
    }                                                                                            \
    return 0;

static uint64_t amo_4(enum gs_amo_op op, void *addr, uint64_t operand, uint64_t cond)
{
    AMO(uint32_t)
}

static uint64_t amo_8(enum gs_amo_op op, void *addr, uint64_t operand, uint64_t cond){AMO(uint64_t)}

uint64_t gs_word_amo(enum gs_amo_op op, void *addr, size_t size, uint64_t operand, uint64_t cond)
{
    return size == 4 ? amo_4(op, addr, operand, cond) : amo_8(op, addr, operand, cond);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int gs_word_wait(const struct gs_device_core *core, int (*load)(const void *addr, size_t size, uint64_t *now),
                 const void *addr, size_t size, bool is_signed, int cmp, uint64_t value)
{
    double limit = core->timeout_s, since = limit > 0 ? seconds() : 0;
    for (;;) {
        uint64_t now = 0;
        if (load(addr, size, &now))
            return -1;
        if (gs_word_holds(now, size, is_signed, cmp, value))
            return 0;
        if (limit > 0 && seconds() - since > limit) {
            core->log(GS_ERROR,
                      "waited %g s (GIN_SHMEM_TIMEOUT) for the word at heap offset %zu: wanted %lld (comparison %d), "
                      "seen %lld",
                      limit, core->heap_offset(addr), (long long)value, cmp, (long long)now);
            return -1;
        }
    }
}

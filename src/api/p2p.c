/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point synchronisation: OpenSHMEM 1.6 section 9.10. What the writer stored before the word it is waited for is
 * visible behind a wait, or a test that succeeds. */
#include "api/entry.h"
#include "core/device.h"
#include "core/log.h"
#include "core/wait.h"
#include "heap/addr.h"

static void bad_cmp(const char *fn, int cmp) __attribute__((cold, noreturn));
static void bad_cmp(const char *fn, int cmp)
{
    gs_die(fn, "cmp %d is unknown: use SHMEM_CMP_EQ, _NE, _GT, _GE, _LT or _LE", cmp);
}

static inline void check(const char *fn, const char *arg, const void *addr, size_t size, size_t bytes, int cmp)
{
    gs_check_aligned(fn, arg, addr, size);
    if (gs_unlikely((unsigned)cmp > SHMEM_CMP_GE))
        bad_cmp(fn, cmp);
    if (bytes)
        gs_check_local(fn, arg, addr, bytes);
    else
        gs_need_up(fn);
}

/* Where a search for any begins: elsewhere each time, so that no element starves. Steps of the golden ratio spread
 * evenly over the elements even if the program looks at several arrays by turns, which plain counting would not. */
static size_t first_look(size_t nelems)
{
    static _Thread_local uint64_t place; /* in units of nelems / 2^64 */
    place += 0x9e3779b97f4a7c15u;
    return (size_t)((unsigned __int128)place * nelems >> 64);
}

/* What the address has now. */
#define LOOK(addr)                                                                                                     \
    ({                                                                                                                 \
        __typeof__(*(addr) + 0) seen;                                                                                  \
        if (gs_on_device(addr)) {                                                                                      \
            __typeof__(*(addr)) raw;                                                                                   \
            gs_load("wait or test", &raw, addr, sizeof raw);                                                           \
            seen = raw;                                                                                                \
        } else {                                                                                                       \
            seen = __atomic_load_n(addr, __ATOMIC_ACQUIRE);                                                            \
        }                                                                                                              \
        seen;                                                                                                          \
    })
/* Does the comparison hold of it? */
#define HOLDS(addr, cmp, want)                                                                                         \
    ({                                                                                                                 \
        __typeof__(*(addr) + 0) now = LOOK(addr), than = (want);                                                       \
        (cmp) == SHMEM_CMP_EQ   ? now == than                                                                          \
        : (cmp) == SHMEM_CMP_NE ? now != than                                                                          \
        : (cmp) == SHMEM_CMP_GT ? now > than                                                                           \
        : (cmp) == SHMEM_CMP_GE ? now >= than                                                                          \
        : (cmp) == SHMEM_CMP_LT ? now < than                                                                           \
                                : now <= than;                                                                         \
    })
#define CHECK_ONE(fn)    check(fn, "ivar", ivar, sizeof *ivar, sizeof *ivar, cmp)
#define CHECK_ARRAY(fn)  check(fn, "ivars", ivars, sizeof *ivars, gs_bytes(nelems, sizeof *ivars), cmp)
#define SKIPPED(i)       (status && status[i])
#define UNTIL(condition)                                                                                               \
    for (unsigned turns = 0; !(condition);)                                                                            \
        gs_relax(&turns);

#define IMPL_wait_until(fn, ctx, N)                                                                                    \
    CHECK_ONE(fn);                                                                                                     \
    UNTIL(HOLDS(ivar, cmp, cmp_value))
#define IMPL_test(fn, ctx, N)                                                                                          \
    CHECK_ONE(fn);                                                                                                     \
    if (HOLDS(ivar, cmp, cmp_value))                                                                                   \
        return 1;                                                                                                      \
    gs_polled();                                                                                                       \
    return 0;
#define IMPL_wait(fn, ctx, N)                                                                                          \
    check(fn, "ivar", ivar, sizeof *ivar, sizeof *ivar, SHMEM_CMP_NE);                 \
    UNTIL(HOLDS(ivar, SHMEM_CMP_NE, cmp_value))

/* WANT(i) is the comparison value of element i: the one the call gives, or its vector's. */
#define WAIT_ALL(fn, WANT)                                                                                             \
    CHECK_ARRAY(fn);                                                                                                   \
    for (size_t i = 0; i < nelems; i++)                                                                                \
        if (!SKIPPED(i))                                                                                               \
            UNTIL(HOLDS(&ivars[i], cmp, WANT(i)))
#define TEST_ALL(fn, WANT)                                                                                             \
    CHECK_ARRAY(fn);                                                                                                   \
    for (size_t i = 0; i < nelems; i++)                                                                                \
        if (!SKIPPED(i) && !HOLDS(&ivars[i], cmp, WANT(i))) {                                                          \
            gs_polled();                                                                                               \
            return 0;                                                                                                  \
        }                                                                                                              \
    return 1;

/* One pass over the elements from a moving start; leaves `found` (SIZE_MAX: none) and `open` (elements not skipped). */
#define LOOK_FOR_ANY(WANT)                                                                                             \
    found = SIZE_MAX;                                                                                                  \
    open = 0;                                                                                                          \
    for (size_t k = 0, i = first_look(nelems); k < nelems; k++, i = i + 1 < nelems ? i + 1 : 0) {                      \
        if (SKIPPED(i))                                                                                                \
            continue;                                                                                                  \
        open++;                                                                                                        \
        if (HOLDS(&ivars[i], cmp, WANT(i))) {                                                                          \
            found = i;                                                                                                 \
            break;                                                                                                     \
        }                                                                                                              \
    }
#define WAIT_ANY(fn, WANT)                                                                                             \
    CHECK_ARRAY(fn);                                                                                                   \
    size_t found, open;                                                                                                \
    for (unsigned turns = 0;; gs_relax(&turns)) {                                                                      \
        LOOK_FOR_ANY(WANT)                                                                                             \
        if (found != SIZE_MAX || !open)                                                                                \
            return found;                                                                                              \
    }
#define TEST_ANY(fn, WANT)                                                                                             \
    CHECK_ARRAY(fn);                                                                                                   \
    size_t found, open;                                                                                                \
    LOOK_FOR_ANY(WANT)                                                                                                 \
    if (found == SIZE_MAX && open)                                                                                     \
        gs_polled();                                                                                                   \
    return found;

/* One pass; leaves the number `held`, with their indices, and `open`. */
#define LOOK_FOR_SOME(WANT)                                                                                            \
    held = open = 0;                                                                                                   \
    for (size_t i = 0; i < nelems; i++) {                                                                              \
        if (SKIPPED(i))                                                                                                \
            continue;                                                                                                  \
        open++;                                                                                                        \
        if (HOLDS(&ivars[i], cmp, WANT(i)))                                                                            \
            indices[held++] = i;                                                                                       \
    }
#define WAIT_SOME(fn, WANT)                                                                                            \
    CHECK_ARRAY(fn);                                                                                                   \
    size_t held, open;                                                                                                 \
    for (unsigned turns = 0;; gs_relax(&turns)) {                                                                      \
        LOOK_FOR_SOME(WANT)                                                                                            \
        if (held || !open)                                                                                             \
            return held;                                                                                               \
    }
#define TEST_SOME(fn, WANT)                                                                                            \
    CHECK_ARRAY(fn);                                                                                                   \
    size_t held, open;                                                                                                 \
    LOOK_FOR_SOME(WANT)                                                                                                \
    if (!held && open)                                                                                                 \
        gs_polled();                                                                                                   \
    return held;

#define ONE_VALUE(i)  cmp_value
#define EACH_VALUE(i) cmp_values[i]

#define IMPL_wait_until_all(fn, ctx, N)         WAIT_ALL(fn, ONE_VALUE)
#define IMPL_wait_until_any(fn, ctx, N)         WAIT_ANY(fn, ONE_VALUE)
#define IMPL_wait_until_some(fn, ctx, N)        WAIT_SOME(fn, ONE_VALUE)
#define IMPL_wait_until_all_vector(fn, ctx, N)  WAIT_ALL(fn, EACH_VALUE)
#define IMPL_wait_until_any_vector(fn, ctx, N)  WAIT_ANY(fn, EACH_VALUE)
#define IMPL_wait_until_some_vector(fn, ctx, N) WAIT_SOME(fn, EACH_VALUE)
#define IMPL_test_all(fn, ctx, N)               TEST_ALL(fn, ONE_VALUE)
#define IMPL_test_any(fn, ctx, N)               TEST_ANY(fn, ONE_VALUE)
#define IMPL_test_some(fn, ctx, N)              TEST_SOME(fn, ONE_VALUE)
#define IMPL_test_all_vector(fn, ctx, N)        TEST_ALL(fn, EACH_VALUE)
#define IMPL_test_any_vector(fn, ctx, N)        TEST_ANY(fn, EACH_VALUE)
#define IMPL_test_some_vector(fn, ctx, N)       TEST_SOME(fn, EACH_VALUE)

SHMEMI_SYNC_FUNCTIONS(GS_DEFINE)

void pshmem_wait_until(long *ivar, int cmp, long cmp_value)
{
    IMPL_wait_until("shmem_wait_until", , )
}
GS_ALIAS(shmem_wait_until)

void pshmem_wait(long *ivar, long cmp_value)
{
    IMPL_wait("shmem_wait", , )
}
GS_ALIAS(shmem_wait)

uint64_t pshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
    check("shmem_signal_wait_until", "sig_addr", sig_addr, sizeof *sig_addr, sizeof *sig_addr, cmp);
    uint64_t value = 0;
    /* The value that satisfied the comparison, not a later one. */
    UNTIL((value = LOOK(sig_addr), HOLDS(&value, cmp, cmp_value)))
    return value;
}
GS_ALIAS(shmem_signal_wait_until)

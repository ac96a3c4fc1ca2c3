/* SPDX-License-Identifier: BSD-3-Clause */
/* Every constant and handle of OpenSHMEM 1.6 (sections 6 and 7, deprecated names included), used where a program may use
 * it: #if, static initialisers, array sizes, case labels. C11 and C++17. */
#include <shmem.h>
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#if SHMEM_MAJOR_VERSION != 1 || SHMEM_MINOR_VERSION != 6
#error "not OpenSHMEM 1.6"
#endif
#if _SHMEM_MAJOR_VERSION != SHMEM_MAJOR_VERSION || _SHMEM_MINOR_VERSION != SHMEM_MINOR_VERSION
#error "the deprecated names differ"
#endif
#if SHMEM_MAX_NAME_LEN < 1 || _SHMEM_MAX_NAME_LEN != SHMEM_MAX_NAME_LEN
#error "SHMEM_MAX_NAME_LEN"
#endif

static const char vendor[] = SHMEM_VENDOR_STRING;
static const char old_vendor[] = _SHMEM_VENDOR_STRING;
static_assert(sizeof vendor <= SHMEM_MAX_NAME_LEN, "the vendor string with its end must fit");
static_assert(sizeof vendor > 1, "an empty vendor string");

static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED, "thread levels grow");
static_assert(SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED, "thread levels grow");
static_assert(SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE, "thread levels grow");

/* Options and masks are or-ed together. */
#define ONE_BIT(x) static_assert((x) > 0 && ((x) & ((x) - 1)) == 0, #x " is not one bit")
ONE_BIT(SHMEM_CTX_SERIALIZED);
ONE_BIT(SHMEM_CTX_PRIVATE);
ONE_BIT(SHMEM_CTX_NOSTORE);
ONE_BIT(SHMEM_TEAM_NUM_CONTEXTS);
ONE_BIT(SHMEM_CTX_SESSION_TOTAL_OPS);
ONE_BIT(SHMEM_CTX_SESSION_BATCH);
ONE_BIT(SHMEM_MALLOC_ATOMICS_REMOTE);
ONE_BIT(SHMEM_MALLOC_SIGNAL_REMOTE);
static_assert((SHMEM_CTX_SERIALIZED & SHMEM_CTX_PRIVATE) == 0 && (SHMEM_CTX_SERIALIZED & SHMEM_CTX_NOSTORE) == 0 &&
                  (SHMEM_CTX_PRIVATE & SHMEM_CTX_NOSTORE) == 0,
              "context options share a bit");
static_assert((SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0, "hints share a bit");
static_assert(SHMEM_SIGNAL_SET != SHMEM_SIGNAL_ADD, "signal operators are equal");
static const long options[] = {SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, SHMEM_TEAM_NUM_CONTEXTS,
                               SHMEM_CTX_SESSION_TOTAL_OPS, SHMEM_CTX_SESSION_BATCH,
                               SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE};

/* Work arrays of the active-set collectives, as old programs declare them. */
#define WORK_ARRAY(name, size) static long name[size] = {SHMEM_SYNC_VALUE}
WORK_ARRAY(sync_any, SHMEM_SYNC_SIZE);
WORK_ARRAY(sync_bcast, SHMEM_BCAST_SYNC_SIZE);
WORK_ARRAY(sync_reduce, SHMEM_REDUCE_SYNC_SIZE);
WORK_ARRAY(sync_barrier, SHMEM_BARRIER_SYNC_SIZE);
WORK_ARRAY(sync_collect, SHMEM_COLLECT_SYNC_SIZE);
WORK_ARRAY(sync_alltoall, SHMEM_ALLTOALL_SYNC_SIZE);
WORK_ARRAY(sync_alltoalls, SHMEM_ALLTOALLS_SYNC_SIZE);
static double work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
#define FITS(size) static_assert((size) <= SHMEM_SYNC_SIZE, #size " is larger than SHMEM_SYNC_SIZE")
FITS(SHMEM_BCAST_SYNC_SIZE);
FITS(SHMEM_REDUCE_SYNC_SIZE);
FITS(SHMEM_BARRIER_SYNC_SIZE);
FITS(SHMEM_COLLECT_SYNC_SIZE);
FITS(SHMEM_ALLTOALL_SYNC_SIZE);
FITS(SHMEM_ALLTOALLS_SYNC_SIZE);

#define SAME(old, now) static_assert((old) == (now), #old " and " #now " differ")
SAME(_SHMEM_SYNC_VALUE, SHMEM_SYNC_VALUE);
SAME(_SHMEM_BCAST_SYNC_SIZE, SHMEM_BCAST_SYNC_SIZE);
SAME(_SHMEM_REDUCE_SYNC_SIZE, SHMEM_REDUCE_SYNC_SIZE);
SAME(_SHMEM_BARRIER_SYNC_SIZE, SHMEM_BARRIER_SYNC_SIZE);
SAME(_SHMEM_COLLECT_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE);
SAME(_SHMEM_REDUCE_MIN_WRKDATA_SIZE, SHMEM_REDUCE_MIN_WRKDATA_SIZE);
SAME(_SHMEM_CMP_EQ, SHMEM_CMP_EQ);
SAME(_SHMEM_CMP_NE, SHMEM_CMP_NE);
SAME(_SHMEM_CMP_LT, SHMEM_CMP_LT);
SAME(_SHMEM_CMP_LE, SHMEM_CMP_LE);
SAME(_SHMEM_CMP_GT, SHMEM_CMP_GT);
SAME(_SHMEM_CMP_GE, SHMEM_CMP_GE);

/* Handles need only be link-time constants. */
static shmem_team_t teams[] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED, SHMEM_TEAM_INVALID};
static shmem_ctx_t contexts[] = {SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID};

/* Two equal labels would not compile. */
static int compare(int cmp, long a, long b)
{
    switch (cmp) {
    case SHMEM_CMP_EQ: return a == b;
    case SHMEM_CMP_NE: return a != b;
    case SHMEM_CMP_LT: return a < b;
    case SHMEM_CMP_LE: return a <= b;
    case SHMEM_CMP_GT: return a > b;
    case SHMEM_CMP_GE: return a >= b;
    }
    return -1;
}

static int bad;
#define CHECK(x) do { if (!(x)) { bad++; printf("not true: %s\n", #x); } } while (0)

int main(void)
{
    shmem_team_config_t team_config;
    shmem_ctx_session_config_t session_config;
    team_config.num_contexts = INT_MAX;
    session_config.total_ops = SIZE_MAX;
    CHECK(team_config.num_contexts == INT_MAX && session_config.total_ops == SIZE_MAX);
    CHECK(strcmp(vendor, old_vendor) == 0);
    CHECK(options[0] == (SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE) && options[1] && options[4]);
    CHECK(teams[0] != teams[1] && teams[0] != teams[2] && teams[1] != teams[2]);
    CHECK(contexts[0] != contexts[1]);

    shmem_init();
    int major = 0, minor = 0;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION);
    CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
    CHECK(teams[0] == SHMEM_TEAM_WORLD && shmem_team_n_pes(teams[0]) == shmem_n_pes());
    CHECK(teams[1] == SHMEM_TEAM_SHARED && shmem_team_n_pes(teams[1]) >= 1);
    CHECK(teams[2] == SHMEM_TEAM_INVALID && shmem_team_n_pes(teams[2]) == -1);
    CHECK(contexts[0] == SHMEM_CTX_DEFAULT && contexts[1] == SHMEM_CTX_INVALID);
    shmem_ctx_quiet(contexts[0]);

    static long value = 4;
    static const int cmps[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_LT, SHMEM_CMP_LE, SHMEM_CMP_GT, SHMEM_CMP_GE};
    for (int i = 0; i < 6; i++)
        for (long other = 3; other <= 5; other++)
            CHECK(shmem_long_test(&value, cmps[i], other) == compare(cmps[i], value, other));

    static double in[2] = {1.5, 2.5}, out[2];
    shmem_barrier(0, 0, 1, sync_barrier);
    shmem_sync(0, 0, 1, sync_any);
    shmem_double_sum_to_all(out, in, 2, 0, 0, 1, work, sync_reduce);
    CHECK(out[0] == 1.5 && out[1] == 2.5);
    out[0] = 0;
    shmem_collect64(out, in, 2, 0, 0, 1, sync_collect);
    CHECK(out[0] == 1.5 && out[1] == 2.5);
    out[0] = 0;
    shmem_alltoall64(out, in, 2, 0, 0, 1, sync_alltoall);
    CHECK(out[0] == 1.5);
    out[0] = 0;
    shmem_alltoalls64(out, in, 1, 1, 2, 0, 0, 1, sync_alltoalls);
    CHECK(out[0] == 1.5);
    shmem_broadcast64(out, in, 1, 0, 0, 0, 1, sync_bcast);
    shmem_finalize();
    return bad != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's collectives on device memory, and with one side on the host heap: typed reductions of all types and
 * operations, scans, broadcast, fcollect, collect, alltoall(s), over WORLD and other teams. */
#include "check.h"

enum { LEN = 257, MAX_PES = 8 };

static char *dest, *source, *host_dest, *host_source;

template <class T> static void get(T *to, const void *from, size_t count, bool on_host)
{
    if (on_host)
        memcpy(to, from, count * sizeof(T));
    else
        from_device(to, (const T *)from, count);
}
template <class T> static void set(void *to, const T *from, size_t count, bool on_host)
{
    if (on_host)
        memcpy(to, from, count * sizeof(T));
    else
        to_device((T *)to, from, count);
}

/* Which side is where: 0 both on the device, 1 the source on the host heap, 2 dest there. */
#define SIDES(mix)                                                                                                     \
    const bool source_host = (mix) == 1, dest_host = (mix) == 2;                                                       \
    T *d = (T *)(dest_host ? host_dest : dest), *s = (T *)(source_host ? host_source : source);                        \
    static T mine[LEN * MAX_PES], got[LEN * MAX_PES];

static int raw(int pe, int i, bool small) { return small ? (i + pe) % 3 ? 1 : 2 : (int)(mix(pe, i) % 11); }

#define REDUCE(N, OP, SMALL, FOLD)                                                                                     \
    do {                                                                                                               \
        for (int i = 0; i < LEN; i++)                                                                                  \
            mine[i] = (T)raw(me, i, SMALL);                                                                            \
        set(s, mine, LEN, source_host);                                                                                \
        CHECK(shmem_##N##_##OP(SHMEM_TEAM_WORLD, d, s, LEN) == 0, #N "_" #OP);                                         \
        get(got, d, LEN, dest_host);                                                                                   \
        for (int i = 0; i < LEN; i++) {                                                                                \
            T a = (T)raw(0, i, SMALL);                                                                                 \
            for (int pe = 1; pe < n; pe++) {                                                                           \
                T b = (T)raw(pe, i, SMALL);                                                                            \
                a = FOLD;                                                                                              \
            }                                                                                                          \
            CHECK(got[i] == a, #N "_" #OP ", placement %d: element %d", placement, i);                                 \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    } while (0)

#define MOVE(A, N, T_)                                                                                                 \
    static void move_##N(int placement)                                                                                \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        SIDES(placement)                                                                                               \
        for (int i = 0; i < LEN * n; i++)                                                                              \
            mine[i] = (T)raw(me, i, false);                                                                            \
        set(s, mine, LEN * n, source_host);                                                                            \
        shmem_barrier_all();                                                                                           \
        for (int root = 0; root < n; root++) {                                                                         \
            CHECK(shmem_##N##_broadcast(SHMEM_TEAM_WORLD, d, s, LEN, root) == 0, #N "_broadcast");                     \
            get(got, d, LEN, dest_host);                                                                               \
            for (int i = 0; i < LEN; i++)                                                                              \
                CHECK(got[i] == (T)raw(root, i, false), #N "_broadcast, placement %d: element %d", placement, i);      \
            shmem_barrier_all();                                                                                       \
        }                                                                                                              \
        CHECK(shmem_##N##_fcollect(SHMEM_TEAM_WORLD, d, s, LEN) == 0, #N "_fcollect");                                 \
        get(got, d, LEN * n, dest_host);                                                                               \
        for (int i = 0; i < LEN * n; i++)                                                                              \
            CHECK(got[i] == (T)raw(i / LEN, i % LEN, false), #N "_fcollect, placement %d: element %d", placement, i);  \
        shmem_barrier_all();                                                                                           \
        CHECK(shmem_##N##_alltoall(SHMEM_TEAM_WORLD, d, s, LEN) == 0, #N "_alltoall");                                 \
        get(got, d, LEN * n, dest_host);                                                                               \
        for (int i = 0; i < LEN * n; i++)                                                                              \
            CHECK(got[i] == (T)raw(i / LEN, me * LEN + i % LEN, false), #N "_alltoall, placement %d: element %d",      \
                  placement, i);                                                                                       \
        shmem_barrier_all();                                                                                           \
        CHECK(shmem_##N##_collect(SHMEM_TEAM_WORLD, d, s, 10 + me) == 0, #N "_collect");                               \
        get(got, d, LEN, dest_host);                                                                                   \
        for (int pe = 0, at = 0; pe < n; at += 10 + pe++)                                                              \
            for (int i = 0; i < 10 + pe; i++)                                                                          \
                CHECK(got[at + i] == (T)raw(pe, i, false), #N "_collect, placement %d: element %d", placement, at + i);\
        shmem_barrier_all();                                                                                           \
        REDUCE(N, sum_reduce, false, (T)(a + b));                                                                      \
        REDUCE(N, prod_reduce, true, (T)(a * b));                                                                      \
        REDUCE(N, min_reduce, false, b < a ? b : a);                                                                   \
        REDUCE(N, max_reduce, false, b > a ? b : a);                                                                   \
    }
#define SIMPLE_TYPES(X, A)                                                                                             \
    X(A, float, float) X(A, double, double) X(A, char, char) SHMEMI_C_SIGNED(X, A) SHMEMI_C_UNSIGNED(X, A)             \
    SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t) X(A, ptrdiff, ptrdiff_t)
SIMPLE_TYPES(MOVE, )

#define BITS(A, N, T_)                                                                                                 \
    static void bits_##N(int placement)                                                                                \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        SIDES(placement)                                                                                               \
        REDUCE(N, and_reduce, false, (T)(a & b));                                                                      \
        REDUCE(N, or_reduce, false, (T)(a | b));                                                                       \
        REDUCE(N, xor_reduce, false, (T)(a ^ b));                                                                      \
    }
SHMEMI_BIT_REDUCE_TYPES(BITS, )

static void scans_and_strides(void)
{
    typedef int T;
    const int placement = 0;
    SIDES(placement)
    for (int i = 0; i < LEN; i++)
        mine[i] = raw(me, i, false);
    set(s, mine, LEN, false);
    CHECK(shmem_int_sum_inscan(SHMEM_TEAM_WORLD, d, s, LEN) == 0, "inscan");
    get(got, d, LEN, false);
    for (int i = 0; i < LEN; i++) {
        int want = 0;
        for (int pe = 0; pe <= me; pe++)
            want += raw(pe, i, false);
        CHECK(got[i] == want, "inscan: element %d is %d, not %d", i, got[i], want);
    }
    shmem_barrier_all();
    CHECK(shmem_int_sum_exscan(SHMEM_TEAM_WORLD, d, s, LEN) == 0, "exscan");
    get(got, d, LEN, false);
    for (int i = 0; i < LEN; i++) {
        int want = 0;
        for (int pe = 0; pe < me; pe++)
            want += raw(pe, i, false);
        CHECK(got[i] == want, "exscan: element %d is %d, not %d", i, got[i], want);
    }
    shmem_barrier_all();
    for (int i = 0; i < LEN * n; i++)
        mine[i] = raw(me, i, false);
    set(s, mine, LEN * n, false);
    shmem_barrier_all();
    CHECK(shmem_int_alltoalls(SHMEM_TEAM_WORLD, d, s, 2, 3, 20) == 0, "alltoalls");
    get(got, d, LEN * n, false);
    for (int pe = 0; pe < n; pe++)
        for (int i = 0; i < 20; i++)
            CHECK(got[(pe * 20 + i) * 2] == raw(pe, (me * 20 + i) * 3, false), "alltoalls: from %d, element %d", pe, i);
    shmem_barrier_all();
}

/* Other teams: of one PE, and of all in reverse order. */
static void teams(void)
{
    for (int round = 0; round < 3; round++) {
        shmem_team_t alone, reverse;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, me, 1, 1, NULL, 0, &alone);
        shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reverse);
        long v[2] = {me + 1, 2 * me}, got[2 * MAX_PES];
        to_device((long *)source, v, 2);
        if (alone != SHMEM_TEAM_INVALID) {
            CHECK(shmem_long_sum_reduce(alone, (long *)dest, (long *)source, 2) == 0, "alone");
            from_device(got, (long *)dest, 2);
            CHECK(got[0] == me + 1 && got[1] == 2 * me, "a team of one: %ld, %ld", got[0], got[1]);
        }
        shmem_barrier_all();
        CHECK(reverse != SHMEM_TEAM_INVALID, "reverse team");
        CHECK(shmem_long_sum_reduce(reverse, (long *)dest, (long *)source, 2) == 0, "reverse");
        from_device(got, (long *)dest, 2);
        CHECK(got[0] == n * (n + 1) / 2, "reverse team's sum: %ld", got[0]);
        shmem_barrier_all();
        CHECK(shmem_long_fcollect(reverse, (long *)dest, (long *)source, 2) == 0, "reverse");
        from_device(got, (long *)dest, 2 * n);
        for (int r = 0; r < n; r++)
            CHECK(got[2 * r] == n - r, "reverse team's fcollect: %ld in place %d", got[2 * r], r);
        shmem_team_sync(reverse);
        shmem_team_destroy(reverse);
        shmem_team_destroy(alone);
    }
}

__global__ void nothing(void) { gin_shmem_quiet(); }

int main()
{
    start();
    CHECK(n <= MAX_PES, "too many PEs");
    const size_t room = LEN * MAX_PES * sizeof(double);
    dest = symmetric<char>(room), source = symmetric<char>(room);
    host_dest = (char *)shmem_malloc_with_hints(room, SHMEMX_MALLOC_HOST);
    host_source = (char *)shmem_malloc_with_hints(room, SHMEMX_MALLOC_HOST);
    CHECK(host_dest && host_source, "no host memory");
    GIN_SHMEM_LAUNCH(nothing, 1, 1, 0);
    for (int placement = 0; placement < 3; placement++) {
#define RUN(A, N, T) move_##N(placement);
        if (placement == 0) {
            SIMPLE_TYPES(RUN, )
        } else {
            move_float(placement);
            move_int(placement);
            move_uchar(placement);
        }
    }
#define RUN_BITS(A, N, T) bits_##N(0);
    SHMEMI_BIT_REDUCE_TYPES(RUN_BITS, )
    bits_uint(1);
    bits_uint(2);
    scans_and_strides();
    teams();
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every typed on-stream call once: each is its own function. Values are compared with those of the host's call. */
#include "check.h"

enum { LEN = 24, MAX_PES = 8 };

static cudaStream_t s;
static char *a, *b, *c;
static uint64_t *sig;

__global__ void nothing(void) { gin_shmem_quiet(); }

template <class T> static void fill(T *mine, int salt)
{
    memset((void *)mine, 0, LEN * MAX_PES * sizeof(T));
    for (int i = 0; i < LEN * MAX_PES; i++)
        mine[i] = (T)((i + salt) % 3 + 1);
}
template <class T> static void expect(const char *what, const T *at, const T *want, size_t count)
{
    T got[LEN * MAX_PES];
    CU(cudaStreamSynchronize(s));
    from_device(got, at, count);
    for (size_t i = 0; i < count; i++)
        CHECK(got[i] == want[i], "%s: element %zu", what, i);
}

#define MEET() shmemx_barrier_all_on_stream(s)
#define RMA(A, N, T)                                                                                                   \
    static void rma_##N(void)                                                                                          \
    {                                                                                                                  \
        T mine[LEN * MAX_PES], want[LEN * MAX_PES], *to = (T *)a, *from = (T *)b, *room = (T *)c;                      \
        fill(mine, me), fill(want, previous_pe);                                                                       \
        CU(cudaMemcpyAsync(from, mine, sizeof mine, cudaMemcpyDefault, s));                                            \
        MEET();                                                                                                        \
        shmemx_##N##_put_on_stream(to, from, LEN, next_pe, s);                                                         \
        MEET();                                                                                                        \
        expect(#N "_put", to, want, LEN);                                                                              \
        MEET();                                                                                                        \
        shmemx_##N##_put_nbi_on_stream(to + LEN, from, LEN, next_pe, s);                                               \
        shmemx_##N##_p_on_stream(to, mine[2], next_pe, s);                                                             \
        MEET();                                                                                                        \
        expect(#N "_put_nbi", to + LEN, want, LEN);                                                                    \
        expect(#N "_p", to, want + 2, 1);                                                                              \
        MEET();                                                                                                        \
        shmemx_##N##_iput_on_stream(to, from, 1, 2, LEN / 2, next_pe, s);                                              \
        shmemx_##N##_ibput_on_stream(to + LEN, from, 3, 3, 3, LEN / 3, next_pe, s);                                    \
        MEET();                                                                                                        \
        expect(#N "_ibput", to + LEN, want, LEN);                                                                      \
        shmemx_##N##_get_on_stream(room, to, LEN / 2, me, s);                                                          \
        for (int i = 0; i < LEN / 2; i++)                                                                              \
            mine[i] = want[2 * i];                                                                                     \
        expect(#N "_iput, get", room, mine, LEN / 2);                                                                  \
        shmemx_##N##_iget_on_stream(room, from, 1, 2, LEN / 2, previous_pe, s);                                        \
        expect(#N "_iget", room, mine, LEN / 2);                                                                       \
        shmemx_##N##_get_nbi_on_stream(room, from, LEN, previous_pe, s);                                               \
        shmemx_##N##_ibget_on_stream(room + LEN, from, 4, 4, 4, LEN / 4, previous_pe, s);                              \
        expect(#N "_get_nbi", room, want, LEN);                                                                        \
        expect(#N "_ibget", room + LEN, want, LEN);                                                                    \
        MEET();                                                                                                        \
        shmemx_##N##_put_signal_on_stream(to, from, LEN, sig, 1, SHMEM_SIGNAL_SET, next_pe, s);                        \
        shmemx_signal_wait_until_on_stream(sig, SHMEM_CMP_EQ, 1, s);                                                   \
        expect(#N "_put_signal", to, want, LEN);                                                                       \
        MEET();                                                                                                        \
        shmemx_##N##_put_signal_nbi_on_stream(to + LEN, from, LEN, sig, 1, SHMEM_SIGNAL_ADD, next_pe, s);              \
        shmemx_signal_wait_until_on_stream(sig, SHMEM_CMP_EQ, 2, s);                                                   \
        expect(#N "_put_signal_nbi", to + LEN, want, LEN);                                                             \
        MEET();                                                                                                        \
        for (int root = 0; root < n; root++) {                                                                         \
            shmemx_##N##_broadcast_on_stream(SHMEM_TEAM_WORLD, to, from, LEN, root, s);                                \
            fill(want, root);                                                                                          \
            expect(#N "_broadcast", to, want, LEN);                                                                    \
            MEET();                                                                                                    \
        }                                                                                                              \
        shmemx_##N##_fcollect_on_stream(SHMEM_TEAM_WORLD, to, from, LEN, s);                                           \
        for (int pe = 0; pe < n; pe++)                                                                                 \
            fill(want, pe), expect(#N "_fcollect", to + pe * LEN, want, LEN);                                          \
        MEET();                                                                                                        \
        shmemx_##N##_alltoall_on_stream(SHMEM_TEAM_WORLD, to, from, LEN, s);                                           \
        for (int pe = 0; pe < n; pe++)                                                                                 \
            fill(want, pe), expect(#N "_alltoall", to + pe * LEN, want + me * LEN, LEN);                               \
        MEET();                                                                                                        \
    }
#define SIMPLE_TYPES(X, A)                                                                                             \
    X(A, float, float) X(A, double, double) X(A, char, char) SHMEMI_C_SIGNED(X, A) SHMEMI_C_UNSIGNED(X, A)             \
    SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t) X(A, ptrdiff, ptrdiff_t)
SIMPLE_TYPES(RMA, )

#define FOLD(N, OP, EXPR)                                                                                              \
    shmemx_##N##_##OP##_on_stream(SHMEM_TEAM_WORLD, to, from, LEN, s);                                                 \
    for (int i = 0; i < LEN; i++) {                                                                                    \
        x = (T)(i % 3 + 1);                                                                                            \
        for (int pe = 1; pe < n; pe++) {                                                                               \
            T y = (T)((i + pe) % 3 + 1);                                                                               \
            x = (T)(EXPR);                                                                                             \
        }                                                                                                              \
        want[i] = x;                                                                                                   \
    }                                                                                                                  \
    expect(#N "_" #OP, to, want, LEN);                                                                                 \
    MEET();
#define FOLDS(A, N, T_)                                                                                                \
    static void fold_##N(void)                                                                                         \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T mine[LEN * MAX_PES], want[LEN], *to = (T *)a, *from = (T *)b, x;                                             \
        fill(mine, me);                                                                                                \
        CU(cudaMemcpyAsync(from, mine, sizeof mine, cudaMemcpyDefault, s));                                            \
        MEET();                                                                                                        \
        FOLD(N, sum_reduce, x + y)                                                                                     \
        FOLD(N, prod_reduce, x *y)                                                                                     \
        FOLD(N, min_reduce, y < x ? y : x)                                                                             \
        FOLD(N, max_reduce, y > x ? y : x)                                                                             \
    }
SIMPLE_TYPES(FOLDS, )
#define FOLDS_BITS(A, N, T_)                                                                                           \
    static void bits_##N(void)                                                                                         \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T mine[LEN * MAX_PES], want[LEN], *to = (T *)a, *from = (T *)b, x;                                             \
        fill(mine, me);                                                                                                \
        CU(cudaMemcpyAsync(from, mine, sizeof mine, cudaMemcpyDefault, s));                                            \
        MEET();                                                                                                        \
        FOLD(N, and_reduce, x &y)                                                                                      \
        FOLD(N, or_reduce, x | y)                                                                                      \
        FOLD(N, xor_reduce, x ^ y)                                                                                     \
    }
SHMEMI_BIT_REDUCE_TYPES(FOLDS_BITS, )

#define WAIT(A, N, T)                                                                                                  \
    static void wait_##N(void)                                                                                         \
    {                                                                                                                  \
        MEET();                                                                                                        \
        shmemx_##N##_p_on_stream((T *)a, 7, next_pe, s);                                                               \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_EQ, 7, s);                                                 \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_NE, 8, s);                                                 \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_GE, 7, s);                                                 \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_GT, 6, s);                                                 \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_LE, 7, s);                                                 \
        shmemx_##N##_wait_until_on_stream((T *)a, SHMEM_CMP_LT, 8, s);                                                 \
        CU(cudaStreamSynchronize(s));                                                                                  \
        CU(cudaMemsetAsync(a, 0, 8, s));                                                                               \
    }
SHMEMI_AMO_TYPES(WAIT, )

int main()
{
    start();
    CHECK(n <= MAX_PES, "too many PEs");
    a = symmetric<char>(LEN * MAX_PES * 8), b = symmetric<char>(LEN * MAX_PES * 8), c = symmetric<char>(LEN * MAX_PES * 8);
    sig = (uint64_t *)shmem_calloc(1, 8);
    CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    GIN_SHMEM_LAUNCH(nothing, 1, 1, 0);
#define RUN(A, N, T)      rma_##N(), fold_##N();
#define RUN_BITS(A, N, T) bits_##N();
#define RUN_WAIT(A, N, T) wait_##N();
    SIMPLE_TYPES(RUN, )
    SHMEMI_BIT_REDUCE_TYPES(RUN_BITS, )
    SHMEMI_AMO_TYPES(RUN_WAIT, )
    CU(cudaStreamDestroy(s));
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every routine of the draft GPU specification 0.1: both heaps, host calls across them, and each device call with and
 * without a context, of the world and of a team in reverse order. */
#include "check.h"

#include <shmemg.h>

enum { LEN = 1000 };

__device__ unsigned char byte_of(int pe, int salt, size_t i) { return (unsigned char)mix(pe * 100 + salt, i); }
__device__ void fill(void *p, int pe, int salt)
{
    __syncthreads();
    for (int i = threadIdx.x; i < LEN; i += blockDim.x)
        ((unsigned char *)p)[i] = byte_of(pe, salt, i);
    __syncthreads();
}
__device__ void look(const void *p, int pe, int salt)
{
    __syncthreads();
    for (int i = threadIdx.x; i < LEN; i += blockDim.x)
        EXPECT(((const volatile unsigned char *)p)[i], byte_of(pe, salt, i), salt * 10000 + i);
    __syncthreads();
}

/* pe: the next PE's number without, ctx_pe: with the context. GO(ONE) for the thread form, which one thread calls. */
#define ONE if (threadIdx.x == 0)
#define WARP if (threadIdx.x < 32)
#define ALL
#define PUT(WHO, S, SALT, NBI)                                                                                         \
    fill(source, me, SALT);                                                                                            \
    WHO shmemg_putmem##NBI##S(dest, source, LEN, pe);                                                                  \
    meet();                                                                                                            \
    look(dest, from, SALT);                                                                                            \
    shmemg_sync_all_tg();                                                                                              \
    fill(source, me, SALT + 1);                                                                                        \
    WHO shmemg_ctx_putmem##NBI##S(ctx, dest, source, LEN, ctx_pe);                                                     \
    meet();                                                                                                            \
    look(dest, from, SALT + 1);                                                                                        \
    shmemg_sync_all_tg();                                                                                              \
    WHO shmemg_getmem##NBI##S(dest, source, LEN, pe);                                                                  \
    meet();                                                                                                            \
    look(dest, pe, SALT + 1);                                                                                          \
    WHO shmemg_ctx_getmem##NBI##S(ctx, dest + 1024, source, LEN, ctx_pe);                                              \
    meet();                                                                                                            \
    look(dest + 1024, pe, SALT + 1);
#define SIGNAL(WHO, S, SALT, NBI)                                                                                      \
    fill(source, me, SALT);                                                                                            \
    WHO shmemg_putmem_signal##NBI##S(dest, source, LEN, sig, 1, SHMEM_SIGNAL_ADD, pe);                                 \
    ONE shmemg_signal_wait_until(sig, SHMEM_CMP_EQ, ++sent);                                                           \
    look(dest, from, SALT);                                                                                            \
    shmemg_sync_all_tg();                                                                                              \
    fill(source, me, SALT + 1);                                                                                        \
    WHO shmemg_ctx_putmem_signal##NBI##S(ctx, dest, source, LEN, sig, 1, SHMEM_SIGNAL_ADD, ctx_pe);                    \
    ONE shmemg_signal_wait_until(sig, SHMEM_CMP_EQ, ++sent);                                                           \
    look(dest, from, SALT + 1);                                                                                        \
    ONE EXPECT(shmemg_signal_fetch(sig), sent, SALT);                                                                  \
    shmemg_sync_all_tg();

__device__ void meet()
{
    shmemg_quiet();
    shmemg_sync_all_tg();
}

__global__ void moves(unsigned char *dest, unsigned char *source, uint64_t *sig, shmem_ctx_t ctx, int me, int pe, int ctx_pe,
                      int from, int n)
{
    uint64_t sent = *(volatile uint64_t *)sig;
    __syncthreads();
    shmemg_sync_all_tg();
    EXPECT(shmemg_my_pe(), me, 0);
    EXPECT(shmemg_n_pes(), n, 0);
    PUT(ONE, , 1, )
    PUT(WARP, _htg, 3, )
    PUT(ALL, _tg, 5, )
    PUT(ONE, , 7, _nbi)
    PUT(WARP, _htg, 9, _nbi)
    PUT(ALL, _tg, 11, _nbi)
    SIGNAL(ONE, , 13, )
    SIGNAL(WARP, _htg, 15, )
    SIGNAL(ALL, _tg, 17, )
    SIGNAL(ONE, , 19, _nbi)
    SIGNAL(WARP, _htg, 21, _nbi)
    SIGNAL(ALL, _tg, 23, _nbi)
    ONE {
        shmemg_fence();
        shmemg_ctx_fence(ctx);
        shmemg_quiet();
        shmemg_ctx_quiet(ctx);
        shmemg_ctx_quiet(SHMEM_CTX_INVALID);
        shmemg_sync_all();
        EXPECT(shmemg_team_sync(SHMEM_DEVICE_TEAM_WORLD), 0, 0);
        EXPECT(shmemg_team_sync(SHMEM_DEVICE_TEAM_SHARED), 0, 0);
    }
    __syncthreads();
    WARP {
        shmemg_sync_all_htg();
        EXPECT(shmemg_team_sync_htg(SHMEM_DEVICE_TEAM_SHARED), 0, 0);
    }
    __syncthreads();
    EXPECT(shmemg_team_sync_tg(SHMEM_DEVICE_TEAM_SHARED), 0, 0);
}

/* Both ways to each atomic: without a context, then with one. */
#define WITHOUT(N, OP, ...) shmemg_##N##_atomic_##OP(__VA_ARGS__, pe)
#define WITH(N, OP, ...)    shmemg_ctx_##N##_atomic_##OP(ctx, __VA_ARGS__, ctx_pe)
#define EXT(N, WAY)                                                                                                    \
    WAY(N, set, at, 5);                                                                                                \
    shmemg_quiet();                                                                                                    \
    EXPECT_TRUE(WAY(N, fetch, at) == 5, 1);                                                                            \
    EXPECT_TRUE(WAY(N, swap, at, 6) == 5, 2);                                                                          \
    WAY(N, fetch_nbi, &old, at);                                                                                       \
    shmemg_quiet();                                                                                                    \
    EXPECT_TRUE(old == 6, 3);                                                                                          \
    WAY(N, swap_nbi, &old, at, 7);                                                                                     \
    shmemg_quiet();                                                                                                    \
    EXPECT_TRUE(old == 6 && WAY(N, fetch, at) == 7, 4);
#define STD(N, WAY)                                                                                                    \
    EXPECT(WAY(N, compare_swap, at, 7, 0x55), 7, 5);                                                                   \
    EXPECT(WAY(N, fetch_and, at, 0x0f), 0x55, 6);                                                                      \
    EXPECT(WAY(N, fetch_or, at, 0x70), 0x05, 7);                                                                       \
    EXPECT(WAY(N, fetch_xor, at, 0x11), 0x75, 8);                                                                      \
    EXPECT(WAY(N, fetch_add, at, 1), 0x64, 9);                                                                         \
    EXPECT(WAY(N, fetch_inc, at), 0x65, 10);                                                                           \
    WAY(N, add, at, 1);                                                                                                \
    WAY(N, inc, at);                                                                                                   \
    shmemg_quiet();                                                                                                    \
    WAY(N, and, at, 0x3c);                                                                                             \
    shmemg_quiet();                                                                                                    \
    WAY(N, or, at, 0x81);                                                                                              \
    shmemg_quiet();                                                                                                    \
    WAY(N, xor, at, 0xff);                                                                                             \
    shmemg_quiet();                                                                                                    \
    EXPECT(WAY(N, fetch, at), 0x56, 11);                                                                               \
    WAY(N, compare_swap_nbi, &old, at, 0x56, 1);                                                                       \
    shmemg_quiet();                                                                                                    \
    EXPECT(old, 0x56, 12);                                                                                             \
    WAY(N, fetch_add_nbi, &old, at, 1);                                                                                \
    shmemg_quiet();                                                                                                    \
    EXPECT(old, 1, 13);                                                                                                \
    WAY(N, fetch_inc_nbi, &old, at);                                                                                   \
    shmemg_quiet();                                                                                                    \
    EXPECT(old, 2, 14);                                                                                                \
    WAY(N, fetch_and_nbi, &old, at, 1);                                                                                \
    shmemg_quiet();                                                                                                    \
    WAY(N, fetch_or_nbi, &old, at, 4);                                                                                 \
    shmemg_quiet();                                                                                                    \
    WAY(N, fetch_xor_nbi, &old, at, 1);                                                                                \
    shmemg_quiet();                                                                                                    \
    EXPECT(old, 5, 15);                                                                                                \
    EXPECT(WAY(N, fetch, at), 4, 16);

#define AMO(A, N, T)                                                                                                   \
    __global__ void amo_##N(T *at, shmem_ctx_t ctx, int pe, int ctx_pe)                                                \
    {                                                                                                                  \
        T old = 0;                                                                                                     \
        EXT(N, WITHOUT) STD(N, WITHOUT)                                                                                \
        EXT(N, WITH) STD(N, WITH)                                                                                      \
        shmemg_sync_all();                                                                                             \
        gin_shmem_##N##_p(at, 100, pe);                                                                                \
        shmemg_##N##_wait_until(at, SHMEM_CMP_EQ, 100);                                                                \
        EXPECT(shmemg_##N##_test(at, SHMEM_CMP_GT, 99), 1, 17);                                                        \
        EXPECT(shmemg_##N##_test(at, SHMEM_CMP_NE, 100), 0, 18);                                                       \
        shmemg_sync_all();                                                                                             \
    }
SHMEMI_AMO_TYPES(AMO, )
#define REAL(N, T)                                                                                                     \
    __global__ void amo_##N(T *at, shmem_ctx_t ctx, int pe, int ctx_pe)                                                \
    {                                                                                                                  \
        T old = 0;                                                                                                     \
        EXT(N, WITHOUT)                                                                                                \
        EXT(N, WITH)                                                                                                   \
        shmemg_sync_all();                                                                                             \
    }
REAL(float, float)
REAL(double, double)

static void all_calls(const char *what, shmem_ctx_t ctx, int ctx_next, unsigned char *dest, unsigned char *source, uint64_t *sig)
{
    GIN_SHMEM_LAUNCH(moves, 1, 96, 0, dest, source, sig, ctx, me, next_pe, ctx_next, previous_pe, n);
    KERNELS_DONE("%s: moves", what);
    shmem_barrier_all();
#define RUN(A, N, T)                                                                    \
    CU(cudaMemset(dest, 0, 64));                                                        \
    CU(cudaDeviceSynchronize());                                                        \
    shmem_barrier_all();                                                                \
    GIN_SHMEM_LAUNCH(amo_##N, 1, 1, 0, (T *)dest, ctx, next_pe, ctx_next);              \
    KERNELS_DONE("%s: atomics of " #N, what);
    SHMEMI_AMO_EXT_TYPES(RUN, )
}

int main()
{
    int provided = -1, devices;
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE | SHMEM_DEVICE_HOST_INIT | SHMEM_DEVICE_KERNEL_INIT, &provided) == 0, "init");
    CHECK(provided == (SHMEM_THREAD_MULTIPLE | SHMEM_DEVICE_HOST_INIT | SHMEM_DEVICE_KERNEL_INIT), "provided 0x%x", provided);
    CU(cudaGetDeviceCount(&devices));
    CU(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED) % devices));
    me = shmem_my_pe(), n = shmem_n_pes(), next_pe = (me + 1) % n, previous_pe = (me + n - 1) % n;

    unsigned char *dest = (unsigned char *)shmemg_malloc(4096), *source = (unsigned char *)shmemg_align(4096, 4096);
    uint64_t *sig = (uint64_t *)shmemg_calloc(2, 8);
    long *host = (long *)shmem_malloc(100 * sizeof(long));
    CHECK(dest && source && sig && host && (uintptr_t)source % 4096 == 0, "memory");
    CHECK(shmemg_malloc(0) == NULL, "shmemg_malloc(0)");
    cudaPointerAttributes a;
    CU(cudaPointerGetAttributes(&a, dest));
    CHECK(a.type == cudaMemoryTypeDevice, "shmemg_malloc gave memory of type %d", (int)a.type);
    for (int i = 0; i < 100; i++)
        host[i] = 1000 * me + i; /* the default heap is the CPU's */

    all_calls("default context", SHMEM_DEVICE_CTX_DEFAULT, next_pe, dest, source, sig);
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(SHMEM_DEVICE_CTX, &ctx) == 0, "shmem_ctx_create");
    all_calls("own context", ctx, next_pe, dest, source, sig);
    shmem_ctx_destroy(ctx);
    shmem_team_t reverse;
    shmem_team_split_strided(SHMEM_DEVICE_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reverse);
    CHECK(reverse != SHMEM_TEAM_INVALID, "split");
    CHECK(shmem_team_create_ctx(reverse, SHMEM_DEVICE_CTX, &ctx) == 0, "shmem_team_create_ctx");
    all_calls("a team's context", ctx, n - 1 - next_pe, dest, source, sig);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(reverse);

    /* Host calls across the heaps: data to the device, its signal in host memory, and the other way round. */
    static uint64_t host_sig;
    shmem_long_put_signal((long *)dest, host, 100, &host_sig, 1, SHMEM_SIGNAL_SET, next_pe);
    shmem_signal_wait_until(&host_sig, SHMEM_CMP_EQ, 1);
    long got[100];
    from_device(got, (long *)dest, 100);
    for (int i = 0; i < 100; i++)
        CHECK(got[i] == 1000 * previous_pe + i, "to the device heap: word %d is %ld", i, got[i]);
    uint64_t before = device_value(sig + 1); /* before the previous PE may send */
    shmem_barrier_all();
    shmem_long_put_signal(host, (long *)dest, 100, sig + 1, before + 1, SHMEM_SIGNAL_SET, next_pe);
    shmem_signal_wait_until(sig + 1, SHMEM_CMP_EQ, before + 1);
    for (int i = 0; i < 100; i++)
        CHECK(host[i] == 1000 * ((previous_pe + n - 1) % n) + i, "to the host heap: word %d is %ld", i, host[i]);
    /* order across both heaps, in both directions, and of data whose call did not wait */
    static long values[64];
    for (int i = 0; i < 100; i++)
        host[i] = 0;
    CU(cudaMemset(dest, 0, 80 * sizeof(long)));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    for (int round = 1; round <= 200; round++) {
        shmem_long_p((long *)dest, round, next_pe);
        shmem_fence();
        shmem_long_p(host, round, next_pe);
        shmem_long_wait_until(host, SHMEM_CMP_GE, round);
        CHECK(shmem_long_g((long *)dest, me) >= round, "round %d: host memory was ahead of the device's", round);
        for (long &v : values)
            v = round;
        shmem_long_put_nbi((long *)dest + 8, values, 64, next_pe);
        shmem_fence();
        shmem_long_put(host + 2, values, 64, next_pe);
        shmem_fence();
        shmem_long_p((long *)dest + 1, round, next_pe);
        shmem_long_wait_until((long *)dest + 1, SHMEM_CMP_GE, round);
        CHECK(host[65] >= round, "round %d: the device's memory was ahead of the host's", round);
        CHECK(shmem_long_g((long *)dest + 71, me) >= round, "round %d: data that was not waited for came late", round);
        shmem_quiet();
        shmem_barrier_all();
    }
    shmem_free(host);
    shmemg_free(sig);
    shmemg_free(source);
    shmemg_free(dest);
    return done();
}

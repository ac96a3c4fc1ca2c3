/* SPDX-License-Identifier: BSD-3-Clause */
/* The on-stream calls: in order with kernels and copies of the stream, straight and from a captured graph that is
 * replayed; nothing is done before what the stream holds in front of it. */
#include "check.h"

enum { LEN = 5000, ROUNDS = 20 };

__global__ void fill(int *p, const int *round, int me)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < LEN; i += gridDim.x * blockDim.x)
        p[i] = *round * 100000 + me * 10000 + i;
}
__global__ void verify(const int *p, const int *round, int pe, int count, int which)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        EXPECT(p[i], *round * 100000 + pe * 10000 + i, which * 1000000 + i);
}
__global__ void verify_sum(const int *p, const int *round, int n, int which)
{
    for (int i = threadIdx.x; i < LEN; i += blockDim.x)
        EXPECT(p[i], n * *round * 100000 + n * (n - 1) / 2 * 10000 + n * i, which * 1000000 + i);
}
__global__ void delay(int us)
{
    for (long long from = clock64(); clock64() - from < 1500ll * us;)
        ;
}
__global__ void count(int *round) { ++*round; }

static int *source, *dest, *gathered, *sum, *round_number;
static uint64_t *sig;

static void one_round(cudaStream_t s)
{
    GIN_SHMEM_LAUNCH(count, 1, 1, s, round_number);
    if (me == 0)
        GIN_SHMEM_LAUNCH(delay, 1, 1, s, 200);
    GIN_SHMEM_LAUNCH(fill, 8, 256, s, source, round_number, me);
    shmemx_int_put_on_stream(dest, source, LEN, next_pe, s);
    shmemx_putmem_nbi_on_stream(dest + LEN, source, LEN * sizeof(int), next_pe, s);
    shmemx_barrier_all_on_stream(s);
    GIN_SHMEM_LAUNCH(verify, 8, 256, s, dest, round_number, previous_pe, LEN, 1);
    GIN_SHMEM_LAUNCH(verify, 8, 256, s, dest + LEN, round_number, previous_pe, LEN, 2);
    shmemx_int_get_on_stream(gathered, source, LEN, next_pe, s);
    GIN_SHMEM_LAUNCH(verify, 8, 256, s, gathered, round_number, next_pe, LEN, 3);
    shmemx_team_sync_on_stream(SHMEM_TEAM_WORLD, s);
    shmemx_int_put_signal_on_stream(dest, source, LEN, sig, 1, SHMEM_SIGNAL_ADD, next_pe, s);
    shmemx_signal_op_on_stream(sig + 1, 3, SHMEM_SIGNAL_SET, next_pe, s);
    shmemx_signal_wait_until_on_stream(sig + 1, SHMEM_CMP_EQ, 3, s);
    shmemx_quiet_on_stream(s);
    shmemx_sync_all_on_stream(s);
    shmemx_int_p_on_stream((int *)(sig + 2), 4242, next_pe, s);
    shmemx_barrier_on_stream(SHMEM_TEAM_WORLD, s);
    shmemx_int_wait_until_on_stream((int *)(sig + 2), SHMEM_CMP_EQ, 4242, s);
    CU(cudaMemsetAsync(sig + 1, 0, 16, s));
    shmemx_int_sum_reduce_on_stream(SHMEM_TEAM_WORLD, sum, source, LEN, s);
    GIN_SHMEM_LAUNCH(verify_sum, 1, 256, s, sum, round_number, n, 4);
    shmemx_int_fcollect_on_stream(SHMEM_TEAM_WORLD, gathered, source, LEN, s);
    for (int pe = 0; pe < n; pe++)
        GIN_SHMEM_LAUNCH(verify, 8, 256, s, gathered + pe * LEN, round_number, pe, LEN, 5);
    shmemx_int_broadcast_on_stream(SHMEM_TEAM_WORLD, sum, source, LEN, n - 1, s);
    GIN_SHMEM_LAUNCH(verify, 8, 256, s, sum, round_number, n - 1, LEN, 6);
    shmemx_alltoallmem_on_stream(SHMEM_TEAM_WORLD, gathered, source, 400, s);
    GIN_SHMEM_LAUNCH(verify, 1, 128, s, gathered + (me ? 0 : 0), round_number, 0, me == 0 ? 100 : 0, 7);
    shmemx_barrier_all_on_stream(s);
}

/* Collectives of a few bytes and of many go different ways: every byte, and none beyond. */
__device__ unsigned char byte_at(int pe, int to, size_t i) { return (unsigned char)mix(pe * 64 + to, i); }
__global__ void fill_bytes(unsigned char *p, size_t bytes, int me, int n)
{
    for (size_t i = threadIdx.x; i < bytes * n; i += blockDim.x)
        p[i] = byte_at(me, (int)(i / bytes), i % bytes);
}
/* p has bytes of each of n PEs, meant for `to`; one of them: from is that PE, else -1. */
__global__ void verify_bytes(unsigned char *p, size_t bytes, int n, int to, int from, int which)
{
    const size_t all = from < 0 ? bytes * n : bytes;
    for (size_t i = threadIdx.x; i < all + 16; i += blockDim.x) {
        int pe = from < 0 ? (int)(i / (bytes ? bytes : 1)) : from;
        EXPECT(p[i], i < all ? byte_at(pe, to, bytes ? i % bytes : 0) : 0xEE, which * 1000000ll + (long long)i);
        p[i] = 0xEE;
    }
}
__global__ void verify_sums(unsigned char *p, size_t bytes, int n, int which)
{
    for (size_t i = threadIdx.x; i < bytes + 16; i += blockDim.x) {
        unsigned char want = 0xEE;
        for (int pe = 0; i < bytes && pe < n; pe++)
            want = (unsigned char)((pe ? want : 0) + byte_at(pe, 0, i));
        EXPECT(p[i], want, which * 1000000ll + (long long)i);
        p[i] = 0xEE;
    }
}
static void sizes_of_collectives(cudaStream_t s)
{
    const size_t sizes[] = {0, 1, 3, 8, 100, 1023, 4096, 32768, 32769, 100000}, room = 100000 + 64;
    unsigned char *from = symmetric<unsigned char>(room * n), *to = symmetric<unsigned char>(room * n);
    CU(cudaMemset(to, 0xEE, room * n));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    for (size_t bytes : sizes)
        for (int off = 0; off < 2; off++) { /* also where nothing is aligned */
            unsigned char *d = to + 3 * off;
            GIN_SHMEM_LAUNCH(fill_bytes, 1, 256, s, from + off, bytes, me, n);
            shmemx_fcollectmem_on_stream(SHMEM_TEAM_WORLD, d, from + off, bytes, s);
            GIN_SHMEM_LAUNCH(verify_bytes, 1, 256, s, d, bytes, n, 0, -1, 11);
            shmemx_alltoallmem_on_stream(SHMEM_TEAM_WORLD, d, from + off, bytes, s);
            GIN_SHMEM_LAUNCH(verify_bytes, 1, 256, s, d, bytes, n, me, -1, 12);
            shmemx_broadcastmem_on_stream(SHMEM_TEAM_WORLD, d, from + off, bytes, n - 1, s);
            GIN_SHMEM_LAUNCH(verify_bytes, 1, 256, s, d, bytes, n, 0, n - 1, 13);
            shmemx_uchar_sum_reduce_on_stream(SHMEM_TEAM_WORLD, d, from + off, bytes, s);
            GIN_SHMEM_LAUNCH(verify_sums, 1, 256, s, d, bytes, n, 14);
            shmemx_barrier_all_on_stream(s);
        }
    KERNELS_DONE("collectives of many sizes");
    shmem_barrier_all();
    shmem_free(to);
    shmem_free(from);
}

#ifndef GIN_SHMEM_CPU
static void graphs(cudaStream_t s)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CU(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    one_round(s);
    CU(cudaStreamEndCapture(s, &graph));
    CU(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(device_value(round_number) == ROUNDS, "capturing ran something");
    for (int i = 0; i < ROUNDS; i++) {
        CU(cudaGraphLaunch(exec, s));
        if (some_far()) /* docs/ordering.md: a graph that runs is not launched again, where it waits for the agent */
            CU(cudaStreamSynchronize(s));
    }
    KERNELS_DONE("from a graph");
    uint64_t arrived = device_value(sig);
    CHECK(arrived == 2 * ROUNDS, "%llu signals after %d rounds of the graph", (unsigned long long)arrived, ROUNDS);
    one_round(s); /* and straight again: both count barriers alike */
    if (some_far())
        CU(cudaStreamSynchronize(s));
    CU(cudaGraphLaunch(exec, s));
    one_round(s);
    KERNELS_DONE("in turn");
    CU(cudaGraphExecDestroy(exec));
    CU(cudaGraphDestroy(graph));
}
#else
static void graphs(cudaStream_t) {}
#endif

int main()
{
    start();
    source = symmetric<int>(LEN * 2), dest = symmetric<int>(LEN * 2), gathered = symmetric<int>(LEN * n), sum = symmetric<int>(LEN);
    sig = (uint64_t *)shmem_calloc(4, 8);
    CU(cudaMalloc(&round_number, sizeof(int)));
    CU(cudaMemset(round_number, 0, sizeof(int)));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    cudaStream_t s;
    CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++)
        one_round(s);
    KERNELS_DONE("straight");
    uint64_t arrived = device_value(sig);
    CHECK(arrived == ROUNDS, "%llu signals after %d rounds", (unsigned long long)arrived, ROUNDS);
    graphs(s);
    sizes_of_collectives(s);

    /* the legacy default stream, and the thread's own, when the program names them */
    one_round(cudaStreamLegacy);
    one_round(cudaStreamPerThread);
    one_round(0);
    KERNELS_DONE("default streams");
    shmem_barrier_all();
    CU(cudaStreamDestroy(s));
    return done();
}

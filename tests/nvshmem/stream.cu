/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls in streams: copies, single elements, signals and waits, barriers, and a launch of the whole job. */
#include "nv.h"

enum { WORDS = 1000 };

__global__ void fill(int *to, int me, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        to[i] = (int)(mix((unsigned)me, i) & 0xffff);
}
__global__ void check(const int *got, int from, size_t count)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        EXPECT(got[i], (int)(mix((unsigned)from, i) & 0xffff), i);
}
__global__ void together(int *count, int blocks)
{
    if (threadIdx.x == 0) {
        nvshmem_int_atomic_inc(count, 0);
        nvshmem_quiet();
        if (nvshmem_my_pe() == 0)
            nvshmem_int_wait_until(count, NVSHMEM_CMP_EQ, blocks * nvshmem_n_pes());
    }
}

int main()
{
    nv_start();
    int *to = nv_symmetric<int>(WORDS), *from = nv_symmetric<int>(WORDS), *word = nv_symmetric<int>(4);
    uint64_t *sig = nv_symmetric<uint64_t>(1);
    cudaStream_t s;
    CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));

    GIN_SHMEM_LAUNCH(fill, 1, 128, s, from, me, (size_t)WORDS);
    nvshmemx_int_put_on_stream(to, from, WORDS, next_pe, s);
    nvshmemx_barrier_all_on_stream(s);
    GIN_SHMEM_LAUNCH(check, 1, 128, s, to, previous_pe, (size_t)WORDS);
    nvshmemx_sync_all_on_stream(s);
    nvshmemx_getmem_on_stream(to, from, WORDS * sizeof(int), next_pe, s);
    GIN_SHMEM_LAUNCH(check, 1, 128, s, to, next_pe, (size_t)WORDS);
    CHECK(nvshmemx_team_sync_on_stream(NVSHMEM_TEAM_WORLD, s) == 0, "it fails");

    /* A signal behind its data. */
    nvshmemx_putmem_signal_nbi_on_stream(to, from, WORDS * sizeof(int), sig, 7, NVSHMEM_SIGNAL_SET, next_pe, s);
    nvshmemx_signal_wait_until_on_stream(sig, NVSHMEM_CMP_GE, 7, s); /* the next may have come already */
    GIN_SHMEM_LAUNCH(check, 1, 128, s, to, previous_pe, (size_t)WORDS);
    nvshmemx_signal_op_on_stream(sig, 3, NVSHMEM_SIGNAL_ADD, next_pe, s);
    nvshmemx_uint64_wait_until_on_stream(sig, NVSHMEM_CMP_GE, 10, s);
    nvshmemx_quiet_on_stream(s);
    CU(cudaStreamSynchronize(s));
    KERNELS_DONE("copies");
    CHECK(nvshmem_signal_fetch(sig) == 10, "the signal is %llu", (unsigned long long)nvshmem_signal_fetch(sig));

    /* Elements, and a wait for several: the second is excluded, and never comes. */
    const int status[4] = {0, 1, 0, 0}, want[4] = {50, 0, 52, 53};
    for (int i = 0; i < 4; i++)
        if (i != 1)
            nvshmemx_int_p_on_stream(word + i, 50 + i, next_pe, s);
    nvshmemx_int_wait_until_all_on_stream(word, 4, status, NVSHMEM_CMP_GE, 50, s);
    nvshmemx_int_wait_until_all_vector_on_stream(word, 4, status, NVSHMEM_CMP_EQ, want, s);
    int got = nvshmemx_int_g_on_stream(word + 2, me, s);
    CHECK(got == 52, "g gives %d", got);
    CHECK(nvshmemx_barrier_on_stream(NVSHMEMX_TEAM_NODE, s) == 0, "it fails");

    /* All blocks of all PEs at one time. */
    int blocks = 0, *count = nv_symmetric<int>(1);
    void *args[] = {&count, &blocks};
    CHECK(nvshmemx_collective_launch_query_gridsize(together, 64, args, 0, &blocks) == NVSHMEMX_SUCCESS && blocks > 0,
          "%d blocks can be resident", blocks);
    blocks = blocks < 4 ? blocks : 4;
    CHECK(nvshmemx_collective_launch(together, dim3((unsigned)blocks), dim3(64), args, 0, s) == NVSHMEMX_SUCCESS,
          "no launch of %d blocks", blocks);
    CU(cudaStreamSynchronize(s));
    CU(cudaStreamDestroy(s));
    return nv_done();
}

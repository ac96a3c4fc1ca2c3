/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong when it should: part_faults CASE. Each case is run, and its output read, by a script. */
#include "check.h"

#include <unistd.h>

__global__ void put(int *p, int value, int pe) { gin_shmem_int_p(p, value, pe); }
__global__ void wait(uint64_t *p) { gin_shmem_uint64_wait_until(p, SHMEM_CMP_EQ, 77); }
__global__ void wait_block(uint64_t *p)
{
    if (blockIdx.x == 2)
        gin_shmem_signal_wait_until_block(p, SHMEM_CMP_GE, 1234567);
}
__global__ void barrier(void) { gin_shmem_barrier_all(); }
__global__ void team(shmem_team_t t) { gin_shmem_sync(t); }
__global__ void index_too_large(void) { gin_shmem_sync(SHMEM_TEAM_WORLD, 100000); }

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *plain;
    if (strcmp(name, "before-init") == 0) {
        CU(cudaMalloc(&plain, 4));
        GIN_SHMEM_LAUNCH(put, 1, 1, 0, plain, 1, 0);
        cudaError_t e = cudaDeviceSynchronize();
        fprintf(stderr, "the kernel ended: %s\n", cudaGetErrorString(e));
        return e == cudaSuccess ? 0 : 5;
    }
    start();
    uint64_t *p = (uint64_t *)shmem_calloc(1000, 8);
    CU(cudaMalloc(&plain, 4));
    if (strcmp(name, "after-finalize") == 0) {
        shmem_finalize();
        GIN_SHMEM_LAUNCH(put, 1, 1, 0, plain, 1, 0);
        cudaError_t e = cudaDeviceSynchronize();
        fprintf(stderr, "the kernel ended: %s\n", cudaGetErrorString(e));
        return e == cudaSuccess ? 0 : 5;
    }
    if (me == n - 1) {
        if (strcmp(name, "wait") == 0)
            GIN_SHMEM_LAUNCH(wait, 1, 1, 0, p + 5);
        else if (strcmp(name, "wait-block") == 0)
            GIN_SHMEM_LAUNCH(wait_block, 4, 64, 0, p + 6);
        else if (strcmp(name, "barrier") == 0)
            GIN_SHMEM_LAUNCH(barrier, 1, 1, 0);
        else if (strcmp(name, "pe") == 0)
            GIN_SHMEM_LAUNCH(put, 1, 1, 0, (int *)p, 1, n + 3);
        else if (strcmp(name, "address") == 0)
            GIN_SHMEM_LAUNCH(put, 1, 1, 0, plain, 1, 0);
        else if (strcmp(name, "team") == 0)
            GIN_SHMEM_LAUNCH(team, 1, 1, 0, (shmem_team_t)(uintptr_t)0x30007);
        else if (strcmp(name, "index") == 0)
            GIN_SHMEM_LAUNCH(index_too_large, 1, 1, 0);
        CU(cudaGetLastError());
    }
    if (strcmp(name, "stream-wait") == 0) {
        shmemx_signal_wait_until_on_stream(p + 7, SHMEM_CMP_EQ, 55, 0);
        cudaDeviceSynchronize();
    }
    if (strcmp(name, "spin") == 0) { /* until killed; the script waits for the line */
        for (int i = 0; i < 8; i++) {
            cudaStream_t s;
            CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
            GIN_SHMEM_LAUNCH(wait, 1, 1, s, p + i);
        }
        printf("PE %d is process %d\n", me, (int)getpid());
        fflush(stdout);
    }
    cudaDeviceSynchronize();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the GPU examples share: an error check, and the GPU that goes with a PE. */
#ifndef EXAMPLES_GPU_H
#define EXAMPLES_GPU_H

#include <gin_shmem.h>
#include <stdio.h>

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t cuda_error = (call);                                                                               \
        if (cuda_error != cudaSuccess) {                                                                               \
            fprintf(stderr, "PE %d: line %d: %s: %s\n", shmem_my_pe(), __LINE__, #call, cudaGetErrorString(cuda_error)); \
            shmem_global_exit(1);                                                                                      \
        }                                                                                                              \
    } while (0)

/* One GPU for each PE of a host. Legal after shmem_init: the library looks at the GPU at the first allocation. */
static inline void choose_gpu(void)
{
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    if (devices == 0) {
        fprintf(stderr, "PE %d: this host has no GPU\n", shmem_my_pe());
        shmem_global_exit(1);
    }
    CUDA(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED) % devices));
}

/* Waits for this PE's kernels. Before a synchronous copy: CUDA lets nobody in while such a copy waits behind a kernel, and
 * where that kernel waits for another node, the agent that serves it has to get in. */
static inline void kernels_done(void)
{
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

/* shmem_malloc, or the end of the job. */
template <class T> static T *symmetric(size_t count)
{
    T *p = (T *)shmem_malloc(count * sizeof(T));
    if (!p)
        shmem_global_exit(1);
    return p;
}

/* Sum of a number over all PEs, through the symmetric heap of the GPUs. */
static inline long sum_over_pes(long mine)
{
    long *words = symmetric<long>(2), sum;
    CUDA(cudaMemcpy(words, &mine, sizeof mine, cudaMemcpyHostToDevice));
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words + 1, words, 1);
    CUDA(cudaMemcpy(&sum, words + 1, sizeof sum, cudaMemcpyDeviceToHost));
    shmem_free(words);
    return sum;
}

/* Ends the program: PE 0 says what was verified. */
static inline int verdict(const char *what, long wrong)
{
    long all = sum_over_pes(wrong);
    if (shmem_my_pe() == 0)
        printf("%s: %s (%ld wrong on %d PEs)\n", what, all ? "FAILED" : "verified", all, shmem_n_pes());
    shmem_finalize();
    return all != 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A host put, a host atomic and a host signal reach a peer whose kernels spin on 8 and on 16 streams, with work queued
 * behind each, until they come.
 * run: timeout 90 */
#include "check.h"

enum { MOST = 16 };

__global__ void spin(uint64_t *word, uint64_t until, int *after)
{
    gin_shmem_uint64_wait_until(word, SHMEM_CMP_GE, until);
    *after = 1;
}
__global__ void behind(const int *after, int which) { EXPECT(*after, 1, which); }

int main()
{
    start();
    uint64_t *words = (uint64_t *)shmem_calloc(MOST, 8);
    int *after;
    cudaStream_t streams[MOST];
    CU(cudaMalloc(&after, MOST * sizeof *after));
    for (int i = 0; i < MOST; i++)
        CU(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    cudaFuncAttributes loaded; /* code is loaded before anything spins */
    CU(cudaFuncGetAttributes(&loaded, spin));
    CU(cudaFuncGetAttributes(&loaded, behind));
    const char *ways[] = {"put", "put from pageable memory with quiet", "atomic add", "p", "signal"};
    uint64_t target = 0;
    for (int count = 8; count <= MOST; count *= 2)
        for (int way = 0; way < 5; way++) {
            target++;
            CU(cudaMemset(after, 0, MOST * sizeof *after));
            CU(cudaDeviceSynchronize());
            shmem_barrier_all();
            for (int i = 0; i < count; i++) {
                GIN_SHMEM_LAUNCH(spin, 1, 1, streams[i], words + i, target, after + i);
                GIN_SHMEM_LAUNCH(behind, 1, 1, streams[i], after + i, i);
                CU(cudaMemsetAsync(after + i, 0, sizeof *after, streams[i]));
            }
            CU(cudaGetLastError());
            double from = seconds();
            uint64_t values[MOST];
            for (int i = 0; i < MOST; i++)
                values[i] = target;
            switch (way) {
            case 0: shmem_uint64_put(words, values, count, next_pe); break;
            case 1:
                shmem_uint64_put_nbi(words, values, count, next_pe);
                shmem_quiet();
                break;
            case 2:
                for (int i = 0; i < count; i++)
                    shmem_uint64_atomic_add(words + i, 1, next_pe);
                break;
            case 3:
                for (int i = 0; i < count; i++)
                    shmem_uint64_p(words + i, target, next_pe);
                break;
            default:
                for (int i = 0; i < count; i++)
                    shmem_ctx_signal_add(SHMEM_CTX_DEFAULT, words + i, 1, next_pe);
                break;
            }
            shmem_quiet();
            for (int i = 0; i < count; i++)
                CU(cudaStreamSynchronize(streams[i]));
            KERNELS_DONE("%s on %d streams", ways[way], count);
            if (me == 0)
                printf("%d streams, %s: %.0f us\n", count, ways[way], (seconds() - from) * 1e6);
            shmem_barrier_all();
            for (int i = count; i < MOST; i++) { /* atomics count on from here */
                CU(cudaMemcpy(words + i, &target, 8, cudaMemcpyHostToDevice));
            }
            CU(cudaDeviceSynchronize());
            shmem_barrier_all();
        }
    for (int i = 0; i < MOST; i++)
        CU(cudaStreamDestroy(streams[i]));
    return done();
}

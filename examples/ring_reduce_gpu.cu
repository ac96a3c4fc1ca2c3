/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sum along the ring of PEs, in chunks, so that all PEs work at one time: each waits for a chunk from the PE before,
 * adds its own, and sends the sum on with a signal. The last PE has the result.
 *
 * How does a PE know that chunk k has come? With -DWRONG, by one signal word that every put_signal adds 1 to: it waits
 * for k + 1. That is a bug, which a fast link hides. A signal says that its own data has come; chunks may complete in any
 * order, so k + 1 signals may belong to other chunks. Mended, each chunk has a signal of its own. docs/ordering.md tells
 * more; "oshrun --fake-nodes 2" on a build for the CPU shows the bug on a laptop.
 */
#include "gpu.h"

enum { CHUNKS = 48, WORDS = 256 };

__device__ int early_chunk = -1; /* one that was used before it had come */

static __host__ __device__ long value(int pe, int i)
{
    return 1 + pe + i % 1000;
}

__global__ void ring_sum(long *sum, long *inbox, uint64_t *signals)
{
    const int me = gin_shmem_my_pe(), n = gin_shmem_n_pes();
    for (int k = 0; k < CHUNKS; k++) {
        long *mine = sum + k * WORDS;
        const long *in = inbox + k * WORDS;
#ifdef WRONG
        uint64_t *signal = signals, wanted = k + 1;
#else
        uint64_t *signal = signals + k, wanted = 1;
#endif
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            mine[i] = value(me, k * WORDS + i);
        if (me > 0) {
            gin_shmem_signal_wait_until_block(signal, SHMEM_CMP_GE, wanted);
            for (int i = threadIdx.x; i < WORDS; i += blockDim.x) {
                if (in[i] == 0)
                    early_chunk = k;
                mine[i] += in[i];
            }
        }
        if (me + 1 < n) /* it synchronises the block first */
            gin_shmem_long_put_signal_block(inbox + k * WORDS, mine, WORDS, signal, 1, SHMEM_SIGNAL_ADD, me + 1);
    }
}

int main(void)
{
    shmem_init();
    choose_gpu();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    static long got[CHUNKS * WORDS];
    long *sum = symmetric<long>(CHUNKS * WORDS), *inbox = (long *)shmem_calloc(CHUNKS * WORDS, sizeof *inbox),
         wrong = 0;
    uint64_t *signals = (uint64_t *)shmem_calloc(CHUNKS, sizeof *signals);
    int early;
    if (!inbox || !signals)
        shmem_global_exit(1);
    void *args[] = {&sum, &inbox, &signals};
    if (shmemx_collective_launch(ring_sum, dim3(1), dim3(128), args, 0, 0) != 0)
        shmem_global_exit(1);
    kernels_done();
    CUDA(cudaMemcpyFromSymbol(&early, early_chunk, sizeof early));
    if (early >= 0)
        fprintf(
            stderr,
            "PE %d: chunk %d was added before it had come. Its count had been reached by the signals of later chunks:\n"
            "puts complete in any order, so signals that are counted tell how many have come, not which. Give each\n"
            "chunk a signal of its own, or complete one chunk (gin_shmem_quiet) before the next.\n",
            me, early);
    CUDA(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; me == n - 1 && i < CHUNKS * WORDS; i++) {
        long want = 0;
        for (int pe = 0; pe < n; pe++)
            want += value(pe, i);
        wrong += got[i] != want;
    }
    return verdict("ring_reduce: 96 KiB summed along the ring in 48 chunks", wrong);
}

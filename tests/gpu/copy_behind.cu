/* SPDX-License-Identifier: BSD-3-Clause */
/* A synchronous copy of the program's waits behind a kernel that waits for a peer. CUDA then lets few other calls in, and
 * the agent of another node has to get by with those: for words, small puts and signals that are set. */
#include "check.h"

enum { WORDS = 8, ROUNDS = 200 };

struct mail {
    uint64_t words[2][WORDS], signal[2], sum;
};

/* A round ends with the partner's, so nobody's words are overwritten before they have been looked at. The signal of the
 * next round says nothing of this one's words: each half has its own. */
__global__ void pass(struct mail *w, int partner)
{
    uint64_t mine[WORDS];
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = 100 * round + i;
        gin_shmem_uint64_put_signal(w->words[round % 2], mine, WORDS, &w->signal[round % 2], round, SHMEM_SIGNAL_SET, partner);
        gin_shmem_signal_wait_until(&w->signal[round % 2], SHMEM_CMP_GE, round);
        for (int i = 0; i < WORDS; i++)
            EXPECT(gin_shmem_uint64_g(&w->words[round % 2][i], gin_shmem_my_pe()), 100 * round + i, i);
    }
    w->sum = mine[0];
}

int main()
{
    start();
    struct mail *w = (struct mail *)shmem_calloc(1, sizeof *w);
    uint64_t sum = 0;
    CHECK(w, "no memory");
    /* Two and two, on different nodes where there are any: neither gets ahead of the other by more than a round. */
    const int partner = n % 2 ? me : (me + n / 2) % n;
    GIN_SHMEM_LAUNCH(pass, 1, 1, 0, w, partner);
    CU(cudaMemcpy(&sum, &w->sum, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(sum == 100 * ROUNDS, "the copy came before the kernel's end: %llu", (unsigned long long)sum);
    shmem_barrier_all();
    shmem_free(w);
    return done();
}

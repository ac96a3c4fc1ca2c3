/* SPDX-License-Identifier: BSD-3-Clause */
/* Data goes around a ring by put_signal, thousands of rounds; the signal never overtakes its data. */
#include "check.h"

enum { ROUNDS = 4000, WORDS = 300 };
static uint64_t sig, data[2][WORDS];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n;
    uint64_t source[WORDS];
    shmem_barrier_all();
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        size_t len = 1 + mix(r, 0) % WORDS;
        uint64_t *at = data[r % 2];
        if (me > 0 || r > 1) {
            /* PE 0 sends round r when round r - 1 has come all the way round. */
            uint64_t want = me == 0 ? r - 1 : r, in = me == 0 ? 1 + mix(r - 1, 0) % WORDS : len;
            uint64_t seen = shmem_signal_wait_until(&sig, SHMEM_CMP_GE, want);
            CHECK(seen == want, "round %llu: signal %llu", (unsigned long long)r, (unsigned long long)seen);
            for (size_t i = 0; i < in; i++)
                CHECK(data[want % 2][i] == want * WORDS + i, "round %llu: word %zu is %llu", (unsigned long long)r, i,
                      (unsigned long long)data[want % 2][i]);
        }
        for (size_t i = 0; i < len; i++)
            source[i] = r * WORDS + i;
        if (r % 2)
            shmem_uint64_put_signal(at, source, len, &sig, r, SHMEM_SIGNAL_SET, to);
        else
            shmem_put64_signal_nbi(at, source, len, &sig, 1, SHMEM_SIGNAL_ADD, to);
        if (r % 2 == 0)
            shmem_quiet(); /* source is used again */
    }
    if (me == 0)
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, ROUNDS);
    shmem_barrier_all();
    CHECK(shmem_signal_fetch(&sig) == ROUNDS, "signal at the end");
    shmem_finalize();
    return 0;
}

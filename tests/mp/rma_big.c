/* SPDX-License-Identifier: BSD-3-Clause */
/* 64 MiB each way, blocking, nonblocking, with a signal, and strided. */
#include "check.h"

enum { WORDS = 8 << 20 };
static uint64_t sig;

static void check_words(const char *what, const uint64_t *at, unsigned from, size_t step)
{
    for (size_t i = 0; i < WORDS; i += step)
        CHECK(at[i] == from * 1000003ull + i, "%s: word %zu is %#llx", what, i, (unsigned long long)at[i]);
}

int main(void)
{
    shmem_init();
    unsigned me = (unsigned)shmem_my_pe(), n = (unsigned)shmem_n_pes();
    unsigned to = (me + 1) % n, from = (me + n - 1) % n;
    uint64_t *source = shmem_malloc(WORDS * sizeof *source), *dest = shmem_malloc(WORDS * sizeof *dest);
    CHECK(source && dest, "no memory");
    for (size_t i = 0; i < WORDS; i++)
        source[i] = me * 1000003ull + i;
    shmem_barrier_all();
    shmem_uint64_put(dest, source, WORDS, (int)to);
    shmem_barrier_all();
    check_words("put", dest, from, 1);
    shmem_barrier_all();

    shmem_uint64_get_nbi(dest, source, WORDS, (int)to);
    shmem_quiet();
    check_words("get_nbi", dest, to, 1);
    shmem_barrier_all();

    shmem_putmem_signal_nbi(dest, source, WORDS * sizeof *source, &sig, 1, SHMEM_SIGNAL_ADD, (int)to);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
    check_words("put_signal", dest, from, 1);
    shmem_barrier_all();

    shmem_uint64_iget(dest, source, 16, 16, WORDS / 16, (int)to);
    check_words("iget", dest, to, 16);
    shmem_barrier_all();
    shmem_free(dest);
    shmem_free(source);
    shmem_finalize();
    return 0;
}

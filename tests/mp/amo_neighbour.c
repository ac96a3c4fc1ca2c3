/* SPDX-License-Identifier: BSD-3-Clause */
/* Two PEs work at the two 32-bit halves of one 64-bit word at a time: neither loses an update to the other. */
#include "check.h"

enum { TIMES = 30000 };
static _Alignas(8) struct {
    uint32_t half[2];
} word;
static _Alignas(8) float floats[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), root = n - 1;
    unsigned mine = (unsigned)me % 2;
    shmem_barrier_all();
    if (me < 2)
        for (uint32_t i = 0; i < TIMES; i++) {
            uint32_t *half = &word.half[mine];
            CHECK(shmem_uint32_atomic_compare_swap(half, i, i + 1, root) == i, "somebody else changed half %u", mine);
            CHECK(shmem_uint32_atomic_compare_swap(half, i, ~0u, root) == i + 1, "compare_swap");
            CHECK(shmem_uint32_atomic_swap(half, i, root) == i + 1, "swap");
            shmem_uint32_atomic_inc(half, root);
            CHECK(shmem_float_atomic_swap(&floats[mine], (float)(i + 1), root) == (float)i, "float swap");
        }
    shmem_barrier_all();
    if (me == root)
        for (int i = 0; i < 2 && i < n; i++)
            CHECK(word.half[i] == TIMES && floats[i] == TIMES, "half %d is %u, float %g", i, word.half[i],
                  (double)floats[i]);
    shmem_finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory is as much as GIN_SHMEM_CPU_MEMORY says (256 MiB here): cudaMalloc and the heap share it, both say so when
 * it is gone, on all PEs though one alone has none, and what is freed can be had again. */
#include "../gpu/check.h"

static size_t free_now()
{
    size_t free_bytes, total;
    CU(cudaMemGetInfo(&free_bytes, &total));
    CHECK(total == (size_t)256 << 20, "the device has %zu bytes", total);
    return free_bytes;
}

int main()
{
    start();
    char *first = symmetric<char>(1000), *filler = NULL, *more = NULL;
    size_t before = free_now(), part = (size_t)100 << 20;
    CHECK(before < (size_t)224 << 20, "%zu bytes are free beside a heap of 32 MiB", before);
    if (me == 0) {
        CU(cudaMalloc(&filler, part));
        CHECK(before - free_now() == part, "%zu bytes were taken, not %zu", before - free_now(), part);
        CHECK(cudaMalloc(&more, before) == cudaErrorMemoryAllocation, "more than there is");
        CHECK(cudaGetLastError() == cudaErrorMemoryAllocation, "the error is not kept");
    }
    shmem_barrier_all();
    CHECK(!shmem_malloc(before - part / 2), "the heap has what PE 0 has not");
    if (me == 0)
        CU(cudaFree(filler));
    CHECK(free_now() == before, "%zu bytes are free, before it were %zu", free_now(), before);
    shmem_barrier_all();
    size_t large = before - part / 2;
    char *second = symmetric<char>(large);
    shmem_char_p(second + large - 1, (char)(me + 1), next_pe);
    shmem_barrier_all();
    CHECK(device_value(second + large - 1) == (char)(previous_pe + 1), "the last byte is %d",
          device_value(second + large - 1));
    shmem_free(second);
    shmem_free(first);
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* 50 times init, allocation, kernels, finalize: device memory, file descriptors and mappings come back to where they were.
 * run: timeout 170
 * run: alone
 * run: nosanitize */
#include "check.h"

#include <dirent.h>

__global__ void work(int *p, int me, int pe)
{
    gin_shmem_int_p(p, me + 1, pe);
    gin_shmem_barrier_all();
    EXPECT(*(volatile int *)p, pe + 1, 0); /* two PEs: the other one wrote */
}

static size_t free_memory(void)
{
    size_t free_bytes, total;
    CU(cudaMemGetInfo(&free_bytes, &total));
    return free_bytes;
}
static int count_of(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    if (!d)
        return -1;
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}
static int mappings(void)
{
    int lines = 0, c;
    FILE *f = fopen("/proc/self/maps", "r");
    if (!f)
        return -1;
    while ((c = getc(f)) != EOF)
        lines += c == '\n';
    fclose(f);
    return lines;
}

int main()
{
    size_t memory = 0;
    int files = 0, maps = 0;
    const int rounds = 50, settled = 3; /* what CUDA and NCCL keep for the process is there by then */
#if defined(__SANITIZE_ADDRESS__)
    const int slack = 2 * rounds; /* the sanitizer's malloc keeps regions by size, and takes them one by one */
#else
    const int slack = 20;
#endif
    for (int round = 0; round < rounds; round++) {
        start();
        int *p = symmetric<int>(1 << 20), *host = (int *)shmem_malloc_with_hints(4096, SHMEMX_MALLOC_HOST);
        CHECK(host, "no host memory");
        if (n == 2) {
            GIN_SHMEM_LAUNCH(work, 1, 1, 0, p, me, next_pe);
            KERNELS_DONE("round %d", round);
            shmem_barrier_all();
        }
        shmem_int_put(p, p + 1000, 100, next_pe);
        long one = 1, sum = 0;
        (void)sum;
        shmem_long_atomic_add((long *)host, one, next_pe);
        shmem_barrier_all();
        shmem_free(host);
        if (round % 2)
            shmem_free(p);
        shmem_finalize();
        if (round == settled)
            memory = free_memory(), files = count_of("/proc/self/fd"), maps = mappings();
    }
    size_t memory_after = free_memory();
    int files_after = count_of("/proc/self/fd"), maps_after = mappings();
    CHECK(memory_after + ((size_t)16 << 20) >= memory, "device memory: %zu MiB free after round %d, %zu MiB at the end",
          memory >> 20, settled, memory_after >> 20);
    CHECK(files_after <= files + 2, "open files: %d after round %d, %d at the end", files, settled, files_after);
    CHECK(maps_after <= maps + slack, "mappings: %d after round %d, %d at the end", maps, settled, maps_after);
    printf("free %zu MiB, %d files, %d mappings after round %d; %zu MiB, %d, %d at the end\n", memory >> 20, files, maps,
           settled, memory_after >> 20, files_after, maps_after);
    return 0;
}

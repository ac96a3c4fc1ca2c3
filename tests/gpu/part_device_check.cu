/* SPDX-License-Identifier: BSD-3-Clause */
/* The debug build of the device API: part_device_check CASE, with a mistake (or none) in the last PE's kernel. */
#define GIN_SHMEM_DEVICE_CHECK
#include "check.h"

enum { WORDS = 1000 };
static const size_t FAR = 1ul << 30; /* bytes; more than the script lets a window have */

/* heap: WORDS symmetric ints; host: the same in host memory; plain: no symmetric memory. */
struct memory {
    int *heap, *host, *plain;
    int n, next;
};

__global__ void none(struct memory m)
{
    gin_shmem_int_put_block(m.heap, m.heap + WORDS / 2, WORDS / 2, m.next);
    gin_shmem_int_put_block(m.host, m.heap, WORDS, m.next);
    gin_shmem_quiet();
    if (threadIdx.x == 0)
        gin_shmem_int_atomic_add(m.heap + WORDS - 1, 0, m.next);
}
__global__ void pe_high(struct memory m) { gin_shmem_int_put_block(m.heap, m.plain, 1, m.n); }
__global__ void pe_negative(struct memory m) { gin_shmem_int_atomic_inc(m.heap, -1); }
__global__ void pe_signal(struct memory m)
{
    gin_shmem_int_put_signal(m.heap, m.plain, 1, (uint64_t *)m.heap + 4, 1, SHMEM_SIGNAL_SET, m.n + 7);
}
__global__ void range_put(struct memory m) { gin_shmem_putmem_block(m.heap, m.plain, FAR, m.next); }
__global__ void range_get(struct memory m) { gin_shmem_getmem_warp(m.plain, m.heap, FAR, m.next); }
__global__ void range_wait(struct memory m) { gin_shmem_int_wait_until_any(m.heap, FAR / 4, NULL, SHMEM_CMP_NE, 0); }
__global__ void range_reduce(struct memory m)
{
    gin_shmem_int_sum_reduce_block(SHMEM_TEAM_WORLD, m.heap, m.heap, FAR / 4);
}
__global__ void range_host(struct memory m) { gin_shmem_putmem(m.host, m.plain, 1ul << 60, m.next); }
__global__ void plain_put(struct memory m) { gin_shmem_int_put(m.plain, m.heap, 2, m.next); }
__global__ void plain_atomic(struct memory m) { gin_shmem_int_atomic_fetch_add(m.plain, 1, m.next); }
__global__ void plain_signal(struct memory m) { gin_shmem_signal_fetch((uint64_t *)m.plain); }
__global__ void plain_wait(struct memory m) { gin_shmem_int_wait_until(m.plain, SHMEM_CMP_EQ, 5); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(struct memory);
    } cases[] = {{"none", none},
                 {"pe-high", pe_high},
                 {"pe-negative", pe_negative},
                 {"pe-signal", pe_signal},
                 {"range-put", range_put},
                 {"range-get", range_get},
                 {"range-wait", range_wait},
                 {"range-reduce", range_reduce},
                 {"range-host", range_host},
                 {"plain-put", plain_put},
                 {"plain-atomic", plain_atomic},
                 {"plain-signal", plain_signal},
                 {"plain-wait", plain_wait},
                 {"before-init-wait", plain_wait}};
    const char *name = argc > 1 ? argv[1] : "";
    struct memory m = {};
    CU(cudaMalloc(&m.plain, WORDS * sizeof(int)));
    if (strncmp(name, "before-init", 11) != 0) {
        start();
        m.heap = (int *)shmem_calloc(WORDS, sizeof(int));
        m.host = (int *)shmem_malloc_with_hints(WORDS * sizeof(int), SHMEMX_MALLOC_HOST);
        CHECK(m.heap && m.host, "no memory");
        m.n = n, m.next = next_pe;
    }
    for (const auto &c : cases) {
        if (strcmp(name, c.name) != 0)
            continue;
        if (!m.heap || me == n - 1)
            GIN_SHMEM_LAUNCH(c.kernel, 1, 64, 0, m);
        cudaError_t e = cudaDeviceSynchronize();
        if (!m.heap) {
            fprintf(stderr, "the kernel ended: %s\n", cudaGetErrorString(e));
            return e == cudaSuccess ? 0 : 5;
        }
        CHECK(e == cudaSuccess, "%s", cudaGetErrorString(e));
        return done();
    }
    fprintf(stderr, "no such case\n");
    return 0; /* which is what a failure looks like here */
}

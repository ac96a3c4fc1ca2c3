/* SPDX-License-Identifier: BSD-3-Clause */
/* Host-kind memory in a GPU job: the CPU dereferences it, kernels of all PEs reach it, and copies go between the kinds. */
#include "check.h"

enum { LEN = 1 << 16 };

__global__ void kernel(int *host, int *dev, int me, int next)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < LEN)
        gin_shmem_int_p(host + id, 10 * id + me, next);
    gin_shmem_int_put_block(dev + blockIdx.x * blockDim.x, host + LEN + blockIdx.x * blockDim.x, blockDim.x, next);
    gin_shmem_quiet();
}
__global__ void verify(const int *dev, const int *host, int pe)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= LEN)
        return;
    EXPECT(dev[id], 7 * id + pe, id);
    EXPECT(host[id], 10 * id + pe, id);
}
__global__ void signals(uint64_t *host_sig, int next, int near)
{
    gin_shmem_signal_op(host_sig, 5, SHMEM_SIGNAL_SET, next);
    gin_shmem_signal_wait_until(host_sig, SHMEM_CMP_EQ, 5);
    gin_shmem_uint64_atomic_set(host_sig + 1, 6, next);
    gin_shmem_uint64_wait_until(host_sig + 1, SHMEM_CMP_EQ, 6);
    EXPECT((int)(gin_shmem_ptr(host_sig, next) != NULL), near, 0);
}

int main()
{
    start();
    int *host = (int *)shmem_malloc_with_hints(2 * LEN * sizeof(int), SHMEMX_MALLOC_HOST);
    int *dev = (int *)shmem_malloc_with_hints(LEN * sizeof(int), SHMEMX_MALLOC_DEVICE);
    uint64_t *sig = (uint64_t *)shmem_malloc_with_hints(16, SHMEMX_MALLOC_HOST | SHMEM_MALLOC_SIGNAL_REMOTE);
    CHECK(host && dev && sig, "no memory");
    cudaPointerAttributes a;
    CU(cudaPointerGetAttributes(&a, dev));
    CHECK(a.type == cudaMemoryTypeDevice, "device hint: memory of type %d", (int)a.type);
    for (int i = 0; i < LEN; i++)
        host[LEN + i] = 7 * i + me;
    sig[0] = sig[1] = 0;
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(kernel, LEN / 256, 256, 0, host, dev, me, next_pe);
    KERNELS_DONE("kernel");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify, LEN / 256, 256, 0, dev, host, previous_pe);
    KERNELS_DONE("verify");
    for (int i = 0; i < LEN; i++)
        CHECK(host[i] == 10 * i + previous_pe, "the CPU sees %d in word %d", host[i], i);
    GIN_SHMEM_LAUNCH(signals, 1, 1, 0, sig, next_pe, (int)(shmem_ptr(sig, next_pe) != NULL));
    KERNELS_DONE("signals in host memory");
    CHECK(shmem_signal_fetch(sig) == 5, "the CPU sees signal %llu", (unsigned long long)sig[0]);
    /* calloc is zero on the device too, from the first byte to the last, also when memory is used again */
    for (int round = 0; round < 3; round++) {
        char *z = (char *)shmem_calloc(100003, 7), *back = (char *)malloc(700021);
        CHECK(z && back, "no memory");
        from_device(back, z, 700021);
        for (int i = 0; i < 700021; i++)
            CHECK(back[i] == 0, "calloc: byte %d is %d", i, back[i]);
        CU(cudaMemset(z, 0xff, 700021));
        CU(cudaDeviceSynchronize());
        free(back);
        shmem_free(z);
    }
    void *aligned = shmem_align(65536, 1000);
    CHECK(aligned && (uintptr_t)aligned % 65536 == 0, "shmem_align gave %p", aligned);
    char *grown = (char *)shmem_malloc(100);
    shmem_putmem(grown, "abc", 4, me);
    shmem_quiet();
    grown = (char *)shmem_realloc(grown, 1 << 20);
    CHECK(grown, "realloc");
    char text[4];
    from_device(text, grown, 4);
    CHECK(memcmp(text, "abc", 4) == 0, "realloc kept '%.4s'", text);
    shmem_free(grown);
    shmem_free(aligned);
    shmem_free(sig);
    shmem_free(dev);
    shmem_free(host);
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* GIN_SHMEM_HEAP=host: shmem_malloc gives host memory, which the CPU dereferences and kernels of all PEs reach. A hint
 * gives device memory all the same. */
#include "../gpu/check.h"

__global__ void send(long *dest, uint64_t *sig, long value, int pe)
{
    gin_shmem_long_p(dest + threadIdx.x, value + (long)threadIdx.x, pe);
    gin_shmem_fence();
    gin_shmem_signal_op(sig, 1, SHMEM_SIGNAL_ADD, pe);
}

int main()
{
    start();
    long *host = symmetric<long>(64);
    uint64_t *sig = symmetric<uint64_t>(1);
    char *dev = (char *)shmem_malloc_with_hints(100, SHMEMX_MALLOC_DEVICE);
    cudaPointerAttributes a;
    CU(cudaPointerGetAttributes(&a, host));
    CHECK(a.type == cudaMemoryTypeHost, "shmem_malloc gave memory of type %d", (int)a.type);
    CU(cudaPointerGetAttributes(&a, dev));
    CHECK(dev && a.type == cudaMemoryTypeDevice, "the hint gave memory of type %d", (int)a.type);
    *sig = 0;
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(send, 1, 64, 0, host, sig, 1000L * me, next_pe);
    shmem_signal_wait_until(sig, SHMEM_CMP_EQ, 64);
    KERNELS_DONE("send"); /* for ThreadSanitizer, which does not follow the kernel's fence to this thread */
    for (int i = 0; i < 64; i++)
        CHECK(host[i] == 1000L * previous_pe + i, "word %d is %ld", i, host[i]);
    shmem_barrier_all();
    return done();
}

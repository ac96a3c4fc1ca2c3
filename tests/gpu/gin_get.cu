/* SPDX-License-Identifier: BSD-3-Clause */
/* Gets by NCCL's GIN, which has them from 2.30.3 on.
 * run: gpu-only NCCL's GIN
 * run: timeout 100 */
#include "part_gin.h"

__global__ void fill(unsigned char *p, size_t bytes, int from, int round)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
        p[i] = gin_byte(from, round, i);
}
__global__ void get(unsigned char *dest, const unsigned char *source, size_t bytes, int nbi, int pe)
{
    if (nbi)
        gin_shmem_getmem_nbi_block(dest, source, bytes, pe);
    else
        gin_shmem_getmem_block(dest, source, bytes, pe);
    gin_shmem_quiet_block();
}
__global__ void words(const uint64_t *source, int pe)
{
    const uint64_t v = gin_shmem_uint64_g(source + threadIdx.x, pe);
    for (int b = 0; b < 8; b++)
        EXPECT((unsigned char)(v >> 8 * b), gin_byte(pe, 1, threadIdx.x * 8 + b), threadIdx.x);
}

int main()
{
    enum : size_t { MOST = 2 << 20 };
    start();
    unsigned char *dest = symmetric<unsigned char>(MOST + 64), *source = symmetric<unsigned char>(MOST + 64), *plain;
    if (!gin_needed(dest))
        return gin_skip();
    const volatile int version = NCCL_VERSION_CODE; /* the rest is compiled in any case */
    if (version < 23003) {
        if (me == 0)
            printf("NCCL %d has no get: nothing to test\n", version);
        fflush(stdout);
        shmem_finalize();
        return 77;
    }
    CU(cudaMalloc(&plain, MOST + 64));
    fill<<<32, 256>>>(source, MOST, me, 1);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    for (size_t bytes : {(size_t)1, (size_t)8, (size_t)500, (size_t)40001, (size_t)MOST})
        for (int window = 0; window < 2; window++)
            for (int nbi = 0; nbi < 2; nbi++) {
                unsigned char *to = window ? dest : plain;
                CU(cudaMemset(to, 0, bytes + 64));
                CU(cudaDeviceSynchronize());
                get<<<1, 64>>>(to, source, bytes, nbi, next_pe);
                KERNELS_DONE("get of %zu bytes", bytes);
                gin_check(to, bytes, next_pe, 1, "get");
            }
    words<<<1, 64>>>((const uint64_t *)source, next_pe);
    KERNELS_DONE("g");
    shmem_barrier_all();
    CU(cudaFree(plain));
    return done();
}

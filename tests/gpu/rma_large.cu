/* SPDX-License-Identifier: BSD-3-Clause */
/* Large copies with odd sizes, each by one thread, warp or block, lent memory or not, and by all blocks together. */
#include "check.h"

enum { LENT = 33 * 1024 };

__global__ void prepare(uint64_t *p, size_t words, int me)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        p[i] = mix(me, i);
}
__global__ void verify(const unsigned char *p, size_t bytes, size_t shift, int pe, int which)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x) {
        size_t at = i + shift;
        EXPECT(p[i], (unsigned char)(mix(pe, at / 8) >> at % 8 * 8), which * 10000000000ll + (long long)i);
    }
}

template <int SCOPE, bool LEND> __global__ void put(unsigned char *to, const unsigned char *from, size_t bytes, int pe)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    gin_shmem_smem lent = gin_shmem_smem();
    if (LEND)
        lent = gin_shmem_smem_give(room, LENT);
    if (SCOPE == SCOPE_THREAD && threadIdx.x == 0)
        gin_shmem_putmem(to, from, bytes, pe, lent);
    if (SCOPE == SCOPE_WARP && threadIdx.x < 32)
        gin_shmem_putmem_warp(to, from, bytes, pe, lent);
    if (SCOPE == SCOPE_BLOCK)
        gin_shmem_putmem_block(to, from, bytes, pe, lent);
    gin_shmem_quiet();
}
__global__ void get_by_all(unsigned char *to, const unsigned char *from, size_t bytes, int pe)
{
    size_t part = bytes / gridDim.x, at = part * blockIdx.x;
    gin_shmem_getmem_block(to + at, from + at, blockIdx.x + 1 == gridDim.x ? bytes - at : part, pe);
}

int main()
{
    start();
    const size_t most = (size_t)ON_CPU(24, 256) << 20, words = most / 8 + 16;
    uint64_t *from = symmetric<uint64_t>(words), *to = symmetric<uint64_t>(words);
    GIN_SHMEM_LAUNCH(prepare, 264, 256, 0, from, words, me);
    KERNELS_DONE("prepare");
    shmem_barrier_all();
    struct {
        const char *name;
        void (*kernel)(unsigned char *, const unsigned char *, size_t, int);
        int threads, lent;
        size_t bytes, shift;
    } cases[] = {
        {"thread", put<SCOPE_THREAD, false>, 1, 0, 100003, 0},
        {"thread, skewed", put<SCOPE_THREAD, false>, 1, 0, 50001, 3},
        {"thread, lent", put<SCOPE_THREAD, true>, 1, LENT, (1 << 20) + 24, 0},
        {"thread, lent, odd end", put<SCOPE_THREAD, true>, 1, LENT, (1 << 20) + 13, 0},
        {"thread, lent, odd begin", put<SCOPE_THREAD, true>, 32, LENT, (1 << 18) + 5, 16},
        {"warp", put<SCOPE_WARP, false>, 32, 0, (1 << 20) + 7, 0},
        {"warp, lent", put<SCOPE_WARP, true>, 64, LENT, (4 << 20) + 8, 0},
        {"block", put<SCOPE_BLOCK, false>, 1024, 0, (16 << 20) + 1, 0},
        {"block of odd size", put<SCOPE_BLOCK, false>, 97, 0, (1 << 20) + 9, 0},
        {"block, lent", put<SCOPE_BLOCK, true>, 1024, LENT, (16 << 20) + 16, 0},
        {"block, skewed", put<SCOPE_BLOCK, false>, 512, 0, (4 << 20) + 1, 5},
    };
    int which = 0;
    for (auto &c : cases) {
        GIN_SHMEM_LAUNCH_SMEM(c.kernel, 1, c.threads, c.lent, 0, (unsigned char *)to, (unsigned char *)from + c.shift,
                              c.bytes, next_pe);
        KERNELS_DONE("%s", c.name);
        shmem_barrier_all();
        GIN_SHMEM_LAUNCH(verify, 264, 256, 0, (unsigned char *)to, c.bytes, c.shift, previous_pe, which++);
        KERNELS_DONE("%s: data", c.name);
        shmem_barrier_all();
    }
    GIN_SHMEM_LAUNCH(get_by_all, 33, 512, 0, (unsigned char *)to, (unsigned char *)from, most + 3, next_pe);
    GIN_SHMEM_LAUNCH(verify, 264, 256, 0, (unsigned char *)to, most + 3, 0, next_pe, which);
    KERNELS_DONE("get by 33 blocks");
    shmem_barrier_all();
    shmem_free(to);
    shmem_free(from);
    return done();
}

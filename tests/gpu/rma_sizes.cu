/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of all sizes and alignments, by thread, warp and block, with and without lent shared memory, many at a time:
 * every byte arrives, and the bytes around stay.
 * run: racecheck
 * run: sanitize-quick */
#include "check.h"

static const int sizes[] = {0,   1,   2,   3,   4,   7,   8,   15,   16,   17,   31,   32,   33,   63,   64,   65,
                            127, 128, 129, 255, 257, 511, 512, 513, 1000, 1024, 1031, 2048, 4095, 4096, 4097, 8192};
static const int offsets[] = {0, 1, 2, 4, 8, 13};
enum { SIZES = sizeof sizes / sizeof *sizes, OFFSETS = sizeof offsets / sizeof *offsets, ROOM = 8192 + 64 };
enum { PUT, GET, PUT_LENT, GET_LENT, WAYS, LENT = 9 * 1024 };
static __constant__ int size_of[SIZES], offset_of[OFFSETS];

__device__ unsigned char byte_of(int pe, size_t at) { return (unsigned char)mix(pe, at); }

__global__ void prepare(unsigned char *a, unsigned char *b, size_t bytes, int me)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
        a[i] = byte_of(me, i), b[i] = 0xEE;
}

template <int SCOPE> __device__ void copy(int way, void *to, const void *from, size_t bytes, int pe, gin_shmem_smem lent)
{
    gin_shmem_smem loan = way >= PUT_LENT ? lent : gin_shmem_smem();
    bool put = way == PUT || way == PUT_LENT;
    if (SCOPE == SCOPE_THREAD && threadIdx.x == 0)
        put ? gin_shmem_putmem(to, from, bytes, pe, loan) : gin_shmem_getmem(to, from, bytes, pe, loan);
    if (SCOPE == SCOPE_WARP && threadIdx.x < 32)
        put ? gin_shmem_putmem_warp(to, from, bytes, pe, loan) : gin_shmem_getmem_warp(to, from, bytes, pe, loan);
    if (SCOPE == SCOPE_BLOCK)
        put ? gin_shmem_putmem_block(to, from, bytes, pe, loan) : gin_shmem_getmem_block(to, from, bytes, pe, loan);
}

/* Block = one size and a pair of alignments, in a part of the buffers of its own. */
template <int SCOPE> __global__ void work(int way, unsigned char *from, unsigned char *to, int pe, int first)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    gin_shmem_smem lent = gin_shmem_smem_give(room, LENT);
    int c = first + blockIdx.x;
    size_t part = (size_t)c * ROOM, size = size_of[c % SIZES];
    int src = offset_of[c / SIZES % OFFSETS], dst = offset_of[c / SIZES / OFFSETS];
    copy<SCOPE>(way, to + part + 16 + dst, from + part + 16 + src, size, pe, lent);
    gin_shmem_quiet();
    gin_shmem_smem_take(lent);
}

__global__ void verify(unsigned char *to, int pe, int which)
{
    int c = blockIdx.x;
    size_t part = (size_t)c * ROOM, size = size_of[c % SIZES];
    int src = offset_of[c / SIZES % OFFSETS], dst = offset_of[c / SIZES / OFFSETS];
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x) {
        bool inside = i >= 16 + dst && i < 16 + dst + (int)size;
        unsigned char want = inside ? byte_of(pe, part + 16 + src + (i - 16 - dst)) : 0xEE;
        EXPECT(to[part + i], want, which * 100000000ll + c * 10000ll + i);
        to[part + i] = 0xEE;
    }
}

int main()
{
    start();
    CU(cudaMemcpyToSymbol(size_of, sizes, sizeof sizes));
    CU(cudaMemcpyToSymbol(offset_of, offsets, sizeof offsets));
    const int cases = SIZES * OFFSETS * OFFSETS;
    /* Between nodes on one GPU CUDA's copies are kernels, and need room beside ours. */
    const int at_once = some_far() ? cases / 4 : cases;
    size_t bytes = (size_t)cases * ROOM;
    unsigned char *from = symmetric<unsigned char>(bytes), *to = symmetric<unsigned char>(bytes);
    void (*kernels[])(int, unsigned char *, unsigned char *, int, int) = {work<SCOPE_THREAD>, work<SCOPE_WARP>,
                                                                          work<SCOPE_BLOCK>};
    GIN_SHMEM_LAUNCH(prepare, 264, 256, 0, from, to, bytes, me);
    KERNELS_DONE("prepare");
    shmem_barrier_all();
    for (int scope = 0; scope < 3; scope++)
        for (int way = 0; way < WAYS; way++) {
            bool put = way == PUT || way == PUT_LENT;
            for (int first = 0; first < cases; first += at_once)
                GIN_SHMEM_LAUNCH_SMEM(kernels[scope], at_once, 64, LENT, 0, way, from, to, next_pe, first);
            KERNELS_DONE("scope %d, way %d", scope, way);
            shmem_barrier_all();
            GIN_SHMEM_LAUNCH(verify, cases, 128, 0, to, put ? previous_pe : next_pe, scope * 10 + way);
            KERNELS_DONE("scope %d, way %d: data (PE %d moved it)", scope, way, put ? previous_pe : me);
            shmem_barrier_all();
        }
    shmem_free(to);
    shmem_free(from);
    return done();
}

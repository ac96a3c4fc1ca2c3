/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts by NCCL's GIN: all sizes and alignments, out of windows, other global memory, shared memory and variables; what
 * was put is there behind the next barrier, also into a window that came later.
 * run: gpu-only NCCL's GIN
 * run: env SHMEM_SYMMETRIC_SIZE=16M
 * run: timeout 150 */
#include "part_gin.h"

enum { SYMMETRIC, GLOBAL, SHARED, SOURCES };
enum { NBI, BLOCKING, MODES };

__global__ void fill(unsigned char *p, size_t bytes, int from, int round)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x)
        p[i] = gin_byte(from, round, i);
}

__global__ void put(unsigned char *dest, const unsigned char *source, size_t bytes, int mode, bool shared, int pe)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    if (shared) {
        for (size_t i = threadIdx.x; i < bytes; i += blockDim.x)
            room[i] = source[i];
        source = room;
        __syncthreads();
    }
    if (mode == NBI)
        gin_shmem_putmem_nbi_block(dest, source, bytes, pe);
    else
        gin_shmem_putmem_block(dest, source, bytes, pe);
}

/* Values out of registers; the sources of blocking puts are changed at once. */
__global__ void values(uint64_t *dest, int me, int pe)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t v = mix(me, i);
    gin_shmem_uint64_p(dest + 4 * i, v, pe);
    gin_shmem_uint32_p((uint32_t *)(dest + 4 * i + 1), (uint32_t)v, pe);
    gin_shmem_uint16_p((uint16_t *)(dest + 4 * i + 1) + 2, (uint16_t)v, pe);
    gin_shmem_uint8_p((uint8_t *)(dest + 4 * i + 1) + 7, (uint8_t)v, pe);
    uint64_t pair[2] = {v + 1, v + 2};
    gin_shmem_uint64_put(dest + 4 * i + 2, pair, 2, pe);
    pair[0] = pair[1] = 0;
}
__global__ void check_values(const uint64_t *dest, int from)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t v = mix(from, i);
    EXPECT(dest[4 * i], v, i);
    EXPECT(*(const uint32_t *)(dest + 4 * i + 1), (uint32_t)v, i);
    EXPECT(*((const uint16_t *)(dest + 4 * i + 1) + 2), (uint16_t)v, i);
    EXPECT(*((const uint8_t *)(dest + 4 * i + 1) + 6), 0, i);
    EXPECT(*((const uint8_t *)(dest + 4 * i + 1) + 7), (uint8_t)v, i);
    EXPECT(dest[4 * i + 2], v + 1, i);
    EXPECT(dest[4 * i + 3], v + 2, i);
}

/* A barrier in the kernel instead of the host's. */
__global__ void ring(uint64_t *word, int rounds, int me, int next, int previous)
{
    for (int k = 1; k <= rounds; k++) {
        if (threadIdx.x == 0)
            gin_shmem_uint64_p(word, mix(me, k), next);
        gin_shmem_barrier_all_block();
        EXPECT(*(volatile uint64_t *)word, mix(previous, k), k);
        gin_shmem_barrier_all_block();
    }
}

/* Strided, by a block: each element is a put of its own. */
__global__ void strided(uint32_t *dest, uint32_t *source, int me, int pe)
{
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        source[2 * i] = me * 100 + i;
    __syncthreads();
    gin_shmem_uint32_iput_block(dest, source, 3, 2, 64, pe);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        source[2 * i] = 0;
}

static int rounds_done;

static void round_trip(unsigned char *dest, unsigned char *source, size_t bytes, int from, int mode, size_t to)
{
    const int round = ++rounds_done;
    CU(cudaMemset(dest, 0, bytes + 64));
    fill<<<32, 256>>>(source, bytes, me, round);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    put<<<1, 64, from == SHARED ? bytes : 0>>>(dest + to, source, bytes, mode, from == SHARED, next_pe);
    KERNELS_DONE("put of %zu bytes, source %d, mode %d", bytes, from, mode);
    if (mode == BLOCKING) { /* the source may be changed */
        CU(cudaMemset(source, 0xee, bytes));
        CU(cudaDeviceSynchronize());
    }
    shmem_barrier_all();
    gin_check(dest + to, bytes, previous_pe, round, "put");
    shmem_barrier_all();
}

int main()
{
    enum : size_t { MOST = 3 << 20 };
    start();
    unsigned char *dest = symmetric<unsigned char>(MOST + 256), *source = symmetric<unsigned char>(MOST + 256), *plain;
    if (!gin_needed(dest))
        return gin_skip();
    CU(cudaMalloc(&plain, MOST + 256));
    const size_t sizes[] = {1, 7, 8, 100, 497, 512, 513, 4096, 32768, 40001, MOST};
    for (size_t bytes : sizes)
        for (int from = 0; from < SOURCES; from++)
            for (int mode = 0; mode < MODES; mode++)
                if (from != SHARED || bytes <= 40001)
                    round_trip(dest, from == SYMMETRIC ? source : plain, bytes, from, mode, 0);
    for (size_t to : {1, 4, 8, 13})
        for (size_t bytes : {5, 600, 33000}) {
            round_trip(dest, source + (to == 13 ? 2 : 0), bytes, SYMMETRIC, BLOCKING, to);
            round_trip(dest, plain + to % 3, bytes, GLOBAL, NBI, to);
        }

    enum { BLOCKS = 8, THREADS = 32 };
    CU(cudaMemset(dest, 0, BLOCKS * THREADS * 32));
    shmem_barrier_all();
    values<<<BLOCKS, THREADS>>>((uint64_t *)dest, me, next_pe);
    KERNELS_DONE("values");
    shmem_barrier_all();
    check_values<<<BLOCKS, THREADS>>>((const uint64_t *)dest, previous_pe);
    KERNELS_DONE("values at their target");
    shmem_barrier_all();

    ring<<<1, 64>>>((uint64_t *)dest, 20, me, next_pe, previous_pe);
    KERNELS_DONE("barriers in a kernel");
    shmem_barrier_all();

    strided<<<1, 64>>>((uint32_t *)dest, (uint32_t *)source, me, next_pe);
    KERNELS_DONE("iput");
    shmem_barrier_all();
    std::vector<uint32_t> seen(64 * 3);
    from_device(seen.data(), (const uint32_t *)dest, seen.size());
    for (int i = 0; i < 64; i++)
        CHECK(seen[(size_t)i * 3] == (uint32_t)(previous_pe * 100 + i), "iput: element %d is %u", i, seen[(size_t)i * 3]);

    /* The heap grows by another window. */
    unsigned char *later = symmetric<unsigned char>(24 << 20);
    round_trip(later + (20 << 20), source, 100000, SYMMETRIC, NBI, 0);
    round_trip(dest, later + (20 << 20), 100000, SYMMETRIC, BLOCKING, 0);
    CU(cudaFree(plain));
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine itself, without the library: indices, barriers, warp functions, shared memory, atomics, streams, events,
 * copies, errors. */
#include <gin_shmem.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(cond)                                                    \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            _Exit(1);                                                  \
        }                                                              \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

/* ---- indices, shared memory, barriers ---- */

__global__ void indices(int *out)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    out[block * threads + thread] += (int)(block * 1000 + thread);
}

/* Every thread reads what another wrote before the barrier, in static and dynamic shared memory, many times. */
__global__ void rotate(int *out, int rounds)
{
    __shared__ int fixed[64];
    GIN_SHMEM_SHARED(int, given);
    const int t = threadIdx.x, n = blockDim.x;
    fixed[t] = t;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        given[t] = fixed[(t + 1) % n] + 1;
        __syncthreads();
        fixed[t] = given[t];
    }
    out[blockIdx.x * n + t] = fixed[t];
}

__global__ void warp(int *out)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned all = blockDim.x - t / 32 * 32 < 32 ? (1u << blockDim.x % 32) - 1 : ~0u;
    int bad = 0;
    bad += __shfl_sync(all, t, 3) != t / 32 * 32 + 3;
    bad += __shfl_xor_sync(all, 1.5 * t, 1) != 1.5 * (t ^ 1);
    bad += __shfl_up_sync(all, t, 2) != (lane < 2 ? t : t - 2);
    bad += __shfl_down_sync(all, t, 1, 4) != (lane % 4 == 3 ? t : t + 1);
    bad += __ballot_sync(all, lane & 1) != (0xaaaaaaaau & all);
    bad += __any_sync(all, lane == 5) != 1 || __any_sync(all, 0) != 0;
    bad += __all_sync(all, 1) != 1 || __all_sync(all, lane != 5) != 0;
    if (lane < 4) { /* half a warp's business is its own */
        bad += __shfl_sync(0xf, t, lane ^ 2) != (t ^ 2);
        __syncwarp(0xf);
    }
    bad += __syncthreads_count(lane == 0) != (int)(blockDim.x + 31) / 32;
    bad += __syncthreads_or(t == 7) != 1 || __syncthreads_or(0) != 0;
    bad += __syncthreads_and(1) != 1 || __syncthreads_and(t != 7) != 0;
    out[t] = bad;
}

static void shapes(int *room)
{
    static int got[4096];
    OK(cudaMemset(room, 0, sizeof got));
    for (int i = 0; i < 2; i++)
        GIN_SHMEM_LAUNCH(indices, dim3(3, 2, 2), dim3(5, 3, 2), 0, room);
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 12; b++)
        for (int t = 0; t < 30; t++)
            CHECK(got[b * 30 + t] == 2 * (b * 1000 + t));
    GIN_SHMEM_LAUNCH_SMEM(rotate, 20, 64, 64 * sizeof(int), 0, room, 100);
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20 * 64; i++)
        CHECK(got[i] == (i % 64 + 100) % 64 + 100);
    for (int threads : {32, 64, 72}) {
        GIN_SHMEM_LAUNCH(warp, 1, threads, 0, room);
        OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < threads; i++)
            CHECK(got[i] == 0);
    }
}

/* ---- atomics; blocks that wait for each other; the barrier of a grid ---- */

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1);
    atomicSub(i + 1, 2);
    atomicMax(i + 2, (int)threadIdx.x - 50);
    atomicMin(i + 3, (int)threadIdx.x - 50);
    atomicOr(u, 1u << threadIdx.x % 32);
    atomicXor(u + 1, 1u << threadIdx.x % 32);
    atomicAnd(u + 2, ~(1u << threadIdx.x % 16));
    atomicAdd(l, 1ull << 33);
    for (unsigned long long seen = 0, old; (old = atomicCAS(l + 1, seen, seen + 1)) != seen; seen = old)
        ;
    atomicAdd_system(f, 0.5f);
    atomicAdd(d, 0.25);
    if (threadIdx.x == 0)
        atomicExch(u + 3, 77);
}

/* A lock between threads of a block and between blocks, taken by polling. */
__global__ void locked(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void phases(int *counts, int phases, int *bad)
{
    for (int p = 0; p < phases; p++) {
        atomicAdd(&counts[p], 1);
        cooperative_groups::this_grid().sync();
        if (atomicAdd(&counts[p], 0) != (int)(gridDim.x * blockDim.x))
            atomicAdd(bad, 1);
    }
}

static void together(int *room)
{
    int got[64];
    OK(cudaMemset(room, 0, sizeof got));
    OK(cudaMemset(room + 10, 0xff, 4));
    int *i = room;
    unsigned *u = (unsigned *)room + 8;
    unsigned long long *l = (unsigned long long *)(room + 16);
    GIN_SHMEM_LAUNCH(atomics, 10, 100, 0, i, u, l, (float *)(room + 20), (double *)(room + 22));
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 1000 && got[1] == -2000 && got[2] == 49 && got[3] == -50);
    CHECK((unsigned)got[8] == ~0u && got[9] == 0 && (unsigned)got[10] == 0xffff0000u && got[11] == 77);
    unsigned long long wide[2];
    float f;
    double d;
    memcpy(wide, got + 16, 16), memcpy(&f, got + 20, 4), memcpy(&d, got + 22, 8);
    CHECK(wide[0] == 1000ull << 33 && wide[1] == 1000 && f == 500 && d == 250);

    OK(cudaMemset(room, 0, sizeof got));
    GIN_SHMEM_LAUNCH(locked, 20, 64, 0, room, room + 1);
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[1] == 20 * 64);

    int count = 5, *bad = room + 20;
    void *args[] = {&room, &count, &bad};
    OK(cudaMemset(room, 0, sizeof got));
    OK(cudaLaunchCooperativeKernel(phases, 24, 40, args));
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[4] == 24 * 40 && got[20] == 0);
    CHECK(cudaLaunchCooperativeKernel(phases, 100000, 40, args) == cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() == cudaSuccess);
}

/* ---- streams ---- */

__global__ void wait_for(int *flag)
{
    while (atomicAdd(flag, 0) == 0)
        __nanosleep(100);
}
__global__ void copy_if(int *to, const int *from)
{
    *to = *(volatile const int *)from;
}
__global__ void set_flag(int *flag)
{
    atomicExch(flag, 1);
}
__global__ void store(int *to, int value)
{
    *to = value;
}

static void streams(int *room)
{
    cudaStream_t a, b, blocking;
    cudaEvent_t begin, end;
    int *flag = room, *seen = room + 1, *other = room + 2, got[3];
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaMemset(room, 0, 64));
    OK(cudaDeviceSynchronize());

    /* a waits; b is free; what waits for a's event does not run before */
    OK(cudaEventRecord(begin, a));
    GIN_SHMEM_LAUNCH(wait_for, 1, 1, a, flag);
    GIN_SHMEM_LAUNCH(store, 1, 1, a, other, 5);
    OK(cudaEventRecord(end, a));
    CHECK(cudaStreamQuery(a) == cudaErrorNotReady && cudaEventQuery(end) == cudaErrorNotReady);
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, begin, end) == cudaErrorNotReady);
    OK(cudaStreamWaitEvent(blocking, end));
    GIN_SHMEM_LAUNCH(copy_if, 1, 1, blocking, seen, other);
    GIN_SHMEM_LAUNCH(set_flag, 1, 1, b, flag);
    OK(cudaStreamSynchronize(blocking));
    OK(cudaEventElapsedTime(&ms, begin, end));
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 1 && got[1] == 5 && ms >= 0);

    /* the default stream and a blocking one wait for each other, both ways */
    OK(cudaMemset(room, 0, 64));
    OK(cudaDeviceSynchronize());
    GIN_SHMEM_LAUNCH(wait_for, 1, 1, blocking, flag);
    GIN_SHMEM_LAUNCH(store, 1, 1, blocking, other, 7);
    GIN_SHMEM_LAUNCH(copy_if, 1, 1, 0, seen, other);
    GIN_SHMEM_LAUNCH(store, 1, 1, 0, other, 8);
    GIN_SHMEM_LAUNCH(copy_if, 1, 1, blocking, room + 3, other);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    GIN_SHMEM_LAUNCH(set_flag, 1, 1, b, flag);
    OK(cudaDeviceSynchronize());
    int four[4];
    OK(cudaMemcpy(four, room, sizeof four, cudaMemcpyDefault));
    CHECK(four[1] == 7 && four[2] == 8 && four[3] == 8);

    /* an asynchronous copy has taken a pageable source when it returns */
    int source = 1, *pinned;
    OK(cudaMallocHost(&pinned, sizeof *pinned));
    OK(cudaMemset(room, 0, 64));
    OK(cudaDeviceSynchronize());
    *pinned = 1;
    GIN_SHMEM_LAUNCH(wait_for, 1, 1, a, flag);
    OK(cudaMemcpyAsync(seen, &source, 4, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(other, pinned, 4, cudaMemcpyHostToDevice, a));
    source = *pinned = 2;
    GIN_SHMEM_LAUNCH(set_flag, 1, 1, b, flag);
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(got, room, sizeof got, cudaMemcpyDefault));
    CHECK(got[1] == 1 && got[2] == 2);
    OK(cudaFreeHost(pinned));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaStreamDestroy(blocking));
}

/* ---- memory, errors, numbers ---- */

static int symbol[4] = {1, 2, 3, 4};

static void memory(void)
{
    size_t before, after, total;
    int *p, got[2] = {0, 0};
    cudaPointerAttributes a;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&after, &total));
    CHECK(before - after == 1 << 20 && before <= total);
    OK(cudaPointerGetAttributes(&a, p + 1000));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0);
    OK(cudaPointerGetAttributes(&a, got));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    OK(cudaMemcpyToSymbol(symbol, "\7\0\0\0", 4, 8));
    OK(cudaMemcpyFromSymbol(got, symbol, 8, 4));
    CHECK(got[0] == 2 && got[1] == 7);
    OK(cudaFree(p));
    CHECK(cudaFree(got) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaMemGetInfo(&after, &total));
    CHECK(before == after);
    CHECK(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation && cudaGetLastError() != cudaSuccess);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    GIN_SHMEM_LAUNCH(store, 1, 1025, 0, p, 1);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
          cudaGetLastError() == cudaErrorInvalidConfiguration);
    OK(cudaGetLastError());
}

static uint16_t half_bits(float v)
{
    return __float2half(v).bits;
}
static uint16_t bfloat_bits(float v)
{
    return __float2bfloat16(v).bits;
}

static void numbers(void)
{
    CHECK(half_bits(1.0f) == 0x3c00 && half_bits(-2.5f) == 0xc100 && half_bits(65504.0f) == 0x7bff &&
          half_bits(0.0f) == 0 && half_bits(-0.0f) == 0x8000);
    CHECK(half_bits(65519.0f) == 0x7bff && half_bits(65520.0f) == 0x7c00 && half_bits(1e30f) == 0x7c00 &&
          half_bits(-INFINITY) == 0xfc00);
    CHECK(half_bits(0x1p-24f) == 1 && half_bits(0x1p-25f) == 0 && half_bits(0x1.8p-25f) == 1 &&
          half_bits(0x1p-14f) == 0x400 && half_bits(0x1.ff8p-15f) == 0x3ff);
    CHECK(half_bits(2049.0f) == 0x6800 && half_bits(2051.0f) == 0x6802); /* ties to even */
    CHECK((half_bits(NAN) & 0x7fff) > 0x7c00 && std::isnan(__half2float(__half(NAN))));
    CHECK(bfloat_bits(1.0f) == 0x3f80 && bfloat_bits(1.00390625f) == 0x3f80 && bfloat_bits(1.01171875f) == 0x3f82 &&
          bfloat_bits(INFINITY) == 0x7f80 && bfloat_bits(3.4e38f) == 0x7f80);
    CHECK((bfloat_bits(NAN) & 0x7fff) > 0x7f80);
    for (unsigned b = 0; b < 0x10000; b++) {
        __half h;
        __nv_bfloat16 w;
        h.bits = w.bits = (uint16_t)b;
        CHECK(std::isnan((float)h) || half_bits(h) == b);
        CHECK(std::isnan((float)w) || bfloat_bits(w) == b);
    }
    __half sum = 2048;
    sum += 1.0f;
    CHECK(sum == 2048.0f && __half(3) > __half(2) && (float)__half(7u) == 7);
}

int main()
{
    int *room;
    OK(cudaMalloc(&room, 1 << 20));
    shapes(room);
    together(room);
    streams(room);
    memory();
    numbers();
    OK(cudaFree(room));
    OK(cudaDeviceSynchronize());
    return 0;
}

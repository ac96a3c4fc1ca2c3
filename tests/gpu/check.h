/* SPDX-License-Identifier: BSD-3-Clause */
/* What every GPU test needs: CHECK on the host, EXPECT in kernels, and set-up. Each program is one translation unit. */
#ifndef CHECK_H
#define CHECK_H

#include <gin_shmem.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

/* How often, or how much, where the CPU plays the GPU, and on a GPU. */
#ifdef GIN_SHMEM_CPU
#define ON_CPU(cpu, gpu) (cpu)
#else
#define ON_CPU(cpu, gpu) (gpu)
#endif
/* Where ThreadSanitizer looks on, which takes twenty times as long, and where not. */
#ifdef __SANITIZE_THREAD__
#define ON_TSAN(tsan, other) (tsan)
#else
#define ON_TSAN(tsan, other) (other)
#endif

/* ---- host ---- */

/* A failure prints one line and ends all PEs with status 1. */
#define CHECK(cond, ...)                                                                                               \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            check_failed(__FILE__, __LINE__, #cond, __VA_ARGS__);                                                      \
    } while (0)
#define CU(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t cu_error = (call);                                                                                 \
        if (cu_error != cudaSuccess)                                                                                   \
            check_failed(__FILE__, __LINE__, #call, "%s", cudaGetErrorString(cu_error));                               \
    } while (0)

__attribute__((format(printf, 4, 5), noinline, unused)) static void check_failed(const char *file, int line,
                                                                                 const char *cond, const char *fmt, ...)
{
    char text[512];
    int up = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *slash = strrchr(file, '/');
    shmem_query_initialized(&up);
    fprintf(stderr, "%s:%d: PE %d: %s: %s\n", slash ? slash + 1 : file, line, up ? shmem_my_pe() : -1, cond, text);
    fflush(NULL);
    if (up)
        shmem_global_exit(1);
    _Exit(1);
}

__attribute__((unused)) static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A well mixed number for each (i, j): data that tells where it came from. */
__host__ __device__ inline unsigned long long mix(unsigned long long i, unsigned long long j)
{
    unsigned long long x = i * 0x9e3779b97f4a7c15ull + j + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__attribute__((unused)) static unsigned long long test_seed(void)
{
    const char *given = getenv("GS_TEST_SEED");
    unsigned long long seed = given ? strtoull(given, NULL, 0) : (unsigned long long)time(NULL);
    static uint64_t shared;
    uint64_t mine = seed;
    if (shmem_my_pe() == 0)
        for (int pe = 0; pe < shmem_n_pes(); pe++)
            shmem_uint64_p(&shared, mine, pe);
    shmem_barrier_all();
    seed = shared;
    if (shmem_my_pe() == 0)
        printf("GS_TEST_SEED=%llu\n", seed);
    return seed;
}

/* ---- kernels ---- */

struct check_record {
    unsigned failures; /* the first one is described */
    int line;
    unsigned block, thread;
    long long got, want, where;
};
__device__ struct check_record check_record_of_kernels;

__device__ __attribute__((noinline)) void check_kernel_failed(int line, long long got, long long want, long long where)
{
    struct check_record *r = &check_record_of_kernels;
    if (atomicAdd(&r->failures, 1u) == 0) {
        r->line = line;
        r->block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        r->thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        r->got = got, r->want = want, r->where = where;
    }
}

/* Counts a failure, and keeps what the first one saw; where is whatever tells the case. */
#define EXPECT(got, want, where)                                                                                       \
    do {                                                                                                               \
        if (!((got) == (want)))                                                                                        \
            check_kernel_failed(__LINE__, (long long)(got), (long long)(want), (long long)(where));                    \
    } while (0)
#define EXPECT_TRUE(cond, where)                                                                                       \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            check_kernel_failed(__LINE__, 0, 1, (long long)(where));                                                   \
    } while (0)

/* Waits for all kernels of this PE, and fails when one of them, or an EXPECT in one, did. */
#define KERNELS_DONE(...)                                                                                              \
    do {                                                                                                               \
        char kernels_what[200];                                                                                        \
        snprintf(kernels_what, sizeof kernels_what, __VA_ARGS__);                                                      \
        check_kernels(__FILE__, __LINE__, kernels_what);                                                               \
    } while (0)

__attribute__((unused)) static void check_kernels(const char *file, int line, const char *what)
{
    struct check_record r;
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e == cudaSuccess)
        e = cudaMemcpyFromSymbol(&r, check_record_of_kernels, sizeof r);
    if (e != cudaSuccess)
        check_failed(file, line, what, "%s", cudaGetErrorString(e));
    if (r.failures)
        check_failed(file, line, what, "%u failures in kernels; the first: line %d, block %u, thread %u, case %lld: got "
                     "%lld (0x%llx), want %lld (0x%llx)", r.failures, r.line, r.block, r.thread, r.where, r.got,
                     (unsigned long long)r.got, r.want, (unsigned long long)r.want);
}

/* ---- groups: the same test for thread, warp and block ---- */

enum { SCOPE_THREAD, SCOPE_WARP, SCOPE_BLOCK };

#define PASTE(a, b)  PASTE_(a, b)
#define PASTE_(a, b) a##b
/* With GROUP defined as 0, 1 or 2, F(gin_shmem_putmem) is the function's form for that group. */
#define F(name) PASTE(name, PASTE(SUFFIX_, GROUP))
#define SUFFIX_0
#define SUFFIX_1 _warp
#define SUFFIX_2 _block

__device__ inline unsigned my_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

template <int SCOPE> __device__ bool in_group() { return SCOPE != SCOPE_WARP || my_thread() < 32; }
template <int SCOPE> __device__ unsigned group_rank() { return SCOPE == SCOPE_THREAD ? 0 : my_thread(); }
template <int SCOPE> __device__ unsigned group_size()
{
    return SCOPE == SCOPE_THREAD ? 1 : SCOPE == SCOPE_WARP ? 32 : blockDim.x * blockDim.y * blockDim.z;
}
template <int SCOPE> __device__ void group_sync()
{
    if (SCOPE == SCOPE_WARP)
        __syncwarp();
    if (SCOPE == SCOPE_BLOCK)
        __syncthreads();
}

/* ---- set-up ---- */

static int me, n, next_pe, previous_pe;

/* PEs on other nodes: where the agent serves them, every operation takes microseconds of one thread. */
__attribute__((unused)) static bool some_far(void) { return shmem_team_n_pes(SHMEM_TEAM_SHARED) < n; }

/* shmem_init, and the device that goes with this PE. */
__attribute__((unused)) static void start(void)
{
    int devices = 0;
    shmem_init();
    CU(cudaGetDeviceCount(&devices));
    CHECK(devices > 0, "no GPU");
    CU(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED) % devices));
    me = shmem_my_pe();
    n = shmem_n_pes();
    next_pe = (me + 1) % n;
    previous_pe = (me + n - 1) % n;
}

__attribute__((unused)) static int done(void)
{
    KERNELS_DONE("at the end");
    shmem_finalize();
    return 0;
}

template <class T> T *symmetric(size_t count)
{
    T *p = (T *)shmem_malloc(count * sizeof(T));
    CHECK(p, "shmem_malloc of %zu bytes", count * sizeof(T));
    return p;
}

/* n copies of a value's bytes into device memory, and back. */
template <class T> void to_device(T *dst, const T *src, size_t count)
{
    CU(cudaMemcpy(dst, src, count * sizeof(T), cudaMemcpyHostToDevice));
    CU(cudaDeviceSynchronize());
}
template <class T> void from_device(T *dst, const T *src, size_t count)
{
    CU(cudaMemcpy(dst, src, count * sizeof(T), cudaMemcpyDeviceToHost));
}
template <class T> T device_value(const T *p)
{
    T v;
    from_device(&v, p, 1);
    return v;
}

#endif

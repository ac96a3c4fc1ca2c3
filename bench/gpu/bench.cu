/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of the device API between two GPUs, the same loops as NVSHMEM's perftest where it has one: events around one
 * kernel of many operations, so that the launch is shared out. Prints "case<TAB>nanoseconds" of one operation, PE 0.
 * Run with: oshrun -n 2 bench_gpu [prefix of cases ...]
 */
#include <dlfcn.h>
#include <gin_shmem.h>
#include <shmem.h>
#include <shmemx.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CU(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t cu_error = (call);                                                                                 \
        if (cu_error != cudaSuccess) {                                                                                 \
            fprintf(stderr, "bench_gpu: PE %d: line %d: %s: %s\n", me, __LINE__, #call, cudaGetErrorString(cu_error)); \
            shmem_global_exit(1);                                                                                      \
        }                                                                                                              \
    } while (0)

static int me, peer, words;
static char **prefixes;
static cudaStream_t stream;
static cudaEvent_t before, after;

enum { LENT = 33 * 1024 };

/* ---- kernels ---- */

__global__ void __launch_bounds__(32) p_quiet(int *data, int pe, int iters)
{
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_p(data, i, pe);
        gin_shmem_quiet();
    }
}

__global__ void __launch_bounds__(32) put_thread(int *data, size_t count, int pe, int iters)
{
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_put_nbi(data, data, count, pe);
        gin_shmem_quiet();
    }
}

__global__ void __launch_bounds__(32) put_thread_lent(int *data, size_t count, int pe, int iters)
{
    extern __shared__ __align__(128) unsigned char room[];
    gin_shmem_smem lent = gin_shmem_smem_give(room, LENT);
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_put_nbi(data, data, count, pe, lent);
        gin_shmem_quiet();
    }
}

/* Quiet by one thread, between barriers of the block: as the peer's benchmark has it. */
__device__ void quiet_of_block()
{
    __syncthreads();
    if (threadIdx.x == 0)
        gin_shmem_quiet();
    __syncthreads();
}

__global__ void __launch_bounds__(32) put_warp(int *data, size_t count, int pe, int iters)
{
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_put_warp(data, data, count, pe);
        quiet_of_block();
    }
}

__global__ void __launch_bounds__(32) put_warp_lent(int *data, size_t count, int pe, int iters)
{
    extern __shared__ __align__(128) unsigned char room[];
    gin_shmem_smem lent = gin_shmem_smem_give(room, LENT);
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_put_warp(data, data, count, pe, lent);
        quiet_of_block();
    }
}

template <int THREADS> __global__ void __launch_bounds__(THREADS) put_block(int *data, size_t count, int pe, int iters)
{
    for (int i = 0; i < iters; i++) {
        gin_shmem_int_put_block(data, data, count, pe);
        quiet_of_block();
    }
}

/* Blocks move on together, so that an iteration is one message of all of them. counter: two words, zero. */
__device__ void all_blocks(volatile unsigned *counter, int round, bool quiet)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd((unsigned *)counter, 1u) == gridDim.x * (unsigned)(round + 1) - 1) {
            if (quiet)
                gin_shmem_quiet();
            atomicAdd((unsigned *)counter + 1, 1u);
        }
        while (counter[1] != (unsigned)round + 1)
            ;
        if (quiet)
            gin_shmem_quiet();
    }
    __syncthreads();
}

template <bool GET> __global__ void __launch_bounds__(1024) bandwidth(double *data, unsigned *counter, size_t count, int pe, int iters)
{
    size_t part = count / gridDim.x;
    double *mine = data + blockIdx.x * part;
    int i = 0;
    for (; i < iters; i++) {
        if (GET)
            gin_shmem_double_get_nbi_block(mine, mine, part, pe);
        else
            gin_shmem_double_put_nbi_block(mine, mine, part, pe);
        all_blocks(counter, i, false);
    }
    all_blocks(counter, i, true);
}

__global__ void __launch_bounds__(32) put_signal_ping_pong(int *data, uint64_t *flag, size_t count, int pe, uint64_t from, int iters)
{
    for (uint64_t i = from + 1; i <= from + iters; i++) {
        if (pe == 0)
            gin_shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, i);
        gin_shmem_int_put_signal_nbi(data, data, count, flag, i, SHMEM_SIGNAL_SET, pe);
        if (pe != 0)
            gin_shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, i);
    }
    gin_shmem_quiet();
}

__global__ void __launch_bounds__(32) signal_ping_pong(uint64_t *flag, int pe, uint64_t from, int iters)
{
    for (uint64_t i = from + 1; i <= from + iters; i++) {
        if (pe == 0)
            gin_shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, i);
        gin_shmem_signal_op(flag, i, SHMEM_SIGNAL_SET, pe);
        if (pe != 0)
            gin_shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, i);
    }
    gin_shmem_quiet();
}

__global__ void __launch_bounds__(256) barrier_thread(int iters)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < iters; i++)
            gin_shmem_barrier(SHMEM_TEAM_WORLD);
}
__global__ void __launch_bounds__(256) barrier_warp(int iters)
{
    if (threadIdx.x < 32)
        for (int i = 0; i < iters; i++)
            gin_shmem_barrier_warp(SHMEM_TEAM_WORLD);
}
__global__ void __launch_bounds__(256) barrier_block(int iters)
{
    for (int i = 0; i < iters; i++)
        gin_shmem_barrier_block(SHMEM_TEAM_WORLD);
}

__global__ void __launch_bounds__(256) reduce_block(int64_t *dest, const int64_t *source, size_t count, int iters)
{
    for (int i = 0; i < iters; i++)
        gin_shmem_int64_min_reduce_block(SHMEM_TEAM_WORLD, dest, source, count);
}
__global__ void __launch_bounds__(256) fcollect_block(int32_t *dest, const int32_t *source, size_t count, int iters)
{
    for (int i = 0; i < iters; i++)
        gin_shmem_int32_fcollect_block(SHMEM_TEAM_WORLD, dest, source, count);
}
__global__ void __launch_bounds__(256) alltoall_block(int32_t *dest, const int32_t *source, size_t count, int iters)
{
    for (int i = 0; i < iters; i++)
        gin_shmem_int32_alltoall_block(SHMEM_TEAM_WORLD, dest, source, count);
}

/* ---- measuring ---- */

static bool wanted(const char *name)
{
    if (!words)
        return true;
    for (int i = 0; i < words; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void tell(const char *name, double ns)
{
    if (me == 0) {
        printf("%s\t%.1f\n", name, ns);
        fflush(stdout);
    }
}

/* launch(iters) enqueues iters operations on the stream; on PE 0 alone where one_sided. The best of three rounds. */
template <class Launch> void measure(const char *name, int iters, bool one_sided, Launch launch)
{
    if (!wanted(name))
        return;
    double best = 1e30;
    for (int round = 0; round < 4; round++) { /* the first one warms up */
        float ms = 0;
        CU(cudaStreamSynchronize(stream));
        shmem_barrier_all();
        if (me == 0 || !one_sided) {
            CU(cudaEventRecord(before, stream));
            launch(round ? iters : 20);
            CU(cudaGetLastError());
            CU(cudaEventRecord(after, stream));
            CU(cudaEventSynchronize(after));
            CU(cudaEventElapsedTime(&ms, before, after));
            double ns = ms * 1e6 / iters;
            if (round && ns < best)
                best = ns;
        }
    }
    shmem_barrier_all();
    tell(name, best);
}

static void point_to_point(int *data)
{
    struct {
        const char *name;
        void (*kernel)(int *, size_t, int, int);
        int threads, lent;
        size_t bytes;
    } puts[] = {
        {"put thread 8 B", put_thread, 1, 0, 8},
        {"put warp 8 B", put_warp, 32, 0, 8},
        {"put block 8 B", put_block<256>, 256, 0, 8},
        {"put block 8 B, 1024 threads", put_block<1024>, 1024, 0, 8},
        {"put thread 4 KiB", put_thread, 1, 0, 4096},
        {"put thread 4 KiB, lent", put_thread_lent, 1, LENT, 4096},
        {"put thread 32 KiB", put_thread, 1, 0, 32768},
        {"put thread 32 KiB, lent", put_thread_lent, 1, LENT, 32768},
        {"put warp 32 KiB", put_warp, 32, 0, 32768},
        {"put warp 32 KiB, lent", put_warp_lent, 32, LENT, 32768},
        {"put block 32 KiB", put_block<256>, 256, 0, 32768},
        {"put block 256 KiB", put_block<256>, 256, 0, 262144},
        {"put block 256 KiB, 1024 threads", put_block<1024>, 1024, 0, 262144},
    };
    measure("p + quiet 4 B", 500, true, [&](int iters) { p_quiet<<<1, 1, 0, stream>>>(data, peer, iters); });
    for (auto &p : puts)
        measure(p.name, p.bytes > 4096 && p.threads == 1 && !p.lent ? 50 : 500, true, [&](int iters) {
            p.kernel<<<1, p.threads, p.lent, stream>>>(data, p.bytes / sizeof(int), peer, iters);
        });
}

static void bandwidths(double *data)
{
    unsigned *counter;
    CU(cudaMalloc(&counter, 2 * sizeof *counter));
    for (size_t mib : {1, 8, 64})
        for (int blocks : {8, 32})
            for (int get = 0; get < 2; get++) {
                char name[64];
                snprintf(name, sizeof name, "%s %d blocks %zu MiB", get ? "get" : "put", blocks, mib);
                measure(name, mib > 8 ? 50 : 200, true, [&](int iters) {
                    CU(cudaMemsetAsync(counter, 0, 2 * sizeof *counter, stream));
                    auto kernel = get ? bandwidth<true> : bandwidth<false>;
                    kernel<<<blocks, 1024, 0, stream>>>(data, counter, (mib << 20) / sizeof(double), peer, iters);
                });
            }
    for (size_t mib : {1, 8, 64}) {
        char name[64];
        void *there = shmem_ptr(data, peer);
        snprintf(name, sizeof name, "copy engine %zu MiB", mib);
        if (there)
            measure(name, mib > 8 ? 50 : 200, true, [&](int iters) {
                for (int i = 0; i < iters; i++)
                    CU(cudaMemcpyAsync(there, data, mib << 20, cudaMemcpyDeviceToDevice, stream));
            });
    }
    CU(cudaFree(counter));
}

static void ping_pongs(int *data, uint64_t *flag)
{
    uint64_t at = 0; /* both PEs count alike: the flag only grows */
    for (size_t bytes : {8, 2048}) {
        char name[64];
        snprintf(name, sizeof name, "put_signal round trip %s", bytes == 8 ? "8 B" : "2 KiB");
        measure(name, 500, false, [&](int iters) {
            put_signal_ping_pong<<<1, 1, 0, stream>>>(data, flag, bytes / sizeof(int), peer, at, iters);
            at += iters;
        });
    }
    measure("signal round trip", 500, false, [&](int iters) {
        signal_ping_pong<<<1, 1, 0, stream>>>(flag, peer, at, iters);
        at += iters;
    });
}

static void collectives(int64_t *dest, int64_t *source)
{
    measure("barrier thread", 1000, false, [&](int iters) { barrier_thread<<<1, 256, 0, stream>>>(iters); });
    measure("barrier warp", 1000, false, [&](int iters) { barrier_warp<<<1, 256, 0, stream>>>(iters); });
    measure("barrier block", 1000, false, [&](int iters) { barrier_block<<<1, 256, 0, stream>>>(iters); });
    for (size_t bytes : {8, 512, 4096, 32768}) {
        char name[64], size[32];
        snprintf(size, sizeof size, bytes < 1024 ? "%zu B" : "%zu KiB", bytes < 1024 ? bytes : bytes / 1024);
        snprintf(name, sizeof name, "reduce block %s", size);
        measure(name, 500, false, [&](int iters) {
            reduce_block<<<1, 256, 0, stream>>>(dest, source, bytes / sizeof *dest, iters);
        });
        /* what all PEs bring, or get, together */
        snprintf(name, sizeof name, "fcollect block %s", size);
        measure(name, 500, false, [&](int iters) {
            fcollect_block<<<1, 256, 0, stream>>>((int32_t *)dest, (int32_t *)source, bytes / 8, iters);
        });
        snprintf(name, sizeof name, "alltoall block %s", size);
        measure(name, 500, false, [&](int iters) {
            alltoall_block<<<1, 256, 0, stream>>>((int32_t *)dest, (int32_t *)source, bytes / 8, iters);
        });
    }
    measure("barrier_all_on_stream", 500, false, [&](int iters) {
        for (int i = 0; i < iters; i++)
            shmemx_barrier_all_on_stream(stream);
    });
}

/* ---- against NCCL, through the library that is loaded already ---- */

typedef int (*nccl_all_reduce_fn)(const void *, void *, size_t, int type, int op, void *comm, cudaStream_t);
typedef int (*nccl_alloc_fn)(void **, size_t);
typedef int (*nccl_free_fn)(void *);
typedef int (*nccl_register_fn)(void *comm, void *, size_t, void **window, int flags);
typedef int (*nccl_deregister_fn)(void *comm, void *window);
enum { NCCL_FLOAT = 7, NCCL_SUM = 0, NCCL_WINDOW_SYMMETRIC = 1 };

static void *nccl_symbol(const char *name)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

static void against_nccl(void)
{
    nccl_all_reduce_fn all_reduce = (nccl_all_reduce_fn)nccl_symbol("ncclAllReduce");
    nccl_alloc_fn alloc = (nccl_alloc_fn)nccl_symbol("ncclMemAlloc");
    nccl_free_fn release = (nccl_free_fn)nccl_symbol("ncclMemFree");
    nccl_register_fn reg = (nccl_register_fn)nccl_symbol("ncclCommWindowRegister");
    nccl_deregister_fn dereg = (nccl_deregister_fn)nccl_symbol("ncclCommWindowDeregister");
    void *comm = shmemx_nccl_comm(), *window[2] = {NULL, NULL};
    const size_t most = (size_t)1 << 30;
    float *dest = (float *)shmem_malloc(most), *source = (float *)shmem_malloc(most), *plain[2], *own[2] = {NULL, NULL};
    if (!dest || !source || !all_reduce || !alloc || !release || !reg || !dereg) {
        fprintf(stderr, "bench_gpu: no memory, or no NCCL to compare with\n");
        shmem_global_exit(1);
    }
    CU(cudaMalloc(&plain[0], most));
    CU(cudaMalloc(&plain[1], most));
    for (int i = 0; i < 2; i++)
        if (alloc((void **)&own[i], most) != 0 || reg(comm, own[i], most, &window[i], NCCL_WINDOW_SYMMETRIC) != 0)
            shmem_global_exit(1);
    for (int k = 0; k < 10; k++) {
        size_t bytes = (size_t)8 << 3 * k;
        char name[64], size[32];
        snprintf(size, sizeof size, bytes < 1024 ? "%zu B" : bytes < 1 << 20 ? "%zu KiB" : "%zu MiB",
                 bytes < 1024 ? bytes : bytes < 1 << 20 ? bytes >> 10 : bytes >> 20);
        int times = bytes > 64 << 20 ? 10 : bytes > 1 << 20 ? 50 : 300;
        snprintf(name, sizeof name, "sum on stream %s", size);
        measure(name, times, false, [&](int iters) {
            for (int i = 0; i < iters; i++)
                shmemx_float_sum_reduce_on_stream(SHMEM_TEAM_WORLD, dest, source, bytes / 4, stream);
        });
        snprintf(name, sizeof name, "nccl plain sum on stream %s", size);
        measure(name, times, false, [&](int iters) {
            for (int i = 0; i < iters; i++)
                all_reduce(plain[1], plain[0], bytes / 4, NCCL_FLOAT, NCCL_SUM, comm, stream);
        });
        snprintf(name, sizeof name, "nccl window sum on stream %s", size);
        measure(name, times, false, [&](int iters) {
            for (int i = 0; i < iters; i++)
                all_reduce(own[1], own[0], bytes / 4, NCCL_FLOAT, NCCL_SUM, comm, stream);
        });
    }
    for (int i = 0; i < 2; i++) {
        CU(cudaFree(plain[i]));
        dereg(comm, window[i]);
        release(own[i]);
    }
    shmem_free(source);
    shmem_free(dest);
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    peer = !me;
    words = argc - 1, prefixes = argv + 1;
    if (shmem_n_pes() != 2) {
        if (me == 0)
            fprintf(stderr, "bench_gpu: needs exactly two PEs: oshrun -n 2 bench_gpu\n");
        shmem_global_exit(1);
    }
    CU(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED)));
    char *data = (char *)shmem_malloc(128 << 20);
    uint64_t *flag = (uint64_t *)shmem_calloc(1, sizeof *flag);
    if (!data || !flag)
        shmem_global_exit(1);
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CU(cudaEventCreate(&before));
    CU(cudaEventCreate(&after));
    CU(cudaMemsetAsync(data, 0, 128 << 20, stream));
    point_to_point((int *)data);
    bandwidths((double *)data);
    ping_pongs((int *)data, flag);
    collectives((int64_t *)data, (int64_t *)(data + (64 << 20)));
    if (wanted("sum on stream") || wanted("nccl"))
        against_nccl();
    shmem_free(flag);
    shmem_free(data);
    shmem_finalize();
    return 0;
}

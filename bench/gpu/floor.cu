/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the machine allows: the same traffic as cases of bench.cu, in the fewest instructions, with addresses worked out
 * beforehand and no library code in the loop. Prints "floor CASE<TAB>nanoseconds" of one operation, PE 0.
 * Run with: oshrun -n 2 floor_gpu
 */
#include <gin_shmem.h> /* for the device heap; none of its calls */

#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#define CU(call)                                                                                            \
    do {                                                                                                    \
        cudaError_t cu_error = (call);                                                                      \
        if (cu_error != cudaSuccess) {                                                                      \
            fprintf(stderr, "floor_gpu: line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(cu_error)); \
            shmem_global_exit(1);                                                                           \
        }                                                                                                   \
    } while (0)

static cudaStream_t stream;
static cudaEvent_t before, after;
static int me;

__device__ uint64_t load_acquire(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ uint64_t load_relaxed(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ void store_relaxed(uint64_t *p, uint64_t v)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
__device__ void store_release(uint64_t *p, uint64_t v)
{
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
__device__ void add_release(uint64_t *p, uint64_t v)
{
    asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

enum { SET, SET_BEHIND_DATA, SET_BEHIND_OWN_DATA, ADD_BEHIND_DATA };

/* flag here, theirs there. With data: 8 bytes go before the flag, from a register or from memory. */
template <int KIND, bool ACQUIRE>
__global__ void __launch_bounds__(32) ping_pong(uint64_t *flag, uint64_t *theirs, const uint64_t *source,
                                                uint64_t *dest, bool second, uint64_t from, int iters)
{
    for (uint64_t i = from + 1; i <= from + iters; i++) {
        for (int turn = 0; turn < 2; turn++) {
            if (turn == (int)second) {
                if (KIND != SET)
                    store_relaxed(dest, KIND == SET_BEHIND_OWN_DATA ? i : load_relaxed(source));
                if (KIND == SET)
                    store_relaxed(theirs, i);
                else if (KIND == ADD_BEHIND_DATA)
                    add_release(theirs, 1);
                else
                    store_release(theirs, i);
            } else {
                while ((ACQUIRE ? load_acquire(flag) : load_relaxed(flag)) < i)
                    ;
            }
        }
    }
}

template <bool LOAD, bool SC>
__global__ void __launch_bounds__(32) store_fence(const uint64_t *source, uint64_t *dest, int iters)
{
    for (int i = 0; i < iters; i++) {
        store_relaxed(dest, LOAD ? load_relaxed(source) : (uint64_t)i);
        if (SC)
            asm volatile("fence.sc.sys;" ::: "memory");
        else
            asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
}

/* One block stores bytes, 8 x 16 bytes in flight a thread; LOAD: from memory, else from registers. */
template <int THREADS, bool LOAD>
__global__ void __launch_bounds__(THREADS) block_stores(const uint4 *source, uint4 *dest, unsigned bytes, int iters)
{
    const unsigned units = bytes / 16;
    for (int i = 0; i < iters; i++) {
        for (unsigned u = threadIdx.x; u < units; u += 8 * THREADS) {
            uint4 v[8];
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (LOAD)
                    v[k] = source[u + k * THREADS];
                else
                    v[k] = make_uint4(u, i, k, 0);
#pragma unroll
            for (int k = 0; k < 8; k++)
                dest[u + k * THREADS] = v[k];
        }
        __syncthreads();
        if (threadIdx.x == 0)
            __threadfence_system();
        __syncthreads();
    }
}

template <bool FOLLOW>
__global__ void nothing(int *)
{
#if __CUDA_ARCH__ >= 900
    if (FOLLOW) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
}

/* A barrier of two in a stream: flag out, flag in. */
template <bool FOLLOW>
__global__ void meet(uint64_t *flag, uint64_t *theirs, uint64_t epoch)
{
#if __CUDA_ARCH__ >= 900
    if (FOLLOW) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
#endif
    if (threadIdx.x == 0) {
        store_release(theirs, epoch);
        while (load_acquire(flag) < epoch)
            ;
    }
}

template <class... Kernel, class... Args>
static void enqueue(bool follow, void (*kernel)(Kernel...), Args... args)
{
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = follow;
    CU(cudaLaunchKernelEx(&config, kernel, args...));
}

template <class Launch>
static void measure(const char *name, int iters, bool one_sided, Launch launch)
{
    double best = 1e30;
    for (int round = 0; round < 4; round++) {
        float ms = 0;
        CU(cudaStreamSynchronize(stream));
        shmem_barrier_all();
        if (me == 0 || !one_sided) {
            CU(cudaEventRecord(before, stream));
            launch(iters);
            CU(cudaEventRecord(after, stream));
            CU(cudaEventSynchronize(after));
            CU(cudaEventElapsedTime(&ms, before, after));
            if (round && ms * 1e6 / iters < best)
                best = ms * 1e6 / iters;
        }
    }
    shmem_barrier_all();
    if (me == 0) {
        printf("floor %s\t%.1f\n", name, best);
        fflush(stdout);
    }
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    if (shmem_n_pes() != 2) {
        fprintf(stderr, "floor_gpu: needs exactly two PEs: oshrun -n 2 floor_gpu\n");
        shmem_global_exit(1);
    }
    CU(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED)));
    char *data = (char *)shmem_malloc(16 << 20);
    char *there = data ? (char *)shmem_ptr(data, !me) : NULL;
    if (!there)
        shmem_global_exit(1);
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CU(cudaEventCreate(&before));
    CU(cudaEventCreate(&after));
    CU(cudaMemsetAsync(data, 0, 16 << 20, stream));
    uint64_t *flag = (uint64_t *)data, *theirs = (uint64_t *)there, *source = flag + 1024, *dest = theirs + 2048,
             at = 0;
    auto trip = [&](auto kernel) {
        return [=, &at](int iters) {
            kernel<<<1, 1, 0, stream>>>(flag, theirs, source, dest, me != 0, at, iters);
            at += iters;
        };
    };
    measure("signal round trip", 500, false, trip(ping_pong<SET, true>));
    measure("signal round trip, relaxed polls", 500, false, trip(ping_pong<SET, false>));
    measure("put_signal round trip 8 B, from a register", 500, false, trip(ping_pong<SET_BEHIND_OWN_DATA, true>));
    measure("put_signal round trip 8 B", 500, false, trip(ping_pong<SET_BEHIND_DATA, true>));
    measure("put_signal round trip 8 B, relaxed polls", 500, false, trip(ping_pong<SET_BEHIND_DATA, false>));
    measure("put 8 B from a register, fence.acq_rel", 500, true,
            [&](int n) { store_fence<false, false><<<1, 1, 0, stream>>>(source, dest, n); });
    measure("put 8 B from a register, fence.sc", 500, true,
            [&](int n) { store_fence<false, true><<<1, 1, 0, stream>>>(source, dest, n); });
    measure("put 8 B, fence.acq_rel", 500, true,
            [&](int n) { store_fence<true, false><<<1, 1, 0, stream>>>(source, dest, n); });
    measure("put 8 B, fence.sc", 500, true,
            [&](int n) { store_fence<true, true><<<1, 1, 0, stream>>>(source, dest, n); });
    const uint4 *from = (const uint4 *)(data + (1 << 20));
    uint4 *to = (uint4 *)(there + (1 << 20));
    measure("put block 256 KiB, 256 threads", 200, true,
            [&](int n) { block_stores<256, true><<<1, 256, 0, stream>>>(from, to, 262144, n); });
    measure("put block 256 KiB, 1024 threads", 200, true,
            [&](int n) { block_stores<1024, true><<<1, 1024, 0, stream>>>(from, to, 262144, n); });
    measure("put block 256 KiB from registers, 1024 threads", 200, true,
            [&](int n) { block_stores<1024, false><<<1, 1024, 0, stream>>>(from, to, 262144, n); });
    measure("kernel in a stream", 500, false, [&](int n) {
        for (int i = 0; i < n; i++)
            enqueue(false, nothing<false>, (int *)NULL);
    });
    measure("kernel in a stream, overlapping", 500, false, [&](int n) {
        for (int i = 0; i < n; i++)
            enqueue(true, nothing<true>, (int *)NULL);
    });
    measure("barrier in a stream", 500, false, [&](int n) {
        for (int i = 0; i < n; i++)
            enqueue(false, meet<false>, flag, theirs, (uint64_t)++at);
    });
    measure("barrier in a stream, overlapping", 500, false, [&](int n) {
        for (int i = 0; i < n; i++)
            enqueue(true, meet<true>, flag, theirs, (uint64_t)++at);
    });
    shmem_free(data);
    shmem_finalize();
    return 0;
}

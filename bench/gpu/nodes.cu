/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of the device API between two PEs of different nodes, by whatever way leads there. Prints "case<TAB>nanoseconds"
 * of one operation, or one way of a ping-pong; bandwidths as the time of one put. PE 0 prints.
 * Run with: oshrun -n 2 --fake-nodes 2 bench_nodes [round trips]
 */
#include <gin_shmem.h>
#include <shmem.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CU(call)                                                                          \
    do {                                                                                  \
        cudaError_t cu_error = (call);                                                    \
        if (cu_error != cudaSuccess) {                                                    \
            fprintf(stderr, "bench_nodes: PE %d: line %d: %s: %s\n", me, __LINE__, #call, \
                    cudaGetErrorString(cu_error));                                        \
            shmem_global_exit(1);                                                         \
        }                                                                                 \
    } while (0)

static int me;

/* One way: half a round trip. */
__global__ void __launch_bounds__(32) ping_put_signal(uint64_t *data, uint64_t *sig, int op, int me, int trips)
{
    for (int i = 1; i <= trips; i++) {
        uint64_t value = op == SHMEM_SIGNAL_SET ? i : 1;
        if (me == 0)
            gin_shmem_uint64_put_signal(data, data + 1, 1, sig, value, op, 1);
        gin_shmem_signal_wait_until(sig, SHMEM_CMP_GE, i);
        if (me == 1)
            gin_shmem_uint64_put_signal(data, data + 1, 1, sig, value, op, 0);
    }
}
__global__ void __launch_bounds__(32) ping_signal(uint64_t *sig, int op, int me, int trips)
{
    for (int i = 1; i <= trips; i++) {
        uint64_t value = op == SHMEM_SIGNAL_SET ? i : 1;
        if (me == 0)
            gin_shmem_signal_op(sig, value, op, 1);
        gin_shmem_signal_wait_until(sig, SHMEM_CMP_GE, i);
        if (me == 1)
            gin_shmem_signal_op(sig, value, op, 0);
    }
}
__global__ void __launch_bounds__(32) puts(char *to, const char *from, size_t bytes, int pe, int n)
{
    for (int i = 0; i < n; i++)
        gin_shmem_putmem_nbi(to, from, bytes, pe);
    gin_shmem_quiet();
}
__global__ void __launch_bounds__(32) gets(uint64_t *to, const uint64_t *from, int pe, int n)
{
    for (int i = 0; i < n; i++)
        gin_shmem_uint64_get(to, from, 1, pe);
}
__global__ void __launch_bounds__(32) adds(uint64_t *word, int pe, int n)
{
    for (int i = 0; i < n; i++)
        (void)gin_shmem_uint64_atomic_fetch_add(word, 1, pe);
}
__global__ void __launch_bounds__(32) barriers(int n)
{
    for (int i = 0; i < n; i++)
        gin_shmem_barrier_all();
}
__global__ void __launch_bounds__(32) quiets(uint64_t *word, int pe, int n)
{
    for (int i = 0; i < n; i++) {
        gin_shmem_uint64_p(word, i, pe);
        gin_shmem_quiet();
    }
}

/* Runs the kernel on the PEs that have one, `n` operations each; the least of three. */
template <class Launch>
static void measure(const char *name, int n, bool both, Launch launch)
{
    cudaEvent_t from, to;
    float best = 1e30f;
    CU(cudaEventCreate(&from));
    CU(cudaEventCreate(&to));
    for (int round = 0; round < 3; round++) {
        shmem_barrier_all();
        if (both || me == 0) {
            float ms;
            CU(cudaEventRecord(from));
            launch();
            CU(cudaGetLastError());
            CU(cudaEventRecord(to));
            CU(cudaEventSynchronize(to));
            CU(cudaEventElapsedTime(&ms, from, to));
            best = ms < best ? ms : best;
        }
        shmem_barrier_all();
    }
    if (me == 0)
        printf("%s\t%.0f\n", name, best * 1e6 / n);
    CU(cudaEventDestroy(from));
    CU(cudaEventDestroy(to));
}

int main(int argc, char **argv)
{
    enum { MIB = 1 << 20, BIG = 16 * MIB };
    const int trips = argc > 1 ? atoi(argv[1]) : 200;
    shmem_init();
    me = shmem_my_pe();
    if (shmem_n_pes() != 2 || trips < 1) {
        fprintf(stderr, "bench_nodes: run it with 2 PEs (oshrun -n 2 --fake-nodes 2 bench_nodes [round trips])\n");
        shmem_global_exit(2);
    }
    uint64_t *words = (uint64_t *)shmem_calloc(1024, sizeof *words);
    char *to = (char *)shmem_malloc(BIG), *from = (char *)shmem_malloc(BIG);
    if (!words || !to || !from)
        shmem_global_exit(1);
    if (me == 0 && shmem_ptr(words, 1))
        printf("# the PEs share a node: these are times of loads and stores\n");
    int put = 0, signal = 0; /* signals grow from round to round: every round has a word of its own */
    for (int op : {SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD}) {
        const bool set = op == SHMEM_SIGNAL_SET;
        measure(set ? "put 8 B + signal set, one way" : "put 8 B + signal add, one way", 2 * trips, true,
                [&] { ping_put_signal<<<1, 1>>>(words + 16, words + 64 + 8 * put++, op, me, trips); });
        measure(set ? "signal set, one way" : "signal add, one way", 2 * trips, true,
                [&] { ping_signal<<<1, 1>>>(words + 128 + 8 * signal++, op, me, trips); });
    }
    measure("put 1 MiB", 16, false, [&] { puts<<<1, 1>>>(to, from, MIB, 1, 16); });
    measure("put 16 MiB", 8, false, [&] { puts<<<1, 1>>>(to, from, BIG, 1, 8); });
    measure("get 8 B", trips, false, [&] { gets<<<1, 1>>>(words + 512, words + 520, 1, trips); });
    measure("fetch_add", trips, false, [&] { adds<<<1, 1>>>(words + 600, 1, trips); });
    measure("p + quiet", trips, false, [&] { quiets<<<1, 1>>>(words + 700, 1, trips); });
    measure("barrier", trips, true, [&] { barriers<<<1, 1>>>(trips); });
    /* The floor of the big puts: what the copy engine does between two buffers of this GPU. */
    char *other;
    CU(cudaMalloc(&other, BIG));
    measure("copy engine 16 MiB, within the GPU", 8, false, [&] {
        for (int i = 0; i < 8; i++)
            CU(cudaMemcpyAsync(other, from, BIG, cudaMemcpyDeviceToDevice));
    });
    CU(cudaFree(other));
    shmem_free(from);
    shmem_free(to);
    shmem_free(words);
    shmem_finalize();
    return 0;
}

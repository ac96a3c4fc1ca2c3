/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch and combine of a mixture of experts. Each PE has tokens and experts; a token goes to TOP experts, chosen by a
 * router, is worked on there, and comes back to be added up with its weights. Dispatch: a warp a copy claims a slot at the
 * expert's PE by an atomic and puts the token there with a signal; combine: a warp a slot puts the result back. Checked
 * against a reference that needs no communication. */
#include "gpu.h"

enum { TOKENS = 2048, HIDDEN = 512, TOP = 4, EXPERTS_EACH = 8, THREADS = 256, WARPS = THREADS / 32 };

struct origin {
    int pe, token, k, expert;
};

__host__ __device__ static unsigned hashed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
/* Small whole numbers, so that sums are exact. */
__device__ static float token_value(int pe, int token, int h) { return (float)(hashed(pe * 7919 + token * 31 + h) % 64); }
__device__ static int expert_of(int pe, int token, int k, int experts)
{
    return (int)(hashed(pe * 104729 + token * 17 + k) % (unsigned)experts);
}
__device__ static float weight_of(int k) { return (float)(k + 1); }
__device__ static float worked(float v, int expert) { return v * (float)(expert % 3 + 1) + (float)expert; }

__global__ void make_tokens(float *tokens, int me)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < TOKENS * HIDDEN; i += gridDim.x * blockDim.x)
        tokens[i] = token_value(me, i / HIDDEN, i % HIDDEN);
}

/* slots_used: how many slots of this PE are claimed; room and origins: the slots; arrived counts finished puts. */
__global__ void dispatch(const float *tokens, float *room, struct origin *origins, unsigned *slots_used, uint64_t *arrived)
{
    const int me = gin_shmem_my_pe(), n = gin_shmem_n_pes(), lane = threadIdx.x % 32;
    for (int c = blockIdx.x * WARPS + threadIdx.x / 32; c < TOKENS * TOP; c += gridDim.x * WARPS) {
        struct origin o = {me, c / TOP, c % TOP, 0};
        o.expert = expert_of(me, o.token, o.k, n * EXPERTS_EACH);
        const int pe = o.expert / EXPERTS_EACH;
        unsigned slot = lane == 0 ? gin_shmem_uint_atomic_fetch_inc(slots_used, pe) : 0;
        slot = __shfl_sync(~0u, slot, 0);
        if (lane == 0)
            gin_shmem_putmem(origins + slot, &o, sizeof o, pe);
        gin_shmem_fence(); /* the origin is there before the signal, too */
        gin_shmem_float_put_signal_warp(room + (size_t)slot * HIDDEN, tokens + (size_t)o.token * HIDDEN, HIDDEN, arrived, 1,
                                        SHMEM_SIGNAL_ADD, pe);
    }
}

/* All copies of all PEs are at their experts when arrived, summed over PEs, says so; each PE waits for its own part, whose
 * size the host knows from the barrier before. */
__global__ void work_and_combine(const float *room, const struct origin *origins, const unsigned *slots_used, float *results,
                                 float *sending, uint64_t *arrived, uint64_t *returned)
{
    const unsigned slots = *(const volatile unsigned *)slots_used;
    gin_shmem_signal_wait_until_block(arrived, SHMEM_CMP_GE, slots);
    for (unsigned s = blockIdx.x * WARPS + threadIdx.x / 32; s < slots; s += gridDim.x * WARPS) {
        const struct origin o = origins[s];
        float *out = sending + (size_t)s * HIDDEN;
        for (int h = threadIdx.x % 32; h < HIDDEN; h += 32)
            out[h] = worked(room[(size_t)s * HIDDEN + h], o.expert);
        gin_shmem_float_put_signal_warp(results + ((size_t)o.token * TOP + o.k) * HIDDEN, out, HIDDEN, returned, 1,
                                        SHMEM_SIGNAL_ADD, o.pe);
    }
}

__global__ void add_up(float *sums, const float *results, uint64_t *returned)
{
    gin_shmem_signal_wait_until_block(returned, SHMEM_CMP_GE, TOKENS * TOP);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < TOKENS * HIDDEN; i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int k = 0; k < TOP; k++)
            sum += weight_of(k) * results[((size_t)(i / HIDDEN) * TOP + k) * HIDDEN + i % HIDDEN];
        sums[i] = sum;
    }
}

__global__ void count_wrong(const float *sums, int me, int n, unsigned long long *wrong)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < TOKENS * HIDDEN; i += gridDim.x * blockDim.x) {
        float want = 0;
        for (int k = 0; k < TOP; k++)
            want += weight_of(k) * worked(token_value(me, i / HIDDEN, i % HIDDEN), expert_of(me, i / HIDDEN, k, n * EXPERTS_EACH));
        if (sums[i] != want)
            atomicAdd(wrong, 1ull);
    }
}

int main(void)
{
    shmem_init();
    choose_gpu();
    const int me = shmem_my_pe(), n = shmem_n_pes(), blocks = 32;
    /* At worst all tokens of all PEs come to one. */
    const size_t slots = (size_t)n * TOKENS * TOP;
    float *tokens = symmetric<float>(TOKENS * HIDDEN), *room = symmetric<float>(slots * HIDDEN);
    float *results = symmetric<float>((size_t)TOKENS * TOP * HIDDEN), *sending, *sums;
    struct origin *origins = symmetric<struct origin>(slots);
    unsigned *slots_used = (unsigned *)shmem_calloc(1, sizeof *slots_used);
    uint64_t *signals = (uint64_t *)shmem_calloc(2, sizeof *signals);
    unsigned long long *wrong, got;
    CUDA(cudaMalloc(&sending, slots * HIDDEN * sizeof *sending));
    CUDA(cudaMalloc(&sums, TOKENS * HIDDEN * sizeof *sums));
    CUDA(cudaMalloc(&wrong, sizeof *wrong));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    GIN_SHMEM_LAUNCH(make_tokens, blocks, THREADS, 0, tokens, me);
    GIN_SHMEM_LAUNCH(dispatch, blocks, THREADS, 0, tokens, room, origins, slots_used, signals);
    CUDA(cudaDeviceSynchronize());
    shmem_barrier_all(); /* slots_used is final everywhere */
    GIN_SHMEM_LAUNCH(work_and_combine, blocks, THREADS, 0, room, origins, slots_used, results, sending, signals,
                     signals + 1);
    GIN_SHMEM_LAUNCH(add_up, blocks, THREADS, 0, sums, results, signals + 1);
    GIN_SHMEM_LAUNCH(count_wrong, blocks, THREADS, 0, sums, me, n, wrong);
    kernels_done();
    CUDA(cudaMemcpy(&got, wrong, sizeof got, cudaMemcpyDeviceToHost));
    unsigned mine = 0;
    CUDA(cudaMemcpy(&mine, slots_used, sizeof mine, cudaMemcpyDeviceToHost));
    printf("PE %d: %d tokens sent to %d experts each; my %d experts worked on %u\n", me, (int)TOKENS, (int)TOP,
           (int)EXPERTS_EACH, mine);
    long all = sum_over_pes(mine);
    return verdict("MoE: dispatch and combine equal the reference, and no token was lost",
                   (long)got + (all != (long)n * TOKENS * TOP));
}

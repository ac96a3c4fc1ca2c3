/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for every family and group, with types of each size and kind (tests/gpu has all of them): what the compiler makes
 * of it for a GPU, which names.cu does not ask. */
#include <shmemg.h>

struct arguments {
    shmem_team_t team;
    shmem_ctx_t ctx;
    void *dest;
    const void *source;
    size_t n, *indices;
    uint64_t *sig;
    const int *status;
    int pe, cmp, index;
};

#define RMA(N, T, S)                                                                                                   \
    gin_shmem_##N##_put##S((T *)a.dest, (const T *)a.source, a.n, a.pe, lent);                                         \
    gin_shmem_##N##_get##S((T *)a.dest, (const T *)a.source, a.n, a.pe, lent);                                         \
    gin_shmem_##N##_iput##S((T *)a.dest, (const T *)a.source, 2, 3, a.n, a.pe);                                        \
    gin_shmem_##N##_ibget##S((T *)a.dest, (const T *)a.source, 5, 6, 4, a.n, a.pe);                                    \
    gin_shmem_##N##_put_signal##S((T *)a.dest, (const T *)a.source, a.n, a.sig, 1, SHMEM_SIGNAL_ADD, a.pe, lent);
#define COLL(N, T, S)                                                                                                  \
    gin_shmem_##N##_broadcast##S(a.team, (T *)a.dest, (const T *)a.source, a.n, 0, a.index);                           \
    gin_shmem_##N##_collect##S(a.team, (T *)a.dest, (const T *)a.source, a.n, a.index);                                \
    gin_shmem_##N##_fcollect##S(a.team, (T *)a.dest, (const T *)a.source, a.n, a.index);                               \
    gin_shmem_##N##_alltoall##S(a.team, (T *)a.dest, (const T *)a.source, a.n, a.index);                               \
    gin_shmem_##N##_sum_reduce##S(a.team, (T *)a.dest, (const T *)a.source, a.n, a.index);                             \
    gin_shmem_##N##_min_reducescatter##S(a.team, (T *)a.dest, (const T *)a.source, a.n, a.index);

#define KERNELS(N, T, S)                                                                                               \
    __global__ void rma_##N##S(struct arguments a)                                                                     \
    {                                                                                                                  \
        extern __shared__ unsigned char room[];                                                                        \
        struct gin_shmem_smem lent = gin_shmem_smem_give(room, 32768, 2);                                              \
        RMA(N, T, S)                                                                                                   \
        gin_shmem_smem_take(lent);                                                                                     \
    }                                                                                                                  \
    __global__ void coll_##N##S(struct arguments a) { COLL(N, T, S) }
#define EACH(N, T) KERNELS(N, T, ) KERNELS(N, T, _warp) KERNELS(N, T, _block)
EACH(int, int)
EACH(half, __half)
KERNELS(int8, int8_t, )
KERNELS(double, double, _warp)
KERNELS(bfloat16, __nv_bfloat16, _block)

#define ORDER(S)                                                                                                       \
    __global__ void order##S(struct arguments a)                                                                       \
    {                                                                                                                  \
        gin_shmem_fence##S();                                                                                          \
        gin_shmem_quiet##S();                                                                                          \
        gin_shmem_barrier##S(a.team, a.index);                                                                         \
        gin_shmem_sync_all##S();                                                                                       \
        *a.sig = gin_shmem_signal_wait_until##S(a.sig, a.cmp, 7);                                                      \
        gin_shmem_wait_until_all##S((int *)a.dest, a.n, a.status, a.cmp, 7);                                           \
    }
ORDER()
ORDER(_warp)
ORDER(_block)

template <class T> __device__ void atomics(const struct arguments &a)
{
    T *p = (T *)a.dest, v = *(const T *)a.source;
    gin_shmem_atomic_set(p, v, a.pe);
    gin_shmem_atomic_add(p, v, a.pe);
    *p = gin_shmem_atomic_fetch_add(p, v, a.pe);
    *p = gin_shmem_atomic_fetch(p, a.pe);
}
template <class T> __device__ void integers(const struct arguments &a)
{
    T *p = (T *)a.dest, v = *(const T *)a.source;
    *p = gin_shmem_atomic_compare_swap(p, v, v, a.pe);
    *p = gin_shmem_atomic_swap(p, v, a.pe);
    *p = gin_shmem_atomic_fetch_xor(p, v, a.pe);
    gin_shmem_atomic_inc(p, a.pe);
    gin_shmem_atomic_or(p, v, a.pe);
    *a.indices = gin_shmem_wait_until_any(p, a.n, a.status, a.cmp, v);
    *a.indices = gin_shmem_test_some_vector(p, a.n, a.indices, a.status, a.cmp, p);
    gin_shmem_p(p, gin_shmem_g(p, a.pe), a.pe);
}
__global__ void words(struct arguments a)
{
    atomics<int>(a), atomics<unsigned long long>(a), atomics<float>(a), atomics<double>(a);
    atomics<__half>(a), atomics<__nv_bfloat16>(a);
    integers<int>(a), integers<long>(a), integers<unsigned>(a);
}

__global__ void draft(struct arguments a)
{
    shmemg_ctx_putmem_signal_tg(a.ctx, a.dest, a.source, a.n, a.sig, 1, SHMEM_SIGNAL_SET, a.pe);
    shmemg_ctx_int_atomic_fetch_and_nbi(a.ctx, (int *)a.dest, (int *)a.dest, 3, a.pe);
    shmemg_sync_all_htg();
    shmemg_ctx_quiet(a.ctx);
}

__global__ void of_nccl(void **out, struct arguments a)
{
    out[0] = (void *)gin_shmem_nccl_dev_comm();
    out[1] = gin_shmem_nccl_window(a.source, a.indices);
    out[2] = gin_shmem_team_ptr(a.team, a.source, a.pe);
}

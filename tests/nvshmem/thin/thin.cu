/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels on NVSHMEM's names, or (without NV) on ours: thin.sh compares what comes of them. */
#include <nvshmem.h>
#include <nvshmemx.h>

#ifdef NV
#define F(name)  nvshmem_##name
#define FX(name) nvshmemx_##name
#define C(name)  NVSHMEM_##name
#else
#define F(name)  gin_shmem_##name
#define FX(name) gin_shmem_##name
#define C(name)  SHMEM_##name
#endif

extern "C" __global__ void bulk(float *to, const float *from, size_t n, uint64_t *sig, int pe)
{
    FX(float_put_nbi_block)(to, from, n, pe);
    FX(getmem_warp)(to, from, n, pe);
    F(double_iput)((double *)to, (const double *)from, 2, 3, n, pe);
    F(float_put_signal_nbi)(to, from, n, sig, 1, C(SIGNAL_ADD), pe);
    FX(putmem_signal_block)(to, from, n, sig, 1, C(SIGNAL_SET), pe);
}

extern "C" __global__ void words(int *word, uint64_t *sig, int pe)
{
    F(int_p)(word, pe, pe);
    F(fence)();
    F(uint64_atomic_fetch_add)(sig, 5, pe);
    F(int_atomic_inc)(word, pe);
    FX(signal_op)(sig, 5, C(SIGNAL_SET), pe);
    F(signal_wait_until)(sig, C(CMP_GE), 5);
    F(quiet)();
    sig[1] = F(uint64_g)(sig, pe) + (uint64_t)F(my_pe)() + (uint64_t)F(ptr)(sig, pe);
}

extern "C" __global__ void together(int *to, const int *from, size_t n)
{
    FX(barrier_all_block)();
    F(sync_all)();
    FX(int_sum_reduce_block)(C(TEAM_WORLD), to, from, n);
    FX(int_fcollect_warp)(C(TEAM_WORLD), to, from, n);
    F(int_broadcast)(C(TEAM_WORLD), to, from, n, 0);
}

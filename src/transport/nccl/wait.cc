/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a symmetric word: in a stream, or by this thread. */
#include <string.h>
#include <time.h>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"

template <class T>
static bool compare(T now, int cmp, T than)
{
    switch (cmp) {
    case SHMEM_CMP_EQ:
        return now == than;
    case SHMEM_CMP_NE:
        return now != than;
    case SHMEM_CMP_GT:
        return now > than;
    case SHMEM_CMP_LE:
        return now <= than;
    case SHMEM_CMP_LT:
        return now < than;
    default:
        return now >= than;
    }
}

static bool holds(uint64_t now, size_t size, bool is_signed, int cmp, uint64_t than)
{
    switch (size) {
    case 2:
        return is_signed ? compare((int16_t)now, cmp, (int16_t)than) : compare((uint16_t)now, cmp, (uint16_t)than);
    case 4:
        return is_signed ? compare((int32_t)now, cmp, (int32_t)than) : compare((uint32_t)now, cmp, (uint32_t)than);
    default:
        return is_signed ? compare((int64_t)now, cmp, (int64_t)than) : compare(now, cmp, than);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Each look is a copy of the word, so the GPU's work goes on undisturbed. */
static int wait_here(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value)
{
    double limit = gs_mod.core.timeout_s, since = limit > 0 ? seconds() : 0;
    for (;;) {
        uint64_t now = 0;
        if (gs_amo(GS_AMO_FETCH, (void *)addr, size, nullptr, nullptr, &now, nullptr, true))
            return -1;
        if (holds(now, size, is_signed, cmp, value))
            return 0;
        if (limit > 0 && seconds() - since > limit) {
            gs_mod_error(
                "waited %g s (GIN_SHMEM_TIMEOUT) for the word at heap offset %zu: wanted %lld (comparison %d), seen "
                "%lld",
                limit, gs_mod.core.heap_offset(addr), (long long)value, cmp, (long long)now);
            return -1;
        }
    }
}

int gs_wait_until(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream)
{
    if (!stream)
        return wait_here(addr, size, is_signed, cmp, value);
    gs_enter in;
    /* A stream can wait by itself, without room on the GPU, but knows neither a time limit nor, but for equality, the
     * comparisons of OpenSHMEM: its "greater or equal" looks at the difference's sign. */
    if (cmp == SHMEM_CMP_EQ && !gs_mod.state.timeout_ns && size == 8)
        return GS_DRV(cuStreamWaitValue64, (CUstream)stream, (CUdeviceptr)addr, value, CU_STREAM_WAIT_VALUE_EQ);
    if (cmp == SHMEM_CMP_EQ && !gs_mod.state.timeout_ns && size == 4)
        return GS_DRV(cuStreamWaitValue32, (CUstream)stream, (CUdeviceptr)addr, (cuuint32_t)value,
                      CU_STREAM_WAIT_VALUE_EQ);
    struct gs_k_wait w = {addr, (int)size, is_signed, cmp, value};
    return gs_cuda_check(gs_k_wait_launch(&gs_mod.state, &w, (cudaStream_t)stream), "waiting kernel");
}

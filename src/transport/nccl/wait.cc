/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a symmetric word: in a stream, or by this thread. */
#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"
#include "transport/shared/word.h"

/* Each look is a copy of the word, so the GPU's work goes on undisturbed. */
static int load(const void *addr, size_t size, uint64_t *now)
{
    return gs_amo(GS_AMO_FETCH, (void *)addr, size, nullptr, nullptr, now, nullptr, true);
}

int gs_wait_until(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream)
{
    if (!stream)
        return gs_word_wait(&gs_mod.core, load, addr, size, is_signed, cmp, value);
    gs_enter in;
    /* A stream can wait by itself, without room on the GPU, but knows neither a time limit nor, but for equality, the
     * comparisons of OpenSHMEM: its "greater or equal" looks at the difference's sign. */
    if (cmp == SHMEM_CMP_EQ && !gs_mod.state.timeout_ns && size == 8)
        return GS_DRV(cuStreamWaitValue64, (CUstream)stream, (CUdeviceptr)addr, value, CU_STREAM_WAIT_VALUE_EQ);
    if (cmp == SHMEM_CMP_EQ && !gs_mod.state.timeout_ns && size == 4)
        return GS_DRV(cuStreamWaitValue32, (CUstream)stream, (CUdeviceptr)addr, (cuuint32_t)value,
                      CU_STREAM_WAIT_VALUE_EQ);
    struct gs_k_wait w = {addr, (int)size, is_signed, cmp, value};
    return gs_cuda_check(gs_k_wait_launch(&w, (cudaStream_t)stream), "waiting kernel");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory ordering: OpenSHMEM 1.6 section 9.11. */
#include "api/entry.h"
#include "coll/sync.h"
#include "core/far.h"
#include "core/team.h"

/* Orders stores among themselves, what a release is for, and what goes other ways to each PE. */
static void fence(void)
{
    if (!gs_direct())
        gs_order_elsewhere();
    gs_fence(memory_order_acq_rel);
}

void pshmem_fence(void)
{
    gs_need_up("shmem_fence");
    fence();
}
GS_ALIAS(shmem_fence)

void pshmem_ctx_fence(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        (void)gs_ctx_team("shmem_ctx_fence", ctx);
    fence();
}
GS_ALIAS(shmem_ctx_fence)

void pshmem_quiet(void)
{
    gs_need_up("shmem_quiet");
    gs_complete();
}
GS_ALIAS(shmem_quiet)

void pshmem_ctx_quiet(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        (void)gs_ctx_team("shmem_ctx_quiet", ctx);
    gs_complete();
}
GS_ALIAS(shmem_ctx_quiet)

static void pe_quiet(const char *fn, shmem_ctx_t ctx, const int *pes, size_t npes)
{
    const struct gs_group *g = &gs_ctx_team(fn, ctx)->g;
    for (size_t i = 0; i < npes; i++)
        if ((unsigned)pes[i] >= (unsigned)g->n)
            gs_bad_pe(fn, pes[i], g->n);
    if (npes)
        gs_complete(); /* to all PEs together */
}

void pshmem_pe_quiet(const int *target_pes, size_t npes)
{
    pe_quiet("shmem_pe_quiet", SHMEM_CTX_DEFAULT, target_pes, npes);
}
GS_ALIAS(shmem_pe_quiet)

void pshmem_ctx_pe_quiet(shmem_ctx_t ctx, const int *target_pes, size_t npes)
{
    pe_quiet("shmem_ctx_pe_quiet", ctx, target_pes, npes);
}
GS_ALIAS(shmem_ctx_pe_quiet)

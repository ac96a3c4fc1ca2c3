/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams and contexts: OpenSHMEM 1.6 sections 9.4 and 9.5. */
#include "core/team.h"

#include "api/entry.h"
#include "core/log.h"

int pshmem_team_my_pe(shmem_team_t team)
{
    const struct gs_team *t = gs_team_get("shmem_team_my_pe", team);
    return t ? t->g.me : -1;
}
GS_ALIAS(shmem_team_my_pe)

int pshmem_team_n_pes(shmem_team_t team)
{
    const struct gs_team *t = gs_team_get("shmem_team_n_pes", team);
    return t ? t->g.n : -1;
}
GS_ALIAS(shmem_team_n_pes)

int pshmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config)
{
    const struct gs_team *t = gs_team_get("shmem_team_get_config", team);
    if (!t)
        return -1;
    if (config_mask & ~SHMEM_TEAM_NUM_CONTEXTS)
        return -1;
    if (config_mask & SHMEM_TEAM_NUM_CONTEXTS)
        config->num_contexts = t->config.num_contexts;
    return 0;
}
GS_ALIAS(shmem_team_get_config)

int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team)
{
    const struct gs_team *from = gs_team_get("shmem_team_translate_pe", src_team);
    const struct gs_team *to = gs_team_get("shmem_team_translate_pe", dest_team);
    if (!from || !to || (unsigned)src_pe >= (unsigned)from->g.n)
        return -1;
    return gs_team_rank(to, gs_group_pe(&from->g, src_pe));
}
GS_ALIAS(shmem_team_translate_pe)

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t *config, long config_mask, shmem_team_t *new_team)
{
    return gs_team_split_strided("shmem_team_split_strided", parent_team, start, stride, size, config, config_mask,
                                 new_team);
}
GS_ALIAS(shmem_team_split_strided)

int pshmem_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask,
                         shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask,
                         shmem_team_t *yaxis_team)
{
    return gs_team_split_2d("shmem_team_split_2d", parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team,
                            yaxis_config, yaxis_mask, yaxis_team);
}
GS_ALIAS(shmem_team_split_2d)

void pshmem_team_destroy(shmem_team_t team)
{
    gs_team_destroy("shmem_team_destroy", team);
}
GS_ALIAS(shmem_team_destroy)

/* ---- contexts ---- */

static int create(const char *fn, struct gs_team *t, long options, shmem_ctx_t *ctx)
{
    if (options & ~(SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE | SHMEM_DEVICE_CTX)) {
        gs_info("%s: options %#lx has bits that are no SHMEM_CTX_ option: no context is made", fn, (unsigned long)options);
        *ctx = SHMEM_CTX_INVALID;
        return -1;
    }
    if (options & SHMEM_DEVICE_CTX)
        return gs_ctx_create_device(fn, t, ctx);
    return gs_ctx_create(t, options, ctx);
}

int pshmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    gs_need_up("shmem_ctx_create");
    struct gs_team *t = options & SHMEM_DEVICE_CTX ? gs_team_get("shmem_ctx_create", SHMEM_DEVICE_TEAM_WORLD)
                                                  : &gs_team_world;
    return create("shmem_ctx_create", t, options, ctx);
}
GS_ALIAS(shmem_ctx_create)

int pshmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    struct gs_team *t = gs_team_get("shmem_team_create_ctx", team);
    if (t)
        return create("shmem_team_create_ctx", t, options, ctx);
    *ctx = SHMEM_CTX_INVALID;
    return -1;
}
GS_ALIAS(shmem_team_create_ctx)

void pshmem_ctx_destroy(shmem_ctx_t ctx)
{
    gs_ctx_destroy("shmem_ctx_destroy", ctx);
}
GS_ALIAS(shmem_ctx_destroy)

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team)
{
    *team = SHMEM_TEAM_INVALID;
    gs_need_up("shmem_ctx_get_team");
    if (ctx == SHMEM_CTX_INVALID)
        return -1;
    *team = gs_team_handle(gs_ctx_team_any("shmem_ctx_get_team", ctx));
    return 0;
}
GS_ALIAS(shmem_ctx_get_team)

/* Sessions are hints that stores to shared memory have no use for; the handles are checked all the same. */
void pshmem_ctx_session_start(shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config, long config_mask)
{
    (void)options;
    (void)config;
    (void)config_mask;
    if (ctx != SHMEM_CTX_INVALID)
        (void)gs_ctx_team("shmem_ctx_session_start", ctx);
}
GS_ALIAS(shmem_ctx_session_start)

void pshmem_ctx_session_stop(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        (void)gs_ctx_team("shmem_ctx_session_stop", ctx);
}
GS_ALIAS(shmem_ctx_session_stop)

/* SPDX-License-Identifier: BSD-3-Clause */
/* Who we are, teams, addresses of peers. */
#ifndef GIN_NVSHMEM_TEAM_H
#define GIN_NVSHMEM_TEAM_H

#include "types.h"
#if GIN_NV_HOST
#include "library.h"
#endif

GIN_NV_HD int nvshmem_my_pe(void) GIN_NV_BODY(gin_shmem_my_pe(), shmem_my_pe())
GIN_NV_HD int nvshmem_n_pes(void) GIN_NV_BODY(gin_shmem_n_pes(), shmem_n_pes())
GIN_NV_HD void *nvshmem_ptr(const void *ptr, int pe) GIN_NV_BODY(gin_shmem_ptr(ptr, pe), shmem_ptr(ptr, pe))
/* No memory is mapped for multicast, which the standard answer tells. */
GIN_NV_HD void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr)
{
    (void)team;
    (void)ptr;
    return NULL;
}

GIN_NV_HD int nvshmem_team_my_pe(nvshmem_team_t team)
    GIN_NV_BODY(gin_shmem_team_my_pe(gin_nv_team(team)), shmem_team_my_pe(gin_nv_team(team)))
GIN_NV_HD int nvshmem_team_n_pes(nvshmem_team_t team)
    GIN_NV_BODY(gin_shmem_team_n_pes(gin_nv_team(team)), shmem_team_n_pes(gin_nv_team(team)))
GIN_NV_HD int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team)
    GIN_NV_BODY(gin_shmem_team_translate_pe(gin_nv_team(src_team), src_pe, gin_nv_team(dest_team)),
                shmem_team_translate_pe(gin_nv_team(src_team), src_pe, gin_nv_team(dest_team)))

#if GIN_NV_HOST
GIN_NV_H shmem_team_config_t gin_nv_config(const nvshmem_team_config_t *config)
{
    shmem_team_config_t ours;
    ours.num_contexts = config && config->num_contexts > 0 ? config->num_contexts : 0;
    return ours;
}

GIN_NV_H void nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t *config)
{
    shmem_team_config_t ours;
    if (shmem_team_get_config(gin_nv_team(team), SHMEM_TEAM_NUM_CONTEXTS, &ours) == 0)
        config->num_contexts = ours.num_contexts;
}

GIN_NV_H int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start, int PE_stride, int PE_size,
                                        const nvshmem_team_config_t *config, long config_mask,
                                        nvshmem_team_t *new_team)
{
    shmem_team_config_t ours = gin_nv_config(config);
    shmem_team_t made = SHMEM_TEAM_INVALID;
    int rc = shmem_team_split_strided(gin_nv_team(parent_team), PE_start, PE_stride, PE_size, &ours,
                                      config ? config_mask & SHMEM_TEAM_NUM_CONTEXTS : 0, &made);
    *new_team = gin_nv_team_of(made);
    return rc;
}

GIN_NV_H int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange, const nvshmem_team_config_t *xaxis_config,
                                   long xaxis_mask, nvshmem_team_t *xaxis_team,
                                   const nvshmem_team_config_t *yaxis_config, long yaxis_mask,
                                   nvshmem_team_t *yaxis_team)
{
    shmem_team_config_t x = gin_nv_config(xaxis_config), y = gin_nv_config(yaxis_config);
    shmem_team_t x_made = SHMEM_TEAM_INVALID, y_made = SHMEM_TEAM_INVALID;
    int rc = shmem_team_split_2d(gin_nv_team(parent_team), xrange, &x,
                                 xaxis_config ? xaxis_mask & SHMEM_TEAM_NUM_CONTEXTS : 0, &x_made, &y,
                                 yaxis_config ? yaxis_mask & SHMEM_TEAM_NUM_CONTEXTS : 0, &y_made);
    *xaxis_team = gin_nv_team_of(x_made);
    *yaxis_team = gin_nv_team_of(y_made);
    return rc;
}

GIN_NV_H void nvshmem_team_destroy(nvshmem_team_t team)
{
    shmem_team_destroy(gin_nv_team(team));
}

GIN_NV_H int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t *uniqueid)
{
    (void)uniqueid;
    return shmemx_nvshmem_unsupported("nvshmemx_team_get_uniqueid",
                                      "teams are made by all members of a parent: use nvshmem_team_split_strided");
}
GIN_NV_H int nvshmemx_team_init(nvshmem_team_t *team, nvshmem_team_config_t *config, long config_mask, int npes,
                                int pe_idx_in_team)
{
    (void)config, (void)config_mask, (void)npes, (void)pe_idx_in_team;
    *team = NVSHMEM_TEAM_INVALID;
    return shmemx_nvshmem_unsupported("nvshmemx_team_init",
                                      "teams are made by all members of a parent: use nvshmem_team_split_strided");
}
#endif

#endif

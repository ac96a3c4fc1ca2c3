/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams in kernels: made on the host, used here. OpenSHMEM 1.6 sections 9.1 and 9.4. */
#ifndef GIN_SHMEM_TEAM_H
#define GIN_SHMEM_TEAM_H

#include "addr.h"
#include "types.h"

namespace gin_shmem_impl
{

struct team_view {
    int n, me, start, stride;
    const int32_t *pes;
};

GIN_SHMEM_FN bool team_in_slot(uint32_t slot, struct team_view *t, uint64_t *handle)
{
    const struct gin_shmem_state &s = state();
    if (slot >= (uint32_t)s.max_teams || !s.teams)
        return false;
    const struct gin_shmem_team *row = &s.teams[slot];
    t->n = row->n, t->me = row->me, t->start = row->start, t->stride = row->stride, t->pes = row->pes;
    *handle = row->handle;
    return t->n > 0;
}

/* False: the handle stands for no team that this PE is a member of. */
GIN_SHMEM_FN bool team_find(uint64_t handle, struct team_view *t)
{
    const struct gin_shmem_state &s = state();
    if (handle == (uint64_t)SHMEM_TEAM_WORLD) {
        t->n = s.n, t->me = s.me, t->start = 0, t->stride = 1, t->pes = nullptr;
        return s.n > 0;
    }
    uint64_t current GIN_SHMEM_CLEARED;
    return team_in_slot((uint32_t)(handle & 0xffff) - 1, t, &current) && current == handle;
}

GIN_SHMEM_FN int team_pe(const struct team_view &t, int rank)
{
    return t.pes ? t.pes[rank] : t.start + rank * t.stride;
}

/* Rank of world PE pe, or -1. */
GIN_SHMEM_FN int team_rank(const struct team_view &t, int pe)
{
    if (t.pes) {
        for (int r = 0; r < t.n; r++)
            if (t.pes[r] == pe)
                return r;
        return -1;
    }
    int away = pe - t.start;
    if (away == 0)
        return 0;
    if (t.stride == 0 || away % t.stride != 0)
        return -1;
    int r = away / t.stride;
    return r > 0 && r < t.n ? r : -1;
}

GIN_SHMEM_FN void need_init(uint32_t fn)
{
    if (state().magic != GIN_SHMEM_STATE_MAGIC)
        fail(0, fn, -1, -1, nullptr, 0, 0, 0);
}

} // namespace gin_shmem_impl

/* Number of this PE in the world, and how many there are. */
GIN_SHMEM_FN int gin_shmem_my_pe()
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_my_pe);
    return gin_shmem_impl::state().me;
}
GIN_SHMEM_FN int gin_shmem_n_pes()
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_n_pes);
    return gin_shmem_impl::state().n;
}

/* In team; -1 when this PE is not a member, or there is no such team. */
GIN_SHMEM_FN int gin_shmem_team_my_pe(shmem_team_t team)
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_team_my_pe);
    struct gin_shmem_impl::team_view t;
    return gin_shmem_impl::team_find((uint64_t)team, &t) ? t.me : -1;
}
GIN_SHMEM_FN int gin_shmem_team_n_pes(shmem_team_t team)
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_team_n_pes);
    struct gin_shmem_impl::team_view t;
    return gin_shmem_impl::team_find((uint64_t)team, &t) ? t.n : -1;
}

/* The number in dest_team of PE src_pe of src_team; -1 when it is not in both. */
GIN_SHMEM_FN int gin_shmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team)
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_team_translate_pe);
    struct gin_shmem_impl::team_view a GIN_SHMEM_CLEARED, b GIN_SHMEM_CLEARED;
    if (!gin_shmem_impl::team_find((uint64_t)src_team, &a) || !gin_shmem_impl::team_find((uint64_t)dest_team, &b) ||
        src_pe < 0 || src_pe >= a.n)
        return -1;
    return gin_shmem_impl::team_rank(b, gin_shmem_impl::team_pe(a, src_pe));
}

/* gin_shmem_ptr of PE pe of team; NULL for no team. */
GIN_SHMEM_FN void *gin_shmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    gin_shmem_impl::need_init(GIN_SHMEM_FN_team_ptr);
    struct gin_shmem_impl::team_view t;
    if (!gin_shmem_impl::team_find((uint64_t)team, &t) || pe < 0 || pe >= t.n)
        return nullptr;
    return gin_shmem_ptr(dest, gin_shmem_impl::team_pe(t, pe));
}

#endif

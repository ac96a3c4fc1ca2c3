/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives in kernels, OpenSHMEM 1.6 section 9.9.
 *
 * One thread, one warp or one block of every member calls, in the same order; it is that group that works. dest and
 * source are symmetric objects of the same address on all members, and do not overlap (a reduction may be in place:
 * dest == source). nelems counts elements (bytes for the mem forms), per PE where the standard says so. Returns 0.
 *
 * index: several groups of a PE may use one team at the same time, each with an index of its own (block 3 of every PE,
 * say, with index 3). The first 8 teams (WORLD, SHARED and some more) have 256 indices, others 16; messages up to 32
 * KiB (divided by half the PEs) are fastest with index 0 to 3, or 0 of the other teams.
 * An index is one group's at a time: before a block uses one that a thread or a warp of it has used, __syncthreads.
 *
 * Short messages go by mail (lane.h): one step, no barrier. Longer ones are moved directly between two barriers.
 */
#ifndef GIN_SHMEM_COLL_H
#define GIN_SHMEM_COLL_H

#include "lane.h"
#include "rma.h"

namespace gin_shmem_impl
{

template <class G>
GIN_SHMEM_COLD void barrier(shmem_team_t team, int index, enum lane_order order, uint32_t fn)
{
    lane_barrier<G>(lane_of(team, index, fn | G::tag), order);
}

GIN_SHMEM_FN unsigned char *plus(const void *p, size_t bytes)
{
    return (unsigned char *)p + bytes;
}

/* Rank r, k places behind me: members begin with different peers. */
GIN_SHMEM_FN int behind(const struct team_view &t, int k)
{
    int r = t.me + k;
    return r < t.n ? r : r - t.n;
}

/* Own part of a collective, which stays here. */
template <class G>
GIN_SHMEM_FN void copy_own(void *dest, const void *source, size_t bytes)
{
    if (dest != source)
        copy_plain<G, put_way, 4>((unsigned char *)dest, (const unsigned char *)source, bytes);
}

/* Own bytes to dest at every member, from `apart` further on for each rank, between two barriers. */
template <class G>
GIN_SHMEM_COLD void push_direct(struct lane_view l, void *dest, const void *source, size_t bytes, size_t apart)
{
    check(dest, bytes, -1, l.fn);
    lane_barrier<G>(l, LANE_SYNC); /* everybody's dest may be written */
    GIN_SHMEM_ROLLED
    for (int k = 0; bytes && k < l.t.n; k++) {
        int r = behind(l.t, k);
        unsigned char *to = (unsigned char *)member(dest, l.t, r, l.fn);
        if (!is_far(to))
            copy_plain<G, put_way, 4>(to, plus(source, r * apart), bytes);
        else if (G::rank() == 0)
            remote_put(dest, plus(source, r * apart), bytes, team_pe(l.t, r), false, l.fn);
    }
    lane_barrier<G>(l, LANE_ORDER);
}

template <class G, int E>
GIN_SHMEM_COLD void alltoall(shmem_team_t team, void *dest, const void *source, size_t bytes, bool same, int index,
                             uint32_t fn)
{
    const struct lane_view l = lane_of(team, index, fn | G::tag);
    const size_t apart = same ? 0 : bytes; /* fcollect sends the same block to all */
    if (bytes == 0)
        return;
    if (bytes > l.payload) {
        push_direct<G>(l, plus(dest, l.t.me * bytes), source, bytes, apart);
        return;
    }
    struct exchange x = exchange_begin<G>(l);
    GIN_SHMEM_ROLLED
    for (int k = 1; k < l.t.n; k++)
        mail_send<G, E>(x, behind(l.t, k), 0, plus(source, behind(l.t, k) * apart), (uint32_t)bytes);
    copy_own<G>(plus(dest, l.t.me * bytes), plus(source, l.t.me * apart), bytes);
    GIN_SHMEM_ROLLED
    for (int k = 1; k < l.t.n; k++)
        lines_receive<G, E>(mail_from(x, behind(l.t, k)), plus(dest, behind(l.t, k) * bytes), (uint32_t)bytes, x.count,
                            l.fn);
    exchange_end<G>(x);
}

GIN_SHMEM_COLD void broadcast_far(struct lane_view l, void *dest, const void *source, size_t bytes)
{
    GIN_SHMEM_ROLLED
    for (int r = 0; r < l.t.n; r++)
        if (is_far(member(dest, l.t, r, l.fn)))
            remote_put(dest, source, bytes, team_pe(l.t, r), false, l.fn);
}

/* Near members get the data themselves, far ones have it put by root. */
template <class G>
GIN_SHMEM_COLD void broadcast_direct(struct lane_view l, void *dest, const void *source, size_t bytes, int root)
{
    check(source, bytes, -1, l.fn);
    lane_barrier<G>(l, LANE_SYNC); /* root's source is ready, and everybody's dest */
    if (l.t.me != root) {
        const unsigned char *from = (unsigned char *)member(source, l.t, root, l.fn);
        if (!is_far(from))
            copy_plain<G, get_way, 4>((unsigned char *)dest, from, bytes);
    } else {
        if (has_far() && G::rank() == 0)
            broadcast_far(l, dest, source, bytes);
        copy_own<G>(dest, source, bytes);
    }
    lane_barrier<G>(l, LANE_ORDER); /* and may be changed again */
}

template <class G, int E>
GIN_SHMEM_COLD void broadcast(shmem_team_t team, void *dest, const void *source, size_t bytes, int root, int index,
                              uint32_t fn)
{
    const struct lane_view l = lane_of(team, index, fn | G::tag);
    const int n = l.t.n, me = l.t.me;
    if ((uint32_t)root >= (uint32_t)n)
        fail(GIN_SHMEM_REPORT_ARGUMENT, l.fn, root, -1, nullptr, 0, (uint64_t)root, (uint64_t)n);
    if (bytes == 0)
        return;
    if (bytes > l.payload) {
        broadcast_direct<G>(l, dest, source, bytes, root);
        return;
    }
    struct exchange x = exchange_begin<G>(l);
    GIN_SHMEM_ROLLED
    for (int k = 1; k < n; k++) {
        if (me == root)
            mail_send<G, E>(x, behind(l.t, k), 0, source, (uint32_t)bytes);
        else
            word_send<G>(x, behind(l.t, k), 0);
    }
    if (me == root)
        copy_own<G>(dest, source, bytes);
    else
        lines_receive<G, E>(mail_from(x, root), dest, (uint32_t)bytes, x.count, l.fn);
    GIN_SHMEM_ROLLED
    for (int r = (int)G::rank(); r < n; r += (int)G::size())
        if (r != me && r != root)
            line_receive(mail_from(x, r), x.count, l.fn);
    exchange_end<G>(x);
}

/*
 * Members contribute different numbers of bytes, and only their own is known to each. So the first line of everybody's
 * message says how many; what fits follows at once. When somebody's does not fit, which all know by then, the members
 * with too much write it to its place directly, between two barriers.
 */
template <class G, int E>
GIN_SHMEM_COLD void collect(shmem_team_t team, void *dest, const void *source, size_t bytes, int index, uint32_t fn)
{
    const struct lane_view l = lane_of(team, index, fn | G::tag);
    const size_t fits = l.payload - 8;
    struct exchange x = exchange_begin<G>(l);
    GIN_SHMEM_ROLLED
    for (int k = 1; k < l.t.n; k++) {
        word_send<G>(x, behind(l.t, k), bytes);
        if (bytes <= fits)
            mail_send<G, E>(x, behind(l.t, k), 1, source, (uint32_t)bytes);
    }
    size_t at = 0, mine = 0;
    bool direct = false;
    GIN_SHMEM_ROLLED
    for (int r = 0; r < l.t.n; r++) {
        const uint64_t *mail = mail_from(x, r);
        size_t theirs = r == l.t.me ? bytes : line_receive(mail, x.count, l.fn);
        direct = direct || theirs > fits;
        if (r == l.t.me) {
            mine = at;
            if (bytes <= fits)
                copy_own<G>(plus(dest, at), source, bytes);
        } else if (theirs <= fits) {
            lines_receive<G, E>(mail + 2, plus(dest, at), (uint32_t)theirs, x.count, l.fn);
        }
        at += theirs;
    }
    exchange_end<G>(x);
    if (direct)
        push_direct<G>(l, plus(dest, mine), source, bytes > fits ? bytes : 0, 0);
}

} // namespace gin_shmem_impl

/* barrier: quiet, then sync. sync: members arrive; what each stored locally before is visible to all behind it. */
#define GIN_SHMEM_BARRIER_SET(A, S, G)                                                                             \
    GIN_SHMEM_FN int gin_shmem_barrier##S(shmem_team_t team, int index = 0)                                        \
    {                                                                                                              \
        gin_shmem_impl::barrier<G>(team, index, gin_shmem_impl::LANE_QUIET, GIN_SHMEM_FN_barrier);                 \
        return 0;                                                                                                  \
    }                                                                                                              \
    GIN_SHMEM_FN void gin_shmem_barrier_all##S(int index = 0)                                                      \
    {                                                                                                              \
        gin_shmem_impl::barrier<G>(SHMEM_TEAM_WORLD, index, gin_shmem_impl::LANE_QUIET, GIN_SHMEM_FN_barrier_all); \
    }                                                                                                              \
    GIN_SHMEM_FN int gin_shmem_sync##S(shmem_team_t team, int index = 0)                                           \
    {                                                                                                              \
        gin_shmem_impl::barrier<G>(team, index, gin_shmem_impl::LANE_SYNC, GIN_SHMEM_FN_sync);                     \
        return 0;                                                                                                  \
    }                                                                                                              \
    GIN_SHMEM_FN int gin_shmem_team_sync##S(shmem_team_t team, int index = 0)                                      \
    {                                                                                                              \
        return gin_shmem_sync##S(team, index);                                                                     \
    }                                                                                                              \
    GIN_SHMEM_FN void gin_shmem_sync_all##S(int index = 0)                                                         \
    {                                                                                                              \
        gin_shmem_impl::barrier<G>(SHMEM_TEAM_WORLD, index, gin_shmem_impl::LANE_SYNC, GIN_SHMEM_FN_sync_all);     \
    }
GIN_SHMEM_SCOPES(GIN_SHMEM_BARRIER_SET, )

#define GIN_SHMEM_COLL_SET(PRE, MEM, T, E, HEAD, S, G)                                                           \
    HEAD GIN_SHMEM_FN int PRE##broadcast##MEM##S(shmem_team_t team, T *dest, const T *source, size_t nelems,     \
                                                 int PE_root, int index = 0)                                     \
    {                                                                                                            \
        gin_shmem_impl::broadcast<G, E>(team, dest, source, nelems * E, PE_root, index, GIN_SHMEM_FN_broadcast); \
        return 0;                                                                                                \
    }                                                                                                            \
    HEAD GIN_SHMEM_FN int PRE##fcollect##MEM##S(shmem_team_t team, T *dest, const T *source, size_t nelems,      \
                                                int index = 0)                                                   \
    {                                                                                                            \
        gin_shmem_impl::alltoall<G, E>(team, dest, source, nelems * E, true, index, GIN_SHMEM_FN_fcollect);      \
        return 0;                                                                                                \
    }                                                                                                            \
    HEAD GIN_SHMEM_FN int PRE##alltoall##MEM##S(shmem_team_t team, T *dest, const T *source, size_t nelems,      \
                                                int index = 0)                                                   \
    {                                                                                                            \
        gin_shmem_impl::alltoall<G, E>(team, dest, source, nelems * E, false, index, GIN_SHMEM_FN_alltoall);     \
        return 0;                                                                                                \
    }                                                                                                            \
    HEAD GIN_SHMEM_FN int PRE##collect##MEM##S(shmem_team_t team, T *dest, const T *source, size_t nelems,       \
                                               int index = 0)                                                    \
    {                                                                                                            \
        gin_shmem_impl::collect<G, E>(team, dest, source, nelems * E, index, GIN_SHMEM_FN_collect);              \
        return 0;                                                                                                \
    }

#define GIN_SHMEM_COLL_TYPED(A, N, T) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_COLL_SET, gin_shmem_##N##_, , T, sizeof(T), GIN_SHMEM_LAZY)
GIN_SHMEM_RMA_TYPES(GIN_SHMEM_COLL_TYPED, )
GIN_SHMEM_SCOPES(GIN_SHMEM_COLL_SET, gin_shmem_, mem, void, 1, GIN_SHMEM_LAZY)
GIN_SHMEM_SCOPES(GIN_SHMEM_COLL_SET, gin_shmem_, , T, sizeof(T), GIN_SHMEM_ANY_TYPE)

#endif

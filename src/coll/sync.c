/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/sync.h"

#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "core/far.h"
#include "core/team.h"
#include "core/log.h"
#include "core/wait.h"
#include "heap/addr.h"

/* One counter and one release word at rank 0: the fewest wake-ups, so the right thing when PEs share cores. */
static void sync_central(struct gs_group *g)
{
    struct gs_slot *root = gs_group_slot(g, 0);
    uint64_t all = g->epoch * (uint64_t)g->n;
    if (atomic_fetch_add_explicit(&root->arrive.v, 1, memory_order_acq_rel) + 1 == all)
        atomic_store_explicit(&root->release.v, g->epoch, memory_order_release);
    else
        gs_wait_ge(&root->release.v, g->epoch);
}

/* Dissemination: in round k each tells the member 2^k further on and waits for the one 2^k before. The least latency
 * when every PE has a core. */
static void sync_dissemination(struct gs_group *g)
{
    struct gs_slot *mine = gs_group_slot(g, g->me);
    for (int k = 0, dist = 1; dist < g->n; k++, dist *= 2) {
        struct gs_slot *to = gs_group_slot(g, (g->me + dist) % g->n);
        gs_word_set(&to->round[k].v, g->epoch);
        gs_wait_ge(&mine->round[k].v, g->epoch);
    }
}

/* Several nodes: those of a node meet at their leader, and leaders meet by dissemination. Their words are others than those
 * of sync_dissemination, for each has one writer only, and so never goes back. */
static void sync_nodes(struct gs_group *g)
{
    struct gs_slot *lead = gs_group_slot(g, g->leader);
    if (g->leader != g->me) {
        atomic_fetch_add_explicit(&lead->arrive.v, 1, memory_order_acq_rel);
        gs_wait_ge(&lead->release.v, g->epoch);
        return;
    }
    gs_wait_ge(&lead->arrive.v, g->epoch * (uint64_t)(g->locals - 1));
    for (int k = 0, dist = 1; dist < g->nleaders; k++, dist *= 2) {
        struct gs_slot *to = gs_group_slot(g, g->leaders[(g->place + dist) % g->nleaders]);
        gs_word_set(&to->node[k].v, g->epoch);
        gs_wait_ge(&lead->node[k].v, g->epoch);
    }
    atomic_store_explicit(&lead->release.v, g->epoch, memory_order_release);
}

/* Active sets: words of pSync. Word 2 is collect's. */
enum { PSYNC_ARRIVE, PSYNC_RELEASE, PSYNC_ROUND = 3, PSYNC_ROUNDS = SHMEM_SYNC_SIZE - PSYNC_ROUND };

static long *psync_of(const struct gs_group *g, int rank)
{
    return gs_remote("active-set collective", "pSync", g->psync, SHMEM_SYNC_SIZE * sizeof(long), gs_group_pe(g, rank));
}

/* Arrivals on rank 0, and a release on each other member. Whoever waits for a word sets it back before anybody can use
 * it again, so that pSync is clean at return and ready for the next call. */
static void sync_psync_central(struct gs_group *g)
{
    const long one = 1;
    long *at_root = psync_of(g, 0);
    if (g->me == 0) {
        for (unsigned turn = 0; __atomic_load_n(&at_root[PSYNC_ARRIVE], __ATOMIC_ACQUIRE) != g->n - 1;)
            gs_relax(&turn);
        __atomic_store_n(&at_root[PSYNC_ARRIVE], 0, __ATOMIC_RELAXED);
        for (int r = 1; r < g->n; r++)
            gs_word_set((_Atomic uint64_t *)&psync_of(g, r)[PSYNC_RELEASE], 1);
    } else {
        if (gs_is_far(at_root))
            gs.far->amo(GS_AMO_ADD, gs_far_place(&at_root[PSYNC_ARRIVE]), sizeof one, &one, NULL, NULL, false);
        else
            __atomic_fetch_add(&at_root[PSYNC_ARRIVE], one, __ATOMIC_ACQ_REL);
        for (unsigned turn = 0; __atomic_load_n(&g->psync[PSYNC_RELEASE], __ATOMIC_ACQUIRE) == 0;)
            gs_relax(&turn);
        __atomic_store_n(&g->psync[PSYNC_RELEASE], 0, __ATOMIC_RELAXED);
    }
}

/* Each round's word is counted up by the one before and down here: the one before may be in its next call already, and
 * then it stays 1. */
static void sync_psync_dissemination(struct gs_group *g)
{
    for (int k = PSYNC_ROUND, dist = 1; dist < g->n; k++, dist *= 2) {
        __atomic_fetch_add(&psync_of(g, (g->me + dist) % g->n)[k], 1, __ATOMIC_ACQ_REL);
        for (unsigned turn = 0; __atomic_load_n(&g->psync[k], __ATOMIC_ACQUIRE) == 0;)
            gs_relax(&turn);
        __atomic_fetch_sub(&g->psync[k], 1, __ATOMIC_RELAXED);
    }
}

int gs_group_look(struct gs_group *g)
{
    int *seen = NULL, nodes = 0;
    g->spread = false;
    g->leaders = NULL;
    for (int r = 0; gs.far && r < g->n; r++)
        g->spread |= !gs.peer[gs_group_pe(g, r)].near;
    if (!g->spread || g->slot < 0)
        return 0;
    g->locals = 0;
    seen = calloc((size_t)gs.nodes, sizeof *seen);
    g->leaders = malloc(sizeof *g->leaders * (size_t)(g->n < gs.nodes ? g->n : gs.nodes));
    if (!seen || !g->leaders) {
        gs_error("no memory for a team of %d PEs on several nodes", g->n);
        free(seen);
        gs_group_forget(g);
        return -1;
    }
    for (int r = 0; r < g->n; r++) {
        int node = gs.records[gs_group_pe(g, r)].node;
        if (!seen[node]++) {
            if (node == gs.node) {
                g->leader = r;
                g->place = nodes;
            }
            g->leaders[nodes++] = r;
        }
    }
    g->nleaders = nodes;
    g->locals = seen[gs.node];
    free(seen);
    return 0;
}

void gs_group_forget(struct gs_group *g)
{
    free(g->leaders);
    g->leaders = NULL;
}

void gs_group_sync(struct gs_group *g)
{
    if (g->n == 1)
        return;
    g->epoch++;
    if (g->slot < 0 && (g->spread || gs.yield || g->n > 1 << PSYNC_ROUNDS))
        sync_psync_central(g);
    else if (g->slot < 0)
        sync_psync_dissemination(g);
    else if (gs_unlikely(g->spread))
        sync_nodes(g);
    else if (gs.yield)
        sync_central(g);
    else
        sync_dissemination(g);
}

/* Neither the central way nor that of nodes: there the others look at rank 0's words until they see the release, and rank 0, which need not wait
 * for that, could use its slot for another team by then. */
void gs_group_part(struct gs_group *g)
{
    if (g->n == 1)
        return;
    g->epoch++;
    sync_dissemination(g);
}

void gs_barrier_world(void)
{
    gs_group_barrier(&gs_team_world.g);
}

void gs_flat_send(const struct gs_group *g, int to, const void *data, size_t bytes)
{
    struct gs_mail *m = &gs_group_slot(g, to)->mail[g->mails % 2][g->me];
    if (gs_is_far(m)) {
        gs.far->put_signal(gs_far_place(m->data), data, bytes, gs_far_place(&m->seq), g->mails, false, false);
        return;
    }
    memcpy(m->data, data, bytes);
    atomic_store_explicit(&m->seq, g->mails, memory_order_release);
}

const void *gs_flat_receive(const struct gs_group *g, int from)
{
    struct gs_mail *m = &gs_group_slot(g, g->me)->mail[g->mails % 2][from];
    gs_wait_ge(&m->seq, g->mails);
    return m->data;
}

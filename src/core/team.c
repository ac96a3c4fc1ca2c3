/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "core/env.h"
#include "core/log.h"

enum { CTX_MAGIC = 0x0c0ffee5, DEAD = 0xdead };
/* The predefined teams' slots: their handles less 1. The shared ones have the PEs of a node; the last has the PEs that are
 * of the same rank in theirs (NVSHMEMX_TEAM_SAME_MYPE_NODE), one of each node with so many. */
enum { SLOT_WORLD, SLOT_SHARED, SLOT_DEVICE_WORLD, SLOT_DEVICE_SHARED, SLOT_SAME_RANK, SLOTS_PREDEFINED };

struct gs_team gs_team_world;
static struct gs_team predefined[SLOTS_PREDEFINED]; /* [0] is not used: gs_team_world is read too often */

/* By slot; NULL where this PE is in no team. A slot's uses are counted over the life of the process. */
static struct gs_team *teams[GS_TEAMS_MAX];
static unsigned uses[GS_TEAMS_MAX];
/* Structs of destroyed contexts are kept, so that a stale handle is recognised by its magic. They are used again, the
 * oldest first, once there are enough of them that a handle has stayed stale for a while. */
enum { SPARE_CONTEXTS = 64 };
static struct gs_ctx *spare_contexts, **spare_end = &spare_contexts;
static int spares;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the tables above, `used`, and each team's contexts */
static long device_contexts; /* alive, of kernels */
static unsigned char used[GS_SCRATCH_BYTES]; /* one bit a slot that this PE has in use */

_Static_assert(GS_TEAMS_MAX < 1 << GS_HANDLE_SLOT_BITS, "a slot fits its part of the handle");

static shmem_team_t make_handle(int slot, unsigned use)
{
    /* 32 bits in all: NVSHMEM's handles have no more */
    return (shmem_team_t)((uintptr_t)(use & 0xffff) << GS_HANDLE_SLOT_BITS | (uintptr_t)(slot + 1));
}

struct gs_team *gs_team_get(const char *fn, shmem_team_t team)
{
    gs_need_up(fn);
    if (team == SHMEM_TEAM_WORLD)
        return &gs_team_world;
    if (team == SHMEM_TEAM_INVALID)
        return NULL;
    size_t slot = ((uintptr_t)team & ((1u << GS_HANDLE_SLOT_BITS) - 1)) - 1;
    struct gs_team *t = slot < GS_TEAMS_MAX ? teams[slot] : NULL;
    if (!t || t->handle != team)
        gs_die(fn, "team %p is not a team: it was destroyed, or never came from a split", (void *)team);
    return t;
}

struct gs_team *gs_team_need(const char *fn, shmem_team_t team)
{
    struct gs_team *t = gs_team_get(fn, team);
    if (!t)
        gs_die(fn, "team is SHMEM_TEAM_INVALID: only members of a team may call this");
    return t;
}

const struct gs_team *gs_team_in_slot(int slot)
{
    return teams[slot];
}

shmem_team_t gs_team_handle(const struct gs_team *t)
{
    return t ? t->handle : SHMEM_TEAM_INVALID;
}

int gs_team_rank(const struct gs_team *t, int pe)
{
    if (t->g.pes) {
        for (int r = 0; r < t->g.n; r++)
            if (t->g.pes[r] == pe)
                return r;
        return -1;
    }
    int d = pe - t->g.start;
    if (d % t->g.stride != 0)
        return -1;
    int r = d / t->g.stride;
    return r >= 0 && r < t->g.n ? r : -1;
}

/* The PEs of this node, or of this rank in their nodes: a stride where there is one, else a list. */
static int node_members(struct gs_team *t, bool same_rank)
{
    int n = 0, stride = 1, mine = 0, *pes = malloc(sizeof *pes * (size_t)gs.n);
    int *seen = calloc((size_t)gs.nodes, sizeof *seen);
    bool regular = true;
    if (!pes || !seen) {
        gs_error("no memory for the team of this node's PEs");
        free(pes);
        free(seen);
        return -1;
    }
    for (int i = 0; i < gs.me; i++)
        mine += gs.records[i].node == gs.node;
    for (int i = 0; i < gs.n; i++) {
        int node = gs.records[i].node, rank = seen[node]++;
        if (same_rank ? rank != mine : node != gs.node)
            continue;
        if (i == gs.me)
            t->g.me = n;
        pes[n++] = i;
        if (n == 2)
            stride = pes[1] - pes[0];
        regular &= n < 2 || pes[n - 1] - pes[n - 2] == stride;
    }
    t->g.n = n;
    t->g.start = pes[0];
    t->g.stride = stride;
    t->pes = regular ? NULL : pes;
    t->g.pes = t->pes;
    if (regular)
        free(pes);
    free(seen);
    return 0;
}

static void clear_slot(int slot)
{
    memset(&((struct gs_sys *)gs.peer[gs.me].sys)->team[slot], 0, sizeof(struct gs_slot));
}

static void mark(int slot, bool on)
{
    unsigned char bit = (unsigned char)(1u << (slot % 8));
    used[slot / 8] = on ? used[slot / 8] | bit : used[slot / 8] & (unsigned char)~bit;
}

int gs_team_start(void)
{
    memset(used, 0, sizeof used);
    gs_team_world = (struct gs_team){
        .handle = SHMEM_TEAM_WORLD,
        .g = {.n = gs.n, .me = gs.me, .start = 0, .stride = 1, .slot = SLOT_WORLD},
        .config.num_contexts = 0,
    };
    used[0] = 0;
    for (int slot = 0; slot < SLOTS_PREDEFINED; slot++) {
        struct gs_team *t = slot == SLOT_WORLD ? &gs_team_world : &predefined[slot];
        *t = gs_team_world;
        t->handle = (shmem_team_t)(uintptr_t)(slot + 1);
        t->g.slot = slot;
        t->g.leaders = NULL;
        teams[slot] = t;
        clear_slot(slot);
        mark(slot, true);
        bool shared = slot == SLOT_SHARED || slot == SLOT_DEVICE_SHARED;
        if ((shared || slot == SLOT_SAME_RANK) && node_members(t, slot == SLOT_SAME_RANK) != 0)
            return -1;
        if (gs_group_look(&t->g) != 0)
            return -1;
    }
    return 0;
}

/* Under the lock. */
static void retire(struct gs_ctx *c)
{
    c->magic = DEAD;
    c->next = NULL;
    *spare_end = c;
    spare_end = &c->next;
    spares++;
}

static void free_contexts(struct gs_team *t)
{
    while (t->contexts) {
        struct gs_ctx *c = t->contexts;
        t->contexts = c->next;
        retire(c);
    }
}

void gs_team_stop(void)
{
    pthread_mutex_lock(&lock);
    for (int slot = 0; slot < GS_TEAMS_MAX; slot++) {
        struct gs_team *t = teams[slot];
        if (!t)
            continue;
        free_contexts(t);
        gs_group_forget(&t->g);
        free(t->pes);
        if (slot >= SLOTS_PREDEFINED)
            free(t);
    }
    memset(teams, 0, sizeof teams);
    device_contexts = 0;
    pthread_mutex_unlock(&lock);
}

/* Reserves slot here; false when another thread of this PE has taken it meanwhile, for a split of another team. */
static bool reserve(int slot)
{
    pthread_mutex_lock(&lock);
    bool ok = slot >= 0 && !(used[slot / 8] >> (slot % 8) & 1);
    if (ok)
        mark(slot, true);
    pthread_mutex_unlock(&lock);
    return ok;
}

static void unreserve(int slot)
{
    pthread_mutex_lock(&lock);
    mark(slot, false);
    pthread_mutex_unlock(&lock);
}

/* The lowest slot that no member of parent uses, reserved on every member; -1 when there is none. Collective on parent. */
static int agree_on_slot(struct gs_team *parent)
{
    struct gs_group *g = &parent->g;
    size_t bytes = ((size_t)gs_env.max_teams + 7) / 8;
    unsigned char *mine = gs_group_slot(g, g->me)->scratch, taken[GS_SCRATCH_BYTES];
    for (;;) {
        pthread_mutex_lock(&lock);
        memcpy(mine, used, bytes);
        pthread_mutex_unlock(&lock);
        gs_group_sync(g);
        memset(taken, 0, bytes);
        for (int r = 0; r < g->n; r++) {
            unsigned char theirs[GS_SCRATCH_BYTES];
            gs_load("team", theirs, gs_group_slot(g, r)->scratch, bytes);
            for (size_t i = 0; i < bytes; i++)
                taken[i] |= theirs[i];
        }
        int slot = 0;
        while (slot < gs_env.max_teams && taken[slot / 8] >> (slot % 8) & 1)
            slot++;
        if (slot == gs_env.max_teams) {
            gs_group_sync(g); /* scratch may be written again */
            return -1;
        }
        gs_group_sync(g);
        bool ok = reserve(slot), all = true;
        mine[0] = ok;
        gs_group_sync(g);
        for (int r = 0; r < g->n; r++) {
            unsigned char theirs;
            gs_load("team", &theirs, gs_group_slot(g, r)->scratch, 1);
            all &= theirs;
        }
        gs_group_sync(g);
        if (all)
            return slot;
        if (ok)
            unreserve(slot);
    }
}

/* What a split makes for this PE: `size` PEs from `start` on, `stride` apart, in parent's numbers. Not a member: me -1. */
struct part {
    int start, stride, size, me;
};

/* Collective on parent, whose members may be in different parts: parts do not overlap, so one slot serves them all.
 * Gives NULL where this PE is in none. */
static int make(const char *fn, struct gs_team *parent, struct part part, const shmem_team_config_t *config, long mask,
                struct gs_team **out)
{
    struct gs_group *g = &parent->g;
    *out = NULL;
    int slot = agree_on_slot(parent);
    if (slot < 0) {
        if (g->me == 0)
            gs_error("%s: no room for another team: %ld exist; destroy some, or raise GIN_SHMEM_MAX_TEAMS", fn,
                     gs_env.max_teams);
        return -1;
    }
    if (part.me < 0) {
        unreserve(slot);
        gs_group_sync(g);
        return 0;
    }
    int *pes = NULL;
    if (g->pes) { /* world numbers that no stride gives */
        pes = malloc(sizeof *pes * (size_t)part.size);
        for (int r = 0; pes && r < part.size; r++)
            pes[r] = gs_group_pe(g, part.start + r * part.stride);
    }
    struct gs_team *t = malloc(sizeof *t);
    if (!t || (g->pes && !pes))
        gs_die(fn, "no memory for a team of %d PEs", part.size);
    *t = (struct gs_team){
        .handle = make_handle(slot, ++uses[slot]),
        .g = {.n = part.size, .me = part.me, .start = gs_group_pe(g, part.start),
              .stride = part.size > 1 ? g->stride * part.stride : 1, /* one PE: the stride may be any number */
              .pes = pes, .slot = slot},
        .pes = pes,
    };
    if (gs_group_look(&t->g) != 0)
        gs_die(fn, "no memory for a team of %d PEs", part.size);
    if (config && (mask & SHMEM_TEAM_NUM_CONTEXTS))
        t->config = *config;
    clear_slot(slot);
    teams[slot] = t; /* the slot is reserved: nobody else touches its entry */
    if (gs.dev && gs.dev->team_set(slot, &t->g) != 0)
        gs_die(fn, "the team cannot be made known to the GPU: see the message before this one");
    gs_group_sync(g); /* nobody sends to a slot that its owner has not cleared */
    *out = t;
    return 0;
}

int gs_team_split_strided(const char *fn, shmem_team_t parent, int start, int stride, int size,
                          const shmem_team_config_t *config, long mask, shmem_team_t *out)
{
    *out = SHMEM_TEAM_INVALID;
    struct gs_team *p = gs_team_get(fn, parent), *t;
    if (!p)
        return -1;
    long last = start + ((long)size - 1) * stride;
    if (size < 1 || start < 0 || start >= p->g.n || last < 0 || last >= p->g.n || (stride == 0 && size != 1)) {
        gs_info("%s: start %d, stride %d, size %d do not name PEs of a team of %d: no team is made", fn, start, stride,
                size, p->g.n);
        return -1;
    }
    struct part part = {.start = start, .stride = size > 1 ? stride : 1, .size = size, .me = -1};
    int d = p->g.me - start;
    if (d % part.stride == 0 && d / part.stride >= 0 && d / part.stride < size)
        part.me = d / part.stride;
    int rc = make(fn, p, part, config, mask, &t);
    *out = gs_team_handle(t);
    return rc;
}

int gs_team_split_2d(const char *fn, shmem_team_t parent, int xrange, const shmem_team_config_t *xconfig, long xmask,
                     shmem_team_t *xteam, const shmem_team_config_t *yconfig, long ymask, shmem_team_t *yteam)
{
    *xteam = *yteam = SHMEM_TEAM_INVALID;
    struct gs_team *p = gs_team_get(fn, parent), *tx, *ty;
    if (!p || xrange < 1)
        return -1;
    int n = p->g.n;
    if (xrange > n)
        xrange = n;
    int x = p->g.me % xrange, y = p->g.me / xrange, first = y * xrange;
    struct part row = {.start = first, .stride = 1, .size = n - first < xrange ? n - first : xrange, .me = x};
    struct part column = {.start = x, .stride = xrange, .size = (n - x + xrange - 1) / xrange, .me = y};
    if (make(fn, p, row, xconfig, xmask, &tx))
        return -1;
    if (make(fn, p, column, yconfig, ymask, &ty)) { /* both or none, and the same on every PE */
        gs_team_destroy(fn, gs_team_handle(tx));
        return -1;
    }
    *xteam = gs_team_handle(tx);
    *yteam = gs_team_handle(ty);
    return 0;
}

void gs_team_destroy(const char *fn, shmem_team_t team)
{
    struct gs_team *t = gs_team_get(fn, team);
    if (!t)
        return;
    if (t->g.slot < SLOTS_PREDEFINED)
        gs_die(fn, "the predefined teams cannot be destroyed");
    gs_complete();
    gs_group_part(&t->g); /* the others are done with our slot, and we with theirs */
    if (gs.dev)
        gs.dev->team_set(t->g.slot, NULL);
    pthread_mutex_lock(&lock);
    free_contexts(t);
    teams[t->g.slot] = NULL;
    mark(t->g.slot, false);
    pthread_mutex_unlock(&lock);
    gs_group_forget(&t->g);
    free(t->pes);
    free(t);
}

/* ---- contexts ---- */

/* A context of kernels is only a number (constants.h): they need its team, and the quiet of a GPU's own operations knows
 * no contexts. */
#define DEVICE_BIT ((uintptr_t)1 << 62)

static bool is_device_context(shmem_ctx_t ctx)
{
    return ((uintptr_t)ctx & DEVICE_BIT) != 0 && (uintptr_t)ctx < DEVICE_BIT * 2;
}

int gs_ctx_create_device(const char *fn, struct gs_team *t, shmem_ctx_t *out)
{
    static uintptr_t serial;
    *out = SHMEM_CTX_INVALID;
    if (!gs.dev) {
        gs_info("%s: SHMEM_DEVICE_CTX without a device heap: no context is made", fn);
        return -1;
    }
    pthread_mutex_lock(&lock);
    bool room = device_contexts < gs_env.device_max_ctx;
    if (room) {
        device_contexts++;
        serial = (serial + 1) & 0xffffffff; /* the default context is number 0 */
        *out = (shmem_ctx_t)(DEVICE_BIT | (serial ? serial : 1) << GS_HANDLE_SLOT_BITS | (uintptr_t)(t->g.slot + 1));
    }
    pthread_mutex_unlock(&lock);
    if (!room)
        gs_warn("%s: %ld device contexts exist: destroy some, or raise SHMEM_DEVICE_MAX_CTX", fn, gs_env.device_max_ctx);
    return room ? 0 : -1;
}

static struct gs_team *device_context_team(const char *fn, shmem_ctx_t ctx)
{
    size_t slot = ((uintptr_t)ctx & ((1u << GS_HANDLE_SLOT_BITS) - 1)) - 1;
    if (slot >= GS_TEAMS_MAX || !teams[slot])
        gs_die(fn, "ctx %p is a device context whose team is gone", (void *)ctx);
    return teams[slot];
}

int gs_ctx_create(struct gs_team *t, long options, shmem_ctx_t *out)
{
    *out = SHMEM_CTX_INVALID;
    pthread_mutex_lock(&lock);
    struct gs_ctx *c;
    if (spares > SPARE_CONTEXTS) {
        c = spare_contexts;
        spare_contexts = c->next;
        spares--;
    } else {
        c = malloc(sizeof *c);
    }
    if (c) {
        *c = (struct gs_ctx){.magic = CTX_MAGIC, .team = t, .options = options, .next = t->contexts};
        if (t->contexts)
            t->contexts->prev = c;
        t->contexts = c;
        *out = (shmem_ctx_t)(void *)c;
    }
    pthread_mutex_unlock(&lock);
    return c ? 0 : -1;
}

static struct gs_ctx *ctx_get(const char *fn, shmem_ctx_t ctx)
{
    struct gs_ctx *c = (struct gs_ctx *)(void *)ctx;
    if (!c)
        gs_die(fn, "ctx is SHMEM_CTX_INVALID: check what shmem_ctx_create returned");
    if (is_device_context(ctx))
        gs_die(fn, "ctx %p is a device context: it is for calls in kernels only", (void *)ctx);
    if (c->magic != CTX_MAGIC)
        gs_die(fn, "ctx %p is not a context: it was destroyed (itself, or with its team), or never created", (void *)ctx);
    return c;
}

struct gs_team *gs_ctx_team(const char *fn, shmem_ctx_t ctx)
{
    gs_need_up(fn);
    return ctx == SHMEM_CTX_DEFAULT ? &gs_team_world : ctx_get(fn, ctx)->team;
}

void gs_ctx_destroy(const char *fn, shmem_ctx_t ctx)
{
    gs_need_up(fn);
    if (ctx == SHMEM_CTX_INVALID)
        return;
    if (ctx == SHMEM_CTX_DEFAULT || ctx == SHMEM_DEVICE_CTX_DEFAULT)
        gs_die(fn, "the default context cannot be destroyed");
    gs_complete();
    pthread_mutex_lock(&lock);
    if (is_device_context(ctx)) {
        device_contexts--;
        pthread_mutex_unlock(&lock);
        return;
    }
    struct gs_ctx *c = ctx_get(fn, ctx);
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        c->team->contexts = c->next;
    retire(c);
    pthread_mutex_unlock(&lock);
}

struct gs_team *gs_ctx_team_any(const char *fn, shmem_ctx_t ctx)
{
    gs_need_up(fn);
    return is_device_context(ctx) ? device_context_team(fn, ctx) : gs_ctx_team(fn, ctx);
}

int gs_ctx_pe_slow(const char *fn, shmem_ctx_t ctx, int pe)
{
    const struct gs_group *g = &gs_ctx_team(fn, ctx)->g;
    if ((unsigned)pe >= (unsigned)g->n)
        gs_bad_pe(fn, pe, g->n);
    return gs_group_pe(g, pe);
}

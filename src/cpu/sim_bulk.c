/* SPDX-License-Identifier: BSD-3-Clause */
/* What bulk copies see of memory (sim.h says what is modelled): a block's view, made at its first one. */
#include <stdlib.h>
#include <string.h>

#include "cpu/sim.h"
#include "cpu/sim_stores.h"

enum { PARTS = 64, ROOM = 64 << 10 };

struct part {
    const void *from;
    uint32_t bytes, at; /* at: in room */
};

struct gs_bulk_view {
    uint8_t fenced[GS_THREADS]; /* threads with nothing on its way to shared memory */
    unsigned n;
    uint32_t used;
    struct part part[PARTS]; /* what was read of global memory since the last fence */
    unsigned char room[ROOM];
};

static struct gs_bulk_view *view_of(struct gs_stores *b)
{
    if (!b->view && !(b->view = calloc(1, sizeof *b->view)))
        gs_sim.c.die("simulated bulk copies", "out of memory");
    return b->view;
}

/* The worst, or by lot. */
static bool badly(struct gs_stores *b)
{
    return gs_sim.mode == GS_SIM_ADVERSARIAL || gs_sim_below(&b->row, 2);
}

static bool all_fenced(const struct gs_bulk_view *v)
{
    const struct gin_shmem_cpu_dim d = gin_shmem_cpu_self->block_dim;
    for (unsigned i = 0; i < d.x * d.y * d.z; i++)
        if (!v->fenced[i])
            return false;
    return true;
}

/* What is at from, as it was when it was read before. */
static const void *seen(struct gs_stores *b, const void *from, uint32_t bytes)
{
    struct gs_bulk_view *v = view_of(b);
    for (unsigned i = 0; i < v->n; i++)
        if (v->part[i].from == from && v->part[i].bytes == bytes)
            return badly(b) ? v->room + v->part[i].at : from;
    if (v->n < PARTS && bytes <= ROOM - v->used) {
        v->part[v->n++] = (struct part){from, bytes, v->used};
        memcpy(v->room + v->used, from, bytes);
        v->used += bytes;
    }
    return from;
}

void gs_bulk_copy(struct gin_shmem_cpu_stores *s, const struct gin_shmem_cpu_bulk *c)
{
    struct gs_stores *b = (struct gs_stores *)s;
    s->load(s, c->bar ? c->from : c->to, c->bytes); /* own older stores to global memory */
    if (!c->bar)
        memcpy(c->to, c->from, c->bytes);
    else if (all_fenced(view_of(b)) || !badly(b))
        memcpy(c->to, seen(b, c->from, c->bytes), c->bytes);
}

void gs_bulk_fence(struct gin_shmem_cpu_stores *s, int shared)
{
    struct gs_bulk_view *v = view_of((struct gs_stores *)s);
    if (shared)
        v->fenced[gin_shmem_cpu_self->rank] = 1;
    else
        v->n = v->used = 0;
}

void gs_bulk_touch(struct gin_shmem_cpu_stores *s, int all)
{
    struct gs_bulk_view *v = view_of((struct gs_stores *)s);
    if (all)
        memset(v->fenced, 0, sizeof v->fenced);
    else
        v->fenced[gin_shmem_cpu_self->rank] = 0;
}

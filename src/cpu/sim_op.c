/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu/sim_op.h"

#include <gin_shmem/state.h>
#include <string.h>

#include "core/fence.h"
#include "cpu/sim.h"

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The widest aligned unit, up to 8 bytes, that begins at p and is at most left bytes. */
static unsigned unit_at(const unsigned char *p, uint64_t left)
{
    unsigned unit = 8;
    while (((uintptr_t)p & (unit - 1)) || unit > left)
        unit /= 2;
    return unit;
}

/* One unit, whole on the side that is aligned. */
static void copy_unit(unsigned char *to, const unsigned char *from, unsigned unit)
{
    uint64_t v;
    switch (unit) {
    case 8:
        gs_load_word(&v, from, 8);
        gs_store_word(to, &v, 8);
        break;
    case 4:
        gs_load_word(&v, from, 4);
        gs_store_word(to, &v, 4);
        break;
    case 2:
        gs_load_word(&v, from, 2);
        gs_store_word(to, &v, 2);
        break;
    default:
        gs_load_word(&v, from, 1);
        gs_store_word(to, &v, 1);
    }
}

static void move_unit(struct gs_sim_op *op, uint64_t o, unsigned unit)
{
    if (op->kind == GS_SIM_PUT)
        copy_unit(op->at + o, op->data + o, unit);
    else
        copy_unit(op->local + o, op->at + o, unit);
}

static void move_ends(struct gs_sim_op *op, uint64_t from, uint64_t to)
{
    for (unsigned unit; from < to; from += unit)
        move_unit(op, from, unit = unit_at(op->at + from, to - from));
}

static void move(struct gs_sim_op *op, uint64_t from, uint64_t to)
{
    uint64_t first = from + min64((0 - (uintptr_t)(op->at + from)) & 7, to - from); /* whole words of the target */
    uint64_t words = (to - first) / 8;
    gs_fence(memory_order_release); /* a word of it may tell of what a quiet has waited for */
    move_ends(op, from, first);
    move_ends(op, first + 8 * words, to);
    for (uint64_t w = 0; w < words; w++)
        move_unit(op, first + 8 * (op->down ? words - 1 - w : w), 8);
}

void gs_sim_op_cut(struct gs_sim_op *op, uint64_t *row, bool backwards)
{
    uint64_t words = op->bytes / 8;
    op->pieces = words < 2 ? 1 : 1 + gs_sim_below(row, (unsigned)min64(GS_SIM_PIECES, words));
    op->down = backwards || gs_sim_below(row, 2);
    uint64_t at = 0, misfit = (uintptr_t)op->at & 7;
    for (unsigned i = 0; i < op->pieces; i++) {
        uint64_t end = op->bytes * (i + 1) / op->pieces;
        if (i + 1 < op->pieces) /* at a word of the target */
            end = ((end + misfit) & ~(uint64_t)7) - min64(misfit, (end + misfit) & ~(uint64_t)7);
        op->piece[i].from = at;
        op->piece[i].to = at = end < at ? at : end;
    }
    for (unsigned i = op->pieces; i > 1; i--) { /* the last one in the list goes first */
        unsigned j = backwards ? i - 1 : gs_sim_below(row, i);
        uint64_t from = op->piece[j].from, to = op->piece[j].to;
        op->piece[j] = op->piece[i - 1];
        op->piece[i - 1].from = from, op->piece[i - 1].to = to;
    }
}

static void tell(struct gs_sim_op *op)
{
    if (op->waiter)
        __atomic_store_n(&op->waiter->done, 1, __ATOMIC_RELEASE); /* and it may be gone */
    op->waiter = NULL;
}

void gs_sim_op_read(struct gs_sim_op *op)
{
    memcpy(op->data, op->local, op->bytes);
    tell(op);
}

bool gs_sim_op_move(struct gs_sim_op *op)
{
    if (op->kind == GS_SIM_AMO) {
        uint64_t old = gs_sim_word_release(op->amo, op->at, (uint32_t)op->bytes, op->value, op->cond);
        if (op->waiter)
            op->waiter->value = old;
        tell(op);
        return true;
    }
    op->pieces--;
    move(op, op->piece[op->pieces].from, op->piece[op->pieces].to);
    if (op->pieces)
        return false;
    if (op->kind == GS_SIM_GET)
        tell(op);
    return true;
}

void gs_sim_op_signal(struct gs_sim_op *op)
{
    gs_sim_word_release(op->add ? GIN_SHMEM_OP_ADD : GIN_SHMEM_OP_SET, op->sig, 8, op->value, 0);
}

void gs_sim_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    gs_fence(memory_order_release);
    for (size_t o = 0, unit; o < bytes; o += unit) {
        unit = unit_at(to + o, bytes - o);
        copy_unit(to + o, from + o, (unsigned)unit);
    }
}

uint64_t gs_sim_word_release(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond)
{
    gs_fence(memory_order_release);
    gs_word_stores(at);
    return gs_sim_word(op, at, bytes, value, cond);
}

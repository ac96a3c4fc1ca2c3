/* SPDX-License-Identifier: BSD-3-Clause */
/* One operation of the simulated network: what it does to memory. Orders and times are sim.c's. */
#ifndef GS_CPU_SIM_OP_H
#define GS_CPU_SIM_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_sim_kind { GS_SIM_PUT, GS_SIM_GET, GS_SIM_AMO };
enum gs_sim_step { GS_SIM_READ, GS_SIM_MOVE, GS_SIM_SIGNAL, GS_SIM_ACK };
enum gs_sim_held { GS_SIM_EARLY, GS_SIM_LATE, GS_SIM_LATER };
enum { GS_SIM_PIECES = 8 };

/* On the stack of a caller that waits. */
struct gs_sim_waiter {
    uint32_t done;  /* a put's source has been read; a get's data is in place; an atomic operation has been made */
    uint64_t value; /* the old one, of an atomic operation */
};

struct gs_sim_op {
    enum gs_sim_kind kind;
    enum gs_sim_step step; /* the next one */
    bool hurried;
    enum gs_sim_held held; /* in adversarial mode */
    int pe;
    unsigned context, place; /* place: in the heap */
    uint64_t seq, due;
    struct gs_sim_op *next[2], *prev[2];

    unsigned char *at;    /* in the target's memory, or NULL */
    unsigned char *local; /* source of a put, destination of a get */
    uint64_t bytes;
    uint64_t *sig; /* in the target's memory, or NULL */
    bool add;
    int amo;
    uint64_t value, cond;
    struct gs_sim_waiter *waiter; /* or NULL */

    struct {
        uint64_t from, to;  /* offsets */
    } piece[GS_SIM_PIECES]; /* those left, in their order */
    unsigned pieces;
    bool down;            /* words of a piece from the last to the first */
    unsigned char data[]; /* a put's, once read */
};

/* Cuts it into pieces. backwards: last piece first, else in any order. */
void gs_sim_op_cut(struct gs_sim_op *op, uint64_t *row, bool backwards);
/* Takes a put's data out of its source, and tells the waiter. */
void gs_sim_op_read(struct gs_sim_op *op);
/* Moves one piece, or makes the atomic operation. True: that was all. */
bool gs_sim_op_move(struct gs_sim_op *op);
void gs_sim_op_signal(struct gs_sim_op *op);

#endif

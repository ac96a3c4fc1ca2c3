/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs against a model. Every PE draws the same program from the same seed, executes its own part of it, and
 * computes what all memory of all PEs must hold then. A program is a sequence of rounds with a barrier behind each. Within
 * a round, operations of different PEs never meet in the same bytes unless they commute, so the outcome is known.
 */
#ifndef MODEL_H
#define MODEL_H

#include "../mp/coll.h"

enum {
    PES = 16,
    BLOCKS = 6,       /* symmetric arrays that a program has at a time; the first is a global variable */
    BLOCK_MAX = 20000,
    TEAMS = 6,        /* the first two have all PEs: the world, and SHARED on one node */
    DEFAULT_CTX = -1, /* in struct via */
};

struct block {
    unsigned char *at; /* NULL: there is none */
    size_t size;
    unsigned char *model[PES]; /* what each PE's copy holds; BLOCK_MAX bytes each */
};

struct team {
    int n, pe[PES]; /* world PE of each rank; 0 members: there is none */
    shmem_team_t handle;
    shmem_ctx_t ctx; /* where this PE is a member */
};

/* How a PE reaches another: the context (a team's, or the default), and the number there. */
struct via {
    int team;
    shmem_ctx_t ctx;
    int pe;
};

extern struct block blocks[BLOCKS];
extern struct team teams[TEAMS];
extern struct rng dice; /* the same on every PE */
extern int me, n;
extern char doing[160]; /* for messages: the operation under way */

__attribute__((format(printf, 3, 4), cold, noreturn)) void fail(const char *file, int line, const char *fmt, ...);
#define EXPECT(cond, ...)                                                                                              \
    do {                                                                                                               \
        if (!(cond))                                                                                                   \
            fail(__FILE__, __LINE__, __VA_ARGS__);                                                                     \
    } while (0)
#define DOING(...) snprintf(doing, sizeof doing, __VA_ARGS__)

static inline size_t pick(size_t k)
{
    return rng_below(&dice, k);
}

int rank_in(const struct team *t, int world_pe);
/* A live block of at least min bytes that is not `but`; -1: none. */
int pick_block(size_t min, int but);
struct via pick_via(int src, int target);

/* Operations of one PE on one target are ordered only by fence and quiet. order() is called for each before it is issued:
 * where it must not be overtaken by, or overtake, an earlier one, it fences or quiets. finish() quiets everything. */
void order(int src, int target, const struct via *v);
void finish(void);
void order_reset(void);

void rma_round(void);
void amo_round(void);
void coll_round(void);
void signal_round(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the store buffers of a block and its view of bulk copies have in common. */
#ifndef GS_CPU_SIM_STORES_H
#define GS_CPU_SIM_STORES_H

#include <gin_shmem/cpu/thread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    GS_STORES_BLOCK = 256, /* that a block's threads hold back at one time, */
    GS_STORES_EACH = 16,   /* and each of them */
    GS_STORES_LINES = 256,
    GS_THREADS = 1024,
};

struct gs_store {
    unsigned char *at;
    uint64_t v[2];
    uint64_t born;  /* ns */
    uint32_t lanes; /* of the warp, that have observed it */
    uint16_t owner;
    uint8_t warp, bytes; /* 1, 2, 4, 8, or 16: two words of 8 */
    uint8_t op;          /* enum gin_shmem_remote_op */
    bool block;          /* the whole block has observed it */
    bool made;
};

/* What bulk copies see (sim_bulk.c). */
struct gs_bulk_view;

struct gs_stores {
    struct gin_shmem_cpu_stores call; /* first: threads have its address */
    uint64_t row;
    unsigned ended; /* threads of the block */
    bool draining;  /* since `until` */
    uint64_t until;
    unsigned n;
    uint16_t lines[GS_STORES_LINES];    /* how many stores go to 16-byte lines of this hash */
    uint8_t count[GS_THREADS];          /* by owner */
    struct gs_store e[GS_STORES_BLOCK]; /* oldest first */
    struct gs_bulk_view *view;          /* NULL until there is a bulk copy */
};

void gs_bulk_copy(struct gin_shmem_cpu_stores *s, const struct gin_shmem_cpu_bulk *b);
void gs_bulk_fence(struct gin_shmem_cpu_stores *s, int shared);
void gs_bulk_touch(struct gin_shmem_cpu_stores *s, int all);

#endif

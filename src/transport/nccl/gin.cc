/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NCCL's GIN, for kernels' operations on PEs that they cannot load from and store to. Whether it works is found out by
 * making a device communicator that has it, before there are windows: where that fails the communicator is spoiled for
 * everything else, and another one takes its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"
#include <gin_shmem/gin_state.h>

enum { CONTEXTS = 4 }; /* what we ask for: a context costs NCCL memory and a look at each of its queues */

/* What a PE found, for all to come to the same end. */
struct found {
    int works, contexts;
    char why[248];
};

/* On all PEs? mine gets the fewest contexts, or the first reason; *who is that PE. Collective. */
static int agree(struct found *mine, int *who)
{
    std::vector<struct found> all((size_t)gs_mod.core.n);
    *who = -1;
    if (gs_mod.core.allgather(mine, sizeof *mine, all.data()) != 0) {
        gs_mod_error("the PEs could not agree on NCCL's GIN");
        return -1;
    }
    for (int pe = 0; pe < gs_mod.core.n; pe++) {
        const struct found *f = &all[(size_t)pe];
        if (!f->works && *who < 0)
            *who = pe;
        if (f->contexts < mine->contexts)
            mine->contexts = f->contexts;
    }
    if (*who >= 0)
        *mine = all[(size_t)*who];
    return 0;
}

/* What is known to be missing, without trying. */
static void look(struct found *f, bool must)
{
    f->works = gs_nccl_dev_comm_fits(f->why, sizeof f->why) && gs_nccl_gin_possible(gs_mod.comm, f->why, sizeof f->why);
    if (f->works && gs_mod.core.adopted_comm && gs_lib.version < 22902 && !must) {
        f->works = 0;
        snprintf(f->why, sizeof f->why,
                 "the communicator is the program's, and NCCL %s would spoil it where GIN does "
                 "not work; GIN_SHMEM_GIN=1 tries",
                 gs_nccl_version_text(gs_lib.version));
    }
}

static void attempt(struct found *f)
{
    const struct gs_nccl_want want = {GS_LSA_BARRIERS, CONTEXTS, GIN_SHMEM_GIN_SIGNALS, GIN_SHMEM_GIN_SLOTS};
    f->works = gs_nccl_dev_comm(gs_mod.comm, &want, &gs_mod.dev_comm, f->why, sizeof f->why) == 0;
    if (!f->works)
        return;
    unsigned contexts = gs_nccl_gin_contexts(gs_mod.dev_comm);
    f->contexts = contexts < GIN_SHMEM_GIN_CONTEXTS ? (int)contexts : (int)GIN_SHMEM_GIN_CONTEXTS;
    if (contexts == 0) {
        f->works = 0;
        snprintf(f->why, sizeof f->why, "NCCL gave no context");
    }
}

static int without(const struct found *f, int who, bool must, bool spoiled)
{
    gs_nccl_dev_comm_free(gs_mod.comm, gs_mod.dev_comm);
    gs_mod.dev_comm = nullptr;
    if (must && gs_mod.core.me == 0)
        gs_mod_error(
            "GIN_SHMEM_GIN=1, but NCCL's GIN does not work on PE %d: %s. It needs an InfiniBand or RoCE card "
            "whose driver reaches the GPU's memory (nvidia-peermem or DMA-BUF), or a plugin of NCCL's that has "
            "GIN (NCCL_NET_PLUGIN); NCCL_DEBUG=INFO shows what NCCL found",
            who, f->why);
    gs_mod.core.barrier(); /* a launcher ends all when the first leaves: not before PE 0 has spoken */
    if (must)
        return -1;
    snprintf(gs_mod.gin_why, sizeof gs_mod.gin_why, "PE %d: %s", who, f->why);
    if (!spoiled)
        return 0;
    if (gs_mod.core.adopted_comm) {
        gs_mod_error(
            "NCCL's GIN does not work (PE %d: %s), and the attempt has spoiled the program's communicator: set "
            "GIN_SHMEM_GIN=0",
            who, f->why);
        return -1;
    }
    return gs_comm_again();
}

int gs_gin_start(void)
{
    const bool must = strcmp(gs_mod.core.gin, "1") == 0;
    struct found mine;
    int who;
    memset(&mine, 0, sizeof mine);
    ncclTeam_t lsa = gs_nccl_lsa(gs_mod.comm);
    snprintf(gs_mod.gin_why, sizeof gs_mod.gin_why, "GIN_SHMEM_GIN=0");
    if (strcmp(gs_mod.core.gin, "0") == 0 || lsa.nRanks >= gs_mod.core.n)
        return 0;
    look(&mine, must);
    if (agree(&mine, &who))
        return -1;
    if (who >= 0)
        return without(&mine, who, must, false);
    memset(&mine, 0, sizeof mine);
    attempt(&mine);
    if (agree(&mine, &who))
        return -1;
    if (who >= 0)
        return without(&mine, who, must, true);
    gs_mod.gin_contexts = (uint32_t)mine.contexts;
    return 0;
}

/* ---- what kernels know ---- */

static char *tables; /* device memory */
static size_t book_at;

int gs_gin_state_start(cudaStream_t s)
{
    const size_t n = (size_t)gs_mod.core.n, contexts = gs_mod.gin_contexts;
    if (!contexts)
        return 0;
    size_t ring = 1, at = 0;
    while (ring < contexts * n)
        ring *= 2;
    auto room = [&at](size_t bytes) {
        size_t here = at;
        at += (bytes + 255) / 256 * 256;
        return here;
    };
    const size_t head = room(sizeof(struct gin_shmem_gin)), book = room(sizeof(struct gin_shmem_gin_book)),
                 slots = room(contexts * GIN_SHMEM_GIN_SLOTS * sizeof(struct gin_shmem_gin_slot)),
                 pairs = room(contexts * n * sizeof(uint32_t)), entries = room(ring * sizeof(uint32_t)),
                 ranks = room(n * sizeof(int32_t));
    std::vector<char> image(at, 0);
    struct gin_shmem_gin *g = (struct gin_shmem_gin *)(image.data() + head);
    struct gin_shmem_gin_slot *slot = (struct gin_shmem_gin_slot *)(image.data() + slots);
    int32_t *rank = (int32_t *)(image.data() + ranks);
    bool same = true;
    if (GS_CUDA(cudaMalloc, (void **)&tables, at))
        return -1;
    for (size_t i = 0; i < contexts * GIN_SHMEM_GIN_SLOTS; i++)
        slot[i].posted = GIN_SHMEM_GIN_UNKNOWN;
    for (size_t pe = 0; pe < n; pe++) {
        rank[pe] = gs_mod.nccl_rank[pe];
        same = same && rank[pe] == (int32_t)pe;
    }
    g->nccl = gs_nccl_compiled();
    g->flags = gs_mod.core.gin_add ? GIN_SHMEM_GIN_ADDS : 0;
    g->contexts = (uint32_t)contexts;
    g->n = (uint32_t)n;
    g->ring_mask = (uint32_t)ring - 1;
    g->room = (uint32_t)gin_shmem_sys_bytes((uint32_t)n, (uint32_t)gs_mod.core.max_teams);
    g->rank = same ? nullptr : (int32_t *)(tables + ranks);
    g->pairs = (uint32_t *)(tables + pairs);
    g->ring = (uint32_t *)(tables + entries);
    g->slots = (struct gin_shmem_gin_slot *)(tables + slots);
    book_at = book;
    g->book = (struct gin_shmem_gin_book *)(tables + book);
    if (GS_CUDA(cudaMemcpyAsync, tables, image.data(), at, cudaMemcpyHostToDevice, s) || gs_sync(s))
        return -1;
    gs_mod.state.gin = (const struct gin_shmem_gin *)(tables + head);
    if (gs_mod.core.gin_add && gs_nccl_compiled() < 22907)
        gs_mod_log(GS_WARN, "GIN_SHMEM_GIN_ADD has no effect with NCCL %s: its signals are no words of the heap",
                   gs_nccl_version_text(gs_nccl_compiled()));
    return 0;
}

/* The list of dirty pairs is looked at from here: a kernel finds no room on a GPU that is full of waiting ones, and there
 * is nothing to quiet most of the time. */
int gs_gin_quiet(void)
{
    struct gin_shmem_gin_book *const book = (struct gin_shmem_gin_book *)(tables + book_at);
    if (!tables)
        return 0;
    gs_enter in;
    gs_lane *l = gs_lane_mine();
    uint64_t ends[2];
    {
        std::lock_guard<std::mutex> hold(l->lock);
        if (GS_CUDA(cudaMemcpyAsync, l->pinned, &book->tail, sizeof ends[0], cudaMemcpyDeviceToHost, l->stream) ||
            GS_CUDA(cudaMemcpyAsync, l->pinned + sizeof ends[0], &book->head, sizeof ends[1], cudaMemcpyDeviceToHost,
                    l->stream) ||
            gs_sync(l->stream))
            return -1;
        memcpy(ends, l->pinned, sizeof ends);
    }
    if (ends[1] >= ends[0])
        return 0;
    return gs_cuda_check(gs_k_quiet_launch(l->stream), "quieting kernel") || gs_sync(l->stream) ? -1 : 0;
}

void gs_gin_state_stop(void)
{
    gs_mod.state.gin = nullptr;
    if (tables)
        (void)GS_CUDA(cudaFree, tables);
    tables = nullptr;
}

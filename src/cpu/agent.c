/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's machine where kernels run on the CPU: its queue does everything at once. Device memory of all PEs of the
 * host is mapped here; GIN_SHMEM_AGENT_DIRECT=0 does as if it were not.
 */
#include "agent/agent.h"

#include <gin_shmem/agent.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/module.h"
#include "cpu/sim.h"

static uint64_t words[GIN_SHMEM_AGENT_WORDS], reached;
static struct gin_shmem_agent shared;

static void *pinned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (p)
        memset(p, 0, bytes);
    else
        gs_cpu_error("no memory for the agent, which serves the PEs on other nodes");
    return p;
}

static int begins(void)
{
    return 0;
}

static void *reach(int pe, const void *p)
{
    return gs_cpu.core.agent_direct ? gs_cpu_peer(p, pe) : NULL;
}

static int copy(void *to, const void *from, size_t bytes, bool ready)
{
    (void)ready;
    gs_cpu_move(to, from, bytes);
    return 0;
}

static int amo(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old)
{
    uint64_t was = gs_sim_word_release(op, at, bytes, value, cond); /* a signal, behind its data */
    if (old)
        *old = was;
    return 0;
}

static int mark(uint64_t n)
{
    reached = n;
    return 0;
}

static uint64_t get_reached(void)
{
    return reached;
}

int gs_cpu_agent_start(void)
{
    const struct gs_agent_machine m = {
        .core = &gs_cpu.core,
        .pinned = pinned,
        .unpin = free,
        .words = words,
        .thread_begins = begins,
        .state = &gs_cpu.state,
        .reach = reach,
        .copy = copy,
        .amo = amo,
        .mark = mark,
        .reached = get_reached,
    };
    memset(words, 0, sizeof words);
    reached = 0;
    if (gs_cpu.state.remote != GIN_SHMEM_REMOTE_AGENT)
        return 0;
    if (gs_agent_start(&m, &shared))
        return -1;
    gs_cpu.state.agent = &shared;
    return 0;
}

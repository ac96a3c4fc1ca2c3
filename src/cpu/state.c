/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels know: the state in every unit, and the tables behind it, which kernels read in place. */
#include <stdlib.h>
#include <string.h>

#include "cpu/module.h"
#include "transport/shared/team.h"

/* ---- tables ---- */

/* The entry first, then the count: kernels that run see all of it or nothing. */
void gs_cpu_state_windows(void)
{
    int count = gs_cpu.window_count;
    struct gin_shmem_window *last = &gs_cpu.table.w[count - 1];
    last->lo = (uint64_t)(uintptr_t)gs_cpu.windows[count - 1].base;
    last->bytes = gs_cpu.windows[count - 1].bytes;
    __atomic_store_n(&gs_cpu.table.count, (uint32_t)count, __ATOMIC_RELEASE);
}

int gs_cpu_team_set(int slot, const struct gs_group *g)
{
    struct gin_shmem_team shape = {0};
    if (g) {
        uint32_t n = (uint32_t)gs_cpu.core.n;
        int32_t *pes = gs_cpu.team_pes + (size_t)slot * n;
        if (!gs_team_shape(&gs_cpu.core, g, &shape, pes))
            shape.pes = pes;
        memset(gs_cpu.state.sys + gin_shmem_sys_slot_offset(n, (uint32_t)slot), 0,
               gin_shmem_sys_slot_bytes(n, (uint32_t)slot));
    }
    gs_cpu.teams[slot] = shape;
    return 0;
}

/* ---- units ---- */

static int fill(struct shmemx_device_unit *u, const struct gin_shmem_state *st)
{
    if (u->abi != GIN_SHMEM_DEVICE_ABI || u->unit_bytes != sizeof *u || u->state_bytes != sizeof *st) {
        gs_cpu_error(
            "a file of this program was compiled with another version's gin_shmem.h (device ABI %u, state of %u "
            "bytes; the library has %d and %zu): compile it again",
            u->abi, u->state_bytes, (int)GIN_SHMEM_DEVICE_ABI, sizeof *st);
        return -1;
    }
    return u->fill(st, sizeof *st, NULL);
}

static int fill_all(const struct gin_shmem_state *st)
{
    for (struct shmemx_device_unit *u = gs_cpu.core.units(); u; u = u->next)
        if (fill(u, st))
            return -1;
    return 0;
}

void gs_cpu_unit_added(struct shmemx_device_unit *u)
{
    if (fill(u, &gs_cpu.state))
        gs_cpu.core.abort(1, NULL);
}

/* ---- life ---- */

int gs_cpu_state_start(void)
{
    struct gin_shmem_state *st = &gs_cpu.state;
    size_t n = (size_t)gs_cpu.core.n, teams = (size_t)gs_cpu.core.max_teams;
    memset(&gs_cpu.report, 0, sizeof gs_cpu.report);
    memset(&gs_cpu.table, 0, sizeof gs_cpu.table);
    gs_cpu.teams = calloc(teams, sizeof *gs_cpu.teams);
    gs_cpu.team_pes = calloc(teams * n, sizeof *gs_cpu.team_pes);
    if (!gs_cpu.teams || !gs_cpu.team_pes) {
        gs_cpu_error("no memory for the tables of %zu teams", teams);
        return -1;
    }
    gs_cpu_state_windows();
    st->magic = GIN_SHMEM_STATE_MAGIC;
    st->abi = GIN_SHMEM_DEVICE_ABI;
    st->bytes = sizeof *st;
    st->me = gs_cpu.core.me;
    st->n = gs_cpu.core.n;
    st->max_teams = gs_cpu.core.max_teams;
    st->layout = gin_shmem_sys_layout_of((uint32_t)n);
    st->timeout_ns = gs_cpu.core.timeout_s > 0 ? (uint64_t)(gs_cpu.core.timeout_s * 1e9) : 0;
    st->teams = gs_cpu.teams;
    st->windows = &gs_cpu.table;
    st->report = &gs_cpu.report;
    return fill_all(st);
}

/* Kernels launched from now on say that the device is not ready. */
void gs_cpu_state_stop(void)
{
    static const struct gin_shmem_state none;
    (void)fill_all(&none);
    free(gs_cpu.teams);
    free(gs_cpu.team_pes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the CPU machine's module share: the part of libginshmem_cpu that serves the core as
 * libginshmem_nccl does for GPUs (transport/device.h). Everything between start() and stop() is in gs_cpu; it is
 * written by collective calls only, which the core does not run side by side with others on the same object, and read
 * everywhere.
 *
 * Device memory is memory of the host that all PEs map, so calls without a stream do their work at once, on the calling
 * thread; what goes into a stream runs on the stream's thread.
 */
#ifndef GS_CPU_MODULE_H
#define GS_CPU_MODULE_H

#include <gin_shmem/state.h>

#include "cpu/machine.h"
#include "transport/device.h"

struct gs_cpu_window {
    char *base; /* own part */
    size_t bytes;
};

struct gs_cpu {
    struct gs_device_core core;
    bool up;

    /* Device heaps: PE i's begins at flat + i * stride, whichever window it is in. */
    char *reserved, *flat;
    size_t reserved_bytes, stride;
    struct gs_cpu_window windows[GIN_SHMEM_WINDOWS_MAX]; /* [0]: the system segment */
    int window_count;

    bool far;      /* some PEs are not in reach of loads and stores; copies and the simulator reach them all the same */
    int32_t *rank; /* for kernels' reach, where some PEs are far: the PE itself, or -1 */

    struct gin_shmem_state state;   /* what kernels get */
    struct gin_shmem_windows table; /* state.windows */
    struct gin_shmem_team *teams;   /* state.teams */
    int32_t *team_pes;              /* [max_teams][n] */
    struct gin_shmem_report report;
};
extern struct gs_cpu gs_cpu;

#define gs_cpu_error(...) gs_cpu.core.log(GS_ERROR, __VA_ARGS__)

/* ---- window.c ---- */
/* The address range of all device heaps and the system segment's window. Collective. */
int gs_cpu_window_start(void);
void gs_cpu_window_stop(void);
int gs_cpu_window_add(size_t *bytes, void **base, size_t *free_bytes);
void gs_cpu_window_remove(void *base);
int gs_cpu_window_adopt(void *user, size_t bytes, void **base);

/* ---- reach.c ---- */
/* Which PEs kernels reach, and the mappings that the others' memory needs. */
int gs_cpu_reach_start(void);
void gs_cpu_reach_stop(void);
void gs_cpu_range(uintptr_t *base, size_t *span);
intptr_t gs_cpu_delta(int pe);
bool gs_cpu_reaches(int pe);
bool gs_cpu_serves(int pe);
bool gs_cpu_is_device(const void *addr);
int gs_cpu_host_register(size_t offset, size_t bytes);
/* Does p lie in a heap of this PE? */
bool gs_cpu_own(const void *p);
/* The peer's copy of own address p, in either heap, as this process has it mapped; NULL when p lies in none. */
void *gs_cpu_peer(const void *p, int pe);

/* ---- state.c ---- */
int gs_cpu_state_start(void);
void gs_cpu_state_stop(void);
void gs_cpu_state_windows(void); /* tells kernels of the windows there are */
void gs_cpu_unit_added(struct shmemx_device_unit *u);
int gs_cpu_team_set(int slot, const struct gs_group *g);

/* ---- agent.c ---- */
/* The agent, where it is what serves far PEs. Collective. */
int gs_cpu_agent_start(void);

/* ---- copy.c, amo.c ---- */
/* Copies at once; aligned words of up to 8 bytes arrive whole. */
void gs_cpu_move(void *to, const void *from, size_t bytes);
/* Runs fn(arg) in the stream, as the core names it; arg is bytes long, and copied. */
int gs_cpu_enqueue(void (*fn)(const void *arg), const void *arg, size_t bytes, void *stream);
int gs_cpu_copy(void *to, const void *from, size_t bytes, void *stream, bool wait);
int gs_cpu_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                     void *stream, bool wait);
void gs_cpu_memset(void *addr, int byte, size_t bytes);
int gs_cpu_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
               void *stream, bool wait);
int gs_cpu_wait_until(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream);
int gs_cpu_quiet(void);
int gs_cpu_quiet_on_stream(void *stream);
/* Waits in an operation of a stream until the word compares so. False: a kernel has trapped, and the job ends. Reports
 * fn, and ends the job, when it takes longer than GIN_SHMEM_TIMEOUT. */
bool gs_cpu_await(uint32_t fn, const void *addr, size_t size, bool is_signed, int cmp, uint64_t value);

/* ---- coll.c ---- */
int gs_cpu_coll(struct gs_group *g, const struct gs_device_coll *c, void *stream);
int gs_cpu_barrier_on_stream(struct gs_group *g, bool quiet, void *stream);

/* ---- launch.c ---- */
int gs_cpu_launch(const void *func, const unsigned grid[3], const unsigned block[3], void **args, size_t smem,
                  void *stream);
int gs_cpu_launch_grid(const void *func, const unsigned block[3], size_t smem, int *gridsize);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of libginshmem_nccl.so share. Everything between start() and stop() is in gs_mod; it is written by
 * collective calls only (start, window_add, team_set, host_register, stop), which the core does not run side by
 * side with others on the same object, and read everywhere.
 *
 * Every operation that touches CUDA begins with a gs_enter. Nothing synchronises the device, uses the default
 * stream, or allocates while kernels may run, but for windows, communicators and registrations, which are
 * collective.
 */
#ifndef GS_NCCL_MODULE_H
#define GS_NCCL_MODULE_H

#include <atomic>
#include <mutex>
#include <vector>

#include "transport/device.h"
#include "transport/nccl/driver.h"
#include "transport/nccl/lib.h"
#include "transport/shared/watchdog.h"
#include <gin_shmem/state.h>

/* One window: bytes at user (as ncclMemAlloc gave it), which is also at flat (own load/store address). */
struct gs_window {
    char *user, *flat;
    size_t bytes;
    ncclWindow_t handle;
    bool adopted; /* user is the program's */
};

struct gs_dev_team {
    std::mutex lock; /* NCCL wants one call at a time on a communicator */
    bool present = false;
    struct gin_shmem_team shape = {};
    ncclComm_t comm = nullptr;     /* its own; NULL: not made yet, or gs_mod.comm serves */
    bool world_comm = false;       /* gs_mod.comm has the same members in the same order */
    cudaStream_t stream = nullptr; /* of blocking collectives; one for each team, so that none waits for another */
};

struct gs_mod_state {
    struct gs_device_core core = {};
    bool up = false;

    int device = -1;
    CUcontext context = nullptr;
    char gpu[128] = "";
    int sms = 0;

    ncclComm_t comm = nullptr;
    std::vector<int> nccl_rank; /* by PE */
    ncclComm_t window_comm = nullptr; /* that windows belong to: comm, or one of this node's PEs alone */
    std::vector<int> window_rank;     /* in it, by PE; negative: not in it */
    ncclTeam_t lsa = {};
    std::vector<int> lsa_rank; /* by PE; -1: not reachable by load and store */
    bool lsa_plain = true;     /* lsa_rank[pe] is pe - state.dev.first, within the team */
    uintptr_t flat = 0;        /* where LSA rank 0's part begins */
    size_t stride = 0;         /* from one rank's part to the next's, in every window; no part is longer */
    gs_window windows[GIN_SHMEM_WINDOWS_MAX] = {}; /* [0]: the system segment */
    int window_count = 0;
    void *dev_comm = nullptr;  /* ncclDevComm, host copy */
    char gin_why[256] = ""; /* why GIN is not used, where some PE is far */
    uint32_t gin_contexts = 0; /* that dev_comm has, and kernels use; 0: no GIN */

    struct gin_shmem_state state = {};         /* what kernels get */
    char *tables = nullptr;                    /* device memory: windows, teams, their PEs, ranks, ncclDevComm */
    int32_t *team_pes = nullptr;               /* device memory, [max_teams][n] */
    int32_t *host_ranks = nullptr;             /* device memory: the PE, or -1 where it is far; NULL: none is */
    struct gin_shmem_report *report = nullptr; /* as the host sees it */
    std::vector<gs_dev_team> teams;
};
extern gs_mod_state gs_mod;

#define gs_mod_log(level, ...) gs_mod.core.log(level, __VA_ARGS__)
#define gs_mod_error(...)      gs_mod_log(GS_ERROR, __VA_ARGS__)

/* ---- gpu.cc ---- */
/* Chooses the GPU and makes its primary context current on this thread. */
int gs_gpu_choose(void);
/* Compares GPUs and versions with the other PEs, and makes or adopts the communicator. Collective. */
int gs_comm_start(void);
void gs_comm_stop(void);
/* What windows belong to: behind gs_gin_start, which may replace the communicator. Collective. */
int gs_comm_windows(void);
/* The communicator is spoiled: another one in its place. Collective. */
int gs_comm_again(void);

/* ---- gin.cc ---- */
enum { GS_LSA_BARRIERS = 32 }; /* of NCCL's device communicator, for authors of extensions */
/* Behind gs_comm_start: makes the device communicator with GIN, where there are PEs that need it and it works. May
 * replace the communicator. Collective. */
int gs_gin_start(void);
/* What kernels know of it, into gs_mod.state; windows and ranks are there. */
int gs_gin_state_start(cudaStream_t s);
void gs_gin_state_stop(void);
/* Operations of kernels that have ended, which the network may still carry. */
int gs_gin_quiet(void);

/* ---- window.cc ---- */
/* The system segment's window, and what follows from it: reach, flat addresses. Collective. */
int gs_window_start(void);
void gs_window_stop(void);
/* The window that has own address addr, or NULL. */
const gs_window *gs_window_of(const void *addr);
/* addr as NCCL knows it; addr lies in a window. */
void *gs_window_user(const void *addr);
static inline bool gs_in_own_heap(const void *addr)
{
    return (uintptr_t)addr - gs_mod.state.dev.lo < gs_mod.state.dev.span;
}
/* Any PE's host heap, as mapped here. */
static inline bool gs_in_host_heaps(const void *addr)
{
    return (uintptr_t)addr - (uintptr_t)gs_mod.core.host_base < gs_mod.core.host_stride * (size_t)gs_mod.core.n;
}
void gs_range(uintptr_t *base, size_t *span);
intptr_t gs_delta(int pe);
bool gs_reaches(int pe);
bool gs_serves(int pe);
int gs_window_add(size_t *bytes, void **base, size_t *free_bytes);
void gs_window_remove(void *base);
int gs_window_adopt(void *user, size_t bytes, void **base);
void gs_window_release(void *base);
int gs_window_lookup(const void *addr, void **window, size_t *offset);
bool gs_is_device(const void *addr);

/* ---- direct.cc ---- */
/* PEs of other nodes that run on this host (fake nodes, or GPUs without load/store access between them): their windows
 * are mapped here for copies and atomics by this GPU's streams, where CUDA lets us. Kernels do not use it. */
int gs_direct_start(void);
void gs_direct_stop(void);
/* A window has come, or is about to go. Collective. */
int gs_direct_window_added(int index);
void gs_direct_window_gone(int index);
/* Where the object at far PE pe lies of which own is this PE's: in a window or in the host heap; NULL: not mapped here. */
void *gs_direct_peer(int pe, const void *own);
/* Own address plus this: an address that stands for far PE pe's object, which gs_far_own turns back. */
intptr_t gs_far_delta(int pe);
/* Replaces *p, where it stands for a far PE's object, by where that is mapped here. False: it is not, and its PE's agent
 * has to be asked. */
bool gs_direct_use(const void **p);
/* Does p lie in a far PE's heap that is mapped here? In its device heap? */
bool gs_direct_mapped(const void *p, bool *device);
static inline bool gs_direct_use(void **p)
{
    return gs_direct_use((const void **)p);
}
/* The same operations by the agent, where gs_direct_use says false of a side. */
int gs_far_copy(void *to, const void *from, size_t bytes, void *stream);
int gs_far_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
               void *stream, bool wait);
/* Does p stand for an object of a far PE's device heap? Then *pe, and *own, the address of this PE's. */
bool gs_far_own(const void *p, int *pe, void **own);

/* ---- agent.cc ---- */
/* The agent, where some PE is far. Collective. */
int gs_mod_agent_start(void);
void gs_mod_agent_stop(void);

/* ---- host.cc ---- */
int gs_host_register(size_t offset, size_t bytes);
void gs_host_stop(void);
/* Bytes from addr on that one registration (or none) covers: a copy must not cross its end. */
size_t gs_host_run(const void *addr, size_t bytes);

/* ---- state.cc ---- */
int gs_state_start(void);
void gs_state_stop(void);
/* Sends gs_mod.state to every unit and module. */
int gs_state_fill(void);
int gs_state_window_added(int index);
void gs_state_window_gone(void);
void gs_unit_added(struct shmemx_device_unit *u);
int gs_module_init(void *cu_module);
int gs_module_finish(void *cu_module);
int gs_team_set(int slot, const struct gs_group *g);
/* Units whose code was not loaded when they came. */
extern std::atomic<bool> gs_units_pending;
void gs_units_retry(void);

/* ---- stream.cc ---- */
/* A stream of the module's own; a thread keeps to one, so that its operations stay in order. */
struct gs_lane {
    cudaStream_t stream = nullptr;
    std::mutex lock;                    /* of pinned */
    std::atomic<uint64_t> issued{0};    /* operations that nobody has waited for */
    std::atomic<uint64_t> completed{0}; /* of those, how many are known to be done */
    char *pinned = nullptr;             /* GS_LANE_PINNED bytes that the GPU reaches at the same address */
};
enum { GS_LANE_PINNED = 256 };
int gs_stream_start(void);
void gs_stream_stop(void);
gs_lane *gs_lane_mine(void);
/* Call after putting work into the lane's stream that quiet must wait for. */
static inline void gs_lane_issued(gs_lane *l)
{
    l->issued.fetch_add(1);
}
int gs_sync(cudaStream_t s);
int gs_quiet(void);
int gs_lanes_quiet(void);
int gs_quiet_on_stream(void *stream);

/* ---- copy.cc ---- */
int gs_copy_bytes(void *to, const void *from, size_t bytes, void *stream, bool wait);
int gs_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                 void *stream, bool wait);
void gs_fill_bytes(void *addr, int byte, size_t bytes);

/* ---- amo.cc, wait.cc ---- */
int gs_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
           void *stream, bool wait);
void gs_amo_stop(void);
int gs_wait_until(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream);

/* ---- coll.cc ---- */
int gs_coll(struct gs_group *g, const struct gs_device_coll *c, void *stream);
int gs_barrier_on_stream(struct gs_group *g, bool quiet, void *stream);
/* Makes the team's stream, if it has none. */
int gs_team_stream(gs_dev_team *t);
/* Destroys what the team has of NCCL and its stream. */
void gs_team_release(gs_dev_team *t);

/* ---- launch.cc ---- */
int gs_launch(const void *func, const unsigned grid[3], const unsigned block[3], void **args, size_t smem,
              void *stream);
int gs_launch_grid(const void *func, const unsigned block[3], size_t smem, int *gridsize);

#endif

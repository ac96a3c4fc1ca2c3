/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seam between the host core and the module that serves devices: GPUs (libginshmem_nccl.so), or the machine that
 * runs kernels on the CPU (libginshmem_cpu.so). The core knows no CUDA: it loads the module with dlopen when a job wants
 * a device heap, and calls it through struct gs_device_ops; the module reaches back through struct gs_device_core. Both
 * sides are plain C and are built together; abi and size are compared first.
 *
 * Contract. Functions that return int give 0, or nonzero with the reason logged. Addresses are resolved already: a
 * pointer into a peer's heap, as this process (and its GPU) can use it. stream is a cudaStream_t; NULL stands for a
 * stream of the module's own. Nothing synchronises the whole device or touches the default stream. Any thread may call,
 * but for what is marked collective, which all PEs (or the group's) call in the same order.
 */
#ifndef GS_DEVICE_H
#define GS_DEVICE_H

#include <pthread.h>
#include <shmem.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/log.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gs_group;
struct shmemx_device_unit; /* device/gin_shmem/state.h */

enum { GS_DEVICE_ABI = 4 };

/* Element types by their names in the standard. */
enum gs_type {
#define GS_TYPE_ROW(A, N, T) GS_TYPE_##N,
    SHMEMI_SUM_REDUCE_TYPES(GS_TYPE_ROW, )
#undef GS_TYPE_ROW
    GS_TYPE_half, GS_TYPE_bfloat16, /* of GPUs, not of the standard */
    GS_TYPE_bytes
};
enum gs_reduce_op { GS_OP_and, GS_OP_or, GS_OP_xor, GS_OP_min, GS_OP_max, GS_OP_sum, GS_OP_prod };
enum gs_amo_op { GS_AMO_FETCH, GS_AMO_SET, GS_AMO_SWAP, GS_AMO_CSWAP, GS_AMO_ADD, GS_AMO_AND, GS_AMO_OR, GS_AMO_XOR };

enum gs_coll_kind {
    GS_COLL_REDUCE, GS_COLL_INSCAN, GS_COLL_EXSCAN, GS_COLL_BROADCAST, GS_COLL_FCOLLECT, GS_COLL_COLLECT, GS_COLL_ALLTOALL,
    GS_COLL_ALLTOALLS,
    GS_COLL_REDUCESCATTER /* nelems results for each member, from nelems for each in source */
};

/* A collective on buffers of which at least one lies on the device. */
struct gs_device_coll {
    enum gs_coll_kind kind;
    void *dest;         /* own addresses, symmetric */
    const void *source;
    size_t nelems;      /* as the standard counts for this kind */
    size_t size;        /* bytes of an element */
    enum gs_type type;  /* reductions and scans; GS_TYPE_bytes otherwise */
    enum gs_reduce_op op;
    int root;           /* rank in the group */
    bool write_root;
    ptrdiff_t dst, sst;
};

/* Who gets messages between the processes of PEs. */
struct gs_message_listener {
    /* Memory for one of so many bytes that is coming; NULL: there is none, and the job ends. */
    void *(*room)(size_t bytes);
    /* It has come, and the listener has its memory back. */
    void (*take)(int from, void *room, size_t bytes);
};

/* What the module gets. The functions stay valid until stop() has returned. */
struct gs_device_core {
    unsigned abi;
    size_t size;                 /* of this struct */
    int me, n;
    int local_rank;              /* among the PEs of this host */
    int max_teams;
    void *adopted_comm;          /* an ncclComm_t of the program's, or NULL */
    double timeout_s;            /* of device waits; 0: never */
    const char *gin;             /* GIN_SHMEM_GIN */
    bool gin_add;                /* GIN_SHMEM_GIN_ADD */
    int fake_node;               /* the number of this PE's fake node; -1: there are none */
    size_t cpu_memory;           /* GIN_SHMEM_CPU_MEMORY, for the CPU machine */
    const char *remote;          /* GIN_SHMEM_REMOTE */
    bool agent_direct;           /* GIN_SHMEM_AGENT_DIRECT */
    /* Host heaps: PE i's starts at host_base + i * host_stride in this process. */
    char *host_base;
    size_t host_stride, host_size;
    /* Is the memory of PE pe's node this PE's too? Only then is its host heap mapped. */
    bool (*near)(int pe);
    /* The process of PE pe, -1 where it is on another host. */
    int (*process)(int pe);
    /* The host heap's file of a PE of this host, for the caller to map and to close; -1 with errno set. */
    int (*host_open)(int pe);
    /* Collective, over the bootstrap. */
    int (*allgather)(const void *mine, size_t len, void *all);
    /* Collective: a barrier of all PEs, and one of a group, through host memory. */
    void (*barrier)(void);
    void (*group_sync)(struct gs_group *g);
    int (*group_pe)(const struct gs_group *g, int rank);
    /* n and me of a group, and its slot (-1: an active set). */
    void (*group_info)(const struct gs_group *g, int *n, int *me, int *slot);
    /* The handle of a team's group (slot not -1), which kernels compare with the one they are given. */
    uint64_t (*group_handle)(const struct gs_group *g);
    /* Collective over the group: what root has in data (at most 512 bytes), on all. */
    void (*group_broadcast)(struct gs_group *g, void *data, size_t bytes, int root);
    /* One look at something that has not changed yet; turn counts them from 0. Pauses, yields or sleeps. */
    void (*relax)(unsigned turn);
    int (*thread_start)(pthread_t *thread, void *(*fn)(void *), void *arg);
    /* Messages between the processes of PEs (far.h); messages(): is there such a way to PEs of other nodes? */
    bool (*messages)(void);
    const char *(*far_describe)(void); /* what carries them */
    void (*message)(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg);
    void (*on_message)(const struct gs_message_listener *l); /* NULL: nobody listens any more; none is on its way then */
    void (*message_poll)(void);
    void (*log)(enum gs_level level, const char *fmt, ...);
    void (*die)(const char *fn, const char *fmt, ...);
    void (*abort)(int status, const char *message);
    /* The translation units with device code; the list may grow while the module runs (see unit_added). */
    struct shmemx_device_unit *(*units)(void);
    /* The symmetric address of this PE that a resolved pointer stands for, for messages; offset in its heap. */
    size_t (*heap_offset)(const void *addr);
};

/* What the core gets: every slot is filled. */
struct gs_device_ops {
    unsigned abi;
    size_t size; /* of this struct */
    const char *(*describe)(void); /* one line: GPU, NCCL version, LSA size */
    const char *more_memory;       /* what gives the device heap more room, for a message: "use ..." */

    /* ---- life; collective ---- */
    int (*start)(const struct gs_device_core *core);
    void (*stop)(void);
    /* The address range of this PE's device heap (every window lies in it, those to come too), and how far PE i's copy is
     * from ours. Known once start() has returned. */
    void (*range)(uintptr_t *base, size_t *span);
    intptr_t (*delta)(int pe);
    /* Is pe reachable by load and store? By the calls below, to the address that delta gives? */
    bool (*reaches)(int pe);
    bool (*serves)(int pe);

    /* ---- memory; collective ---- */
    /* One more window of bytes (rounded up by the module; *bytes says to what), zero filled. Nonzero on every PE where it
     * fails on one; only `*free_bytes` is set then, and nothing is logged. */
    int (*window_add)(size_t *bytes, void **base, size_t *free_bytes);
    void (*window_remove)(void *base);
    /* The program's own device memory as a window, until window_release; its contents stay. Nonzero, logged, on every PE
     * where it fails on one. */
    int (*window_adopt)(void *user, size_t bytes, void **base);
    void (*window_release)(void *base);
    /* [base, base+bytes) of every PE's host heap becomes reachable from kernels. */
    int (*host_register)(size_t offset, size_t bytes);
    void (*memset)(void *addr, int byte, size_t bytes);

    /* ---- data ---- */
    /* True where addr is memory that the CPU must not touch: our device heap or any other device allocation. */
    bool (*is_device)(const void *addr);
    /* wait: return when `to` is complete. Otherwise at the next quiet, or in stream order. */
    int (*copy)(void *to, const void *from, size_t bytes, void *stream, bool wait);
    /* rows of `width` bytes, pitches in bytes */
    int (*copy_rows)(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                     void *stream, bool wait);
    /* size 4 or 8 bytes (SET and FETCH: 1, 2, 16 too); operand, cond and result hold that many bytes; result NULL: not
     * fetched. Ordered behind earlier copies in the same stream, and visible only after them. */
    int (*amo)(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
               void *stream, bool wait);
    /* stream waits until the word at addr (own, symmetric, 4 or 8 bytes) compares so; NULL: this thread waits. */
    int (*wait_until)(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream);
    /* Everything that the module's own streams hold is done at its target, and what kernels have begun. */
    int (*quiet)(void);
    /* Copies that did not wait come before what this PE does later, in any way. */
    int (*fence)(void);
    /* The same for what stream holds so far, as an operation in it. */
    int (*quiet_on_stream)(void *stream);

    /* ---- groups; collective over the group ---- */
    /* Tells kernels of a team (g) in a slot, and clears this PE's words of the slot: the caller syncs the group before
     * anybody uses the team. NULL: it is gone. Not collective. */
    int (*team_set)(int slot, const struct gs_group *g);
    /* Above 0, and nothing was done: this kind, type or operation is not served, the same on every member. The core then
     * goes the general way, through host memory; or refuses, by name, where a stream was given. slot is never -1. */
    int (*coll)(struct gs_group *g, const struct gs_device_coll *c, void *stream);
    /* As an operation in stream. quiet: a barrier, else a sync. */
    int (*barrier_on_stream)(struct gs_group *g, bool quiet, void *stream);

    /* ---- kernels ---- */
    /* Here NULL is the default stream, as in any launch: the program names it. */
    int (*launch)(const void *func, const unsigned grid[3], const unsigned block[3], void **args, size_t smem,
                  void *stream);
    int (*launch_grid)(const void *func, const unsigned block[3], size_t smem, int *gridsize);
    /* A module loaded through the driver API gets the state, now and whenever it changes, until module_finish, which
     * comes before the module is unloaded. */
    int (*module_init)(void *cu_module);
    int (*module_finish)(void *cu_module);
    /* A unit registered while the module runs: fill it now, or at the next call if its code is not loaded yet. */
    void (*unit_added)(struct shmemx_device_unit *u);

    /* ---- for authors of extensions ---- */
    void *(*nccl_comm)(void);
    /* ncclWindow_t and offset of one of our device addresses; nonzero when it is none. */
    int (*window_of)(const void *addr, void **window, size_t *offset);
};

/* The module's one exported symbol. NULL, with the reason in why, when it cannot work in this process. */
typedef const struct gs_device_ops *gs_device_module_fn(unsigned abi, char *why, size_t whylen);
#define GS_DEVICE_MODULE_SYMBOL "gs_device_module"

#ifdef __cplusplus
}
#endif

#endif

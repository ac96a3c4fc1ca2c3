/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this PE's job: who we are, where the symmetric regions lie, and how a symmetric address is turned into
 * a pointer that reaches a peer. Written by init and finalize only; read everywhere without a lock.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bootstrap/bootstrap.h"
#include "heap/alloc.h"

struct gs_device_ops;
struct gs_far_ops;

#define gs_likely(x)   __builtin_expect(!!(x), 1)
#define gs_unlikely(x) __builtin_expect(!!(x), 0)

/* Where one PE's symmetric regions appear in this process. Those of a far PE are addresses without memory: core/far.h. */
struct gs_peer {
    char *heap; /* its symmetric heap (what shmem_malloc hands out) */
    char *data; /* its executable's global variables, or NULL when they are not symmetric */
    char *sys;  /* its system segment (struct gs_sys) */
    bool near;  /* loads and stores reach it */
};

struct gs_job {
    /* What every RMA call reads; all zero outside init..finalize, so that the quick checks fail and the slow path
     * explains why. */
    int me, n;
    bool check;         /* GIN_SHMEM_CHECK */
    bool yield;         /* more PEs than cores: waits and polls give the core away */
    uintptr_t heap_base;
    size_t heap_size;
    struct gs_alloc_live live;
    const struct gs_peer *peer; /* n of them */
    uintptr_t data_base;
    size_t data_size;

    /* The device heap, where the job has one. dev is NULL otherwise. */
    const struct gs_device_ops *dev;
    /* The way to PEs on other nodes, where the job has such. NULL otherwise. */
    const struct gs_far_ops *far;
    bool dev_expected;  /* the device heap is to start at the next collective call */
    uintptr_t dev_base;
    size_t dev_span;

    int nodes, node;    /* how many, and this PE's: numbered in the order of their first PEs */
    int depth;          /* initialisations not yet finalised */
    int thread_level;   /* SHMEM_THREAD_* provided */
    bool was_up;        /* finalised at least once: for messages */
    struct gs_boot boot;
    struct gs_record *records; /* n of them */
};

extern struct gs_job gs;

/* Is all symmetric memory of the job within reach of loads and stores? One test for both exceptions. */
static inline bool gs_direct(void)
{
    return gs_likely(!((uintptr_t)gs.dev | (uintptr_t)gs.far));
}

/* Ends every PE with status; shows message once if it is not NULL. Any thread, any time. */
_Noreturn void gs_job_abort(int status, const char *message);

/* Bytes of a PE's system segment (core/sys.h). */
size_t gs_sys_bytes(void);

/* core/init.c. adopted_comm: an ncclComm_t of the program's, or NULL. 0, or nonzero with the reason logged. */
int gs_job_init(const struct gs_boot_attr *attr, void *adopted_comm, int requested, int *provided);
void gs_job_finalize(const char *fn);
_Noreturn void gs_job_global_exit(int status);

/* Dies unless the library is initialised. */
void gs_not_up(const char *fn) __attribute__((cold, noreturn));
static inline void gs_need_up(const char *fn)
{
    if (gs_unlikely(!gs.depth))
        gs_not_up(fn);
}

/* Bad PE number: dies. what names the world the number is relative to. */
void gs_bad_pe(const char *fn, int pe, int n) __attribute__((cold, noreturn));

#endif

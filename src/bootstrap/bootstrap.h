/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap: how the PEs of a job find each other, before and beside the symmetric heap.
 *
 * Contract. One bootstrap is chosen by gs_boot_start() and stays the same until gs_boot_stop(). Calls are made by one
 * thread at a time. allgather and fence are collective over all PEs and called in the same order by all. A function
 * that returns nonzero has logged the reason itself (gs_error), and has left nothing behind; callers pass it on.
 */
#ifndef GS_BOOTSTRAP_H
#define GS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

enum { GS_HOST_LEN = 64 };

/* What shmemx_init_attr() hands in; NULL elsewhere. */
struct gs_boot_attr {
    int rank, size;          /* valid with uid only */
    const void *uid;         /* GS_UID_BYTES bytes, or NULL */
};
enum { GS_UID_BYTES = 128 };

struct gs_boot {
    const struct gs_boot_ops *ops;
    int rank, size;          /* this PE and the number of PEs */
    int local_rank;          /* position among the PEs of this host as the launcher says, or -1 when it does not say */
    void *state;             /* the bootstrap's own */
};

enum gs_boot_probe { GS_BOOT_ABSENT, GS_BOOT_USABLE, GS_BOOT_BROKEN };

struct gs_boot_ops {
    const char *name;
    /* Did this launcher start the process? BROKEN: there are traces of it, but it cannot serve us. Unless USABLE, why
     * says what is missing and what to do, in one line. Nothing is started or kept. */
    enum gs_boot_probe (*probe)(const struct gs_boot_attr *attr, char *why, size_t whylen);
    int (*init)(struct gs_boot *b, const struct gs_boot_attr *attr);
    /* all[i*len .. (i+1)*len) is PE i's mine. */
    int (*allgather)(struct gs_boot *b, const void *mine, size_t len, void *all);
    int (*fence)(struct gs_boot *b);
    /* Ends every PE of the job with status, showing message (may be NULL) once. Any thread, any time after init;
     * does not wait for others. May return; the caller then leaves by _exit(status). */
    void (*abort)(struct gs_boot *b, int status, const char *message);
    /* Collective. */
    int (*finalize)(struct gs_boot *b);
    /* Tells the launcher that this PE is about to _exit() on purpose, so that it neither complains nor ends others.
     * Any thread, also instead of finalize; waits for nobody, a second at most. */
    void (*leave)(struct gs_boot *b);
    /* Does the launcher end the survivors when a PE dies, and can abort() carry status 0? Where not, core/watch.c does. */
    bool (*needs_watch)(const struct gs_boot *b);
    /* Does it end the job within seconds when a host is down or cut off? Where not, links.c does. */
    bool sees_hosts;
};

extern const struct gs_boot_ops gs_boot_pmix, gs_boot_env, gs_boot_uid, gs_boot_singleton;

/* Chooses (GIN_SHMEM_BOOTSTRAP, else uid when attr has one, PMIx, the torchrun environment, singleton) and initialises.
 * Refuses the singleton when the environment tells of other PEs (SLURM_NTASKS, OMPI_COMM_WORLD_SIZE, PMI_SIZE, WORLD_SIZE ...). */
int gs_boot_start(struct gs_boot *b, const struct gs_boot_attr *attr);
int gs_boot_stop(struct gs_boot *b);

/* Makes the 128 bytes of a unique id and starts serving it, in this process, until every PE has left. 0 or nonzero, logged. */
int gs_boot_uid_make(void *uid);

/* One versioned record per PE, exchanged right after gs_boot_start and compared: agree.c. */
struct gs_record {
    char magic[8];           /* "ginshmem"; must be equal on all PEs, like all fields up to `pid` */
    unsigned abi;            /* layout of this record and of the system segment */
    char version[24];        /* library version */
    unsigned check;          /* GIN_SHMEM_CHECK */
    unsigned max_teams;
    char wait[8];            /* GIN_SHMEM_WAIT */
    char transport[8];       /* GIN_SHMEM_TRANSPORT */
    size_t heap_size;        /* SHMEM_SYMMETRIC_SIZE in bytes */
    /* own to each PE: */
    int pid;
    int heap_fd, data_fd;    /* memfds, to be opened through /proc/<pid>/fd; -1: none */
    size_t data_size;        /* bytes of the symmetric data segment */
    unsigned long long data_id;  /* hash of the executable's build; equal where globals are symmetric */
    unsigned wants_device;   /* has kernels, or was asked for a device heap */
    int cores;               /* cores this PE may run on */
    unsigned long long core_set; /* hash of the set of cores */
    char host[GS_HOST_LEN];  /* host name */
    int fake_node;           /* 0, or another number for PEs of this host that shall behave as on another one */
    unsigned long long boot_id;  /* hash of the kernel's boot id: two hosts of one name differ here */
    unsigned long long pid_ns;   /* inode of the PID namespace */
    /* set by gs_boot_agree: */
    int node;                /* PEs of one host and fake node have one number, in the order of their first PEs */
};

/* Are both on one host (whatever their fake nodes)? */
bool gs_boot_same_host(const struct gs_record *a, const struct gs_record *b);

/* Fills all with size records; 0 when the PEs agree, nonzero when not: PE 0 logs one line for each PE that disagrees
 * (field, its value, PE 0's value, what to do). */
int gs_boot_agree(struct gs_boot *b, const struct gs_record *mine, struct gs_record *all);

/* "node-a (PE 0-1,3), node-b (PE 2)"; the caller frees it. May be NULL. */
char *gs_boot_nodes_text(const struct gs_record *all, int size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PEs that are threads of one process, so that ThreadSanitizer sees what one does to another's memory. The runner
 * (runner.c) loads as many private copies of a test as there are PEs; a test is a shared object with the library linked
 * into it, so each copy has variables of its own. This is what the two tell each other.
 */
#ifndef PE_THREADS_H
#define PE_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { PE_MAX = 64, RANGES_MAX = 1024 };

/* Address space that all PEs have reserved, by the number of the call. */
struct pe_range {
    char *base;
    size_t len;
    int users;
};

/* All PEs' of the process. Under the lock. */
struct pe_job {
    int n;
    pthread_mutex_t lock;
    pthread_cond_t all_there;
    int there;                /* PEs in the present meeting */
    unsigned meeting;         /* which it is */
    const void *part[PE_MAX]; /* what each has brought to it */
    struct pe_range range[RANGES_MAX];
    void (*end)(int status);                    /* ends the process: _exit of the runner */
    void *(*open)(const char *file, int flags); /* dlopen of the runner */
};

struct pe {
    struct pe_job *job;
    int rank;
    void *handle; /* of its copy */
    int argc;
    char **argv;
};

/* What a copy offers: runs its main, and gives the PE's exit status. */
#define PE_ENTRY "pe_enter"
typedef int pe_enter_fn(const struct pe *pe);

/* ---- inside a copy ---- */
extern struct pe pe_self;

/* Waits for all PEs. What each brings is in part[] behind it, until a further meeting, without parts, ends its use. */
void pe_meet(const void *part);
/* Where PE rank's global variables are; they are told of by number, not as a file. */
enum { PE_DATA = 1 << 24 };
char *pe_data_of(int rank);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pe_threads -n N [--fake-nodes K] test.so [argument...]: N PEs of one process, on K simulated nodes, each a thread with a
 * copy of the test. Ends as oshrun does: with 0, or at once with the status of the first PE that fails.
 */
#define _GNU_SOURCE
#include "pe_threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pe_job job = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_there = PTHREAD_COND_INITIALIZER};
static struct pe pes[PE_MAX];
static pe_enter_fn *enter[PE_MAX];

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("pe_threads: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputs("\n", stderr);
    va_end(ap);
    exit(2);
}

static void end(int status)
{
    _exit(status);
}

static void *open_library(const char *file, int flags)
{
    return dlopen(file, flags);
}

/* The loader takes files with one inode for one library, so each PE gets a file of its own, which has no name. It stays
 * open: ThreadSanitizer reads the lines of its reports from there. */
static void *load_copy(const char *path, int pe)
{
    char name[64];
    struct stat st;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(name, sizeof name, "PE %d", pe);
    int to = memfd_create(name, MFD_CLOEXEC);
    if (from < 0 || to < 0 || fstat(from, &st) != 0)
        fail("cannot copy %s: %m", path);
    for (off_t at = 0; at < st.st_size;)
        if (sendfile(to, from, &at, (size_t)(st.st_size - at)) <= 0)
            fail("cannot copy %s: %m", path);
    close(from);
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail("cannot load %s: %s", path, dlerror());
    return handle;
}

static void *run(void *arg)
{
    const struct pe *pe = arg;
    int status = enter[pe->rank](pe);
    if (status) {
        fflush(stdout);
        fprintf(stderr, "pe_threads: PE %d has ended with status %d; ending the job\n", pe->rank, status);
        end(status);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[PE_MAX];
    if (argc > 5 && strcmp(argv[3], "--fake-nodes") == 0) {
        setenv("GIN_SHMEM_FAKE_NODES", argv[4], 1);
        setenv("GIN_SHMEM_TRANSPORT", "shm", 1);
        argv[4] = argv[2], argv[3] = argv[1];
        argc -= 2, argv += 2;
    }
    if (argc < 4 || strcmp(argv[1], "-n") != 0 || (job.n = atoi(argv[2])) < 1 || job.n > PE_MAX)
        fail("usage: pe_threads -n N [--fake-nodes K] test.so [argument...], with N from 1 to %d", PE_MAX);
    job.end = end;
    job.open = open_library;
    for (int i = 0; i < job.n; i++) {
        pes[i] = (struct pe){&job, i, load_copy(argv[3], i), argc - 3, argv + 3};
        enter[i] = (pe_enter_fn *)(uintptr_t)dlsym(pes[i].handle, PE_ENTRY);
        if (!enter[i])
            fail("%s is no test for pe_threads: it has no %s", argv[3], PE_ENTRY);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < job.n; i++)
        if (pthread_create(&threads[i], NULL, run, &pes[i]) != 0)
            fail("cannot start the thread of PE %d", i);
    for (int i = 0; i < job.n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

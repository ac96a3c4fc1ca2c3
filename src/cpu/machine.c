/* SPDX-License-Identifier: BSD-3-Clause */
/* What concerns the machine as a whole: its end, its hooks, and the kernels it knows. */
#define _GNU_SOURCE
#include "cpu/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gin_shmem/cpu/calls.h>

static int failed; /* atomic */
static void (*abort_job)(int status, const char *message);
static void (*when_trapped)(void);
static void (*thread_begins)(struct gin_shmem_cpu_thread *);
static void (*thread_ended)(struct gin_shmem_cpu_thread *);

void gs_machine_hooks(void (*abort)(int status, const char *message), void (*trapped)(void))
{
    __atomic_store_n(&abort_job, abort, __ATOMIC_RELEASE);
    __atomic_store_n(&when_trapped, trapped, __ATOMIC_RELEASE);
}

void gs_machine_thread_hooks(void (*begins)(struct gin_shmem_cpu_thread *),
                             void (*ended)(struct gin_shmem_cpu_thread *))
{
    thread_begins = begins;
    thread_ended = ended;
}

void gs_machine_thread_begins(struct gin_shmem_cpu_thread *t)
{
    if (thread_begins)
        thread_begins(t);
}

void gs_machine_thread_ended(struct gin_shmem_cpu_thread *t)
{
    if (thread_ended)
        thread_ended(t);
}

uint64_t gs_machine_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int gs_machine_error(void)
{
    return __atomic_load_n(&failed, __ATOMIC_ACQUIRE);
}

void gs_machine_trapped(void)
{
    void (*tell)(void) = __atomic_load_n(&when_trapped, __ATOMIC_ACQUIRE);
    if (tell)
        tell();
    __atomic_store_n(&failed, GS_MACHINE_LAUNCH_FAILURE, __ATOMIC_RELEASE);
}

void gs_machine_die(const char *fmt, ...)
{
    char text[1000];
    va_list ap;
    va_start(ap, fmt);
    int n = snprintf(text, sizeof text, "gin_shmem: ");
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
    va_end(ap);
    fflush(stdout);
    void (*end)(int, const char *) = __atomic_load_n(&abort_job, __ATOMIC_ACQUIRE);
    if (end)
        end(1, text);
    fprintf(stderr, "%s\n", text);
    fflush(stderr);
    _exit(1);
}

/* ---- kernels ---- */

/* By address of the function; only grows, and a library that is closed and opened again finds its place taken by the
 * same kernel. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known {
    const void *fn;
    const struct gin_shmem_cpu_kernel *kernel;
} * known;
static size_t known_count, known_room; /* room is a power of two */

static size_t place_of(const struct known *table, size_t room, const void *fn)
{
    size_t i = ((uintptr_t)fn >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (room - 1);
    while (table[i].fn && table[i].fn != fn)
        i = (i + 1) & (room - 1);
    return i;
}

const struct gin_shmem_cpu_kernel *gs_kernel_find(const void *fn)
{
    pthread_mutex_lock(&lock);
    const struct gin_shmem_cpu_kernel *k = known_room ? known[place_of(known, known_room, fn)].kernel : NULL;
    pthread_mutex_unlock(&lock);
    return k;
}

__attribute__((visibility("default"))) void gin_shmem_cpu_known(const void *fn, const struct gin_shmem_cpu_kernel *k)
{
    pthread_mutex_lock(&lock);
    if (2 * known_count >= known_room) {
        const size_t room = known_room ? 2 * known_room : 64;
        struct known *table = calloc(room, sizeof *table);
        if (!table)
            gs_machine_die("no memory for a table of %zu kernels", known_count);
        for (size_t i = 0; i < known_room; i++)
            if (known[i].fn)
                table[place_of(table, room, known[i].fn)] = known[i];
        free(known);
        known = table;
        known_room = room;
    }
    struct known *entry = &known[place_of(known, known_room, fn)];
    known_count += entry->fn == NULL;
    entry->fn = fn;
    entry->kernel = k;
    pthread_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of PEs that share a process. ThreadSanitizer knows memory by its address, so every PE's heap is mapped once,
 * by itself, in ranges that all have in common (in place of src/transport/shm/map.c); and global variables stay where each
 * copy of the program has them (in place of src/heap/data.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/log.h"
#include "heap/data.h"
#include "pe_threads.h"
#include "transport/shm/map.h"

/* ---- ranges ---- */

static int calls;

char *gs_map_reserve(size_t len)
{
    struct pe_job *job = pe_self.job;
    char *base = NULL;
    if (calls == RANGES_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    pthread_mutex_lock(&job->lock);
    struct pe_range *r = &job->range[calls++];
    if (!r->base) {
        void *p = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED)
            *r = (struct pe_range){p, len, job->n};
    }
    if (r->base && r->len == len)
        base = r->base;
    else
        errno = r->base ? EINVAL : errno;
    pthread_mutex_unlock(&job->lock);
    return base;
}

void gs_map_unreserve(char *base, size_t len)
{
    struct pe_job *job = pe_self.job;
    if (!base)
        return;
    pthread_mutex_lock(&job->lock);
    for (int i = 0; i < calls; i++)
        if (job->range[i].base == base && job->range[i].users && --job->range[i].users == 0)
            munmap(base, len);
    pthread_mutex_unlock(&job->lock);
}

enum gs_map_result gs_map_place(char **at, size_t len, const struct gs_map_file *file)
{
    if (file->fd >= PE_DATA)
        *at = pe_data_of(file->fd - PE_DATA);
    else if (file->own &&
             mmap(*at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file->fd, 0) == MAP_FAILED)
        return GS_MAP_NOT_MAPPED;
    return GS_MAP_DONE;
}

void gs_map_clear(char *at, size_t len, bool own)
{
    if (own)
        (void)mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/* ---- global variables ---- */

static struct gs_data data;
static char *data_of[PE_MAX];

/* The part of this copy that is written, behind what becomes read-only after loading. */
static int own_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
    const uintptr_t mine = (uintptr_t)&data;
    uintptr_t start = 0, end = 0, relro_end = 0;
    (void)size, (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO)
            relro_end = at + p->p_memsz;
        if (p->p_type == PT_LOAD && mine - at < p->p_memsz)
            start = at, end = at + p->p_memsz;
    }
    if (!start)
        return 0;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (relro_end > start && relro_end < end)
        start = relro_end;
    data.base = start & ~(page - 1);
    data.size = ((end + page - 1) & ~(page - 1)) - data.base;
    return 1;
}

int gs_data_open(struct gs_data *out)
{
    if (!data.size) {
        if (!dl_iterate_phdr(own_segment, NULL)) {
            gs_error("internal: no object of this process holds the variables of PE %d", pe_self.rank);
            return -1;
        }
        data.fd = PE_DATA + pe_self.rank;
        data.id = 1; /* all are copies of one file */
        pe_meet((const void *)data.base);
        for (int i = 0; i < pe_self.job->n; i++)
            data_of[i] = (char *)(uintptr_t)pe_self.job->part[i];
        pe_meet(NULL);
    }
    *out = data;
    return 0;
}

char *pe_data_of(int rank)
{
    return data_of[rank];
}

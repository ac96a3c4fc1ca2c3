/* SPDX-License-Identifier: BSD-3-Clause */
/* How PEs of one process find each other: in memory. In place of src/bootstrap/select.c. */
#include <stdlib.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/leave.h"
#include "core/env.h"
#include "core/log.h"
#include "pe_threads.h"

void pe_meet(const void *part)
{
    struct pe_job *job = pe_self.job;
    pthread_mutex_lock(&job->lock);
    const unsigned meeting = job->meeting;
    if (part)
        job->part[pe_self.rank] = part;
    if (++job->there == job->n) {
        job->there = 0;
        job->meeting++;
        pthread_cond_broadcast(&job->all_there);
    }
    while (job->meeting == meeting)
        pthread_cond_wait(&job->all_there, &job->lock);
    pthread_mutex_unlock(&job->lock);
}

static enum gs_boot_probe probe(const struct gs_boot_attr *attr, char *why, size_t whylen)
{
    (void)attr, (void)why, (void)whylen;
    return GS_BOOT_USABLE;
}

static int init(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    (void)attr;
    b->rank = b->local_rank = pe_self.rank;
    b->size = pe_self.job->n;
    return 0;
}

static int allgather(struct gs_boot *b, const void *mine, size_t len, void *all)
{
    pe_meet(mine);
    for (int i = 0; i < b->size; i++)
        memmove((char *)all + (size_t)i * len, pe_self.job->part[i], len);
    pe_meet(NULL);
    return 0;
}

static int fence(struct gs_boot *b)
{
    (void)b;
    pe_meet(NULL);
    return 0;
}

static void end(struct gs_boot *b, int status, const char *message)
{
    (void)b;
    if (message)
        gs_error("%s", message);
    gs_flush_bounded();
    pe_self.job->end(status);
}

static void leave(struct gs_boot *b)
{
    (void)b;
}

static bool needs_watch(const struct gs_boot *b)
{
    (void)b;
    return false;
}

static const struct gs_boot_ops ops = {
    .name = "threads",
    .probe = probe,
    .init = init,
    .allgather = allgather,
    .fence = fence,
    .abort = end,
    .finalize = fence,
    .leave = leave,
    .needs_watch = needs_watch,
    .sees_hosts = true,
};

int gs_boot_start(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    if (gs_env.fake_nodes > 1 && strcmp(gs_env.transport, "shm") != 0) {
        gs_error(
            "PEs that are threads reach other nodes by GIN_SHMEM_TRANSPORT=shm alone: UCX would be there once for all");
        return -1;
    }
    *b = (struct gs_boot){.ops = &ops};
    ops.init(b, attr);
    gs_log_pe = b->rank;
    return 0;
}

int gs_boot_stop(struct gs_boot *b)
{
    int rc = b->ops ? b->ops->finalize(b) : 0;
    *b = (struct gs_boot){0};
    return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One PE, started by hand. select.c sees to it that nothing in the environment tells of others. */
#include "bootstrap/bootstrap.h"

#include <string.h>

#include "bootstrap/leave.h"
#include "core/log.h"

static enum gs_boot_probe probe(const struct gs_boot_attr *attr, char *why, size_t whylen)
{
    (void)attr, (void)why, (void)whylen;
    return GS_BOOT_USABLE;
}

static int init(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    (void)attr;
    b->rank = 0;
    b->size = 1;
    b->local_rank = 0;
    return 0;
}

static int allgather(struct gs_boot *b, const void *mine, size_t len, void *all)
{
    (void)b;
    memmove(all, mine, len);
    return 0;
}

static int nothing_to_do(struct gs_boot *b)
{
    (void)b;
    return 0;
}

static void end(struct gs_boot *b, int status, const char *message)
{
    (void)b, (void)status;
    if (message)
        gs_error("%s", message);
    gs_flush_bounded();
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

const struct gs_boot_ops gs_boot_singleton = {
    .name = "singleton",
    .probe = probe,
    .init = init,
    .allgather = allgather,
    .fence = nothing_to_do,
    .abort = end,
    .finalize = nothing_to_do,
    .leave = leave,
    .needs_watch = needs_watch,
    .sees_hosts = true,
};

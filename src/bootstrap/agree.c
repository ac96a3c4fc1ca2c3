/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the PEs fit together? All of them come to the same answer from the same records; PE 0 says it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "core/log.h"

static bool same_host(const struct gs_record *a, const struct gs_record *b)
{
    return !strncmp(a->host, b->host, sizeof a->host) && a->boot_id == b->boot_id;
}

/* What PE `pe` has otherwise than PE 0; logs it where `tell`. */
static bool differs(const struct gs_record *r, const struct gs_record *zero, int pe, bool tell)
{
    char mine[64], first[64];
    const char *what, *remedy;

    if (memcmp(r->magic, zero->magic, sizeof r->magic)) {
        what = "record";
        remedy = "it does not run this library: install one version for all";
        snprintf(mine, sizeof mine, "of another kind");
        snprintf(first, sizeof first, "'%.8s'", zero->magic);
    } else if (strncmp(r->version, zero->version, sizeof r->version)) {
        what = "gin_shmem version";
        remedy = "let all PEs load the same libginshmem (see `ldd` and LD_LIBRARY_PATH)";
        snprintf(mine, sizeof mine, "%.24s", r->version);
        snprintf(first, sizeof first, "%.24s", zero->version);
    } else if (r->abi != zero->abi) {
        what = "internal layout";
        remedy = "let all PEs load the same build of libginshmem (see `ldd` and LD_LIBRARY_PATH)";
        snprintf(mine, sizeof mine, "%u", r->abi);
        snprintf(first, sizeof first, "%u", zero->abi);
    } else if (r->heap_size != zero->heap_size) {
        what = "symmetric heap size";
        remedy = "set SHMEM_SYMMETRIC_SIZE to one value for all PEs";
        snprintf(mine, sizeof mine, "%zu bytes", r->heap_size);
        snprintf(first, sizeof first, "%zu bytes", zero->heap_size);
    } else if (r->check != zero->check) {
        what = "argument checks";
        remedy = "set GIN_SHMEM_CHECK to one value for all PEs";
        snprintf(mine, sizeof mine, "%u", r->check);
        snprintf(first, sizeof first, "%u", zero->check);
    } else if (r->max_teams != zero->max_teams) {
        what = "number of teams";
        remedy = "set GIN_SHMEM_MAX_TEAMS to one value for all PEs";
        snprintf(mine, sizeof mine, "%u", r->max_teams);
        snprintf(first, sizeof first, "%u", zero->max_teams);
    } else if (strncmp(r->wait, zero->wait, sizeof r->wait)) {
        what = "way of waiting";
        remedy = "set GIN_SHMEM_WAIT to one value for all PEs";
        snprintf(mine, sizeof mine, "%.8s", r->wait);
        snprintf(first, sizeof first, "%.8s", zero->wait);
    } else {
        return false;
    }
    if (tell)
        gs_error("PE %d on %.*s disagrees with PE 0: its %s is %s, PE 0's is %s; %s", pe, GS_HOST_LEN, r->host, what,
                 mine, first, remedy);
    return true;
}

/* "0-3,6" : the PEs for which the record is like all[of]. */
static void ranges(FILE *out, const struct gs_record *all, int size, int of)
{
    const char *comma = "";

    for (int i = of; i < size; i++) {
        if (!same_host(&all[i], &all[of]))
            continue;
        int last = i;
        while (last + 1 < size && same_host(&all[last + 1], &all[of]))
            last++;
        if (last > i)
            fprintf(out, "%s%d-%d", comma, i, last);
        else
            fprintf(out, "%s%d", comma, i);
        comma = ",";
        i = last;
    }
}

static void tell_hosts(const struct gs_record *all, int size)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    int hosts = 0;

    if (!out) {
        gs_error("the PEs are on several hosts; this version serves the PEs of one host only");
        return;
    }
    for (int i = 0; i < size; i++) {
        int first = 0;
        while (!same_host(&all[first], &all[i]))
            first++;
        if (first < i)
            continue;
        if (hosts++ == 8) {
            fprintf(out, ", ...");
            break;
        }
        bool namesake = false;
        for (int k = 0; k < size; k++)
            namesake |= !strncmp(all[k].host, all[i].host, GS_HOST_LEN) && !same_host(&all[k], &all[i]);
        fprintf(out, "%s%.*s", hosts > 1 ? ", " : "", GS_HOST_LEN, all[i].host);
        if (namesake)
            fprintf(out, " [boot %llx]", all[i].boot_id);
        fprintf(out, " (PE ");
        ranges(out, all, size, i);
        fprintf(out, ")");
    }
    fclose(out);
    gs_error("PEs on several hosts are not supported yet: %s; start all of them on one host", text ? text : "?");
    free(text);
}

int gs_boot_agree(struct gs_boot *b, const struct gs_record *mine, struct gs_record *all)
{
    if (b->ops->allgather(b, mine, sizeof *mine, all))
        return -1;

    bool tell = b->rank == 0;
    int bad = 0;
    for (int i = 1; i < b->size; i++)
        bad += differs(&all[i], &all[0], i, tell);
    if (bad)
        goto disagree;

    for (int i = 1; i < b->size && !bad; i++)
        bad = !same_host(&all[i], &all[0]);
    if (bad) {
        if (tell)
            tell_hosts(all, b->size);
        goto disagree;
    }

    for (int i = 1; i < b->size; i++) {
        if (all[i].pid_ns == all[0].pid_ns)
            continue;
        bad++;
        if (tell)
            gs_error(
                "PE %d and PE 0 are on host %.*s but in different PID namespaces (%llu and %llu), so that they cannot "
                "share memory; start the PEs in one container, or the containers with `--pid=host` or a common pod",
                i, GS_HOST_LEN, all[i].host, all[i].pid_ns, all[0].pid_ns);
    }
    if (!bad)
        return 0;

disagree:
    /* A launcher ends all PEs when the first one leaves: not before PE 0 has spoken. */
    b->ops->fence(b);
    return -1;
}

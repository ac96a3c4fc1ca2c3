/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the PEs fit together? All of them come to the same answer from the same records; PE 0 says it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/ranges.h"
#include "core/log.h"

bool gs_boot_same_host(const struct gs_record *a, const struct gs_record *b)
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
    } else if (strncmp(r->transport, zero->transport, sizeof r->transport)) {
        what = "transport";
        remedy = "set GIN_SHMEM_TRANSPORT to one value for all PEs";
        snprintf(mine, sizeof mine, "%.8s", r->transport);
        snprintf(first, sizeof first, "%.8s", zero->transport);
    } else {
        return false;
    }
    if (tell)
        gs_error("PE %d on %.*s disagrees with PE 0: its %s is %s, PE 0's is %s; %s", pe, GS_HOST_LEN, r->host, what,
                 mine, first, remedy);
    return true;
}

struct node {
    const struct gs_record *all;
    int number;
};

static bool on_node(const void *arg, int pe)
{
    const struct node *n = arg;
    return n->all[pe].node == n->number;
}

char *gs_boot_nodes_text(const struct gs_record *all, int size)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    int told = 0;

    if (!out)
        return NULL;
    for (int i = 0; i < size; i++) {
        const struct gs_record *r = &all[i];
        if (r->node < told) /* its first PE has come */
            continue;
        if (told++ == 8) {
            fprintf(out, ", ...");
            break;
        }
        bool namesake = false;
        for (int k = 0; k < size; k++)
            namesake |= !strncmp(all[k].host, r->host, GS_HOST_LEN) && all[k].boot_id != r->boot_id;
        fprintf(out, "%s%.*s", told > 1 ? ", " : "", GS_HOST_LEN, r->host);
        if (namesake)
            fprintf(out, " [boot %llx]", r->boot_id);
        if (r->fake_node)
            fprintf(out, " [fake node %d]", r->fake_node);
        char pes[200];
        gs_ranges(pes, sizeof pes, size, on_node, &(struct node){all, r->node});
        fprintf(out, " (PE %s)", pes);
    }
    fclose(out);
    return text;
}

static void number_nodes(struct gs_record *all, int size)
{
    int nodes = 0;

    for (int i = 0; i < size; i++) {
        int first = 0; /* the first PE of this one's node */
        while (!gs_boot_same_host(&all[first], &all[i]) || all[first].fake_node != all[i].fake_node)
            first++;
        all[i].node = first < i ? all[first].node : nodes++;
    }
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

    number_nodes(all, b->size);
    for (int i = 1; i < b->size; i++) {
        int first = 0;
        while (all[first].node != all[i].node)
            first++;
        if (all[i].pid_ns == all[first].pid_ns)
            continue;
        bad++;
        if (tell)
            gs_error(
                "PE %d and PE %d are on host %.*s but in different PID namespaces (%llu and %llu), so that they cannot "
                "share memory; start the PEs in one container, or the containers with `--pid=host` or a common pod",
                i, first, GS_HOST_LEN, all[i].host, all[i].pid_ns, all[first].pid_ns);
    }
    if (!bad)
        return 0;

disagree:
    /* A launcher ends all PEs when the first one leaves: not before PE 0 has spoken. */
    b->ops->fence(b);
    return -1;
}

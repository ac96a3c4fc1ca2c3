/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gs_hosts_free(struct gs_hosts *h)
{
    for (int i = 0; i < h->n; i++)
        free(h->v[i].name);
    free(h->v);
    h->v = NULL;
    h->n = 0;
}

/* Slots as text: 1 to 1000000, or 0 where it is no such number. */
static int slots_of(const char *text)
{
    char *end;
    long v = strtol(text, &end, 10);
    return text[0] < '0' || text[0] > '9' || *end || v < 1 || v > 1000000 ? 0 : (int)v;
}

static int add(struct gs_hosts *h, const char *name, size_t len, int slots)
{
    for (int i = 0; i < h->n; i++) {
        struct gs_host *o = &h->v[i];
        if (strlen(o->name) == len && !memcmp(o->name, name, len)) {
            o->slots = (o->slots ? o->slots : 1) + (slots ? slots : 1);
            return 0;
        }
    }
    struct gs_host *v = realloc(h->v, (size_t)(h->n + 1) * sizeof *v);
    if (!v)
        return -1;
    h->v = v;
    v[h->n] = (struct gs_host){.name = strndup(name, len), .slots = slots};
    if (!v[h->n].name)
        return -1;
    h->n++;
    return 0;
}

/* One item, "name" or "name:slots". -1 with why. */
static int add_item(struct gs_hosts *h, const char *item, int slots, const char *where, char *why, size_t whylen)
{
    const char *colon = strrchr(item, ':');
    size_t len = strlen(item);
    /* A colon inside an IPv6 address needs brackets around the address. */
    if (colon && (!strchr(item, '[') || colon > strchr(item, ']'))) {
        len = (size_t)(colon - item);
        slots = slots_of(colon + 1);
        if (!slots) {
            snprintf(why, whylen, "%s: \"%s\": after the colon stands the number of PEs for that host, as in %.*s:4",
                     where, item, (int)len, item);
            return -1;
        }
    }
    const char *bracket = strchr(item, '[');
    if (len == 0 || item[0] == '-' || (bracket && bracket != item) || strcspn(item, " \t'\"\\$`;&|<>*") < len) {
        snprintf(why, whylen, "%s: \"%s\" is no host name; give names with commas between, as in a,b or a:4,b:4", where,
                 item);
        return -1;
    }
    if (add(h, item, len, slots)) {
        snprintf(why, whylen, "out of memory");
        return -1;
    }
    return 0;
}

int gs_hosts_parse(const char *list, struct gs_hosts *h, char *why, size_t whylen)
{
    memset(h, 0, sizeof *h);
    char *copy = strdup(list), *rest = copy, *item;
    int rc = copy ? 0 : -1;
    if (!copy)
        snprintf(why, whylen, "out of memory");
    while (rc == 0 && (item = strsep(&rest, ",")))
        rc = add_item(h, item, 0, "-H", why, whylen);
    free(copy);
    if (rc)
        gs_hosts_free(h);
    return rc;
}

int gs_hosts_read(const char *file, struct gs_hosts *h, char *why, size_t whylen)
{
    char *line = NULL, where[256];
    size_t cap = 0;
    int rc = 0, number = 0;

    memset(h, 0, sizeof *h);
    FILE *f = fopen(file, "re");
    if (!f) {
        snprintf(why, whylen, "--hostfile %s: %s", file, strerror(errno));
        return -1;
    }
    while (rc == 0 && getline(&line, &cap, f) >= 0) {
        char *save = NULL, *name, *word;
        int slots = 0;
        number++;
        line[strcspn(line, "#\r\n")] = '\0';
        name = strtok_r(line, " \t", &save);
        if (!name)
            continue;
        snprintf(where, sizeof where, "%s, line %d", file, number);
        while (rc == 0 && (word = strtok_r(NULL, " \t", &save))) {
            /* max_slots= and the like say nothing that placement needs. */
            if (strncmp(word, "slots=", 6) == 0 && !(slots = slots_of(word + 6))) {
                snprintf(why, whylen, "%s: \"%s\": slots= needs a whole number from 1", where, word);
                rc = -1;
            }
        }
        if (rc == 0)
            rc = add_item(h, name, slots, where, why, whylen);
    }
    if (rc == 0 && ferror(f)) {
        snprintf(why, whylen, "--hostfile %s: %s", file, strerror(errno));
        rc = -1;
    } else if (rc == 0 && h->n == 0) {
        snprintf(why, whylen, "--hostfile %s: names no host; write a host name on each line", file);
        rc = -1;
    }
    free(line);
    fclose(f);
    if (rc)
        gs_hosts_free(h);
    return rc;
}

int gs_hosts_place(struct gs_hosts *h, int n, int per_node, char *why, size_t whylen)
{
    long offered = 0;
    int sloted = 0;

    for (int i = 0; i < h->n; i++)
        sloted |= h->v[i].slots > 0;
    for (int i = 0; i < h->n; i++) {
        int room = per_node ? per_node : h->v[i].slots ? h->v[i].slots : 1;
        h->v[i].pes = room;
        offered += room;
    }
    if (n == 0 && offered > INT_MAX / 2) {
        snprintf(why, whylen, "the hosts offer %ld PEs, which is too many; give -n", offered);
        return -1;
    }
    if (n == 0)
        n = (int)offered;
    if (per_node && n > offered) {
        snprintf(why, whylen, "-n %d does not fit: %d host%s with -N %d hold %ld PEs; raise -N, or give more hosts", n,
                 h->n, h->n == 1 ? "" : "s", per_node, offered);
        return -1;
    }
    if (!sloted && !per_node) {
        for (int i = 0; i < h->n; i++)
            h->v[i].pes = 0;
        offered = 0;
    }
    int left = n > offered ? n - (int)offered : 0;
    int extra = left % h->n, each = left / h->n, budget = n;
    for (int i = 0; i < h->n; i++) {
        int want = h->v[i].pes + each + (i < extra);
        h->v[i].pes = want < budget ? want : budget;
        budget -= h->v[i].pes;
    }
    int kept = 0;
    for (int i = 0; i < h->n; i++) {
        if (h->v[i].pes > 0)
            h->v[kept++] = h->v[i];
        else
            free(h->v[i].name);
    }
    h->n = kept;
    return n;
}

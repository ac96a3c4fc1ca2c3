/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/nvshmem_env.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/log.h"

extern char **environ;

enum how { HOW_as_is, HOW_level, HOW_bootstrap, HOW_at_least, HOW_off, HOW_none };

static const struct row {
    const char *name, *ours;
    enum how how;
    const char *help;
} rows[] = {
#define NVSHMEM_ENV(name, ours, how, help) {name, ours, HOW_##how, help},
#include "api/nvshmem_env.def"
#undef NVSHMEM_ENV
};
enum { ROWS = sizeof rows / sizeof *rows, LEAST_TEAMS = 256 };

static bool is_off(const char *value)
{
    static const char *const words[] = {"", "0", "n", "no", "f", "false", "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

static const char *level_of(const char *value)
{
    static const char *const levels[][2] = {
        {"VERSION", "warn"}, {"WARN", "warn"}, {"INFO", "info"}, {"ABORT", "warn"}, {"TRACE", "debug"}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcasecmp(value, levels[i][0]) == 0)
            return levels[i][1];
    return NULL;
}

/* What ours becomes; NULL: nothing. text may hold it. */
static const char *translate(const struct row *r, const char *value, char *text, size_t len)
{
    switch (r->how) {
    case HOW_as_is:
        snprintf(text, len, "%s", value);
        return text;
    case HOW_level:
        return level_of(value);
    case HOW_bootstrap:
        return strcasecmp(value, "PMIX") == 0 ? "pmix" : NULL;
    case HOW_at_least:
        snprintf(text, len, "%s", value);
        return strtol(value, NULL, 10) > LEAST_TEAMS ? text : NULL;
    case HOW_off:
        return is_off(value) ? NULL : "0";
    case HOW_none:
        break;
    }
    return NULL;
}

int gs_nvshmem_var(size_t i, struct gs_nvshmem_var *row, char *text, size_t len)
{
    if (i >= ROWS)
        return 0;
    const char *value = getenv(rows[i].name);
    *row = (struct gs_nvshmem_var){.name = rows[i].name,
                                   .ours = rows[i].ours,
                                   .help = rows[i].help,
                                   .value = value ? translate(&rows[i], value, text, len) : NULL};
    return 1;
}

void gs_nvshmem_env_apply(void)
{
    struct gs_nvshmem_var row;
    char text[256];
    for (size_t i = 0; gs_nvshmem_var(i, &row, text, sizeof text); i++)
        if (row.value)
            setenv(row.ours, row.value, 0);
}

/* Does a variable name=value do something, or is it no variable of NVSHMEM's at all? */
static bool means_something(const char *assignment)
{
    static const char prefix[] = "NVSHMEM_";
    size_t len = strcspn(assignment, "=");
    if (strncmp(assignment, prefix, sizeof prefix - 1) != 0)
        return true;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].how != HOW_none && strlen(rows[i].name) == len && memcmp(rows[i].name, assignment, len) == 0)
            return true;
    return false;
}

void gs_nvshmem_env_tell(void)
{
    char names[512] = "";
    size_t at = 0;
    for (char **e = environ; *e; e++) {
        int len = (int)strcspn(*e, "=");
        if (!means_something(*e) && at + (size_t)len + 3 < sizeof names)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%.*s", at ? ", " : "", len, *e);
    }
    if (at)
        gs_info("set, and without a meaning here: %s (gin_shmem_info --nvshmem tells about each)", names);
}

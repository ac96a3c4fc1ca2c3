/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment. env.def is the one table: it makes this struct, the parser, the SHMEM_INFO print and
 * gin_shmem_info's list.
 */
#ifndef GS_ENV_H
#define GS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Kinds of value a row of env.def may have, as C types.
 * bool: unset, "", 0, no, off, false: false; 1, yes, on, true: true; in either case. A STANDARD row, for which OpenSHMEM
 * says "any value", takes anything else as true. seconds: "30", "1.5", "500ms", "2m", "1h"; 0: never. size: the grammar
 * in section 7 of OpenSHMEM 1.6. string: NULL when unset or empty; valid until the next gs_env_load. */
typedef bool gs_env_bool;
typedef long gs_env_int;
typedef double gs_env_seconds;
typedef size_t gs_env_size;
typedef const char *gs_env_string;

struct gs_env {
#define GS_ENV(field, kind, name, alias, dflt, category, help) gs_env_##kind field;
#include "env.def"
#undef GS_ENV
};
extern struct gs_env gs_env;

/* Reads the environment into gs_env and sets gs_log_level. 0; or -1 when values do not parse: one line each (gs_error)
 * names variable, value and grammar, and the row has its default. May be called again (re-init). */
int gs_env_load(void);

/* One warning for each GIN_SHMEM_* variable in the environment that nothing reads, with the nearest name. Apart from
 * gs_env_load so that one PE of a job says it, not all. */
void gs_env_warn_unknown(void);

/* Parses the size grammar: "20kk" is 20k, ".5m", "3.1M" is 3250586; ceiling. -1, and bytes untouched, when invalid or
 * too large for a size_t. */
int gs_env_parse_size(const char *text, size_t *bytes);

/* Prints the table: name, value in force, default, help. all: internal rows as well. */
void gs_env_print(FILE *to, bool all);

/* The same as data: one row of the table, as gs_env_load left it. */
enum gs_env_category { GS_ENV_STANDARD, GS_ENV_GIN_SHMEM, GS_ENV_INTERNAL };
struct gs_env_row {
    const char *name, *alias, *dflt, *help; /* alias and dflt: may be NULL */
    enum gs_env_category category;
    const char *set_by; /* name, alias, or NULL when the default is in force */
    bool invalid;       /* it is set, but does not parse; the default is in force */
    char value[128];    /* in force, as text; longer ones are cut */
};
size_t gs_env_rows(void);
struct gs_env_row gs_env_row(size_t i);

#endif

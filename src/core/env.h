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

/* Kinds of value a row of env.def may have, as C types. */
typedef bool gs_env_bool;          /* unset, "", 0, no, off, false: false; 1, yes, on, true: true */
typedef long gs_env_int;
typedef double gs_env_seconds;     /* "30", "1.5", "500ms", "2m"; 0: never */
typedef size_t gs_env_size;        /* the specification's size grammar, section 7 of OpenSHMEM 1.6 */
typedef const char *gs_env_string; /* NULL when unset */

struct gs_env {
#define GS_ENV(field, kind, name, alias, dflt, category, help) gs_env_##kind field;
#include "env.def"
#undef GS_ENV
};
extern struct gs_env gs_env;

/* Reads the environment into gs_env. 0; or -1 when a value does not parse: one line (gs_error) names variable, value
 * and grammar. May be called again (re-init). */
int gs_env_load(void);

/* Parses the size grammar: "20kk" is 20k, ".5m", "3.1M" is 3250586; ceiling. -1 when invalid or too large. */
int gs_env_parse_size(const char *text, size_t *bytes);

/* Prints the table: name, value in force, default, help. all: internal rows as well. */
void gs_env_print(FILE *to, bool all);

#endif

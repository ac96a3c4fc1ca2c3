/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs on several hosts: another launcher's command line made from ours. */
#ifndef GS_LAUNCHER_EXEC_H
#define GS_LAUNCHER_EXEC_H

#include "hosts.h"
#include "options.h"

enum gs_flavour { GS_SRUN, GS_PRTERUN, GS_MPIRUN4, GS_MPIRUN5 }; /* Open MPI 4; Open MPI 5, which is PRRTE inside */

struct gs_cmd {
    char **argv; /* ends with NULL */
    int argc;
    char **env; /* NAME=VALUE to set before the exec; ends with NULL */
    int nenv;
};

/* The command that starts n PEs as o asks: path is the launcher, hosts may be empty (the launcher knows its own), environ
 * is where exported names are looked up, root says that it will run as root. Pure. 0, or -1 when out of memory. */
int gs_cmd_build(struct gs_cmd *c, enum gs_flavour flavour, const char *path, const struct gs_opt *o,
                 const struct gs_hosts *hosts, int n, char *const *environ, bool root);
/* As a line for the shell; the caller frees it. NULL when out of memory. */
char *gs_cmd_quote(const struct gs_cmd *c);
void gs_cmd_free(struct gs_cmd *c);

/* Does this command line need another launcher? */
bool gs_exec_wanted(const struct gs_opt *o);
/* Finds the launcher and becomes it, or prints the command for --dry-run. Returns an exit status; on success it does
 * not return except for --dry-run. Failures have been printed. */
int gs_exec(const struct gs_opt *o);

/* Looks name up as execvp does. 0 and the path; or ENOENT, EACCES or EISDIR, path then names what was found, if anything. */
int gs_find_program(const char *name, char *path, size_t len);

#endif

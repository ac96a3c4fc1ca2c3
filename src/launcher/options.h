/* SPDX-License-Identifier: BSD-3-Clause */
/* oshrun's command line. Pure: reads no environment, starts nothing, prints nothing. */
#ifndef GS_LAUNCHER_OPTIONS_H
#define GS_LAUNCHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum gs_bind { GS_BIND_NONE, GS_BIND_PU, GS_BIND_CORE, GS_BIND_L3, GS_BIND_NUMA, GS_BIND_PACKAGE };

struct gs_opt {
    int n;        /* PEs; 0: not given */
    int per_node; /* PEs per host; 0: not given */
    char *hosts;  /* all -H lists joined by commas, or NULL; owned */
    const char *hostfile;
    const char *launcher; /* NULL: choose; "local": serve PMIx here whatever else is said */
    enum gs_bind bind;
    bool bind_given;
    const char *wdir;
    const char **x; /* each -x as given, NAME or NAME=VALUE, in order; owned array */
    int nx;
    char fake_nodes[40]; /* the variable that --fake-nodes stands for, which is then among x */
    bool tag, verbose, dry_run;
    int argc; /* the program and its arguments */
    char **argv;
};

enum gs_opt_result { GS_OPT_RUN, GS_OPT_HELP, GS_OPT_VERSION, GS_OPT_BAD };

/* Reads argv up to the program's name; strings point into argv where not said otherwise. On GS_OPT_BAD, why says what is
 * wrong and what to do in one or two lines, and o owns nothing. */
enum gs_opt_result gs_opt_parse(int argc, char **argv, struct gs_opt *o, char *why, size_t whylen);
void gs_opt_free(struct gs_opt *o);

const char *gs_bind_name(enum gs_bind bind);
extern const char gs_opt_help[];

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A job on this host, from start to end. */
#ifndef GS_LAUNCHER_JOB_H
#define GS_LAUNCHER_JOB_H

#include "options.h"

enum { GS_JOB_MAX = 4096 };

/* Runs o->n PEs of the program at path and returns oshrun's exit status. Everything to say has been said.
 * The PMIx server still runs then (see server.h): leave by _exit. */
int gs_job_run(const struct gs_opt *o, const char *path);

#endif

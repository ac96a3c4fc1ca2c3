/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PEs as processes. Each leads a process group of its own. This process adopts what they leave behind (child
 * subreaper), so that at the end every descendant is found. Should this process be killed, the kernel kills the PEs
 * (PR_SET_PDEATHSIG) and a small guard process their groups.
 */
#ifndef GS_LAUNCHER_CHILDREN_H
#define GS_LAUNCHER_CHILDREN_H

#include "bind.h"

#include <stdbool.h>
#include <sys/types.h>

/* Blocks the signals that the launcher handles and returns a signalfd for them; -1 with errno. Before any thread starts. */
int gs_sig_open(void);
void gs_sig_close(void);

/* For n PEs: becomes subreaper, starts the guard. Before any thread starts. 0, or -1, printed. */
int gs_kids_open(int n);

struct gs_start {
    const char *path;
    char **argv, **env;
    int in, out, err;              /* become 0, 1, 2 */
    const struct gs_binding *bind; /* or NULL */
};
/* Starts PE pe. 0; an errno: it could not be executed; -errno: no process could be made. */
int gs_kids_start(int pe, const struct gs_start *s);
pid_t gs_kids_pid(int pe);

/* Reaps all that have died, calling died for each PE. */
void gs_kids_reap(void (*died)(int pe, int wstatus));
int gs_kids_alive(void);
bool gs_kids_is_alive(int pe);
/* Sends sig to the groups of all living PEs. */
void gs_kids_signal(int sig);
/* Ends the job: SIGTERM now, SIGKILL after a short grace. Repeated calls change nothing. */
void gs_kids_end(void);
void gs_kids_kill(void); /* SIGKILL now */
/* True when neither a PE nor a descendant is left; ends descendants that are. Call when no PE is alive. */
bool gs_kids_gone(void);
double gs_kids_deadline(void);
void gs_kids_tick(double now);
void gs_kids_close(void);

/* The guard: kills process groups when this process dies without gs_guard_close. All in this file's sense optional: where
 * it cannot be started the PEs still have PR_SET_PDEATHSIG. */
int gs_guard_open(int n);
pid_t gs_guard_pid(void);               /* -1: none */
void gs_guard_set(int pe, pid_t group); /* 0: none */
void gs_guard_close(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMIx server of a job on this host. libpmix answers the PEs in a thread of its own; what concerns the launcher (an
 * abort, who has connected) is kept under a lock and announced on an eventfd. No files are made: the data store is libpmix's
 * "hash", which sends copies through the socket. There is no stop: PMIx_server_finalize (4.2.2) crashes or hangs when a PE
 * was lost shortly before, and nothing but memory needs it, so the process leaves by _exit with the server running.
 */
#ifndef GS_LAUNCHER_SERVER_H
#define GS_LAUNCHER_SERVER_H

#include <stdbool.h>

struct gs_abort {
    int pe;
    int status;
    char text[512]; /* may be empty; one line */
};

/* What a PE has told the server. */
enum gs_srv_state { GS_SRV_SILENT, GS_SRV_CONNECTED, GS_SRV_FINALIZED };

/* Starts the server for n PEs. Call once, with the signals that the main thread handles blocked, so that libpmix's threads
 * inherit that. 0, or -1, printed. */
int gs_srv_start(int n);
/* PE pe's environment: base and what PMIx adds. NULL on failure, printed. Free with gs_srv_env_free. */
char **gs_srv_env(int pe, char *const *base);
void gs_srv_env_free(char **env);
/* Readable when gs_srv_abort or gs_srv_state may have changed; reading 8 bytes resets it. */
int gs_srv_fd(void);
/* The first abort, if there was one. A PE's abort is visible here before that PE can exit. */
bool gs_srv_abort(struct gs_abort *a);
enum gs_srv_state gs_srv_state(int pe);
const char *gs_srv_job(void);     /* the name of the job (PMIx namespace) */
const char *gs_srv_version(void); /* libpmix's, one line, static */

#endif

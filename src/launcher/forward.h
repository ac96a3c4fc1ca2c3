/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of the PEs, line by line, and input for PE 0.
 *
 * A line of one PE is written in one piece: no other PE's text comes between, also where stdout and stderr lead to the
 * same place. Bounds: of a line longer than GS_LINE_MAX, what is there is passed on, and should another PE's text come
 * before the rest, a newline is put between (with one PE and no tags nothing is held at all); when GS_QUEUE_MAX bytes wait for a slow reader, PEs are no longer read, so that they block in their own
 * write as they would on the reader's pipe. Nothing is dropped, except when the reader has gone (EPIPE): then the PEs'
 * ends are closed too, and their next write meets SIGPIPE.
 */
#ifndef GS_LAUNCHER_FORWARD_H
#define GS_LAUNCHER_FORWARD_H

#include <stdbool.h>

enum { GS_LINE_MAX = 1 << 20, GS_QUEUE_MAX = 1 << 20 };

/* For n PEs, before any gs_fwd_add. 0, or -1 when out of memory. */
int gs_fwd_open(int n, bool tag);
/* Takes the reading ends of a PE's pipes, which become non-blocking and ours. 0, or -1 with errno. */
int gs_fwd_add(int pe, int out, int err);
/* Passes on what a PE that has died left in its pipes, as far as the queue has room. */
void gs_fwd_died(int pe);
/* Writes what can be written now. Call once a round. */
void gs_fwd_flush(void);
/* No process is left that could write: pass the rest on. True when all of it has been written. */
bool gs_fwd_finish(void);
/* 0 while output can be written; else the errno of the write that failed, EPIPE where the reader has gone away. */
int gs_fwd_broken(void);
/* When gs_fwd_tick wants to be called. */
double gs_fwd_deadline(void);
void gs_fwd_tick(double now);
void gs_fwd_close(void);

/* PE 0's stdin. Returns the descriptor for PE 0: our own stdin, or a pipe that a terminal's input is copied into, since
 * PE 0 is outside the terminal's foreground process group and would be stopped when it reads. -1 with errno. */
int gs_stdin_open(void);
/* After PE 0 was started (or was not): closes our copy of that descriptor and starts copying. */
void gs_stdin_started(void);
double gs_stdin_deadline(void);
void gs_stdin_tick(double now); /* also after SIGCONT */
void gs_stdin_close(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches over the PEs of this host, for launchers that do not: where gs_boot_ops.needs_watch() says so. A thread of each
 * PE sleeps until another PE's process ends. Had that PE stopped watching (it finalised), nothing happens. Had
 * it called gs_watch_exit(), this PE leaves with the same status, 0 too. Else it died: one PE says which, and all leave with 1.
 *
 * PEs are told apart from each other by a word in shared memory that each writes before it ends. All PEs must be in one
 * PID namespace. One watch at a time; start and stop by one thread.
 */
#ifndef GS_WATCH_H
#define GS_WATCH_H

#include <stdatomic.h>

/* One PE's, in memory that all PEs map. Zero-filled is the right start. It must stay mapped until gs_watch_stop(). */
struct gs_watch_shared {
    _Atomic int state;    /* enum gs_watch_state, written by its own PE */
    _Atomic int status;   /* valid with GS_WATCH_EXIT */
    _Atomic int reported; /* set by the first PE that saw this one dead: it has said so */
};
enum gs_watch_state { GS_WATCH_RUNS = 0, GS_WATCH_LEFT, GS_WATCH_EXIT };

/* pids and shared have n elements; both are copied. leave(arg) is called, at most once and by any thread, right before
 * this PE ends by _exit(): gs_boot_ops.leave fits. May be NULL. Collective in effect: no PE may end its
 * use of `shared` before the others have started, so a barrier or fence must follow. 0, or nonzero, logged. */
int gs_watch_start(int n, int me, const int *pids, struct gs_watch_shared *const *shared, void (*leave)(void *),
                   void *arg);

/* This PE may end from now on, however it likes. Call after a barrier of all PEs: one that has stopped no longer sees others
 * die. Does nothing when no watch runs. */
void gs_watch_stop(void);

/* Ends all PEs with status: stdio is flushed (200 ms at most), then this PE leaves, and the others follow. Any thread.
 * Returns only when no watch runs (never started, stopped, or this is a forked child). */
void gs_watch_exit(int status);

#endif

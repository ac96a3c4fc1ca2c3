/* SPDX-License-Identifier: BSD-3-Clause */
/* Small tools for the threads that watch over the job and for the last moments of a PE. */
#ifndef GS_LEAVE_H
#define GS_LEAVE_H

#include <pthread.h>

/* Starts fn(arg) in a thread that takes no signals: the program's handlers run in the program's threads. 0 or an errno. */
int gs_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);

/* fflush(NULL), but for 200 ms at most: another thread may hold a stream's lock for ever (a read from stdin does), and
 * the other end of a pipe may have stopped reading. For a process that is about to _exit(). Any thread. */
void gs_flush_bounded(void);

/* Runs fn() in a thread of its own and waits for it, ms milliseconds at most. 0 when it came to its end. */
int gs_run_bounded(void (*fn)(void), int ms);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The main thread's event loop: file descriptors by epoll (level-triggered), time by deadlines. */
#ifndef GS_LAUNCHER_LOOP_H
#define GS_LAUNCHER_LOOP_H

#include <stdint.h>

struct gs_watch {
    int fd; /* -1: not watched */
    void (*ready)(struct gs_watch *w, uint32_t events);
};

#define GS_NEVER (1e300)

double gs_now(void); /* seconds, monotonic */

int gs_loop_open(void);
void gs_loop_close(void);
/* Starts watching; w stays the caller's and must live until gs_loop_remove. 0, or -1 with errno. */
int gs_loop_add(struct gs_watch *w, int fd, uint32_t events, void (*ready)(struct gs_watch *, uint32_t));
void gs_loop_remove(struct gs_watch *w);
/* Waits until something is ready or deadline (gs_now's clock) has come, and calls what is ready. A watch removed by an
 * earlier call of the same round is not called. */
void gs_loop_once(double deadline);

#endif

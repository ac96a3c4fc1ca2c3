/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams, as the runtime's stand-ins see them beyond machine.h. */
#ifndef GS_CPU_STREAM_H
#define GS_CPU_STREAM_H

#include "cpu/machine.h"

/* A place in a stream: what was in it when the place was taken. */
struct gs_place {
    struct gs_stream *stream; /* held; NULL: no place */
    uint64_t number;
};

/* enqueue, and where that is; at may be NULL. */
int gs_stream_enqueue_at(struct gs_stream *s, void (*fn)(void *), void *arg, struct gs_place *at);
/* What is enqueued in s from here on waits for the place. */
int gs_stream_behind(struct gs_stream *s, const struct gs_place *p);
bool gs_place_reached(const struct gs_place *p);
void gs_place_wait(const struct gs_place *p);
void gs_place_drop(struct gs_place *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GS_API_STREAM_H
#define GS_API_STREAM_H

#include <stdint.h>

#include "core/log.h"

struct CUstream_st;

/* ops->... take NULL for a stream of the module's own; the program's 0 is the legacy default stream, by its other name. */
static inline void *in(struct CUstream_st *stream)
{
    return stream ? (void *)stream : (void *)(uintptr_t)1;
}

static inline void failed(const char *fn) __attribute__((cold, noreturn));
static inline void failed(const char *fn)
{
    gs_die(fn, "the operation could not be put into the stream: see the message before this one");
}

#endif

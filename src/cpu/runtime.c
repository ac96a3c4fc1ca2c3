/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-ins for the CUDA runtime: what device/gin_shmem/cpu/runtime.h declares. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <gin_shmem/cpu/calls.h>

#include "cpu/block.h"
#include "cpu/budget.h"
#include "cpu/stream.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- errors: the last one of each thread, until it is asked for; a trap for ever ---- */

static __thread int last_error;

static int result(int e)
{
    if (e && e != GS_MACHINE_NOT_READY)
        last_error = e;
    return e;
}

EXPORT int gin_shmem_cpu_error(int take)
{
    int e = gs_machine_error() ? gs_machine_error() : last_error;
    if (take)
        last_error = 0;
    return e;
}

EXPORT const char *gin_shmem_cpu_error_name(int e)
{
    switch (e) {
    case GS_MACHINE_OK:
        return "no error";
    case GS_MACHINE_INVALID_VALUE:
        return "invalid argument";
    case GS_MACHINE_NO_MEMORY:
        return "out of memory";
    case GS_MACHINE_INVALID_CONFIGURATION:
        return "invalid configuration argument";
    case GS_MACHINE_INVALID_FUNCTION:
        return "invalid device function";
    case 101:
        return "invalid device ordinal";
    case GS_MACHINE_INVALID_HANDLE:
        return "invalid resource handle";
    case GS_MACHINE_NOT_READY:
        return "device not ready";
    case GS_MACHINE_LAUNCH_FAILURE:
        return "unspecified launch failure";
    case GS_MACHINE_TOO_LARGE:
        return "too many blocks in cooperative launch";
    }
    return "unrecognized error code";
}

/* ---- memory ---- */

EXPORT int gin_shmem_cpu_malloc(void **p, size_t bytes, int on_host)
{
    enum { ALIGN = 256 };
    *p = NULL;
    if (bytes == 0)
        return result(gs_machine_error());
    if (!on_host && !gs_budget_take(bytes))
        return result(GS_MACHINE_NO_MEMORY);
    void *got = NULL; /* of the very size, so that AddressSanitizer sees what is beyond */
    int e = posix_memalign(&got, ALIGN, bytes) == 0
                ? gs_memory_add(got, bytes, on_host ? GS_MEMORY_HOST : GS_MEMORY_DEVICE)
                : GS_MACHINE_NO_MEMORY;
    if (e) {
        free(got);
        if (!on_host)
            gs_budget_give(bytes);
        return result(e);
    }
    *p = got;
    return result(gs_machine_error());
}

/* Kernels may still use it: like CUDA, it waits for them. */
EXPORT int gin_shmem_cpu_free(void *p)
{
    if (!p)
        return result(gs_machine_error());
    int e = gs_machine_synchronize();
    enum gs_memory_kind kind = gs_memory_find(p);
    size_t bytes = gs_memory_remove(p);
    if (!bytes)
        return result(GS_MACHINE_INVALID_VALUE);
    if (kind == GS_MEMORY_DEVICE)
        gs_budget_give(bytes);
    free(p);
    return result(e);
}

EXPORT int gin_shmem_cpu_memory_info(size_t *free_bytes, size_t *total)
{
    gs_budget_tell(free_bytes, total);
    return result(gs_machine_error());
}

EXPORT int gin_shmem_cpu_memory_kind(const void *p)
{
    return gs_memory_find(p);
}

struct transfer {
    void *to;
    const void *from; /* NULL: fill with byte */
    size_t bytes;
    int byte;
    unsigned char staged[];
};

static void transfer(void *arg)
{
    struct transfer *t = arg;
    if (gs_machine_error())
        ;
    else if (t->from)
        memmove(t->to, t->from, t->bytes);
    else
        memset(t->to, t->byte, t->bytes);
    free(t);
}

static int send(struct gs_stream *s, void *to, const void *from, int byte, size_t bytes, bool stage, bool wait)
{
    struct gs_place at = {0};
    struct transfer *t = malloc(sizeof *t + (stage ? bytes : 0));
    if (!t)
        return GS_MACHINE_NO_MEMORY;
    *t = (struct transfer){to, from, bytes, byte};
    if (stage) {
        memcpy(t->staged, from, bytes);
        t->from = t->staged;
    }
    int e = gs_stream_enqueue_at(s, transfer, t, wait ? &at : NULL);
    if (e) {
        free(t);
        return e;
    }
    if (wait) {
        gs_place_wait(&at);
        gs_place_drop(&at);
    }
    return gs_machine_error();
}

/* Pageable memory is CUDA's rule: a source is taken at once, a destination is filled when the call returns. */
EXPORT int gin_shmem_cpu_copy(void *to, const void *from, size_t bytes, struct CUstream_st *s, int wait)
{
    if (bytes == 0)
        return result(gs_machine_error());
    if (!to || !from)
        return result(GS_MACHINE_INVALID_VALUE);
    const bool filled = wait || gs_memory_find(to) == GS_MEMORY_HOST_PLAIN;
    const bool stage = !filled && gs_memory_find(from) == GS_MEMORY_HOST_PLAIN;
    return result(send((struct gs_stream *)s, to, from, 0, bytes, stage, filled));
}

EXPORT int gin_shmem_cpu_set(void *to, int byte, size_t bytes, struct CUstream_st *s)
{
    if (bytes == 0)
        return result(gs_machine_error());
    if (!to)
        return result(GS_MACHINE_INVALID_VALUE);
    return result(send((struct gs_stream *)s, to, NULL, byte, bytes, false, false));
}

/* ---- streams ---- */

EXPORT int gin_shmem_cpu_stream_create(struct CUstream_st **s, int blocking)
{
    return result(gs_stream_create((struct gs_stream **)s, blocking != 0));
}
EXPORT int gin_shmem_cpu_stream_destroy(struct CUstream_st *s)
{
    return result(gs_stream_destroy((struct gs_stream *)s));
}
EXPORT int gin_shmem_cpu_stream_synchronize(struct CUstream_st *s)
{
    return result(gs_stream_synchronize((struct gs_stream *)s));
}
EXPORT int gin_shmem_cpu_stream_query(struct CUstream_st *s)
{
    return result(gs_stream_query((struct gs_stream *)s));
}
EXPORT int gin_shmem_cpu_stream_call(struct CUstream_st *s, void (*fn)(void *), void *arg)
{
    return result(gs_stream_enqueue((struct gs_stream *)s, fn, arg));
}
EXPORT int gin_shmem_cpu_synchronize(void)
{
    return result(gs_machine_synchronize());
}

/* ---- events ---- */

/* When an event's place was reached. Its holders are the event and the entry in the stream. */
struct stamp {
    int holders; /* atomic */
    uint64_t ns;
};

struct CUevent_st {
    struct gs_place at;
    struct stamp *stamp; /* NULL: never recorded */
};

static void stamp_drop(struct stamp *t)
{
    if (t && __atomic_sub_fetch(&t->holders, 1, __ATOMIC_ACQ_REL) == 0)
        free(t);
}

static void stamp_now(void *arg)
{
    struct stamp *t = arg;
    t->ns = gs_machine_ns();
    stamp_drop(t);
}

EXPORT int gin_shmem_cpu_event_create(struct CUevent_st **e)
{
    *e = calloc(1, sizeof **e);
    return result(*e ? gs_machine_error() : GS_MACHINE_NO_MEMORY);
}
EXPORT int gin_shmem_cpu_event_destroy(struct CUevent_st *e)
{
    gs_place_drop(&e->at);
    stamp_drop(e->stamp);
    free(e);
    return result(gs_machine_error());
}
EXPORT int gin_shmem_cpu_event_record(struct CUevent_st *e, struct CUstream_st *s)
{
    struct gs_place at;
    struct stamp *t = calloc(1, sizeof *t);
    if (!t)
        return result(GS_MACHINE_NO_MEMORY);
    t->holders = 2;
    int error = gs_stream_enqueue_at((struct gs_stream *)s, stamp_now, t, &at);
    if (error) {
        free(t);
        return result(error);
    }
    gs_place_drop(&e->at);
    stamp_drop(e->stamp);
    e->at = at;
    e->stamp = t;
    return result(gs_machine_error());
}
EXPORT int gin_shmem_cpu_event_synchronize(struct CUevent_st *e)
{
    gs_place_wait(&e->at);
    return result(gs_machine_error());
}
EXPORT int gin_shmem_cpu_event_query(struct CUevent_st *e)
{
    int error = gs_machine_error();
    return result(error ? error : gs_place_reached(&e->at) ? GS_MACHINE_OK : GS_MACHINE_NOT_READY);
}
EXPORT int gin_shmem_cpu_stream_wait(struct CUstream_st *s, struct CUevent_st *e)
{
    return result(gs_stream_behind((struct gs_stream *)s, &e->at));
}
EXPORT int gin_shmem_cpu_event_elapsed(float *ms, struct CUevent_st *from, struct CUevent_st *to)
{
    if (!from->stamp || !to->stamp)
        return result(GS_MACHINE_INVALID_HANDLE);
    if (!gs_place_reached(&from->at) || !gs_place_reached(&to->at))
        return result(GS_MACHINE_NOT_READY);
    *ms = (float)((double)(int64_t)(to->stamp->ns - from->stamp->ns) * 1e-6);
    return result(gs_machine_error());
}

/* ---- kernels ---- */

EXPORT int gin_shmem_cpu_stack(size_t bytes)
{
    if (bytes > (size_t)1 << 30)
        return result(GS_MACHINE_INVALID_VALUE);
    gs_stack_size(bytes < 64 << 10 ? 64 << 10 : bytes);
    return result(gs_machine_error());
}

EXPORT int gin_shmem_cpu_launch(const char *name, const void *fn, const struct gin_shmem_cpu_kernel *k,
                                struct gin_shmem_cpu_dim grid, struct gin_shmem_cpu_dim block, size_t smem,
                                struct CUstream_st *s, int cooperative, void *const *args)
{
    const struct gs_launch l = {name, fn, k, grid, block, smem, cooperative != 0};
    gin_shmem_cpu_known(fn, k);
    return result(gs_launch_enqueue(&l, args, (struct gs_stream *)s));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between any two memories: at once by this thread, or by a stream's. */
#include <stdlib.h>
#include <string.h>

#include "cpu/module.h"
#include "cpu/sim.h"

/* ---- operations of streams ---- */

struct entry {
    void (*fn)(const void *arg);
    _Alignas(16) unsigned char arg[];
};

static void run(void *p)
{
    struct entry *e = p;
    e->fn(e->arg);
    free(e);
}

/* The core's 1 is the default stream, as in CUDA. */
int gs_cpu_enqueue(void (*fn)(const void *arg), const void *arg, size_t bytes, void *stream)
{
    struct entry *e = malloc(sizeof *e + bytes);
    if (!e) {
        gs_cpu_error("no memory for an operation in a stream");
        return -1;
    }
    e->fn = fn;
    memcpy(e->arg, arg, bytes);
    int rc = gs_stream_enqueue((uintptr_t)stream == 1 ? NULL : stream, run, e);
    if (rc == GS_MACHINE_OK)
        return 0;
    free(e);
    if (rc == GS_MACHINE_INVALID_HANDLE)
        gs_cpu_error("%p is no stream, or was destroyed", stream);
    else
        gs_cpu_error("a kernel has failed, so streams take nothing any more (error %d)", rc);
    return -1;
}

/* ---- copies ---- */

/* A word arrives whole, and behind what was copied before, as from a GPU's copy engine: others may poll it. So may whoever
 * copies it: what its writer had done before is seen behind the copy. */
void gs_cpu_move(void *to, const void *from, size_t bytes)
{
    uintptr_t both = (uintptr_t)to | (uintptr_t)from;
    switch (bytes | (both & (bytes - 1)) << 8) {
    case 1:
        __atomic_store_n((uint8_t *)to, __atomic_load_n((const uint8_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n((uint16_t *)to, __atomic_load_n((const uint16_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
        break;
    case 4:
        __atomic_store_n((uint32_t *)to, __atomic_load_n((const uint32_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
        break;
    case 8:
        __atomic_store_n((uint64_t *)to, __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
        break;
    default:
        if ((uintptr_t)to - (uintptr_t)from < bytes || (uintptr_t)from - (uintptr_t)to < bytes)
            memmove(to, from, bytes);
        else
            gs_sim_copy(to, from, bytes); /* each of whose words may be polled */
    }
}

struct rows {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, rows;
};

static void copy_rows(const void *arg)
{
    const struct rows *r = arg;
    for (size_t i = 0; i < r->rows; i++)
        gs_cpu_move(r->to + i * r->to_pitch, r->from + i * r->from_pitch, r->width);
}

int gs_cpu_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                     void *stream, bool wait)
{
    const struct rows r = {to, from, to_pitch, from_pitch, width, rows};
    if (!width || !rows)
        return 0;
    if (!stream) { /* always done at once */
        copy_rows(&r);
        return 0;
    }
    if (gs_cpu_enqueue(copy_rows, &r, sizeof r, stream))
        return -1;
    return wait ? gs_stream_synchronize((uintptr_t)stream == 1 ? NULL : stream) : 0;
}

int gs_cpu_copy(void *to, const void *from, size_t bytes, void *stream, bool wait)
{
    return to == from ? 0 : gs_cpu_copy_rows(to, 0, from, 0, bytes, 1, stream, wait);
}

void gs_cpu_memset(void *addr, int byte, size_t bytes)
{
    memset(addr, byte, bytes);
}

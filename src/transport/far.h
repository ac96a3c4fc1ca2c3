/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seam between the host core and the module that carries host memory between nodes (libginshmem_ucx.so). The core knows
 * no UCX: it loads the module with dlopen when some PE is out of reach for loads and stores ("far"), and calls it through
 * struct gs_far_ops; the module reaches back through struct gs_far_core. Both are plain C and are built together; abi and
 * size are compared first.
 *
 * Contract.
 * - Every operation is performed at the target by a thread of the target's process, with the processor's own loads,
 *   stores and atomics. So atomics exclude those of PEs that share memory with the target, and waits see them. That
 *   thread sleeps while nothing comes, and no operation needs the target's program to call the library.
 * - put, and amo without a result, return when the source may be reused (at once for an amo); they are complete at the
 *   target after quiet. With nbi the source stays in use until quiet. get, and amo with a result, return with the data,
 *   or with nbi when quiet has returned.
 * - Two operations are not ordered unless a fence or quiet is between them; a put_signal's signal is stored behind its
 *   own data. fence orders per PE, quiet completes whatever any thread of this PE has begun before.
 * - Any thread may call. A call that waits serves others meanwhile. Functions that return int give 0, or nonzero with the
 *   reason logged; the others do not fail: a peer that is gone is told to core->lost, and whoever waits for it waits on
 *   until the job has ended.
 */
#ifndef GS_FAR_H
#define GS_FAR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/log.h"
#include "transport/device.h"

enum {
    GS_FAR_ABI = 3,
    GS_FAR_TOKEN = 16, /* bytes of the job's random token, which every message carries */
};

enum gs_far_region {
    GS_FAR_HEAP,
    GS_FAR_DATA,
    GS_FAR_REGIONS
}; /* the heap with its system segment; global variables */

/* Memory of a far PE. */
struct gs_far_place {
    int pe;
    enum gs_far_region region;
    size_t offset;
};

/* Blocks of `width` bytes whose starts lie `pitch` bytes apart, on either side. */
struct gs_far_rows {
    size_t n, width, here, there;
};

/* What the module gets. Everything stays valid until stop() has returned. */
struct gs_far_core {
    unsigned abi;
    size_t size; /* of this struct */
    int me, n;
    uint8_t token[GS_FAR_TOKEN];
    struct {
        char *base;
        size_t bytes;
    } region[GS_FAR_REGIONS]; /* this PE's own memory, 0 bytes where there is none */
    bool filter;              /* only the job's hosts may connect */
    const char *interface;    /* network interface to use where the user did not tell UCX */
    /* One look at something that has not changed yet; turn counts them from 0. Pauses, yields or sleeps. */
    void (*relax)(unsigned turn);
    void (*log)(enum gs_level level, const char *fmt, ...);
    int (*thread_start)(pthread_t *thread, void *(*fn)(void *), void *arg);
    /* Who gets the messages that come, now; NULL: nobody. Its functions are called by a thread that is in this module, and
     * return at once. */
    const struct gs_message_listener *(*listener)(void);
    /* The connection to pe broke. Any thread; returns. */
    void (*lost)(int pe, const char *why);
};

/* What the core gets: every slot is filled. */
struct gs_far_ops {
    unsigned abi;
    size_t size;                   /* of this struct */
    const char *(*describe)(void); /* library, transports, interface: valid between open() and stop() */

    /* ---- life ---- */
    /* Where this PE is reached: *address, *len bytes, valid until stop(). */
    int (*open)(const struct gs_far_core *core, const void **address, size_t *len);
    /* PE i's address is at addresses + i * stride; copied. From here on others may reach us. */
    int (*start)(const void *addresses, size_t stride);
    /* After a barrier of all: what this PE has sent is with the others, and a broken connection is no failure any more. */
    void (*settle)(void);
    /* After a bootstrap fence behind settle(). Also undoes open() alone. */
    void (*stop)(void);

    /* ---- data ---- */
    void (*put)(struct gs_far_place to, const void *from, size_t bytes, bool nbi);
    void (*put_signal)(struct gs_far_place to, const void *from, size_t bytes, struct gs_far_place word,
                       uint64_t signal, bool add, bool nbi);
    void (*get)(void *to, struct gs_far_place from, size_t bytes, bool nbi);
    void (*put_rows)(struct gs_far_place to, const void *from, struct gs_far_rows rows);
    void (*get_rows)(void *to, struct gs_far_place from, struct gs_far_rows rows);
    /* size 4 or 8; operand, cond and result hold that many bytes; result NULL: not fetched. */
    void (*amo)(enum gs_amo_op op, struct gs_far_place at, size_t size, const void *operand, const void *cond,
                void *result, bool nbi);

    /* bytes of data for the listener of far PE pe, in any order with others. sent(arg), by a thread that is in this
     * module: the data may be changed. */
    void (*message)(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg);

    /* ---- order ---- */
    void (*fence)(void);
    /* npes far PEs; NULL: all. */
    void (*quiet)(const int *pes, size_t npes);
    /* Serves what has come in, unless another thread is at it. */
    void (*poll)(void);
};

/* The module's one exported symbol. NULL, with the reason in why, when it cannot work in this process. */
typedef const struct gs_far_ops *gs_far_module_fn(unsigned abi, char *why, size_t whylen);
#define GS_FAR_MODULE_SYMBOL "gs_far_module"

#endif

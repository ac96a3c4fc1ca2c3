/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine that runs kernels on the CPU: inside libginshmem_cpu, between the stand-ins of the CUDA runtime
 * (runtime.c), the module that serves the core (module*.c) and the simulator (sim*.c).
 *
 * Streams are queues, each with a host thread that runs its entries in order. A stream that was made blocking, and the
 * default stream (NULL), wait for each other as CUDA's legacy default stream and blocking streams do. Blocks of a
 * kernel run on host threads of a pool, one block on one at a time, its threads as fibres. Functions that return int
 * give 0 or a gs_machine_error. Any thread may call, but for kernels' threads, which may only call what says so.
 */
#ifndef GS_CPU_MACHINE_H
#define GS_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gin_shmem/cpu/thread.h>

/* Values of the CUDA runtime's errors of the same meaning. */
enum gs_machine_error {
    GS_MACHINE_OK = 0,
    GS_MACHINE_INVALID_VALUE = 1,
    GS_MACHINE_NO_MEMORY = 2,
    GS_MACHINE_INVALID_CONFIGURATION = 9,
    GS_MACHINE_INVALID_FUNCTION = 98,
    GS_MACHINE_INVALID_HANDLE = 400,
    GS_MACHINE_NOT_READY = 600,
    GS_MACHINE_LAUNCH_FAILURE = 719,
    GS_MACHINE_TOO_LARGE = 720, /* a cooperative launch that does not fit at one time */
};

/* GS_MACHINE_LAUNCH_FAILURE once a kernel has trapped, and for ever after. Kernels' threads and stream entries may call
 * it, and should, in whatever waits. */
int gs_machine_error(void);

/* ---- streams ---- */
struct gs_stream;
int gs_stream_create(struct gs_stream **s, bool blocking);
int gs_stream_destroy(struct gs_stream *s); /* what is in it still runs */
/* fn(arg) runs on the stream's thread behind everything in it so far; the stream is busy until it returns. fn may wait,
 * and may use the device API as a kernel of one thread does. */
int gs_stream_enqueue(struct gs_stream *s, void (*fn)(void *arg), void *arg);
int gs_stream_synchronize(struct gs_stream *s);
int gs_stream_query(struct gs_stream *s);
int gs_machine_synchronize(void); /* all streams */

/* ---- kernels ---- */
/* The program's kernel fn, known since its first typed launch; NULL when it is not known. */
const struct gin_shmem_cpu_kernel *gs_kernel_find(const void *fn);

struct gs_launch {
    const char *name; /* NULL: looked up */
    const void *fn;
    const struct gin_shmem_cpu_kernel *kernel;
    struct gin_shmem_cpu_dim grid, block;
    size_t smem;
    bool cooperative; /* all blocks must fit at one time */
};
/* Copies the arguments, and enqueues the kernel. */
int gs_launch_enqueue(const struct gs_launch *l, void *const *args, struct gs_stream *s);
/* Blocks of this shape that can be resident at one time. 0: such a block is impossible. */
int gs_launch_fits(struct gin_shmem_cpu_dim block, size_t smem);

/* ---- memory: what the program may ask about with cudaPointerGetAttributes ---- */
enum gs_memory_kind { GS_MEMORY_HOST_PLAIN = 0, GS_MEMORY_HOST = 1, GS_MEMORY_DEVICE = 2 };
int gs_memory_add(void *base, size_t bytes, enum gs_memory_kind kind);
/* Gives how many bytes it had; 0: there was none. */
size_t gs_memory_remove(void *base);
/* PLAIN where nobody has added it. */
enum gs_memory_kind gs_memory_find(const void *p);

/* ---- ends ---- */
/* What the module sets while it is up: end of the job after a message (gs_job_abort), and what to do once a kernel has
 * trapped, before anybody is told of the error (prints the module's report). Either may be NULL. */
void gs_machine_hooks(void (*abort)(int status, const char *message), void (*trapped)(void));

/* Called by each thread of a kernel, on its own stack, when it begins and when it has ended: for the simulator, which sets
 * and takes away gin_shmem_cpu_self->stores. Set while no kernel runs. */
void gs_machine_thread_hooks(void (*begins)(struct gin_shmem_cpu_thread *),
                             void (*ended)(struct gin_shmem_cpu_thread *));

/* How many processes of this host share its cores: so many blocks run side by side before any waits. Default 1. */
void gs_machine_share(int processes);

#endif

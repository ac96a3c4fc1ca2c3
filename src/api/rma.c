/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote memory access and put-with-signal: OpenSHMEM 1.6 sections 9.6 and 9.8. */
#include <string.h>

#include "api/entry.h"
#include "api/signal.h"
#include "api/span.h"
#include "coll/strided.h"
#include "core/far.h"
#include "core/log.h"
#include "core/team.h"
#include "core/wait.h"
#include "heap/addr.h"

static inline void put(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe, bool nbi)
{
    pe = gs_ctx_pe(fn, ctx, pe);
    gs_copy(fn, gs_remote(fn, "dest", dest, bytes, pe), source, bytes, nbi);
}

static inline void get(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, int pe, bool nbi)
{
    pe = gs_ctx_pe(fn, ctx, pe);
    gs_copy(fn, dest, gs_remote(fn, "source", source, bytes, pe), bytes, nbi);
}

/* A hint, nothing on processors that do not know it: hands lines that this core has just written to the shared cache,
 * where the target finds them sooner. For short data: from 4 KiB on it takes longer. */
static inline void hand_over(const void *to, size_t bytes)
{
#ifdef __x86_64__
    if (bytes <= 1024)
        for (size_t i = 0; i < bytes; i += GS_LINE)
            __asm__ volatile(".byte 0x0f, 0x1c, 0x07" : : "D"((const char *)to + i) : "memory"); /* cldemote (%rdi) */
#else
    (void)to;
    (void)bytes;
#endif
}

/* Data for another node's host memory, in one message with its signal where both go that way; or the data first. False: it
 * goes another way, is there when its copy returns, and nothing has happened. */
static __attribute__((cold, noinline)) bool put_signal_far(const char *fn, void *dest, const void *source, size_t bytes,
                                                           uint64_t *sig_addr, uint64_t signal, int sig_op, int pe,
                                                           bool nbi)
{
    uint64_t *word = gs_remote(fn, "sig_addr", sig_addr, sizeof *sig_addr, pe);
    void *to = bytes ? gs_remote(fn, "dest", dest, bytes, pe) : word;
    if (!gs_far_pointer(to))
        return false;
    gs_check_signal(fn, sig_addr, sig_op);
    if (gs_far_pointer(word) && !gs_on_device(source)) {
        gs.far->put_signal(gs_far_place(to), source, bytes, gs_far_place(word), signal, sig_op == SHMEM_SIGNAL_ADD, nbi);
        return true;
    }
    gs_copy(fn, to, source, bytes, false);
    gs_order_elsewhere();
    gs_signal(fn, sig_addr, signal, sig_op, pe);
    return true;
}

static inline void put_signal(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                              uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, bool nbi)
{
    pe = gs_ctx_pe(fn, ctx, pe);
    if (gs_unlikely(gs.far != NULL) && put_signal_far(fn, dest, source, bytes, sig_addr, signal, sig_op, pe, nbi))
        return;
    /* A message that answers one goes the quickest way. In a stream of messages every line would have to come back from
     * the shared cache for the next one, which makes them several times slower. */
    bool answer = gs_waited;
    gs_waited = false;
    if (bytes) { /* without data dest may be anything; the signal is sent all the same */
        void *to = gs_remote(fn, "dest", dest, bytes, pe);
        gs_copy(fn, to, source, bytes, false);
        if (answer)
            hand_over(to, bytes);
    }
    uint64_t *word = gs_signal(fn, sig_addr, signal, sig_op, pe);
    if (answer)
        hand_over(word, sizeof *word);
}

void gs_bad_strides(const char *fn, ptrdiff_t dst, ptrdiff_t sst)
{
    gs_die(fn, "strides dst %td and sst %td: both must be at least 1 (element)", dst, sst);
}

static void iput(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t nelems, size_t size, int pe)
{
    gs_check_strides(fn, dst, sst);
    pe = gs_ctx_pe(fn, ctx, pe);
    char *to = gs_remote(fn, "dest", dest, gs_strided_bytes(nelems, dst, size), pe);
    gs_copy_strided_any(fn, to, dst, source, sst, nelems, 1, size);
}

static void iget(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                 size_t nelems, size_t size, int pe)
{
    gs_check_strides(fn, dst, sst);
    pe = gs_ctx_pe(fn, ctx, pe);
    const char *from = gs_remote(fn, "source", source, gs_strided_bytes(nelems, sst, size), pe);
    gs_copy_strided_any(fn, dest, dst, from, sst, nelems, 1, size);
}

/* ---- blocks: bsize elements each, strides between their starts ---- */

static void ibput(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                  size_t bsize, size_t nblocks, size_t size, int pe)
{
    (void)gs_block_span(fn, nblocks, sst, bsize, size);
    pe = gs_ctx_pe(fn, ctx, pe);
    char *to = gs_remote(fn, "dest", dest, gs_block_span(fn, nblocks, dst, bsize, size), pe);
    gs_copy_strided_any(fn, to, dst, source, sst, nblocks, bsize, size);
}

static void ibget(const char *fn, shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                  size_t bsize, size_t nblocks, size_t size, int pe)
{
    (void)gs_block_span(fn, nblocks, dst, bsize, size);
    pe = gs_ctx_pe(fn, ctx, pe);
    const char *from = gs_remote(fn, "source", source, gs_block_span(fn, nblocks, sst, bsize, size), pe);
    gs_copy_strided_any(fn, dest, dst, from, sst, nblocks, bsize, size);
}

/* ---- typed ---- */

#define IMPL_put(fn, ctx, N)     put(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), pe, false);
#define IMPL_get(fn, ctx, N)     get(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), pe, false);
#define IMPL_put_nbi(fn, ctx, N) put(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), pe, true);
#define IMPL_get_nbi(fn, ctx, N) get(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), pe, true);
#define IMPL_p(fn, ctx, N)       gs_store(fn, gs_remote(fn, "dest", dest, sizeof value, gs_ctx_pe(fn, ctx, pe)), &value, sizeof value);
#define IMPL_g(fn, ctx, N)                                                                                             \
    __typeof__(gs_type_##N) value;                                                                                     \
    gs_load(fn, &value, gs_remote(fn, "source", source, sizeof value, gs_ctx_pe(fn, ctx, pe)), sizeof value);          \
    return value;
#define IMPL_iput(fn, ctx, N)    iput(fn, ctx, dest, source, dst, sst, nelems, sizeof *dest, pe);
#define IMPL_iget(fn, ctx, N)    iget(fn, ctx, dest, source, dst, sst, nelems, sizeof *dest, pe);
#define IMPL_ibput(fn, ctx, N)   ibput(fn, ctx, dest, source, dst, sst, bsize, nblocks, sizeof *dest, pe);
#define IMPL_ibget(fn, ctx, N)   ibget(fn, ctx, dest, source, dst, sst, bsize, nblocks, sizeof *dest, pe);
#define IMPL_put_signal(fn, ctx, N)                                                                                    \
    put_signal(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), sig_addr, signal, sig_op, pe, false);
#define IMPL_put_signal_nbi(fn, ctx, N)                                                                                \
    put_signal(fn, ctx, dest, source, gs_bytes(nelems, sizeof *dest), sig_addr, signal, sig_op, pe, true);

GS_NAME_TYPES(SHMEMI_RMA_TYPES)
SHMEMI_RMA_FUNCTIONS(GS_DEFINE_CTX)

/* ---- by element size, and by bytes ---- */

#define SIZED_put(fn, ctx, SIZE)     put(fn, ctx, dest, source, gs_bytes(nelems, SIZE), pe, false);
#define SIZED_get(fn, ctx, SIZE)     get(fn, ctx, dest, source, gs_bytes(nelems, SIZE), pe, false);
#define SIZED_put_nbi(fn, ctx, SIZE) put(fn, ctx, dest, source, gs_bytes(nelems, SIZE), pe, true);
#define SIZED_get_nbi(fn, ctx, SIZE) get(fn, ctx, dest, source, gs_bytes(nelems, SIZE), pe, true);
#define SIZED_iput(fn, ctx, SIZE)    iput(fn, ctx, dest, source, dst, sst, nelems, SIZE, pe);
#define SIZED_iget(fn, ctx, SIZE)    iget(fn, ctx, dest, source, dst, sst, nelems, SIZE, pe);
#define SIZED_ibput(fn, ctx, SIZE)   ibput(fn, ctx, dest, source, dst, sst, bsize, nblocks, SIZE, pe);
#define SIZED_ibget(fn, ctx, SIZE)   ibget(fn, ctx, dest, source, dst, sst, bsize, nblocks, SIZE, pe);
#define SIZED_put_signal(fn, ctx, SIZE)                                                                                \
    put_signal(fn, ctx, dest, source, gs_bytes(nelems, SIZE), sig_addr, signal, sig_op, pe, false);
#define SIZED_put_signal_nbi(fn, ctx, SIZE)                                                                            \
    put_signal(fn, ctx, dest, source, gs_bytes(nelems, SIZE), sig_addr, signal, sig_op, pe, true);

#define DEFINE_SIZED(BITS, NAME, KIND, RET, PROTO, ARGS)                                                               \
    RET pshmem_##NAME PROTO { SIZED_##KIND("shmem_" #NAME, SHMEM_CTX_DEFAULT, BITS / 8) }                              \
    RET pshmem_ctx_##NAME SHMEMI_CTX_PROTO PROTO { SIZED_##KIND("shmem_ctx_" #NAME, ctx, BITS / 8) }                   \
    GS_ALIAS(shmem_##NAME) GS_ALIAS(shmem_ctx_##NAME)

SHMEMI_SIZED_FUNCTIONS(DEFINE_SIZED)

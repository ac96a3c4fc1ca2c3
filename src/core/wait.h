/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting. With a core per PE a wait spins, and falls back to yielding only when the wait is long. With more PEs than
 * cores it yields almost at once, and sleeps when nothing comes for a while, so that PEs with work get the cores.
 */
#ifndef GS_WAIT_H
#define GS_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fence.h"
#include "core/job.h"

static inline void gs_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void gs_relax_slow(unsigned turn);
/* The same without serving other nodes: for their module. */
void gs_relax_idle(unsigned turn);

/*
 * Looks before anything else is done; and, with a core per PE, those up to which there is one pause between two, since an
 * answer of a near core comes within 100 ns. Behind them looks are rarer: whoever looks all the time takes the line away from
 * the writer before it is done, and a put-with-signal between distant cores takes a quarter longer.
 */
enum { GS_LOOKS = 1, GS_EAGER_LOOKS = 5 };

/* The quickest way to a thread's variable takes room that the loader has little of: too little for the many copies of this
 * library in one process that tests/pe-threads makes. */
#ifdef GS_TSAN
#define GS_QUICK_TLS
#else
#define GS_QUICK_TLS __attribute__((tls_model("initial-exec")))
#endif

/* This thread has had to wait since it last cleared this: what it sends next is probably an answer, and its target
 * waits for it. */
extern _Thread_local bool gs_waited GS_QUICK_TLS;

/* Once per look at a word that has not changed yet. turn counts the looks and starts at 0. */
static inline void gs_relax(unsigned *turn)
{
    gs_waited = true;
    unsigned t = (*turn)++;
    if (gs_likely(t < GS_LOOKS))
        return;
    if (gs_likely(t < GS_EAGER_LOOKS && !gs.yield))
        gs_pause();
    else
        gs_relax_slow(t);
}

/* Called by operations that programs poll with (test, fetch): gives the core away now and then when PEs share cores. */
void gs_poll_yield(void);
static inline void gs_polled(void)
{
    if (gs_unlikely(gs.yield))
        gs_poll_yield();
}

static inline uint64_t gs_wait_ge(_Atomic uint64_t *word, uint64_t want)
{
    uint64_t v;
    for (unsigned turn = 0; (v = atomic_load_explicit(word, memory_order_acquire)) < want;)
        gs_relax(&turn);
    return v;
}

#endif

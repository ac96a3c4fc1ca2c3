/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibres: stacks that a host thread changes between. A fibre is always entered from, and leaves to, the host thread's
 * own stack. The sanitizers are told of every change; the files that change fibres are not instrumented for
 * ThreadSanitizer (GS_CPU_TSAN says that the rest is), because what they share is the host thread's.
 */
#ifndef GS_CPU_FIBRE_H
#define GS_CPU_FIBRE_H

#include <stdbool.h>
#include <stddef.h>

struct gs_stack {
    struct gs_stack *next; /* in a list of its holder's */
    unsigned char *low;    /* lowest usable address */
    size_t bytes;
    bool guarded; /* below low is a page that faults; else the lowest words tell of an overflow */
    void *tsan;   /* ThreadSanitizer's fibre; made at first use, kept with the stack */
};

/* Stacks of the size in force; NULL: no memory. They are kept for further use; those of an older size are not. */
struct gs_stack *gs_stack_take(void);
void gs_stack_give(struct gs_stack *list);
/* Of stacks taken from now on. */
void gs_stack_size(size_t bytes);
/* True when the fibre on s has run over its end: only what is not guarded can tell. */
bool gs_stack_overflowed(const struct gs_stack *s);

struct gs_fibre {
    void *sp;   /* while it does not run */
    void *fake; /* AddressSanitizer's */
    struct gs_stack *stack;
};
/* The host thread's side of its fibres. */
struct gs_fibre_home {
    void *sp, *fake, *tsan;
    const void *low;
    size_t bytes;
};

/* f will run fn(arg), which must not return: it leaves for ever by gs_fibre_end. */
void gs_fibre_make(struct gs_fibre *f, struct gs_stack *s, void (*fn)(void *arg), void *arg);
/* On the host's stack: runs f until it leaves. */
void gs_fibre_enter(struct gs_fibre_home *home, struct gs_fibre *f);
/* In f. */
void gs_fibre_leave(struct gs_fibre_home *home, struct gs_fibre *f);
__attribute__((noreturn)) void gs_fibre_end(struct gs_fibre_home *home, struct gs_fibre *f);
/* First in a fibre's function. */
void gs_fibre_begun(struct gs_fibre_home *home);
void gs_fibre_home_here(struct gs_fibre_home *home);

/* ThreadSanitizer's happens-before, of addresses that stand for something. */
#ifdef GS_CPU_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define gs_tsan_acquire(p) __tsan_acquire(p)
#define gs_tsan_release(p) __tsan_release(p)
#else
#define gs_tsan_acquire(p) (void)(p)
#define gs_tsan_release(p) (void)(p)
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibres: stacks that a host thread changes between. A fibre is always entered from, and leaves to, the host thread's
 * own stack. The sanitizers are told of every change; the files that change fibres are not instrumented for
 * ThreadSanitizer even where the rest is, because what they share is the host thread's.
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

/* ThreadSanitizer, where the program brings it: the library need not be built with it. */
void *__tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));
static inline bool gs_has_tsan(void)
{
    return __tsan_create_fiber != NULL;
}
/* Its happens-before, of addresses that stand for something. */
static inline void gs_tsan_acquire(void *p)
{
    if (gs_has_tsan())
        __tsan_acquire(p);
}
static inline void gs_tsan_release(void *p)
{
    if (gs_has_tsan())
        __tsan_release(p);
}

#endif

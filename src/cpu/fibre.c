/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cpu/fibre.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- stacks ---- */

enum {
    PAGE = 4096,        /* at least; the guard is one of the system's */
    MARK_WORDS = 8,     /* lowest words of a stack without a guard */
    GUARDS_MAX = 28000, /* each takes two of the 65530 mappings that Linux allows */
    FREE_MAX = 4096,    /* stacks kept with their memory */
};
#define MARK 0x5ca1ab1e0ddba11full

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gs_stack *unused;
static size_t unused_count, guards;
static size_t size = (size_t)256 << 10;

static size_t page_size(void)
{
    static size_t bytes;
    if (!bytes)
        bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

static void mark(const struct gs_stack *s)
{
    uint64_t *words = (uint64_t *)s->low;
    for (int i = 0; i < MARK_WORDS; i++)
        words[i] = MARK;
}

bool gs_stack_overflowed(const struct gs_stack *s)
{
    const uint64_t *words = (const uint64_t *)s->low;
    if (s->guarded)
        return false;
    for (int i = 0; i < MARK_WORDS; i++)
        if (words[i] != MARK)
            return true;
    return false;
}

void *__tsan_get_current_fiber(void) __attribute__((weak));
void __tsan_destroy_fiber(void *fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void *fiber, unsigned flags) __attribute__((weak));
static void tsan_switch(void *fiber)
{
    if (gs_has_tsan())
        __tsan_switch_to_fiber(fiber, 1 /* no happens-before */);
}

static struct gs_stack *stack_new(void)
{
    const size_t page = page_size();
    struct gs_stack *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->bytes = size;
    s->guarded = guards < GUARDS_MAX;
    unsigned char *p =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) {
        free(s);
        return NULL;
    }
    s->low = p + page;
    if (s->guarded && mprotect(p, page, PROT_NONE) != 0)
        s->guarded = false;
    guards += s->guarded;
    if (!s->guarded)
        mark(s);
    return s;
}

static void stack_delete(struct gs_stack *s)
{
    const size_t page = page_size();
    if (s->tsan)
        __tsan_destroy_fiber(s->tsan);
    guards -= s->guarded;
    munmap(s->low - page, s->bytes + page);
    free(s);
}

struct gs_stack *gs_stack_take(void)
{
    pthread_mutex_lock(&lock);
    struct gs_stack *s = unused;
    if (s) {
        unused = s->next;
        unused_count--;
    } else {
        s = stack_new();
    }
    pthread_mutex_unlock(&lock);
    if (s)
        s->next = NULL;
    return s;
}

void gs_stack_give(struct gs_stack *list)
{
    pthread_mutex_lock(&lock);
    while (list) {
        struct gs_stack *s = list;
        list = s->next;
        if (s->bytes != size || unused_count >= FREE_MAX) {
            stack_delete(s);
            continue;
        }
        s->next = unused;
        unused = s;
        unused_count++;
    }
    pthread_mutex_unlock(&lock);
}

void gs_stack_size(size_t bytes)
{
    const size_t page = page_size();
    pthread_mutex_lock(&lock);
    size = (bytes + page - 1) / page * page;
    struct gs_stack *list = unused;
    unused = NULL;
    unused_count = 0;
    pthread_mutex_unlock(&lock);
    gs_stack_give(list); /* deletes those of another size */
}

/* ---- the change of stacks ---- */

/* Saves the registers that a call preserves and the stack pointer, and takes those of another stack. */
void gs_fibre_switch(void **save, void *load);
/* Where a new fibre begins: calls r13(r12), or x20(x19). */
void gs_fibre_start(void);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl gs_fibre_switch\n.hidden gs_fibre_switch\n.type gs_fibre_switch,@function\n"
        "gs_fibre_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size gs_fibre_switch,.-gs_fibre_switch\n"
        ".globl gs_fibre_start\n.hidden gs_fibre_start\n.type gs_fibre_start,@function\n"
        "gs_fibre_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n" /* debuggers: the stack ends here */
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size gs_fibre_start,.-gs_fibre_start\n");

static void *first_frame(struct gs_stack *s, void (*fn)(void *), void *arg)
{
    void **sp = (void **)(s->low + s->bytes);
    *--sp = NULL; /* so that gs_fibre_start's call finds the stack aligned to 16 bytes */
    *--sp = NULL;
    *--sp = (void *)(uintptr_t)gs_fibre_start;
    *--sp = NULL;                  /* rbp */
    *--sp = NULL;                  /* rbx */
    *--sp = arg;                   /* r12 */
    *--sp = (void *)(uintptr_t)fn; /* r13 */
    *--sp = NULL;                  /* r14 */
    *--sp = NULL;                  /* r15 */
    return sp;
}

#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl gs_fibre_switch\n.hidden gs_fibre_switch\n.type gs_fibre_switch,%function\n"
        "gs_fibre_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size gs_fibre_switch,.-gs_fibre_switch\n"
        ".globl gs_fibre_start\n.hidden gs_fibre_start\n.type gs_fibre_start,%function\n"
        "gs_fibre_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x0, x19\n"
        "    blr x20\n"
        "    brk #0\n"
        "    .cfi_endproc\n"
        ".size gs_fibre_start,.-gs_fibre_start\n");

static void *first_frame(struct gs_stack *s, void (*fn)(void *), void *arg)
{
    void **sp = (void **)(s->low + s->bytes) - 20;
    memset(sp, 0, 20 * sizeof *sp);
    sp[0] = arg;
    sp[1] = (void *)(uintptr_t)fn;
    sp[11] = (void *)(uintptr_t)gs_fibre_start; /* x30 */
    return sp;
}

#else
#include <ucontext.h>

/* The context lies at the top of its stack; sp points to it. */
void gs_fibre_switch(void **save, void *load)
{
    ucontext_t here;
    *save = &here;
    swapcontext(&here, load);
}

static void start(unsigned fn_high, unsigned fn_low, unsigned arg_high, unsigned arg_low)
{
    void (*fn)(void *) = (void (*)(void *))(uintptr_t)((uint64_t)fn_high << 32 | fn_low);
    fn((void *)(uintptr_t)((uint64_t)arg_high << 32 | arg_low));
}

static void *first_frame(struct gs_stack *s, void (*fn)(void *), void *arg)
{
    const size_t room = (sizeof(ucontext_t) + 63) / 64 * 64;
    ucontext_t *c = (ucontext_t *)(s->low + s->bytes - room);
    const uint64_t f = (uint64_t)(uintptr_t)fn, a = (uint64_t)(uintptr_t)arg;
    getcontext(c);
    c->uc_stack.ss_sp = s->low;
    c->uc_stack.ss_size = s->bytes - room;
    c->uc_link = NULL;
    makecontext(c, (void (*)(void))start, 4, (unsigned)(f >> 32), (unsigned)f, (unsigned)(a >> 32), (unsigned)a);
    return c;
}
#endif

/* ---- with the sanitizers ---- */

void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t bytes) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *bytes) __attribute__((weak));
static void asan_start(void **fake, const void *low, size_t bytes)
{
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(fake, low, bytes);
}
static void asan_finish(void *fake, const void **low, size_t *bytes)
{
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, low, bytes);
}

void gs_fibre_make(struct gs_fibre *f, struct gs_stack *s, void (*fn)(void *arg), void *arg)
{
    f->stack = s;
    f->fake = NULL;
    f->sp = first_frame(s, fn, arg);
    if (gs_has_tsan() && !s->tsan)
        s->tsan = __tsan_create_fiber(0);
}

void gs_fibre_home_here(struct gs_fibre_home *home)
{
    *home = (struct gs_fibre_home){0};
    if (gs_has_tsan())
        home->tsan = __tsan_get_current_fiber();
}

void gs_fibre_enter(struct gs_fibre_home *home, struct gs_fibre *f)
{
    tsan_switch(f->stack->tsan);
    asan_start(&home->fake, f->stack->low, f->stack->bytes);
    gs_fibre_switch(&home->sp, f->sp);
    asan_finish(home->fake, (const void **)NULL, (size_t *)NULL);
}

void gs_fibre_begun(struct gs_fibre_home *home)
{
    asan_finish(NULL, &home->low, &home->bytes);
}

void gs_fibre_leave(struct gs_fibre_home *home, struct gs_fibre *f)
{
    tsan_switch(home->tsan);
    asan_start(&f->fake, home->low, home->bytes);
    gs_fibre_switch(&f->sp, home->sp);
    asan_finish(f->fake, &home->low, &home->bytes);
}

void gs_fibre_end(struct gs_fibre_home *home, struct gs_fibre *f)
{
    tsan_switch(home->tsan);
    asan_start((void **)NULL, home->low, home->bytes); /* its fake stack goes */
    gs_fibre_switch(&f->sp, home->sp);
    __builtin_unreachable();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics, waits and completion: at once by this thread, or by a stream's. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "core/fence.h"
#include "cpu/module.h"
#include "cpu/sim.h"
#include "transport/shared/watchdog.h"
#include "transport/shared/word.h"

/* ---- atomics ---- */

struct amo {
    enum gs_amo_op op;
    void *addr;
    size_t size;
    uint64_t operand[2], cond;
};

static void run_amo(const void *arg)
{
    const struct amo *a = arg;
    if (a->size == 4 || a->size == 8)
        (void)gs_word_amo(a->op, a->addr, a->size, a->operand[0], a->cond);
    else
        (void)gs_cpu_copy(a->addr, a->operand, a->size, NULL, true); /* SET of another size */
}

int gs_cpu_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
               void *stream, bool wait)
{
    struct amo a = {.op = op, .addr = addr, .size = size};
    bool word = size == 4 || size == 8;
    (void)wait;
    if (operand)
        memcpy(a.operand, operand, size);
    if (cond)
        memcpy(&a.cond, cond, size);
    if (stream && (result || op == GS_AMO_FETCH || op == GS_AMO_CSWAP)) {
        gs_cpu_error("an atomic operation in a stream: only operations without a result can be done so");
        return -1;
    }
    if (stream)
        return gs_cpu_enqueue(run_amo, &a, sizeof a, stream);
    if (!word && op == GS_AMO_FETCH)
        return gs_cpu_copy(result, addr, size, NULL, true);
    if (!word || !result) {
        run_amo(&a);
        return 0;
    }
    uint64_t old = gs_word_amo(op, addr, size, a.operand[0], a.cond);
    memcpy(result, &old, size);
    return 0;
}

/* ---- waits ---- */

static uint64_t load_word(const void *addr, size_t size)
{
    return size == 8   ? __atomic_load_n((const uint64_t *)addr, __ATOMIC_ACQUIRE)
           : size == 4 ? __atomic_load_n((const uint32_t *)addr, __ATOMIC_ACQUIRE)
                       : __atomic_load_n((const uint16_t *)addr, __ATOMIC_ACQUIRE);
}

static int load(const void *addr, size_t size, uint64_t *now)
{
    static __thread unsigned polls;
    gin_shmem_cpu_yield(++polls);
    if (gs_machine_error()) {
        gs_watchdog_look(); /* a kernel's report ends the job */
        gs_cpu_error("a kernel has failed, so what this waits for may never come");
        return -1;
    }
    *now = load_word(addr, size);
    return 0;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* As a kernel does it (device/gin_shmem/report.h): the first to fail on this PE writes. Ends the job. */
static void timed_out(uint32_t fn, const void *addr, size_t size, int cmp, uint64_t wanted, uint64_t seen)
{
    const struct gin_shmem_state *st = &gs_cpu.state;
    uint64_t a = (uint64_t)(uintptr_t)addr, sys = (uint64_t)(uintptr_t)st->sys;
    if (__atomic_exchange_n(&((struct gin_shmem_sys_head *)st->sys)->claim, 1u, __ATOMIC_ACQ_REL) == 0) {
        struct gin_shmem_report *r = &gs_cpu.report;
        r->kind = GIN_SHMEM_REPORT_TIMEOUT;
        r->fn = fn | GS_SCOPE_STREAM;
        r->pe = st->me;
        r->target = -1;
        r->cmp = cmp;
        r->address = a, r->bytes = size;
        r->wanted = wanted, r->seen = seen;
        r->heap = a - sys < gin_shmem_sys_slot_at(&st->layout, (uint32_t)st->max_teams) ? 3
                  : a - st->dev.lo < st->dev.span                                       ? 1
                                                                                        : 2;
        r->offset = a - (r->heap == 3 ? sys : r->heap == 1 ? st->dev.lo : st->host.lo);
        __atomic_store_n(&r->ready, (uint32_t)GIN_SHMEM_REPORT_READY, __ATOMIC_RELEASE);
    }
    for (;;) {
        gs_watchdog_look();
        usleep(1000);
    }
}

bool gs_cpu_await(uint32_t fn, const void *addr, size_t size, bool is_signed, int cmp, uint64_t value)
{
    uint64_t since = 0, limit = gs_cpu.state.timeout_ns, now = 0;
    for (unsigned polls = 0;; polls++) {
        now = load_word(addr, size);
        if (gs_word_holds(now, size, is_signed, cmp, value))
            return true;
        if (gs_machine_error())
            return false;
        if (limit && polls % 64 == 63) {
            uint64_t t = now_ns();
            since = since ? since : t;
            if (t - since > limit)
                timed_out(fn, addr, size, cmp, value, now);
        }
        gin_shmem_cpu_yield(polls);
    }
}

struct wait {
    const void *addr;
    size_t size;
    bool is_signed;
    int cmp;
    uint64_t value;
};

static void run_wait(const void *arg)
{
    const struct wait *w = arg;
    (void)gs_cpu_await(GIN_SHMEM_FN_wait_until, w->addr, w->size, w->is_signed, w->cmp, w->value);
}

int gs_cpu_wait_until(const void *addr, size_t size, bool is_signed, int cmp, uint64_t value, void *stream)
{
    const struct wait w = {addr, size, is_signed, cmp, value};
    return stream ? gs_cpu_enqueue(run_wait, &w, sizeof w, stream)
                  : gs_word_wait(&gs_cpu.core, load, addr, size, is_signed, cmp, value);
}

/* ---- completion ---- */

/* Copies are done when they return, and atomics too; what kernels have sent to far PEs may be on its way. */
int gs_cpu_quiet(void)
{
    gs_fence(memory_order_seq_cst);
    if (gs_cpu.far) {
        gs_sim_quiet();
        gs_agent_quiet();
    }
    return 0;
}

static void run_quiet(const void *arg)
{
    (void)arg;
    (void)gs_cpu_quiet();
}

int gs_cpu_quiet_on_stream(void *stream)
{
    return stream && gs_cpu.far ? gs_cpu_enqueue(run_quiet, "", 1, stream) : gs_cpu_quiet();
}

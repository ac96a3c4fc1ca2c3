/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring, and what is done about it. Requests are taken by number; each is a job in a table of as many places as the
 * ring has. `next` is the first that has not been taken, `front` the first that has not been performed, `oldest` the
 * first whose entry is still in use. Calls of the host are jobs too, outside the table.
 */
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/internal.h"

enum {
    ENTRIES = GIN_SHMEM_AGENT_ENTRIES,
    BATCH = 64, /* jobs to a mark, at most */
    STUCK_S = 5 /* seconds in one call of the machine's before somebody is told */
};

struct gs_agent gs_agent;
#define a gs_agent

/* The host's; on the stack of the thread that waits, or its own. */
struct gs_agent_call {
    struct gin_shmem_agent_request r;
    struct gs_agent_job job;
    const unsigned char *data;
    atomic_bool done;
    bool wait; /* by its caller, who frees it */
    struct gs_agent_call *later;
};

static struct gin_shmem_agent_answer *answer_of(const struct gs_agent_job *j)
{
    return &a.shared.answers[j - a.jobs];
}

/* The ticket of a job that is in the table: there is only one of that place between oldest and next. */
static uint64_t ticket_of(const struct gs_agent_job *j)
{
    uint64_t place = (uint64_t)(j - a.jobs);
    return a.oldest + (place - a.oldest) % ENTRIES;
}

/* ---- the end of a job ---- */

static void call_performed(struct gs_agent_call *c)
{
    bool wait = c->wait;
    atomic_fetch_sub_explicit(&a.calls_open, 1, memory_order_release);
    if (wait)
        atomic_store_explicit(&c->done, true, memory_order_release); /* and it may be gone */
    else
        free(c);
}

void gs_agent_performed(struct gs_agent_job *j)
{
    if (j->call) {
        call_performed(j->call);
        return;
    }
    j->performed = true;
    if (j->flags & GIN_SHMEM_AGENT_ANSWER)
        __atomic_store_n(&answer_of(j)->done, ticket_of(j) + 1, __ATOMIC_RELEASE);
}

/* Has everything for the quiet's PE been performed that was asked for before it? */
static bool quiet_is_over(const struct gs_agent_job *q)
{
    uint64_t end = ticket_of(q);
    for (uint64_t t = a.front; t < end; t++) {
        const struct gs_agent_job *j = &a.jobs[t % ENTRIES];
        if (j->pe == q->pe && j->kind != GIN_SHMEM_AGENT_QUIET && !j->performed)
            return false;
    }
    return true;
}

static void end_quiets(void)
{
    for (struct gs_agent_job **q = &a.quiets, *j; (j = *q);)
        if (quiet_is_over(j)) {
            *q = j->later;
            gs_agent_performed(j);
        } else {
            q = &j->later;
        }
}

static void advance(void)
{
    for (; a.front < a.next; a.front++) {
        struct gs_agent_job *j = &a.jobs[a.front % ENTRIES];
        if (j->kind == GIN_SHMEM_AGENT_QUIET && j->pe < 0)
            gs_agent_performed(j);
        if (!j->performed)
            break;
    }
    uint64_t freed = a.oldest;
    for (; a.oldest < a.front; a.oldest++) {
        const struct gs_agent_job *j = &a.jobs[a.oldest % ENTRIES];
        if (j->flags & GIN_SHMEM_AGENT_TAKE && __atomic_load_n(&answer_of(j)->taken, __ATOMIC_ACQUIRE) != a.oldest + 1)
            break;
    }
    if (a.oldest != freed)
        __atomic_store_n(a.shared.freed, a.oldest, __ATOMIC_RELEASE);
}

unsigned gs_agent_pump(void)
{
    unsigned n = 0;
    gs_agent_mark();
    uint64_t reached = a.m.reached();
    for (struct gs_agent_job *j; (j = a.queued) && j->mark <= reached; n++) {
        a.queued = j->later;
        if (!a.queued)
            a.queued_end = &a.queued;
        gs_agent_performed(j);
    }
    n += gs_message_progress(reached);
    gs_agent_mark();
    if (n)
        end_quiets();
    advance();
    return n;
}

/* ---- the beginning ---- */

static void *reach(const struct gin_shmem_agent_request *r, uint64_t p)
{
    return a.m.reach(r->pe, (void *)(uintptr_t)p);
}

static int queue_put(const struct gin_shmem_agent_request *r, const void *data, bool inlined)
{
    void *to = r->bytes ? reach(r, r->dest) : NULL, *sig = r->sig ? reach(r, r->sig) : NULL;
    int op = r->flags & GIN_SHMEM_AGENT_SIGNAL_ADD ? GIN_SHMEM_OP_ADD : GIN_SHMEM_OP_SET;
    return (to && a.m.copy(to, data, r->bytes, inlined)) || (sig && a.m.amo(op, sig, 8, r->value, 0, NULL)) ? -1 : 0;
}

/* Is all that r names at its PE mapped here? */
static bool direct(const struct gin_shmem_agent_request *r)
{
    uint64_t at = r->kind == GIN_SHMEM_AGENT_GET ? r->source : r->dest;
    return (!r->bytes || reach(r, at)) && (!r->sig || reach(r, r->sig));
}

/* inlined: an entry's room. */
static void begin(const struct gin_shmem_agent_request *r, struct gs_agent_job *j, unsigned char *inlined)
{
    bool in = r->flags & GIN_SHMEM_AGENT_INLINED;
    unsigned char *other =
        in ? inlined : (unsigned char *)(uintptr_t)(r->kind == GIN_SHMEM_AGENT_GET ? r->dest : r->source);
    int failed;
    if (!direct(r)) {
        if (r->kind == GIN_SHMEM_AGENT_PUT)
            gs_message_put(j, r, other);
        else if (r->kind == GIN_SHMEM_AGENT_GET)
            gs_message_get(j, r, other);
        else
            gs_message_amo(j, r);
        return;
    }
    if (r->kind == GIN_SHMEM_AGENT_PUT)
        failed = queue_put(r, other, in);
    else if (r->kind == GIN_SHMEM_AGENT_GET)
        failed = a.m.copy(other, reach(r, r->source), r->bytes, false);
    else
        failed = a.m.amo(r->op, reach(r, r->dest), (uint32_t)r->bytes, r->value, r->source, j->value);
    j->mark = gs_agent_queued(failed);
    *a.queued_end = j;
    a.queued_end = &j->later;
}

static void begin_entry(const struct gin_shmem_agent_request *r, uint64_t entry)
{
    struct gs_agent_job *j = &a.jobs[entry];
    *j = (struct gs_agent_job){.kind = r->kind, .flags = r->flags, .pe = r->pe};
    if (r->kind == GIN_SHMEM_AGENT_QUIET && r->pe >= 0) {
        j->later = a.quiets;
        a.quiets = j;
    } else if (r->kind != GIN_SHMEM_AGENT_QUIET) { /* advance() finds those of all */
        if (r->kind == GIN_SHMEM_AGENT_AMO && r->flags & GIN_SHMEM_AGENT_TAKE)
            j->value = &answer_of(j)->value;
        begin(r, j, a.shared.inlined + entry * GIN_SHMEM_AGENT_INLINE);
    }
}

void gs_agent_mark(void)
{
    if (!a.unmarked)
        return;
    a.unmarked = false;
    if (a.m.mark(a.marking++))
        a.failed = true;
}

static unsigned take(void)
{
    unsigned n = 0;
    for (; n < BATCH; n++) {
        const struct gin_shmem_agent_request *r = &a.shared.ring[a.next % ENTRIES];
        if (__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE) != a.next / ENTRIES + 1)
            break;
        uint64_t entry = a.next++ % ENTRIES; /* first: the job counts from its beginning */
        begin_entry(r, entry);
    }
    if (n) {
        gs_agent_mark();
        end_quiets();
    }
    return n;
}

static unsigned take_calls(void)
{
    unsigned n = 0;
    if (atomic_load_explicit(&a.calls_open, memory_order_acquire) == 0)
        return 0;
    for (;; n++) {
        pthread_mutex_lock(&a.calls_lock);
        struct gs_agent_call *c = a.calls;
        if (c && !(a.calls = c->later))
            a.calls_end = &a.calls;
        pthread_mutex_unlock(&a.calls_lock);
        if (!c)
            break;
        c->job = (struct gs_agent_job){.kind = c->r.kind, .pe = c->r.pe, .call = c, .value = c->job.value};
        begin(&c->r, &c->job, (unsigned char *)c->data);
    }
    return n;
}

/* ---- the thread ---- */

/* What was asked for before the host's quiet is in the ring: the ring, looked at afterwards, has it. */
static void answer_host(uint64_t *asked, uint64_t *until)
{
    if (*asked == atomic_load_explicit(&a.answered, memory_order_relaxed)) {
        uint64_t now = atomic_load_explicit(&a.asked, memory_order_acquire);
        if (now == *asked)
            return;
        *asked = now;
        while (take())
            ;
        *until = a.next;
    }
    advance();
    if (a.front >= *until)
        atomic_store_explicit(&a.answered, *asked, memory_order_release);
}

static void *run(void *arg)
{
    uint64_t asked = atomic_load(&a.answered), until = 0, turns = 0;
    (void)arg;
    if (a.m.thread_begins())
        a.failed = true;
    for (unsigned turn = 0; !atomic_load_explicit(&a.stopping, memory_order_acquire);) {
        atomic_store_explicit(&a.turns, ++turns, memory_order_relaxed);
        unsigned n = take() + take_calls() + gs_message_answer() + gs_agent_pump();
        answer_host(&asked, &until);
        if (a.failed) {
            a.m.core->abort(1, NULL); /* what failed has said why */
            return NULL;
        }
        if (n)
            turn = 0;
        else
            a.m.core->relax(turn++);
    }
    return NULL;
}

/* Says so, once, when a call of the machine's does not return. */
static void *observe(void *arg)
{
    uint64_t seen = 0;
    unsigned still = 0;
    (void)arg;
    pthread_mutex_lock(&a.observer_lock);
    while (!a.observer_ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&a.observer_wakes, &a.observer_lock, &until);
        uint64_t now = atomic_load_explicit(&a.turns, memory_order_relaxed);
        still = now == seen ? still + 1 : 0;
        seen = now;
        if (still == STUCK_S) {
            a.m.core->log(GS_WARN, "the agent, which serves PEs on other nodes, has been in one call for %d s. %s",
                          STUCK_S, a.m.blocked);
            break;
        }
    }
    pthread_mutex_unlock(&a.observer_lock);
    return NULL;
}

/* ---- for the host ---- */

static void post(struct gs_agent_call *c)
{
    atomic_fetch_add_explicit(&a.calls_open, 1, memory_order_acq_rel);
    pthread_mutex_lock(&a.calls_lock);
    c->later = NULL;
    *a.calls_end = c;
    a.calls_end = &c->later;
    pthread_mutex_unlock(&a.calls_lock);
}

static void wait_for(struct gs_agent_call *c)
{
    for (unsigned turn = 0; !atomic_load_explicit(&c->done, memory_order_acquire);)
        a.m.core->relax(turn++);
}

static void call(struct gs_agent_call *c)
{
    c->wait = true;
    post(c);
    wait_for(c);
}

void gs_agent_put(int pe, void *dest, const void *source, size_t bytes)
{
    struct gs_agent_call c = {.r = {.kind = GIN_SHMEM_AGENT_PUT,
                                    .pe = pe,
                                    .dest = (uint64_t)(uintptr_t)dest,
                                    .source = (uint64_t)(uintptr_t)source,
                                    .bytes = bytes}};
    call(&c);
}

void gs_agent_get(int pe, void *dest, const void *source, size_t bytes)
{
    struct gs_agent_call c = {.r = {.kind = GIN_SHMEM_AGENT_GET,
                                    .pe = pe,
                                    .dest = (uint64_t)(uintptr_t)dest,
                                    .source = (uint64_t)(uintptr_t)source,
                                    .bytes = bytes}};
    call(&c);
}

void gs_agent_amo(int pe, int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old, bool wait)
{
    struct gs_agent_call *c = calloc(1, sizeof *c);
    if (!c)
        a.m.core->die("atomic operation", "no memory to ask PE %d for it", pe);
    c->r = (struct gin_shmem_agent_request){.kind = GIN_SHMEM_AGENT_AMO,
                                            .pe = pe,
                                            .op = (uint8_t)op,
                                            .dest = (uint64_t)(uintptr_t)dest,
                                            .source = cond,
                                            .bytes = bytes,
                                            .value = value};
    c->job.value = old;
    if (!old && !wait) {
        post(c);
        return;
    }
    call(c);
    free(c);
}

/* ---- life ---- */

static int allocate(void)
{
    struct gin_shmem_agent *s = &a.shared;
    size_t entries = ENTRIES;
    s->ring = a.m.pinned(entries * sizeof *s->ring);
    s->answers = a.m.pinned(entries * sizeof *s->answers);
    s->inlined = a.m.pinned(entries * GIN_SHMEM_AGENT_INLINE);
    s->freed = a.m.pinned(64);
    s->words = a.m.words;
    a.jobs = calloc(entries, sizeof *a.jobs);
    if (!s->ring || !s->answers || !s->inlined || !s->freed)
        return -1;
    if (a.jobs)
        return 0;
    a.m.core->log(GS_ERROR, "no memory for the agent, which serves the PEs on other nodes");
    return -1;
}

static void release(void)
{
    void *pinned[] = {a.shared.ring, a.shared.answers, a.shared.inlined, a.shared.freed};
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++)
        if (pinned[i])
            a.m.unpin(pinned[i]);
    free(a.jobs);
    memset(&a, 0, sizeof a);
}

int gs_agent_start(const struct gs_agent_machine *m, struct gin_shmem_agent *shared)
{
    memset(&a, 0, sizeof a);
    a.m = *m;
    a.marking = 1;
    a.queued_end = &a.queued;
    a.calls_end = &a.calls;
    pthread_mutex_init(&a.calls_lock, NULL);
    pthread_mutex_init(&a.observer_lock, NULL);
    pthread_cond_init(&a.observer_wakes, NULL);
    if (allocate()) {
        release();
        return -1;
    }
    if (gs_message_start()) {
        release();
        return -1;
    }
    int rc = m->core->thread_start(&a.thread, run, NULL);
    if (rc) {
        m->core->log(GS_ERROR, "cannot start the agent, which serves the PEs on other nodes: %s", strerror(rc));
        gs_message_stop();
        release();
        return -1;
    }
    a.observes = m->blocked && !m->core->thread_start(&a.observer, observe, NULL); /* it can do without */
    *shared = a.shared;
    a.up = true;
    return 0;
}

void gs_agent_quiet(void)
{
    if (!a.up)
        return;
    uint64_t mine = atomic_fetch_add(&a.asked, 1) + 1;
    for (unsigned turn = 0; atomic_load_explicit(&a.answered, memory_order_acquire) < mine ||
                            atomic_load_explicit(&a.calls_open, memory_order_acquire);)
        a.m.core->relax(turn++);
}

void gs_agent_stop(void)
{
    if (!a.up)
        return;
    gs_agent_quiet();
    atomic_store_explicit(&a.stopping, true, memory_order_release);
    pthread_join(a.thread, NULL);
    if (a.observes) {
        pthread_mutex_lock(&a.observer_lock);
        a.observer_ends = true;
        pthread_cond_signal(&a.observer_wakes);
        pthread_mutex_unlock(&a.observer_lock);
        pthread_join(a.observer, NULL);
    }
    gs_message_stop();
    release();
}

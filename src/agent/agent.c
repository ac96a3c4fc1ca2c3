/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring, and what is done about it. Requests are taken by number; each is a job in a table of as many places as the
 * ring has. `next` is the first that has not been taken, `front` the first that has not been performed, `oldest` the
 * first whose entry is still in use.
 */
#include "agent/agent.h"

#include <gin_shmem/agent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = GIN_SHMEM_AGENT_ENTRIES, BATCH = 64 /* jobs to a mark, at most */ };

struct job {
    bool performed;
    uint8_t kind, flags;
    int pe;
    uint64_t mark;     /* of the queue, behind it */
    uint64_t until;    /* QUIET of one PE: how many of the PE's jobs must have been performed */
    struct job *later; /* in a list */
};

static struct {
    struct gs_agent_machine m;
    struct gin_shmem_agent shared;
    pthread_t thread;
    bool up;
    atomic_bool stopping;
    _Atomic uint64_t asked, answered; /* of gs_agent_quiet */

    /* The thread's own: */
    struct job *jobs;
    uint64_t next, front, oldest;
    uint64_t marking;                 /* the next mark's number */
    struct job *queued, **queued_end; /* in the queue, by mark */
    struct job *quiets;               /* QUIETs of one PE that are not performed */
    uint64_t *begun, *performed;      /* by PE: jobs */
    bool unmarked;                    /* there are jobs in the queue behind the last mark */
    bool failed;
} a;

static struct job *job_of(uint64_t ticket)
{
    return &a.jobs[ticket % ENTRIES];
}
static struct gin_shmem_agent_answer *answer_of(const struct job *j)
{
    return &a.shared.answers[j - a.jobs];
}

/* ---- the end of a job ---- */

static void performed(struct job *j, uint64_t ticket)
{
    j->performed = true;
    if (j->kind != GIN_SHMEM_AGENT_QUIET)
        a.performed[j->pe]++;
    if (j->flags & GIN_SHMEM_AGENT_ANSWER)
        __atomic_store_n(&answer_of(j)->done, ticket + 1, __ATOMIC_RELEASE);
}

/* The ticket of a job that is in the table: there is only one of that place between oldest and next. */
static uint64_t ticket_of(const struct job *j)
{
    uint64_t place = (uint64_t)(j - a.jobs);
    return a.oldest + (place - a.oldest) % ENTRIES;
}

static unsigned complete(void)
{
    unsigned n = 0;
    uint64_t reached = a.queued ? a.m.reached() : 0;
    for (struct job *j; (j = a.queued) && j->mark <= reached; n++) {
        a.queued = j->later;
        if (!a.queued)
            a.queued_end = &a.queued;
        performed(j, ticket_of(j));
    }
    for (struct job **q = &a.quiets, *j; (j = *q);)
        if (a.performed[j->pe] >= j->until) {
            *q = j->later;
            performed(j, ticket_of(j));
            n++;
        } else {
            q = &j->later;
        }
    for (; a.front < a.next; a.front++) {
        struct job *j = job_of(a.front);
        if (j->kind == GIN_SHMEM_AGENT_QUIET && j->pe < 0)
            performed(j, a.front);
        if (!j->performed)
            break;
    }
    uint64_t freed = a.oldest;
    for (; a.oldest < a.front; a.oldest++) {
        const struct job *j = job_of(a.oldest);
        if (j->flags & GIN_SHMEM_AGENT_TAKE && __atomic_load_n(&answer_of(j)->taken, __ATOMIC_ACQUIRE) != a.oldest + 1)
            break;
    }
    if (a.oldest != freed)
        __atomic_store_n(a.shared.freed, a.oldest, __ATOMIC_RELEASE);
    return n;
}

/* ---- the beginning ---- */

static int queue_put(const struct gin_shmem_agent_request *r, const void *data)
{
    void *to = r->bytes ? a.m.reach(r->pe, (void *)(uintptr_t)r->dest) : NULL;
    void *sig = r->sig ? a.m.reach(r->pe, (void *)(uintptr_t)r->sig) : NULL;
    int op = r->flags & GIN_SHMEM_AGENT_SIGNAL_ADD ? GIN_SHMEM_OP_ADD : GIN_SHMEM_OP_SET;
    return (to && a.m.copy(to, data, r->bytes)) || (sig && a.m.amo(op, sig, 8, r->value, 0, NULL)) ? -1 : 0;
}

static int queue(const struct gin_shmem_agent_request *r, struct job *j)
{
    unsigned char *inlined = a.shared.inlined + (size_t)(j - a.jobs) * GIN_SHMEM_AGENT_INLINE;
    void *dest = (void *)(uintptr_t)r->dest, *source = (void *)(uintptr_t)r->source;
    bool in = r->flags & GIN_SHMEM_AGENT_INLINED;
    switch (r->kind) {
    case GIN_SHMEM_AGENT_PUT:
        return queue_put(r, in ? inlined : source);
    case GIN_SHMEM_AGENT_GET:
        return a.m.copy(in ? inlined : dest, a.m.reach(r->pe, source), r->bytes);
    default: /* AMO */
        return a.m.amo(r->op, a.m.reach(r->pe, dest), (uint32_t)r->bytes, r->value, r->source,
                       r->flags & GIN_SHMEM_AGENT_TAKE ? &answer_of(j)->value : NULL);
    }
}

static void begin(const struct gin_shmem_agent_request *r, struct job *j)
{
    *j = (struct job){.kind = r->kind, .flags = r->flags, .pe = r->pe};
    if (r->kind == GIN_SHMEM_AGENT_QUIET) {
        if (r->pe < 0)
            return; /* complete() finds it */
        j->until = a.begun[r->pe];
        j->later = a.quiets;
        a.quiets = j;
        return;
    }
    a.begun[r->pe]++;
    if (queue(r, j))
        a.failed = true;
    j->mark = a.marking;
    a.unmarked = true;
    *a.queued_end = j;
    a.queued_end = &j->later;
}

static void mark(void)
{
    if (a.unmarked && a.m.mark(a.marking++))
        a.failed = true;
    a.unmarked = false;
}

static unsigned take(void)
{
    unsigned n = 0;
    for (; n < BATCH; n++, a.next++) {
        const struct gin_shmem_agent_request *r = &a.shared.ring[a.next % ENTRIES];
        if (__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE) != a.next / ENTRIES + 1)
            break;
        begin(r, job_of(a.next));
    }
    if (n)
        mark();
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
    (void)complete();
    if (a.front >= *until)
        atomic_store_explicit(&a.answered, *asked, memory_order_release);
}

static void *run(void *arg)
{
    uint64_t asked = atomic_load(&a.answered), until = 0;
    (void)arg;
    if (a.m.thread_begins())
        a.failed = true;
    for (unsigned turn = 0; !atomic_load_explicit(&a.stopping, memory_order_acquire);) {
        unsigned n = take() + complete();
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

/* ---- life ---- */

static int allocate(size_t n)
{
    struct gin_shmem_agent *s = &a.shared;
    size_t entries = ENTRIES;
    s->ring = a.m.pinned(entries * sizeof *s->ring);
    s->answers = a.m.pinned(entries * sizeof *s->answers);
    s->inlined = a.m.pinned(entries * GIN_SHMEM_AGENT_INLINE);
    s->freed = a.m.pinned(64);
    s->head = a.m.words;
    a.jobs = calloc(entries, sizeof *a.jobs);
    a.begun = calloc(n, sizeof *a.begun);
    a.performed = calloc(n, sizeof *a.performed);
    if (!s->ring || !s->answers || !s->inlined || !s->freed)
        return -1;
    if (a.jobs && a.begun && a.performed)
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
    free(a.begun);
    free(a.performed);
    memset(&a, 0, sizeof a);
}

int gs_agent_start(const struct gs_agent_machine *m, struct gin_shmem_agent *shared)
{
    memset(&a, 0, sizeof a);
    a.m = *m;
    a.marking = 1;
    a.queued_end = &a.queued;
    if (allocate((size_t)m->core->n)) {
        release();
        return -1;
    }
    int rc = m->core->thread_start(&a.thread, run, NULL);
    if (rc) {
        m->core->log(GS_ERROR, "cannot start the agent, which serves the PEs on other nodes: %s", strerror(rc));
        release();
        return -1;
    }
    *shared = a.shared;
    a.up = true;
    return 0;
}

bool gs_agent_up(void)
{
    return a.up;
}

void gs_agent_quiet(void)
{
    if (!a.up)
        return;
    uint64_t mine = atomic_fetch_add(&a.asked, 1) + 1;
    for (unsigned turn = 0; atomic_load_explicit(&a.answered, memory_order_acquire) < mine;)
        a.m.core->relax(turn++);
}

void gs_agent_stop(void)
{
    if (!a.up)
        return;
    gs_agent_quiet();
    atomic_store_explicit(&a.stopping, true, memory_order_release);
    pthread_join(a.thread, NULL);
    release();
}

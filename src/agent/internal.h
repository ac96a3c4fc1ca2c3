/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent's files share. Everything is the agent's thread's own, but for what says otherwise. */
#ifndef GS_AGENT_INTERNAL_H
#define GS_AGENT_INTERNAL_H

#include <gin_shmem/agent.h>
#include <pthread.h>
#include <stdatomic.h>

#include "agent/agent.h"

/* A request, until everything of it has been performed. */
struct gs_agent_job {
    bool performed;
    uint8_t kind, flags;
    int pe;
    uint64_t mark;              /* queued here: of the queue, behind it */
    uint64_t sent;              /* sent: how many counted messages had gone to pe with its last one */
    uint64_t left;              /* a get that was asked for by message: bytes that have not arrived */
    unsigned char *to;          /* and where they go */
    uint64_t *value;            /* where an AMO's old value goes, or NULL */
    struct gs_agent_call *call; /* the host's; NULL: it is in the table */
    struct gs_agent_job *later; /* in a list */
};

struct gs_agent {
    struct gs_agent_machine m;
    struct gin_shmem_agent shared;
    pthread_t thread;
    bool up;
    atomic_bool stopping;
    _Atomic uint64_t asked, answered; /* of gs_agent_quiet */
    _Atomic uint64_t turns;           /* of the thread */

    pthread_t observer;
    pthread_mutex_t observer_lock;
    pthread_cond_t observer_wakes;
    bool observes, observer_ends; /* there is such a thread; guarded by the lock: it is to end */

    struct gs_agent_job *jobs; /* as many as the ring has entries */
    uint64_t next, front, oldest;
    uint64_t marking;                          /* the number of the next mark; jobs behind the last one get it */
    bool unmarked;                             /* there is something in the queue behind the last mark */
    struct gs_agent_job *queued, **queued_end; /* in the queue, by mark */
    struct gs_agent_job *quiets;               /* of one PE, not performed yet */
    bool failed;

    pthread_mutex_t calls_lock; /* guards the next two */
    struct gs_agent_call *calls, **calls_end;
    _Atomic uint64_t calls_open; /* that have not been performed */
};
extern struct gs_agent gs_agent;

/* ---- agent.c ---- */
void gs_agent_performed(struct gs_agent_job *j);
/* Something has been put into the queue; gives the mark that will be behind it. */
static inline uint64_t gs_agent_queued(int failed)
{
    gs_agent.failed = gs_agent.failed || failed;
    gs_agent.unmarked = true;
    return gs_agent.marking;
}
/* What goes on while a job waits for room: all but taking new ones. Gives how much was done. */
unsigned gs_agent_pump(void);
/* Makes a mark if there is anything to mark. */
void gs_agent_mark(void);

/* ---- message.c, inbox.c: PEs whose memory is not mapped here ---- */
int gs_message_start(void);
void gs_message_stop(void);
void gs_message_put(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, const unsigned char *data);
void gs_message_get(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, unsigned char *to);
void gs_message_amo(struct gs_agent_job *j, const struct gin_shmem_agent_request *r);
/* Messages whose data has been read leave, those that have come are performed, what was performed is acknowledged.
 * reached: of the queue. Gives how much was done. */
unsigned gs_message_progress(uint64_t reached);
/* What can wait for room: answers to gets. Not from within gs_agent_pump. */
unsigned gs_message_answer(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out, and the waiting for what they bring back. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ucx.h"

/* What UCX needs until a message has left. */
struct sending {
    struct ux_head head;
    void *owned;
    struct ux_batch *batch;
    void (*done)(void *arg);
    void *arg;
    struct sending *next;
};

static struct sending *spare_sendings;
static struct ux_want *spare_wants;

static void *need(void *p)
{
    if (!p) {
        ux.core->log(GS_ERROR, "no memory for messages to other nodes");
        ux.core->lost(ux.core->me, "out of memory");
        for (;;) /* the job is about to end */
            pause();
    }
    return p;
}

static void sent(struct sending *s)
{
    ux.in_flight--;
    if (s->batch)
        s->batch->left--;
    free(s->owned);
    if (s->done)
        s->done(s->arg);
    s->next = spare_sendings;
    spare_sendings = s;
}

static void on_sent(void *request, ucs_status_t status, void *arg)
{
    (void)status; /* an error is also told to on_error */
    ucp_request_free(request);
    sent(arg);
}

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    if (!atomic_load(&ux.settled))
        ux.core->lost((int)(intptr_t)arg, ucs_status_string(status));
}

static ucp_ep_h ep_of(int pe)
{
    struct ux_peer *p = &ux.peer[pe];
    if (p->ep)
        return p->ep;
    ucp_ep_params_t params = {
        .field_mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)p->reach->worker,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = {.cb = on_error, .arg = (void *)(intptr_t)pe},
    };
    ucs_status_t status = ucp_ep_create(ux.worker, &params, &p->ep);
    if (status != UCS_OK) {
        p->ep = NULL;
        ux.core->lost(pe, ucs_status_string(status));
    }
    return p->ep;
}

static void send_it(int pe, struct ux_head *head, const void *data, size_t bytes, struct sending with)
{
    struct sending *s = spare_sendings;
    if (s)
        spare_sendings = s->next;
    else
        s = need(malloc(sizeof *s));
    *s = with;
    s->head = *head;
    memcpy(s->head.token, ux.core->token, sizeof s->head.token);
    s->head.from = ux.core->me;
    ux.in_flight++;
    if (s->batch)
        s->batch->left++;
    ucp_ep_h ep = ep_of(pe);
    if (!ep)
        return; /* told; whoever waits for this waits for the job's end */
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, .cb.send = on_sent, .user_data = s};
    ucs_status_ptr_t request = ucp_am_send_nbx(ep, 0, &s->head, sizeof s->head, data, bytes, &param);
    if (!request)
        sent(s);
    else if (UCS_PTR_IS_ERR(request))
        on_error((void *)(intptr_t)pe, ep, UCS_PTR_STATUS(request));
}

void ux_send(int pe, struct ux_head *head, const void *data, size_t bytes, void *owned, struct ux_batch *batch)
{
    send_it(pe, head, data, bytes, (struct sending){.owned = owned, .batch = batch});
}

void ux_send_message(int pe, const void *data, size_t bytes, void (*done)(void *arg), void *arg)
{
    struct ux_head head = {.kind = UX_MESSAGE, .bytes = bytes};
    send_it(pe, &head, data, bytes, (struct sending){.done = done, .arg = arg});
}

void ux_send_counted(int pe, struct ux_head *head, const void *data, size_t bytes, void *owned, struct ux_batch *batch)
{
    struct ux_peer *p = &ux.peer[pe];
    p->issued++;
    if (!p->dirty) {
        p->dirty = true;
        ux.dirty[ux.ndirty++] = pe;
    }
    ux_send(pe, head, data, bytes, owned, batch);
}

struct ux_want *ux_want(int pe, struct ux_batch *batch, void *to, size_t bytes)
{
    struct ux_want *w = spare_wants;
    if (w)
        spare_wants = w->next;
    else
        w = need(malloc(sizeof *w));
    *w = (struct ux_want){.batch = batch, .to = to, .bytes = bytes, .pe = pe};
    batch->left++;
    return w;
}

void ux_want_done(struct ux_want *w)
{
    w->batch->left--;
    w->next = spare_wants;
    spare_wants = w;
}

unsigned ux_progress(void)
{
    unsigned n = ucp_worker_progress(ux.worker);
    while (ux.tasks) {
        struct ux_task *t = ux.tasks;
        ux.tasks = t->next;
        if (!ux.tasks)
            ux.tasks_end = &ux.tasks;
        ux_do_task(t);
        n++;
    }
    return n;
}

void ux_wait(const struct ux_batch *batch)
{
    atomic_fetch_add(&ux.waiting, 1);
    for (unsigned turn = 0; batch->left;) {
        if (ux_progress())
            continue;
        pthread_mutex_unlock(&ux.lock);
        ux.core->relax(turn++);
        pthread_mutex_lock(&ux.lock);
    }
    atomic_fetch_sub(&ux.waiting, 1);
}

void ux_free_lists(void)
{
    while (spare_sendings) {
        struct sending *s = spare_sendings;
        spare_sendings = s->next;
        free(s);
    }
    while (spare_wants) {
        struct ux_want *w = spare_wants;
        spare_wants = w->next;
        free(w);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages do where they arrive. */
#include <stdlib.h>
#include <string.h>

#include "ucx.h"

void ux_stranger(const char *what)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        ux.core->log(GS_WARN, "refused a message to this PE's UCX port: %s; further ones are not reported", what);
}

static const char no_memory[] = "out of memory";

/* This PE's memory, or NULL when the message names none. */
static char *memory(uint64_t place, uint64_t bytes)
{
    unsigned region = (unsigned)(place >> 62);
    uint64_t offset = place & (UINT64_MAX >> 2);
    if (region >= GS_FAR_REGIONS || offset > ux.core->region[region].bytes ||
        bytes > ux.core->region[region].bytes - offset)
        return NULL;
    return ux.core->region[region].base + offset;
}

/* The bytes between the start of the first and the end of the last block. */
static uint64_t span(const struct ux_head *h)
{
    if (!h->width || !h->bytes)
        return h->bytes;
    uint64_t blocks = h->bytes / h->width, reach;
    if (h->bytes % h->width || __builtin_mul_overflow(blocks - 1, h->pitch, &reach) ||
        __builtin_add_overflow(reach, h->width, &reach))
        return UINT64_MAX;
    return reach;
}

/* A word of its size arrives in one piece: others may be looking at it. */
static void store(char *to, const char *from, size_t bytes)
{
    switch ((uintptr_t)to % bytes ? 0 : bytes) {
    case 8: {
        uint64_t v;
        memcpy(&v, from, 8);
        __atomic_store_n((uint64_t *)(void *)to, v, __ATOMIC_RELEASE);
        break;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, from, 4);
        __atomic_store_n((uint32_t *)(void *)to, v, __ATOMIC_RELEASE);
        break;
    }
    case 2: {
        uint16_t v;
        memcpy(&v, from, 2);
        __atomic_store_n((uint16_t *)(void *)to, v, __ATOMIC_RELEASE);
        break;
    }
    default:
        memcpy(to, from, bytes);
    }
}

static void scatter(char *to, const char *from, uint64_t bytes, uint64_t width, uint64_t pitch)
{
    if (!bytes)
        return;
    if (!width)
        store(to, from, bytes);
    else
        for (uint64_t at = 0; at < bytes; at += width, to += pitch)
            store(to, from + at, width);
}

#define AMO(TYPE)                                                                                  \
    {                                                                                              \
        TYPE *word = at, value = (TYPE)h->a, old = 0;                                              \
        switch (h->op) {                                                                           \
        case GS_AMO_FETCH:                                                                         \
            old = __atomic_load_n(word, __ATOMIC_ACQUIRE);                                         \
            break;                                                                                 \
        case GS_AMO_SET:                                                                           \
            __atomic_store_n(word, value, __ATOMIC_RELEASE);                                       \
            break;                                                                                 \
        case GS_AMO_SWAP:                                                                          \
            old = __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);                              \
            break;                                                                                 \
        case GS_AMO_CSWAP:                                                                         \
            old = (TYPE)h->b;                                                                      \
            __atomic_compare_exchange_n(word, &old, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
            break;                                                                                 \
        case GS_AMO_ADD:                                                                           \
            old = __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);                               \
            break;                                                                                 \
        case GS_AMO_AND:                                                                           \
            old = __atomic_fetch_and(word, value, __ATOMIC_ACQ_REL);                               \
            break;                                                                                 \
        case GS_AMO_OR:                                                                            \
            old = __atomic_fetch_or(word, value, __ATOMIC_ACQ_REL);                                \
            break;                                                                                 \
        case GS_AMO_XOR:                                                                           \
            old = __atomic_fetch_xor(word, value, __ATOMIC_ACQ_REL);                               \
            break;                                                                                 \
        }                                                                                          \
        return old;                                                                                \
    }

static uint64_t amo32(const struct ux_head *h, void *at) AMO(uint32_t) static uint64_t
    amo64(const struct ux_head *h, void *at) AMO(uint64_t)

        static void leave_task(const struct ux_head *h, void *desc)
{
    struct ux_task *t = malloc(sizeof *t);
    if (!t) {
        ux.core->log(GS_ERROR, "no memory for a message from PE %d", h->from);
        ux.core->lost(h->from, no_memory);
        return;
    }
    *t = (struct ux_task){.head = *h, .desc = desc};
    *ux.tasks_end = t;
    ux.tasks_end = &t->next;
}

/* A counted message has been performed: somebody may have asked for that. */
static void applied(int from)
{
    struct ux_peer *p = &ux.peer[from];
    p->applied++;
    for (struct ux_task **t = &p->flushes; *t;) {
        struct ux_task *ready = *t;
        if (ready->head.a > p->applied) {
            t = &ready->next;
            continue;
        }
        *t = ready->next;
        ready->next = NULL;
        *ux.tasks_end = ready;
        ux.tasks_end = &ready->next;
    }
}

/* The data of a put is at its place. */
static void put_done(const struct ux_head *h)
{
    if (h->sig) {
        uint64_t *word = (uint64_t *)(void *)memory(h->a, sizeof *word);
        if (h->sig == UX_SIGNAL_SET)
            __atomic_store_n(word, h->b, __ATOMIC_RELEASE);
        else
            __atomic_fetch_add(word, h->b, __ATOMIC_RELEASE);
    }
    applied(h->from);
}

/* An answer's data is at its place. */
static void got(const struct ux_head *h)
{
    ux_want_done((struct ux_want *)(uintptr_t)h->id);
}

/* Why a message cannot be performed, or NULL. */
static const char *wrong(const struct ux_head *h, size_t length)
{
    if (h->from < 0 || h->from >= ux.core->n)
        return "it comes from no PE";
    switch (h->kind) {
    case UX_PUT:
        if (length != h->bytes || (h->bytes && !memory(h->place, span(h))))
            return "a put beyond the symmetric memory";
        if (h->sig > UX_SIGNAL_ADD || (h->sig && (h->a % 8 || !memory(h->a, 8))))
            return "a signal beyond the symmetric memory";
        return NULL;
    case UX_GET:
        return memory(h->place, span(h)) ? NULL : "a get beyond the symmetric memory";
    case UX_AMO:
        return (h->size == 4 || h->size == 8) && h->op <= GS_AMO_XOR && h->place % h->size == 0 &&
                       memory(h->place, h->size)
                   ? NULL
                   : "an atomic beyond the symmetric memory";
    case UX_GOT:
    case UX_VALUE:
    case UX_FLUSHED:
        return h->id ? NULL : "an answer to nothing";
    case UX_FLUSH:
        return NULL;
    case UX_MESSAGE:
        return length == h->bytes ? NULL : "a message of another length than it says";
    default:
        return "an unknown kind of message";
    }
}

static bool token_fits(const uint8_t *a, const uint8_t *b)
{
    unsigned diff = 0;
    for (int i = 0; i < GS_FAR_TOKEN; i++)
        diff |= a[i] ^ b[i];
    return diff == 0;
}

ucs_status_t ux_on_message(void *arg, const void *header, size_t header_length, void *data, size_t length,
                           const ucp_am_recv_param_t *param)
{
    struct ux_head h;
    bool later = param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV; /* the data has not come yet; `data` stands for it */

    (void)arg;
    if (header_length != sizeof h) {
        ux_stranger("it is not of this library");
        return UCS_OK;
    }
    memcpy(&h, header, sizeof h);
    if (!token_fits(h.token, ux.core->token)) {
        ux_stranger("it does not have this job's token");
        return UCS_OK;
    }
    const char *why = wrong(&h, length);
    if (why) {
        ux_stranger(why);
        return UCS_OK;
    }
    switch (h.kind) {
    case UX_PUT:
        if (later)
            break;
        scatter(memory(h.place, span(&h)), data, h.bytes, h.width, h.pitch);
        put_done(&h);
        return UCS_OK;
    case UX_AMO: {
        void *at = memory(h.place, h.size);
        h.a = h.size == 4 ? amo32(&h, at) : amo64(&h, at);
        if (h.id)
            leave_task(&h, NULL);
        else
            applied(h.from);
        return UCS_OK;
    }
    case UX_MESSAGE: {
        const struct gs_message_listener *l = ux.core->listener();
        if (!l)
            return UCS_OK;
        if (later)
            break;
        void *room = l->room(length);
        if (!room) {
            ux.core->lost(h.from, no_memory);
            return UCS_OK;
        }
        memcpy(room, data, length);
        l->take(h.from, room, length);
        return UCS_OK;
    }
    case UX_GOT: {
        struct ux_want *w = (struct ux_want *)(uintptr_t)h.id;
        if (later)
            break;
        scatter(w->to, data, w->bytes, w->width, w->pitch);
        got(&h);
        return UCS_OK;
    }
    case UX_VALUE: {
        struct ux_want *w = (struct ux_want *)(uintptr_t)h.id;
        uint32_t half = (uint32_t)h.a;
        memcpy(w->to, w->bytes == 4 ? (void *)&half : (void *)&h.a, w->bytes);
        ux_want_done(w);
        return UCS_OK;
    }
    case UX_FLUSHED: {
        struct ux_want *w = (struct ux_want *)(uintptr_t)h.id;
        struct ux_peer *p = &ux.peer[w->pe];
        p->flushed = h.a > p->flushed ? h.a : p->flushed;
        ux_want_done(w);
        return UCS_OK;
    }
    default:
        leave_task(&h, NULL);
        return UCS_OK; /* UX_GET, UX_FLUSH */
    }
    leave_task(&h, data);
    return UCS_INPROGRESS;
}

/* ---- tasks ---- */

static void received(struct ux_task *t)
{
    struct ux_head *h = &t->head;
    if (h->kind == UX_PUT) {
        if (t->buffer)
            scatter(memory(h->place, span(h)), t->buffer, h->bytes, h->width, h->pitch);
        put_done(h);
    } else if (h->kind == UX_MESSAGE) {
        ux.core->listener()->take(h->from, t->buffer, h->bytes);
        t->buffer = NULL;
    } else {
        struct ux_want *w = (struct ux_want *)(uintptr_t)h->id;
        if (t->buffer)
            scatter(w->to, t->buffer, w->bytes, w->width, w->pitch);
        got(h);
    }
    free(t->buffer);
    free(t);
}

static void on_received(void *request, ucs_status_t status, size_t length, void *arg)
{
    struct ux_task *t = arg;
    (void)length;
    ucp_request_free(request);
    if (status == UCS_OK)
        received(t);
    else if (!atomic_load(&ux.settled))
        ux.core->lost(t->head.from, ucs_status_string(status));
}

static void receive(struct ux_task *t)
{
    struct ux_head *h = &t->head;
    struct ux_want *w = h->kind == UX_GOT ? (struct ux_want *)(uintptr_t)h->id : NULL;
    char *to = w ? w->to : h->kind == UX_MESSAGE ? NULL : memory(h->place, span(h));
    ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.recv_am = on_received,
                                 .user_data = t};
    if (!to || (w ? w->width : h->width)) {
        to = t->buffer = h->kind == UX_MESSAGE ? ux.core->listener()->room(h->bytes) : malloc(h->bytes);
        if (!to) {
            ux.core->lost(h->from, no_memory);
            return;
        }
    }
    ucs_status_ptr_t request = ucp_am_recv_data_nbx(ux.worker, t->desc, to, h->bytes, &param);
    if (!request)
        received(t);
    else if (UCS_PTR_IS_ERR(request) && !atomic_load(&ux.settled))
        ux.core->lost(h->from, ucs_status_string(UCS_PTR_STATUS(request)));
}

/* What a get asks for, as it lies here. */
static void answer_get(const struct ux_head *h)
{
    struct ux_head answer = {.kind = UX_GOT, .id = h->id, .bytes = h->bytes};
    char *from = memory(h->place, span(h)), *packed = NULL;
    if (h->width) {
        packed = malloc(h->bytes);
        if (!packed) {
            ux.core->lost(h->from, no_memory);
            return;
        }
        for (uint64_t at = 0; at < h->bytes; at += h->width, from += h->pitch)
            memcpy(packed + at, from, h->width);
        from = packed;
    }
    ux_send(h->from, &answer, from, h->bytes, packed, NULL);
}

void ux_do_task(struct ux_task *t)
{
    struct ux_head *h = &t->head, answer = {.id = h->id, .a = h->a};
    if (t->desc) {
        receive(t);
        return;
    }
    switch (h->kind) {
    case UX_GET:
        answer_get(h);
        break;
    case UX_FLUSH:
        if (h->a > ux.peer[h->from].applied) {
            t->next = ux.peer[h->from].flushes;
            ux.peer[h->from].flushes = t;
            return;
        }
        answer.kind = UX_FLUSHED;
        atomic_thread_fence(memory_order_seq_cst); /* what was stored here is there for whoever hears of it */
        ux_send(h->from, &answer, NULL, 0, NULL, NULL);
        break;
    default: /* UX_AMO */
        answer.kind = UX_VALUE;
        ux_send(h->from, &answer, NULL, 0, NULL, NULL);
    }
    free(t);
}

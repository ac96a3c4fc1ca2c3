/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of struct gs_far_ops. */
#include <stdlib.h>
#include <string.h>

#include "ucx.h"

enum {
    IN_FLIGHT_MAX = 1024,  /* messages that UCX may hold for this process before a put waits */
    PACK_BYTES = 32 << 10, /* of blocks sent as one message, at most, unless one block is larger */
};

static uint64_t place_of(struct gs_far_place p)
{
    return (uint64_t)p.region << 62 | p.offset;
}

static void lock(void)
{
    pthread_mutex_lock(&ux.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&ux.lock);
}

/* Under the lock: not more than so many messages wait in UCX. */
static void throttle(void)
{
    for (unsigned turn = 0; ux.in_flight > IN_FLIGHT_MAX;) {
        if (ux_progress())
            continue;
        unlock();
        ux.core->relax(turn++);
        lock();
    }
}

static void send_put(struct ux_head *h, int pe, const void *from, size_t bytes, bool nbi)
{
    struct ux_batch leaving = {0};
    lock();
    throttle();
    ux_send_counted(pe, h, from, bytes, NULL, nbi ? NULL : &leaving);
    if (!nbi)
        ux_wait(&leaving);
    unlock();
}

void ux_put(struct gs_far_place to, const void *from, size_t bytes, bool nbi)
{
    struct ux_head h = {.kind = UX_PUT, .place = place_of(to), .bytes = bytes};
    send_put(&h, to.pe, from, bytes, nbi);
}

void ux_put_signal(struct gs_far_place to, const void *from, size_t bytes, struct gs_far_place word, uint64_t signal,
                   bool add, bool nbi)
{
    struct ux_head h = {.kind = UX_PUT,
                        .place = place_of(to),
                        .bytes = bytes,
                        .sig = add ? UX_SIGNAL_ADD : UX_SIGNAL_SET,
                        .a = place_of(word),
                        .b = signal};
    send_put(&h, to.pe, from, bytes, nbi);
}

void ux_get(void *to, struct gs_far_place from, size_t bytes, bool nbi)
{
    struct ux_batch one = {0};
    struct ux_head h = {.kind = UX_GET, .place = place_of(from), .bytes = bytes};
    lock();
    throttle();
    h.id = (uintptr_t)ux_want(from.pe, nbi ? &ux.gets : &one, to, bytes);
    ux_send(from.pe, &h, NULL, 0, NULL, NULL);
    if (!nbi)
        ux_wait(&one);
    unlock();
}

/* How many blocks make a message. */
static size_t blocks_of(struct gs_far_rows rows)
{
    size_t n = rows.width < PACK_BYTES ? PACK_BYTES / rows.width : 1;
    return n < rows.n ? n : rows.n;
}

void ux_put_rows(struct gs_far_place to, const void *from, struct gs_far_rows rows)
{
    const char *in = from;
    size_t most = blocks_of(rows);
    for (size_t row = 0; row < rows.n; row += most) {
        size_t n = rows.n - row < most ? rows.n - row : most, bytes = n * rows.width;
        char *packed = malloc(bytes);
        if (!packed) { /* block by block, then */
            for (size_t i = row; i < row + n; i++)
                ux_put((struct gs_far_place){to.pe, to.region, to.offset + i * rows.there}, in + i * rows.here,
                       rows.width, false);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            memcpy(packed + i * rows.width, in + (row + i) * rows.here, rows.width);
        struct ux_head h = {.kind = UX_PUT,
                            .place = place_of(to) + row * rows.there,
                            .bytes = bytes,
                            .width = rows.width,
                            .pitch = rows.there};
        lock();
        throttle();
        ux_send_counted(to.pe, &h, packed, bytes, packed, NULL);
        unlock();
    }
}

void ux_get_rows(void *to, struct gs_far_place from, struct gs_far_rows rows)
{
    struct ux_batch all = {0};
    size_t most = blocks_of(rows);
    lock();
    for (size_t row = 0; row < rows.n; row += most) {
        size_t n = rows.n - row < most ? rows.n - row : most, bytes = n * rows.width;
        struct ux_want *w = ux_want(from.pe, &all, (char *)to + row * rows.here, bytes);
        w->width = rows.width;
        w->pitch = rows.here;
        struct ux_head h = {.kind = UX_GET,
                            .id = (uintptr_t)w,
                            .place = place_of(from) + row * rows.there,
                            .bytes = bytes,
                            .width = rows.width,
                            .pitch = rows.there};
        throttle();
        ux_send(from.pe, &h, NULL, 0, NULL, NULL);
    }
    ux_wait(&all);
    unlock();
}

static uint64_t value_of(const void *p, size_t size)
{
    uint32_t half;
    uint64_t whole;
    if (!p)
        return 0;
    if (size == 8) {
        memcpy(&whole, p, 8);
        return whole;
    }
    memcpy(&half, p, 4);
    return half;
}

void ux_amo(enum gs_amo_op op, struct gs_far_place at, size_t size, const void *operand, const void *cond, void *result,
            bool nbi)
{
    struct ux_batch one = {0};
    struct ux_head h = {.kind = UX_AMO,
                        .op = (uint8_t)op,
                        .size = (uint8_t)size,
                        .place = place_of(at),
                        .a = value_of(operand, size),
                        .b = value_of(cond, size)};
    lock();
    throttle();
    if (result) {
        h.id = (uintptr_t)ux_want(at.pe, nbi ? &ux.gets : &one, result, size);
        ux_send(at.pe, &h, NULL, 0, NULL, NULL);
        if (!nbi)
            ux_wait(&one);
    } else {
        ux_send_counted(at.pe, &h, NULL, 0, NULL, NULL);
    }
    unlock();
}

/* Under the lock: asks a peer to say when it has performed all. */
static void ask(int pe, struct ux_batch *answers)
{
    struct ux_peer *p = &ux.peer[pe];
    if (p->issued == p->flushed)
        return;
    struct ux_head h = {.kind = UX_FLUSH, .a = p->issued, .id = (uintptr_t)ux_want(pe, answers, NULL, 0)};
    ux_send(pe, &h, NULL, 0, NULL, NULL);
}

static void flush(const int *pes, size_t npes)
{
    struct ux_batch answers = {0};
    int kept = 0;
    for (size_t i = 0; pes && i < npes; i++)
        if (pes[i] != ux.core->me)
            ask(pes[i], &answers);
    for (int i = 0; !pes && i < ux.ndirty; i++)
        ask(ux.dirty[i], &answers);
    ux_wait(&answers);
    for (int i = 0; i < ux.ndirty; i++) {
        struct ux_peer *p = &ux.peer[ux.dirty[i]];
        p->dirty = p->issued != p->flushed;
        if (p->dirty)
            ux.dirty[kept++] = ux.dirty[i];
    }
    ux.ndirty = kept;
}

void ux_message(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg)
{
    lock();
    ux_send_message(pe, data, bytes, sent, arg);
    unlock();
}

void ux_fence(void)
{
    lock();
    flush(NULL, 0);
    unlock();
}

void ux_quiet(const int *pes, size_t npes)
{
    lock();
    flush(pes, npes);
    ux_wait(&ux.gets);
    unlock();
}

void ux_poll(void)
{
    if (pthread_mutex_trylock(&ux.lock) != 0)
        return;
    ux_progress();
    unlock();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The sender's half of a group: see group.h. */
#include "group.h"

#include <string.h>

namespace gin_provider
{

static bool inside(const region *r, uint64_t offset, size_t bytes)
{
    return offset <= r->bytes && bytes <= r->bytes - offset;
}

result group::put(region *src, uint64_t src_off, size_t bytes, region *dst, uint64_t dst_off, int peer,
                  const struct signal &s, request **out)
{
    if (peer < 0 || peer >= n || (s.at && !inside(s.at, s.offset, 8))) {
        say("put to rank %d of %d: bad rank, or a signal outside its memory", peer, n);
        return INVALID_ARGUMENT;
    }
    if (!src || !dst)
        bytes = 0;
    if (bytes && (!inside(src, src_off, bytes) || !inside(dst, dst_off, bytes))) {
        say("put of %zu bytes to rank %d: outside the registered memory", bytes, peer);
        return INVALID_ARGUMENT;
    }
    std::unique_ptr<request> r(new request{});
    r->peer = peer;
    r->bytes = bytes;
    if (bytes) {
        char *there = dst->peers[(size_t)peer].at;
        r->from = src->base + src_off;
        r->from_value = !src->device && bytes <= copies::VALUE_MAX;
        if (r->from_value)
            r->from = (const char *)memcpy(r->value, r->from, bytes);
        r->to = there ? there + dst_off : nullptr;
        r->tell.dst = dst->id;
        r->tell.dst_off = dst_off;
    }
    if (s.at) {
        r->tell.flags = HAS_SIGNAL;
        r->tell.sig = s.at->id;
        r->tell.sig_off = s.offset;
        r->tell.add = s.add;
    }
    return begin(r.release(), out);
}

result group::get(region *remote, uint64_t remote_off, size_t bytes, region *local, uint64_t local_off, int peer,
                  request **out)
{
    if (peer < 0 || peer >= n || !remote || !local || !inside(remote, remote_off, bytes) ||
        !inside(local, local_off, bytes)) {
        say("get of %zu bytes from rank %d of %d: bad rank, or outside the registered memory", bytes, peer, n);
        return INVALID_ARGUMENT;
    }
    const char *there = remote->peers[(size_t)peer].at;
    if (!there) {
        say("get from rank %d: its memory cannot be mapped here (no peer access between the GPUs), and this plugin "
            "gets "
            "in no other way",
            peer);
        return INVALID_USAGE;
    }
    std::unique_ptr<request> r(new request{});
    r->peer = peer;
    r->bytes = bytes;
    r->from = there + remote_off;
    r->to = local->base + local_off;
    return begin(r.release(), out);
}

/* Copies to mapped memory start at once, in the order of the calls; the rest waits for its turn in advance(). */
result group::begin(request *r, request **out)
{
    std::lock_guard<std::mutex> hold(lock);
    peer &p = peers[(size_t)r->peer];
    if (broken) {
        delete r;
        return REMOTE_ERROR;
    }
    if (r->bytes && r->to) {
        if (!p.mover->start(r->to, r->from, r->bytes, r->from_value, &r->ticket)) {
            delete r;
            return CUDA_ERROR;
        }
        r->copying = true;
    }
    p.begun.push_back(r);
    advance(p);
    *out = r;
    return OK;
}

bool group::post(peer &p, const struct message &m)
{
    uint64_t at = p.out->posted.load(std::memory_order_relaxed);
    if (at - p.out->acked.load(std::memory_order_acquire) >= RING)
        return false;
    p.out->ring[at % RING] = m;
    p.out->posted.store(at + 1, std::memory_order_release);
    return true;
}

/* Moves a request through the channel one step on. 1: something was done; 0: nothing can be now; -1: failed. */
int group::next_chunk(peer &p, request *r)
{
    const size_t chunk = r->bytes < SLOT_BYTES ? r->bytes : SLOT_BYTES;
    const unsigned slot = p.next_slot;
    if (!r->copying) {
        if (p.slot_used[slot] > p.out->acked.load(std::memory_order_acquire))
            return 0;
        if (!p.mover->start(p.out->stage[slot], r->from, chunk, r->from_value, &r->ticket))
            return -1;
        r->copying = true;
        return 1;
    }
    int copied = p.mover->state(r->ticket);
    if (copied <= 0)
        return copied;
    struct message m = r->tell;
    m.flags = HAS_DATA | (chunk == r->bytes ? r->tell.flags : 0); /* the signal goes with the last */
    m.slot = slot;
    m.bytes = chunk;
    if (!post(p, m))
        return 0;
    p.slot_used[slot] = p.out->posted.load(std::memory_order_relaxed);
    p.next_slot = (slot + 1) % SLOTS;
    r->copying = false;
    r->from += chunk;
    r->tell.dst_off += chunk;
    r->bytes -= chunk;
    return 1;
}

/* Requests leave `begun` in order, so a signal is told after all that came before it is at its place or told. */
void group::advance(peer &p)
{
    uint64_t acked = p.out->acked.load(std::memory_order_acquire);
    while (!p.told.empty() && p.told.front()->last <= acked) {
        p.told.front()->done = true;
        p.told.pop_front();
    }
    while (!p.begun.empty() && !broken) {
        request *r = p.begun.front();
        if (r->bytes && r->to) {
            int copied = p.mover->state(r->ticket);
            if (copied < 0)
                fail("a copy to rank %d failed", r->peer);
            if (copied <= 0)
                return;
            r->bytes = 0;
        } else if (r->bytes) {
            int moved = next_chunk(p, r);
            if (moved < 0)
                fail("a copy to rank %d failed", r->peer);
            if (moved <= 0)
                return;
            if (r->bytes)
                continue;
            r->tell.flags = 0; /* told with the last chunk */
            r->last = p.out->posted.load(std::memory_order_relaxed);
        }
        if (r->tell.flags & HAS_SIGNAL) {
            struct message m = r->tell;
            if (!post(p, m))
                return;
            r->last = p.out->posted.load(std::memory_order_relaxed);
        }
        p.begun.pop_front();
        if (r->last)
            p.told.push_back(r);
        else
            r->done = true;
    }
}

bool group::test(request *r)
{
    std::lock_guard<std::mutex> hold(lock);
    if (!r->done)
        advance(peers[(size_t)r->peer]);
    if (!r->done)
        return false;
    delete r;
    return true;
}

void group::progress()
{
    std::lock_guard<std::mutex> hold(lock);
    for (peer &p : peers)
        if (!p.begun.empty() || !p.told.empty())
            advance(p);
}

} // namespace gin_provider

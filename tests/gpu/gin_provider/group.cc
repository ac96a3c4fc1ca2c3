/* SPDX-License-Identifier: BSD-3-Clause */
/* A group comes and goes, and its regions. */
#include "group.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gin_provider
{

static const double MEET_SECONDS = 60;

void group::fail(const char *format, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (!broken.exchange(true))
        say("rank %d of %d: %s", me, n, text);
}

/* A connection to every other rank: the higher one of two dials. */
bool group::meet(const struct handle *const *handles, listener *own)
{
    for (int r = 0; r < me; r++)
        if (!(peers[(size_t)r].control = dial(*handles[r], half::GIN, me)))
            return false;
    double until = seconds() + MEET_SECONDS;
    for (int missing = n - 1 - me; missing > 0;) {
        int r = -1;
        descriptor d = own->accept(&r);
        if (d && r > me && r < n && !peers[(size_t)r].control) {
            peers[(size_t)r].control = std::move(d);
            missing--;
        } else if (d) {
            say("rank %d of %d: a second rank %d wants to connect", me, n, r);
            return false;
        } else if (seconds() > until) {
            say("rank %d of %d: %d ranks have not connected within %g s", me, n, missing, MEET_SECONDS);
            return false;
        } else {
            own->wait(20);
        }
    }
    return true;
}

static channel *map_channel(int fd)
{
    void *p = mmap(nullptr, sizeof(channel), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        say("cannot map a channel: %s", strerror(errno));
        return nullptr;
    }
    return (channel *)p;
}

/* Each rank makes the channels that it sends by. A new file is all zero, which is an empty channel. */
bool group::open_channels()
{
    for (int r = 0; r < n; r++) {
        peer &p = peers[(size_t)r];
        descriptor fd(memfd_create("gin_provider", MFD_CLOEXEC));
        if (!fd || ftruncate(fd.get(), sizeof(channel)) != 0) {
            say("cannot make a channel: %s", strerror(errno));
            return false;
        }
        if (!(p.out = map_channel(fd.get())))
            return false;
        if (r == me)
            p.in = p.out;
        else if (!send_all(p.control.get(), &me, sizeof me, fd.get()))
            return false;
        if (!(p.mover = mem->make_copies()))
            return false;
        p.out_pinned = mem->pin(p.out, sizeof(channel));
    }
    for (int r = 0; r < n; r++) {
        peer &p = peers[(size_t)r];
        descriptor fd;
        int who = -1;
        if (r == me)
            continue;
        if (!recv_all(p.control.get(), &who, sizeof who, &fd))
            return false;
        if (who != r || !fd) {
            say("rank %d of %d: rank %d sent no channel", me, n, r);
            return false;
        }
        if (!(p.in = map_channel(fd.get())))
            return false;
        p.in_pinned = mem->pin(p.in, sizeof(channel));
    }
    return true;
}

std::unique_ptr<group> group::connect(const struct handle *const *handles, int n, int rank, listener *own)
{
    std::unique_ptr<group> g(new group(n, rank));
    if (!(g->mem = open_memory()) || !(g->receiving = g->mem->make_copies()) || !g->meet(handles, own) ||
        !g->open_channels())
        return nullptr;
    g->receiver = std::thread([g = g.get()] { g->serve(); });
    return g;
}

group::~group()
{
    stopping = true;
    if (receiver.joinable())
        receiver.join();
    for (auto &r : regions)
        if (r)
            remove(r.get());
    for (peer &p : peers) {
        if (p.out)
            p.out->closed.store(1);
        for (auto *queue : {&p.begun, &p.told})
            for (request *r : *queue)
                delete r;
        if (p.in_pinned)
            mem->unpin(p.in);
        if (p.out_pinned)
            mem->unpin(p.out);
        if (p.in && p.in != p.out)
            munmap(p.in, sizeof(channel));
        if (p.out)
            munmap(p.out, sizeof(channel));
    }
}

/* What goes over the control connection for each registration. */
struct announcement {
    uint32_t id, shared;
    uint64_t bytes;
    struct shared_range range;
};

bool group::exchange_region(region *r)
{
    struct announcement mine = {r->id, 0, r->bytes, {}};
    descriptor fd;
    if (r->device)
        fd = mem->share(r->base, r->bytes, &mine.range);
    mine.shared = (bool)fd;
    for (int k = 0; k < n; k++)
        if (k != me && !send_all(peers[(size_t)k].control.get(), &mine, sizeof mine, fd.get()))
            return false;
    for (int k = 0; k < n; k++) {
        struct announcement theirs;
        descriptor got;
        region::mapping &m = r->peers[(size_t)k];
        if (k == me) {
            m.at = r->device ? r->base : nullptr;
            continue;
        }
        if (!recv_all(peers[(size_t)k].control.get(), &theirs, sizeof theirs, &got))
            return false;
        if (theirs.id != r->id || (bool)theirs.shared != (bool)got) {
            say("rank %d of %d: rank %d registers memory in another order", me, n, k);
            return false;
        }
        /* Offsets into the region are checked against its size here, so it must be the same there. */
        if (!got || theirs.bytes != r->bytes || theirs.range.offset > theirs.range.bytes ||
            theirs.range.bytes - theirs.range.offset < r->bytes)
            continue;
        m.range = theirs.range;
        m.base = mem->map(got.get(), m.range);
        if (m.base)
            m.at = (char *)m.base + m.range.offset;
    }
    return true;
}

region *group::add(void *data, size_t bytes, bool device)
{
    std::unique_ptr<region> r(new region{0, (char *)data, bytes, device, {}});
    region *out = r.get();
    r->peers.resize((size_t)n);
    {
        std::lock_guard<std::mutex> hold(region_lock);
        r->id = (uint32_t)regions.size();
        regions.push_back(std::move(r));
    }
    if (exchange_region(out))
        return out;
    remove(out);
    return nullptr;
}

void group::remove(region *r)
{
    std::unique_ptr<region> gone;
    {
        std::lock_guard<std::mutex> hold(region_lock);
        gone = std::move(regions[r->id]); /* the number is not used again */
    }
    for (region::mapping &m : gone->peers)
        if (m.base)
            mem->unmap(m.base, m.range);
}

} // namespace gin_provider

/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace gin_provider
{

enum : uint32_t { MAGIC = 0x67696e31 };
enum { BACKLOG = 256, GUESTS_MAX = 64, PATIENCE_MS = 60000 };
static const double HELLO_SECONDS = 2;

void say(const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fprintf(stderr, "gin_provider: process %d: %s\n", (int)getpid(), text);
}

double seconds()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void descriptor::reset()
{
    if (fd >= 0)
        close(fd);
    fd = -1;
}

static socklen_t address_of(const char *name, struct sockaddr_un *a)
{
    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    size_t length = strnlen(name, sizeof handle().name);
    memcpy(a->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

std::unique_ptr<listener> listener::open(half of, struct handle *out)
{
    std::unique_ptr<listener> l(new listener);
    unsigned char random[8];
    struct sockaddr_un a;
    memset(&l->mine, 0, sizeof l->mine);
    l->mine.magic = MAGIC;
    l->mine.of = of;
    if (getrandom(l->mine.token, sizeof l->mine.token, 0) != sizeof l->mine.token ||
        getrandom(random, sizeof random, 0) != sizeof random) {
        say("no random bytes: %s", strerror(errno));
        return nullptr;
    }
    int at = snprintf(l->mine.name, sizeof l->mine.name, "gin_provider.");
    for (unsigned char byte : random)
        at += snprintf(l->mine.name + at, sizeof l->mine.name - (size_t)at, "%02x", byte);
    l->fd = descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    socklen_t length = address_of(l->mine.name, &a);
    if (!l->fd || bind(l->fd.get(), (struct sockaddr *)&a, length) != 0 || ::listen(l->fd.get(), BACKLOG) != 0) {
        say("cannot listen: %s", strerror(errno));
        return nullptr;
    }
    *out = l->mine;
    return l;
}

bool listener::knows(const struct hello &h) const
{
    unsigned char differ = 0; /* all bytes, always: the time tells nothing */
    for (size_t i = 0; i < sizeof h.token; i++)
        differ = (unsigned char)(differ | (h.token[i] ^ mine.token[i]));
    return h.magic == MAGIC && h.of == mine.of && differ == 0;
}

void listener::refuse(const char *why)
{
    if (!refused)
        say("refused a connection that %s; more of them are refused without a word", why);
    refused = true;
}

void listener::wait(int ms)
{
    struct pollfd p = {fd.get(), POLLIN, 0};
    (void)poll(&p, 1, guests.empty() ? ms : 1);
}

descriptor listener::accept(int *rank)
{
    for (int fresh; (fresh = accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        if (guests.size() == GUESTS_MAX) { /* the one that has kept silent the longest goes */
            guests.pop_front();
            refuse("said nothing, while others wait");
        }
        guests.push_back({descriptor(fresh), 0, seconds() + HELLO_SECONDS, {}});
    }
    for (auto g = guests.begin(); g != guests.end();) {
        ssize_t k = recv(g->fd.get(), (char *)&g->said + g->have, sizeof g->said - g->have, MSG_DONTWAIT);
        bool wait = k < 0 && (errno == EAGAIN || errno == EINTR);
        if (k > 0)
            g->have += (size_t)k;
        if (g->have == sizeof g->said) {
            descriptor known = std::move(g->fd);
            bool right = knows(g->said);
            *rank = g->said.rank;
            g = guests.erase(g);
            if (right)
                return known;
            refuse("did not know the token");
        } else if (k > 0 || (wait && seconds() < g->until)) {
            ++g;
        } else {
            refuse(wait ? "said nothing" : "left before its first words");
            g = guests.erase(g);
        }
    }
    return descriptor();
}

descriptor dial(const struct handle &h, half of, int rank)
{
    struct sockaddr_un a;
    struct hello said = {MAGIC, of, {}, rank, 0};
    if (h.magic != MAGIC || h.of != of) {
        say("a handle of rank %d's peer is not ours: all processes need this plugin", rank);
        return descriptor();
    }
    memcpy(said.token, h.token, sizeof said.token);
    descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socklen_t length = address_of(h.name, &a);
    if (!fd || connect(fd.get(), (struct sockaddr *)&a, length) != 0) {
        say("cannot connect to a peer of this host: %s (this plugin joins processes of one host)", strerror(errno));
        return descriptor();
    }
    if (!send_all(fd.get(), &said, sizeof said))
        return descriptor();
    return fd;
}

static bool ready(int fd, short events)
{
    struct pollfd p = {fd, events, 0};
    int n;
    do
        n = poll(&p, 1, PATIENCE_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        say("a peer has kept silent for %d s", PATIENCE_MS / 1000);
    return n > 0;
}

/* A message header that can carry one descriptor. */
struct carrier {
    struct iovec part;
    struct msghdr m;
    alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];

    carrier(void *data, size_t bytes)
    {
        memset(this, 0, sizeof *this);
        part.iov_base = data;
        part.iov_len = bytes;
        m.msg_iov = &part;
        m.msg_iovlen = 1;
        m.msg_control = room;
        m.msg_controllen = sizeof room;
    }
};

bool send_all(int fd, const void *data, size_t bytes, int passed)
{
    for (size_t at = 0; at < bytes;) {
        carrier c((char *)data + at, bytes - at);
        if (passed >= 0 && at == 0) {
            struct cmsghdr *h = CMSG_FIRSTHDR(&c.m);
            h->cmsg_level = SOL_SOCKET;
            h->cmsg_type = SCM_RIGHTS;
            h->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(h), &passed, sizeof passed);
        } else {
            c.m.msg_control = nullptr;
            c.m.msg_controllen = 0;
        }
        if (!ready(fd, POLLOUT))
            return false;
        ssize_t k = sendmsg(fd, &c.m, MSG_NOSIGNAL);
        if (k > 0) {
            at += (size_t)k;
        } else if (k == 0 || errno != EINTR) {
            say("cannot send to a peer: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

bool recv_all(int fd, void *data, size_t bytes, descriptor *passed)
{
    for (size_t at = 0; at < bytes;) {
        carrier c((char *)data + at, bytes - at);
        if (!ready(fd, POLLIN))
            return false;
        ssize_t k = recvmsg(fd, &c.m, MSG_CMSG_CLOEXEC);
        for (struct cmsghdr *h = CMSG_FIRSTHDR(&c.m); k > 0 && h; h = CMSG_NXTHDR(&c.m, h)) {
            int got;
            if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
                continue;
            memcpy(&got, CMSG_DATA(h), sizeof got);
            descriptor d(got);
            if (passed)
                *passed = std::move(d);
        }
        if (k > 0) {
            at += (size_t)k;
        } else if (k == 0 || errno != EINTR) {
            say("a peer is gone: %s", k == 0 ? "it has closed the connection" : strerror(errno));
            return false;
        }
    }
    return true;
}

bool hung_up(int fd)
{
    struct pollfd p = {fd, POLLRDHUP, 0};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

} // namespace gin_provider

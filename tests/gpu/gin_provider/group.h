/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group of ranks whose memory puts reach. The sender's half runs in NCCL's progress thread: it copies straight into
 * the peer's memory where that is mapped here, else through the channel, and tells the peer by messages what remains to
 * do. The receiver's half is a thread of the group's own, which applies messages in order and acknowledges them.
 *
 * Signals follow their own data and all earlier puts to that peer. A request is done when the target has everything, so
 * that a flush of NCCL's is a quiet.
 */
#ifndef GIN_PROVIDER_GROUP_H
#define GIN_PROVIDER_GROUP_H

#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "channel.h"
#include "memory.h"
#include "plugin_abi.h"
#include "wire.h"

namespace gin_provider
{

struct region {
    uint32_t id; /* the same on all ranks, which register in the same order */
    char *base;
    size_t bytes;
    bool device;
    struct mapping {
        char *at = nullptr; /* the peer's copy, as this process reaches it; NULL: through the channel */
        void *base = nullptr;
        struct shared_range range = {};
    };
    std::vector<mapping> peers; /* by rank */
};

/* One put or get under way. */
struct request {
    int peer;
    char *to;         /* NULL: the data goes through the channel, to the peer's region */
    const char *from; /* of the next chunk, then */
    bool from_value;  /* a few bytes of host memory, kept in value: the caller's may change */
    char value[copies::VALUE_MAX];
    size_t bytes; /* left */
    struct message tell;
    uint64_t ticket;
    bool copying;
    uint64_t last; /* done when the peer has acknowledged so many messages */
    bool done;
};

class group
{
  public:
    /* Collective; NULL, and logged, when it failed. handles: of all ranks, in order. */
    static std::unique_ptr<group> connect(const struct handle *const *handles, int n, int rank, listener *own);
    ~group();

    /* Collective, and in the same order everywhere. NULL: failed. */
    region *add(void *data, size_t bytes, bool device);
    void remove(region *r);

    struct signal {
        region *at; /* NULL: none */
        uint64_t offset, add;
    };
    /* dst NULL or bytes 0: the signal alone. */
    result put(region *src, uint64_t src_off, size_t bytes, region *dst, uint64_t dst_off, int peer,
               const struct signal &s, request **out);
    result get(region *remote, uint64_t remote_off, size_t bytes, region *local, uint64_t local_off, int peer,
               request **out);
    /* True: r is done, and gone. */
    bool test(request *r);
    void progress();
    bool failed() const { return broken.load(); }

  private:
    struct peer {
        descriptor control;
        channel *out = nullptr, *in = nullptr; /* the same one, to oneself */
        bool out_pinned = false, in_pinned = false;
        std::unique_ptr<copies> mover;  /* the sender's */
        std::deque<request *> begun;    /* not all messages are posted */
        std::deque<request *> told;     /* to be acknowledged */
        uint64_t slot_used[SLOTS] = {}; /* the slot is free when so many messages are acknowledged */
        unsigned next_slot = 0;
        uint64_t taken = 0; /* messages of `in`, by the receiver */
        bool gone = false;  /* noticed, by the receiver */
    };

    group(int n, int rank) : n(n), me(rank), peers((size_t)n) {}
    bool meet(const struct handle *const *handles, listener *own);
    bool open_channels();
    bool exchange_region(region *r);
    void fail(const char *format, ...) __attribute__((format(printf, 2, 3)));

    /* sender.cc; lock is held */
    result begin(request *r, request **out);
    void advance(peer &p);
    int next_chunk(peer &p, request *r);
    bool post(peer &p, const struct message &m);

    /* receiver.cc */
    void serve();
    bool apply(peer &p, int rank);
    bool add_signal(copies &mover, const struct message &m, uint64_t sum);
    void look_for_the_dead();
    char *place(const struct message &m, bool signal, int rank);

    const int n, me;
    std::unique_ptr<memory> mem; /* outlives all copies */
    std::vector<peer> peers;
    std::mutex lock; /* of the sender's half */
    std::mutex region_lock;
    std::vector<std::unique_ptr<region>> regions; /* by id */
    std::unique_ptr<copies> receiving;            /* the receiver's */
    std::thread receiver;
    std::atomic<bool> stopping{false}, broken{false};
};

} // namespace gin_provider

#endif

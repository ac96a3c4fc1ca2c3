/* SPDX-License-Identifier: BSD-3-Clause */
/* What two processes share: a ring of messages from one to the other, and room for data that cannot be copied straight
 * to its place. */
#ifndef GIN_PROVIDER_CHANNEL_H
#define GIN_PROVIDER_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace gin_provider
{

enum { RING = 1024, SLOTS = 4 };
enum : size_t { SLOT_BYTES = 256 << 10 };

enum : uint32_t { HAS_DATA = 1, HAS_SIGNAL = 2 };
struct message {
    uint32_t flags;
    uint32_t slot;     /* where the data waits */
    uint32_t dst, sig; /* regions */
    uint64_t dst_off, bytes;
    uint64_t sig_off, add;
    uint64_t spare[2];
};
static_assert(sizeof(struct message) == 64, "a cache line");

/* The sender writes posted, closed, ring and stage; the receiver acked and failed. Both counts only grow. */
struct channel {
    alignas(64) std::atomic<uint64_t> posted;
    std::atomic<uint32_t> closed;            /* nothing more comes, and that is no fault */
    alignas(64) std::atomic<uint64_t> acked; /* messages that the receiver has applied */
    std::atomic<uint32_t> failed;
    alignas(64) struct message ring[RING];
    alignas(4096) unsigned char stage[SLOTS][SLOT_BYTES];
};

} // namespace gin_provider

#endif

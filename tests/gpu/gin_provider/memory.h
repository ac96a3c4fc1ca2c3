/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that puts move: a GPU's (memory_cuda.cc), or in tests the host's. Which one is decided at link time.
 * Everything that could synchronise a GPU is made in open_memory and make_copies, before kernels spin.
 */
#ifndef GIN_PROVIDER_MEMORY_H
#define GIN_PROVIDER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <memory>

#include "wire.h"

namespace gin_provider
{

/* Copies that finish in order; used by one thread at a time. Failures are logged. */
class copies
{
  public:
    virtual ~copies() {}
    /* value: from is a few bytes of host memory that may change right afterwards (at most VALUE_MAX). */
    virtual bool start(void *to, const void *from, size_t bytes, bool value, uint64_t *ticket) = 0;
    /* 1: the copy is done, and those before it; 0: not yet; -1: it failed. */
    virtual int state(uint64_t ticket) = 0;
    /* Adds to a word of own memory; it is there when this returns. No other thread or GPU writes the word meanwhile. */
    virtual bool add(uint64_t *word, uint64_t value) = 0;
    enum { VALUE_MAX = 16 };
};

/* What another process needs to map an allocation: of bytes, with the registered address offset into it. */
struct shared_range {
    uint64_t bytes, offset;
};

class memory
{
  public:
    virtual ~memory() {}
    virtual std::unique_ptr<copies> make_copies() = 0;
    /* Host memory that copies may use without a detour. */
    virtual bool pin(void *p, size_t bytes) = 0;
    virtual void unpin(void *p) = 0;
    /* Empty where the memory at p cannot be shared; that is no error. */
    virtual descriptor share(void *p, size_t bytes, struct shared_range *r) = 0;
    /* Where the other's allocation begins here; NULL, where it cannot be mapped: no error either. */
    virtual void *map(int fd, const struct shared_range &r) = 0;
    virtual void unmap(void *base, const struct shared_range &r) = 0;
};

/* Of the calling thread's current context; NULL, and logged, when there is none. */
std::unique_ptr<memory> open_memory();

} // namespace gin_provider

#endif

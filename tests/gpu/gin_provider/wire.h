/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections between the processes of one host: stream sockets in Linux's abstract namespace. Who connects says the
 * token of the listener's handle first, which only the job's processes have; anything else is closed and logged once.
 */
#ifndef GIN_PROVIDER_WIRE_H
#define GIN_PROVIDER_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include <deque>
#include <memory>

namespace gin_provider
{

__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

enum class half : uint32_t { NET = 1, GIN = 2 };

struct handle { /* goes to the others as NCCL's 128 bytes */
    uint32_t magic;
    half of;
    unsigned char token[16];
    char name[32]; /* without the leading 0 byte */
};

struct hello {
    uint32_t magic;
    half of;
    unsigned char token[16];
    int32_t rank;
    uint32_t zero;
};

/* A descriptor that closes itself. */
class descriptor
{
  public:
    explicit descriptor(int fd = -1) : fd(fd) {}
    ~descriptor() { reset(); }
    descriptor(descriptor &&o) : fd(o.release()) {}
    descriptor &operator=(descriptor &&o)
    {
        int taken = o.release();
        reset();
        fd = taken;
        return *this;
    }
    int get() const { return fd; }
    int release()
    {
        int f = fd;
        fd = -1;
        return f;
    }
    void reset();
    explicit operator bool() const { return fd >= 0; }

  private:
    int fd;
};

class listener
{
  public:
    /* NULL, and logged, when there is none. */
    static std::unique_ptr<listener> open(half of, struct handle *out);
    /* Someone who said hello rightly; empty when nobody has yet. Never blocks, whatever strangers do. */
    descriptor accept(int *rank);
    /* Waits until something happens on the listener, or for a moment. */
    void wait(int ms);

  private:
    struct guest {
        descriptor fd;
        size_t have;
        double until;
        struct hello said;
    };
    bool knows(const struct hello &h) const;
    void refuse(const char *why);

    descriptor fd;
    struct handle mine;
    std::deque<guest> guests;
    bool refused = false;
};

descriptor dial(const struct handle &h, half of, int rank);

/* All bytes, within a minute. A descriptor may go along with them (-1: none). False, and logged, when it failed. */
bool send_all(int fd, const void *data, size_t bytes, int passed = -1);
bool recv_all(int fd, void *data, size_t bytes, descriptor *passed = nullptr);
/* The other side has closed, or died. */
bool hung_up(int fd);

double seconds();

} // namespace gin_provider

#endif

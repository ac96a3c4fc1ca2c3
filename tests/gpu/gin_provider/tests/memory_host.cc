/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory_host.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <mutex>

struct made {
    int fd;
    size_t bytes;
};
static std::map<char *, made> all; /* by address */
static std::mutex all_lock;

void *shareable(size_t bytes)
{
    int fd = memfd_create("gin_provider_test", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return nullptr;
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    std::lock_guard<std::mutex> hold(all_lock);
    return p == MAP_FAILED ? nullptr : (all[(char *)p] = {fd, bytes}, p);
}

namespace gin_provider
{

class host_copies : public copies
{
  public:
    ~host_copies() override
    {
        while (!waiting.empty())
            happen();
    }
    bool start(void *to, const void *from, size_t bytes, bool value, uint64_t *ticket) override
    {
        waiting.push_back({to, from, bytes, value, {}, (unsigned)(started % 5)});
        if (value)
            memcpy(waiting.back().kept, from, bytes);
        *ticket = started++;
        return true;
    }
    int state(uint64_t ticket) override
    {
        if (ticket >= started - waiting.size() && waiting.front().polls-- == 0)
            happen();
        return ticket < started - waiting.size();
    }
    bool add(uint64_t *word, uint64_t value) override
    {
        __atomic_fetch_add(word, value, __ATOMIC_RELEASE);
        return true;
    }

  private:
    struct copy {
        void *to;
        const void *from;
        size_t bytes;
        bool value;
        char kept[VALUE_MAX];
        unsigned polls;
    };
    void happen()
    {
        copy &c = waiting.front();
        memcpy(c.to, c.value ? c.kept : c.from, c.bytes);
        waiting.pop_front();
    }
    std::deque<copy> waiting;
    uint64_t started = 0;
};

class host_memory : public memory
{
  public:
    std::unique_ptr<copies> make_copies() override { return std::unique_ptr<copies>(new host_copies); }
    bool pin(void *, size_t) override { return false; }
    void unpin(void *) override {}
    descriptor share(void *p, size_t bytes, struct shared_range *r) override
    {
        std::lock_guard<std::mutex> hold(all_lock);
        auto it = all.upper_bound((char *)p);
        if (it == all.begin() || (--it, (char *)p + bytes > it->first + it->second.bytes))
            return descriptor();
        *r = {it->second.bytes, (uint64_t)((char *)p - it->first)};
        return descriptor(dup(it->second.fd));
    }
    void *map(int fd, const struct shared_range &r) override
    {
        void *p = mmap(nullptr, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        return p == MAP_FAILED ? nullptr : p;
    }
    void unmap(void *base, const struct shared_range &r) override { munmap(base, r.bytes); }
};

std::unique_ptr<memory> open_memory()
{
    return std::unique_ptr<memory>(new host_memory);
}

} // namespace gin_provider

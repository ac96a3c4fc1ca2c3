/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks as threads, driven through the tables that NCCL uses. */
#ifndef GIN_PROVIDER_CHECK_H
#define GIN_PROVIDER_CHECK_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <functional>
#include <thread>
#include <vector>

#include "memory_host.h"
#include "plugin_abi.h"

using namespace gin_provider;

#define CHECK(cond)                                                            \
    do {                                                                       \
        if (!(cond)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* The ranks' handles, and who listens to them. */
struct meeting {
    std::vector<std::vector<char>> bytes;
    std::vector<void *> handles, listeners;
    explicit meeting(int n) : bytes((size_t)n, std::vector<char>(HANDLE_BYTES)), listeners((size_t)n)
    {
        for (int r = 0; r < n; r++) {
            handles.push_back(bytes[(size_t)r].data());
            CHECK(ncclGinPlugin_v11.listen(nullptr, 0, handles.back(), &listeners[(size_t)r]) == OK);
        }
    }
    /* Blocks until all have called it. */
    void *connect(int rank)
    {
        void *group = nullptr;
        int n = (int)handles.size();
        CHECK(ncclGinPlugin_v11.connect(nullptr, handles.data(), n, rank, listeners[(size_t)rank], &group) == OK);
        CHECK(ncclGinPlugin_v11.close_listen(listeners[(size_t)rank]) == OK);
        return group;
    }
};

/* Runs body(rank, group) in n threads, with a group of all. */
inline void ranks(int n, const std::function<void(int, void *)> &body)
{
    meeting m(n);
    std::vector<std::thread> threads;
    for (int r = 0; r < n; r++)
        threads.emplace_back([&, r] {
            void *group = m.connect(r);
            body(r, group);
            CHECK(ncclGinPlugin_v11.close_group(group) == OK);
        });
    for (std::thread &t : threads)
        t.join();
}

inline void *reg(void *group, void *data, size_t bytes, memory_type type)
{
    void *mhandle = nullptr, *gin_handle = nullptr;
    CHECK(ncclGinPlugin_v11.reg(group, data, bytes, type, 0, &mhandle, &gin_handle) == OK);
    CHECK(mhandle && mhandle == gin_handle);
    return mhandle;
}

/* Yields seldom: where others have the processors, each time costs milliseconds. */
inline void finish(void *group, void *request)
{
    int done = 0;
    for (unsigned k = 1; !done; k++) {
        CHECK(ncclGinPlugin_v11.test(group, request, &done) == OK);
        CHECK(ncclGinPlugin_v11.progress(group) == OK);
        if (k % 32 == 0)
            sched_yield();
    }
}

inline void wait_for(const uint64_t *word, uint64_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
        sched_yield();
}

inline char pattern(int rank, size_t i)
{
    return (char)(rank * 41 + i * 7 + (i >> 8));
}

#endif

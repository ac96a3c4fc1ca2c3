/* SPDX-License-Identifier: BSD-3-Clause */
/* A peer that dies, and one whose messages are wrong, are noticed: nothing crashes, and later puts fail. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "wire.h"

static bool fails_within(void *group, double limit)
{
    bool failed = false;
    for (double until = seconds() + limit; !failed && seconds() < until; usleep(1000))
        CHECK(ncclRmaPlugin_v14.last_error(group, &failed) == OK);
    return failed;
}

/* Threads do not survive a fork: each side is a process from the start. */
static void killed()
{
    int go[2];
    CHECK(pipe(go) == 0);
    meeting m(2);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *g = m.connect(1);
        uint64_t word = 0;
        (void)reg(g, &word, 8, DEVICE_MEMORY);
        char c;
        (void)!read(go[0], &c, 1);
        _exit(0); /* without a word to the group */
    }
    CHECK(ncclGinPlugin_v11.close_listen(m.listeners[1]) == OK); /* the child has its own */
    void *g = m.connect(0), *request = nullptr;
    uint64_t word = 0;
    void *s = reg(g, &word, 8, DEVICE_MEMORY);
    bool failed = true;
    CHECK(ncclRmaPlugin_v14.last_error(g, &failed) == OK && !failed);
    CHECK(write(go[1], "x", 1) == 1);
    CHECK(waitpid(child, nullptr, 0) == child);
    CHECK(fails_within(g, 10));
    CHECK(ncclGinPlugin_v11.put_signal(g, 0, nullptr, 0, 0, nullptr, 1, 0, s, 0, SIGNAL_INC, &request) == REMOTE_ERROR);
    CHECK(ncclGinPlugin_v11.close_group(g) == OK);
    close(go[0]);
    close(go[1]);
}

/* Sizes that differ between ranks: what leaves the target's memory is not written there, and both hear of it. */
static void outside()
{
    ranks(2, [](int rank, void *g) {
        char *memory = (char *)calloc(2, 4096);
        void *w = reg(g, memory, rank == 0 ? 8192 : 4096, DEVICE_MEMORY), *request = nullptr;
        if (rank == 0)
            CHECK(ncclGinPlugin_v11.put(g, 0, w, 4096, 4000, w, 1, &request) == OK);
        CHECK(fails_within(g, 10));
        free(memory);
    });
}

/* A rank that closes in order is no fault. */
static void closed()
{
    meeting m(2);
    void *groups[2];
    std::thread other([&] { groups[1] = m.connect(1); });
    groups[0] = m.connect(0);
    other.join();
    CHECK(ncclGinPlugin_v11.close_group(groups[1]) == OK);
    CHECK(!fails_within(groups[0], 0.5));
    CHECK(ncclGinPlugin_v11.close_group(groups[0]) == OK);
}

int main()
{
    killed();
    outside();
    closed();
    return 0;
}

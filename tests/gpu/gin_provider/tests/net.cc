/* SPDX-License-Identifier: BSD-3-Clause */
/* The net half: sends and receives of all sizes, many at a time, both ways. */
#include "check.h"

static const net_v11 &net = ncclNetPlugin_v11;

static void done(void *request, size_t bytes)
{
    for (int is = 0; !is; sched_yield()) {
        int got = -1;
        CHECK(net.test(request, &is, &got) == OK);
        CHECK(!is || got == (int)bytes);
    }
}

struct pair {
    void *to = nullptr, *from = nullptr;
    pair()
    {
        char handle[HANDLE_BYTES];
        void *listener;
        CHECK(net.listen(nullptr, 0, handle, &listener) == OK);
        CHECK(net.accept(listener, &from, nullptr) == OK && !from); /* nobody yet, and no waiting */
        CHECK(net.connect(nullptr, 0, handle, &to, nullptr) == OK && to);
        while (!from)
            CHECK(net.accept(listener, &from, nullptr) == OK);
        CHECK(net.close_listen(listener) == OK);
    }
    ~pair()
    {
        CHECK(net.close_send(to) == OK);
        CHECK(net.close_recv(from) == OK);
    }
};

static void sizes()
{
    pair p;
    std::thread receiver([&] {
        std::vector<char> data(5 << 20);
        for (size_t bytes : {(size_t)0, (size_t)1, (size_t)4096, (size_t)3 << 20}) {
            void *request, *into = data.data();
            size_t room = data.size();
            int tag = 0;
            CHECK(net.irecv(p.from, 1, &into, &room, &tag, nullptr, nullptr, &request) == OK);
            done(request, bytes);
            for (size_t i = 0; i < bytes; i++)
                CHECK(data[i] == pattern(5, i + bytes));
        }
    });
    for (size_t bytes : {(size_t)0, (size_t)1, (size_t)4096, (size_t)3 << 20}) {
        std::vector<char> data(bytes + 1);
        void *request;
        for (size_t i = 0; i < bytes; i++)
            data[i] = pattern(5, i + bytes);
        CHECK(net.isend(p.to, data.data(), bytes, 0, nullptr, nullptr, &request) == OK);
        done(request, bytes);
    }
    receiver.join();
}

/* In order, though tested in another one. */
static void many()
{
    enum { COUNT = 64, BYTES = 10000 };
    pair p;
    std::vector<std::vector<int>> out(COUNT, std::vector<int>(BYTES / 4)), in = out;
    std::vector<void *> sends(COUNT), receives(COUNT);
    for (int k = 0; k < COUNT; k++) {
        size_t room = BYTES;
        void *into = in[(size_t)k].data();
        int tag = 0;
        out[(size_t)k].assign(BYTES / 4, k);
        CHECK(net.irecv(p.from, 1, &into, &room, &tag, nullptr, nullptr, &receives[(size_t)k]) == OK);
        CHECK(net.isend(p.to, out[(size_t)k].data(), BYTES, 0, nullptr, nullptr, &sends[(size_t)k]) == OK);
    }
    std::thread receiver([&] {
        for (int k = COUNT; k-- > 0;)
            done(receives[(size_t)k], BYTES);
    });
    for (int k = COUNT; k-- > 0;)
        done(sends[(size_t)k], BYTES);
    receiver.join();
    CHECK(in == out);
}

static void too_long()
{
    pair p;
    char data[100] = {};
    void *sent, *received, *into = data;
    size_t room = 10;
    int is = 0, tag = 0;
    CHECK(net.isend(p.to, data, 100, 0, nullptr, nullptr, &sent) == OK);
    done(sent, 100);
    CHECK(net.irecv(p.from, 1, &into, &room, &tag, nullptr, nullptr, &received) == OK);
    CHECK(net.test(received, &is, nullptr) == INTERNAL_ERROR && !is);
    CHECK(net.irecv(p.from, 2, &into, &room, &tag, nullptr, nullptr, &received) == INVALID_USAGE);
}

int main()
{
    properties_v11 props;
    void *ctx, *mhandle;
    int n = 0;
    CHECK(net.init(&ctx, 0, nullptr, nullptr, nullptr) == OK && net.devices(&n) == OK && n == 1);
    CHECK(net.properties(0, &props) == OK && props.memory_types == HOST_MEMORY && props.type == NET_ON_HOST);
    CHECK(net.reg(nullptr, &n, 4, HOST_MEMORY, &mhandle) == OK);
    CHECK(net.reg(nullptr, &n, 4, DEVICE_MEMORY, &mhandle) == INVALID_USAGE);
    sizes();
    many();
    too_long();
    CHECK(net.finalize(ctx) == OK);
    return 0;
}

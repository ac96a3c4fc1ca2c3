/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever does not know the token gets nowhere, and holds up nobody: neither with wrong words, nor with none. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "wire.h"

static int knock(const struct handle &h)
{
    struct sockaddr_un a = {};
    a.sun_family = AF_UNIX;
    size_t length = strnlen(h.name, sizeof h.name);
    memcpy(a.sun_path + 1, h.name, length);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(fd >= 0);
    /* A full backlog refuses a stranger, which is as good. */
    (void)!connect(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
    return fd;
}

/* The other side has closed the connection without a word. */
static bool refused(int fd)
{
    char byte;
    return recv(fd, &byte, 1, 0) <= 0;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)getpid();
    printf("seed %u\n", seed);
    meeting m(2);
    struct handle h;
    std::vector<int> silent, loud;
    memcpy(&h, m.handles[0], sizeof h);
    for (int k = 0; k < 150; k++) {
        struct hello words = {h.magic, h.of, {}, 1, 0};
        char noise[200];
        for (char &c : noise)
            c = (char)rand_r(&seed);
        switch (k % 6) {
        case 0: /* says nothing */
            silent.push_back(knock(h));
            continue;
        case 1: /* part of what is right */
            silent.push_back(knock(h));
            memcpy(words.token, h.token, sizeof h.token);
            (void)!write(silent.back(), &words, 1 + (size_t)rand_r(&seed) % (sizeof words - 1));
            continue;
        case 2: /* noise */
            loud.push_back(knock(h));
            (void)!write(loud.back(), noise, sizeof noise);
            continue;
        case 3: /* the token but for a bit */
            memcpy(words.token, h.token, sizeof h.token);
            words.token[rand_r(&seed) % sizeof words.token] ^= (unsigned char)(1 << rand_r(&seed) % 8);
            loud.push_back(knock(h));
            (void)!write(loud.back(), &words, sizeof words);
            continue;
        case 4: /* the other half's */
            memcpy(words.token, h.token, sizeof h.token);
            words.of = half::NET;
            loud.push_back(knock(h));
            (void)!write(loud.back(), &words, sizeof words);
            continue;
        default: /* leaves at once */
            close(knock(h));
        }
    }
    double from = seconds();
    void *groups[2] = {};
    std::thread other([&] { groups[1] = m.connect(1); });
    groups[0] = m.connect(0);
    other.join();
    CHECK(seconds() - from < 20);
    for (int fd : loud) {
        CHECK(refused(fd) || !"a stranger is still connected");
        close(fd);
    }
    for (int fd : silent) {
        CHECK(refused(fd) || !"a stranger is still connected"); /* the listener is closed by now */
        close(fd);
    }
    /* The group works. */
    uint64_t words[2] = {};
    std::thread threads[2];
    for (int r = 0; r < 2; r++)
        threads[r] = std::thread([&, r] {
            void *s = reg(groups[r], &words[r], 8, DEVICE_MEMORY), *request = nullptr;
            CHECK(ncclGinPlugin_v11.put_signal(groups[r], 0, nullptr, 0, 0, nullptr, (uint32_t)(1 - r), 0, s, 0,
                                               SIGNAL_INC, &request) == OK);
            finish(groups[r], request);
            wait_for(&words[r], 1);
            CHECK(ncclGinPlugin_v11.close_group(groups[r]) == OK);
        });
    for (std::thread &t : threads)
        t.join();

    /* A handle of something else is refused by who dials. */
    char other_handle[HANDLE_BYTES] = "not ours";
    CHECK(!dial(*(struct handle *)other_handle, half::GIN, 0));
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stranger HOST PORT SEED COUNT: COUNT connections to a port of a running job with bytes that no PE sends: noise, noise
 * behind UCX's own magic number, a browser's greeting, nothing. Some are cut off, some stay open for a while.
 */
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { OPEN = 50, MOST = 100000 };

static uint64_t seed;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[MOST];
    static int open_fds[OPEN];
    const uint64_t ucx_magic = UINT64_C(0xcafebabe12345678);
    int sent = 0, refused = 0;
    if (argc != 5)
        return 2;
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *to;
    if (getaddrinfo(argv[1], argv[2], &hints, &to))
        return 2;
    seed = strtoull(argv[3], NULL, 10) | 1;
    for (int i = 0; i < atoi(argv[4]); i++) {
        size_t len = next() % (next() % 8 ? 300 : sizeof bytes);
        for (size_t k = 0; k < len; k++)
            bytes[k] = (unsigned char)next();
        switch (next() % 5) {
        case 0:
            memcpy(bytes, &ucx_magic, sizeof ucx_magic);
            break;
        case 1:
            memcpy(bytes, "GET / HTTP/1.1\r\n\r\n", 18);
            break;
        case 2:
            len = 0;
            break;
        }
        int fd = socket(to->ai_family, SOCK_STREAM, 0), *slot = &open_fds[i % OPEN];
        struct timeval limit = {.tv_usec = 100000}; /* connect heeds it: what a filter drops is never answered */
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (fd < 0 || connect(fd, to->ai_addr, to->ai_addrlen)) {
            refused++;
            close(fd);
            continue;
        }
        if (len && send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
            sent++;
        if (next() % 3) { /* go with a reset */
            struct linger l = {.l_onoff = 1};
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
        }
        if (next() % 4) {
            close(fd);
        } else {
            if (*slot > 0)
                close(*slot);
            *slot = fd;
        }
    }
    freeaddrinfo(to);
    printf("port %s: %d sent, %d not connected\n", argv[2], sent, refused);
    return sent ? 0 : 1;
}

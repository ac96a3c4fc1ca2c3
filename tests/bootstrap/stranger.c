/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bootstrap port may meet on a network. 127.0.0.1 only.
 *   stranger garbage PORT SEED COUNT   COUNT connections with random bytes, some of them nearly right
 *   stranger silent PORT COUNT SECONDS COUNT connections that say nothing
 *   stranger listen PORT mute|noise    takes PORT, accepts, and answers nothing or noise
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bootstrap/tcp.h"

static uint64_t seed;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static struct sockaddr_in at(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

static int dial(int port)
{
    struct sockaddr_in a = at(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int garbage(int port, uint64_t first, int count)
{
    static unsigned char bytes[100000];
    int sent = 0;

    seed = first ? first : 1;
    printf("seed %llu\n", (unsigned long long)first);
    for (int i = 0; i < count; i++) {
        struct gs_tcp_hello h = {.magic = GS_TCP_MAGIC, .rank = (uint32_t)next() % 5, .size = 3};
        size_t len = next() % (next() % 8 ? 300 : sizeof bytes);
        for (size_t k = 0; k < len; k++)
            bytes[k] = (unsigned char)next();
        switch (next() % 4) {
        case 0: /* a hello with another token, perhaps cut, perhaps with more behind it */
            for (int k = 0; k < GS_TCP_TOKEN; k++)
                h.token[k] = (uint8_t)next();
            memcpy(bytes, &h, sizeof h);
            break;
        case 1: /* the magic and noise */
            memcpy(bytes, &h.magic, sizeof h.magic);
            break;
        case 2:
            memcpy(bytes, "GET / HTTP/1.1\r\n\r\n", 18);
        }
        int fd = dial(port);
        if (fd < 0)
            continue;
        if (len && send(fd, bytes, len, MSG_NOSIGNAL) > 0)
            sent++;
        if (next() % 3) { /* go with a reset */
            struct linger l = {.l_onoff = 1};
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
        }
        close(fd);
    }
    printf("sent %d\n", sent);
    return sent ? 0 : 1;
}

static int silent(int port, int count, int seconds)
{
    int open = 0;
    for (int i = 0; i < count; i++)
        open += dial(port) >= 0;
    printf("open %d\n", open);
    fflush(stdout);
    sleep((unsigned)seconds);
    return open ? 0 : 1;
}

static int listener(int port, int noise)
{
    struct sockaddr_in a = at(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 50)) {
        perror("listen");
        return 1;
    }
    printf("listening\n");
    fflush(stdout);
    for (;;) {
        char bytes[2000];
        int c = accept(fd, NULL, NULL);
        if (c >= 0 && noise) {
            memset(bytes, 'x', sizeof bytes);
            send(c, bytes, sizeof bytes, MSG_NOSIGNAL);
            close(c);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "garbage"))
        return garbage(atoi(argv[2]), strtoull(argv[3], NULL, 10), atoi(argv[4]));
    if (argc == 5 && !strcmp(argv[1], "silent"))
        return silent(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    if (argc == 4 && !strcmp(argv[1], "listen"))
        return listener(atoi(argv[2]), !strcmp(argv[3], "noise"));
    fprintf(stderr, "usage: see the source\n");
    return 2;
}

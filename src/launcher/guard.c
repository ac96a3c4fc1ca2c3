/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t guard = -1;
static int alive = -1;         /* our end of a pipe: the guard sees it close */
static volatile pid_t *groups; /* shared with the guard; 0: none */
static size_t ngroups;

static _Noreturn void watch(int fd)
{
    char byte;
    ssize_t n;

    setsid(); /* out of reach of signals to our group or terminal */
    prctl(PR_SET_NAME, "oshrun-guard");
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(null >= 0 ? null : fd, i);
    if (fd != 3)
        dup2(fd, 3);
    syscall(SYS_close_range, 4u, ~0u, 0u);
    do
        n = read(3, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n == 0) /* closed without a word: the launcher was killed */
        for (size_t i = 0; i < ngroups; i++)
            if (groups[i] > 1)
                kill(-groups[i], SIGKILL);
    _exit(0);
}

int gs_guard_open(int n)
{
    int p[2];

    void *m = mmap(NULL, (size_t)n * sizeof *groups, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return -1;
    groups = m;
    ngroups = (size_t)n;
    if (pipe2(p, O_CLOEXEC)) {
        gs_guard_close();
        return -1;
    }
    guard = fork();
    if (guard == 0) {
        close(p[1]);
        watch(p[0]);
    }
    close(p[0]);
    alive = p[1];
    if (guard < 0) {
        gs_guard_close();
        return -1;
    }
    return 0;
}

pid_t gs_guard_pid(void)
{
    return guard;
}

void gs_guard_set(int pe, pid_t group)
{
    if (groups)
        groups[pe] = group;
}

void gs_guard_close(void)
{
    if (guard > 0 && write(alive, "q", 1) == 1)
        while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
            ;
    guard = -1;
    if (alive >= 0)
        close(alive);
    alive = -1;
    if (groups)
        munmap((void *)groups, ngroups * sizeof *groups);
    groups = NULL;
}

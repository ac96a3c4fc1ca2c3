/* SPDX-License-Identifier: BSD-3-Clause */
/* Tries what the transport does: a memfd of one process, mapped by another that opens it through /proc. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

enum { BYTES = 4096, WORD = 0x67696e };

/* In another process. 0, or the errno of what failed. */
static int reach(pid_t owner, int owner_fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)owner, owner_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno;
    atomic_int *word = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (word == MAP_FAILED)
        return errno;
    atomic_store(word, WORD);
    return 0;
}

static bool try(struct reasons *why)
{
    bool works = false;
    int fd = memfd_create("gin_shmem-info", MFD_CLOEXEC), status;
    if (fd < 0) {
        reasons_add(why, "memfd_create: %m");
        return false;
    }
    if (ftruncate(fd, BYTES) != 0) {
        reasons_add(why, "a memfd cannot have %d bytes: %m", BYTES);
        goto close_fd;
    }
    atomic_int *word = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (word == MAP_FAILED) {
        reasons_add(why, "a memfd cannot be mapped: %m");
        goto close_fd;
    }
    pid_t owner = getpid(), child = fork();
    if (child == 0)
        _exit(reach(owner, fd));
    if (child < 0 || waitpid(child, &status, 0) != child) {
        reasons_add(why, "no second process to try with: %m");
        goto unmap;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        reasons_add(why, "another process cannot open a memfd of this one under /proc: %s",
                    WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "it was killed");
    else if (atomic_load(word) != WORD)
        reasons_add(why, "a store by another process is not seen");
    else
        works = true;
unmap:
    munmap(word, BYTES);
close_fd:
    close(fd);
    return works;
}

void probe_shm(struct out *o)
{
    struct reasons why = {""};
    bool works = try(&why);
    out_open(o, "shared_memory");
    out_verdict(o, works, works ? "PEs of one host, one user and one PID namespace" : why.text);
    out_close(o);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shm/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

char *gs_map_reserve(size_t len)
{
    void *p = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void gs_map_unreserve(char *base, size_t len)
{
    if (base)
        munmap(base, len);
}

enum gs_map_result gs_map_place(char **at, size_t len, const struct gs_map_file *file)
{
    char path[64];
    int fd = file->fd;
    if (!file->own) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", file->pid, file->fd);
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            return GS_MAP_NOT_OPENED;
    }
    void *p = mmap(*at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
    int saved = errno;
    if (!file->own)
        close(fd);
    errno = saved;
    return p == MAP_FAILED ? GS_MAP_NOT_MAPPED : GS_MAP_DONE;
}

void gs_map_clear(char *at, size_t len, bool own)
{
    (void)own;
    (void)mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

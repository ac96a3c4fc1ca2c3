/* SPDX-License-Identifier: BSD-3-Clause */
/* Initialised and finalised 50 times; teams and contexts left alive; memory maps and descriptors are given back. */
#include <dirent.h>
#include <malloc.h>
#include <string.h>

#include "check.h"

enum { TIMES = 50 };
static long global;

static int count_fds(void)
{
    int count = 0;
    DIR *d = opendir("/proc/self/fd");
    CHECK(d, "no /proc/self/fd");
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

/* Mappings of symmetric memory (the data segment stays), and their address space in all. */
static int count_maps(const char *what, size_t *bytes)
{
    char line[1024];
    int count = 0;
    *bytes = 0;
    FILE *f = fopen("/proc/self/maps", "re");
    CHECK(f, "no /proc/self/maps");
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) == 2)
            *bytes += to - from;
        count += strstr(line, what) != NULL;
    }
    fclose(f);
    return count;
}

int main(void)
{
    int fds = 0;
    size_t bytes, before = 0;
    (void)mallopt(M_ARENA_MAX, 1); /* an arena that malloc makes at some time is 64 MiB of mappings */
    for (int i = 0; i < TIMES; i++) {
        shmem_init();
        int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, near = shmem_team_n_pes(SHMEM_TEAM_SHARED);
        long *p = shmem_calloc(1000, sizeof *p);
        shmem_team_t team;
        shmem_ctx_t ctx;
        CHECK(p && p[999] == 0, "time %d: the heap is not fresh", i);
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0, "no team");
        CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0, "no context");
        shmem_ctx_long_p(ctx, &p[999], i, to);
        shmem_long_p(&global, i, to);
        shmem_barrier_all();
        CHECK(p[999] == i && global == i, "time %d: %ld and %ld arrived", i, p[999], global);
        CHECK(count_maps("gin_shmem-heap", &bytes) == near, "time %d: not %d heaps are mapped", i, near);
        shmem_long_put_nbi(&p[1], &p[2], 100, to); /* pending */
        shmem_finalize();
        CHECK(count_maps("gin_shmem-heap", &bytes) == 0, "time %d: a heap is still mapped", i);
        if (i == 2) { /* once everything that stays for good is there */
            fds = count_fds();
            before = bytes;
        }
        if (i > 2) {
            CHECK(count_fds() <= fds, "time %d: %d descriptors are open, were %d", i, count_fds(), fds);
            CHECK(bytes <= before + ((size_t)16 << 20), "time %d: %zu MiB mapped, were %zu", i, bytes >> 20,
                  before >> 20);
        }
    }
    return 0;
}

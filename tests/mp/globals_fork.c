/* SPDX-License-Identifier: BSD-3-Clause */
/* Forked children own a private copy of the symmetric globals, a snapshot of the moment of fork, while parent and peers
 * go on; system() and popen() work; threads' and nested children too. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { FORKS = 30, WORDS = 5000 };
static long data[WORDS], counter;
static long zero[1 << 20];

/* In the child: what is wrong, as exit status; 0 if nothing. */
static int in_child(long want, int to_parent, int from_parent)
{
    char c;
    for (int i = 0; i < WORDS; i++)
        if (data[i] != want + i)
            return 2;
    if (zero[77777] != want || zero[5])
        return 3;
    for (int i = 0; i < WORDS; i++)
        data[i] = -1; /* ours alone */
    zero[5] = 1;
    if (write(to_parent, "w", 1) != 1 || read(from_parent, &c, 1) != 1) /* the parent and its peers write meanwhile */
        return 4;
    for (int i = 0; i < WORDS; i++)
        if (data[i] != -1)
            return 5;
    if (zero[77777] != want || counter != want)
        return 6;
    pid_t grandchild = fork();
    if (grandchild == 0) {
        data[0] = -2;
        _exit(data[1] == -1 && counter == want ? 0 : 7);
    }
    int status;
    if (grandchild < 0 || waitpid(grandchild, &status, 0) != grandchild || status != 0)
        return 8;
    return data[0] == -1 ? 0 : 9;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    for (long r = 1; r <= FORKS; r++) {
        long want = r * 100000 + me;
        int up[2], down[2], status;
        char c;
        for (int i = 0; i < WORDS; i++)
            data[i] = want + i;
        zero[77777] = counter = want;
        CHECK(pipe(up) == 0 && pipe(down) == 0, "pipe");
        fflush(NULL);
        pid_t child = fork();
        CHECK(child >= 0, "fork");
        if (child == 0)
            _exit(in_child(want, up[1], down[0]));
        close(up[1]), close(down[0]);
        zero[77777] = -5; /* at once behind fork: the child must not see it */
        CHECK(read(up[0], &c, 1) == 1, "round %ld: the child ended early", r);
        shmem_barrier_all();
        for (int i = 0; i < WORDS; i++)
            CHECK(data[i] == want + i, "round %ld: the child changed data[%d] to %ld", r, i, data[i]);
        CHECK(zero[5] == 0, "the child changed .bss");
        shmem_barrier_all();
        shmem_long_atomic_add(&counter, 1, to);
        shmem_long_put(data, (long[]){r, r, r}, 3, to);
        shmem_barrier_all();
        CHECK(counter == want + 1 && data[2] == r && data[3] == want + 3, "puts of PE %d are lost after fork", from);
        CHECK(write(down[1], "g", 1) == 1 && waitpid(child, &status, 0) == child, "wait");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "round %ld: the child says %d", r, WEXITSTATUS(status));
        close(up[0]), close(down[1]);
        shmem_barrier_all();
    }
    /* Children by the C library. */
    CHECK(system("exit 3") == 3 << 8, "system()");
    char line[64] = "";
    FILE *f = popen("echo from a pipe", "r");
    CHECK(f && fgets(line, sizeof line, f) && strcmp(line, "from a pipe\n") == 0, "popen() reads \"%s\"", line);
    CHECK(pclose(f) == 0, "pclose");
    /* A child that ends by exit(0), handlers and all, must not finalise for its parent. */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "a child that exits");
    shmem_long_p(&counter, 5, to);
    shmem_barrier_all();
    CHECK(counter == 5, "the job goes on");
    shmem_finalize();
    /* And after finalize. */
    data[0] = 3;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        data[0] = 4;
        _exit(data[1] == data[2] ? 0 : 1);
    }
    if (waitpid(child, &status, 0) != child || status != 0 || data[0] != 3) {
        fprintf(stderr, "fork after finalize: status %d, data %ld\n", status, data[0]);
        return 1;
    }
    return 0;
}

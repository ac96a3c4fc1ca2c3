/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

_Noreturn void gs_job_abort(int status, const char *message);

_Noreturn void gs_job_abort(int status, const char *message)
{
    if (message)
        fprintf(stderr, "%s\n", message);
    _exit(status);
}

uint64_t unit_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

uint64_t unit_seed(void)
{
    const char *given = getenv("GIN_SHMEM_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
    if (seed == 0)
        seed = 1;
    printf("GIN_SHMEM_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

void unit_capture(void (*fn)(void *), void *arg, char *text, size_t len)
{
    int fd = memfd_create("stderr", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
    assert_true(fd >= 0 && saved >= 0);
    fflush(stderr);
    assert_true(dup2(fd, STDERR_FILENO) >= 0);
    fn(arg);
    fflush(stderr);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    ssize_t n = pread(fd, text, len - 1, 0);
    assert_true(n >= 0);
    text[n] = '\0';
    close(fd);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: prefix, level, one write(2) a line, errno, and how gs_die ends. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/log.h"

static char said[8192];

static void say(void *arg)
{
    gs_error("%s", (const char *)arg);
}

static void test_prefix(void **state)
{
    (void)state;
    gs_log_pe = -1;
    unit_capture(say, "early", said, sizeof said);
    assert_string_equal(said, "gin_shmem: early\n");
    gs_log_pe = 3;
    unit_capture(say, "hello", said, sizeof said);
    assert_string_equal(said, "gin_shmem: PE 3: hello\n");
    unit_capture(say, "ended\n", said, sizeof said);
    assert_string_equal(said, "gin_shmem: PE 3: ended\n");
}

static void say_all(void *arg)
{
    (void)arg;
    gs_error("e");
    gs_warn("w");
    gs_info("i");
    gs_debug("d");
}

static void test_level(void **state)
{
    (void)state;
    static const char *const expected[] = {"e", "ew", "ewi", "ewid"};
    gs_log_pe = -1;
    for (int level = GS_ERROR; level <= GS_DEBUG; level++) {
        gs_log_level = (enum gs_level)level;
        unit_capture(say_all, NULL, said, sizeof said);
        char first[8] = "";
        size_t n = 0;
        for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n"))
            first[n++] = line[strlen("gin_shmem: ")];
        assert_string_equal(first, expected[level]);
    }
    gs_log_level = GS_WARN;
}

/* A datagram holds what one write wrote. */
static void test_one_write(void **state)
{
    (void)state;
    int pair[2], saved = dup(STDERR_FILENO);
    char line[4096];
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    assert_true(dup2(pair[1], STDERR_FILENO) >= 0);
    gs_log_pe = 12;
    gs_error("number %d, text %s", 7, "x");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    ssize_t n = recv(pair[0], line, sizeof line, MSG_DONTWAIT);
    assert_true(n > 0);
    line[n] = '\0';
    assert_string_equal(line, "gin_shmem: PE 12: number 7, text x\n");
    assert_int_equal(recv(pair[0], line, sizeof line, MSG_DONTWAIT), -1);
    close(pair[0]);
    close(pair[1]);
}

/* At every length around the limit the line stays whole: prefix, newline, and dots only where it was cut. */
static void test_long_lines(void **state)
{
    (void)state;
    static char text[3000];
    size_t prefix = strlen("gin_shmem: ");
    gs_log_pe = -1;
    for (size_t len = 2000; len < 2100; len++) {
        memset(text, 'x', len);
        text[len] = '\0';
        unit_capture(say, text, said, sizeof said);
        size_t n = strlen(said);
        assert_int_equal(said[n - 1], '\n');
        if (prefix + len + 1 <= 2048) {
            assert_int_equal(n, prefix + len + 1);
        } else {
            assert_int_equal(n, 2048);
            assert_string_equal(said + n - 4, "...\n");
        }
    }
}

static void test_errno_is_kept(void **state)
{
    (void)state;
    int saved = dup(STDERR_FILENO);
    close(STDERR_FILENO); /* so that the write fails */
    errno = ENOTTY;
    gs_error("nobody hears");
    int after = errno;
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    assert_int_equal(after, ENOTTY);
}

static void say_errno(void *arg)
{
    (void)arg;
    errno = ENOENT;
    gs_error("open: %m");
}

static void test_percent_m(void **state)
{
    (void)state;
    gs_log_pe = 0;
    unit_capture(say_errno, NULL, said, sizeof said);
    assert_string_equal(said, "gin_shmem: PE 0: open: No such file or directory\n");
}

static int status;

static void die_in_child(void *arg)
{
    pid_t pid = fork();
    if (pid == 0)
        gs_die(arg, "PE %d is bad", 9);
    waitpid(pid, &status, 0);
}

static void test_die(void **state)
{
    (void)state;
    static const struct {
        const char *fn, *shown;
    } cases[] = {{"shmem_put", "shmem_put"},
                 {"pshmem_put", "shmem_put"},
                 {"shmem_p", "shmem_p"},
                 {"pshmem_int_p", "shmem_int_p"},
                 {"pshmemx_init_attr", "shmemx_init_attr"},
                 {"pstart_pes", "start_pes"},
                 {"pshmalloc", "shmalloc"},
                 {"p_my_pe", "_my_pe"},
                 {"p_num_pes", "_num_pes"},
                 {"_my_pe", "_my_pe"},
                 {"start_pes", "start_pes"},
                 {"pmix", "pmix"}};
    gs_log_pe = 1;
    gs_log_level = GS_ERROR;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[128] = "gin_shmem: PE 1: ";
        strcat(strcat(expected, cases[i].shown), ": PE 9 is bad\n");
        unit_capture(die_in_child, (void *)(uintptr_t)cases[i].fn, said, sizeof said);
        assert_string_equal(said, expected);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefix),     cmocka_unit_test(test_level),         cmocka_unit_test(test_one_write),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_errno_is_kept), cmocka_unit_test(test_percent_m),
        cmocka_unit_test(test_die),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

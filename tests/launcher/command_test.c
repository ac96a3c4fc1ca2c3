/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement on hosts, and the command lines of other launchers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec.h"

static char why[512];

/* Places n PEs on the list and writes it as "a:2,b:1"; or the refusal. */
static const char *place(const char *list, int n, int per_node, int want)
{
    static char text[512];
    struct gs_hosts h;

    text[0] = '\0';
    if (gs_hosts_parse(list, &h, why, sizeof why))
        return why;
    int got = gs_hosts_place(&h, n, per_node, why, sizeof why);
    if (got < 0)
        strcpy(text, why);
    else
        assert_int_equal(got, want);
    for (int i = 0, sum = 0; got >= 0 && i < h.n; i++) {
        sum += h.v[i].pes;
        sprintf(text + strlen(text), "%s%s:%d", i ? "," : "", h.v[i].name, h.v[i].pes);
        if (i == h.n - 1)
            assert_int_equal(sum, got);
    }
    gs_hosts_free(&h);
    return text;
}

static void placement(void **state)
{
    (void)state;
    assert_string_equal(place("a,b", 4, 0, 4), "a:2,b:2");
    assert_string_equal(place("a,b", 5, 0, 5), "a:3,b:2");
    assert_string_equal(place("a,b,c", 2, 0, 2), "a:1,b:1");
    assert_string_equal(place("a,b,c", 0, 0, 3), "a:1,b:1,c:1");
    assert_string_equal(place("a:2,b:3", 0, 0, 5), "a:2,b:3");
    assert_string_equal(place("a:2,b:3", 4, 0, 4), "a:2,b:2");
    assert_string_equal(place("a:2,b:3", 2, 0, 2), "a:2");
    assert_string_equal(place("a:2,b:3", 8, 0, 8), "a:4,b:4");
    assert_string_equal(place("a:2,b", 4, 0, 4), "a:3,b:1");
    assert_string_equal(place("a,b,a", 3, 0, 3), "a:2,b:1");
    assert_string_equal(place("a,b", 0, 4, 8), "a:4,b:4");
    assert_string_equal(place("a,b", 5, 4, 5), "a:4,b:1");
    assert_string_equal(place("[::1]:2,[fe80::2]", 0, 0, 3), "[::1]:2,[fe80::2]:1");
    assert_non_null(strstr(place("a,b", 9, 4, 0), "does not fit"));
    assert_non_null(strstr(place("a:1000000,b:1000000", 1000000, 1, 0), "does not fit"));
    assert_non_null(strstr(place("a,", 1, 0, 0), "no host name"));
    assert_non_null(strstr(place("", 1, 0, 0), "no host name"));
    assert_non_null(strstr(place("a:0", 1, 0, 0), "after the colon"));
    assert_non_null(strstr(place("-x", 1, 0, 0), "no host name"));
    assert_non_null(strstr(place("n[1-4]", 1, 0, 0), "no host name"));
    assert_non_null(strstr(place("a b", 1, 0, 0), "no host name"));
}

static const char *command(enum gs_flavour flavour, const char *list, struct gs_opt *o, char *const *env, bool root)
{
    static char text[2048];
    static char *argv[] = {(char *)"prog", (char *)"it's", (char *)"", (char *)"$x", NULL};
    struct gs_hosts h = {0};
    struct gs_cmd c;
    int n = o->n;

    o->argv = argv;
    o->argc = 4;
    if (list) {
        assert_int_equal(gs_hosts_parse(list, &h, why, sizeof why), 0);
        n = gs_hosts_place(&h, o->n, o->per_node, why, sizeof why);
    }
    assert_int_equal(gs_cmd_build(&c, flavour, "/l", o, &h, n, env, root), 0);
    char *line = gs_cmd_quote(&c);
    assert_non_null(line);
    snprintf(text, sizeof text, "%s", line);
    free(line);
    gs_cmd_free(&c);
    gs_hosts_free(&h);
    return text;
}
#define PROG " prog 'it'\\''s' '' '$x'"

static void command_lines(void **state)
{
    static char *env[] = {(char *)"HOME=/x",
                          (char *)"SHMEM_DEBUG=1",
                          (char *)"GIN_SHMEM_LOG=info",
                          (char *)"SMA_INFO=1",
                          (char *)"GIN_SHMEM_LAUNCHER=oshrun",
                          (char *)"SHMEMX=1",
                          NULL};
    const char *x[] = {"A", "SHMEM_DEBUG=2", "B=c,d e"};
    struct gs_opt plain = {.n = 3},
                  full = {
                      .n = 3, .x = x, .nx = 3, .tag = true, .wdir = "/w d", .bind = GS_BIND_NUMA, .bind_given = true};
    struct gs_opt per_node = {.n = 4, .per_node = 2};
    (void)state;

    assert_string_equal(command(GS_MPIRUN4, "a,b", &plain, NULL, false),
                        "/l -n 3 --host a:2,b:1 --map-by slot:OVERSUBSCRIBE --bind-to none" PROG);
    assert_string_equal(
        command(GS_MPIRUN4, "a", &full, env, true),
        "/l --allow-run-as-root -n 3 --host a:3 --map-by slot:OVERSUBSCRIBE --bind-to numa -x GIN_SHMEM_LOG"
        " -x SMA_INFO -x A -x SHMEM_DEBUG=2 -x 'B=c,d e' --wdir '/w d' --tag-output" PROG);
    assert_string_equal(command(GS_PRTERUN, NULL, &full, NULL, false),
                        "/l -n 3 --map-by slot:OVERSUBSCRIBE --bind-to numa -x A -x SHMEM_DEBUG=2 -x 'B=c,d e'"
                        " --wdir '/w d' --output tag" PROG);
    assert_string_equal(command(GS_MPIRUN5, "a,b", &per_node, NULL, false),
                        "/l -n 4 --host a:2,b:2 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to none" PROG);
    assert_string_equal(command(GS_SRUN, "a,b", &per_node, env, true),
                        "/l --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 4 -N 2 --ntasks-per-node=2 -w a,b" PROG);
    assert_string_equal(
        command(GS_SRUN, "a,b", &full, env, true),
        "env SHMEM_DEBUG=2 'B=c,d e' /l --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 3 --distribution=arbitrary"
        " -w 'a*2,b*1' --cpu-bind=ldoms '--chdir=/w d' --label" PROG);
    assert_string_equal(command(GS_SRUN, NULL, &per_node, NULL, false),
                        "/l --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 4 --ntasks-per-node=2" PROG);
}

static void needs_a_launcher(void **state)
{
    (void)state;
    assert_false(gs_exec_wanted(&(struct gs_opt){.n = 4}));
    assert_false(gs_exec_wanted(&(struct gs_opt){.n = 4, .per_node = 4}));
    assert_false(gs_exec_wanted(&(struct gs_opt){.per_node = 4}));
    assert_true(gs_exec_wanted(&(struct gs_opt){.n = 5, .per_node = 4}));
    assert_true(gs_exec_wanted(&(struct gs_opt){.hosts = (char *)"a"}));
    assert_true(gs_exec_wanted(&(struct gs_opt){.hostfile = "f"}));
    assert_true(gs_exec_wanted(&(struct gs_opt){.launcher = "mpirun"}));
    assert_false(gs_exec_wanted(&(struct gs_opt){.hosts = (char *)"a", .launcher = "local"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placement),
        cmocka_unit_test(command_lines),
        cmocka_unit_test(needs_a_launcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

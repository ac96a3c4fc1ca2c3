/* SPDX-License-Identifier: BSD-3-Clause */
/* oshrun's command line: what is understood, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static struct gs_opt o;
static char why[512];

/* Splits at blanks; "oshrun" comes first. Returns the result; o is valid after GS_OPT_RUN, until the next call. */
static enum gs_opt_result parse(const char *line)
{
    static char text[512], *argv[64];
    int argc = 0;

    gs_opt_free(&o);
    strcpy(text, line);
    argv[argc++] = (char *)"oshrun";
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    argv[argc] = NULL;
    why[0] = '\0';
    return gs_opt_parse(argc, argv, &o, why, sizeof why);
}

static void run(const char *line)
{
    if (parse(line) != GS_OPT_RUN)
        fail_msg("\"%s\" was refused: %s", line, why);
}

static void refuse(const char *line, const char *text)
{
    if (parse(line) != GS_OPT_BAD)
        fail_msg("\"%s\" was accepted", line);
    if (!strstr(why, text))
        fail_msg("\"%s\": no \"%s\" in \"%s\"", line, text, why);
}

static void number_of_pes(void **state)
{
    static const char *const forms[] = {"-n 4 p",  "-n4 p",   "-np 4 p", "--np 4 p",
                                        "--n 4 p", "--n=4 p", "-np=4 p", "-n 2 -n 4 p"};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        run(forms[i]);
        assert_int_equal(o.n, 4);
        assert_int_equal(o.argc, 1);
    }
    run("p");
    assert_int_equal(o.n, 0);
    run("-n 1000000 p");
    assert_int_equal(o.n, 1000000);
    refuse("-n 1000001 p", "-n 1000001");
    refuse("-n 0 p", "whole number");
    refuse("-n -1 p", "whole number");
    refuse("-n +4 p", "whole number");
    refuse("-n 4k p", "whole number");
    refuse("-n 0x10 p", "whole number");
    refuse("-n 18446744073709551617 p", "whole number");
    refuse("-np", "-np needs a value");
}

static void programs_options_are_its_own(void **state)
{
    (void)state;
    run("-n 2 prog -n 3 --help -x A");
    assert_int_equal(o.n, 2);
    assert_int_equal(o.argc, 6);
    assert_string_equal(o.argv[0], "prog");
    assert_string_equal(o.argv[5], "A");
    assert_null(o.argv[6]);
    assert_int_equal(o.nx, 0);
    run("-n 2 -- -odd -v");
    assert_string_equal(o.argv[0], "-odd");
    assert_false(o.verbose);
    refuse("-n 2 --", "no program");
    refuse("", "no program");
}

static void hosts(void **state)
{
    (void)state;
    run("-H a,b:2 p");
    assert_string_equal(o.hosts, "a,b:2");
    run("-H a -host b --hosts c --host=d p");
    assert_string_equal(o.hosts, "a,b,c,d");
    run("-N 3 p");
    assert_int_equal(o.per_node, 3);
    run("-npernode 3 p");
    assert_int_equal(o.per_node, 3);
    run("-hostfile f p");
    assert_string_equal(o.hostfile, "f");
    run("-f g p");
    assert_string_equal(o.hostfile, "g");
    refuse("-H a -f g p", "choose one");
    refuse("-N none p", "per host");
}

static void environment(void **state)
{
    (void)state;
    run("-x A -x B=c=d -xC= p");
    assert_int_equal(o.nx, 3);
    assert_string_equal(o.x[0], "A");
    assert_string_equal(o.x[1], "B=c=d");
    assert_string_equal(o.x[2], "C=");
    run("--fake-nodes 2 -n 2 -x A p");
    assert_int_equal(o.nx, 2);
    assert_string_equal(o.x[1], "GIN_SHMEM_FAKE_NODES=2");
    run("--fake-nodes 3 -H a,b p");
    refuse("--fake-nodes 0 p", "not a number of nodes");
    refuse("--fake-nodes x p", "not a number of nodes");
    refuse("--fake-nodes 3 -n 2 p", "more nodes than PEs");
    refuse("--fake-nodes 2 p", "more nodes than PEs");
    refuse("-x =c p", "no name");
    refuse("-x 1=c p", "no name");
    refuse("-x A,B p", "no name");
}

static void the_rest(void **state)
{
    (void)state;
    run("--bind core p");
    assert_int_equal(o.bind, GS_BIND_CORE);
    assert_true(o.bind_given);
    run("--bind-to socket p");
    assert_int_equal(o.bind, GS_BIND_PACKAGE);
    run("p");
    assert_int_equal(o.bind, GS_BIND_NONE);
    assert_false(o.bind_given || o.tag || o.verbose || o.dry_run);
    run("--tag-output -v --dry-run --wdir /d --launcher srun p");
    assert_true(o.tag && o.verbose && o.dry_run);
    assert_string_equal(o.wdir, "/d");
    assert_string_equal(o.launcher, "srun");
    for (int b = GS_BIND_NONE; b <= GS_BIND_PACKAGE; b++)
        assert_string_not_equal(gs_bind_name((enum gs_bind)b), "?");
    assert_int_equal(parse("--help"), GS_OPT_HELP);
    assert_int_equal(parse("-h"), GS_OPT_HELP);
    assert_int_equal(parse("--version p"), GS_OPT_VERSION);
    refuse("--bind x p", "--bind x");
    refuse("--launcher x p", "--launcher x");
    refuse("--frob p", "unknown option --frob");
    refuse("-v --frob=3 p", "unknown option --frob=3");
    refuse("-z p", "unknown option -z");
    refuse("--tag-output=3 p", "--tag-output=3");
    refuse("-n 3 -ver p", "-ver");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_of_pes), cmocka_unit_test(programs_options_are_its_own),
        cmocka_unit_test(hosts),         cmocka_unit_test(environment),
        cmocka_unit_test(the_rest),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    gs_opt_free(&o);
    return rc;
}

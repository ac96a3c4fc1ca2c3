/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment table: defaults, precedence, each kind of value, and the messages. */
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/env.h"
#include "core/log.h"

extern char **environ;

static int clear(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"SHMEM_", "SMA_", "GIN_SHMEM_"};
    for (size_t i = 0; environ[i];) {
        char name[1024];
        bool ours = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
            ours = ours || strncmp(name, prefixes[p], strlen(prefixes[p])) == 0;
        if (ours)
            unsetenv(name);
        else
            i++;
    }
    gs_log_level = GS_WARN;
    gs_log_pe = -1;
    return 0;
}

static int load_result;

static void load_into(void *arg)
{
    (void)arg;
    load_result = gs_env_load();
}

static char said[4096];

static int load(void)
{
    unit_capture(load_into, NULL, said, sizeof said);
    return load_result;
}

static void assert_said(const char *part)
{
    if (!strstr(said, part))
        fail_msg("'%s' is not in what was said: %s", part, said);
}

static size_t lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(load(), 0);
    assert_string_equal(said, "");
    assert_int_equal(gs_env.symmetric_size, (size_t)1 << 30);
    assert_false(gs_env.version);
    assert_false(gs_env.info);
    assert_false(gs_env.debug);
    assert_true(gs_env.check);
    assert_null(gs_env.bootstrap);
    assert_int_equal(gs_env.max_teams, 256);
    assert_true(gs_env.connect_timeout == 60.0);
    assert_int_equal(gs_log_level, GS_WARN);
    for (size_t i = 0; i < gs_env_rows(); i++)
        assert_null(gs_env_row(i).set_by);
}

static void test_new_name_wins(void **state)
{
    (void)state;
    setenv("SMA_SYMMETRIC_SIZE", "2m", 1);
    assert_int_equal(load(), 0);
    assert_int_equal(gs_env.symmetric_size, 2 << 20);
    setenv("SHMEM_SYMMETRIC_SIZE", "3m", 1);
    assert_int_equal(load(), 0);
    assert_int_equal(gs_env.symmetric_size, 3 << 20);
    /* The name that is not used is not looked at. */
    setenv("SMA_SYMMETRIC_SIZE", "rubbish", 1);
    assert_int_equal(load(), 0);
    /* And a wrong value under the new name is not made good by the old one. */
    setenv("SHMEM_SYMMETRIC_SIZE", "rubbish", 1);
    setenv("SMA_SYMMETRIC_SIZE", "2m", 1);
    assert_int_equal(load(), -1);
    assert_said("SHMEM_SYMMETRIC_SIZE='rubbish'");

    setenv("SHMEM_SYMMETRIC_SIZE", "1m", 1);
    setenv("SMA_DEBUG", "1", 1);
    assert_int_equal(load(), 0);
    assert_true(gs_env.debug);
    setenv("SHMEM_DEBUG", "0", 1);
    assert_int_equal(load(), 0);
    assert_false(gs_env.debug);
}

static void test_again_forgets(void **state)
{
    (void)state;
    setenv("GIN_SHMEM_BOOTSTRAP", "pmix", 1);
    setenv("SHMEM_DEBUG", "1", 1);
    assert_int_equal(load(), 0);
    /* The value outlives the environment's own text. */
    setenv("GIN_SHMEM_BOOTSTRAP", "env", 1);
    assert_string_equal(gs_env.bootstrap, "pmix");
    unsetenv("GIN_SHMEM_BOOTSTRAP");
    unsetenv("SHMEM_DEBUG");
    assert_int_equal(load(), 0);
    assert_null(gs_env.bootstrap);
    assert_int_equal(gs_log_level, GS_WARN);
    setenv("GIN_SHMEM_BOOTSTRAP", "", 1);
    assert_int_equal(load(), 0);
    assert_null(gs_env.bootstrap);
}

static void test_bool(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int value; /* -1: refused */
    } cases[] = {{"", 0},   {"0", 0},    {"no", 0}, {"OFF", 0}, {"False", 0}, {"1", 1},   {"Yes", 1},
                 {"on", 1}, {"TRUE", 1}, {"2", -1}, {"y", -1},  {" 1", -1},   {"on ", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("GIN_SHMEM_CHECK", cases[i].text, 1);
        setenv("SHMEM_INFO", cases[i].text, 1);
        int rc = load();
        if ((rc == 0) != (cases[i].value >= 0))
            fail_msg("'%s': %d", cases[i].text, rc);
        /* A refused value leaves the default, which is true. The standard's variables take any value. */
        assert_int_equal(gs_env.check, cases[i].value != 0);
        assert_int_equal(gs_env.info, cases[i].value != 0);
    }
}

static void test_int(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long value;
        bool ok;
    } cases[] = {{"7", 7, true},
                 {"-7", -7, true},
                 {"010", 10, true},
                 {"9223372036854775807", 9223372036854775807, true},
                 {"9223372036854775808", 0, false},
                 {"", 0, false},
                 {"-", 0, false},
                 {"+7", 0, false},
                 {" 7", 0, false},
                 {"7 ", 0, false},
                 {"7k", 0, false},
                 {"0x7", 0, false},
                 {"1.0", 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("GIN_SHMEM_MAX_TEAMS", cases[i].text, 1);
        if ((load() == 0) != cases[i].ok)
            fail_msg("'%s'", cases[i].text);
        assert_int_equal(gs_env.max_teams, cases[i].ok ? cases[i].value : 256);
        if (!cases[i].ok)
            assert_said("GIN_SHMEM_MAX_TEAMS='");
    }
}

static void test_seconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value; /* negative: refused */
    } cases[] = {{"30", 30},  {"1.5", 1.5},  {"0", 0},     {"30s", 30}, {"500ms", .5}, {"250us", 250e-6},
                 {"2m", 120}, {"2min", 120}, {"1h", 3600}, {"", -1},    {"-1", -1},    {"1d", -1},
                 {"1 s", -1}, {"ms", -1},    {"1msx", -1}, {"inf", -1}, {"1e30", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("GIN_SHMEM_CONNECT_TIMEOUT", cases[i].text, 1);
        if ((load() == 0) != (cases[i].value >= 0))
            fail_msg("'%s'", cases[i].text);
        double want = cases[i].value < 0 ? 60 : cases[i].value, off = gs_env.connect_timeout - want;
        if (off > 1e-12 || off < -1e-12)
            fail_msg("'%s' gave %g, not %g", cases[i].text, gs_env.connect_timeout, want);
    }
}

static void test_log_level(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum gs_level level;
    } cases[] = {{"error", GS_ERROR}, {"warn", GS_WARN}, {"info", GS_INFO}, {"debug", GS_DEBUG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("GIN_SHMEM_LOG", cases[i].text, 1);
        assert_int_equal(load(), 0);
        assert_int_equal(gs_log_level, cases[i].level);
    }
    setenv("GIN_SHMEM_LOG", "loud", 1);
    assert_int_equal(load(), -1);
    assert_said("GIN_SHMEM_LOG='loud' is not valid: give error, warn, info or debug");
    assert_int_equal(gs_log_level, GS_WARN);
    assert_string_equal(gs_env.log, "warn");
    setenv("GIN_SHMEM_LOG", "error", 1);
    setenv("SHMEM_DEBUG", "please", 1);
    assert_int_equal(load(), 0);
    assert_int_equal(gs_log_level, GS_DEBUG);
}

static void test_every_wrong_value_is_named_once(void **state)
{
    (void)state;
    setenv("SHMEM_SYMMETRIC_SIZE", "-1", 1);
    setenv("GIN_SHMEM_MAX_TEAMS", "many", 1);
    setenv("GIN_SHMEM_CONNECT_TIMEOUT", "soon", 1);
    assert_int_equal(load(), -1);
    assert_int_equal(lines(said), 3);
    assert_said("gin_shmem: SHMEM_SYMMETRIC_SIZE='-1' ");
    assert_said("gin_shmem: GIN_SHMEM_MAX_TEAMS='many' ");
    assert_said("gin_shmem: GIN_SHMEM_CONNECT_TIMEOUT='soon' ");
    assert_int_equal(gs_env.symmetric_size, (size_t)1 << 30);
}

static void warn_unknown(void *arg)
{
    (void)arg;
    gs_env_warn_unknown();
}

static void test_unknown(void **state)
{
    (void)state;
    setenv("GIN_SHMEM_MAX_TEAM", "1", 1);
    setenv("GIN_SHMEM_SYMETRIC_DATA", "", 1);
    setenv("GIN_SHMEM_LAUNCHER", "oshrun", 1);
    setenv("GIN_SHMEM_TEST_ANY", "1", 1);
    setenv("GIN_SHMEM_CHECK", "1", 1);
    setenv("SHMEM_OTHER", "1", 1);
    unit_capture(warn_unknown, NULL, said, sizeof said);
    assert_int_equal(lines(said), 2);
    assert_said("GIN_SHMEM_MAX_TEAM; the nearest that has a meaning is GIN_SHMEM_MAX_TEAMS ");
    assert_said("GIN_SHMEM_SYMETRIC_DATA; the nearest that has a meaning is GIN_SHMEM_SYMMETRIC_DATA ");
    /* A name of any length. */
    char longname[400] = "GIN_SHMEM_";
    memset(longname + 10, 'X', sizeof longname - 11);
    clear(NULL);
    setenv(longname, "1", 1);
    unit_capture(warn_unknown, NULL, said, sizeof said);
    assert_int_equal(lines(said), 1);
}

static void test_print(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    setenv("SMA_SYMMETRIC_SIZE", "1536k", 1);
    setenv("GIN_SHMEM_WAIT", "spin", 1);
    setenv("GIN_SHMEM_MAX_TEAMS", "x", 1);
    assert_int_equal(load(), -1);
    FILE *f = open_memstream(&text, &len);
    assert_non_null(f);
    gs_env_print(f, false);
    fclose(f);
    snprintf(said, sizeof said, "%s", text);
    free(text);
    assert_said("SHMEM_SYMMETRIC_SIZE=1536K (set by SMA_SYMMETRIC_SIZE; default 1G)\n");
    assert_said("GIN_SHMEM_WAIT=spin (set; default auto)\n");
    assert_said("GIN_SHMEM_CHECK=1 (default)\n");
    assert_said("GIN_SHMEM_MAX_TEAMS=256 (GIN_SHMEM_MAX_TEAMS is not valid; the default holds)\n");
    /* Every row, with its help. */
    for (size_t i = 0; i < gs_env_rows(); i++) {
        struct gs_env_row r = gs_env_row(i);
        assert_said(r.name);
        assert_said(r.help);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, clear),
        cmocka_unit_test_setup(test_new_name_wins, clear),
        cmocka_unit_test_setup(test_again_forgets, clear),
        cmocka_unit_test_setup(test_bool, clear),
        cmocka_unit_test_setup(test_int, clear),
        cmocka_unit_test_setup(test_seconds, clear),
        cmocka_unit_test_setup(test_log_level, clear),
        cmocka_unit_test_setup(test_every_wrong_value_is_named_once, clear),
        cmocka_unit_test_setup(test_unknown, clear),
        cmocka_unit_test_setup(test_print, clear),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear(NULL);
    (void)gs_env_load();
    return failed;
}

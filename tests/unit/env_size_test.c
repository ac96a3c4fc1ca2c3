/* SPDX-License-Identifier: BSD-3-Clause */
/* The size grammar of SHMEM_SYMMETRIC_SIZE: OpenSHMEM 1.6, section 7. */
#include "unit.h"

#include <locale.h>

#include "core/env.h"

static const struct {
    const char *text;
    size_t bytes;
} valid[] = {
    {"0", 0},
    {"1", 1},
    {"007", 7},
    {"1073741824", (size_t)1 << 30},
    {"18446744073709551615", SIZE_MAX},
    {"9007199254740993", 9007199254740993}, /* 2^53 + 1: a double would lose it */
    /* every suffix */
    {"1k", (size_t)1 << 10},
    {"1K", (size_t)1 << 10},
    {"1m", (size_t)1 << 20},
    {"1M", (size_t)1 << 20},
    {"1g", (size_t)1 << 30},
    {"1G", (size_t)1 << 30},
    {"1t", (size_t)1 << 40},
    {"1T", (size_t)1 << 40},
    {"20m", 20971520},
    /* fractions, and the ceiling */
    {"3.1M", 3250586},
    {".5m", 524288},
    {"0.5m", 524288},
    {"5.", 5},
    {"5.k", 5120},
    {".5", 1},
    {"0.0", 0},
    {"0.0001", 1},
    {"1.000000000000000000000000001", 2},
    {"1.00000000000000000000000000", 1},
    {"2.5", 3},
    {"0.1t", 109951162778},
    {"0.0009765625k", 1},
    {"0.00097656250001k", 2},
    {"16777215.999999999999t", SIZE_MAX}, /* 2^64 - 1.0995 bytes; one nine more is too large */
    /* an exponent is part of a floating point value */
    {"1e6", 1000000},
    {"1E+3k", 1024000},
    {"2.5e-1m", 262144},
    {"1e-30", 1},
    {"0e99999999999", 0},
    {"0.000000001e9", 1},
    /* what follows the multiplier is ignored */
    {"20kk", 20480},
    {"20km", 20480},
    {"1G heap", (size_t)1 << 30},
    {"1KiB", 1024},
    {"4mb", 4194304},
};

static const char *const invalid[] = {
    /* no number */
    "", " ", "m", ".", ".m", "e3", "one", "inf", "nan",
    /* a sign, a space, another notation */
    "-1", "-1m", "-0", "+1", " 1m", "1 m", "1\n", "0x10", "1,5", "1_000",
    /* half a number */
    "..5", "1.2.3", "1e", "1e+", "1e-k",
    /* an unknown multiplier */
    "12x", "1b", "1p", "1%",
    /* too large */
    "18446744073709551616", "18446744073709551615.5", "16777216t", "17179869184g", "16777215.9999999999999t", "1e20",
    "1e99999", "1e10t", "99999999999999999999t"};

static void test_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        size_t bytes = 12345;
        if (gs_env_parse_size(valid[i].text, &bytes) != 0)
            fail_msg("'%s' was refused", valid[i].text);
        if (bytes != valid[i].bytes)
            fail_msg("'%s' gave %zu, not %zu", valid[i].text, bytes, valid[i].bytes);
    }
}

static void test_invalid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        size_t bytes = 12345;
        if (gs_env_parse_size(invalid[i], &bytes) == 0)
            fail_msg("'%s' was taken as %zu", invalid[i], bytes);
        assert_int_equal(bytes, 12345);
    }
}

/* A program's decimal comma must not change the environment's point. */
static void test_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; !set && i < sizeof names / sizeof *names; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set)
        skip();
    size_t bytes;
    assert_int_equal(gs_env_parse_size("3.1M", &bytes), 0);
    assert_int_equal(bytes, 3250586);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

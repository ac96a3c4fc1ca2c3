/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions where arithmetic is not exact: every PE gets the same bits, sums are near the true one, infinities and NaN
 * go through, unsigned sums wrap around. Small and large arrays, for they are summed differently. */
#include <complex.h>
#include <math.h>

#include "coll.h"

enum { MAX = 3000 };
static double dsource[MAX], ddest[MAX], dall[MAX * 16];
static float fsource[MAX], fdest[MAX], fall[MAX * 16];
static long double lsource[MAX], ldest[MAX];
static double _Complex csource[MAX], cdest[MAX], call[MAX * 16];
static uint8_t bsource[MAX], bdest[MAX];
static uint64_t wsource[MAX], wdest[MAX];
static int me, n;

static double value(uint64_t i, int pe)
{
    uint64_t x = mix(i, (uint64_t)pe);
    return ldexp((double)(x >> 11) - 4503599627370496.0, (int)(x % 40) - 60);
}

static void rounding(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        dsource[i] = value(i, me);
        fsource[i] = (float)value(i, me);
        csource[i] = value(i, me) + value(i + 7, me) * I;
    }
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, ddest, dsource, count);
    shmem_double_fcollect(SHMEM_TEAM_WORLD, dall, ddest, count);
    shmem_float_sum_reduce(SHMEM_TEAM_WORLD, fdest, fsource, count);
    shmem_float_fcollect(SHMEM_TEAM_WORLD, fall, fdest, count);
    shmem_complexd_prod_reduce(SHMEM_TEAM_WORLD, cdest, csource, count);
    shmem_fcollectmem(SHMEM_TEAM_WORLD, call, cdest, count * sizeof *cdest);
    for (int pe = 0; pe < n; pe++) {
        CHECK(memcmp(dall + count * (size_t)pe, ddest, count * sizeof *ddest) == 0, "PE %d has other sums", pe);
        CHECK(memcmp(fall + count * (size_t)pe, fdest, count * sizeof *fdest) == 0, "PE %d has other float sums", pe);
        CHECK(memcmp(call + count * (size_t)pe, cdest, count * sizeof *cdest) == 0, "PE %d has other products", pe);
    }
    for (size_t i = 0; i < count; i++) {
        long double sum = 0, size = 0;
        for (int pe = 0; pe < n; pe++) {
            sum += (long double)value(i, pe);
            size += fabsl((long double)value(i, pe));
        }
        CHECK(fabsl(ddest[i] - sum) <= size * 16 * 0x1p-53L, "double sum %g, expected %Lg", ddest[i], sum);
        CHECK(fabsl(fdest[i] - sum) <= size * 17 * 0x1p-24L, "float sum %g, expected %Lg", (double)fdest[i], sum);
    }
}

/* Element i % 4 of each PE: all finite but an infinity on the last PE; a NaN on PE 0; both infinities; zeros of both
 * signs. */
static void special(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double v[4] = {me == n - 1 ? INFINITY : 1, me == 0 ? NAN : 2, me % 2 ? -INFINITY : INFINITY, me % 2 ? -0.0 : 0.0};
        dsource[i] = v[i % 4];
        lsource[i] = v[i % 4];
    }
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, ddest, dsource, count);
    shmem_longdouble_prod_reduce(SHMEM_TEAM_WORLD, ldest, lsource, count);
    for (size_t i = 0; i < count; i++)
        switch (i % 4) {
        case 0:
            CHECK(isinf(ddest[i]) && ddest[i] > 0, "%g", ddest[i]);
            CHECK(isinf(ldest[i]) && ldest[i] > 0, "%Lg", ldest[i]);
            break;
        case 1:
            CHECK(isnan(ddest[i]), "%g", ddest[i]);
            CHECK(isnan(ldest[i]), "%Lg", ldest[i]);
            break;
        case 2:
            CHECK(n == 1 ? isinf(ddest[i]) : isnan(ddest[i]), "%g", ddest[i]);
            CHECK(isinf(ldest[i]) && (ldest[i] < 0) == (n / 2 % 2 == 1), "%Lg", ldest[i]);
            break;
        default: CHECK(ddest[i] == 0 && ldest[i] == 0, "%g %Lg", ddest[i], ldest[i]);
        }
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, ddest, dsource, count);
    shmem_longdouble_min_reduce(SHMEM_TEAM_WORLD, ldest, lsource, count);
    for (size_t i = 0; i < count; i++) {
        CHECK(i % 4 != 0 || ddest[i] == INFINITY, "max %g", ddest[i]);
        CHECK(i % 4 != 0 || ldest[i] == (n == 1 ? (long double)INFINITY : 1.0L), "min %Lg", ldest[i]);
        CHECK(i % 4 != 2 || ddest[i] == INFINITY, "max %g", ddest[i]);
        CHECK(i % 4 != 2 || ldest[i] == (n == 1 ? (long double)INFINITY : -(long double)INFINITY), "min %Lg", ldest[i]);
    }
    shmem_double_fcollect(SHMEM_TEAM_WORLD, dall, ddest, count); /* NaN or not, the same everywhere */
    for (int pe = 0; pe < n; pe++)
        CHECK(memcmp(dall + count * (size_t)pe, ddest, count * sizeof *ddest) == 0, "PE %d has another maximum", pe);
}

static void wrap(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bsource[i] = (uint8_t)(200 + i + (size_t)me);
        wsource[i] = UINT64_MAX - i - (uint64_t)me;
    }
    shmem_uint8_sum_reduce(SHMEM_TEAM_WORLD, bdest, bsource, count);
    shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, wdest, wsource, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t b = 0, w = 0;
        for (int pe = 0; pe < n; pe++) {
            b += 200 + i + (size_t)pe;
            w += UINT64_MAX - i - (uint64_t)pe;
        }
        CHECK(bdest[i] == (uint8_t)b && wdest[i] == w, "element %zu: %d %llu", i, bdest[i], (unsigned long long)wdest[i]);
    }
}

int main(void)
{
    static const size_t counts[] = {1, 7, 15, 16, 600, MAX};
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    CHECK(n <= 16, "made for at most 16 PEs");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        rounding(counts[i]);
        special(counts[i]);
        wrap(counts[i]);
    }
    shmem_finalize();
    return 0;
}

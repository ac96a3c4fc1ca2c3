/* SPDX-License-Identifier: BSD-3-Clause */
/* The live bits may be read while other blocks come and go: those of a block that stays must never flicker. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "heap/alloc.h"

enum { G = GS_ALLOC_GRANULE, ROUNDS = 200000 };

static struct gs_alloc_live live;
static size_t kept[2]; /* a block inside a chunk, and one of several chunks with ragged ends */
static const size_t kept_bytes[2] = {3 * G, 200 * G + 1};
static atomic_bool stop;
static atomic_int flickers;

static void *read_bits(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < kept_bytes[k]; i += G)
                if (!gs_alloc_is_live(live, kept[k] + i))
                    atomic_fetch_add(&flickers, 1);
    return NULL;
}

static void test_neighbours_do_not_flicker(void **state)
{
    (void)state;
    struct gs_alloc *a = gs_alloc_create(4096 * G);
    live = gs_alloc_live_bits(a);
    size_t gap0 = gs_alloc_get(a, 5 * G, 8);
    kept[0] = gs_alloc_get(a, kept_bytes[0], 8);
    size_t gap1 = gs_alloc_get(a, 7 * G, 8);
    kept[1] = gs_alloc_get(a, kept_bytes[1], 8);
    assert_true(gs_alloc_put(a, gap0) && gs_alloc_put(a, gap1));

    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_bits, NULL), 0);
    uint64_t rng = unit_seed();
    for (int i = 0; i < ROUNDS; i++) {
        size_t one = gs_alloc_get(a, 1 + unit_random(&rng) % (4 * G), 8);
        size_t two = gs_alloc_get(a, 1 + unit_random(&rng) % (300 * G), 8);
        assert_true(one != GS_ALLOC_FAIL && two != GS_ALLOC_FAIL);
        (void)gs_alloc_resize(a, two, 1 + unit_random(&rng) % (300 * G));
        assert_true(gs_alloc_put(a, one));
        assert_true(gs_alloc_put(a, two));
    }
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(reader, NULL), 0);
    assert_int_equal(atomic_load(&flickers), 0);
    gs_alloc_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours_do_not_flicker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The allocator against a plain map of granules, and the cases that a random program rarely meets. */
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/alloc.h"

enum { G = GS_ALLOC_GRANULE, MAX_GRANULES = 20000, MAX_BLOCKS = 4000, STEPS = 6000 };

/* owner[g] is 0 where granule g is free, else the number of its block plus 1. */
struct model {
    size_t granules;
    int owner[MAX_GRANULES];
    struct {
        size_t start, bytes;
        bool live;
    } block[MAX_BLOCKS];
    size_t used, blocks, peak;
};

static size_t granules_of(size_t bytes)
{
    return (bytes + G - 1) / G;
}

static void paint(struct model *m, size_t from, size_t n, int owner)
{
    for (size_t i = from; i < from + n; i++)
        m->owner[i] = owner;
}

static bool all_free(const struct model *m, size_t from, size_t n)
{
    if (from + n > m->granules)
        return false;
    for (size_t i = from; i < from + n; i++)
        if (m->owner[i])
            return false;
    return true;
}

/* Could a block of n granules lie anywhere at this alignment (in granules)? */
static bool room_for(const struct model *m, size_t n, size_t align)
{
    size_t run = 0;
    for (size_t end = 1; end <= m->granules; end++) {
        run = m->owner[end - 1] ? 0 : run + 1;
        if (run >= n && (end - n) % align == 0)
            return true;
        if (run >= n && align > 1) {
            size_t start = (end - run + align - 1) / align * align;
            if (start + n <= end)
                return true;
        }
    }
    return false;
}

static size_t longest_run(const struct model *m)
{
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < m->granules; i++) {
        run = m->owner[i] ? 0 : run + 1;
        if (run > longest)
            longest = run;
    }
    return longest;
}

static void check_all(const struct model *m, const struct gs_alloc *a)
{
    struct gs_alloc_live live = gs_alloc_live_bits(a);
    for (size_t i = 0; i < m->granules; i++)
        if (gs_alloc_is_live(live, i * G + i % G) != (m->owner[i] != 0))
            fail_msg("granule %zu: live bit is wrong", i);
    struct gs_alloc_stats s = gs_alloc_stats(a);
    assert_int_equal(s.size, m->granules * G);
    assert_int_equal(s.used, m->used * G);
    assert_int_equal(s.peak, m->peak * G);
    assert_int_equal(s.blocks, m->blocks);
    assert_int_equal(s.largest_free, longest_run(m) * G);
}

static int pick_live(const struct model *m, uint64_t *rng)
{
    if (m->blocks == 0)
        return -1;
    int b = (int)(unit_random(rng) % MAX_BLOCKS);
    while (!m->block[b].live)
        b = (b + 1) % MAX_BLOCKS;
    return b;
}

static size_t random_bytes(const struct model *m, uint64_t *rng)
{
    uint64_t r = unit_random(rng);
    switch (r % 16) {
    case 0:
        return 1 + unit_random(rng) % (m->granules * G);
    case 1:
    case 2:
        return 1 + unit_random(rng) % (m->granules * G / 8);
    case 3:
        return G * 64 * (1 + unit_random(rng) % 8);
    default:
        return 1 + unit_random(rng) % (G * 24);
    }
}

static size_t step_get(struct model *m, struct gs_alloc *a, uint64_t *rng)
{
    size_t bytes = random_bytes(m, rng), n = granules_of(bytes);
    size_t align = unit_random(rng) % 3 ? 8 : (size_t)1 << (unit_random(rng) % 18);
    int b = 0;
    while (b < MAX_BLOCKS && m->block[b].live)
        b++;
    if (b == MAX_BLOCKS)
        return 0;
    size_t off = gs_alloc_get(a, bytes, align);
    if (off == GS_ALLOC_FAIL) {
        if (room_for(m, n, align < G ? 1 : align / G))
            fail_msg("%zu bytes aligned to %zu were refused, yet there is room", bytes, align);
        return off;
    }
    assert_int_equal(off % (align < G ? G : align), 0);
    if (!all_free(m, off / G, n))
        fail_msg("%zu bytes at %zu: not free before", bytes, off);
    paint(m, off / G, n, b + 1);
    m->block[b].start = off;
    m->block[b].bytes = bytes;
    m->block[b].live = true;
    m->used += n;
    m->blocks++;
    assert_int_equal(gs_alloc_size(a, off), bytes);
    return off;
}

static void step_put(struct model *m, struct gs_alloc *a, uint64_t *rng)
{
    int b = pick_live(m, rng);
    if (b < 0)
        return;
    size_t n = granules_of(m->block[b].bytes);
    assert_true(gs_alloc_put(a, m->block[b].start));
    assert_false(gs_alloc_put(a, m->block[b].start));
    assert_int_equal(gs_alloc_size(a, m->block[b].start), 0);
    paint(m, m->block[b].start / G, n, 0);
    m->block[b].live = false;
    m->used -= n;
    m->blocks--;
}

static void step_resize(struct model *m, struct gs_alloc *a, uint64_t *rng)
{
    int b = pick_live(m, rng);
    if (b < 0)
        return;
    size_t start = m->block[b].start, old = granules_of(m->block[b].bytes), bytes = random_bytes(m, rng);
    size_t n = granules_of(bytes);
    bool possible = n <= old || all_free(m, start / G + old, n - old);
    assert_int_equal(gs_alloc_resize(a, start, bytes), possible);
    if (!possible) {
        assert_int_equal(gs_alloc_size(a, start), m->block[b].bytes);
        return;
    }
    paint(m, start / G, old, 0);
    paint(m, start / G, n, b + 1);
    m->block[b].bytes = bytes;
    m->used = m->used - old + n;
    assert_int_equal(gs_alloc_size(a, start), bytes);
}

/* Offsets that are no start of a live block must be refused and leave everything as it was. */
static void step_bogus(struct model *m, struct gs_alloc *a, uint64_t *rng)
{
    size_t off = unit_random(rng) % (m->granules * G + 5 * G);
    int owner = off / G < m->granules ? m->owner[off / G] : 0;
    size_t start, bytes;
    assert_int_equal(gs_alloc_find(a, off, &start, &bytes), owner != 0);
    if (owner) {
        assert_int_equal(start, m->block[owner - 1].start);
        assert_int_equal(bytes, m->block[owner - 1].bytes);
        if (start == off)
            return;
    }
    assert_false(gs_alloc_put(a, off));
    assert_false(gs_alloc_resize(a, off, G));
    assert_int_equal(gs_alloc_size(a, off), 0);
}

/* Runs a random program; the hash of all offsets handed out. */
static uint64_t run_program(uint64_t seed, bool check)
{
    uint64_t rng = seed, hash = 0;
    struct model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->granules = 1 + unit_random(&rng) % MAX_GRANULES;
    struct gs_alloc *a = gs_alloc_create(m->granules * G);
    assert_non_null(a);
    for (int i = 0; i < STEPS; i++) {
        /* Filling and emptying by turns, so that the heap is near full as often as near empty. */
        unsigned puts = i / 500 % 2 ? 60 : 30;
        unsigned r = (unsigned)(unit_random(&rng) % 100);
        if (r < puts)
            step_put(m, a, &rng);
        else if (r < puts + 10)
            step_resize(m, a, &rng);
        else if (r < puts + 13)
            step_bogus(m, a, &rng);
        else
            hash = hash * 31 + step_get(m, a, &rng);
        if (m->used > m->peak)
            m->peak = m->used;
        if (check && i % 50 == 0)
            check_all(m, a);
    }
    while (m->blocks)
        step_put(m, a, &rng);
    check_all(m, a);
    /* One block again. */
    assert_int_equal(gs_alloc_get(a, m->granules * G, 1), 0);
    gs_alloc_destroy(a);
    free(m);
    return hash;
}

static void test_model(void **state)
{
    (void)state;
    uint64_t rng = unit_seed();
    for (int i = 0; i < 20; i++)
        run_program(unit_random(&rng), true);
}

static void test_same_calls_same_offsets(void **state)
{
    (void)state;
    uint64_t seed = unit_seed();
    uint64_t one = run_program(seed, false);
    assert_int_equal(run_program(seed, false), one);
    assert_int_not_equal(run_program(seed + 1, false), one);
}

static void test_exhaustion(void **state)
{
    (void)state;
    struct gs_alloc *a = gs_alloc_create(1000 * G);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(gs_alloc_get(a, 1, 1), i * G);
    assert_int_equal(gs_alloc_get(a, 1, 1), GS_ALLOC_FAIL);
    assert_int_equal(gs_alloc_stats(a).largest_free, 0);
    for (size_t i = 0; i < 1000; i += 2)
        assert_true(gs_alloc_put(a, i * G));
    assert_int_equal(gs_alloc_get(a, G + 1, 1), GS_ALLOC_FAIL);
    for (size_t i = 1; i < 1000; i += 2)
        assert_true(gs_alloc_put(a, i * G));
    assert_int_equal(gs_alloc_get(a, 1000 * G, 1), 0);
    gs_alloc_destroy(a);
}

static void test_odd_requests(void **state)
{
    (void)state;
    assert_null(gs_alloc_create(G + 1));
    assert_null(gs_alloc_create(GS_ALLOC_MAX + G));
    struct gs_alloc *a = gs_alloc_create(64 * G);
    assert_int_equal(gs_alloc_get(a, 0, 8), GS_ALLOC_FAIL);
    assert_int_equal(gs_alloc_get(a, 64 * G + 1, 8), GS_ALLOC_FAIL);
    assert_int_equal(gs_alloc_get(a, SIZE_MAX, 8), GS_ALLOC_FAIL);
    assert_int_equal(gs_alloc_get(a, 1, 96), GS_ALLOC_FAIL);
    /* An alignment beyond the heap leaves offset 0. */
    assert_int_equal(gs_alloc_get(a, 1, (size_t)1 << 63), 0);
    assert_int_equal(gs_alloc_get(a, 1, (size_t)1 << 63), GS_ALLOC_FAIL);
    assert_false(gs_alloc_put(a, SIZE_MAX));
    assert_false(gs_alloc_resize(a, 0, 0));
    assert_false(gs_alloc_resize(a, 0, SIZE_MAX));
    gs_alloc_destroy(a);
}

static void test_gap_before_aligned_block_is_used(void **state)
{
    (void)state;
    struct gs_alloc *a = gs_alloc_create(100 * G);
    assert_int_equal(gs_alloc_get(a, G, 1), 0);
    assert_int_equal(gs_alloc_get(a, G, 32 * G), 32 * G);
    assert_int_equal(gs_alloc_get(a, 31 * G, 1), G);
    gs_alloc_destroy(a);
}

static void test_no_heap(void **state)
{
    (void)state;
    struct gs_alloc *a = gs_alloc_create(0);
    size_t start, bytes;
    assert_non_null(a);
    assert_int_equal(gs_alloc_get(a, 1, 1), GS_ALLOC_FAIL);
    assert_false(gs_alloc_put(a, 0));
    assert_false(gs_alloc_find(a, 0, &start, &bytes));
    assert_int_equal(gs_alloc_stats(a).largest_free, 0);
    gs_alloc_destroy(a);
    gs_alloc_destroy(NULL);
}

static size_t resident_bytes(void)
{
    size_t total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu %zu", &total, &resident), 2);
    fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_large_heap_costs_little(void **state)
{
    (void)state;
    size_t before = resident_bytes();
    struct gs_alloc *a = gs_alloc_create((size_t)1 << 40);
    assert_non_null(a);
    size_t big = gs_alloc_get(a, (size_t)1 << 34, (size_t)1 << 30);
    assert_int_not_equal(big, GS_ALLOC_FAIL);
    for (int i = 0; i < 100; i++)
        assert_int_not_equal(gs_alloc_get(a, 1000, 64), GS_ALLOC_FAIL);
    assert_in_range(resident_bytes() - before, 0, (size_t)4 << 20);
    gs_alloc_destroy(a);
}

static void test_largest_heap(void **state)
{
    (void)state;
    struct gs_alloc *a = gs_alloc_create(GS_ALLOC_MAX);
    if (!a)
        skip(); /* no address space for the tables, as under a ulimit */
    assert_int_equal(gs_alloc_get(a, 1, 1), 0);
    assert_int_equal(gs_alloc_get(a, 1, GS_ALLOC_MAX / 2), GS_ALLOC_MAX / 2);
    assert_int_equal(gs_alloc_get(a, GS_ALLOC_MAX / 2, 1), GS_ALLOC_FAIL);
    assert_int_equal(gs_alloc_stats(a).largest_free, GS_ALLOC_MAX / 2 - G);
    assert_true(gs_alloc_put(a, 0));
    assert_true(gs_alloc_put(a, GS_ALLOC_MAX / 2));
    assert_int_equal(gs_alloc_stats(a).largest_free, GS_ALLOC_MAX);
    gs_alloc_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_same_calls_same_offsets),
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_odd_requests),
        cmocka_unit_test(test_gap_before_aligned_block_is_used),
        cmocka_unit_test(test_no_heap),
        cmocka_unit_test(test_large_heap_costs_little),
        cmocka_unit_test(test_largest_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

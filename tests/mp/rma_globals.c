/* SPDX-License-Identifier: BSD-3-Clause */
/* Global and static variables are symmetric: initialised and zero, in and outside functions, changed before shmem_init;
 * and data that is not symmetric (constants, stack, malloc) may be on the local side. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

int initialised[5] = {10, 20, 30, 40, 50};
static double local_initialised = 2.5;
long zero[1000];
static char text[] = "written at compile time";
static const int constant[3] = {7, 8, 9};
int changed_early = 1;
int *pointer_to_global = &initialised[2];
_Alignas(4096) static char page[3 * 4096];

static int *counter(void)
{
    static int calls = 100;
    return &calls;
}

static int *zero_counter(void)
{
    static int calls;
    return &calls;
}

int main(int argc, char **argv)
{
    (void)argv;
    changed_early = 5 + argc; /* before the library knows of it */
    ++*counter();
    zero[999] = 77;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    CHECK(pointer_to_global == &initialised[2] && *pointer_to_global == 30, "a pointer to a global moved");
    CHECK(*counter() == 101 && *zero_counter() == 0, "statics lost their values");

    /* What is there from the start, seen from afar. */
    int five[5];
    shmem_int_get(five, initialised, 5, to);
    for (int i = 0; i < 5; i++)
        CHECK(five[i] == 10 * (i + 1), "initialised[%d] of PE %d is %d", i, to, five[i]);
    CHECK(shmem_double_g(&local_initialised, to) == 2.5, "static double");
    CHECK(shmem_int_g(&changed_early, to) == 5 + argc, "a change before shmem_init is lost");
    CHECK(shmem_int_g(counter(), to) == 101, "static in a function");
    CHECK(shmem_long_g(&zero[0], to) == 0 && shmem_long_g(&zero[999], to) == 77, "bss");
    char copy[sizeof text];
    shmem_getmem(copy, text, sizeof text, to);
    CHECK(strcmp(copy, "written at compile time") == 0, "text is %s", copy);
    shmem_barrier_all();

    /* Written from afar: by p, put, atomics; read by plain loads. Sources: constants, stack, malloc. */
    int *heap = malloc(2 * sizeof *heap);
    CHECK(heap, "no memory");
    heap[0] = me + 1;
    heap[1] = me + 2;
    shmem_int_put(initialised, constant, 3, to);
    shmem_int_put(&initialised[3], heap, 2, to);
    shmem_double_p(&local_initialised, me + 0.5, to);
    shmem_int_atomic_add(counter(), 1 + me, to);
    shmem_int_atomic_inc(zero_counter(), to);
    for (size_t i = 0; i < sizeof page; i += 512)
        shmem_char_p(&page[i], (char)(me + 1), to);
    shmem_barrier_all();
    CHECK(memcmp(initialised, constant, sizeof constant) == 0, "put of a constant");
    CHECK(initialised[3] == from + 1 && initialised[4] == from + 2 && *pointer_to_global == 9, "put of malloc memory");
    CHECK(local_initialised == from + 0.5, "local_initialised is %g", local_initialised);
    CHECK(*counter() == 102 + from && *zero_counter() == 1, "counters are %d and %d", *counter(), *zero_counter());
    for (size_t i = 0; i < sizeof page; i++)
        CHECK(page[i] == (i % 512 ? 0 : from + 1), "page[%zu] is %d", i, page[i]);

    /* Written by plain stores, read from afar. */
    for (int i = 0; i < 1000; i++)
        zero[i] = me * 1000L + i;
    shmem_barrier_all();
    long got[1000];
    shmem_long_get(got, zero, 1000, to);
    for (int i = 0; i < 1000; i++)
        CHECK(got[i] == to * 1000L + i, "zero[%d] of PE %d is %ld", i, to, got[i]);
    shmem_barrier_all();
    free(heap);
    shmem_finalize();
    CHECK(zero[5] == me * 1000L + 5 && local_initialised == from + 0.5, "values are gone after finalize");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocation: every function and its old name, sizes, alignments up to 1 MiB, contents across realloc, hints, size
 * 0. */
#include <string.h>

#include "check.h"

static int me, n;
static uintptr_t seen;

/* Symmetric: the block reaches the peer's block of the same call. */
static void check_block(void *p, size_t bytes, size_t align)
{
    CHECK(p, "no block of %zu bytes", bytes);
    CHECK((uintptr_t)p % align == 0, "%p is not a multiple of %zu", p, align);
    unsigned char *c = p;
    memset(c, me + 1, bytes);
    shmem_barrier_all();
    int pe = (me + 1) % n;
    CHECK(shmem_uchar_g(c, pe) == pe + 1 && shmem_uchar_g(c + bytes - 1, pe) == pe + 1, "block of %zu at PE %d", bytes,
          pe);
    shmem_barrier_all();
}

static void *check_and_free(void *p, size_t bytes, size_t align)
{
    check_block(p, bytes, align);
    shmem_free(p);
    return p;
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (size_t bytes = 1; bytes < 3 << 20; bytes = bytes * 3 + bytes / 2 + 1) {
        check_and_free(shmem_malloc(bytes), bytes, _Alignof(max_align_t));
        check_and_free(shmem_calloc(bytes, 1), bytes, _Alignof(max_align_t));
        check_and_free(shmem_malloc_with_hints(bytes, 0), bytes, _Alignof(max_align_t));
        check_and_free(shmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE), bytes, 8);
        check_and_free(shmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE), bytes,
                       8);
        void *p = shmalloc(bytes);
        check_block(p, bytes, 8);
        shfree(p);
    }
    for (size_t align = sizeof(void *); align <= 1 << 20; align *= 2) {
        void *small = shmem_malloc(24); /* so that the next is not aligned by luck */
        check_and_free(shmem_align(align, 1), 1, align);
        check_and_free(shmem_align(align, align + 3), align + 3, align);
        check_and_free(shmemalign(align, 100), 100, align);
        void *a = shmem_align(align, 40), *b = shmem_align(align, 40);
        CHECK((uintptr_t)a % align == 0 && (uintptr_t)b % align == 0 && a != b, "two of alignment %zu", align);
        check_block(a, 40, align);
        check_block(b, 40, align);
        shmem_free(small);
        shmem_free(b);
        shmem_free(a);
    }

    /* realloc keeps the contents: in place, moving, shrinking; NULL and 0 are malloc and free. */
    uint32_t *r = shmem_realloc(NULL, 100 * sizeof *r);
    CHECK(r, "realloc of NULL");
    for (uint32_t i = 0; i < 100; i++)
        r[i] = (uint32_t)mix(i, (unsigned)me);
    for (size_t count = 100; count < 1 << 20; count *= 5) {
        void *fence = count % 500 ? shmem_malloc(16) : NULL; /* behind it, now and then: it must move */
        r = count % 2500 ? shrealloc(r, 5 * count * sizeof *r) : shmem_realloc(r, 5 * count * sizeof *r);
        CHECK(r, "realloc to %zu", 5 * count);
        for (size_t i = 0; i < 5 * count; i++) {
            CHECK(i >= count || r[i] == (uint32_t)mix(i, (unsigned)me), "realloc to %zu lost word %zu", 5 * count, i);
            r[i] = (uint32_t)mix(i, (unsigned)me);
        }
        shmem_barrier_all();
        uint32_t last = shmem_uint32_g(&r[5 * count - 1], (me + 1) % n);
        CHECK(last == (uint32_t)mix(5 * count - 1, (unsigned)(me + 1) % (unsigned)n),
              "realloc's new end at the next PE");
        shmem_free(fence);
    }
    r = shmem_realloc(r, 64);
    for (uint32_t i = 0; r && i < 16; i++)
        CHECK(r[i] == (uint32_t)mix(i, (unsigned)me), "shrinking lost word %u", i);
    CHECK(shmem_realloc(r, 0) == NULL, "realloc to 0 returns a pointer");
    for (int i = 0; i < 20; i++) { /* 8 GiB in all: it has freed what fits the heap once */
        void *p = shmem_malloc((size_t)400 << 20);
        CHECK(p && !shmem_realloc(p, 0), "realloc to 0 does not free");
    }

    /* Nothing happens, and nobody waits. */
    if (me == 0) {
        CHECK(!shmem_malloc(0) && !shmem_calloc(0, 8) && !shmem_calloc(8, 0) && !shmem_align(64, 0), "size 0");
        CHECK(!shmem_malloc_with_hints(0, SHMEM_MALLOC_SIGNAL_REMOTE) && !shmem_realloc(NULL, 0), "size 0");
        shmem_free(NULL);
    }

    /* The same calls give the same offsets on every PE, whatever lies where. */
    void *base = shmem_malloc(8);
    uintptr_t sum = 0;
    void *blocks[100] = {0};
    for (unsigned i = 0; i < 2000; i++) {
        unsigned long long x = mix(i, 7);
        void **b = &blocks[x % 100];
        if (*b) {
            shmem_free(*b);
            *b = NULL;
        } else {
            size_t bytes = 1 + (x >> 8) % (x & 0x80 ? 100 : 100000);
            *b = x & 0x40 ? shmem_malloc(bytes) : shmem_align(64u << (x >> 40) % 8, bytes);
            CHECK(*b, "no block");
            sum = sum * 31 + ((uintptr_t)*b - (uintptr_t)base);
        }
    }
    seen = sum;
    shmem_barrier_all();
    CHECK(shmem_ulong_g(&seen, (me + 1) % n) == sum, "offsets differ between PEs");
    shmem_barrier_all();
    for (int i = 0; i < 100; i++)
        shmem_free(blocks[i]);
    shmem_free(base);
    shmem_finalize();
    return 0;
}

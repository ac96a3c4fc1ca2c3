/* SPDX-License-Identifier: BSD-3-Clause */
/* Every small length at every alignment of both sides, with guard bytes; zero lengths, which must not move anything. */
#include <string.h>

#include "check.h"

enum { MAX = 70, OFFS = 17, ROOM = 128 };
static unsigned char area[ROOM], source[ROOM];

static void check_area(const char *what, int from, int to_off, int from_off, int len)
{
    for (int i = 0; i < ROOM; i++) {
        int in = i >= to_off && i < to_off + len;
        unsigned char want = in ? (unsigned char)mix((unsigned)from, (unsigned)(i - to_off + from_off)) : 0xee;
        CHECK(area[i] == want, "%s: dest+%d source+%d %d bytes: byte %d is %#x, not %#x", what, to_off, from_off, len,
              i, area[i], want);
    }
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    unsigned char *heap = shmem_malloc(ROOM);
    for (int i = 0; i < ROOM; i++)
        heap[i] = source[i] = (unsigned char)mix((unsigned)me, (unsigned)i);

    shmem_barrier_all();
    /* The getting side needs nobody else: every length at every alignment. */
    for (int a = 0; a < OFFS; a++)
        for (int b = 0; b < OFFS; b++)
            for (int len = 0; len < MAX; len += 1 + (a * b > 20) * 2) {
                memset(area, 0xee, ROOM);
                shmem_getmem(area + a, (len & 1 ? heap : source) + b, (size_t)len, to);
                check_area("getmem", to, a, b, len);
            }
    shmem_barrier_all();
    for (int a = 0; a < OFFS; a++)
        for (int b = 0; b < OFFS; b += 4) {
            int len = (a * 7 + b) % MAX;
            memset(area, 0xee, ROOM);
            shmem_barrier_all();
            shmem_putmem_nbi(area + a, source + b, (size_t)len, to);
            shmem_barrier_all();
            check_area("putmem_nbi", from, a, b, len);
        }

    /* Misaligned typed objects: RMA does not need alignment. */
    memset(area, 0xee, ROOM);
    shmem_barrier_all();
    long value;
    memcpy(&value, source + 3, sizeof value);
    shmem_long_p((long *)(void *)(area + 5), value, to);
    shmem_barrier_all();
    check_area("long_p", from, 5, 3, sizeof(long));

    /* Zero lengths. */
    memset(area, 0xee, ROOM);
    shmem_barrier_all();
    shmem_putmem(area, source, 0, to);
    shmem_putmem_nbi(area, source, 0, to);
    shmem_put64(area, source, 0, to);
    shmem_long_put((long *)(void *)area, (long *)(void *)source, 0, to);
    shmem_long_iput((long *)(void *)area, (long *)(void *)source, 1, 1, 0, to);
    shmem_long_ibput((long *)(void *)area, (long *)(void *)source, 2, 2, 2, 0, to);
    shmem_long_ibput((long *)(void *)area, (long *)(void *)source, 2, 2, 0, 3, to);
    shmem_putmem(area + ROOM - 1, source, 0, to);
    shmem_barrier_all();
    check_area("zero length", me, 0, 0, 0);
    shmem_getmem(area, source, 0, to);
    shmem_getmem_nbi(area, source, 0, to);
    shmem_long_iget((long *)(void *)area, (long *)(void *)source, 1, 1, 0, to);
    shmem_long_ibget((long *)(void *)area, (long *)(void *)source, 2, 2, 2, 0, to);
    shmem_quiet();
    check_area("zero length", me, 0, 0, 0);

    /* The very same object on both sides. */
    shmem_putmem(source, source, ROOM, me);
    shmem_getmem(source, source, ROOM, me);
    for (int i = 0; i < ROOM; i++)
        CHECK(source[i] == (unsigned char)mix((unsigned)me, (unsigned)i), "self copy changed byte %d", i);
    shmem_barrier_all();
    shmem_free(heap);
    shmem_finalize();
    return 0;
}

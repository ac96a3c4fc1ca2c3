/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls by element size (8 to 128 bits) and by bytes, both forms, with put-with-signal; guards around every
 * range. */
#include <string.h>

#include "check.h"

enum { LEN = 33, SEG = 1024, STRIDED = 20, BSIZE = 3, NBLOCKS = 5 }; /* SEG in bytes: 64 elements of 128 bits */
enum { PUT, PUT_NBI, IPUT, IBPUT, PUT_SIGNAL, PUT_SIGNAL_NBI, SEGS };

static int me, n, use_ctx;
static shmem_ctx_t ctx;
static uint64_t sig[2];
static unsigned char dest[SEGS][SEG], source[SEG], got[4][SEG];

#define CALL(NAME, ...) (use_ctx ? shmem_ctx_##NAME(ctx, __VA_ARGS__, n - 1 - pe) : shmem_##NAME(__VA_ARGS__, pe))

static unsigned char byte_of(int pe, size_t i)
{
    return (unsigned char)(mix((unsigned)pe, i) | 1);
}

/* What byte i of a segment must be after a strided copy from PE pe; elements of size bytes, blocks of bsize. */
static unsigned char strided(int pe, size_t i, size_t size, size_t to, size_t from, size_t bsize, size_t blocks)
{
    size_t e = i / size, block = e / to, in = e % to;
    return block < blocks && in < bsize ? byte_of(pe, (block * from + in) * size + i % size) : 0;
}

static void same(const char *name, int pe, size_t i, unsigned char is, unsigned char want)
{
    CHECK(is == want, "%s: byte %zu is %d, not %d (target %d, ctx %d)", name, i, is, want, pe, use_ctx);
}

static void begin(void)
{
    for (size_t i = 0; i < SEG; i++)
        source[i] = byte_of(me, i);
    memset(dest, 0, sizeof dest);
    memset(got, 0, sizeof got);
    sig[0] = 0;
    sig[1] = 7;
    shmem_barrier_all();
}

static void end(int pe, int from, size_t size, const char *name)
{
    shmem_signal_wait_until(&sig[0], SHMEM_CMP_EQ, 5);
    shmem_signal_wait_until(&sig[1], SHMEM_CMP_EQ, 10);
    if (use_ctx)
        shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    for (size_t i = 0; i < SEG; i++) {
        unsigned char want = i < LEN * size ? byte_of(from, i) : 0;
        same(name, pe, i, dest[PUT][i], want);
        same(name, pe, i, dest[PUT_NBI][i], want);
        same(name, pe, i, dest[PUT_SIGNAL][i], want);
        same(name, pe, i, dest[PUT_SIGNAL_NBI][i], want);
        want = i < LEN * size ? byte_of(pe, i) : 0;
        same(name, pe, i, got[0][i], want);
        same(name, pe, i, got[1][i], want);
    }
}

static void end_strided(int pe, int from, size_t size, const char *name)
{
    for (size_t i = 0; i < SEG; i++) {
        same(name, pe, i, dest[IPUT][i], strided(from, i, size, 2, 3, 1, STRIDED));
        same(name, pe, i, dest[IBPUT][i], strided(from, i, size, 4, 5, BSIZE, NBLOCKS));
        same(name, pe, i, got[2][i], strided(pe, i, size, 3, 2, 1, STRIDED));
        same(name, pe, i, got[3][i], strided(pe, i, size, 5, 4, BSIZE, NBLOCKS));
    }
}

#define BULK(P, G)                                                                         \
    CALL(P, dest[PUT], source, LEN);                                                       \
    CALL(P##_nbi, dest[PUT_NBI], source, LEN);                                             \
    CALL(P##_signal, dest[PUT_SIGNAL], source, LEN, &sig[0], 5, SHMEM_SIGNAL_SET);         \
    CALL(P##_signal_nbi, dest[PUT_SIGNAL_NBI], source, LEN, &sig[1], 3, SHMEM_SIGNAL_ADD); \
    CALL(G, got[0], source, LEN);                                                          \
    CALL(G##_nbi, got[1], source, LEN);

#define TEST(A, S)                                                 \
    static void test_##S(int pe, int from)                         \
    {                                                              \
        begin();                                                   \
        BULK(put##S, get##S)                                       \
        CALL(iput##S, dest[IPUT], source, 2, 3, STRIDED);          \
        CALL(ibput##S, dest[IBPUT], source, 4, 5, BSIZE, NBLOCKS); \
        CALL(iget##S, got[2], source, 3, 2, STRIDED);              \
        CALL(ibget##S, got[3], source, 5, 4, BSIZE, NBLOCKS);      \
        end(pe, from, S / 8, #S " bits");                          \
        end_strided(pe, from, S / 8, #S " bits, strided");         \
        shmem_barrier_all();                                       \
    }
SHMEMI_SIZES(TEST, )

static void test_mem(int pe, int from)
{
    begin();
    BULK(putmem, getmem)
    end(pe, from, 1, "mem");
    shmem_barrier_all();
}

int main(void)
{
    shmem_team_t reversed;
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    CHECK(shmem_team_create_ctx(reversed, 0, &ctx) == 0, "no context");
    for (use_ctx = 0; use_ctx < 2; use_ctx++)
        for (int self = 0; self < 2; self++) {
            int pe = self ? me : (me + 1) % n, from = self ? me : (me + n - 1) % n;
#define RUN(A, S) test_##S(pe, from);
            SHMEMI_SIZES(RUN, )
            test_mem(pe, from);
        }
    shmem_finalize();
    return 0;
}

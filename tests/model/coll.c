/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of random teams, several in a row without barriers: a PE that is not in a team goes on to the next. */
#include "model.h"

static uint64_t load(const unsigned char *p, size_t w)
{
    uint64_t v = 0;
    memcpy(&v, p, w);
    return v;
}

enum { BROADCAST, FCOLLECT, COLLECT, ALLTOALL, ALLTOALLS, REDUCE, SCAN, SYNC, KINDS };
enum { SUM, PROD, AND, OR, XOR, MIN, MAX, OPERATIONS };

static uint64_t combine(int op, uint64_t a, uint64_t b)
{
    switch (op) {
    case SUM: return a + b;
    case PROD: return a * b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case MIN: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

#define REDUCE_TABLE(N)                                                                                                \
    static int (*const N##_table[OPERATIONS])(shmem_team_t, N##_t *, const N##_t *, size_t) = {                        \
        shmem_##N##_sum_reduce, shmem_##N##_prod_reduce, shmem_##N##_and_reduce, shmem_##N##_or_reduce,                \
        shmem_##N##_xor_reduce, shmem_##N##_min_reduce, shmem_##N##_max_reduce};
REDUCE_TABLE(uint8)
REDUCE_TABLE(uint16)
REDUCE_TABLE(uint32)
REDUCE_TABLE(uint64)

static void call_reduce(int op, size_t w, shmem_team_t t, void *d, const void *s, size_t k)
{
    int rc = w == 1 ? uint8_table[op](t, d, s, k)
           : w == 2 ? uint16_table[op](t, d, s, k) : w == 4 ? uint32_table[op](t, d, s, k) : uint64_table[op](t, d, s, k);
    EXPECT(rc == 0, "reduction");
}

static void call_scan(int inclusive, size_t w, shmem_team_t t, void *d, const void *s, size_t k)
{
#define SCAN_OF(N) (inclusive ? shmem_##N##_sum_inscan : shmem_##N##_sum_exscan)(t, d, s, k)
    EXPECT((w == 1 ? SCAN_OF(uint8) : w == 2 ? SCAN_OF(uint16) : w == 4 ? SCAN_OF(uint32) : SCAN_OF(uint64)) == 0, "scan");
}

static void one(const struct team *t)
{
    if (t->n == 0)
        return;
    int kind = (int)pick(KINDS), s = pick_block(64, -1), d = pick_block(64, s), my = rank_in(t, me);
    size_t w = (size_t)1 << pick(4), members = (size_t)t->n;
    ptrdiff_t dst = 1, sst = 1;
    int op = (int)pick(OPERATIONS), root = (int)pick(members), inclusive = (int)pick(2), in_place = pick(3) == 0;
    uint64_t key = rng_next(&dice);
    if (s < 0 || d < 0)
        return;
    if (in_place && (kind == REDUCE || kind == SCAN))
        d = s;
    if (kind == ALLTOALLS) {
        dst = 1 + (ptrdiff_t)pick(3);
        sst = 1 + (ptrdiff_t)pick(3);
    }
    /* elements that each gives; `parts` of them must fit the source, and `all` the dest */
    size_t parts = kind == ALLTOALL || kind == ALLTOALLS ? members : 1;
    size_t all = kind == BROADCAST || kind == REDUCE || kind == SCAN ? 1 : members;
    size_t most = blocks[s].size / (w * parts * (size_t)sst), fits = blocks[d].size / (w * all * (size_t)dst);
    size_t nelems = pick((most < fits ? most : fits) + 1), limit = 1 + pick(30);
    if (pick(2) && nelems > limit)
        nelems = limit; /* small ones go another way */
    DOING("collective %d of %zu x %zu bytes over %d PEs, blocks %d and %d", kind, nelems, w, t->n, s, d);
    /* Each member fills its source just before. */
    size_t given = nelems * parts * (size_t)sst * w;
    for (int r = 0; r < t->n; r++)
        pattern_fill(blocks[s].model[t->pe[r]], key, t->pe[r], given);
    unsigned char *source = blocks[s].at, *dest = blocks[d].at;
    if (my >= 0)
        memcpy(source, blocks[s].model[me], given);
#define SHARE(r)  (mix(key, (uint64_t)(r)) % 3 ? (size_t)(mix(key, (uint64_t)(r) + 100) % (nelems + 1)) : 0)
#define SRC(r)    (blocks[s].model[t->pe[r]])
#define DEST(r)   (blocks[d].model[t->pe[r]])
#define BY_SIZE(F) (w == 1 ? F(8) : w == 2 ? F(16) : w == 4 ? F(32) : F(64))
    switch (kind) {
    case BROADCAST:
#define CALL(S) shmem_uint##S##_broadcast(t->handle, (void *)dest, (void *)source, nelems, root)
        if (my >= 0)
            EXPECT(BY_SIZE(CALL) == 0, "broadcast");
#undef CALL
        for (int r = 0; r < t->n; r++)
            memcpy(DEST(r), SRC(root), nelems * w);
        break;
    case FCOLLECT:
#define CALL(S) shmem_uint##S##_fcollect(t->handle, (void *)dest, (void *)source, nelems)
        if (my >= 0)
            EXPECT(BY_SIZE(CALL) == 0, "fcollect");
#undef CALL
        for (int r = 0; r < t->n; r++)
            for (int q = 0; q < t->n; q++)
                memcpy(DEST(r) + (size_t)q * nelems * w, SRC(q), nelems * w);
        break;
    case COLLECT:
#define CALL(S) shmem_uint##S##_collect(t->handle, (void *)dest, (void *)source, SHARE(my))
        if (my >= 0)
            EXPECT(BY_SIZE(CALL) == 0, "collect");
#undef CALL
        for (int r = 0; r < t->n; r++) {
            size_t at = 0;
            for (int q = 0; q < t->n; at += SHARE(q) * w, q++)
                memcpy(DEST(r) + at, SRC(q), SHARE(q) * w);
        }
        break;
    case ALLTOALL:
    case ALLTOALLS:
#define CALL(S)                                                                                                        \
    (kind == ALLTOALL ? shmem_uint##S##_alltoall(t->handle, (void *)dest, (void *)source, nelems)                      \
                      : shmem_uint##S##_alltoalls(t->handle, (void *)dest, (void *)source, dst, sst, nelems))
        if (my >= 0)
            EXPECT(BY_SIZE(CALL) == 0, "alltoall");
#undef CALL
        for (int r = 0; r < t->n; r++)
            for (size_t i = 0; i < nelems * members; i++) {
                size_t from = (size_t)r * nelems + i % nelems;
                memcpy(DEST(r) + i * (size_t)dst * w, SRC(i / nelems) + from * (size_t)sst * w, w);
            }
        break;
    case REDUCE:
    case SCAN:
        if (my >= 0 && kind == REDUCE)
            call_reduce(op, w, t->handle, dest, source, nelems);
        else if (my >= 0)
            call_scan(inclusive, w, t->handle, dest, source, nelems);
        for (size_t i = 0; i < nelems; i++) {
            uint64_t acc = load(SRC(0) + i * w, w), total = acc, prefix = 0;
            for (int r = 1; kind == REDUCE && r < t->n; r++)
                total = combine(op, total, load(SRC(r) + i * w, w));
            for (int r = 0; r < t->n; r++) {
                uint64_t mine = load(SRC(r) + i * w, w); /* before dest, which may be source, gets its value */
                uint64_t v = kind == REDUCE ? total : inclusive ? prefix + mine : prefix;
                prefix += mine;
                memcpy(DEST(r) + i * w, &v, w); /* the low bytes: this is for little-endian machines */
            }
        }
        break;
    default:
        if (my >= 0)
            EXPECT(shmem_team_sync(t->handle) == 0, "sync");
    }
}

void coll_round(void)
{
    for (size_t calls = 1 + pick(5); calls > 0; calls--)
        one(&teams[pick(TEAMS)]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every reduction and scan of every type, in place and not, sizes around each internal limit, against a fold over what
 * all PEs gave. The values are such that every type computes them exactly, and alike on every compiler. */
#include "coll.h"

struct calls {
    const char *name;
    size_t size;
    int (*call)(shmem_team_t, void *, const void *, size_t);
    void (*make)(void *to, uint64_t key, int pe, size_t i); /* element i of what pe gives */
    void (*fold)(void *acc, const void *in);
    int (*same)(const void *a, const void *b);
};

/* A few small numbers, so that sums and products are exact; whole random words for the other operations. */
#define TYPED(A, N, T)                                                                                                 \
    static void N##_small(void *to, uint64_t key, int pe, size_t i)                                                    \
    {                                                                                                                  \
        *(T *)to = (T)(mix(key * 1024 + (uint64_t)pe, i) % 7);                                                         \
    }                                                                                                                  \
    static void N##_unit(void *to, uint64_t key, int pe, size_t i)                                                     \
    {                                                                                                                  \
        *(T *)to = (T)(mix(key * 1024 + (uint64_t)pe, i) % 2 + 1);                                                     \
    }                                                                                                                  \
    static int N##_same(const void *a, const void *b)                                                                  \
    {                                                                                                                  \
        return *(const T *)a == *(const T *)b;                                                                         \
    }
SHMEMI_SUM_REDUCE_TYPES(TYPED, )

#define WIDE(A, N, T)                                                                                                  \
    static void N##_wide(void *to, uint64_t key, int pe, size_t i)                                                     \
    {                                                                                                                  \
        *(T *)to = (T)(int64_t)mix(key * 1024 + (uint64_t)pe, i); \
    }
SHMEMI_RMA_TYPES(WIDE, )

#define WRAP(N, T, OP, EXPR)                                                                                           \
    static int N##_##OP##_call(shmem_team_t t, void *d, const void *s, size_t n)                                       \
    {                                                                                                                  \
        return shmem_##N##_##OP(t, d, s, n);                                                                           \
    }                                                                                                                  \
    static void N##_##OP##_fold(void *acc, const void *in)                                                             \
    {                                                                                                                  \
        T a = *(T *)acc, b = *(const T *)in;                                                                           \
        *(T *)acc = (T)(EXPR);                                                                                         \
    }
#define BIT(A, N, T)                                                                                                   \
    WRAP(N, T, and_reduce, a & b)                                                                                      \
    WRAP(N, T, or_reduce, a | b)                                                                                       \
    WRAP(N, T, xor_reduce, a ^ b)
#define MINMAX(A, N, T)                                                                                                \
    WRAP(N, T, min_reduce, a < b ? a : b)                                                                              \
    WRAP(N, T, max_reduce, a > b ? a : b)
#define SUM(A, N, T)                                                                                                   \
    WRAP(N, T, sum_reduce, a + b)                                                                                      \
    WRAP(N, T, prod_reduce, a * b)                                                                                     \
    WRAP(N, T, sum_inscan, a + b)                                                                                      \
    WRAP(N, T, sum_exscan, a + b)
SHMEMI_BIT_REDUCE_TYPES(BIT, )
SHMEMI_RMA_TYPES(MINMAX, )
SHMEMI_SUM_REDUCE_TYPES(SUM, )

#define ROW(N, T, OP, MAKE) {#N "_" #OP, sizeof(T), N##_##OP##_call, N##_##MAKE, N##_##OP##_fold, N##_same},
#define BIT_ROWS(A, N, T)    ROW(N, T, and_reduce, wide) ROW(N, T, or_reduce, wide) ROW(N, T, xor_reduce, wide)
#define MINMAX_ROWS(A, N, T) ROW(N, T, min_reduce, wide) ROW(N, T, max_reduce, wide)
#define SUM_ROWS(A, N, T)    ROW(N, T, sum_reduce, small) ROW(N, T, prod_reduce, unit)
#define INSCAN_ROW(A, N, T)  ROW(N, T, sum_inscan, small)
#define EXSCAN_ROW(A, N, T)  ROW(N, T, sum_exscan, small)
static const struct calls reductions[] = {
    SHMEMI_BIT_REDUCE_TYPES(BIT_ROWS, ) SHMEMI_RMA_TYPES(MINMAX_ROWS, ) SHMEMI_SUM_REDUCE_TYPES(SUM_ROWS, )};
static const struct calls inscans[] = {SHMEMI_SUM_REDUCE_TYPES(INSCAN_ROW, )};
static const struct calls exscans[] = {SHMEMI_SUM_REDUCE_TYPES(EXSCAN_ROW, )};

enum { MAX_BYTES = 9200 };
static unsigned char *arrays[2];
static uint64_t key;
static int me, n;

/* from, to: the ranks whose elements the result on this PE is made of (to excluded). */
static void run(const struct calls *c, size_t nelems, int in_place, int from, int to)
{
    size_t w = c->size;
    unsigned char *source = arrays[0], *dest = in_place ? arrays[0] : arrays[1];
    key++;
    memset(dest, GUARD, nelems * w + GUARD_BYTES);
    for (size_t i = 0; i < nelems; i++)
        c->make(source + i * w, key, me, i);
    CHECK(c->call(SHMEM_TEAM_WORLD, dest, source, nelems) == 0, "%s", c->name);
    for (size_t i = 0; i < nelems; i++) {
        _Alignas(16) unsigned char acc[16] = {0}, in[16];
        for (int r = from; r < to; r++) {
            c->make(r == from ? acc : in, key, r, i);
            if (r > from)
                c->fold(acc, in);
        }
        CHECK(c->same(dest + i * w, acc), "%s of %zu elements, %s: element %zu is wrong", c->name, nelems,
              in_place ? "in place" : "apart", i);
    }
    CHECK(all_guard(dest + nelems * w, GUARD_BYTES), "%s of %zu elements writes behind its end", c->name, nelems);
}

/* A prefix: 1 inclusive, 0 exclusive, -1 a reduction. */
static void run_all(const struct calls *c, size_t rows, int prefix)
{
    for (; rows > 0; rows--, c++) {
        size_t w = c->size;
        const size_t counts[] = {0, 1, 5, 120 / w, 120 / w + 1, 4096 / w, 4096 / w + 1, 9001 / w};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            for (int in_place = 0; in_place < 2; in_place++)
                run(c, counts[i], in_place, 0, prefix < 0 ? n : me + prefix);
    }
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    for (int i = 0; i < 2; i++) {
        arrays[i] = shmem_align(64, MAX_BYTES + GUARD_BYTES);
        CHECK(arrays[i] != NULL, "no memory");
    }
#define ALL(table, prefix) run_all(table, sizeof table / sizeof table[0], prefix)
    ALL(reductions, -1);
    ALL(inscans, 1);
    ALL(exscans, 0);
    for (int i = 0; i < 2; i++)
        shmem_free(arrays[i]);
    shmem_finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every deprecated reduction, over active sets of each stride: in place and apart, none, few and many elements; pSync is
 * clean at return and two pairs of work arrays are used by turns. */
#include "coll.h"

enum { MAX = 1100 };

static long psync[2][SHMEM_REDUCE_SYNC_SIZE], psync_barrier[SHMEM_BARRIER_SYNC_SIZE];
static long double work[2][MAX / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static _Alignas(16) unsigned char arrays[2][MAX * 16 + GUARD_BYTES];
static uint64_t key;

struct set {
    int start, log, size, me;
};

struct calls {
    const char *name;
    size_t size;
    void (*call)(void *, const void *, int, const struct set *, void *, long *);
    void (*make)(void *to, uint64_t key, int pe, size_t i);
    void (*fold)(void *acc, const void *in);
    int (*same)(const void *a, const void *b);
};

#define TYPED(A, N, T)                                                                                                 \
    static void N##_unit(void *to, uint64_t k, int pe, size_t i)                                                       \
    {                                                                                                                  \
        *(T *)to = (T)(mix(k * 1024 + (uint64_t)pe, i) % 2 + 1);                                                       \
    }                                                                                                                  \
    static int N##_same(const void *a, const void *b)                                                                  \
    {                                                                                                                  \
        return *(const T *)a == *(const T *)b;                                                                         \
    }
SHMEMI_OLD_SUM_REDUCE_TYPES(TYPED, )
#define WIDE(A, N, T)                                                                                                  \
    static void N##_wide(void *to, uint64_t k, int pe, size_t i)                                                       \
    {                                                                                                                  \
        *(T *)to = (T)(int64_t)mix(k * 1024 + (uint64_t)pe, i);                                                        \
    }
SHMEMI_OLD_MINMAX_REDUCE_TYPES(WIDE, )

#define WRAP(N, T, OP, EXPR)                                                                                           \
    static void N##_##OP##_call(void *d, const void *s, int n, const struct set *a, void *wrk, long *sync)             \
    {                                                                                                                  \
        shmem_##N##_##OP##_to_all(d, s, n, a->start, a->log, a->size, wrk, sync);                                      \
    }                                                                                                                  \
    static void N##_##OP##_fold(void *acc, const void *in)                                                             \
    {                                                                                                                  \
        T a = *(T *)acc, b = *(const T *)in;                                                                           \
        *(T *)acc = (T)(EXPR);                                                                                         \
    }
#define BIT(A, N, T)    WRAP(N, T, and, a & b) WRAP(N, T, or, a | b) WRAP(N, T, xor, a ^ b)
#define MINMAX(A, N, T) WRAP(N, T, min, a < b ? a : b) WRAP(N, T, max, a > b ? a : b)
#define SUM(A, N, T)    WRAP(N, T, sum, a + b) WRAP(N, T, prod, a * b)
SHMEMI_OLD_BIT_REDUCE_TYPES(BIT, )
SHMEMI_OLD_MINMAX_REDUCE_TYPES(MINMAX, )
SHMEMI_OLD_SUM_REDUCE_TYPES(SUM, )

#define ROW(N, T, OP, MAKE)  {#N "_" #OP "_to_all", sizeof(T), N##_##OP##_call, N##_##MAKE, N##_##OP##_fold, N##_same},
#define BIT_ROWS(A, N, T)    ROW(N, T, and, wide) ROW(N, T, or, wide) ROW(N, T, xor, wide)
#define MINMAX_ROWS(A, N, T) ROW(N, T, min, wide) ROW(N, T, max, wide)
#define SUM_ROWS(A, N, T)    ROW(N, T, sum, unit) ROW(N, T, prod, unit)
static const struct calls table[] = {SHMEMI_OLD_BIT_REDUCE_TYPES(BIT_ROWS, ) SHMEMI_OLD_MINMAX_REDUCE_TYPES(MINMAX_ROWS, )
                                         SHMEMI_OLD_SUM_REDUCE_TYPES(SUM_ROWS, )};

static void run(const struct calls *c, const struct set *s, int nreduce, int in_place)
{
    size_t w = c->size;
    unsigned char *source = arrays[0], *dest = arrays[!in_place];
    long *sync = psync[key % 2];
    memset(dest, GUARD, (size_t)nreduce * w + GUARD_BYTES);
    for (size_t i = 0; i < (size_t)nreduce; i++)
        c->make(source + i * w, key, shmem_my_pe(), i);
    c->call(dest, source, nreduce, s, work[key % 2], sync);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        CHECK(sync[i] == SHMEM_SYNC_VALUE, "%s: pSync[%d] is %ld at return", c->name, i, sync[i]);
    for (size_t i = 0; i < (size_t)nreduce; i++) {
        _Alignas(16) unsigned char acc[16], in[16];
        c->make(acc, key, s->start, i);
        for (int r = 1; r < s->size; r++) {
            c->make(in, key, s->start + (r << s->log), i);
            c->fold(acc, in);
        }
        CHECK(c->same(dest + i * w, acc), "%s of %d elements: element %zu is wrong", c->name, nreduce, i);
    }
    CHECK(all_guard(dest + (size_t)nreduce * w, GUARD_BYTES), "%s writes behind its end", c->name);
    key++;
}

int main(void)
{
    static const int counts[] = {0, 1, 33, MAX};
    shmem_init();
    int n = shmem_n_pes(), me = shmem_my_pe();
    for (int log = 0; 1 << log <= n; log++)
        for (int start = 0; start < n && start < 2; start++) {
            int size = ((n - 1 - start) >> log) + 1;
            struct set s = {start, log, size, (me - start) >> log};
            if (me >= start && (me - start) % (1 << log) == 0)
                for (size_t row = 0; row < sizeof table / sizeof table[0]; row++)
                    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                        run(&table[row], &s, counts[i], (int)((row + i) % 2));
            shmem_barrier(0, 0, n, psync_barrier);
            key = 1000 * (uint64_t)(log * 2 + start + 1);
        }
    shmem_finalize();
    return 0;
}

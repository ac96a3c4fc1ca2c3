/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets of every kind. In a round one block is written, each PE having its own slice of everybody's copy; others
 * are only read, anywhere. */
#include "model.h"

struct calls {
    const char *name;
    size_t size;
    void (*put)(const struct via *, void *, const void *, size_t);
    void (*get)(const struct via *, void *, const void *, size_t);
    void (*put_nbi)(const struct via *, void *, const void *, size_t);
    void (*get_nbi)(const struct via *, void *, const void *, size_t);
    void (*iput)(const struct via *, void *, const void *, ptrdiff_t, ptrdiff_t, size_t);
    void (*iget)(const struct via *, void *, const void *, ptrdiff_t, ptrdiff_t, size_t);
    void (*ibput)(const struct via *, void *, const void *, ptrdiff_t, ptrdiff_t, size_t, size_t);
    void (*ibget)(const struct via *, void *, const void *, ptrdiff_t, ptrdiff_t, size_t, size_t);
    void (*p)(const struct via *, void *, const void *);
    void (*g)(const struct via *, void *, const void *);
};

/* F names the call with a context, G without: both are used. */
#define BULK(W, OP, F, G)                                                                                              \
    static void W##_##OP(const struct via *v, void *d, const void *s, size_t k)                                        \
    {                                                                                                                  \
        if (v->team == DEFAULT_CTX)                                                                                    \
            G(d, s, k, v->pe);                                                                                         \
        else                                                                                                           \
            F(v->ctx, d, s, k, v->pe);                                                                                 \
    }
#define STRIDED(W, OP, F, G)                                                                                           \
    static void W##_##OP(const struct via *v, void *d, const void *s, ptrdiff_t dst, ptrdiff_t sst, size_t k)          \
    {                                                                                                                  \
        if (v->team == DEFAULT_CTX)                                                                                    \
            G(d, s, dst, sst, k, v->pe);                                                                               \
        else                                                                                                           \
            F(v->ctx, d, s, dst, sst, k, v->pe);                                                                       \
    }
#define BLOCKED(W, OP, F, G)                                                                                           \
    static void W##_##OP(const struct via *v, void *d, const void *s, ptrdiff_t dst, ptrdiff_t sst, size_t b, size_t k) \
    {                                                                                                                  \
        if (v->team == DEFAULT_CTX)                                                                                    \
            G(d, s, dst, sst, b, k, v->pe);                                                                            \
        else                                                                                                           \
            F(v->ctx, d, s, dst, sst, b, k, v->pe);                                                                    \
    }
#define TYPED(A, N, T)                                                                                                 \
    BULK(N, put, shmem_ctx_##N##_put, shmem_##N##_put)                                                                 \
    BULK(N, get, shmem_ctx_##N##_get, shmem_##N##_get)                                                                 \
    BULK(N, put_nbi, shmem_ctx_##N##_put_nbi, shmem_##N##_put_nbi)                                                     \
    BULK(N, get_nbi, shmem_ctx_##N##_get_nbi, shmem_##N##_get_nbi)                                                     \
    STRIDED(N, iput, shmem_ctx_##N##_iput, shmem_##N##_iput)                                                           \
    STRIDED(N, iget, shmem_ctx_##N##_iget, shmem_##N##_iget)                                                           \
    BLOCKED(N, ibput, shmem_ctx_##N##_ibput, shmem_##N##_ibput)                                                        \
    BLOCKED(N, ibget, shmem_ctx_##N##_ibget, shmem_##N##_ibget)                                                        \
    static void N##_p(const struct via *v, void *d, const void *s)                                                     \
    {                                                                                                                  \
        T value;                                                                                                       \
        memcpy(&value, s, sizeof value);                                                                               \
        shmem_ctx_##N##_p(v->ctx, d, value, v->pe);                                                                    \
    }                                                                                                                  \
    static void N##_g(const struct via *v, void *d, const void *s)                                                     \
    {                                                                                                                  \
        T value = shmem_ctx_##N##_g(v->ctx, s, v->pe);                                                                 \
        memcpy(d, &value, sizeof value);                                                                               \
    }
/* Integers: floating values passed by value may change their bits on the way. */
#define MODEL_TYPES(X)                                                                                                 \
    SHMEMI_C_SIGNED(X, ) SHMEMI_C_UNSIGNED(X, ) SHMEMI_FIXED_TYPES(X, ) X(, char, char) X(, size, size_t)              \
    X(, ptrdiff, ptrdiff_t)
MODEL_TYPES(TYPED)
#define SIZED(A, S)                                                                                                    \
    BULK(s##S, put, shmem_ctx_put##S, shmem_put##S)                                                                    \
    BULK(s##S, get, shmem_ctx_get##S, shmem_get##S)                                                                    \
    BULK(s##S, put_nbi, shmem_ctx_put##S##_nbi, shmem_put##S##_nbi)                                                    \
    BULK(s##S, get_nbi, shmem_ctx_get##S##_nbi, shmem_get##S##_nbi)                                                    \
    STRIDED(s##S, iput, shmem_ctx_iput##S, shmem_iput##S)                                                              \
    STRIDED(s##S, iget, shmem_ctx_iget##S, shmem_iget##S)                                                              \
    BLOCKED(s##S, ibput, shmem_ctx_ibput##S, shmem_ibput##S)                                                           \
    BLOCKED(s##S, ibget, shmem_ctx_ibget##S, shmem_ibget##S)
SHMEMI_SIZES(SIZED, )
BULK(mem, put, shmem_ctx_putmem, shmem_putmem)
BULK(mem, get, shmem_ctx_getmem, shmem_getmem)
BULK(mem, put_nbi, shmem_ctx_putmem_nbi, shmem_putmem_nbi)
BULK(mem, get_nbi, shmem_ctx_getmem_nbi, shmem_getmem_nbi)

#define COMMON(W, SIZE)  SIZE, W##_put, W##_get, W##_put_nbi, W##_get_nbi, W##_iput, W##_iget, W##_ibput, W##_ibget
#define TYPE_ROW(A, N, T) {#N, COMMON(N, sizeof(T)), N##_p, N##_g},
#define SIZE_ROW(A, S)    {#S, COMMON(s##S, S / 8), NULL, NULL},
static const struct calls table[] = {MODEL_TYPES(TYPE_ROW) SHMEMI_SIZES(SIZE_ROW, ){
    "mem", 1, mem_put, mem_get, mem_put_nbi, mem_get_nbi, NULL, NULL, NULL, NULL, NULL, NULL}};

enum { OPS = 8, LOCAL = 6000 };
/* One of each for every operation of this PE in a round: nonblocking ones need theirs until the end. */
static _Alignas(16) unsigned char out[OPS][LOCAL], in[OPS][LOCAL], want[OPS][LOCAL];

/* The shape of one transfer: blocks of bsize elements, to and from, strides between their starts. Plain ones have one
 * block, iput and iget have blocks of one. */
struct shape {
    size_t bsize, nblocks;
    ptrdiff_t far, near; /* strides in symmetric memory and in local memory */
};

static size_t span(const struct shape *s, ptrdiff_t stride, size_t w)
{
    return s->nblocks && s->bsize ? ((s->nblocks - 1) * (size_t)stride + s->bsize) * w : 0;
}

static void copy(const struct shape *s, size_t w, unsigned char *to, ptrdiff_t dst, const unsigned char *from, ptrdiff_t sst)
{
    for (size_t i = 0; i < s->nblocks; i++)
        memcpy(to + i * (size_t)dst * w, from + i * (size_t)sst * w, s->bsize * w);
}

enum kind { PUT, PUT_NBI, IPUT, IBPUT, P, GET, GET_NBI, IGET, IBGET, G, KINDS };
static const char *const kind_names[KINDS] = {"put", "put_nbi", "iput", "ibput", "p", "get", "get_nbi", "iget", "ibget", "g"};

/* A transfer whose symmetric side fits room bytes. */
static struct shape pick_shape(enum kind kind, size_t w, size_t room)
{
    struct shape s = {1, 1, 1, 1};
    size_t most = (room < LOCAL ? room : LOCAL) / w, strides = 1 + pick(4), more = 1 + pick(4);
    switch (kind) {
    case P:
    case G: break;
    case PUT:
    case PUT_NBI:
    case GET:
    case GET_NBI: s.bsize = pick(most + 1); break;
    case IPUT:
    case IGET:
        s.far = (ptrdiff_t)strides;
        s.near = (ptrdiff_t)more;
        s.nblocks = pick((most + strides - 1) / strides + 1);
        break;
    default:
        s.bsize = 1 + pick(most < 9 ? most : 9);
        s.far = (ptrdiff_t)(s.bsize + strides - 1);
        s.near = (ptrdiff_t)(s.bsize + more - 1);
        s.nblocks = pick((most - s.bsize) / (size_t)s.far + 2);
    }
    while (span(&s, s.near, w) > LOCAL)
        s.nblocks--;
    return s;
}

static void issue(const struct calls *c, enum kind kind, const struct via *v, const struct shape *s, unsigned char *far,
                  unsigned char *local)
{
    switch (kind) {
    case PUT: c->put(v, far, local, s->bsize); break;
    case PUT_NBI: c->put_nbi(v, far, local, s->bsize); break;
    case IPUT: c->iput(v, far, local, s->far, s->near, s->nblocks); break;
    case IBPUT: c->ibput(v, far, local, s->far, s->near, s->bsize, s->nblocks); break;
    case P: c->p(v, far, local); break;
    case GET: c->get(v, local, far, s->bsize); break;
    case GET_NBI: c->get_nbi(v, local, far, s->bsize); break;
    case IGET: c->iget(v, local, far, s->near, s->far, s->nblocks); break;
    case IBGET: c->ibget(v, local, far, s->near, s->far, s->bsize, s->nblocks); break;
    default: c->g(v, local, far);
    }
}

static void one(int src, int op, int written, int turn)
{
    const struct calls *c = &table[pick(sizeof table / sizeof table[0])];
    enum kind kind = (enum kind)pick(KINDS);
    int target = (int)pick((size_t)n);
    struct via v = pick_via(src, target);
    size_t w = c->size;
    if ((!c->iput && kind != PUT_NBI && kind != GET_NBI) || (!c->p && (kind == P || kind == G)))
        kind = kind >= GET ? GET : PUT;
    /* Puts stay in this PE's slice. Gets go anywhere in another block, or read the slice back once it is quiet. */
    int get = kind >= GET, back = !get || pick(3) == 0, b = back ? written : pick_block(1, written);
    uint64_t key = rng_next(&dice);
    if (b < 0)
        return;
    const struct block *k = &blocks[b];
    size_t lo = 0, hi = k->size;
    if (back) {
        size_t part = (size_t)((src + turn) % n);
        lo = k->size * part / (size_t)n;
        hi = k->size * (part + 1) / (size_t)n;
    }
    lo = (lo + w - 1) / w * w + (pick(2) && hi > lo ? pick((hi - lo) / w + 1) * w : 0);
    if (lo + w > hi)
        return;
    struct shape s = pick_shape(kind, w, hi - lo);
    EXPECT(lo + span(&s, s.far, w) <= hi, "the test draws a transfer that does not fit");
    order(src, target, &v);
    if (get && back && src == me)
        finish();
    unsigned char *model = k->model[target] + lo;
    if (!get) {
        static unsigned char data[LOCAL];
        pattern_fill(data, key, src, span(&s, s.near, w));
        copy(&s, w, model, s.far, data, s.near);
    }
    if (src != me)
        return;
    DOING("%s of %zu x %zu %s to or from byte %zu of block %d on PE %d", kind_names[kind], s.nblocks, s.bsize, c->name, lo,
          b, target);
    if (!get) {
        pattern_fill(out[op], key, me, span(&s, s.near, w));
        issue(c, kind, &v, &s, k->at + lo, out[op]);
        return;
    }
    memset(in[op], GUARD, LOCAL);
    memset(want[op], GUARD, LOCAL);
    copy(&s, w, want[op], s.near, model, s.far);
    issue(c, kind, &v, &s, k->at + lo, in[op]);
    if (kind == GET_NBI && back)
        finish(); /* puts to the same place may follow, and no fence orders them behind a get */
    if (kind != GET_NBI)
        EXPECT(memcmp(in[op], want[op], LOCAL) == 0, "wrong data");
}

void rma_round(void)
{
    int written = pick_block(1, -1), turn = (int)pick((size_t)n), ops = 1 + (int)pick(OPS);
    memset(in, 0, sizeof in);
    memset(want, 0, sizeof want);
    for (int op = 0; op < ops; op++)
        for (int src = 0; src < n; src++)
            one(src, op, written, turn);
    finish();
    EXPECT(memcmp(in, want, sizeof in) == 0, "a nonblocking get has given other data");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics on the cells of one block. In a round each cell is either its owner's alone, with every operation and exact
 * results, or everybody's with one operation that commutes; what fetching ones then give is bounded by the cell's value
 * before and after the round. */
#include "model.h"

struct calls {
    const char *name;
    size_t size;
    int bitwise;
    uint64_t (*apply)(const struct via *, int op, void *at, uint64_t a, uint64_t b);
    void (*apply_nbi)(const struct via *, int op, void *fetch, void *at, uint64_t a, uint64_t b);
};

enum { FETCH, SET, SWAP, CSWAP, INC, FETCH_INC, ADD, FETCH_ADD, AND, FETCH_AND, OR, FETCH_OR, XOR, FETCH_XOR, OPS };
static const char *const names[OPS] = {"fetch", "set",       "swap", "compare_swap", "inc", "fetch_inc", "add", "fetch_add",
                                       "and",   "fetch_and", "or",   "fetch_or",     "xor", "fetch_xor"};

/* With the default context the calls without one. */
#define VIA(F, C, ...)  (v->team == DEFAULT_CTX ? F(__VA_ARGS__, v->pe) : C(v->ctx, __VA_ARGS__, v->pe))
#define X(N, OP, ...)   VIA(shmem_##N##_atomic_##OP, shmem_ctx_##N##_atomic_##OP, __VA_ARGS__)
#define PLAIN(N, T)                                                                                                    \
    case FETCH: return (uint64_t)X(N, fetch, (T *)at);                                                                 \
    case SET: X(N, set, (T *)at, (T)a); return 0;                                                                      \
    case SWAP: return (uint64_t)X(N, swap, (T *)at, (T)a);                                                             \
    case CSWAP: return (uint64_t)X(N, compare_swap, (T *)at, (T)b, (T)a);                                              \
    case INC: X(N, inc, (T *)at); return 0;                                                                            \
    case FETCH_INC: return (uint64_t)X(N, fetch_inc, (T *)at);                                                         \
    case ADD: X(N, add, (T *)at, (T)a); return 0;                                                                      \
    case FETCH_ADD: return (uint64_t)X(N, fetch_add, (T *)at, (T)a);
#define BITWISE(N, T)                                                                                                  \
    case AND: X(N, and, (T *)at, (T)a); return 0;                                                                      \
    case FETCH_AND: return (uint64_t)X(N, fetch_and, (T *)at, (T)a);                                                   \
    case OR: X(N, or, (T *)at, (T)a); return 0;                                                                        \
    case FETCH_OR: return (uint64_t)X(N, fetch_or, (T *)at, (T)a);                                                     \
    case XOR: X(N, xor, (T *)at, (T)a); return 0;                                                                      \
    case FETCH_XOR: return (uint64_t)X(N, fetch_xor, (T *)at, (T)a);
#define PLAIN_NBI(N, T)                                                                                                \
    case FETCH: X(N, fetch_nbi, (T *)fetch, (T *)at); break;                                                           \
    case SWAP: X(N, swap_nbi, (T *)fetch, (T *)at, (T)a); break;                                                       \
    case CSWAP: X(N, compare_swap_nbi, (T *)fetch, (T *)at, (T)b, (T)a); break;                                        \
    case FETCH_INC: X(N, fetch_inc_nbi, (T *)fetch, (T *)at); break;                                                   \
    case FETCH_ADD: X(N, fetch_add_nbi, (T *)fetch, (T *)at, (T)a); break;
#define BITWISE_NBI(N, T)                                                                                              \
    case FETCH_AND: X(N, fetch_and_nbi, (T *)fetch, (T *)at, (T)a); break;                                             \
    case FETCH_OR: X(N, fetch_or_nbi, (T *)fetch, (T *)at, (T)a); break;                                               \
    case FETCH_XOR: X(N, fetch_xor_nbi, (T *)fetch, (T *)at, (T)a); break;
#define NO(N, T)
#define DEFINE(N, T, BITS, BITS_NBI)                                                                                   \
    static uint64_t N##_apply(const struct via *v, int op, void *at, uint64_t a, uint64_t b)                           \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
            PLAIN(N, T)                                                                                                \
            BITS(N, T)                                                                                                 \
        default: abort();                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void N##_apply_nbi(const struct via *v, int op, void *fetch, void *at, uint64_t a, uint64_t b)              \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
            PLAIN_NBI(N, T)                                                                                            \
            BITS_NBI(N, T)                                                                                             \
        default: abort();                                                                                              \
        }                                                                                                              \
    }
#define DEFINE_BITWISE(A, N, T) DEFINE(N, T, BITWISE, BITWISE_NBI)
#define DEFINE_PLAIN(A, N, T)   DEFINE(N, T, NO, NO)
#define PLAIN_TYPES(D) D(, int, int) D(, long, long) D(, longlong, long long) D(, size, size_t) D(, ptrdiff, ptrdiff_t)
SHMEMI_AMO_BIT_TYPES(DEFINE_BITWISE, )
PLAIN_TYPES(DEFINE_PLAIN)

#define BITWISE_ROW(A, N, T) {#N, sizeof(T), 1, N##_apply, N##_apply_nbi},
#define PLAIN_ROW(A, N, T)   {#N, sizeof(T), 0, N##_apply, N##_apply_nbi},
static const struct calls table[] = {SHMEMI_AMO_BIT_TYPES(BITWISE_ROW, ) PLAIN_TYPES(PLAIN_ROW)};

enum class { OWNED, ADDED, ANDED, ORED, XORED, TICKETS, CLASSES };

static uint64_t cut(uint64_t v, size_t w)
{
    return w == 4 ? (uint32_t)v : v;
}

static uint64_t load(const unsigned char *p, size_t w)
{
    uint64_t v = 0;
    memcpy(&v, p, w); /* little-endian */
    return v;
}

static uint64_t after(int op, uint64_t was, uint64_t a, uint64_t b)
{
    switch (op) {
    case SET:
    case SWAP: return a;
    case CSWAP: return was == b ? a : was;
    case INC:
    case FETCH_INC: return was + 1;
    case ADD:
    case FETCH_ADD: return was + a;
    case AND:
    case FETCH_AND: return was & a;
    case OR:
    case FETCH_OR: return was | a;
    case XOR:
    case FETCH_XOR: return was ^ a;
    default: return was;
    }
}

static int fetches(int op)
{
    return op == FETCH || op == SWAP || op == CSWAP || (op >= FETCH_INC && op % 2 == 1);
}

/* What this PE fetched, to be judged at the end of the round. exact: the value must be want. */
struct note {
    int op, target, exact;
    enum class class;
    size_t cell, w;
    uint64_t got, want;
};
enum { NOTES = 64 };
static struct note notes[NOTES];
static int count;
static unsigned char start[PES][BLOCK_MAX];

static int pick_op(enum class class, int bitwise)
{
    switch (class) {
    case OWNED: return (int)pick(bitwise ? OPS : FETCH_ADD + 1);
    case ADDED: return INC + (int)pick(4);
    case ANDED: return AND + (int)pick(2);
    case ORED: return OR + (int)pick(2);
    case XORED: return XOR + (int)pick(2);
    default: return FETCH_INC;
    }
}

static void one(int src, int b, uint64_t key)
{
    const struct calls *c = &table[pick(sizeof table / sizeof table[0])];
    int target = (int)pick((size_t)n);
    struct via v = pick_via(src, target);
    size_t cells = blocks[b].size / 8, cell = pick(cells < 5 || pick(2) ? cells : 5);
    enum class class = (enum class)(mix(key, cell) % CLASSES);
    int owner = (int)(mix(key, cell + BLOCK_MAX) % (uint64_t)n), nbi = (int)pick(2);
    if (!c->bitwise && class >= ANDED && class <= XORED)
        class = OWNED, owner = -1; /* this type cannot */
    /* one width for all that share a cell */
    size_t w = mix(key, cell + 2 * BLOCK_MAX) % 2 ? 4 : 8;
    int op = pick_op(class, c->bitwise);
    uint64_t a = class == ADDED ? 1 + pick(1000) : rng_next(&dice), hit = pick(2);
    if ((class == OWNED && owner != src) || c->size != w)
        return;
    unsigned char *model = blocks[b].model[target] + cell * 8;
    uint64_t was = load(model, w), cond = hit ? was : a ^ was;
    a = cut(a, w);
    cond = cut(cond, w);
    if (class == OWNED) /* the next one must find what this one left */
        order(src, target, &v);
    uint64_t next = cut(after(op, was, a, cond), w);
    memcpy(model, &next, w);
    if (src != me)
        return;
    DOING("%s_%s on cell %zu of block %d on PE %d", c->name, names[op], cell, b, target);
    void *at = blocks[b].at + cell * 8;
    if (!fetches(op)) {
        c->apply(&v, op, at, a, cond);
        return;
    }
    struct note *note = &notes[count++];
    EXPECT(count <= NOTES, "too many notes");
    *note = (struct note){op, target, class == OWNED, class, cell, w, 0, was};
    if (nbi)
        c->apply_nbi(&v, op, &note->got, at, a, cond);
    else
        note->got = cut(c->apply(&v, op, at, a, cond), w);
    if (!nbi && note->exact)
        EXPECT(note->got == was, "fetched %#llx, expected %#llx", (unsigned long long)note->got, (unsigned long long)was);
}

static void judge(const struct note *k, int b)
{
    uint64_t first = load(start[k->target] + k->cell * 8, k->w), last = load(blocks[b].model[k->target] + k->cell * 8, k->w);
    uint64_t got = k->got;
    int ok = k->exact ? got == k->want
           : k->class == ADDED || k->class == TICKETS ? cut(got - first, k->w) < cut(last - first, k->w)
           : k->class == ANDED ? (got & first) == got && (got & last) == last
           : k->class == ORED ? (got | first) == got && (got | last) == last : 1;
    EXPECT(ok, "%s on cell %zu of block %d on PE %d fetched %#llx; first %#llx, last %#llx, expected %#llx", names[k->op],
           k->cell, b, k->target, (unsigned long long)got, (unsigned long long)first, (unsigned long long)last,
           (unsigned long long)k->want);
}

/* The tickets that all PEs drew from one cell are all different: their sum tells. */
static void tickets(int b, uint64_t key)
{
    static uint64_t mine, all;
    for (size_t cell = 0; cell < 5 && cell < blocks[b].size / 8; cell++) {
        size_t w = mix(key, cell + 2 * BLOCK_MAX) % 2 ? 4 : 8;
        if (mix(key, cell) % CLASSES != TICKETS)
            continue;
        for (int pe = 0; pe < n; pe++) {
            uint64_t first = load(start[pe] + cell * 8, w);
            uint64_t drawn = cut(load(blocks[b].model[pe] + cell * 8, w) - first, w);
            mine = 0;
            for (int i = 0; i < count; i++)
                if (notes[i].cell == cell && notes[i].target == pe)
                    mine += cut(notes[i].got - first, w);
            shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
            EXPECT(all == drawn * (drawn - (drawn > 0)) / 2, "tickets of cell %zu on PE %d: sum %llu of %llu", cell, pe,
                   (unsigned long long)all, (unsigned long long)drawn);
        }
    }
}

/* Everybody at one cell at once, as fast as it goes. */
static void hammer(int b, uint64_t key)
{
    static const int ops[] = {INC, FETCH_INC, ADD, FETCH_ADD, XOR, FETCH_XOR};
    const struct calls *c = &table[pick(sizeof table / sizeof table[0])];
    int target = (int)pick((size_t)n), op = ops[pick(c->bitwise ? 6 : 4)], nbi = (int)pick(2);
    size_t cell = pick(blocks[b].size / 8), turns = 20 + pick(200);
    struct via v = {0};
    for (int pe = 0; pe < n; pe++) { /* the same draws everywhere */
        struct via drawn = pick_via(pe, target);
        if (pe == me)
            v = drawn;
    }
    DOING("%zu times %s_%s by all on cell %zu of block %d on PE %d", turns, c->name, names[op], cell, b, target);
    unsigned char *model = blocks[b].model[target] + cell * 8;
    uint64_t value = load(model, c->size), got = 0;
    for (int pe = 0; pe < n; pe++)
        for (size_t i = 0; i < turns; i++)
            value = after(op, value, key + (uint64_t)pe + i, 0);
    value = cut(value, c->size);
    memcpy(model, &value, c->size);
    shmem_sync_all();
    for (size_t i = 0; i < turns; i++)
        if (nbi && fetches(op))
            c->apply_nbi(&v, op, &got, blocks[b].at + cell * 8, key + (uint64_t)me + i, 0);
        else
            c->apply(&v, op, blocks[b].at + cell * 8, key + (uint64_t)me + i, 0);
}

void amo_round(void)
{
    int b = pick_block(8, -1);
    uint64_t key = rng_next(&dice);
    size_t ops = 1 + pick(NOTES);
    if (b < 0)
        return;
    count = 0;
    for (int pe = 0; pe < n; pe++)
        memcpy(start[pe], blocks[b].model[pe], blocks[b].size);
    for (size_t op = 0; op < ops; op++)
        for (int src = 0; src < n; src++)
            one(src, b, key);
    finish();
    for (int i = 0; i < count; i++)
        judge(&notes[i], b);
    tickets(b, key);
    if (pick(2))
        hammer(b, key);
}

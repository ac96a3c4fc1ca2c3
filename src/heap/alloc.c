/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks, free and live, form one list by address and never leave a gap; two free blocks are never neighbours. Free
 * blocks also hang in bins by size: classes of powers of two, each cut into STEPS equal steps, with a bit per bin and
 * a bit per class, so that the next bin that has a block is two bit scans away. All lengths here are in granules
 * unless the name says bytes.
 */
#include "heap/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    STEP_BITS = 5,
    STEPS = 1 << STEP_BITS,
    CLASSES = 42 - STEP_BITS + 2, /* sizes up to 2^42 granules: GS_ALLOC_MAX */
    CHUNK = 64,                   /* granules in one word of the live bitmap */
    NIL = 0                       /* node 0 ends every list; it counts as live, so nothing merges with it */
};

struct node {
    uint64_t start;
    uint64_t size : 63;
    uint64_t live : 1;
    uint32_t before, after; /* neighbours by address; after also links unused nodes */
    union {
        struct {
            uint32_t prev, next; /* in the bin; free blocks only */
        };
        uint64_t bytes; /* asked for; live blocks only */
    };
};

struct gs_alloc {
    uint64_t size;
    uint64_t used, peak, blocks;

    struct node *nodes; /* moves when it grows */
    uint32_t count, capacity, unused;
    uint32_t first; /* block at offset 0 */

    uint64_t class_map;
    uint32_t step_map[CLASSES];
    uint32_t bins[CLASSES][STEPS];

    /* One mapping, filled by touch: node by first granule (live blocks only), then the live bitmaps. */
    void *map;
    size_t map_bytes;
    uint32_t *node_at;
    uint64_t *granules, *chunks;
};

struct bin {
    unsigned class, step;
};

static unsigned log2_floor(uint64_t x)
{
    return 63 - (unsigned)__builtin_clzll(x);
}

/* The bin that a free block of this size hangs in. */
static struct bin bin_of(uint64_t size)
{
    if (size < STEPS)
        return (struct bin){0, (unsigned)size};
    unsigned k = log2_floor(size);
    return (struct bin){k - STEP_BITS + 1, (unsigned)(size >> (k - STEP_BITS)) & (STEPS - 1)};
}

/* The first bin all of whose blocks have at least this size. */
static struct bin bin_fitting(uint64_t size)
{
    if (size >= STEPS)
        size += (UINT64_C(1) << (log2_floor(size) - STEP_BITS)) - 1;
    return bin_of(size);
}

/* The first bin at b or above that has a block, into b. */
static bool bin_next(const struct gs_alloc *a, struct bin *b)
{
    if (b->step < STEPS) {
        uint32_t steps = a->step_map[b->class] & (~UINT32_C(0) << b->step);
        if (steps) {
            b->step = (unsigned)__builtin_ctz(steps);
            return true;
        }
    }
    uint64_t classes = a->class_map & (~UINT64_C(0) << (b->class + 1));
    if (!classes)
        return false;
    b->class = (unsigned)__builtin_ctzll(classes);
    b->step = (unsigned)__builtin_ctz(a->step_map[b->class]);
    return true;
}

static void bin_add(struct gs_alloc *a, uint32_t n)
{
    struct bin b = bin_of(a->nodes[n].size);
    uint32_t head = a->bins[b.class][b.step];
    a->nodes[n].live = 0;
    a->nodes[n].prev = NIL;
    a->nodes[n].next = head;
    if (head != NIL)
        a->nodes[head].prev = n;
    a->bins[b.class][b.step] = n;
    a->step_map[b.class] |= UINT32_C(1) << b.step;
    a->class_map |= UINT64_C(1) << b.class;
}

static void bin_remove(struct gs_alloc *a, uint32_t n)
{
    struct node *nd = &a->nodes[n];
    if (nd->next != NIL)
        a->nodes[nd->next].prev = nd->prev;
    if (nd->prev != NIL) {
        a->nodes[nd->prev].next = nd->next;
        return;
    }
    struct bin b = bin_of(nd->size);
    a->bins[b.class][b.step] = nd->next;
    if (nd->next == NIL) {
        a->step_map[b.class] &= ~(UINT32_C(1) << b.step);
        if (!a->step_map[b.class])
            a->class_map &= ~(UINT64_C(1) << b.class);
    }
}

/* Makes sure that extra more nodes can be taken; may move a->nodes. */
static bool nodes_reserve(struct gs_alloc *a, uint32_t extra)
{
    if (a->unused != NIL && a->nodes[a->unused].after != NIL)
        return true;
    if (a->capacity - a->count >= extra)
        return true;
    if (a->capacity > UINT32_MAX / 2)
        return false;
    struct node *bigger = realloc(a->nodes, (size_t)a->capacity * 2 * sizeof *bigger);
    if (!bigger)
        return false;
    a->nodes = bigger;
    a->capacity *= 2;
    return true;
}

static uint32_t node_take(struct gs_alloc *a)
{
    uint32_t n = a->unused;
    if (n == NIL)
        return a->count++;
    a->unused = a->nodes[n].after;
    return n;
}

static void node_drop(struct gs_alloc *a, uint32_t n)
{
    a->nodes[n].after = a->unused;
    a->unused = n;
}

/* A new block for the last size granules of n, which shrinks by them; in no bin. Needs a reserved node. */
static uint32_t split_tail(struct gs_alloc *a, uint32_t n, uint64_t size)
{
    uint32_t t = node_take(a);
    struct node *nd = &a->nodes[n], *tail = &a->nodes[t];
    nd->size -= size;
    tail->start = nd->start + nd->size;
    tail->size = size;
    tail->before = n;
    tail->after = nd->after;
    if (nd->after != NIL)
        a->nodes[nd->after].before = t;
    nd->after = t;
    return t;
}

/* Appends the block after n, which is in no bin, to n. */
static void absorb_next(struct gs_alloc *a, uint32_t n)
{
    struct node *nd = &a->nodes[n];
    uint32_t gone = nd->after;
    nd->size += a->nodes[gone].size;
    nd->after = a->nodes[gone].after;
    if (nd->after != NIL)
        a->nodes[nd->after].before = n;
    node_drop(a, gone);
}

static void word_mark(uint64_t *word, uint64_t mask, bool on)
{
    __atomic_store_n(word, on ? *word | mask : *word & ~mask, __ATOMIC_RELAXED);
}

/* Sets or clears bits [from, to). Stores are atomic because gs_alloc_is_live reads beside us; there is one writer. */
static void bits_mark(uint64_t *bits, uint64_t from, uint64_t to, bool on)
{
    if (from >= to)
        return;
    uint64_t *word = &bits[from / 64], *last = &bits[(to - 1) / 64];
    uint64_t head = ~UINT64_C(0) << (from % 64), tail = ~UINT64_C(0) >> (63 - (to - 1) % 64);
    if (word == last) {
        word_mark(word, head & tail, on);
        return;
    }
    word_mark(word, head, on);
    for (word++; word < last; word++)
        __atomic_store_n(word, on ? ~UINT64_C(0) : 0, __ATOMIC_RELAXED);
    word_mark(last, tail, on);
}

/* Granules [from, to) of a block, where from is the block's start or on a chunk's edge, and to is its end. */
static void live_mark(struct gs_alloc *a, uint64_t from, uint64_t to, bool on)
{
    uint64_t c0 = (from + CHUNK - 1) / CHUNK, c1 = to / CHUNK;
    if (c0 >= c1) {
        bits_mark(a->granules, from, to, on);
        return;
    }
    bits_mark(a->granules, from, c0 * CHUNK, on);
    bits_mark(a->chunks, c0, c1, on);
    bits_mark(a->granules, c1 * CHUNK, to, on);
}

/* Moves the live end of a block from old_end to new_end. */
static void live_move_end(struct gs_alloc *a, uint64_t start, uint64_t old_end, uint64_t new_end)
{
    uint64_t edge = (old_end < new_end ? old_end : new_end) / CHUNK * CHUNK;
    uint64_t from = edge > start ? edge : start;
    live_mark(a, from, old_end, false);
    live_mark(a, from, new_end, true);
}

struct gs_alloc *gs_alloc_create(size_t size)
{
    if (size % GS_ALLOC_GRANULE || size > GS_ALLOC_MAX)
        return NULL;
    struct gs_alloc *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->size = size / GS_ALLOC_GRANULE;
    a->capacity = 64;
    a->nodes = malloc(a->capacity * sizeof *a->nodes);
    if (!a->nodes)
        goto no_nodes;

    uint64_t words = (a->size + 63) / 64, chunk_words = (words + 63) / 64, table = (a->size + 1) / 2 * 8;
    a->map_bytes = table + (words + chunk_words + 1) * 8;
    a->map = mmap(NULL, a->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a->map == MAP_FAILED)
        goto no_map;
    /* Touched here and there: huge pages would make that cost 2 MiB each. Refused where there are none. */
    (void)madvise(a->map, a->map_bytes, MADV_NOHUGEPAGE);
    a->node_at = a->map;
    a->granules = (uint64_t *)((char *)a->map + table);
    a->chunks = a->granules + words;

    a->nodes[NIL] = (struct node){.live = 1};
    a->count = 1;
    if (a->size) {
        a->first = a->count++;
        a->nodes[a->first] = (struct node){.size = a->size};
        bin_add(a, a->first);
    }
    return a;

no_map:
    free(a->nodes);
no_nodes:
    free(a);
    return NULL;
}

void gs_alloc_destroy(struct gs_alloc *a)
{
    if (!a)
        return;
    munmap(a->map, a->map_bytes);
    free(a->nodes);
    free(a);
}

static uint64_t align_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) & ~(align - 1);
}

static bool holds(const struct node *nd, uint64_t size, uint64_t align)
{
    uint64_t skip = align_up(nd->start, align) - nd->start;
    return skip <= nd->size && nd->size - skip >= size;
}

/* A free block that can hold size granules at an aligned start, or NIL. */
static uint32_t find_fit(const struct gs_alloc *a, uint64_t size, uint64_t align)
{
    struct bin b;
    if (align <= a->size && size + align - 1 <= a->size) {
        b = bin_fitting(size + align - 1);
        if (bin_next(a, &b))
            return a->bins[b.class][b.step];
    }
    for (b = bin_of(size); bin_next(a, &b); b.step++)
        for (uint32_t n = a->bins[b.class][b.step]; n != NIL; n = a->nodes[n].next)
            if (holds(&a->nodes[n], size, align))
                return n;
    return NIL;
}

static uint64_t to_granules(size_t bytes)
{
    return bytes / GS_ALLOC_GRANULE + (bytes % GS_ALLOC_GRANULE != 0);
}

static void count_used(struct gs_alloc *a, uint64_t more)
{
    a->used += more;
    if (a->used > a->peak)
        a->peak = a->used;
}

size_t gs_alloc_get(struct gs_alloc *a, size_t bytes, size_t align)
{
    uint64_t size = to_granules(bytes);
    if (align < GS_ALLOC_GRANULE)
        align = GS_ALLOC_GRANULE;
    if (size == 0 || size > a->size || (align & (align - 1)) || !nodes_reserve(a, 2))
        return GS_ALLOC_FAIL;
    align /= GS_ALLOC_GRANULE;
    uint32_t n = find_fit(a, size, align);
    if (n == NIL)
        return GS_ALLOC_FAIL;

    bin_remove(a, n);
    uint64_t skip = align_up(a->nodes[n].start, align) - a->nodes[n].start;
    if (skip) {
        uint32_t front = n;
        n = split_tail(a, front, a->nodes[front].size - skip);
        bin_add(a, front);
    }
    if (a->nodes[n].size > size)
        bin_add(a, split_tail(a, n, a->nodes[n].size - size));

    struct node *nd = &a->nodes[n];
    nd->live = 1;
    nd->bytes = bytes;
    a->node_at[nd->start] = n;
    live_mark(a, nd->start, nd->start + size, true);
    a->blocks++;
    count_used(a, size);
    return nd->start * GS_ALLOC_GRANULE;
}

/* The live block that starts at offset, or NIL. */
static uint32_t live_at(const struct gs_alloc *a, size_t offset)
{
    uint64_t g = offset / GS_ALLOC_GRANULE;
    return offset % GS_ALLOC_GRANULE || g >= a->size ? NIL : a->node_at[g];
}

bool gs_alloc_put(struct gs_alloc *a, size_t offset)
{
    uint32_t n = live_at(a, offset);
    if (n == NIL)
        return false;
    struct node *nd = &a->nodes[n];
    a->node_at[nd->start] = NIL;
    live_mark(a, nd->start, nd->start + nd->size, false);
    a->blocks--;
    a->used -= nd->size;

    if (!a->nodes[nd->after].live) {
        bin_remove(a, nd->after);
        absorb_next(a, n);
    }
    uint32_t before = nd->before;
    if (!a->nodes[before].live) {
        bin_remove(a, before);
        absorb_next(a, before);
        n = before;
    }
    bin_add(a, n);
    return true;
}

size_t gs_alloc_size(const struct gs_alloc *a, size_t offset)
{
    uint32_t n = live_at(a, offset);
    return n == NIL ? 0 : a->nodes[n].bytes;
}

static bool grow(struct gs_alloc *a, uint32_t n, uint64_t by)
{
    struct node *nd = &a->nodes[n], *next = &a->nodes[nd->after];
    if (next->live || next->size < by)
        return false;
    bin_remove(a, nd->after);
    if (next->size == by) {
        absorb_next(a, n);
    } else {
        next->start += by;
        next->size -= by;
        bin_add(a, nd->after);
        nd->size += by;
    }
    count_used(a, by);
    return true;
}

static bool shrink(struct gs_alloc *a, uint32_t n, uint64_t by)
{
    uint32_t after = a->nodes[n].after;
    if (!a->nodes[after].live) {
        bin_remove(a, after);
        a->nodes[after].start -= by;
        a->nodes[after].size += by;
        a->nodes[n].size -= by;
        bin_add(a, after);
    } else {
        if (!nodes_reserve(a, 1))
            return false;
        bin_add(a, split_tail(a, n, by));
    }
    a->used -= by;
    return true;
}

bool gs_alloc_resize(struct gs_alloc *a, size_t offset, size_t bytes)
{
    uint32_t n = live_at(a, offset);
    if (n == NIL || bytes == 0)
        return false;
    uint64_t start = a->nodes[n].start, old = a->nodes[n].size, want = to_granules(bytes);
    if (want > old && !grow(a, n, want - old))
        return false;
    /* Without memory to describe what is given back, the block keeps it. */
    if (want < old && !shrink(a, n, old - want))
        want = old;
    if (want != old)
        live_move_end(a, start, start + old, start + want);
    a->nodes[n].bytes = bytes;
    return true;
}

bool gs_alloc_find(const struct gs_alloc *a, size_t offset, size_t *start, size_t *bytes)
{
    uint64_t g = offset / GS_ALLOC_GRANULE;
    if (g >= a->size)
        return false;
    uint32_t n = a->first;
    while (a->nodes[n].start + a->nodes[n].size <= g)
        n = a->nodes[n].after;
    if (!a->nodes[n].live)
        return false;
    *start = a->nodes[n].start * GS_ALLOC_GRANULE;
    *bytes = a->nodes[n].bytes;
    return true;
}

struct gs_alloc_live gs_alloc_live_bits(const struct gs_alloc *a)
{
    return (struct gs_alloc_live){a->granules, a->chunks};
}

struct gs_alloc_stats gs_alloc_stats(const struct gs_alloc *a)
{
    uint64_t largest = 0;
    if (a->class_map) {
        unsigned class = log2_floor(a->class_map);
        uint32_t n = a->bins[class][log2_floor(a->step_map[class])];
        for (; n != NIL; n = a->nodes[n].next)
            if (a->nodes[n].size > largest)
                largest = a->nodes[n].size;
    }
    return (struct gs_alloc_stats){
        .size = a->size * GS_ALLOC_GRANULE,
        .used = a->used * GS_ALLOC_GRANULE,
        .peak = a->peak * GS_ALLOC_GRANULE,
        .largest_free = largest * GS_ALLOC_GRANULE,
        .blocks = a->blocks,
    };
}

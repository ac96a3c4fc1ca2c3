/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between this PE's memory and a peer's, by a thread, a warp or a block. Many accesses are kept in flight:
 * remote bandwidth for a few threads is latency times width. Copies synchronise nothing; callers do.
 */
#ifndef GIN_SHMEM_COPY_H
#define GIN_SHMEM_COPY_H

#include "smem.h"

namespace gin_shmem_impl
{

/* Which side is remote. A put reads with ordinary loads (the source may be shared or constant memory as well) and
 * writes to global memory; a get the other way round, past caches that may be stale. */
struct put_way {
    static const bool cached = true;
    template <class V>
    static GIN_SHMEM_METHOD V load(const V *p)
    {
        return load_plain(p);
    }
    template <class V>
    static GIN_SHMEM_METHOD void store(V *p, V v)
    {
        store_remote(p, v);
    }
};
struct get_way {
    static const bool cached = false;
    template <class V>
    static GIN_SHMEM_METHOD V load(const V *p)
    {
        return load_fresh(p);
    }
    template <class V>
    static GIN_SHMEM_METHOD void store(V *p, V v)
    {
        store_plain(p, v);
    }
};

/*
 * 16-byte accesses in flight, four registers each: of a lone thread, whose speed is that number, and of each thread of
 * a group. With more in groups a kernel with blocks of 1024 threads (64 registers each) could not be launched. What is
 * too little for a lone thread to hide the latency with is made up for in part by prefetching the source to the L1
 * cache, which takes no registers. A file may choose other numbers before it includes gin_shmem.h.
 */
#ifndef GIN_SHMEM_THREAD_FLIGHT
#define GIN_SHMEM_THREAD_FLIGHT 16
#endif
#ifndef GIN_SHMEM_GROUP_FLIGHT
#define GIN_SHMEM_GROUP_FLIGHT 8
#endif
#ifndef GIN_SHMEM_PREFETCH
#define GIN_SHMEM_PREFETCH 2048 /* bytes a lone thread prefetches ahead; 0: none */
#endif

template <class G>
struct flight {
    static const int wide = GIN_SHMEM_GROUP_FLIGHT;
};
template <>
struct flight<thread_group> {
    static const int wide = GIN_SHMEM_THREAD_FLIGHT;
};

/* p + step. For groups hidden from the compiler: it would work out all addresses of a turn first and hold them in
 * registers. */
template <class G, class V>
GIN_SHMEM_FN V *advance(V *p, int step)
{
    return G::tag == GIN_SHMEM_SCOPE_THREAD ? p + 1 : (V *)opaque((uint64_t)(p + step));
}

/* At most MOST units, left of them from this thread's next one to the end. */
template <class G, class Way, class V, int MOST>
GIN_SHMEM_FN void copy_rest(V *d, const V *s, int left)
{
    const int step = (int)G::size();
    V v[MOST] GIN_SHMEM_CLEARED;
    GIN_SHMEM_UNROLLED
    for (int k = 0; k < MOST; k++, s = advance<G>(s, step))
        if (left > k * step)
            v[k] = Way::load(s);
    GIN_SHMEM_UNROLLED
    for (int k = 0; k < MOST; k++, d = advance<G>(d, step))
        if (left > k * step)
            Way::store(d, v[k]);
}

template <class G, class Way, class V, int FLIGHT>
GIN_SHMEM_FN void copy_units(unsigned char *dst, const unsigned char *src, size_t units)
{
    /* A rest this short has a way of its own: the other one costs every warp of a block its instructions. */
    enum { FEW = G::tag == GIN_SHMEM_SCOPE_THREAD ? 1 : 2 };
    const int step = (int)G::size(), rank = (int)G::rank();
    V *d = (V *)dst + rank;
    const V *s = (const V *)src + rank;
    int64_t left = (int64_t)units - rank; /* units from this thread's next one to the end */
    V v[FLIGHT] GIN_SHMEM_CLEARED;
    const int ahead = G::tag == GIN_SHMEM_SCOPE_THREAD && Way::cached && sizeof(V) == 16 ? GIN_SHMEM_PREFETCH : 0;
    const bool fetch = ahead && left > 4 * FLIGHT && is_global(s);
    if (fetch) {
        GIN_SHMEM_ROLLED
        for (int o = FLIGHT * 16; o < ahead && o < left * 16; o += 128)
            prefetch((const char *)s + o);
    }
    for (; left > (FLIGHT - 1) * step; left -= FLIGHT * step) {
        if (fetch && left * 16 > ahead)
            for (int o = 0; o < FLIGHT * 16; o += 128)
                prefetch((const char *)s + ahead + o);
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++, s = advance<G>(s, step))
            v[k] = Way::load(s);
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++, d = advance<G>(d, step))
            Way::store(d, v[k]);
    }
    if (left > FEW * step)
        copy_rest<G, Way, V, FLIGHT - 1>(d, s, (int)left);
    else if (left > 0)
        copy_rest<G, Way, V, FEW>(d, s, (int)left);
}

/* At most 15 bytes at each end of a copy, in the fewest aligned accesses, by one thread: head bytes before an aligned
 * address, and tail bytes from offset body on, which is one. */
template <class Way>
GIN_SHMEM_FN void copy_ends(unsigned char *d, const unsigned char *s, uint32_t head, size_t body, uint32_t tail)
{
    unsigned char *e = d + body;
    const unsigned char *f = s + body;
    uint8_t h1 = 0, t1 = 0;
    uint16_t h2 = 0, t2 = 0;
    uint32_t h4 = 0, t4 = 0;
    uint64_t h8 = 0, t8 = 0;
    if (head & 1)
        h1 = Way::load((const uint8_t *)s);
    if (head & 2)
        h2 = Way::load((const uint16_t *)(s + (head & 1)));
    if (head & 4)
        h4 = Way::load((const uint32_t *)(s + (head & 3)));
    if (head & 8)
        h8 = Way::load((const uint64_t *)(s + (head & 7)));
    if (tail & 8)
        t8 = Way::load((const uint64_t *)f);
    if (tail & 4)
        t4 = Way::load((const uint32_t *)(f + (tail & 8)));
    if (tail & 2)
        t2 = Way::load((const uint16_t *)(f + (tail & 12)));
    if (tail & 1)
        t1 = Way::load((const uint8_t *)(f + (tail & 14)));
    if (head & 1)
        Way::store((uint8_t *)d, h1);
    if (head & 2)
        Way::store((uint16_t *)(d + (head & 1)), h2);
    if (head & 4)
        Way::store((uint32_t *)(d + (head & 3)), h4);
    if (head & 8)
        Way::store((uint64_t *)(d + (head & 7)), h8);
    if (tail & 8)
        Way::store((uint64_t *)e, t8);
    if (tail & 4)
        Way::store((uint32_t *)(e + (tail & 8)), t4);
    if (tail & 2)
        Way::store((uint16_t *)(e + (tail & 12)), t2);
    if (tail & 1)
        Way::store((uint8_t *)(e + (tail & 14)), t1);
}

template <class Way, class V>
GIN_SHMEM_FN void copy_unit(unsigned char *dst, const unsigned char *src, uint32_t i)
{
    Way::store((V *)dst + i, Way::load((const V *)src + i));
}

/* With one access each of as few threads as will do. False, and nothing done: it takes more. */
template <class G, class Way>
GIN_SHMEM_FN bool copy_at_once(unsigned char *dst, const unsigned char *src, size_t bytes)
{
    if (bytes > 16 * (size_t)G::size())
        return false;
    const uint32_t bits = (uint32_t)((uintptr_t)dst | (uintptr_t)src | bytes), i = G::rank();
    const uint32_t shift = (bits & 15) == 0 ? 4 : (bits & 7) == 0 ? 3 : (bits & 3) == 0 ? 2 : 0;
    const uint32_t units = (uint32_t)bytes >> shift;
    if (units > G::size())
        return false;
    if (i >= units)
        return true;
    if (shift == 4)
        copy_unit<Way, unit16>(dst, src, i);
    else if (shift == 3)
        copy_unit<Way, uint64_t>(dst, src, i);
    else if (shift == 2)
        copy_unit<Way, uint32_t>(dst, src, i);
    else
        copy_unit<Way, uint8_t>(dst, src, i);
    return true;
}

/* Ranges that do not overlap; any alignment. The middle goes in the widest units to which both addresses can be aligned
 * together; short copies in the widest that fit everything. */
template <class G, class Way, int WIDE = flight<G>::wide>
GIN_SHMEM_COLD void copy_plain(unsigned char *dst, const unsigned char *src, size_t bytes)
{
    if (copy_at_once<G, Way>(dst, src, bytes))
        return;
    const bool is_short = bytes < 32;
    uint32_t bits = (uint32_t)(is_short ? (uintptr_t)dst | (uintptr_t)src | bytes : (uintptr_t)dst ^ (uintptr_t)src);
    uint32_t shift = (bits & 15) == 0 ? 4 : (bits & 7) == 0 ? 3 : (bits & 3) == 0 ? 2 : (bits & 1) == 0 ? 1 : 0;
    uint32_t mask = (1u << shift) - 1;
    uint32_t head = is_short ? 0 : (0 - (uint32_t)(uintptr_t)dst) & mask;
    size_t units = (bytes - head) >> shift, body = head + (units << shift);
    uint32_t tail = (uint32_t)(bytes - body);
    if ((head | tail) && G::rank() == 0)
        copy_ends<Way>(dst, src, head, body, tail);
    dst += head, src += head;
    if (shift == 4)
        copy_units<G, Way, unit16, WIDE>(dst, src, units);
    else if (shift == 3)
        copy_units<G, Way, uint64_t, 4>(dst, src, units);
    else if (shift == 2)
        copy_units<G, Way, uint32_t, 4>(dst, src, units);
    else if (shift == 1)
        copy_units<G, Way, uint16_t, 4>(dst, src, units);
    else
        copy_units<G, Way, uint8_t, 4>(dst, src, units);
}

/* From here on a bulk copy pays: below it, start-up is longer than the plain copy. */
enum { BULK_MIN = 512 };

/* By bulk copies through lent memory, driven by one thread. False: nothing done. */
template <class G>
GIN_SHMEM_FN bool copy_bulk(unsigned char *dst, const unsigned char *src, size_t bytes, struct gin_shmem_smem lent)
{
    if (!bulk_available || lent.bays == 0 || bytes < BULK_MIN || (((uintptr_t)dst ^ (uintptr_t)src) & 15) != 0 ||
        !is_global(dst) || !is_global(src))
        return false;
    size_t head = (0 - (uintptr_t)dst) & 15, body = (bytes - head) & ~(size_t)15;
    bool done = false;
    if (G::rank() == 0) {
        done = smem_copy(lent, dst + head, src + head, body);
        if (done && body < bytes)
            copy_ends<get_way>(dst, src, (uint32_t)head, head + body, (uint32_t)(bytes - head - body));
    }
    return G::tag == GIN_SHMEM_SCOPE_THREAD ? done : shuffle(done, 0) != 0;
}
template <>
GIN_SHMEM_METHOD bool copy_bulk<block_group>(unsigned char *, const unsigned char *, size_t, struct gin_shmem_smem)
{
    return false; /* a block's own loads and stores are as fast */
}

template <class G, class Way>
GIN_SHMEM_FN void copy(void *dst, const void *src, size_t bytes, struct gin_shmem_smem lent)
{
    unsigned char *d = (unsigned char *)dst;
    const unsigned char *s = (const unsigned char *)src;
    if (!copy_bulk<G>(d, s, bytes, lent))
        copy_plain<G, Way>(d, s, bytes);
}

/* One element, by one thread. The size is a power of two up to 16, and the address aligned to it. */
template <class Way, int BYTES>
GIN_SHMEM_FN void copy_one(void *dst, const void *src)
{
    typedef typename bits_of<BYTES>::type V;
    Way::store((V *)dst, Way::load((const V *)src));
}

} // namespace gin_shmem_impl

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What NCCL's collectives lack, over loads from and stores to the peers' memory. */
#include "transport/nccl/dispatch.h"

enum { THREADS = 512, BATCH = 4 };

template <class T>
struct complex {
    T re, im;
};
template <class T>
static __device__ complex<T> operator+(complex<T> a, complex<T> b)
{
    return {a.re + b.re, a.im + b.im};
}
template <class T>
static __device__ complex<T> operator*(complex<T> a, complex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

struct op_sum {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a + b;
    }
};
struct op_prod {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a * b;
    }
};
struct op_min {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return b < a ? b : a;
    }
};
struct op_max {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return b > a ? b : a;
    }
};
struct op_and {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a & b;
    }
};
struct op_or {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a | b;
    }
};
struct op_xor {
    template <class T>
    static __device__ T of(T a, T b)
    {
        return a ^ b;
    }
};

static __device__ int pe_of(const struct gin_shmem_team &t, int rank)
{
    return t.pes ? t.pes[rank] : t.start + rank * t.stride;
}
static __device__ uint64_t global_thread(void)
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ uint64_t global_threads(void)
{
    return (uint64_t)gridDim.x * blockDim.x;
}

/* ---- reductions and scans ---- */

/* Elements of which this PE makes the results, for all members: each element has one PE that reads and writes it,
 * so dest may be source. */
static __device__ void share(const struct gs_k_coll &c, uint64_t *lo, uint64_t *hi)
{
    uint64_t each = (c.nelems + (uint64_t)c.team.n - 1) / (uint64_t)c.team.n;
    *lo = each * (uint64_t)c.team.me;
    *hi = *lo + each < c.nelems ? *lo + each : c.nelems;
}

template <class T, class Op>
static __global__ void __launch_bounds__(THREADS) k_reduce(const __grid_constant__ struct gs_k_coll c)
{
    uint64_t lo, hi, step = global_threads();
    share(c, &lo, &hi);
    if (c.scatter) {
        lo = c.nelems * (uint64_t)c.team.me;
        hi = lo + c.nelems;
    }
    for (uint64_t i = lo + global_thread(); i < hi; i += step * BATCH) {
        T acc[BATCH];
        for (int r = 0; r < c.team.n; r++) {
            const T *from = (const T *)gs_k_peer(&c.from, c.source, pe_of(c.team, r));
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                if (i + b * step < hi)
                    acc[b] = r ? Op::of(acc[b], from[i + b * step]) : from[i + b * step];
        }
        for (int r = 0; r < (c.scatter ? 1 : c.team.n); r++) {
            T *to = c.scatter ? (T *)c.dest - lo : (T *)gs_k_peer(&c.to, c.dest, pe_of(c.team, r));
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                if (i + b * step < hi)
                    to[i + b * step] = acc[b];
        }
    }
}

template <class T>
static __global__ void __launch_bounds__(THREADS) k_scan(const __grid_constant__ struct gs_k_coll c)
{
    uint64_t lo, hi;
    share(c, &lo, &hi);
    for (uint64_t i = lo + global_thread(); i < hi; i += global_threads()) {
        T acc = {};
        for (int r = 0; r < c.team.n; r++) {
            int pe = pe_of(c.team, r);
            T in = ((const T *)gs_k_peer(&c.from, c.source, pe))[i], *out = &((T *)gs_k_peer(&c.to, c.dest, pe))[i];
            T sum = r ? op_sum::of(acc, in) : in;
            *out = c.scan == 1 ? sum : acc;
            acc = sum;
        }
    }
}

static unsigned blocks_for(uint64_t items, int sms)
{
    uint64_t blocks = (items + THREADS - 1) / THREADS;
    return blocks < 1 ? 1 : blocks > (uint64_t)sms * 2 ? (unsigned)sms * 2 : (unsigned)blocks;
}

typedef void kernel(const struct gs_k_coll);

struct numbers {
    typedef ::kernel kernel;
    typedef ::op_and op_and;
    typedef ::op_or op_or;
    typedef ::op_xor op_xor;
    typedef ::op_min op_min;
    typedef ::op_max op_max;
    typedef ::op_sum op_sum;
    typedef ::op_prod op_prod;
    static constexpr bool complexes = true, halves = false;
    template <class T>
    using complex = ::complex<T>;
};
struct reductions : numbers {
    template <class T, class Op>
    static kernel *of()
    {
        return k_reduce<T, Op>;
    }
};
struct scans : numbers {
    template <class, class>
    struct kernels {
        static kernel *get() { return nullptr; }
    };
    template <class T>
    struct kernels<T, ::op_sum> {
        static kernel *get() { return k_scan<T>; }
    };
    template <class T, class Op>
    static kernel *of()
    {
        return kernels<T, Op>::get();
    }
};

bool gs_k_combine_knows(enum gs_k_type type, int op)
{
    return gs_k_choose<reductions>(type, op) != nullptr;
}

cudaError_t gs_k_combine_launch(const struct gs_k_coll *c, enum gs_k_type type, int op, int sms, cudaStream_t s)
{
    kernel *k = c->scan ? gs_k_choose<scans>(type, GS_OP_sum) : gs_k_choose<reductions>(type, op);
    uint64_t mine = c->scatter ? c->nelems : (c->nelems + (uint64_t)c->team.n - 1) / (uint64_t)c->team.n;
    unsigned blocks = blocks_for(mine, sms);
    if (!k)
        return cudaErrorInvalidValue;
    k<<<blocks, THREADS, 0, s>>>(*c);
    return cudaGetLastError();
}

/* ---- moving ---- */

template <class W>
static __device__ void copy_words(char *to, const char *from, uint64_t bytes)
{
    for (uint64_t i = global_thread(); i < bytes / sizeof(W); i += global_threads())
        ((W *)to)[i] = ((const W *)from)[i];
}

/* By the whole grid, with the widest words that both ends allow. */
static __device__ void copy_bytes(char *to, const char *from, uint64_t bytes)
{
    unsigned apart = ((unsigned)(uintptr_t)to ^ (unsigned)(uintptr_t)from) & 15;
    unsigned width = apart == 0 ? 16 : apart % 8 == 0 ? 8 : apart % 4 == 0 ? 4 : apart % 2 == 0 ? 2 : 1;
    uint64_t head = (0u - (unsigned)(uintptr_t)to) & (width - 1);
    if (head > bytes)
        head = bytes;
    uint64_t body = (bytes - head) / width * width;
    copy_words<uint8_t>(to, from, head);
    if (width == 16)
        copy_words<uint4>(to + head, from + head, body);
    else if (width == 8)
        copy_words<uint64_t>(to + head, from + head, body);
    else if (width == 4)
        copy_words<uint32_t>(to + head, from + head, body);
    else if (width == 2)
        copy_words<uint16_t>(to + head, from + head, body);
    else
        copy_words<uint8_t>(to + head, from + head, body);
    copy_words<uint8_t>(to + head + body, from + head + body, bytes - head - body);
}

static __global__ void __launch_bounds__(THREADS)
    k_collect(const __grid_constant__ struct gs_k_coll c, const __grid_constant__ struct gin_shmem_reach words_in,
              uint64_t word, uint64_t size)
{
    uint64_t at = 0;
    for (int r = 0; r < c.team.n; r++) {
        int pe = pe_of(c.team, r);
        uint64_t bytes = *(const volatile uint64_t *)gs_k_peer(&words_in, word, pe) * size;
        copy_bytes((char *)c.dest + at, (const char *)gs_k_peer(&c.from, c.source, pe), bytes);
        at += bytes;
    }
}

cudaError_t gs_k_collect_launch(const struct gs_k_coll *c, const struct gin_shmem_reach *words_in, uint64_t word,
                                size_t size, int sms, cudaStream_t s)
{
    /* The others' lengths are not known here: enough blocks to keep the link busy. */
    k_collect<<<(unsigned)(sms < 32 ? sms : 32), THREADS, 0, s>>>(*c, *words_in, word, size);
    return cudaGetLastError();
}

template <class W>
static __global__ void __launch_bounds__(THREADS)
    k_alltoalls(const __grid_constant__ struct gs_k_coll c, int64_t dst, int64_t sst)
{
    uint64_t total = c.nelems * (uint64_t)c.team.n;
    for (uint64_t i = global_thread(); i < total; i += global_threads()) {
        uint64_t r = i / c.nelems, k = i % c.nelems;
        const W *from = (const W *)gs_k_peer(&c.from, c.source, pe_of(c.team, (int)r));
        ((W *)c.dest)[(int64_t)(r * c.nelems + k) * dst] = from[(int64_t)((uint64_t)c.team.me * c.nelems + k) * sst];
    }
}

/* Elements of other sizes than the machine's, byte by byte. */
static __global__ void __launch_bounds__(THREADS)
    k_alltoalls_bytes(const __grid_constant__ struct gs_k_coll c, uint64_t size, int64_t dst, int64_t sst)
{
    uint64_t total = c.nelems * (uint64_t)c.team.n;
    for (uint64_t i = global_thread(); i < total; i += global_threads()) {
        uint64_t r = i / c.nelems, k = i % c.nelems;
        const char *from = (const char *)gs_k_peer(&c.from, c.source, pe_of(c.team, (int)r));
        const char *in = from + (int64_t)((uint64_t)c.team.me * c.nelems + k) * sst * (int64_t)size;
        char *out = (char *)c.dest + (int64_t)(r * c.nelems + k) * dst * (int64_t)size;
        for (uint64_t b = 0; b < size; b++)
            out[b] = in[b];
    }
}

cudaError_t gs_k_alltoalls_launch(const struct gs_k_coll *c, size_t size, int64_t dst, int64_t sst, int sms,
                                  cudaStream_t s)
{
    unsigned blocks = blocks_for(c->nelems * (uint64_t)c->team.n, sms);
    bool aligned = (c->dest | c->source) % size == 0;
    if (size == 1)
        k_alltoalls<uint8_t><<<blocks, THREADS, 0, s>>>(*c, dst, sst);
    else if (size == 2 && aligned)
        k_alltoalls<uint16_t><<<blocks, THREADS, 0, s>>>(*c, dst, sst);
    else if (size == 4 && aligned)
        k_alltoalls<uint32_t><<<blocks, THREADS, 0, s>>>(*c, dst, sst);
    else if (size == 8 && aligned)
        k_alltoalls<uint64_t><<<blocks, THREADS, 0, s>>>(*c, dst, sst);
    else if (size == 16 && aligned)
        k_alltoalls<uint4><<<blocks, THREADS, 0, s>>>(*c, dst, sst);
    else
        k_alltoalls_bytes<<<blocks, THREADS, 0, s>>>(*c, size, dst, sst);
    return cudaGetLastError();
}

/* ---- loading ---- */

static cudaError_t load(const void *k)
{
    cudaFuncAttributes a;
    return cudaFuncGetAttributes(&a, k);
}

cudaError_t gs_k_load_coll(void)
{
    const void *const moving[] = {(const void *)k_collect,
                                  (const void *)k_alltoalls<uint8_t>,
                                  (const void *)k_alltoalls<uint16_t>,
                                  (const void *)k_alltoalls<uint32_t>,
                                  (const void *)k_alltoalls<uint64_t>,
                                  (const void *)k_alltoalls<uint4>,
                                  (const void *)k_alltoalls_bytes};
    cudaError_t e = cudaSuccess;
    for (const void *k : moving)
        if (e == cudaSuccess)
            e = load(k);
    if (e == cudaSuccess)
        e = gs_k_load_all<reductions>();
    return e == cudaSuccess ? gs_k_load_all<scans>() : e;
}

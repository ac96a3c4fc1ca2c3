/* SPDX-License-Identifier: BSD-3-Clause */
/* What NCCL's collectives lack, over loads from and stores to the peers' memory. */
#include "transport/nccl/kernels.h"

#include "transport/device.h"

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

template <class T>
static kernel *bits_kernel(int op)
{
    return op == GS_OP_and ? k_reduce<T, op_and> : op == GS_OP_or ? k_reduce<T, op_or> : k_reduce<T, op_xor>;
}
template <class T>
static kernel *arithmetic_kernel(int op)
{
    return op == GS_OP_sum ? k_reduce<T, op_sum> : k_reduce<T, op_prod>;
}
template <class T>
static kernel *order_kernel(int op)
{
    return op == GS_OP_min ? k_reduce<T, op_min> : k_reduce<T, op_max>;
}
/* Unsigned integers know everything. */
template <class T>
static kernel *unsigned_kernel(int op)
{
    return op == GS_OP_min || op == GS_OP_max    ? order_kernel<T>(op)
           : op == GS_OP_sum || op == GS_OP_prod ? arithmetic_kernel<T>(op)
                                                 : bits_kernel<T>(op);
}
template <class T>
static kernel *real_kernel(int op)
{
    return op == GS_OP_min || op == GS_OP_max    ? order_kernel<T>(op)
           : op == GS_OP_sum || op == GS_OP_prod ? arithmetic_kernel<T>(op)
                                                 : nullptr;
}
template <class T>
static kernel *ordered_kernel(int op) /* signed integers come here for their order only */
{
    return op == GS_OP_min || op == GS_OP_max ? order_kernel<T>(op) : nullptr;
}
template <class T>
static kernel *complex_kernel(int op)
{
    return op == GS_OP_sum || op == GS_OP_prod ? arithmetic_kernel<complex<T>>(op) : nullptr;
}

static kernel *reduce_kernel(enum gs_k_type type, int op)
{
    switch (type) {
    case GS_K_U8:
        return unsigned_kernel<uint8_t>(op);
    case GS_K_U16:
        return unsigned_kernel<uint16_t>(op);
    case GS_K_U32:
        return unsigned_kernel<uint32_t>(op);
    case GS_K_U64:
        return unsigned_kernel<uint64_t>(op);
    case GS_K_S8:
        return ordered_kernel<int8_t>(op);
    case GS_K_S16:
        return ordered_kernel<int16_t>(op);
    case GS_K_S32:
        return ordered_kernel<int32_t>(op);
    case GS_K_S64:
        return ordered_kernel<int64_t>(op);
    case GS_K_F32:
        return real_kernel<float>(op);
    case GS_K_F64:
        return real_kernel<double>(op);
    case GS_K_C32:
        return complex_kernel<float>(op);
    case GS_K_C64:
        return complex_kernel<double>(op);
    case GS_K_F16:
    case GS_K_BF16:
    case GS_K_TYPES:
        break;
    }
    return nullptr;
}

static kernel *scan_kernel(enum gs_k_type type)
{
    switch (type) {
    case GS_K_U8:
        return k_scan<uint8_t>;
    case GS_K_U16:
        return k_scan<uint16_t>;
    case GS_K_U32:
        return k_scan<uint32_t>;
    case GS_K_U64:
        return k_scan<uint64_t>;
    case GS_K_F32:
        return k_scan<float>;
    case GS_K_F64:
        return k_scan<double>;
    case GS_K_C32:
        return k_scan<complex<float>>;
    case GS_K_C64:
        return k_scan<complex<double>>;
    default:
        return nullptr;
    }
}

bool gs_k_combine_knows(enum gs_k_type type, int op)
{
    return reduce_kernel(type, op) != nullptr;
}

cudaError_t gs_k_combine_launch(const struct gs_k_coll *c, enum gs_k_type type, int op, int sms, cudaStream_t s)
{
    kernel *k = c->scan ? scan_kernel(type) : reduce_kernel(type, op);
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
    for (int type = 0; type < GS_K_TYPES; type++) {
        kernel *scan = scan_kernel((enum gs_k_type)type);
        if (e == cudaSuccess && scan)
            e = load((const void *)scan);
        for (int op = GS_OP_and; op <= GS_OP_prod; op++) {
            kernel *k = reduce_kernel((enum gs_k_type)type, op);
            if (e == cudaSuccess && k)
                e = load((const void *)k);
        }
    }
    return e;
}

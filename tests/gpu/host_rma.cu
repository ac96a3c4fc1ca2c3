/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's RMA on device memory, on the host heap, and between both and private memory: put, get, nbi, p, g, strided,
 * sized, put_signal; seen by the host and by kernels.
 * run: sanitize-quick */
#include "check.h"

enum { LEN = 1000 };

__global__ void verify(const long *p, int count, int stride, long base, int which)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        EXPECT(p[i * stride], base + i, which * 100000 + i);
}
__global__ void fill(long *p, int count, long base)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        p[i] = base + i;
}

static void host_fill(long *p, long base)
{
    for (int i = 0; i < LEN; i++)
        p[i] = base + i;
}

int main()
{
    start();
    long *dev = symmetric<long>(LEN * 4), *dev_source = symmetric<long>(LEN * 4);
    long *host = (long *)shmem_malloc_with_hints(LEN * 4 * sizeof(long), SHMEMX_MALLOC_HOST);
    CHECK(host, "no host memory");
    long *own = (long *)malloc(LEN * 4 * sizeof(long)), *plain;
    static long global[LEN];
    CHECK(own, "no memory");
    CU(cudaMalloc(&plain, LEN * 4 * sizeof(long)));
    struct {
        const char *name;
        long *source;
        bool on_device;
    } sources[] = {{"private host", own, false}, {"host heap", host + LEN, false}, {"global", global, false},
                   {"device heap", dev_source, true}, {"cudaMalloc", plain, true}};
    int which = 0;
    for (auto &s : sources) {
        long base = 1000000 * (me + 1) + 10000 * which, from = 1000000 * (previous_pe + 1) + 10000 * which;
        if (s.on_device) {
            GIN_SHMEM_LAUNCH(fill, 1, 256, 0, s.source, LEN, base);
            KERNELS_DONE("fill");
        } else {
            host_fill(s.source, base);
        }
        shmem_long_put(dev, s.source, LEN, next_pe);
        shmem_long_put_nbi(dev + LEN, s.source, LEN, next_pe);
        shmem_putmem(host, s.source, LEN * sizeof(long), next_pe);
        shmem_long_iput(dev + 2 * LEN, s.source, 2, 1, LEN, next_pe);
        shmem_barrier_all();
        GIN_SHMEM_LAUNCH(verify, 1, 256, 0, dev, LEN, 1, from, which);
        GIN_SHMEM_LAUNCH(verify, 1, 256, 0, dev + LEN, LEN, 1, from, 100 + which);
        GIN_SHMEM_LAUNCH(verify, 1, 256, 0, dev + 2 * LEN, LEN, 2, from, 200 + which);
        KERNELS_DONE("put from %s", s.name);
        for (int i = 0; i < LEN; i++)
            CHECK(host[i] == from + i, "put from %s to the host heap: word %d is %ld", s.name, i, host[i]);
        shmem_barrier_all();
        which++;
    }

    /* get, into every kind of memory, from both heaps */
    GIN_SHMEM_LAUNCH(fill, 1, 256, 0, dev_source, LEN, 5000 * me);
    KERNELS_DONE("fill");
    host_fill(host + LEN, 7000 * me);
    shmem_barrier_all();
    memset(own, 0, LEN * sizeof(long));
    shmem_long_get(own, dev_source, LEN, next_pe);
    for (int i = 0; i < LEN; i++)
        CHECK(own[i] == 5000l * next_pe + i, "get into private memory: word %d is %ld", i, own[i]);
    shmem_long_get_nbi(plain, dev_source, LEN, next_pe);
    shmem_long_get_nbi(plain + LEN, host + LEN, LEN, next_pe);
    shmem_long_iget(own + LEN, dev_source, 1, 2, LEN / 2, next_pe);
    shmem_quiet();
    GIN_SHMEM_LAUNCH(verify, 1, 256, 0, plain, LEN, 1, 5000 * next_pe, 300);
    GIN_SHMEM_LAUNCH(verify, 1, 256, 0, plain + LEN, LEN, 1, 7000 * next_pe, 301);
    KERNELS_DONE("get into device memory");
    for (int i = 0; i < LEN / 2; i++)
        CHECK(own[LEN + i] == 5000l * next_pe + 2 * i, "iget: word %d is %ld", i, own[LEN + i]);

    /* single elements, sizes, zero */
    shmem_barrier_all();
    shmem_long_p(dev + 7, 77 + me, next_pe);
    shmem_double_p((double *)(dev + 8), 1.25 * (me + 1), next_pe);
    shmem_uint8_p((uint8_t *)(dev + 9), 9, next_pe);
    shmem_putmem(dev, own, 0, next_pe);
    shmem_barrier_all();
    CHECK(shmem_long_g(dev + 7, me) == 77 + previous_pe, "p, then g from myself");
    CHECK(shmem_double_g((double *)(dev + 8), next_pe) == 1.25 * (me + 1), "g of a double");
    CHECK(shmem_uint8_g((uint8_t *)(dev + 9), next_pe) == 9, "g of a byte");
    uint64_t halves[2] = {11, 22}, back[2] = {0, 0};
    shmem_put128(dev + 10, halves, 1, next_pe);
    shmem_quiet();
    shmem_get128(back, dev + 10, 1, next_pe);
    CHECK(back[0] == 11 && back[1] == 22, "put128, get128");
    shmem_barrier_all();
    shmem_ibput64(dev + 20, own + LEN, 10, 4, 3, 5, next_pe);
    shmem_barrier_all();
    long blocks[5 * 10];
    from_device(blocks, dev + 20, 50);
    for (int b = 0; b < 5; b++)
        for (int i = 0; i < 3; i++)
            CHECK(blocks[b * 10 + i] == 5000l * me + 2 * (b * 4 + i), "ibput64: block %d, word %d", b, i);

    /* a large one, not contiguous in pages, from pageable memory: there when the barrier is */
    size_t big = ((size_t)64 << 20) / sizeof(long);
    long *target = symmetric<long>(big), *from = (long *)malloc(big * sizeof(long));
    CHECK(from, "no memory");
    for (size_t i = 0; i < big; i++)
        from[i] = (long)i ^ me;
    shmem_long_put(target, from, big, next_pe);
    memset(from, 0xff, big * sizeof(long)); /* the source may be reused */
    shmem_barrier_all();
    from_device(from, target, big);
    for (size_t i = 0; i < big; i++)
        CHECK(from[i] == ((long)i ^ previous_pe), "large put: word %zu", i);
    free(from);
    free(own);
    CU(cudaFree(plain));
    shmem_barrier_all();
    return done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and atomics: the same name does the same on the host and in kernels. */
#include "nv.h"

#include <vector>

enum { WORDS = 500 };

__global__ void copies(int *to, const int *from, int next, int previous)
{
    nvshmemx_int_put_block(to, from, WORDS, next);
    nvshmemx_barrier_all_block();
    for (int i = (int)threadIdx.x; i < WORDS; i += (int)blockDim.x)
        EXPECT(to[i], (int)(mix((unsigned)previous, (unsigned)i) & 0xffff), i);
    __syncthreads();
    if (threadIdx.x < 32) {
        nvshmemx_getmem_nbi_warp(to, from, WORDS * sizeof(int), next);
        nvshmemx_quiet_warp();
        for (int i = (int)threadIdx.x; i < WORDS; i += 32)
            EXPECT(to[i], (int)(mix((unsigned)next, (unsigned)i) & 0xffff), i);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int local[4];
        nvshmem_int_iget(local, from, 1, 3, 4, next);
        for (int i = 0; i < 4; i++)
            EXPECT(local[i], (int)(mix((unsigned)next, (unsigned)i * 3) & 0xffff), i);
        nvshmem_put64(to, from, 2, nvshmem_my_pe());
        EXPECT(nvshmem_int_g(to + 3, nvshmem_my_pe()), from[3], 3);
        nvshmemx_qp_int_put(to, from + 1, 1, nvshmem_my_pe(), NVSHMEMX_QP_DEFAULT);
        nvshmemx_qp_quiet(nvshmem_my_pe(), NULL, 0);
        EXPECT(to[0], from[1], 0);
    }
    nvshmemx_barrier_all_block();
}

__global__ void atomics(int *i, unsigned long long *u, float *f, short *h, int n)
{
    nvshmem_int_atomic_add(i, 2, 0);
    nvshmem_ulonglong_atomic_fetch_or(u, 1ull << (threadIdx.x & 31), 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        nvshmem_float_atomic_set(f, 2.5f, nvshmem_my_pe());
        EXPECT(nvshmem_float_atomic_swap(f, 3.5f, nvshmem_my_pe()), 2.5f, 0);
        h[0] = 7;
        nvshmem_quiet();
        nvshmem_short_wait_until(h, NVSHMEM_CMP_EQ, 7);
        EXPECT(nvshmem_short_test(h, NVSHMEM_CMP_NE, 7), 0, 1);
        EXPECT(nvshmem_ptr(h, nvshmem_my_pe()) == (void *)h, true, 2);
        EXPECT(nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, h) == NULL, true, 3);
        EXPECT(nvshmem_n_pes(), n, 4);
    }
}

int main()
{
    nv_start();
    int *to = nv_symmetric<int>(WORDS), *from = nv_symmetric<int>(WORDS), *i = nv_symmetric<int>(1);
    unsigned long long *u = nv_symmetric<unsigned long long>(1);
    float *f = nv_symmetric<float>(1);
    short *h = nv_symmetric<short>(1);
    std::vector<int> mine(WORDS);
    for (int k = 0; k < WORDS; k++)
        mine[k] = (int)(mix((unsigned)me, (unsigned)k) & 0xffff);
    to_device(from, mine.data(), WORDS);
    nvshmem_barrier_all();
    GIN_SHMEM_LAUNCH(copies, 1, 96, 0, to, from, next_pe, previous_pe);
    KERNELS_DONE("copies");

    std::vector<int> got(WORDS);
    nvshmem_int_get(got.data(), from, WORDS, next_pe);
    for (int k = 0; k < WORDS; k++)
        CHECK(got[k] == (int)(mix((unsigned)next_pe, (unsigned)k) & 0xffff), "element %d", k);
    nvshmem_int_put_nbi(to, mine.data(), WORDS, next_pe);
    nvshmem_quiet();
    nvshmem_barrier_all();
    from_device(got.data(), to, WORDS);
    for (int k = 0; k < WORDS; k++)
        CHECK(got[k] == (int)(mix((unsigned)previous_pe, (unsigned)k) & 0xffff), "element %d from the host", k);

    GIN_SHMEM_LAUNCH(atomics, 2, 64, 0, i, u, f, h, n);
    KERNELS_DONE("atomics");
    nvshmem_barrier_all();
    CHECK(nvshmem_int_g(i, 0) == 2 * 2 * 64 * n, "the count is %d", nvshmem_int_g(i, 0));
    CHECK(nvshmem_ulonglong_g(u, 0) == 0xffffffffull, "the bits are %llx", nvshmem_ulonglong_g(u, 0));
    nvshmem_barrier_all();
    int old = nvshmem_int_atomic_fetch_add(i, 1, 0);
    CHECK(old >= 2 * 2 * 64 * n && old < 2 * 2 * 64 * n + n, "fetch_add gives %d", old);
    __half v = nvshmem_half_g((__half *)f, me);
    (void)v;
    nvshmem_half_p((__half *)f, (__half)1.5f, next_pe);
    nvshmem_barrier_all();
    CHECK((float)nvshmem_half_g((__half *)f, me) == 1.5f, "half: %g", (double)(float)nvshmem_half_g((__half *)f, me));

    CHECK(nvshmem_malloc(0) == NULL, "memory of no bytes");
    void *aligned = nvshmem_align(4096, 100);
    CHECK(aligned && (uintptr_t)aligned % 4096 == 0, "%p", aligned);
    nvshmem_free(aligned);
    static char buffer[64];
    CHECK(nvshmemx_buffer_register(buffer, sizeof buffer) == 0 && nvshmemx_buffer_unregister(buffer) == 0, "a buffer");
    return nv_done();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Acquires, and releases whose effect this processor shows anyway: ThreadSanitizer tells when one is missing, where both
 * ends are threads of one PE. Two PEs. run.sh leaves them out one at a time.
 */
#include "check.h"

enum { ROUNDS = 40, THREADS = 64, PART = 1024 };

struct words {
    uint64_t data[ROUNDS + 1];
    uint64_t flag, stop;
};

__device__ static void wait_a_while()
{
    for (long long since = clock64(); clock64() - since < 100000;)
        ;
}

/* Block 0 writes and tells, block 1 is told and reads. */
__device__ static void tell(struct words *w, uint64_t r, int me)
{
    w->data[r] = r;
    gin_shmem_fence();
    gin_shmem_signal_add(&w->flag, 1, me);
    wait_a_while();
}
__global__ void waits(struct words *w, int me)
{
    for (uint64_t r = 1; r <= ROUNDS; r++)
        if (blockIdx.x == 0) {
            tell(w, r, me);
        } else {
            gin_shmem_signal_wait_until(&w->flag, SHMEM_CMP_GE, r);
            EXPECT(w->data[r], r, r);
        }
}
__global__ void fetches(struct words *w, int me)
{
    for (uint64_t r = 1; r <= ROUNDS; r++)
        if (blockIdx.x == 0) {
            tell(w, r, me);
        } else {
            while (gin_shmem_signal_fetch(&w->flag) < r)
                ;
            EXPECT(w->data[r], r, r);
        }
}

/* What block 0 of PE 0 wrote before its barrier its block 1 sees behind its own, because PE 1 was in both, one by one. */
__global__ void barriers(struct words *w, int me)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        if (me != 0) {
            gin_shmem_barrier_all(0);
            gin_shmem_barrier_all(1);
        } else if (blockIdx.x == 0) {
            wait_a_while(); /* block 1 is to be there first */
            w->data[r] = r;
            gin_shmem_barrier_all(0);
        } else {
            gin_shmem_barrier_all(1);
            EXPECT(w->data[r], r, r);
        }
    }
}

/* Looks at all windows, while the host adds some. */
__global__ void windows(struct words *w, int)
{
    size_t offset;
    gin_shmem_signal_set(&w->flag, 1, gin_shmem_my_pe());
    while (!gin_shmem_signal_fetch(&w->stop)) /* which orders too: mostly not between two looks */
        for (int i = 0; i < 5000; i++)
            EXPECT_TRUE(gin_shmem_nccl_window(&offset, &offset) == nullptr, i);
}

/* One user's worth of lent memory, and many users after each other. */
__global__ void loans(unsigned char *dest, const unsigned char *source, int pe)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    gin_shmem_smem loan = gin_shmem_smem_give(room, 8192, 1);
    gin_shmem_putmem(dest + threadIdx.x * PART, source + threadIdx.x * PART, PART, pe, loan);
    gin_shmem_smem_take(loan);
}

int main()
{
    setenv("SHMEM_SYMMETRIC_SIZE", "2m", 1); /* each allocation below is a window */
    start();
    CHECK(n == 2, "%d PEs, not 2", n);
    struct words *w = (struct words *)shmem_calloc(4, sizeof *w);
    unsigned char *source = symmetric<unsigned char>(2 * THREADS * PART), *dest = source + THREADS * PART;
    CHECK(w, "no memory");
    GIN_SHMEM_LAUNCH(waits, 2, 1, 0, w, me);
    KERNELS_DONE("waits");
    GIN_SHMEM_LAUNCH(fetches, 2, 1, 0, w + 1, me);
    KERNELS_DONE("fetches");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(barriers, me == 0 ? 2 : 1, 1, 0, w + 2, me);
    KERNELS_DONE("barriers");
    GIN_SHMEM_LAUNCH_SMEM(loans, 1, THREADS, 8192, 0, dest, source, next_pe);
    KERNELS_DONE("loans");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(windows, 1, 1, 0, w + 3, me);
    shmem_uint64_wait_until(&w[3].flag, SHMEM_CMP_EQ, 1);
    for (int i = 0; i < 6; i++)
        CHECK(shmem_malloc(3 << 20), "no memory");
    shmem_uint64_p(&w[3].stop, 1, me);
    KERNELS_DONE("windows");
    shmem_barrier_all();
    return done();
}

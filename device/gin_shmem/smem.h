/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory that a block lends to the library.
 *
 *     extern __shared__ unsigned char room[];                        // say 32 KiB, of the launch
 *     gin_shmem_smem lent = gin_shmem_smem_give(room, 32768);        // all threads of the block
 *     gin_shmem_putmem(dest, source, bytes, pe, lent);               // any thread, any number of times
 *     gin_shmem_smem_take(lent);                                     // all threads; room is the program's again
 *
 * With it a single thread copies at the speed of a block (sm_90 and newer; elsewhere the argument changes nothing). The
 * loan is a value that the program passes to the calls that may use it, as their last argument: the library keeps no
 * static shared memory and no hidden state, and calls without the argument do not contain the code.
 */
#ifndef GIN_SHMEM_SMEM_H
#define GIN_SHMEM_SMEM_H

#include "port.h"

/* A loan. All zero, as a default argument: none. */
struct gin_shmem_smem {
    unsigned char *base; /* of the book-keeping below; the bays follow */
    uint32_t bays;       /* threads that can use it at one time */
    uint32_t stage;      /* bytes of one of a bay's GIN_SHMEM_SMEM_STAGES buffers */
};

enum { GIN_SHMEM_SMEM_STAGES = 4, GIN_SHMEM_SMEM_USERS = 8 };

namespace gin_shmem_impl
{

struct smem_book {
    uint64_t bar[GIN_SHMEM_SMEM_USERS][GIN_SHMEM_SMEM_STAGES];
    /* A lock; its value is the parity that stage s completes next, in bit s. */
    uint32_t phase[GIN_SHMEM_SMEM_USERS];
    uint32_t pad[24];
};
static_assert(sizeof(struct smem_book) % 128 == 0, "bays are 128-byte aligned");

/* Copies bytes (> 0) by bulk copies, for one thread. dst, src and bytes are multiples of 16, in global memory. Returns
 * when the data is in place at dst and src can be reused; false, with nothing done, when all bays are in use. */
GIN_SHMEM_COLD bool smem_copy(struct gin_shmem_smem lent, unsigned char *dst, const unsigned char *src, size_t bytes)
{
    struct smem_book *book = (struct smem_book *)lent.base;
    uint32_t bay = 0, phase;
    while ((phase = lock_take(&book->phase[bay])) == LOCK_HELD)
        if (++bay == lent.bays)
            return false;
    uint64_t *bar = book->bar[bay];
    uint32_t stage = lent.stage;
    unsigned char *room = lent.base + sizeof *book + (size_t)bay * GIN_SHMEM_SMEM_STAGES * stage;
    size_t chunks = (bytes + stage - 1) / stage, last = bytes - (chunks - 1) * stage;

    bulk_fence_global(); /* the source was written, and the destination perhaps read, by ordinary accesses */
    GIN_SHMEM_ROLLED
    for (size_t i = 0; i < GIN_SHMEM_SMEM_STAGES && i < chunks; i++)
        bulk_load(room + i * stage, src + i * stage, i + 1 == chunks ? (uint32_t)last : stage, &bar[i]);
    GIN_SHMEM_ROLLED
    for (size_t i = 0; i < chunks; i++) {
        uint32_t s = i % GIN_SHMEM_SMEM_STAGES;
        mbar_wait(&bar[s], phase >> s & 1);
        phase ^= 1u << s;
        bulk_store(dst + i * stage, room + s * stage, i + 1 == chunks ? (uint32_t)last : stage);
        /* Refill the stage that was stored from one turn ago, once that store has read it. */
        size_t next = i + GIN_SHMEM_SMEM_STAGES - 1;
        if (i > 0 && next < chunks) {
            uint32_t t = next % GIN_SHMEM_SMEM_STAGES;
            bulk_wait_reads_but_one();
            bulk_load(room + t * stage, src + next * stage, next + 1 == chunks ? (uint32_t)last : stage, &bar[t]);
        }
    }
    /* Performed, not only read: so that a quiet, fence or release of this thread needs to know nothing of bulk
     * copies. */
    bulk_wait_stores();
    lock_give(&book->phase[bay], phase);
    return true;
}

} // namespace gin_shmem_impl

/*
 * Lends bytes of shared memory at ptr to the library. All threads of the block call it, with the same arguments; it
 * synchronises them. The memory must not be touched until gin_shmem_smem_take. users (1 .. 8): how many threads or
 * warps will copy through it at one time; each has its share, and one that finds none free copies without. 8 KiB a user
 * serve well, 32 KiB best. Returns the loan; an empty one, to pass all the same, when the memory is too little (under
 * 2.6 KiB) or the GPU has no bulk copies.
 */
static __device__ inline struct gin_shmem_smem gin_shmem_smem_give(void *ptr, size_t bytes, int users = 1)
{
    using namespace gin_shmem_impl;
    struct gin_shmem_smem none = {nullptr, 0, 0}, lent = none;
    uintptr_t at = ((uintptr_t)ptr + 127) & ~(uintptr_t)127;
    size_t lost = at - (uintptr_t)ptr + sizeof(struct smem_book);
    if (!bulk_available || !is_shared(ptr) || bytes < lost)
        return none;
    lent.base = (unsigned char *)at;
    lent.bays = users < 1 ? 1 : users > GIN_SHMEM_SMEM_USERS ? (uint32_t)GIN_SHMEM_SMEM_USERS : (uint32_t)users;
    size_t stage = (bytes - lost) / (lent.bays * GIN_SHMEM_SMEM_STAGES) & ~(size_t)127;
    lent.stage = stage > 65536 ? 65536 : (uint32_t)stage;
    if (lent.stage < 512)
        return none;
    bulk_fence_shared(); /* each thread's own accesses to the memory, before bulk copies into it */
    block_group::sync();
    if (block_group::rank() == 0) {
        struct smem_book *book = (struct smem_book *)lent.base;
        GIN_SHMEM_ROLLED
        for (uint32_t b = 0; b < lent.bays; b++) {
            for (int s = 0; s < GIN_SHMEM_SMEM_STAGES; s++)
                mbar_init(&book->bar[b][s]);
            book->phase[b] = 0;
        }
        bulk_fence_shared();
    }
    block_group::sync();
    return lent;
}

/* Takes the loan back: the memory is the program's again. All threads of the block call it; it synchronises them. A
 * kernel may also end without. */
static __device__ inline void gin_shmem_smem_take(struct gin_shmem_smem lent)
{
    using namespace gin_shmem_impl;
    block_group::sync();
    if (lent.bays && block_group::rank() == 0) {
        struct smem_book *book = (struct smem_book *)lent.base;
        GIN_SHMEM_ROLLED
        for (uint32_t b = 0; b < lent.bays; b++)
            for (int s = 0; s < GIN_SHMEM_SMEM_STAGES; s++)
                mbar_invalidate(&book->bar[b][s]);
    }
    block_group::sync();
}

#endif

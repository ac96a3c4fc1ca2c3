/* SPDX-License-Identifier: BSD-3-Clause */
/* An operation of kernels on its way to NCCL's GIN. ncclWindow_t is known where this is included. */
#ifndef GIN_SHMEM_GIN_OP_H
#define GIN_SHMEM_GIN_OP_H

namespace gin_shmem_impl
{

/* A place in a window; the window's offset is the same at each PE. */
struct gin_place {
    ncclWindow_t window;
    uint64_t offset;
};

/* What a put brings along. */
enum gin_with {
    GIN_ALONE,
    GIN_COUNT,  /* counts here when it is complete */
    GIN_SIGNAL, /* and a signal that nobody reads, behind all earlier puts of the context to that PE */
    GIN_ADD, /* counts here; value is added to the word at sig, behind its own payload. bytes 0: that alone, uncounted */
};

/* An operation on its way, on the calling thread's stack. */
struct gin_op {
    /* as called */
    const void *dest, *source;
    uint64_t *word;
    uint64_t value;
    int pe;
    uint32_t fn;
    int with;  /* enum gin_with: of the last piece */
    bool wait; /* until the source may be changed */
    bool add;
    int served; /* the answer */
    /* what is left of it, and its next piece */
    uint64_t bytes, length;
    struct gin_place to, from; /* of a get: from is remote */
    struct gin_place sig;
    uint32_t context, slot; /* the slot that counts: gin_state.h */
    int rank;               /* NCCL's */
};

/* NCCL counts in 56 bits. */
GIN_SHMEM_FN bool gin_reached(uint64_t now, uint64_t least)
{
    return ((now - least) & (~(uint64_t)0 >> 8)) <= ~(uint64_t)0 >> 9;
}

} // namespace gin_shmem_impl

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How kernels ask the agent, a thread of the PE's process that carries out operations on far PEs (fabric.h): the contract
 * between fabric_agent.h, which posts requests, and src/agent, which performs them. Valid as C11 and C++17, for the host
 * and for device code.
 *
 * A request is a line of 64 bytes in a ring in host memory. A kernel takes a ticket, waits until the entry of that number
 * is free, fills it in, and stores its turn last, with a release. The agent takes requests in the order of their tickets.
 * An entry is free again when everything of it has been done, and what it brought back has been taken.
 */
#ifndef GIN_SHMEM_AGENT_H
#define GIN_SHMEM_AGENT_H

#include "state.h"

enum {
    GIN_SHMEM_AGENT_ENTRIES = 8192, /* a power of two */
    GIN_SHMEM_AGENT_INLINE = 256,   /* bytes of data that travel in an entry */
    GIN_SHMEM_AGENT_WORDS = 6,
};

enum gin_shmem_agent_kind {
    GIN_SHMEM_AGENT_PUT, /* with signal, where sig is not 0 */
    GIN_SHMEM_AGENT_GET,
    GIN_SHMEM_AGENT_AMO,   /* op on a word of `bytes` bytes at dest: operand value, condition source */
    GIN_SHMEM_AGENT_QUIET, /* answered when all is performed that was asked for pe (-1: any) before */
};

enum gin_shmem_agent_flag {
    GIN_SHMEM_AGENT_INLINED = 1, /* a put's data are in the entry's inline bytes; a get's are wanted there */
    GIN_SHMEM_AGENT_ANSWER = 2,  /* somebody waits for answer.done */
    GIN_SHMEM_AGENT_TAKE = 4,    /* and then reads answer.value or the inline bytes, and stores answer.taken */
    GIN_SHMEM_AGENT_SIGNAL_ADD = 8,
};

struct gin_shmem_agent_request {
    uint64_t dest;   /* own symmetric address, of which the object at pe is meant; of a get, any memory of this PE's */
    uint64_t source; /* own memory, which the agent reads late; of a get, own symmetric address, as above */
    uint64_t bytes;
    uint64_t sig, value; /* own symmetric address of the signal, or 0; the signal, or the AMO's operand */
    uint8_t kind, op, flags, pad;
    int32_t pe;
    uint64_t fn;   /* who asks, for reports */
    uint64_t turn; /* ticket / GIN_SHMEM_AGENT_ENTRIES + 1 */
};

/* Beside each entry, in host memory. Tickets + 1. */
struct gin_shmem_agent_answer {
    uint64_t done, value; /* the agent's */
    uint64_t taken, pad;  /* the kernel's */
};

/* What kernels know; does not change. */
struct gin_shmem_agent {
    struct gin_shmem_agent_request *ring;
    struct gin_shmem_agent_answer *answers;
    unsigned char *inlined; /* GIN_SHMEM_AGENT_INLINE bytes for each entry */
    uint64_t *freed;        /* the agent's: requests with smaller tickets + 1 than this have freed their entries */
    uint64_t *words; /* GIN_SHMEM_AGENT_WORDS, in device memory, the kernels': tickets given out; what they know of freed;
                        tickets up to which a quiet of all PEs has been answered; whether one of them looks at freed;
                        whether one of them asks for such a quiet; threads that have waited long for an answer */
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the host tells kernels, and where the runtime's own words lie on the device: the contract between
 * libginshmem_nccl.so, which fills it, and the device headers, which read it. Valid as C11 and C++17, for the host and
 * for device code; needs no CUDA header. Raise GIN_SHMEM_DEVICE_ABI with every change of layout.
 *
 * Every translation unit (without -rdc) or program (with -rdc=true) has one __constant__ gin_shmem_device_state. All
 * zero means: not initialised. The host fills every copy, and fills them again whenever a field changes; fields that
 * change while kernels may run lie behind pointers into device memory (teams, windows).
 */
#ifndef GIN_SHMEM_STATE_H
#define GIN_SHMEM_STATE_H

#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#include <stdint.h>
#elif !defined(GIN_SHMEM_NO_STDINT)
/* NVRTC has no <stdint.h>; these are the types that <cuda/std/cstdint> gives there. */
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#endif

#ifdef __CUDACC__
#define GIN_SHMEM_HD static inline __host__ __device__
#else
#define GIN_SHMEM_HD static inline
#endif

enum {
    GIN_SHMEM_DEVICE_ABI = 4,
    GIN_SHMEM_STATE_MAGIC = 0x47535531, /* "GSU1" */
    GIN_SHMEM_WINDOWS_MAX = 64,
};

/* One window of the device heap, as this PE addresses its own part. */
struct gin_shmem_window {
    uint64_t lo, bytes; /* own addresses [lo, lo + bytes) */
    void *nccl;         /* ncclWindow_t */
};

/* In device memory: only grows, entries first, then count. Entry 0 begins with the system segment. */
struct gin_shmem_windows {
    uint32_t count, pad;
    struct gin_shmem_window w[GIN_SHMEM_WINDOWS_MAX];
};

/* A team, by slot: (handle & 0xffff) - 1. In device memory, max_teams of them; written before the handle is known to
 * the program. World PE of rank r: pes ? pes[r] : start + r * stride. */
struct gin_shmem_team {
    int32_t n;  /* members; 0: no team in this slot, or this PE is not a member */
    int32_t me; /* this PE's rank */
    int32_t start, stride;
    const int32_t *pes; /* in device memory, n of them; NULL when start and stride say it all */
    uint64_t handle;    /* the whole handle, so that a stale one is recognised */
};

/* Load/store reach of one kind of memory. Own addresses are [lo, lo + span); the peer of rank r in reach has the same
 * object at p + (r - me) * stride. The rank of world PE pe is rank ? rank[pe] : pe - first; it is in reach when that is
 * within 0 .. n-1. */
struct gin_shmem_reach {
    uint64_t lo, span, stride;
    int32_t me, n, first;
    int32_t in_order;    /* n where rank is NULL, else 0 */
    const int32_t *rank; /* in device memory, state.n entries, negative: not in reach; or NULL */
};

/* ---- the system segment ---- */

/*
 * Symmetric words of the runtime, zeroed before use, at the beginning of window 0. Behind a head comes one area per
 * team slot; an area is a number of lanes, so that several blocks can use one team at once. Lane 0 is the host's (its
 * kernels on streams, index GIN_SHMEM_INDEX_HOST); index i of the program is lane i + 1. A lane has:
 *   record  64 bytes of this PE's own counters, then two 64-bit barrier epochs per member, which that member writes
 *           (odd epochs into the second: two of them may be on the way at once, and overtake each other)
 *   mail    [2 parities][n senders] of twice the lane's payload: each 4 bytes of payload come with a 4-byte flag
 * When a slot is given to a new team, every member zeroes its area (gin_shmem_sys_slot_offset, _bytes) before any
 * member can use it. n is the number of PEs of the job everywhere, whatever the size of the team.
 */
enum {
    GIN_SHMEM_SYS_HEAD = 4096,
    GIN_SHMEM_WIDE_SLOTS = 8, /* the first slots (predefined teams and some more) have more lanes */
    GIN_SHMEM_WIDE_INDICES = 256,
    GIN_SHMEM_INDICES = 16,
    GIN_SHMEM_WIDE_BIG = 4, /* indices from 0 with big mail, in wide slots; elsewhere index 0 alone */
    GIN_SHMEM_INDEX_HOST = -1,
};

struct gin_shmem_sys_head {
    uint32_t claim; /* 1: the report is taken */
};

/* This PE's own counters of a lane. */
struct gin_shmem_lane {
    uint64_t barriers;  /* epochs entered */
    uint64_t mails;     /* exchanges entered */
    uint64_t length[2]; /* host's lane: this PE's part of a collect, in a stream and in a blocking call */
    uint64_t pad[4];
};

/* What all offsets follow from; worked out once, by the host. */
struct gin_shmem_sys_layout {
    uint32_t n;
    uint32_t small, big[2]; /* payload bytes from one member to another in one exchange; [1]: of wide slots */
    uint64_t record_bytes;
    uint64_t slot_bytes[2]; /* [1]: of wide slots */
};

GIN_SHMEM_HD uint32_t gin_shmem_sys_lanes(uint32_t slot)
{
    return 1 + (uint32_t)(slot < GIN_SHMEM_WIDE_SLOTS ? GIN_SHMEM_WIDE_INDICES : GIN_SHMEM_INDICES);
}
/* Lanes 0 .. this have big mail. */
GIN_SHMEM_HD uint32_t gin_shmem_sys_big_lanes(uint32_t slot)
{
    return slot < GIN_SHMEM_WIDE_SLOTS ? GIN_SHMEM_WIDE_BIG : 1;
}
GIN_SHMEM_HD uint32_t gin_shmem_sys_share(uint32_t total, uint32_t n)
{
    uint32_t each = total / n & ~15u;
    return each < 32 ? 32 : each > 32768 ? 32768 : each;
}
GIN_SHMEM_HD struct gin_shmem_sys_layout gin_shmem_sys_layout_of(uint32_t n)
{
    struct gin_shmem_sys_layout l;
    l.n = n;
    l.small = gin_shmem_sys_share(1024, n);
    l.big[0] = gin_shmem_sys_share(16384, n);
    l.big[1] = gin_shmem_sys_share(65536, n);
    l.record_bytes = sizeof(struct gin_shmem_lane) + (((uint64_t)n * 16 + 63) & ~(uint64_t)63);
    for (uint32_t wide = 0; wide < 2; wide++) {
        uint32_t slot = wide ? 0 : GIN_SHMEM_WIDE_SLOTS;
        uint32_t lanes = gin_shmem_sys_lanes(slot), big = gin_shmem_sys_big_lanes(slot);
        l.slot_bytes[wide] =
            lanes * l.record_bytes + (uint64_t)4 * n * ((big + 1) * l.big[wide] + (lanes - big - 1) * l.small);
    }
    return l;
}
GIN_SHMEM_HD uint64_t gin_shmem_sys_slot_at(const struct gin_shmem_sys_layout *l, uint32_t slot)
{
    uint32_t wide = slot < GIN_SHMEM_WIDE_SLOTS ? slot : (uint32_t)GIN_SHMEM_WIDE_SLOTS;
    return GIN_SHMEM_SYS_HEAD + wide * l->slot_bytes[1] + (slot - wide) * l->slot_bytes[0];
}
GIN_SHMEM_HD uint64_t gin_shmem_sys_record_at(const struct gin_shmem_sys_layout *l, uint32_t slot, uint32_t lane)
{
    return gin_shmem_sys_slot_at(l, slot) + lane * l->record_bytes;
}
/* Where the lane's mail begins: 2 parities, n senders, each of twice the payload. Sets payload, a multiple of 16. */
GIN_SHMEM_HD uint64_t gin_shmem_sys_mail_at(const struct gin_shmem_sys_layout *l, uint32_t slot, uint32_t lane,
                                            uint32_t *payload)
{
    uint32_t big = gin_shmem_sys_big_lanes(slot), big_payload = l->big[slot < GIN_SHMEM_WIDE_SLOTS];
    uint64_t at = gin_shmem_sys_record_at(l, slot, gin_shmem_sys_lanes(slot));
    if (lane <= big) {
        *payload = big_payload;
        return at + (uint64_t)4 * l->n * big_payload * lane;
    }
    *payload = l->small;
    return at + (uint64_t)4 * l->n * (big_payload * (big + 1) + l->small * (lane - big - 1));
}
/* The area of one slot, within the segment of a job of n PEs. */
GIN_SHMEM_HD uint64_t gin_shmem_sys_slot_offset(uint32_t n, uint32_t slot)
{
    struct gin_shmem_sys_layout l = gin_shmem_sys_layout_of(n);
    return gin_shmem_sys_slot_at(&l, slot);
}
GIN_SHMEM_HD uint64_t gin_shmem_sys_slot_bytes(uint32_t n, uint32_t slot)
{
    return gin_shmem_sys_layout_of(n).slot_bytes[slot < GIN_SHMEM_WIDE_SLOTS];
}
/* The whole segment, for a job of n PEs that may have max_teams teams at one time. */
GIN_SHMEM_HD uint64_t gin_shmem_sys_bytes(uint32_t n, uint32_t max_teams)
{
    return (gin_shmem_sys_slot_offset(n, max_teams) + 4095) & ~(uint64_t)4095;
}

/* ---- the state ---- */

/* What serves PEs that are out of load/store reach (fabric.h). */
enum gin_shmem_remote_side {
    GIN_SHMEM_REMOTE_NONE,  /* nothing: an operation on such a PE fails, by name */
    GIN_SHMEM_REMOTE_SIM,   /* the simulated network of kernels on the CPU */
    GIN_SHMEM_REMOTE_AGENT, /* the agent (agent.h); and before it GIN, where state.gin is not NULL */
};

/* Atomic operations on such PEs. */
enum gin_shmem_remote_op {
    GIN_SHMEM_OP_FETCH,
    GIN_SHMEM_OP_SET,
    GIN_SHMEM_OP_SWAP,
    GIN_SHMEM_OP_CSWAP,
    GIN_SHMEM_OP_ADD,
    GIN_SHMEM_OP_AND,
    GIN_SHMEM_OP_OR,
    GIN_SHMEM_OP_XOR,
    GIN_SHMEM_OP_ADD_FLOAT, /* double, float or half, by its size */
    GIN_SHMEM_OP_ADD_BFLOAT16,
};

struct gin_shmem_report;
struct gin_shmem_agent;
struct gin_shmem_gin;

struct gin_shmem_state {
    uint32_t magic, abi; /* GIN_SHMEM_STATE_MAGIC, GIN_SHMEM_DEVICE_ABI */
    uint32_t bytes;      /* sizeof(struct gin_shmem_state) */
    int32_t me, n;       /* this PE and the number of PEs */
    int32_t max_teams;
    struct gin_shmem_reach dev;  /* device heap: lo and span cover the PE's whole flat range, so that windows can be
                                     added under running kernels; reach is the LSA team */
    struct gin_shmem_reach host; /* host heap, registered with CUDA; span 0: kernels do not reach it */
    struct gin_shmem_team *teams;
    struct gin_shmem_windows *windows;
    unsigned char *sys;                 /* own system segment: an address in window 0, or NULL */
    struct gin_shmem_sys_layout layout; /* gin_shmem_sys_layout_of(n) */
    uint64_t timeout_ns;                /* of a wait, on the device's globaltimer; 0: for ever */
    struct gin_shmem_report *report;    /* pinned host memory, as kernels address it */
    const void *nccl_dev_comm;          /* ncclDevComm in device memory, or NULL */
    uint32_t remote, pad;               /* enum gin_shmem_remote_side */
    const struct gin_shmem_gin *gin;     /* gin_state.h; in device memory, or NULL */
    const struct gin_shmem_agent *agent; /* in memory that kernels reach, or NULL */
    uint64_t reserved[1];
};

/* ---- what kernels tell the host ---- */

/* Function families, for reports. The name a user knows is gin_shmem_NAME, with _warp or _block behind it. */
#define GIN_SHMEM_FUNCTIONS(X)                                                                                         \
    X(none)                                                                                                            \
    X(p)                                                                                                               \
    X(g)                                                                                                               \
    X(put) X(get) X(put_nbi) X(get_nbi) X(iput) X(iget) X(ibput) X(ibget) X(put_signal) X(put_signal_nbi) X(signal_op) \
        X(signal_set) X(signal_add) X(signal_fetch) X(signal_wait_until) X(wait_until) X(wait_until_all)               \
            X(wait_until_any) X(wait_until_some) X(wait_until_all_vector) X(wait_until_any_vector)                     \
                X(wait_until_some_vector) X(test) X(test_all) X(test_any) X(test_some) X(atomic_fetch) X(atomic_set)   \
                    X(atomic_swap) X(atomic_compare_swap) X(atomic_add) X(atomic_inc) X(atomic_and) X(atomic_or)       \
                        X(atomic_xor) X(atomic_fetch_add) X(atomic_fetch_inc) X(atomic_fetch_and) X(atomic_fetch_or)   \
                            X(atomic_fetch_xor) X(fence) X(quiet) X(pe_quiet) X(barrier) X(barrier_all) X(sync)        \
                                X(sync_all) X(broadcast) X(collect) X(fcollect) X(alltoall) X(alltoalls) X(reduce)     \
                                    X(reducescatter) X(team_my_pe) X(team_n_pes) X(team_translate_pe) X(ptr)           \
                                        X(team_ptr) X(smem_give) X(my_pe) X(n_pes)

enum gin_shmem_function {
#define GIN_SHMEM_FN_ENUM(name) GIN_SHMEM_FN_##name,
    GIN_SHMEM_FUNCTIONS(GIN_SHMEM_FN_ENUM)
#undef GIN_SHMEM_FN_ENUM
        GIN_SHMEM_FN_COUNT
};

/* Above the function in a report's fn: who called. */
enum { GIN_SHMEM_SCOPE_THREAD = 0, GIN_SHMEM_SCOPE_WARP = 1 << 16, GIN_SHMEM_SCOPE_BLOCK = 2 << 16 };

enum gin_shmem_report_kind {
    GIN_SHMEM_REPORT_TIMEOUT = 1, /* a wait took longer than timeout_ns: offset, cmp, wanted, seen */
    GIN_SHMEM_REPORT_PE,          /* no such PE: target */
    GIN_SHMEM_REPORT_ADDRESS,     /* not symmetric, or the range leaves its window: address, bytes */
    GIN_SHMEM_REPORT_UNREACHABLE, /* target cannot be reached by load and store: target, address */
    GIN_SHMEM_REPORT_TEAM,        /* no such team, or this PE is not a member: wanted is the handle */
    GIN_SHMEM_REPORT_INDEX,       /* index (wanted) beyond what the team has (seen) */
    GIN_SHMEM_REPORT_ARGUMENT,    /* another argument: wanted is its value */
    GIN_SHMEM_REPORT_EXIT,        /* no error: the kernel ends the job, with status wanted */
};

enum { GIN_SHMEM_REPORT_EMPTY = 0, GIN_SHMEM_REPORT_READY = 1 };

/* Zeroed by the host. The first thread of this PE that fails fills it (it wins gin_shmem_sys_head.claim), sets ready
 * with a release, and traps; the host prints it. */
struct gin_shmem_report {
    uint32_t ready;
    uint32_t kind;      /* enum gin_shmem_report_kind */
    uint32_t fn;        /* enum gin_shmem_function | scope */
    int32_t pe, target; /* this PE; the other one, or -1 */
    uint32_t block[3], thread[3];
    int32_t cmp;   /* SHMEM_CMP_*, or -1 */
    uint32_t heap; /* where address lies: 0 nowhere, 1 device heap, 2 host heap, 3 system segment */
    uint32_t pad;
    uint64_t address, offset; /* offset: from the beginning of that heap (flat range of the device heap) */
    uint64_t bytes;           /* of the range or the word */
    uint64_t wanted, seen;
};

/* ---- device contexts of the draft GPU specification ---- */

/* A device context needs nothing on the device but its team: its handle is a number with this bit set, the slot of the
 * team plus 1 in its low 16 bits, and whatever the host wants in between. */
#define GIN_SHMEM_DEVICE_CTX_BIT ((uint64_t)1 << 62)

/* ---- registration of translation units with the host library ---- */

/* The unit's kernels run on the CPU (GIN_SHMEM_CPU): fill and function know no CUDA, and copy at once. */
enum { GIN_SHMEM_UNIT_CPU = 1, GIN_SHMEM_UNIT_GIN = 2 /* its kernels use NCCL's GIN where there is one */ };

/* Lives in the unit. The core links it into its list; the fields of the unit are set before registration. */
struct shmemx_device_unit {
    uint32_t abi;         /* GIN_SHMEM_DEVICE_ABI of the header the unit was compiled with */
    uint32_t unit_bytes;  /* sizeof(struct shmemx_device_unit) */
    uint32_t state_bytes; /* sizeof(struct gin_shmem_state) */
    uint32_t flags;       /* GIN_SHMEM_UNIT_* */
    /* Copies state (bytes of it) to the unit's __constant__ copy on the current device, in the order of the stream (a
     * cudaStream_t). 0 or a cudaError_t; an error when the unit's code is not registered with the CUDA runtime yet. */
    int (*fill)(const void *state, size_t bytes, void *cuda_stream);
    /* The driver's handle (CUfunction) of a kernel, given its host-side symbol: the library has a CUDA runtime of its
     * own, which does not know the program's kernels. 0 or a cudaError_t. May be NULL. */
    int (*function)(const void *symbol, void **cu_function);
    struct shmemx_device_unit *next; /* the library's */
    void *library[2];                /* the library's */
};

#ifndef __CUDACC_RTC__
#ifdef __cplusplus
extern "C" {
#endif
/* Called by the constructors and destructors that gin_shmem.h puts into every translation unit; thread safe, legal
 * before shmem_init and after shmem_finalize. */
void shmemx_device_register(struct shmemx_device_unit *unit);
void shmemx_device_unregister(struct shmemx_device_unit *unit);
#ifdef __cplusplus
}
#endif
#endif

#endif

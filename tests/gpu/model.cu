/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs against a sequential model. In each step every block of every PE does one random operation on words
 * that are its own for that step (of any PE), or a commutative atomic on shared ones; a barrier ends the step. All PEs
 * draw the same numbers, so the model on the host knows every operation. GS_TEST_SEED repeats a run.
 * run: timeout 100 */
#include "check.h"

#include <vector>

#ifdef GIN_SHMEM_PE_THREADS /* slow there */
enum { PROGRAMS = 1 };
#else
enum { PROGRAMS = 4 };
#endif
enum { BLOCKS = 8, STEPS = 300, SLICE = 600, SHARED = 8, THREADS = 96 };
enum { PUT, GET, IPUT, IGET, P, G, ADD, XOR, SET, SWAP, CAS, FETCH_ADD, SIGNAL, PUT_SIGNAL, SUM, OPS };

/* One operation of block b of PE pe in a step: a pure function of the seed. Offsets are in words of the block's slice. */
struct op {
    int kind, scope, target, from, to, count, dst, sst;
    unsigned long long value, cond;
};
__host__ __device__ op draw(unsigned long long seed, int step, int pe, int block, int n)
{
    unsigned long long r = mix(seed + step, pe * 1000 + block), q = mix(r, 1), s = mix(r, 2);
    op o;
    o.kind = (int)(r % OPS);
    o.scope = (int)(r >> 8) % 3;
    if (o.scope < 0)
        o.scope = 0;
    o.target = (int)((r >> 20) % n);
    o.count = (int)((r >> 32) % 100);
    o.dst = 1 + (int)(q % 3), o.sst = 1 + (int)((q >> 8) % 3);
    bool strided = o.kind == IPUT || o.kind == IGET;
    int room = SLICE / 2 - (strided ? 3 * o.count : o.count) - 1;
    if (room < 1)
        o.count = 40, room = SLICE / 2 - 121;
    /* the first half of a slice is written by operations, the second half read: never both in one step */
    o.from = SLICE / 2 + (int)((q >> 16) % room);
    o.to = (int)((q >> 32) % room);
    o.value = s;
    o.cond = mix(r, 3) % 2;
    if (o.kind == SUM) { /* all blocks of one number do it together */
        unsigned long long t = mix(seed + step, 777000 + block);
        o.count = 1 + (int)(t % 60), o.from = SLICE / 2 + (int)((t >> 8) % 200), o.to = (int)((t >> 16) % 200);
        o.scope = (int)((t >> 24) % 3);
    }
    return o;
}
/* A sum is collective: block b of all PEs, or of none. */
__host__ __device__ op operation(unsigned long long seed, int step, int pe, int block, int n)
{
    op first = draw(seed, step, 0, block, n), mine = draw(seed, step, pe, block, n);
    if (first.kind == SUM && pe != 0)
        return first;
    if (first.kind != SUM && mine.kind == SUM)
        mine.kind = PUT;
    return mine;
}

#define BY_SCOPE(CALL)                                                                                                 \
    do {                                                                                                               \
        if (o.scope == SCOPE_THREAD && threadIdx.x == 0) {                                                             \
            CALL();                                                                                                    \
        }                                                                                                              \
        if (o.scope == SCOPE_WARP && threadIdx.x < 32) {                                                               \
            CALL(_warp);                                                                                               \
        }                                                                                                              \
        if (o.scope == SCOPE_BLOCK) {                                                                                  \
            CALL(_block);                                                                                              \
        }                                                                                                              \
    } while (0)
#define DO_PUT(...) gin_shmem_uint64_put##__VA_ARGS__(slice + o.to, slice + o.from, o.count, o.target)
#define DO_GET(...) gin_shmem_uint64_get_nbi##__VA_ARGS__(slice + o.to, slice + o.from, o.count, o.target)
#define DO_IPUT(...) gin_shmem_uint64_iput##__VA_ARGS__(slice + o.to, slice + o.from, o.dst, o.sst, o.count, o.target)
#define DO_IGET(...) gin_shmem_uint64_iget##__VA_ARGS__(slice + o.to, slice + o.from, o.dst, o.sst, o.count, o.target)
#define DO_PUT_SIGNAL(...)                                                                                             \
    gin_shmem_uint64_put_signal##__VA_ARGS__(slice + o.to, slice + o.from, o.count, shared, o.value, SHMEM_SIGNAL_ADD, \
                                             o.target)
#define DO_SUM(...) gin_shmem_uint64_sum_reduce##__VA_ARGS__(SHMEM_TEAM_WORLD, slice + o.to, slice + o.from, o.count, blockIdx.x)

/* heap: for each (PE, block) a slice, on every PE: the slice of (pe, block) is only used by that block. */
__global__ void program(unsigned long long seed, uint64_t *heap, uint64_t *shared, uint64_t *results, int me, int n)
{
    uint64_t *slice = heap + (size_t)(me * BLOCKS + blockIdx.x) * SLICE;
    for (int step = 0; step < STEPS; step++) {
        op o = operation(seed, step, me, blockIdx.x, n);
        uint64_t result = 0, *word = slice + o.to;
        switch (o.kind) {
        case PUT: BY_SCOPE(DO_PUT); break;
        case GET: BY_SCOPE(DO_GET); break;
        case IPUT: BY_SCOPE(DO_IPUT); break;
        case IGET: BY_SCOPE(DO_IGET); break;
        case PUT_SIGNAL: BY_SCOPE(DO_PUT_SIGNAL); break;
        case SUM: /* the slice of PE 0 of this block number is everybody's */
            slice = heap + (size_t)blockIdx.x * SLICE;
            BY_SCOPE(DO_SUM);
            slice = heap + (size_t)(me * BLOCKS + blockIdx.x) * SLICE;
            break;
        default:
            if (threadIdx.x == 0)
                switch (o.kind) {
                case P: gin_shmem_uint64_p(word, o.value, o.target); break;
                case G: result = gin_shmem_uint64_g(slice + o.from, o.target); break;
                case ADD: gin_shmem_uint64_atomic_add(shared + 1 + o.value % 3, o.value, o.target); break;
                case XOR: gin_shmem_uint64_atomic_xor(shared + 4 + o.value % 3, o.value, o.target); break;
                case SET: gin_shmem_uint64_atomic_set(word, o.value, o.target); break;
                case SWAP: result = gin_shmem_uint64_atomic_swap(word, o.value, o.target); break;
                case CAS:
                    if (o.cond)
                        gin_shmem_uint64_atomic_set(word, 4711, o.target);
                    gin_shmem_fence();
                    result = gin_shmem_uint64_atomic_compare_swap(word, 4711, o.value, o.target);
                    break;
                case FETCH_ADD: result = gin_shmem_uint64_atomic_fetch_add(word, o.value, o.target); break;
                default: gin_shmem_signal_op(shared + 7, o.value, SHMEM_SIGNAL_ADD, o.target); break;
                }
        }
        if (threadIdx.x == 0)
            results[(size_t)blockIdx.x * STEPS + step] = result;
        __syncthreads(); /* one group at a time on an index: thread 0 may still be in its sum */
        gin_shmem_barrier_all_block(blockIdx.x);
    }
}

int main()
{
    start();
    unsigned long long seed = test_seed();
    const size_t words = (size_t)n * BLOCKS * SLICE;
    uint64_t *heap = symmetric<uint64_t>(words), *shared = symmetric<uint64_t>(SHARED), *results;
    CU(cudaMalloc(&results, BLOCKS * STEPS * 8));
    std::vector<std::vector<uint64_t>> model(n, std::vector<uint64_t>(words)), common(n, std::vector<uint64_t>(SHARED));
    std::vector<uint64_t> got(words), got_results(BLOCKS * STEPS), want_results(BLOCKS * STEPS);
    for (int program_number = 0; program_number < PROGRAMS; program_number++, seed += 1000003) {
        for (int pe = 0; pe < n; pe++) {
            for (size_t i = 0; i < words; i++)
                model[pe][i] = mix(seed + pe, i);
            for (int i = 0; i < SHARED; i++)
                common[pe][i] = i;
        }
        to_device(heap, model[me].data(), words);
        to_device(shared, common[me].data(), SHARED);
        shmem_barrier_all();
        GIN_SHMEM_LAUNCH(program, BLOCKS, THREADS, 0, seed, heap, shared, results, me, n);
        for (int step = 0; step < STEPS; step++)
            for (int block = 0; block < BLOCKS; block++) {
                if (operation(seed, step, 0, block, n).kind == SUM) {
                    op o = operation(seed, step, 0, block, n);
                    std::vector<uint64_t> sum(o.count);
                    for (int i = 0; i < o.count; i++)
                        for (int pe = 0; pe < n; pe++)
                            sum[i] += model[pe][(size_t)block * SLICE + o.from + i];
                    for (int pe = 0; pe < n; pe++)
                        for (int i = 0; i < o.count; i++)
                            model[pe][(size_t)block * SLICE + o.to + i] = sum[i];
                    if (block < BLOCKS)
                        want_results[(size_t)block * STEPS + step] = 0;
                    continue;
                }
                for (int pe = 0; pe < n; pe++) {
                    op o = operation(seed, step, pe, block, n);
                    uint64_t *here = model[pe].data() + (size_t)(pe * BLOCKS + block) * SLICE, result = 0;
                    uint64_t *there = model[o.target].data() + (size_t)(pe * BLOCKS + block) * SLICE;
                    uint64_t *word = there + o.to, *words_there = common[o.target].data();
                    switch (o.kind) {
                    case PUT_SIGNAL: words_there[0] += o.value; /* fall through */
                    case PUT:
                        for (int i = 0; i < o.count; i++)
                            there[o.to + i] = here[o.from + i];
                        break;
                    case GET:
                        for (int i = 0; i < o.count; i++)
                            here[o.to + i] = there[o.from + i];
                        break;
                    case IPUT:
                        for (int i = 0; i < o.count; i++)
                            there[o.to + i * o.dst] = here[o.from + i * o.sst];
                        break;
                    case IGET:
                        for (int i = 0; i < o.count; i++)
                            here[o.to + i * o.dst] = there[o.from + i * o.sst];
                        break;
                    case P:
                    case SET: *word = o.value; break;
                    case G: result = there[o.from]; break;
                    case ADD: words_there[1 + o.value % 3] += o.value; break;
                    case XOR: words_there[4 + o.value % 3] ^= o.value; break;
                    case SWAP: result = *word, *word = o.value; break;
                    case CAS:
                        if (o.cond)
                            *word = 4711;
                        result = *word;
                        if (result == 4711)
                            *word = o.value;
                        break;
                    case FETCH_ADD: result = *word, *word += o.value; break;
                    default: words_there[7] += o.value; break;
                    }
                    if (pe == me)
                        want_results[(size_t)block * STEPS + step] = result;
                }
            }
        KERNELS_DONE("program %d", program_number);
        from_device(got.data(), heap, words);
        for (size_t i = 0; i < words; i++)
            CHECK(got[i] == model[me][i], "seed %llu, word %zu of the slice of PE %d, block %d: %llx, not %llx", seed,
                  i % SLICE, (int)(i / SLICE / BLOCKS), (int)(i / SLICE % BLOCKS), (unsigned long long)got[i],
                  (unsigned long long)model[me][i]);
        uint64_t got_shared[SHARED];
        from_device(got_shared, shared, SHARED);
        for (int i = 0; i < SHARED; i++)
            CHECK(got_shared[i] == common[me][i], "seed %llu, shared word %d: %llx, not %llx", seed, i,
                  (unsigned long long)got_shared[i], (unsigned long long)common[me][i]);
        from_device(got_results.data(), results, BLOCKS * STEPS);
        for (int i = 0; i < BLOCKS * STEPS; i++)
            CHECK(got_results[i] == want_results[i], "seed %llu, block %d, step %d (operation %d) returned %llx, not %llx",
                  seed, i / STEPS, i % STEPS, operation(seed, i % STEPS, me, i / STEPS, n).kind,
                  (unsigned long long)got_results[i], (unsigned long long)want_results[i]);
        shmem_barrier_all();
    }
    CU(cudaFree(results));
    return done();
}

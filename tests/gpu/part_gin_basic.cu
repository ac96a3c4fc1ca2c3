/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's GIN itself, between PEs that NCCL takes for nodes of their own: what our own GIN path, and the plugin for
 * tests, rest on. The program makes its own communicator; the heap is the host's, and carries only NCCL's id and barriers.
 * run: gpu-only NCCL's GIN */
#include "check.h"

#include <dlfcn.h>
#include <nccl.h>
#include <nccl_device.h>

#include <string>
#include <vector>

#define NCCL_FUNCTIONS(X)                                                                                         \
    X(ncclGetVersion) X(ncclGetErrorString) X(ncclGetLastError) X(ncclGetUniqueId) X(ncclCommInitRank)            \
    X(ncclCommDestroy) X(ncclMemAlloc) X(ncclMemFree) X(ncclCommWindowRegister) X(ncclCommWindowDeregister)       \
    X(ncclDevCommCreate) X(ncclDevCommDestroy)
#define ROW(name) static decltype(&::name) p_##name;
NCCL_FUNCTIONS(ROW)
#undef ROW
#define NC(name, ...)                                                                                             \
    do {                                                                                                          \
        ncclResult_t nc_result = p_##name(__VA_ARGS__);                                                           \
        CHECK(nc_result == ncclSuccess, #name ": %s: %s", p_ncclGetErrorString(nc_result), p_ncclGetLastError(NULL)); \
    } while (0)

enum : size_t { BYTES = 64 << 20, HALF = BYTES / 2 };
enum { SIGNALS = 16, BARRIERS = 4, BLOCK = 256 };
enum { SIG_PUT, SIG_ALONE, SIG_MANY, SIG_SELF, SIG_SECOND, COUNTER = 2 };

__host__ __device__ inline unsigned pattern(int pe, size_t i) { return (unsigned)mix((unsigned)pe, i); }

__global__ void fill(unsigned *p, size_t words, int pe)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        p[i] = pattern(pe, i);
}

/* A put with a signal; what the PE before has put is there when its signal is. */
__global__ void put(ncclDevComm comm, ncclWindow_t from, ncclWindow_t to, size_t at, int context, int pe, int before,
                    size_t bytes, ncclGinSignal_t signal, uint64_t expected)
{
    ncclGin gin{comm, context};
    ncclCoopCta block;
    gin.put(ncclTeamWorld(comm), pe, to, at, from, 0, bytes, ncclGin_SignalInc{signal}, ncclGin_None{}, block);
    gin.waitSignal(block, signal, expected);
    const unsigned *p = (const unsigned *)ncclGetLocalPointer(to, at);
    for (size_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        EXPECT(p[i], pattern(before, i), (long long)i);
    gin.flush(block);
}

/* A flush alone. That it is a quiet is a promise of our plugin, not of NCCL's. */
__global__ void put_flush(ncclDevComm comm, ncclWindow_t w, int pe, size_t bytes)
{
    ncclGin gin{comm, 0};
    gin.put(ncclTeamWorld(comm), pe, w, HALF, w, 0, bytes);
    gin.flush(ncclCoopThread());
}

__global__ void signal_alone(ncclDevComm comm, ncclWindow_t w, int pe, uint64_t add, uint64_t expected)
{
    ncclGin gin{comm, 0};
    ncclTeam world = ncclTeamWorld(comm);
    uint64_t counted = gin.readCounter(COUNTER);
    gin.signal(world, pe, ncclGin_SignalAdd{SIG_ALONE, add});
    gin.put(world, pe, w, HALF, w, 0, 64, ncclGin_None{}, ncclGin_CounterInc{COUNTER});
    gin.waitCounter(ncclCoopThread(), COUNTER, counted + 1);
    gin.waitSignal(ncclCoopThread(), SIG_ALONE, expected);
    EXPECT(gin.readSignal(SIG_ALONE), expected, 0);
    gin.flush(ncclCoopThread());
}

/* Every thread puts a word and a signal. */
__global__ void many(ncclDevComm comm, ncclWindow_t w, int pe, uint64_t expected)
{
    ncclGin gin{comm, 0};
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    gin.put(ncclTeamWorld(comm), pe, w, HALF + i * 8, w, i * 8, 8, ncclGin_SignalInc{SIG_MANY});
    if (i == 0)
        gin.waitSignal(ncclCoopThread(), SIG_MANY, expected);
}

/* After a barrier, what was put and flushed before it is there. */
template <class Barrier>
__device__ void rounds(Barrier &barrier, const ncclDevComm &comm, ncclWindow_t w, int pe, int n, uint64_t base)
{
    ncclGin gin{comm, 0};
    volatile uint64_t *out = (volatile uint64_t *)ncclGetLocalPointer(w, 0);
    volatile uint64_t *in = (volatile uint64_t *)ncclGetLocalPointer(w, HALF);
    ncclCoopCta block;
    for (int k = 1; k <= n; k++) {
        if (threadIdx.x == 0) {
            *out = base + k;
            __threadfence_system();
            gin.put(ncclTeamWorld(comm), pe, w, HALF, w, 0, 8);
            gin.flush(ncclCoopThread());
        }
        __syncthreads();
        barrier.sync(block, cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
        EXPECT(*in, base + k, k);
        barrier.sync(block, cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
    }
}
__global__ void barrier_rail(ncclDevComm comm, ncclWindow_t w, int pe, int n, uint64_t base)
{
    ncclGinBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclGin{comm, 0}, ncclTeamTagRail(), 0};
    rounds(barrier, comm, w, pe, n, base);
}
#if NCCL_VERSION_CODE >= 23003
__global__ void barrier_world(ncclDevComm comm, ncclWindow_t w, int pe, int n, uint64_t base)
{
    ncclGinBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclGin{comm, 0}, ncclTeamTagWorld(), 1};
    rounds(barrier, comm, w, pe, n, base);
}
#endif

#if NCCL_VERSION_CODE >= 22907
/* A signal that is a word of a window. */
__global__ void signal_in_heap(ncclDevComm comm, ncclWindow_t w, size_t at, int pe, uint64_t add, uint64_t expected)
{
    ncclGin gin{comm, 0};
    gin.signal(ncclTeamWorld(comm), pe, ncclGin_VASignalAdd{w, at, add});
    gin.waitSignal(ncclCoopThread(), w, at, expected);
    gin.flush(ncclCoopThread());
}
#endif

#if NCCL_VERSION_CODE >= 23007
__global__ void get(ncclDevComm comm, ncclWindow_t w, int pe, size_t bytes)
{
    ncclGin gin{comm, 0};
    ncclCoopCta block;
    gin.get(ncclTeamWorld(comm), pe, w, 0, w, HALF, bytes, block);
    gin.flush(block);
    const unsigned *p = (const unsigned *)ncclGetLocalPointer(w, HALF);
    for (size_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        EXPECT(p[i], pattern(pe, i), (long long)i);
}
#endif

static void load_nccl()
{
    void *lib = dlopen("libnccl.so.2", RTLD_NOW);
    CHECK(lib, "%s", dlerror());
#define ROW(name)                                   \
    p_##name = (decltype(p_##name))dlsym(lib, #name); \
    CHECK(p_##name, "NCCL has no " #name);
    NCCL_FUNCTIONS(ROW)
#undef ROW
}

static ncclComm_t communicator()
{
    static ncclUniqueId id; /* symmetric */
    ncclComm_t comm;
    setenv("NCCL_HOSTID", ("gin-basic-" + std::to_string(me)).c_str(), 1);
    load_nccl();
    if (me == 0) {
        NC(ncclGetUniqueId, &id);
        for (int pe = 1; pe < n; pe++)
            shmem_putmem(&id, &id, sizeof id, pe);
    }
    shmem_barrier_all();
    NC(ncclCommInitRank, &comm, n, id, me);
    return comm;
}

static ncclDevComm device_communicator(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 22902
    ncclDevCommRequirements_t want = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements_t want = {};
#endif
#if NCCL_VERSION_CODE >= 22907
    want.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
#endif
#if NCCL_VERSION_CODE >= 23003
    want.worldGinBarrierCount = BARRIERS;
#endif
    want.ginForceEnable = true;
    want.ginSignalCount = SIGNALS;
    want.ginCounterCount = SIGNALS;
    want.railGinBarrierCount = BARRIERS;
    ncclDevComm dev;
    NC(ncclDevCommCreate, comm, &want, &dev);
    return dev;
}

static void step(const char *what)
{
    KERNELS_DONE("%s", what);
    shmem_barrier_all();
}

/* Whole patterns of the PE before, in own second half. */
static void check_half(const char *window, size_t bytes, const char *what)
{
    std::vector<unsigned> seen(bytes / 4);
    from_device(seen.data(), (const unsigned *)(window + HALF), seen.size());
    for (size_t i = 0; i < seen.size(); i++)
        CHECK(seen[i] == pattern(previous_pe, i), "%s: word %zu is %x", what, i, seen[i]);
}

int main()
{
    start();
    int version = 0;
    ncclComm_t comm = communicator();
    NC(ncclGetVersion, &version);
    CHECK(version == NCCL_VERSION_CODE, "compiled against NCCL %d, loaded %d", NCCL_VERSION_CODE, version);
    char *memory, *second;
    ncclWindow_t window, other;
    NC(ncclMemAlloc, (void **)&memory, BYTES);
    CU(cudaMemset(memory, 0, BYTES));
    NC(ncclCommWindowRegister, comm, memory, BYTES, &window, NCCL_WIN_COLL_SYMMETRIC);
    CHECK(window, "no window");
    ncclDevComm dev = device_communicator(comm);
    CHECK(dev.lsaSize == 1, "NCCL takes %d PEs for one node", dev.lsaSize);
    fill<<<64, BLOCK>>>((unsigned *)memory, (8 << 20) / 4, me);
    step("fill");

    const int contexts = (int)dev.ginContextCount < 4 ? (int)dev.ginContextCount : 4;
    CHECK(contexts > 0, "no GIN context");
    for (int c = 0; c < contexts; c++) {
        uint64_t expected = 0;
        for (size_t bytes : {4ul, 8ul, 100ul, 4096ul, 1ul << 20, (5ul << 20) + 12}) {
            put<<<1, BLOCK>>>(dev, window, window, HALF, c, next_pe, previous_pe, bytes, SIG_PUT, ++expected);
            step("put");
            check_half(memory, bytes, "put");
            CU(cudaMemset(memory + HALF, 0, bytes));
            step("cleared");
        }
    }

    put_flush<<<1, 1>>>(dev, window, next_pe, 1 << 20);
    step("put and flush");
    check_half(memory, 1 << 20, "put and flush");
    shmem_barrier_all();

    signal_alone<<<1, 1>>>(dev, window, next_pe, 5 + me, 5 + previous_pe);
    step("signal alone");

    CU(cudaMemset(memory + HALF, 0, 4096 * 8));
    step("cleared");
    many<<<32, 128>>>(dev, window, next_pe, 4096);
    step("many");
    check_half(memory, 4096 * 8, "many");
    shmem_barrier_all();

    put<<<1, BLOCK>>>(dev, window, window, HALF, 0, me, me, 3 << 20, SIG_SELF, 1);
    step("put to itself");

    /* A window that comes when GIN is at work. */
    NC(ncclMemAlloc, (void **)&second, 8 << 20);
    NC(ncclCommWindowRegister, comm, second, 8 << 20, &other, NCCL_WIN_COLL_SYMMETRIC);
    CHECK(other, "no second window");
    put<<<1, BLOCK>>>(dev, window, other, 4096, 0, next_pe, previous_pe, 4 << 20, SIG_SECOND, 1);
    step("put to a second window");

#if NCCL_VERSION_CODE >= 22907
    signal_in_heap<<<1, 1>>>(dev, other, 8, next_pe, 70 + me, 70 + previous_pe);
    step("signal in a window");
#endif
#if NCCL_VERSION_CODE >= 23007
    for (size_t bytes : {(size_t)4, (size_t)4096, ((size_t)5 << 20) + 12}) {
        get<<<1, BLOCK>>>(dev, window, next_pe, bytes);
        step("get");
    }
#endif

    const int some = n > 2 ? 20 : 200; /* PEs that share a GPU take turns of milliseconds */
    barrier_rail<<<1, 64>>>(dev, window, next_pe, some, 1000);
    step("barrier of the rail");
#if NCCL_VERSION_CODE >= 23003
    barrier_world<<<1, 64>>>(dev, window, next_pe, some, 2000);
    step("barrier of the world");
#endif

    NC(ncclDevCommDestroy, comm, &dev);
    NC(ncclCommWindowDeregister, comm, other);
    NC(ncclCommWindowDeregister, comm, window);
    NC(ncclMemFree, second);
    NC(ncclMemFree, memory);
    NC(ncclCommDestroy, comm);
    if (me == 0)
        printf("NCCL %d: %d PEs as %d nodes, %d contexts: puts, signals, counters, flushes and barriers by GIN\n",
               version, n, n, contexts);
    return done();
}

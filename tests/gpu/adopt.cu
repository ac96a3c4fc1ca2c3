/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator that the program has: adopted through shmemx_init_attr, with NCCL ranks in the opposite order of PEs; it
 * stays the program's. And what is underneath is given out: communicator, window and offset.
 * run: gpu-only an ncclComm_t */
#include "check.h"

#include <dlfcn.h>

/* NCCL's C ABI, so that the test needs none of its headers. */
struct unique_id {
    char bytes[128];
};
typedef int get_id_fn(struct unique_id *);
typedef int init_fn(void **comm, int ranks, struct unique_id, int rank);
typedef int comm_fn(void *comm);
typedef int count_fn(void *comm, int *);

static struct unique_id id; /* symmetric */

__global__ void ring(int *p, int me, int next, int previous)
{
    gin_shmem_int_p(p, me + 5, next);
    gin_shmem_barrier_all();
    EXPECT(*(volatile int *)p, previous + 5, 0);
    EXPECT_TRUE(gin_shmem_nccl_dev_comm() != NULL, 1);
    size_t offset = 0;
    EXPECT_TRUE(gin_shmem_nccl_window(p, &offset) != NULL, 2);
    EXPECT_TRUE(gin_shmem_nccl_window(&offset, &offset) == NULL, 3);
}

int main()
{
    void *nccl = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    CHECK(nccl, "%s", dlerror());
    get_id_fn *get_id = (get_id_fn *)dlsym(nccl, "ncclGetUniqueId");
    init_fn *init = (init_fn *)dlsym(nccl, "ncclCommInitRank");
    comm_fn *destroy = (comm_fn *)dlsym(nccl, "ncclCommDestroy");
    count_fn *count = (count_fn *)dlsym(nccl, "ncclCommCount");
    CHECK(get_id && init && destroy && count, "NCCL's symbols");

    shmem_init(); /* to hand the id round */
    me = shmem_my_pe(), n = shmem_n_pes();
    int devices;
    CU(cudaGetDeviceCount(&devices));
    CU(cudaSetDevice(shmem_team_my_pe(SHMEM_TEAM_SHARED) % devices));
    if (me == 0) {
        struct unique_id mine;
        CHECK(get_id(&mine) == 0, "ncclGetUniqueId");
        for (int pe = 0; pe < n; pe++)
            shmem_putmem(&id, &mine, sizeof mine, pe);
    }
    shmem_barrier_all();
    void *comm = NULL;
    int ranks = 0;
    CHECK(init(&comm, n, id, n - 1 - me) == 0, "ncclCommInitRank");
    shmem_finalize();

    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_DEFAULT;
    attr.nccl_comm = comm;
    CHECK(shmemx_init_attr(&attr) == 0, "shmemx_init_attr");
    me = shmem_my_pe(), n = shmem_n_pes(), next_pe = (me + 1) % n, previous_pe = (me + n - 1) % n;
    int *p = symmetric<int>(1000);
    GIN_SHMEM_LAUNCH(ring, 1, 1, 0, p, me, next_pe, previous_pe);
    KERNELS_DONE("ring");
    CHECK(shmemx_nccl_comm() == (struct ncclComm *)comm, "the communicator is another");
    void *window = NULL, *window2 = NULL;
    size_t offset = 0, offset2 = 0;
    CHECK(shmemx_nccl_window(p, &window, &offset) == 0 && window, "shmemx_nccl_window");
    CHECK(shmemx_nccl_window(p + 10, &window2, &offset2) == 0 && window2 == window && offset2 == offset + 40,
          "offset %zu, then %zu", offset, offset2);
    CHECK(shmemx_nccl_window(&ranks, &window2, &offset2) != 0, "a window for a stack address");
    /* collectives know which rank is which PE */
    int mine = me, *source = p + 100;
    to_device(source, &mine, 1);
    shmem_barrier_all();
    shmem_int_fcollect(SHMEM_TEAM_WORLD, p, source, 1);
    for (int pe = 0; pe < n; pe++)
        CHECK(device_value(p + pe) == pe, "fcollect: place %d has %d", pe, device_value(p + pe));
    shmem_int_broadcast(SHMEM_TEAM_WORLD, p, source, 1, n - 1);
    CHECK(device_value(p) == n - 1, "broadcast: %d", device_value(p));
    shmem_barrier_all();
    shmem_finalize();
    CHECK(count(comm, &ranks) == 0 && ranks == n, "the communicator is gone");
    CHECK(destroy(comm) == 0, "ncclCommDestroy");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that leaves the choice of the GPU to the library: for scripts, and for default_device.sh. */
#include "check.h"

__global__ void put(int *p, int value, int pe) { gin_shmem_int_p(p, value, pe); }

int main()
{
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), next_pe = (me + 1) % n, previous_pe = (me + n - 1) % n;
    int *p = (int *)shmem_calloc(1, sizeof *p), device = -1, devices = 0;
    CHECK(p, "no memory");
    const char *heap = getenv("GIN_SHMEM_HEAP");
    if (heap && strcmp(heap, "host") == 0) {
        shmem_int_p(p, me + 1, next_pe);
        shmem_barrier_all();
        CHECK(*p == previous_pe + 1, "the word is %d", *p);
    } else {
        CU(cudaGetDevice(&device));
        CU(cudaGetDeviceCount(&devices));
        CHECK(device == shmem_team_my_pe(SHMEM_TEAM_SHARED) % devices, "PE %d has device %d of %d", me, device, devices);
        cudaPointerAttributes a;
        CU(cudaPointerGetAttributes(&a, p));
        CHECK(a.type == cudaMemoryTypeDevice && a.device == device, "memory of type %d on device %d", (int)a.type, a.device);
        GIN_SHMEM_LAUNCH(put, 1, 1, 0, p, me + 1, next_pe);
        KERNELS_DONE("put");
        shmem_barrier_all();
        CHECK(device_value(p) == previous_pe + 1, "the word is %d", device_value(p));
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

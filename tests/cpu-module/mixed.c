/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed both|late|pes: kernels that nvcc compiled and kernels for the CPU, in one program from the start, in a library that
 * is opened later, or in programs of one job. The units are made by hand: there are no kernels in them. */
#include <gin_shmem/state.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static int fill(const void *state, size_t bytes, void *stream)
{
    (void)state, (void)bytes, (void)stream;
    return 0;
}

#define UNIT(FLAGS)                                                                   \
    {                                                                                 \
        .abi = GIN_SHMEM_DEVICE_ABI, .unit_bytes = sizeof(struct shmemx_device_unit), \
        .state_bytes = sizeof(struct gin_shmem_state), .flags = FLAGS, .fill = fill   \
    }
static struct shmemx_device_unit gpu = UNIT(0), cpu = UNIT(GIN_SHMEM_UNIT_CPU);

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *rank = getenv("PMIX_RANK");
    int first = !rank || strcmp(rank, "0") == 0;
    if (strcmp(how, "pes") != 0 || first)
        shmemx_device_register(&cpu);
    if (strcmp(how, "both") == 0 || (strcmp(how, "pes") == 0 && !first))
        shmemx_device_register(&gpu);
    shmem_init();
    shmem_free(shmem_malloc(8)); /* starts the device heap */
    if (strcmp(how, "late") == 0)
        shmemx_device_register(&gpu);
    shmem_finalize();
    return 0;
}

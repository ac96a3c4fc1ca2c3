/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways in which NVSHMEM programs start; init.sh runs them.
 *   uid RANK SIZE FILE    by a unique id, which rank 0 leaves in FILE
 *   mpi | mpi-halves      by an MPI communicator: of all, or of the ranks with the same parity
 *   plain                 by the launcher
 *   forgotten             and the program ends without nvshmem_finalize
 *   version               with headers of another version
 *   kernel-exit           and a kernel ends the job, with status 7
 * Attributes hold rubbish where nothing is asked for.
 */
#include <nvshmem.h>
#include <nvshmemx.h>
#ifdef WITH_MPI
#define OMPI_SKIP_MPICXX  1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

#include <unistd.h>

#define CHECK(cond)                                               \
    do {                                                          \
        if (!(cond)) {                                            \
            fprintf(stderr, "init.cu:%d: %s\n", __LINE__, #cond); \
            _Exit(1);                                             \
        }                                                         \
    } while (0)

/* Everybody gives its neighbour a number. */
static void work(int rank, int size)
{
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_IS_INITIALIZED);
    CHECK(nvshmem_my_pe() == rank && nvshmem_n_pes() == size);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    int *word = (int *)nvshmem_malloc(sizeof *word);
    CHECK(word);
    nvshmem_int_p(word, 100 + rank, (rank + 1) % size);
    nvshmem_barrier_all();
    CHECK(nvshmem_int_g(word, rank) == 100 + (rank + size - 1) % size);
    nvshmem_free(word);
}

static void by_uid(int rank, int size, const char *file)
{
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    char part[512];
    snprintf(part, sizeof part, "%s.part", file);
    CHECK(nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED);
    if (rank == 0) {
        CHECK(nvshmemx_get_uniqueid(&id) == 0);
        FILE *f = fopen(part, "wb");
        CHECK(f && fwrite(&id, sizeof id, 1, f) == 1 && fclose(f) == 0 && rename(part, file) == 0);
    } else {
        FILE *f;
        while (!(f = fopen(file, "rb")))
            usleep(1000);
        CHECK(fread(&id, sizeof id, 1, f) == 1);
        fclose(f);
    }
    nvshmemx_init_attr_t attr;
    memset((void *)&attr, 0xa5, sizeof attr);
    CHECK(nvshmemx_set_attr_uniqueid_args(rank, size, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    work(rank, size);
    /* Another part of the program starts as well: in the same world, and in one that is not this one. */
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    CHECK(nvshmemx_set_attr_uniqueid_args(rank, size + 1, &id, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr) != 0);
    work(rank, size);
    nvshmem_finalize();
    work(rank, size);
    nvshmem_finalize();
}

#ifdef WITH_MPI
static void by_mpi(bool halves)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, size;
    nvshmemx_init_attr_t attr;
    CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_rank(comm, &rank) == MPI_SUCCESS);
    if (halves)
        CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm) == MPI_SUCCESS);
    CHECK(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && MPI_Comm_size(comm, &size) == MPI_SUCCESS);
    memset((void *)&attr, 0xa5, sizeof attr);
    CHECK(nvshmemx_set_attr_mpi_comm_args(&comm, &attr) == 0);
    CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) == 0);
    work(rank, size);
    if (halves) {
        MPI_Comm all = MPI_COMM_WORLD;
        attr.mpi_comm = &all;
        CHECK(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr) != 0);
    }
    nvshmem_finalize();
    CHECK(MPI_Finalize() == MPI_SUCCESS);
}
#endif

__global__ void leave(int status)
{
    if (threadIdx.x == 3)
        nvshmem_global_exit(status);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "plain";
    int provided = -1;
    if (strcmp(way, "uid") == 0) {
        CHECK(argc == 5);
        by_uid(atoi(argv[2]), atoi(argv[3]), argv[4]);
#ifdef WITH_MPI
    } else if (strcmp(way, "mpi") == 0 || strcmp(way, "mpi-halves") == 0) {
        by_mpi(strcmp(way, "mpi-halves") == 0);
#endif
    } else if (strcmp(way, "version") == 0) {
        CHECK(shmemx_nvshmem_init(0, NULL, 0, &provided, 20100, "gin_shmem 0.0.1") != 0);
    } else {
        CHECK(nvshmem_init_thread(NVSHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == NVSHMEM_THREAD_MULTIPLE);
        nvshmem_query_thread(&provided);
        CHECK(provided == NVSHMEM_THREAD_MULTIPLE);
        work(nvshmem_my_pe(), nvshmem_n_pes());
        if (strcmp(way, "kernel-exit") == 0) {
            GIN_SHMEM_LAUNCH(leave, 1, 32, 0, 7);
            cudaDeviceSynchronize();
            pause();
        }
        if (strcmp(way, "forgotten") != 0)
            nvshmem_finalize();
    }
    return 0;
}

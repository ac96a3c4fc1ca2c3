/* SPDX-License-Identifier: BSD-3-Clause */
/* libginshmem_mpi.so: bootstrap/mpi.h on the MPI that this was built with. */
#include "bootstrap/mpi.h"

#include <mpi.h>
#include <stddef.h>

static int broadcast(const void *comm, void *data, int bytes, int root)
{
    return MPI_Bcast(data, bytes, MPI_BYTE, root, *(const MPI_Comm *)comm);
}

__attribute__((visibility("default"))) const char *gs_mpi_module(const void *comm, struct gs_mpi_comm *out);
const char *gs_mpi_module(const void *comm, struct gs_mpi_comm *out)
{
    int up = 0, down = 0;
    if (MPI_Initialized(&up) != MPI_SUCCESS || MPI_Finalized(&down) != MPI_SUCCESS || !up || down)
        return "MPI is not initialised: call MPI_Init before nvshmemx_init_attr (and use the MPI library that this was "
               "built with)";
    if (*(const MPI_Comm *)comm == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL";
    if (MPI_Comm_rank(*(const MPI_Comm *)comm, &out->rank) != MPI_SUCCESS ||
        MPI_Comm_size(*(const MPI_Comm *)comm, &out->size) != MPI_SUCCESS)
        return "MPI does not know the communicator";
    out->broadcast = broadcast;
    out->comm = comm;
    return NULL;
}

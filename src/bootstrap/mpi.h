/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A communicator of MPI's, for programs that hand one in. MPI is in a module of its own (libginshmem_mpi.so, built where
 * MPI is), which is loaded when a program does so; all that it does is to carry a unique id to every rank.
 */
#ifndef GS_BOOTSTRAP_MPI_H
#define GS_BOOTSTRAP_MPI_H

struct gs_mpi_comm {
    int rank, size;
    /* Collective over the communicator: root's bytes, on all. 0, or an MPI error. */
    int (*broadcast)(const void *comm, void *data, int bytes, int root);
    const void *comm;
};

/* The module's one symbol: comm is an MPI_Comm's address. NULL, or why it cannot be used. */
typedef const char *gs_mpi_module_fn(const void *comm, struct gs_mpi_comm *out);
#define GS_MPI_MODULE_SYMBOL "gs_mpi_module"

/* Loads the module and asks it. 0, or nonzero and logged. */
int gs_mpi_open(const void *comm, struct gs_mpi_comm *out);
/* Collective over the communicator: makes a unique id on rank 0, which all get. 0, or nonzero and logged. */
int gs_mpi_share_uid(const struct gs_mpi_comm *comm, void *uid);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Each probe writes one group about this machine. None changes anything or leaves anything behind. */
#ifndef GS_INFO_PROBE_H
#define GS_INFO_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "out.h"

void probe_build(struct out *o);
void probe_env(struct out *o); /* the environment table; gs_env_load has run */
void probe_host(struct out *o);
void probe_gpu(struct out *o);
void probe_cpu(struct out *o);
void probe_rdma(struct out *o);
void probe_gin(struct out *o);
void probe_nvshmem(struct out *o); /* for programs with NVSHMEM's API; gs_env_load has run */
void probe_shm(struct out *o);
void probe_nccl(struct out *o);
void probe_ucx(struct out *o);
void probe_pmix(struct out *o);
void probe_torchrun(struct out *o);
void probe_singleton(struct out *o);

/* Is there a GPU that the driver can use; a port that is active? */
bool gpu_usable(void);
bool rdma_usable(void);

/* Reasons, gathered into one line. */
struct reasons {
    char text[768];
};
void reasons_add(struct reasons *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The folder where libginshmem.so lies; false, with the folder looked in, when it does not lie there. */
bool library_folder(char *folder, size_t len);
/* Adds a reason when the module file (libginshmem_x.so) is not beside the library. */
bool module_present(const char *file, struct reasons *why);
/* Is a program (a file name) beside this one? */
bool program_present(const char *name);

/* What is in the way of GIN, by what the kernel tells below root ("" here; tests have trees of their own) and the
 * NCCL_* settings. Adds no reason when nothing is. Sets *memory to how the NIC would reach the GPU's memory, or NULL. */
void gin_look(const char *root, struct reasons *why, const char **memory);

/* First line of a file, without the newline; false when it cannot be read. */
bool read_line(const char *path, char *line, size_t len);

/* A library that the loader finds, or NULL and a reason. Never closed: some cannot be. */
void *open_library(const char *name, struct reasons *why);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "bootstrap/mpi.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "core/log.h"

static const char file[] = "libginshmem_mpi.so";

/* Beside this library, or where the loader looks. Global: MPI libraries open parts of themselves that need its symbols. */
static void *open_module(void)
{
    char path[PATH_MAX];
    Dl_info self;
    const char *slash = dladdr(file, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    void *m = NULL;
    if (slash) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname, file);
        m = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    return m ? m : dlopen(file, RTLD_NOW | RTLD_GLOBAL);
}

int gs_mpi_open(const void *comm, struct gs_mpi_comm *out)
{
    static void *module;
    if (!module && !(module = open_module())) {
        gs_error(
            "an MPI communicator needs %s, which is built and installed where MPI is: %s; nvshmemx_get_uniqueid and "
            "MPI_Bcast do without",
            file, dlerror());
        return -1;
    }
    gs_mpi_module_fn *get = (gs_mpi_module_fn *)(uintptr_t)dlsym(module, GS_MPI_MODULE_SYMBOL);
    const char *why = get ? get(comm, out) : "it is of another version";
    if (why)
        gs_error("%s: %s", file, why);
    return why ? -1 : 0;
}

int gs_mpi_share_uid(const struct gs_mpi_comm *comm, void *uid)
{
    struct {
        unsigned char uid[GS_UID_BYTES];
        int failed;
    } message;
    memset(&message, 0, sizeof message);
    if (comm->rank == 0)
        message.failed = gs_boot_uid_make(message.uid) != 0;
    int rc = comm->broadcast(comm->comm, &message, sizeof message, 0);
    if (rc != 0) {
        gs_error("MPI_Bcast of the unique id fails with %d", rc);
        return -1;
    }
    memcpy(uid, message.uid, GS_UID_BYTES);
    return message.failed;
}

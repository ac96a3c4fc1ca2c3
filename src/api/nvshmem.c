/* SPDX-License-Identifier: BSD-3-Clause */
/* What the NVSHMEM headers need of the library (include/nvshmem/gin_nvshmem/library.h): start, memory, odds and ends. */
#include <dlfcn.h>
#include <nvshmem/gin_nvshmem/library.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/nvshmem_env.h"
#include "bootstrap/mpi.h"
#include "coll/adopt.h"
#include "coll/heap.h"
#include "core/device.h"
#include "core/env.h"
#include "core/log.h"

/* NVSHMEM's numbers. */
enum { OK, INVALID_VALUE, OUT_OF_MEMORY, NOT_SUPPORTED, INTERNAL = 7 };
enum { NOT_INITIALIZED = 0, IS_INITIALIZED = 2 };
enum { WITH_MPI_COMM = 2, WITH_UNIQUEID = 8 };

/* nvshmemx_init_attr_t; parts that no flag asks for may hold anything. */
struct attr {
    int version;
    void *mpi_comm;
    int args_version;
    struct {
        int version;
        const void *id;
        int rank, size;
    } uid;
    int cuda_device_id;
    char rest[92];
};
_Static_assert(sizeof(struct attr) == 144, "laid out as NVSHMEM's");

int shmemx_nvshmem_unsupported(const char *name, const char *why)
{
    gs_error("%s cannot work: %s", name, why);
    return NOT_SUPPORTED;
}

/* ---- start and end ---- */

/* The world that a second initialisation asks for must be the one that is there. */
static int same_world(const char *by, int rank, int size)
{
    if (rank == gs.me && size == gs.n)
        return 0;
    gs_error("nvshmemx_init_attr: this process is PE %d of %d already, and cannot be %s %d of %d as well: call "
             "nvshmem_finalize first",
             gs.me, gs.n, by, rank, size);
    return INVALID_VALUE;
}

static int by_uid(const struct attr *a, struct gs_boot_attr *boot)
{
    if (!a->uid.id) {
        gs_error("nvshmemx_init_attr: the attributes have no unique id: call nvshmemx_set_attr_uniqueid_args first");
        return INVALID_VALUE;
    }
    *boot = (struct gs_boot_attr){.rank = a->uid.rank, .size = a->uid.size, .uid = a->uid.id};
    return gs.depth ? same_world("PE", boot->rank, boot->size) : OK;
}

/* MPI only carries a unique id to all; uid holds it. */
static int by_mpi(const struct attr *a, struct gs_boot_attr *boot, unsigned char *uid)
{
    struct gs_mpi_comm comm;
    if (!a->mpi_comm) {
        gs_error("nvshmemx_init_attr: attr.mpi_comm is NULL: let it point to an MPI_Comm");
        return INVALID_VALUE;
    }
    if (gs_mpi_open(a->mpi_comm, &comm) != 0)
        return INTERNAL;
    if (gs.depth)
        return same_world("rank", comm.rank, comm.size);
    if (gs_mpi_share_uid(&comm, uid) != 0)
        return INTERNAL;
    *boot = (struct gs_boot_attr){.rank = comm.rank, .size = comm.size, .uid = uid};
    return OK;
}

int shmemx_nvshmem_init(unsigned flags, const void *attr, int requested, int *provided, int api_version,
                        const char *header)
{
    struct gs_boot_attr boot;
    unsigned char uid[GS_UID_BYTES];
    int rc = OK;
    if (strcmp(header, SHMEM_VENDOR_STRING) != 0) {
        gs_error(
            "nvshmem_init: this program was compiled with nvshmem.h of %s (NVSHMEM API %d.%d.%d), and runs with %s: "
            "compile it anew",
            header, api_version / 10000, api_version / 100 % 100, api_version % 100, SHMEM_VENDOR_STRING);
        return INTERNAL;
    }
    bool first = gs.depth == 0;
    if (first) {
        gs_nvshmem_env_apply();
        if (gs_env_load() != 0) /* making a unique id asks it */
            return INVALID_VALUE;
    }
    if ((flags & (WITH_UNIQUEID | WITH_MPI_COMM)) && !attr) {
        gs_error("nvshmemx_init_attr: the flags ask for attributes, and there are none");
        return INVALID_VALUE;
    }
    if (flags & WITH_UNIQUEID)
        rc = by_uid(attr, &boot);
    else if (flags & WITH_MPI_COMM)
        rc = by_mpi(attr, &boot, uid);
    if (rc != OK)
        return rc;
    gs_device_prefer();
    bool given = first && (flags & (WITH_UNIQUEID | WITH_MPI_COMM));
    if (gs_job_init(given ? &boot : NULL, NULL, requested, provided) != 0)
        return INTERNAL;
    if (first && gs.me == 0)
        gs_nvshmem_env_tell();
    return OK;
}

void shmemx_nvshmem_finalize(void)
{
    gs_job_finalize("nvshmem_finalize");
}

/* The device heap starts by itself, when it is first needed: for a program all is there. */
int shmemx_nvshmem_status(void)
{
    return gs.depth ? IS_INITIALIZED : NOT_INITIALIZED;
}

/* ---- memory ---- */

/* As cudaMalloc aligns: programs rely on it. */
enum { ALIGN = 256 };

static enum gs_kind kind(const char *fn)
{
    gs_need_up(fn);
    gs_device_ready(fn);
    return gs.dev && strcmp(gs_env.heap, "host") != 0 ? GS_KIND_DEVICE : GS_KIND_HOST;
}

void *shmemx_nvshmem_malloc(size_t size)
{
    return gs_heap_malloc("nvshmem_malloc", kind("nvshmem_malloc"), size, ALIGN);
}

void *shmemx_nvshmem_calloc(size_t count, size_t size)
{
    return gs_heap_calloc("nvshmem_calloc", kind("nvshmem_calloc"), count, size);
}

void *shmemx_nvshmem_align(size_t alignment, size_t size)
{
    enum gs_kind k = kind("nvshmem_align");
    if (alignment == 0 || (alignment & (alignment - 1)))
        gs_die("nvshmem_align", "alignment %zu is not a power of two", alignment);
    return gs_heap_malloc("nvshmem_align", k, size, alignment > ALIGN ? alignment : ALIGN);
}

/* ---- the program's own buffers ---- */

static struct buffer {
    const char *addr;
    size_t length;
    struct buffer *next;
} * buffers;
static pthread_mutex_t buffers_lock = PTHREAD_MUTEX_INITIALIZER;

int shmemx_nvshmem_buffer_register(void *addr, size_t length)
{
    gs_need_up("nvshmemx_buffer_register");
    struct buffer *b = addr && length ? malloc(sizeof *b) : NULL;
    if (!addr || !length) {
        gs_error("nvshmemx_buffer_register: %zu bytes at %p are no buffer", length, addr);
        return INVALID_VALUE;
    }
    if (!b)
        return OUT_OF_MEMORY;
    pthread_mutex_lock(&buffers_lock);
    for (struct buffer *o = buffers; o; o = o->next)
        if ((const char *)addr < o->addr + o->length && o->addr < (const char *)addr + length) {
            gs_error("nvshmemx_buffer_register: %zu bytes at %p overlap the registered %zu at %p", length, addr,
                     o->length, (const void *)o->addr);
            pthread_mutex_unlock(&buffers_lock);
            free(b);
            return INVALID_VALUE;
        }
    *b = (struct buffer){addr, length, buffers};
    buffers = b;
    pthread_mutex_unlock(&buffers_lock);
    return OK;
}

int shmemx_nvshmem_buffer_unregister(void *addr)
{
    int rc = INVALID_VALUE;
    pthread_mutex_lock(&buffers_lock);
    for (struct buffer **p = &buffers; *p; p = &(*p)->next)
        if ((*p)->addr == addr) {
            struct buffer *gone = *p;
            *p = gone->next;
            free(gone);
            rc = OK;
            break;
        }
    pthread_mutex_unlock(&buffers_lock);
    if (rc != OK)
        gs_error("nvshmemx_buffer_unregister: no buffer is registered at %p", addr);
    return rc;
}

void shmemx_nvshmem_buffer_unregister_all(void)
{
    pthread_mutex_lock(&buffers_lock);
    while (buffers) {
        struct buffer *gone = buffers;
        buffers = gone->next;
        free(gone);
    }
    pthread_mutex_unlock(&buffers_lock);
}

void *shmemx_nvshmem_buffer_register_symmetric(void *addr, size_t size, int flags)
{
    (void)flags; /* none are defined */
    gs_device_need("nvshmemx_buffer_register_symmetric");
    return gs_heap_adopt("nvshmemx_buffer_register_symmetric", addr, size);
}

int shmemx_nvshmem_buffer_unregister_symmetric(void *addr, size_t size)
{
    gs_device_need("nvshmemx_buffer_unregister_symmetric");
    return gs_heap_disown("nvshmemx_buffer_unregister_symmetric", addr, size) == 0 ? OK : INVALID_VALUE;
}

/* ---- libraries of the driver API, queue pairs ---- */

/* A library's module; the program that has a CUlibrary has the driver loaded. NULL, logged. */
static struct CUmod_st *module_of(const char *fn, void *library)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    int (*get)(void **, void *) =
        driver ? (int (*)(void **, void *))(uintptr_t)dlsym(driver, "cuLibraryGetModule") : NULL;
    void *module = NULL;
    int rc = get ? get(&module, library) : -1;
    if (driver)
        dlclose(driver); /* it stays loaded: the program has it too */
    if (rc != 0)
        gs_error("%s: the driver gives no module for this library (cuLibraryGetModule: %d)", fn, rc);
    return rc == 0 ? module : NULL;
}

int shmemx_nvshmem_culibrary_init(void *library)
{
    const struct gs_device_ops *dev = gs_device_need("nvshmemx_culibrary_init");
    struct CUmod_st *module = module_of("nvshmemx_culibrary_init", library);
    return module && dev->module_init(module) == 0 ? OK : INTERNAL;
}

int shmemx_nvshmem_culibrary_finalize(void *library)
{
    const struct gs_device_ops *dev = gs_device_need("nvshmemx_culibrary_finalize");
    struct CUmod_st *module = module_of("nvshmemx_culibrary_finalize", library);
    return module && dev->module_finish(module) == 0 ? OK : INTERNAL;
}

int shmemx_nvshmem_qp_create(int num_qps, int **qps)
{
    enum { FIRST = 2 }; /* behind NVSHMEMX_QP_HOST and _DEFAULT */
    gs_need_up("nvshmemx_qp_create");
    int *all = num_qps > 0 ? malloc(sizeof *all * (size_t)num_qps) : NULL;
    if (num_qps <= 0) {
        gs_error("nvshmemx_qp_create: %d queue pairs: ask for one or more", num_qps);
        return INVALID_VALUE;
    }
    if (!all)
        return OUT_OF_MEMORY;
    for (int i = 0; i < num_qps; i++)
        all[i] = FIRST + i;
    *qps = all; /* the program's, who may free it */
    return OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end, memory, modules, what the library is. */
#ifndef GIN_NVSHMEM_SETUP_H
#define GIN_NVSHMEM_SETUP_H

#include "types.h"
#if GIN_NV_HOST
#include "library.h"
#endif

GIN_NV_HD void nvshmem_info_get_version(int *major, int *minor)
{
    *major = NVSHMEM_MAJOR_VERSION;
    *minor = NVSHMEM_MINOR_VERSION;
}
GIN_NV_HD void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch)
{
    *major = NVSHMEM_VENDOR_MAJOR_VERSION;
    *minor = NVSHMEM_VENDOR_MINOR_VERSION;
    *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}
/* name: NVSHMEM_MAX_NAME_LEN bytes. */
GIN_NV_HD void nvshmem_info_get_name(char *name)
{
    const char text[] = NVSHMEM_VENDOR_STRING;
    for (unsigned i = 0; i < sizeof text; i++)
        name[i] = text[i];
}

#if GIN_NV_DEVICE
#define GIN_NV_GLOBAL_EXIT(status)                                                                                     \
    gin_shmem_impl::fail(GIN_SHMEM_REPORT_EXIT, GIN_SHMEM_FN_none, -1, -1, NULL, 0, (uint64_t)(int64_t)status, 0)
#else
#define GIN_NV_GLOBAL_EXIT(status)
#endif
GIN_NV_HD void nvshmem_global_exit(int status) GIN_NV_BODY(GIN_NV_GLOBAL_EXIT(status), shmem_global_exit(status))

#if GIN_NV_HOST
GIN_NV_H int gin_nv_init(unsigned flags, const nvshmemx_init_attr_t *attr, int requested, int *provided)
{
    return shmemx_nvshmem_init(flags, attr, requested, provided, NVSHMEM_VENDOR_VERSION, SHMEM_VENDOR_STRING);
}
GIN_NV_H void nvshmem_init(void)
{
    int provided;
    if (gin_nv_init(0, NULL, NVSHMEM_THREAD_SERIALIZED, &provided) != 0)
        exit(EXIT_FAILURE); /* it said why */
}
GIN_NV_H int nvshmem_init_thread(int requested, int *provided)
{
    return gin_nv_init(0, NULL, requested, provided);
}
/* Only the fields of attributes that flags ask for are read. */
GIN_NV_H int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attributes)
{
    int provided;
    return gin_nv_init(flags, attributes, NVSHMEM_THREAD_SERIALIZED, &provided);
}
GIN_NV_H int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr)
{
    return nvshmemx_init_attr(flags, attr);
}
GIN_NV_H void nvshmem_finalize(void)
{
    shmemx_nvshmem_finalize();
}
GIN_NV_H void nvshmemx_hostlib_finalize(void)
{
    shmemx_nvshmem_finalize();
}
GIN_NV_H void nvshmem_query_thread(int *provided)
{
    shmem_query_thread(provided);
}
GIN_NV_H int nvshmemx_init_status(void)
{
    return shmemx_nvshmem_status();
}

GIN_NV_H int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uniqueid)
{
    return shmemx_get_uniqueid((shmemx_uniqueid_t *)uniqueid) == 0 ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INTERNAL;
}
/* Keeps the address of the id, which is read by nvshmemx_init_attr. */
GIN_NV_H int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks, const nvshmemx_uniqueid_t *uniqueid,
                                             nvshmemx_init_attr_t *attr)
{
    attr->args.uid_args.id = (nvshmemx_uniqueid_t *)uniqueid;
    attr->args.uid_args.myrank = myrank;
    attr->args.uid_args.nranks = nranks;
    return NVSHMEMX_SUCCESS;
}
/* mpi_comm: the address of an MPI_Comm. */
GIN_NV_H int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm, nvshmemx_init_attr_t *nvshmem_attr)
{
    nvshmem_attr->mpi_comm = mpi_comm;
    return NVSHMEMX_SUCCESS;
}

GIN_NV_H void *nvshmem_malloc(size_t size)
{
    return shmemx_nvshmem_malloc(size);
}
GIN_NV_H void *nvshmem_calloc(size_t count, size_t size)
{
    return shmemx_nvshmem_calloc(count, size);
}
GIN_NV_H void *nvshmem_align(size_t alignment, size_t size)
{
    return shmemx_nvshmem_align(alignment, size);
}
GIN_NV_H void nvshmem_free(void *ptr)
{
    shmem_free(ptr);
}
GIN_NV_H int nvshmemx_buffer_register(void *addr, size_t length)
{
    return shmemx_nvshmem_buffer_register(addr, length);
}
GIN_NV_H int nvshmemx_buffer_unregister(void *addr)
{
    return shmemx_nvshmem_buffer_unregister(addr);
}
GIN_NV_H void nvshmemx_buffer_unregister_all(void)
{
    shmemx_nvshmem_buffer_unregister_all();
}
GIN_NV_H void *nvshmemx_buffer_register_symmetric(void *buf_ptr, size_t size, int flags)
{
    return shmemx_nvshmem_buffer_register_symmetric(buf_ptr, size, flags);
}
GIN_NV_H int nvshmemx_buffer_unregister_symmetric(void *mmap_ptr, size_t size)
{
    return shmemx_nvshmem_buffer_unregister_symmetric(mmap_ptr, size);
}

#ifndef GIN_SHMEM_CPU
GIN_NV_H int nvshmemx_cumodule_init(CUmodule module)
{
    return shmemx_cumodule_init(module) == 0 ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INTERNAL;
}
GIN_NV_H int nvshmemx_cumodule_finalize(CUmodule module)
{
    return shmemx_cumodule_finalize(module) == 0 ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_INTERNAL;
}
#if CUDA_VERSION >= 12000
GIN_NV_H int nvshmemx_culibrary_init(CUlibrary library)
{
    return shmemx_nvshmem_culibrary_init(library);
}
GIN_NV_H int nvshmemx_culibrary_finalize(CUlibrary library)
{
    return shmemx_nvshmem_culibrary_finalize(library);
}
#endif
#endif
#endif

#endif

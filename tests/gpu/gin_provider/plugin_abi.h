/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NCCL looks up in a plugin: tables of functions, whose layout is NCCL's and whose names here are ours. Net and
 * GIN version 11 are what 2.28.9 to 2.30 load; from 2.30.7 on, NCCL's own GIN proxy drives the RMA table of version 14.
 * No header of NCCL is needed.
 */
#ifndef GIN_PROVIDER_PLUGIN_ABI_H
#define GIN_PROVIDER_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

namespace gin_provider
{

enum result : int { /* ncclResult_t */
                    OK = 0,
                    CUDA_ERROR = 1,
                    SYSTEM_ERROR = 2,
                    INTERNAL_ERROR = 3,
                    INVALID_ARGUMENT = 4,
                    INVALID_USAGE = 5,
                    REMOTE_ERROR = 6,
};
enum { HANDLE_BYTES = 128, REQUESTS_PER_RECV = 32 };
enum memory_type : int { HOST_MEMORY = 1, DEVICE_MEMORY = 2 };
enum signal_op : uint32_t { SIGNAL_INC = 1, SIGNAL_ADD = 2 };
enum device_type : int { NET_ON_HOST = 0, GIN_BY_PROXY = 2 };

typedef void (*log_fn)(int level, unsigned long flags, const char *file, int line, const char *format, ...);
typedef result (*profile_fn)(void **, int, void *, int64_t, void *);
struct device_handle; /* never made here */

/* No base class: what comes after max_multi_request lies in its padding. */
#define GIN_PROVIDER_PROPERTIES(DEVICES)                            \
    char *name, *pci_path;                                          \
    uint64_t guid;                                                  \
    int memory_types, reg_is_global, force_flush, speed_mbps, port; \
    float latency;                                                  \
    int max_comms, max_recvs;                                       \
    device_type type;                                               \
    int type_version;                                               \
    struct {                                                        \
        int n, devs[DEVICES];                                       \
    } virtual_devices;                                              \
    size_t max_p2p_bytes, max_coll_bytes;                           \
    int max_multi_request
struct properties_v11 {
    GIN_PROVIDER_PROPERTIES(4);
};
struct properties_v12 {
    GIN_PROVIDER_PROPERTIES(8);
    int16_t rail, plane;
};
static_assert(sizeof(properties_v11) == 112 && sizeof(properties_v12) == 128 && offsetof(properties_v12, rail) == 124,
              "as NCCL has them");

struct net_v11 {
    const char *name;
    result (*init)(void **ctx, uint64_t comm_id, void *config, log_fn, profile_fn);
    result (*devices)(int *n);
    result (*properties)(int dev, properties_v11 *);
    result (*listen)(void *ctx, int dev, void *handle, void **listener);
    result (*connect)(void *ctx, int dev, void *handle, void **to, device_handle **);
    result (*accept)(void *listener, void **from, device_handle **);
    result (*reg)(void *comm, void *data, size_t bytes, int type, void **mhandle);
    result (*reg_dmabuf)(void *, void *, size_t, int, uint64_t, int, void **);
    result (*dereg)(void *comm, void *mhandle);
    result (*isend)(void *to, void *data, size_t bytes, int tag, void *mhandle, void *phandle, void **request);
    result (*irecv)(void *from, int n, void **data, size_t *bytes, int *tags, void **mhandles, void **phandles,
                    void **request);
    result (*iflush)(void *from, int n, void **data, int *bytes, void **mhandles, void **request);
    result (*test)(void *request, int *done, int *bytes);
    result (*close_send)(void *to);
    result (*close_recv)(void *from);
    result (*close_listen)(void *listener);
    result (*device_mr)(void *, void *, void **);
    result (*recv_consumed)(void *, int, void *);
    result (*make_virtual)(int *, void *);
    result (*finalize)(void *ctx);
    result (*set_attributes)(void *, void *);
};

struct gin_v11 {
    const char *name;
    result (*init)(void **ctx, uint64_t comm_id, log_fn);
    result (*devices)(int *n);
    result (*properties)(int dev, properties_v11 *);
    result (*listen)(void *ctx, int dev, void *handle, void **listener);
    result (*connect)(void *ctx, void *handles[], int ranks, int rank, void *listener, void **group);
    result (*create_context)(void *, int, int, void **, device_handle **); /* not called for a proxy */
    result (*reg)(void *group, void *data, size_t bytes, int type, uint64_t flags, void **mhandle, void **gin_handle);
    result (*reg_dmabuf)(void *, void *, size_t, int, uint64_t, int, uint64_t, void **, void **);
    result (*dereg)(void *group, void *mhandle);
    result (*destroy_context)(void *);
    result (*close_group)(void *group);
    result (*close_listen)(void *listener);
    result (*put)(void *group, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst, uint32_t rank,
                  void **request);
    result (*put_signal)(void *group, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst,
                         uint32_t rank, uint64_t sig_off, void *sig, uint64_t value, uint32_t op, void **request);
    result (*test)(void *group, void *request, int *done);
    result (*progress)(void *group);
    result (*last_error)(void *group, bool *failed);
    result (*finalize)(void *ctx);
};

struct rma_config_v14 {
    int contexts, traffic_class, rank_stride;
};

struct rma_v14 {
    const char *name;
    result (*init)(void **ctx, uint64_t comm_id, log_fn);
    result (*devices)(int *n);
    result (*properties)(int dev, properties_v12 *);
    result (*listen)(void *ctx, int dev, void *handle, void **listener);
    result (*connect)(void *ctx, void *handles[], int ranks, int rank, void *listener, void **group);
    result (*create_context)(void *group, rma_config_v14 *, void **context);
    result (*reg)(void *group, void *data, size_t bytes, int type, uint64_t flags, void **mhandle);
    result (*reg_dmabuf)(void *, void *, size_t, int, uint64_t, int, uint64_t, void **);
    result (*dereg)(void *group, void *mhandle);
    result (*destroy_context)(void *context);
    result (*close_group)(void *group);
    result (*close_listen)(void *listener);
    result (*put)(void *context, int index, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst,
                  uint32_t rank, void **request);
    result (*put_signal)(void *context, int index, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off,
                         void *dst, uint32_t rank, uint64_t sig_off, void *sig, uint64_t value, uint32_t op,
                         bool strong, void **request);
    result (*get)(void *context, int index, uint64_t remote_off, void *remote, size_t bytes, uint64_t local_off,
                  void *local, uint32_t rank, void **request);
    result (*flush)(void *context, int index, void *mhandle, uint32_t rank, void **request);
    result (*test)(void *group, void *request, int *done);
    result (*progress)(void *context);
    result (*last_error)(void *context, bool *failed);
    result (*finalize)(void *ctx);
};

} // namespace gin_provider

/* Found by name; the number is the version of the table. */
extern "C" __attribute__((visibility("default"))) gin_provider::net_v11 ncclNetPlugin_v11;
extern "C" __attribute__((visibility("default"))) gin_provider::gin_v11 ncclGinPlugin_v11;
extern "C" __attribute__((visibility("default"))) gin_provider::rma_v14 ncclRmaPlugin_v14;

#endif

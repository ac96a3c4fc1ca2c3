/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tables for NCCL share. */
#ifndef GIN_PROVIDER_PLUGIN_H
#define GIN_PROVIDER_PLUGIN_H

#include "plugin_abi.h"
#include "wire.h"

namespace gin_provider
{

static_assert(sizeof(struct handle) <= HANDLE_BYTES, "handles must fit into NCCL's");

/* NCCL asks for a context, and not all versions hand it back to the right calls: nothing depends on it. */
result plugin_init(void **ctx);
result plugin_finalize(void *ctx);
result plugin_devices(int *n);
result plugin_listen(half of, void *handle, void **listener);
result plugin_close_listen(void *listener);

template <class P>
void fill_properties(P *p, device_type type, int memory_types, int max_recvs)
{
    *p = P();
    p->name = (char *)"gin_provider0";
    p->guid = 1;
    p->memory_types = memory_types;
    p->speed_mbps = 100000;
    p->port = 1;
    p->max_comms = 65536;
    p->max_recvs = max_recvs;
    p->type = type;
    p->type_version = type == GIN_BY_PROXY ? 100 : 0;
    p->virtual_devices.n = 1;
    p->max_p2p_bytes = 1ul << 40;
    p->max_coll_bytes = 1ul << 40;
    p->max_multi_request = 1;
}

} // namespace gin_provider

#endif

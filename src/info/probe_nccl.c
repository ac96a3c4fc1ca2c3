/* SPDX-License-Identifier: BSD-3-Clause */
/* The NCCL transport: load and store within a node, GIN between nodes. */
#include <dlfcn.h>

#include "probe.h"

enum { OLDEST = 22809 }; /* 2.28.9, the first with the device interface that is used */

void probe_nccl(struct out *o)
{
    struct reasons why = {""};
    int version = 0;
    bool module = module_present("libginshmem_nccl.so", &why), gpu = gpu_usable();
    if (!gpu)
        reasons_add(&why, "no GPU that can be used");
    void *lib = open_library("libnccl.so.2", &why);
    int (*get)(int *) = lib ? (int (*)(int *))dlsym(lib, "ncclGetVersion") : NULL;
    bool usable = false;
    if (get && get(&version) == 0) {
        usable = version >= OLDEST;
        if (!usable)
            reasons_add(&why, "NCCL 2.28.9 or newer is needed");
    } else if (lib) {
        reasons_add(&why, "libnccl.so.2 does not tell its version");
    } else {
        reasons_add(&why, "where NCCL came as a Python wheel, LD_LIBRARY_PATH must name its nvidia/nccl/lib");
    }
    out_open(o, "nccl_and_gin");
    out_verdict(o, module && gpu && usable, why.text);
    out_bool(o, "module", module);
    if (version >= 10000)
        out_text(o, "library", "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    else if (version)
        out_text(o, "library", "%d.%d.%d", version / 1000, version / 100 % 10, version % 100);
    else
        out_null(o, "library");
    out_bool(o, "rdma_for_gin", rdma_usable());
    out_close(o);
}

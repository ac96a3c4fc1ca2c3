/* SPDX-License-Identifier: BSD-3-Clause */
/* The UCX transport: host memory of PEs on other hosts, and the agents of their GPUs. */
#include <dlfcn.h>
#include <stdlib.h>

#include "bootstrap/net.h"
#include "probe.h"

void probe_ucx(struct out *o)
{
    struct reasons why = {""};
    unsigned major = 0, minor = 0, release = 0;
    bool module = module_present("libginshmem_ucx.so", &why);
    void *lib = open_library("libucp.so.0", &why);
    void (*get)(unsigned *, unsigned *, unsigned *) =
        lib ? (void (*)(unsigned *, unsigned *, unsigned *))dlsym(lib, "ucp_get_version") : NULL;
    if (get)
        get(&major, &minor, &release);
    else if (lib)
        reasons_add(&why, "libucp.so.0 does not tell its version");
    out_open(o, "ucx");
    bool works = module && get;
    out_verdict(o, works, works ? "host memory of PEs on other hosts, and the agents of their GPUs" : why.text);
    out_bool(o, "module", module);
    if (get)
        out_text(o, "library", "%u.%u.%u", major, minor, release);
    else
        out_null(o, "library");
    struct gs_net_choice net;
    const char *forced = getenv("UCX_NET_DEVICES");
    if (forced)
        out_text(o, "interface", "%s (UCX_NET_DEVICES)", forced);
    else if (gs_net_choose(&net) == 0)
        out_text(o, "interface", "%s%s", net.interface, rdma_usable() ? ", and the RDMA ports above" : "");
    else
        out_null(o, "interface");
    out_close(o);
}

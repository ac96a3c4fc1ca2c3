/* SPDX-License-Identifier: BSD-3-Clause */
/* The UCX transport: hosts, and GPUs that neither load and store nor GIN reach. */
#include <dlfcn.h>

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
    out_verdict(o, module && get, why.text);
    out_bool(o, "module", module);
    if (get)
        out_text(o, "library", "%u.%u.%u", major, minor, release);
    else
        out_null(o, "library");
    out_close(o);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>

#include "probe.h"

void probe_build(struct out *o)
{
    char folder[PATH_MAX];
    bool found = library_folder(folder, sizeof folder);
    out_open(o, "build");
    out_text(o, "version", "%s", GS_VERSION);
    out_text(o, "compiler", "%s", GS_COMPILER);
    out_text(o, "type", "%s", GS_BUILD_TYPE);
    out_text(o, "flags", "%s", GS_FLAGS);
    out_text(o, "sanitizers", "%s", *GS_SANITIZE ? GS_SANITIZE : "none");
    out_text(o, "system", "%s", GS_SYSTEM);
    out_text(o, "rdma_probe", "%s", GS_HAVE_VERBS ? "with rdma-core" : "without rdma-core");
    out_text(o, "library", "%s%s", found ? "" : GS_LIBRARY_FILE " is not in ", folder);
    out_close(o);
}

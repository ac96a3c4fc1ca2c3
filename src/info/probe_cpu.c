/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that runs kernels on the CPU: a library of ours, which programs with such kernels are linked to. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "probe.h"

void probe_cpu(struct out *o)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    struct reasons why = {""};
    bool works = false;
    if (module_present(GS_CPU_FILE, &why)) {
        library_folder(folder, sizeof folder);
        snprintf(path, sizeof path, "%s/%s", folder, GS_CPU_FILE);
        void *lib = open_library(path, &why);
        works = lib && dlsym(lib, "gs_device_module");
        if (lib && !works)
            reasons_add(&why, "%s has no module for the core", GS_CPU_FILE);
    }
    out_open(o, "kernels_on_cpu");
    out_verdict(o, works, works ? "compile with -x c++ -DGIN_SHMEM_CPU, link with -lginshmem_cpu" : why.text);
    out_close(o);
}

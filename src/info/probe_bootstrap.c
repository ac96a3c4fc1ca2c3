/* SPDX-License-Identifier: BSD-3-Clause */
/* How PEs can find each other, and which way was laid for this very process. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

extern char **environ;

static bool any_variable(const char *prefix)
{
    for (char **e = environ; *e; e++)
        if (strncmp(*e, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

void probe_pmix(struct out *o)
{
    struct reasons why = {""};
    void *lib = open_library("libpmix.so.2", &why);
    const char *(*version)(void) = lib ? (const char *(*)(void))dlsym(lib, "PMIx_Get_version") : NULL;
    bool served = getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK") && any_variable("PMIX_SERVER_URI");

    out_open(o, "pmix");
    if (lib)
        reasons_add(&why, "%s",
                    served ? "a PMIx launcher started this process"
                           : "when oshrun, mpirun, prterun or `srun --mpi=pmix` starts the program");
    out_verdict(o, lib != NULL, why.text);
    if (version)
        out_text(o, "library", "%s", version());
    out_bool(o, "served_now", served);
    out_bool(o, "oshrun_here", program_present("oshrun"));
    out_close(o);
}

void probe_torchrun(struct out *o)
{
    static const char *const needed[] = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};
    struct reasons missing = {""};
    size_t set = 0, n = sizeof needed / sizeof *needed;
    for (size_t i = 0; i < n; i++) {
        if (getenv(needed[i]))
            set++;
        else
            reasons_add(&missing, "%s is not set", needed[i]);
    }
    out_open(o, "env");
    out_verdict(o, true,
                set == n ? "torchrun, or a launcher that sets its variables, started this process"
                         : "when torchrun, or a launcher that sets its variables, starts the program");
    out_bool(o, "served_now", set == n);
    if (set > 0 && set < n)
        out_text(o, "incomplete", "%s", missing.text);
    out_close(o);
}

void probe_singleton(struct out *o)
{
    out_open(o, "singleton");
    out_verdict(o, true, "one PE, when nothing tells of others");
    out_close(o);
}

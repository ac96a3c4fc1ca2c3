/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/nccl/lib.h"

#include <dlfcn.h>
#include <stdio.h>

#include "transport/nccl/module.h"

gs_nccl gs_lib;
static void *lib; /* never closed: NCCL has threads */

const char *gs_nccl_version_text(int code)
{
    static thread_local char text[4][24];
    static thread_local unsigned turn;
    char *t = text[turn++ % 4];
    if (code >= 10000)
        snprintf(t, sizeof text[0], "%d.%d.%d", code / 10000, code / 100 % 100, code % 100);
    else
        snprintf(t, sizeof text[0], "%d.%d.%d", code / 1000, code / 100 % 10, code % 100);
    return t;
}

void *gs_nccl_symbol(const char *name)
{
    return dlsym(lib, name);
}

int gs_nccl_load(char *why, size_t len)
{
    if (gs_lib.version)
        return gs_nccl_fits(gs_lib.version, gs_lib.path, why, len) ? 0 : -1;
    /* The name, not a path: a library that the program has loaded already is the one to use. */
    if (!lib && !(lib = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL))) {
        snprintf(why, len, "NCCL is missing (%s): install it, or let LD_LIBRARY_PATH name its folder; it must fit %s",
                 dlerror(), gs_nccl_version_text(gs_nccl_compiled()));
        return -1;
    }
    auto get = (decltype(&ncclGetVersion))dlsym(lib, "ncclGetVersion");
    Dl_info where;
    int loaded = 0;
    if (!get || get(&loaded) != ncclSuccess) {
        snprintf(why, len, "libnccl.so.2 does not tell its version");
        return -1;
    }
    snprintf(gs_lib.path, sizeof gs_lib.path, "%s",
             dladdr((void *)get, &where) && where.dli_fname ? where.dli_fname : "?");
    if (!gs_nccl_fits(loaded, gs_lib.path, why, len))
        return -1;
#define GS_NCCL_ROW(name)                                                                               \
    gs_lib.name = (decltype(&::name))dlsym(lib, #name);                                                 \
    if (!gs_lib.name) {                                                                                 \
        snprintf(why, len, "%s (NCCL %s) has no %s", gs_lib.path, gs_nccl_version_text(loaded), #name); \
        return -1;                                                                                      \
    }
    GS_NCCL_FUNCTIONS(GS_NCCL_ROW)
#undef GS_NCCL_ROW
    if (!gs_nccl_version_symbols(why, len))
        return -1;
    gs_lib.version = loaded;
    return 0;
}

int gs_nccl_check(ncclResult_t r, const char *what)
{
    if (__builtin_expect(r == ncclSuccess, 1))
        return 0;
    const char *last = gs_lib.ncclGetLastError(NULL);
    (void)cudaGetLastError();
    gs_watchdog_look();
    gs_mod_error("%s: %s%s%s (NCCL %s; NCCL_DEBUG=WARN shows more)", what, gs_lib.ncclGetErrorString(r),
                 last && *last ? ": " : "", last && *last ? last : "", gs_nccl_version_text(gs_lib.version));
    return -1;
}

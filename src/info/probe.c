/* SPDX-License-Identifier: BSD-3-Clause */
/* What the probes share. */
#include "probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of this program, with a slash at the end. */
static bool program_folder(char *folder, size_t len)
{
    ssize_t n = readlink("/proc/self/exe", folder, len - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    slash[1] = '\0';
    return true;
}

bool program_present(const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (!program_folder(folder, sizeof folder))
        return false;
    snprintf(path, sizeof path, "%s%s", folder, name);
    return access(path, X_OK) == 0;
}

bool library_folder(char *folder, size_t len)
{
    char path[PATH_MAX + sizeof GS_LIBRARY_FILE], real[PATH_MAX];
    if (!program_folder(path, sizeof path - sizeof GS_BIN_TO_LIB)) {
        snprintf(folder, len, "?");
        return false;
    }
    strcat(path, GS_BIN_TO_LIB);
    snprintf(folder, len, "%s", realpath(path, real) ? real : path);
    snprintf(path, sizeof path, "%s/" GS_LIBRARY_FILE, folder);
    return access(path, R_OK) == 0;
}

bool module_present(const char *file, struct reasons *why)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    library_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (access(path, R_OK) == 0)
        return true;
    reasons_add(why, "not part of this build: no %s in %s", file, folder);
    return false;
}

void *open_library(const char *name, struct reasons *why)
{
    void *lib = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!lib) {
        const char *error = dlerror();
        reasons_add(why, "%s", error ? error : name);
    }
    return lib;
}

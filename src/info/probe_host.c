/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores and what limits them, and the namespaces that PEs must share. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

/* Cores' worth of time that one control group may use, or 0 when it has no limit. */
static double group_limit(const char *folder, bool v2)
{
    char path[PATH_MAX + 128], line[128];
    long long quota = -1, period = 0;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        if (!read_line(path, line, sizeof line) || sscanf(line, "%lld %lld", &quota, &period) != 2)
            return 0; /* "max 100000" */
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        if (read_line(path, line, sizeof line))
            quota = atoll(line);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        if (read_line(path, line, sizeof line))
            period = atoll(line);
    }
    return quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

/* Is cpu one of the controllers in a list such as "cpu,cpuacct"? */
static bool names_cpu(const char *list)
{
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == 3 && strncmp(p, "cpu", 3) == 0)
            return true;
    return false;
}

/* The least limit of our control group and those above it, or 0. The path may be one that only the host sees; then
 * the root, which is always looked at, is that of our container. */
static double cpu_limit(void)
{
    char line[PATH_MAX], folder[PATH_MAX + 64];
    double least = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        bool v2 = list[1] == '\0';
        if (!v2 && !names_cpu(list + 1))
            continue;
        int root = snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", v2 ? "" : "/cpu");
        snprintf(folder + root, sizeof folder - (size_t)root, "%s", path);
        for (;;) {
            double limit = group_limit(folder, v2);
            if (limit > 0 && (least == 0 || limit < least))
                least = limit;
            if (strlen(folder) <= (size_t)root)
                break;
            *strrchr(folder, '/') = '\0';
        }
    }
    if (f)
        fclose(f);
    return least;
}

void probe_host(struct out *o)
{
    char name[256] = "";
    struct stat ns;
    cpu_set_t *set = CPU_ALLOC(CPU_SETSIZE * 8);
    size_t bytes = CPU_ALLOC_SIZE(CPU_SETSIZE * 8);
    int allowed = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    double limit = cpu_limit();
    CPU_FREE(set);

    out_open(o, "host");
    if (gethostname(name, sizeof name - 1) == 0)
        out_text(o, "name", "%s", name);
    out_number(o, "cores_online", sysconf(_SC_NPROCESSORS_ONLN));
    out_number(o, "cores_allowed", allowed);
    if (limit > 0)
        out_text(o, "cgroup_cpu_limit", "%g", limit);
    else
        out_null(o, "cgroup_cpu_limit");
    if (stat("/proc/self/ns/pid", &ns) == 0)
        out_number(o, "pid_namespace", (long long)ns.st_ino);
    else
        out_null(o, "pid_namespace");
    out_close(o);
}

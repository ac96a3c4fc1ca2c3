/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can NCCL's GIN carry kernels' operations to other nodes from here, and if not, what is missing? Everything is read
 * from files of the kernel, so nothing is opened or changed, and a test can lay out a machine of its own.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe.h"

enum { PATH_LEN = 600, GIDS_MAX = 256, PORTS_MAX = 16 };

__attribute__((format(printf, 3, 4))) static bool line_of(char *line, size_t len, const char *fmt, ...)
{
    char path[PATH_LEN];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    return read_line(path, line, len);
}

__attribute__((format(printf, 1, 2))) static bool exists(const char *fmt, ...)
{
    char path[PATH_LEN];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    return access(path, F_OK) == 0;
}

static bool set_to(const char *name, const char *value)
{
    const char *v = getenv(name);
    return v && strcasecmp(v, value) == 0;
}

/* "6.1.0-13" >= major.minor */
static bool release_at_least(const char *release, int major, int minor)
{
    int have_major = 0, have_minor = 0;
    if (sscanf(release, "%d.%d", &have_major, &have_minor) < 1)
        return false;
    return have_major != major ? have_major > major : have_minor >= minor;
}

/* ---- ports ---- */

/* Does NCCL_IB_HCA leave this port in? A list of prefixes, or with = of whole names; with ^ of what is left out. */
static bool port_wanted(const char *device, int port)
{
    const char *list = getenv("NCCL_IB_HCA");
    bool except = false, whole = false, found = false;
    if (!list || !*list)
        return true;
    for (; *list == '^' || *list == '='; list++) {
        except = except || *list == '^';
        whole = whole || *list == '=';
    }
    while (*list) {
        size_t entry = strcspn(list, ","), name = strcspn(list, ":,");
        if (name > entry)
            name = entry;
        bool same = strncmp(device, list, name) == 0 && (!whole || device[name] == '\0');
        if (same && name > 0 && (list[name] != ':' || atoi(list + name + 1) == port))
            found = true;
        list += entry + (list[entry] == ',');
    }
    return found != except;
}

/* Has the Ethernet port an address that routes: RoCE v2, and not link-local? index: the one to look at, or -1. */
static bool has_gid(const char *root, const char *device, int port, int index)
{
    char gid[64], type[64];
    for (int i = index < 0 ? 0 : index; i < GIDS_MAX; i++) {
        bool there = line_of(gid, sizeof gid, "%s/sys/class/infiniband/%s/ports/%d/gids/%d", root, device, port, i);
        if (there && strncmp(gid, "fe80", 4) != 0 && strspn(gid, "0:") != strlen(gid) &&
            line_of(type, sizeof type, "%s/sys/class/infiniband/%s/ports/%d/gid_attrs/types/%d", root, device, port,
                    i) &&
            strstr(type, "v2"))
            return true;
        if (index >= 0 || !there)
            return false;
    }
    return false;
}

/* One port: usable, or one reason more. */
static bool port_works(const char *root, const char *device, int port, struct reasons *why)
{
    char state[64], layer[64];
    const char *wanted = getenv("NCCL_IB_GID_INDEX");
    if (!line_of(state, sizeof state, "%s/sys/class/infiniband/%s/ports/%d/state", root, device, port)) {
        reasons_add(why, "%s port %d does not tell its state", device, port);
        return false;
    }
    if (!strstr(state, "ACTIVE") || strstr(state, "DEFER")) {
        reasons_add(why, "%s port %d is not active (%s)", device, port, state);
        return false;
    }
    if (!line_of(layer, sizeof layer, "%s/sys/class/infiniband/%s/ports/%d/link_layer", root, device, port))
        snprintf(layer, sizeof layer, "no link layer");
    if (strcmp(layer, "InfiniBand") == 0)
        return true;
    if (strcmp(layer, "Ethernet") != 0) {
        reasons_add(why, "%s port %d is neither InfiniBand nor Ethernet (%s)", device, port, layer);
        return false;
    }
    if (has_gid(root, device, port, wanted && *wanted ? atoi(wanted) : -1))
        return true;
    if (wanted && *wanted)
        reasons_add(why, "%s port %d (Ethernet): GID %s, which NCCL_IB_GID_INDEX names, is no routable RoCE v2 address",
                    device, port, wanted);
    else
        reasons_add(why,
                    "%s port %d (Ethernet) has no routable RoCE v2 address: give its network interface an IP address",
                    device, port);
    return false;
}

/* Does any port work? Reasons only when none does. *mlx5: one of NVIDIA's does. */
static bool look_at_ports(const char *root, struct reasons *why, bool *mlx5)
{
    char path[PATH_LEN];
    struct reasons mine = {""};
    int devices = 0, left_out = 0, works = 0;
    *mlx5 = false;
    snprintf(path, sizeof path, "%s/sys/class/infiniband", root);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || strlen(e->d_name) > 64)
            continue;
        devices++;
        for (int port = 1; port <= PORTS_MAX; port++) {
            if (!exists("%s/sys/class/infiniband/%s/ports/%d", root, e->d_name, port))
                break;
            if (!port_wanted(e->d_name, port)) {
                left_out++;
            } else if (port_works(root, e->d_name, port, &mine)) {
                works++;
                *mlx5 =
                    *mlx5 || strncmp(e->d_name, "mlx5", 4) == 0 ||
                    exists("%s/sys/class/infiniband/%s/device/driver/module/drivers/pci:mlx5_core", root, e->d_name);
            }
        }
    }
    if (d)
        closedir(d);
    if (!devices) {
        reasons_add(why, "no RDMA device");
        return false;
    }
    if (!works) {
        if (mine.text[0])
            reasons_add(why, "%s", mine.text);
        else if (left_out)
            reasons_add(why, "NCCL_IB_HCA=%s leaves out all ports", getenv("NCCL_IB_HCA"));
        else
            reasons_add(why, "no RDMA device has a port");
        return false;
    }
    return true;
}

/* The kernel's door to the devices: missing in containers that were started without it. */
static void look_at_door(const char *root, struct reasons *why)
{
    char path[PATH_LEN];
    int files = 0, open = 0;
    snprintf(path, sizeof path, "%s/dev/infiniband", root);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char file[PATH_LEN + 300];
        if (strncmp(e->d_name, "uverbs", 6) != 0)
            continue;
        files++;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        open += access(file, R_OK | W_OK) == 0;
    }
    if (d)
        closedir(d);
    if (!files)
        reasons_add(why, "no /dev/infiniband/uverbs*: load ib_uverbs, or give the container these devices");
    else if (!open)
        reasons_add(why, "/dev/infiniband/uverbs* may not be opened by this user");
}

/* ---- how the NIC reaches the GPU's memory ---- */

static const char *look_at_memory(const char *root, struct reasons *why)
{
    char line[256] = "", release[128];
    struct utsname u;
    if (exists("%s/sys/module/nvidia_peermem", root) || exists("%s/sys/module/nv_peer_mem", root))
        return "nvidia_peermem";
    if (!line_of(release, sizeof release, "%s/proc/sys/kernel/osrelease", root))
        snprintf(release, sizeof release, "%s", uname(&u) == 0 ? u.release : "?");
    bool opened =
        line_of(line, sizeof line, "%s/proc/driver/nvidia/version", root) && strstr(line, "Open Kernel Module");
    bool kernel = release_at_least(release, 6, 1);
    if (opened && kernel && !set_to("NCCL_DMABUF_ENABLE", "0"))
        return "DMA-BUF";
    if (!line[0])
        reasons_add(why, "no NVIDIA kernel driver is loaded");
    else if (opened && kernel)
        reasons_add(why, "NCCL_DMABUF_ENABLE=0, and nvidia_peermem is not loaded");
    else
        reasons_add(why,
                    "the NIC cannot reach the GPU's memory: nvidia_peermem is not loaded, and for DMA-BUF %s%s%s%s",
                    opened ? "" : "the open kernel driver of NVIDIA is needed", !opened && !kernel ? ", and " : "",
                    kernel ? "" : "Linux 6.1 or newer is needed, this is ", kernel ? "" : release);
    return NULL;
}

static void look_at_driver(const char *root, struct reasons *why)
{
    char version[64];
    int major = 0, minor = 0;
    if (line_of(version, sizeof version, "%s/sys/module/nvidia/version", root) &&
        sscanf(version, "%d.%d", &major, &minor) >= 1 && (major < 510 || (major == 510 && minor < 40)))
        reasons_add(why, "NVIDIA's driver %s is older than 510.40", version);
}

/* ---- settings ---- */

static void look_at_settings(struct reasons *why, bool mlx5)
{
    static const struct {
        const char *name, *value, *what;
    } off[] = {
        {"NCCL_GIN_ENABLE", "0", "switches GIN off"},
        {"NCCL_IB_DISABLE", "1", "switches RDMA off"},
        {"NCCL_NET", "Socket", "chooses a network without GIN"},
        {"NCCL_CUMEM_ENABLE", "0", "switches off the memory that windows are made of"},
        {"NCCL_WIN_ENABLE", "0", "switches off windows"},
        {"NCCL_CROSS_NIC", "0", "keeps GIN from reaching all peers"},
    };
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (set_to(off[i].name, off[i].value))
            reasons_add(why, "%s=%s %s", off[i].name, off[i].value, off[i].what);
    if (set_to("NCCL_GIN_TYPE", "3") && !mlx5)
        reasons_add(why, "NCCL_GIN_TYPE=3 asks for NICs of the mlx5 kind, and no such port works");
}

void gin_look(const char *root, struct reasons *why, const char **memory)
{
    bool mlx5;
    if (look_at_ports(root, why, &mlx5))
        look_at_door(root, why);
    look_at_driver(root, why);
    *memory = look_at_memory(root, why);
    look_at_settings(why, mlx5);
}

void probe_gin(struct out *o)
{
    struct reasons why = {""}, library = {""};
    const char *memory;
    gin_look("", &why, &memory);
    if (!open_library("libibverbs.so.1", &library))
        reasons_add(&why, "rdma-core is missing (%s)", library.text);
    out_open(o, "gin");
    out_verdict(o, !why.text[0], why.text);
    if (memory)
        out_text(o, "gpu_memory_by", "%s", memory);
    else
        out_null(o, "gpu_memory_by");
    out_close(o);
}

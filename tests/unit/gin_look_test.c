/* SPDX-License-Identifier: BSD-3-Clause */
/* What gin_shmem_info says is in the way of GIN, on machines laid out as files: none of it needs a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "info/probe.h"

/* Not part of what is tested. */
void *open_library(const char *name, struct reasons *why)
{
    (void)name, (void)why;
    return NULL;
}

static char root[64];

/* A file with one line; folders on the way are made. text NULL: only a folder. */
static void lay(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    if (!text) {
        mkdir(full, 0700);
        return;
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", text);
    fclose(f);
}

/* A shell command, in the root's folder. */
static void run(const char *command)
{
    char line[256];
    snprintf(line, sizeof line, "cd %s && %s", root, command);
    assert_int_equal(system(line), 0);
}

static void lay_port(const char *device, int port, const char *state, const char *layer)
{
    char path[256];
    snprintf(path, sizeof path, "sys/class/infiniband/%s/ports/%d/state", device, port);
    lay(path, state);
    snprintf(path, sizeof path, "sys/class/infiniband/%s/ports/%d/link_layer", device, port);
    lay(path, layer);
}

static void lay_gid(const char *device, int index, const char *gid, const char *type)
{
    char path[256];
    snprintf(path, sizeof path, "sys/class/infiniband/%s/ports/1/gids/%d", device, index);
    lay(path, gid);
    snprintf(path, sizeof path, "sys/class/infiniband/%s/ports/1/gid_attrs/types/%d", device, index);
    lay(path, type);
}

/* A machine on which GIN works: an InfiniBand port, the open driver, a new kernel. */
static void lay_machine(void)
{
    lay_port("mlx5_0", 1, "4: ACTIVE", "InfiniBand");
    lay("dev/infiniband/uverbs0", "");
    lay("sys/module/nvidia/version", "580.65.06");
    lay("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06");
    lay("proc/sys/kernel/osrelease", "6.8.0-45-generic");
}

static int set_up(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/gin_look.XXXXXX");
    assert_non_null(mkdtemp(root));
    lay_machine();
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"NCCL_GIN_ENABLE",   "NCCL_IB_DISABLE",    "NCCL_NET",      "NCCL_IB_HCA",
                                        "NCCL_IB_GID_INDEX", "NCCL_DMABUF_ENABLE", "NCCL_GIN_TYPE", "NCCL_CROSS_NIC"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    run("rm -r *");
    assert_int_equal(rmdir(root), 0);
    return 0;
}

static const char *memory;

static void works(const char *by)
{
    struct reasons why = {""};
    gin_look(root, &why, &memory);
    assert_string_equal(why.text, "");
    assert_string_equal(memory, by);
}

static void says(const char *words)
{
    struct reasons why = {""};
    gin_look(root, &why, &memory);
    if (!strstr(why.text, words))
        fail_msg("nothing says \"%s\": \"%s\"", words, why.text);
}

/* words is the only reason. */
static void says_only(const char *words)
{
    struct reasons why = {""};
    gin_look(root, &why, &memory);
    assert_string_equal(why.text, words);
}

static void all_there(void **state)
{
    (void)state;
    works("DMA-BUF");
    lay("sys/module/nvidia_peermem", NULL);
    works("nvidia_peermem");
}

static void devices(void **state)
{
    (void)state;
    lay_port("mlx5_0", 1, "1: DOWN", "InfiniBand");
    says_only("mlx5_0 port 1 is not active (1: DOWN)");
    lay_port("mlx5_1", 1, "4: ACTIVE", "InfiniBand"); /* another one works: the first does not matter */
    works("DMA-BUF");
    lay_port("mlx5_1", 1, "4: ACTIVE", "Unknown");
    says("mlx5_1 port 1 is neither InfiniBand nor Ethernet (Unknown)");
    run("rm -r dev/infiniband");
    lay_port("mlx5_0", 1, "4: ACTIVE", "InfiniBand");
    says_only("no /dev/infiniband/uverbs*: load ib_uverbs, or give the container these devices");
    run("rm -r sys/class/infiniband");
    says_only("no RDMA device");
    lay("sys/class/infiniband/mlx5_0", NULL);
    says_only("no RDMA device has a port");
}

static void ethernet(void **state)
{
    (void)state;
    lay_port("mlx5_0", 1, "4: ACTIVE", "Ethernet");
    says("mlx5_0 port 1 (Ethernet) has no routable RoCE v2 address");
    lay_gid("mlx5_0", 0, "fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2");
    lay_gid("mlx5_0", 1, "0000:0000:0000:0000:0000:ffff:0a00:0001", "IB/RoCE v1");
    lay_gid("mlx5_0", 2, "0000:0000:0000:0000:0000:0000:0000:0000", "RoCE v2");
    says("mlx5_0 port 1 (Ethernet) has no routable RoCE v2 address");
    lay_gid("mlx5_0", 3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2");
    works("DMA-BUF");
    setenv("NCCL_IB_GID_INDEX", "3", 1);
    works("DMA-BUF");
    setenv("NCCL_IB_GID_INDEX", "1", 1);
    says("GID 1, which NCCL_IB_GID_INDEX names, is no routable RoCE v2 address");
}

static void gpu_memory(void **state)
{
    (void)state;
    lay("proc/sys/kernel/osrelease", "5.15.0-91-generic");
    says("nvidia_peermem is not loaded, and for DMA-BUF Linux 6.1 or newer is needed, this is 5.15.0-91-generic");
    assert_null(memory);
    lay("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06");
    says("the open kernel driver of NVIDIA is needed, and Linux 6.1");
    lay("proc/sys/kernel/osrelease", "6.1.0-13-amd64");
    says("for DMA-BUF the open kernel driver of NVIDIA is needed");
    lay("sys/module/nv_peer_mem", NULL);
    works("nvidia_peermem");
    run("rm -r sys/module/nv_peer_mem");
    lay_machine();
    setenv("NCCL_DMABUF_ENABLE", "0", 1);
    says_only("NCCL_DMABUF_ENABLE=0, and nvidia_peermem is not loaded");
    unsetenv("NCCL_DMABUF_ENABLE");
    lay("sys/module/nvidia/version", "470.82.01");
    says_only("NVIDIA's driver 470.82.01 is older than 510.40");
    run("rm -r proc/driver sys/module/nvidia");
    says_only("no NVIDIA kernel driver is loaded");
}

static void settings(void **state)
{
    (void)state;
    setenv("NCCL_GIN_ENABLE", "0", 1);
    says_only("NCCL_GIN_ENABLE=0 switches GIN off");
    unsetenv("NCCL_GIN_ENABLE");
    setenv("NCCL_NET", "socket", 1);
    says_only("NCCL_NET=Socket chooses a network without GIN");
    unsetenv("NCCL_NET");
    setenv("NCCL_IB_DISABLE", "1", 1);
    setenv("NCCL_CROSS_NIC", "0", 1);
    says("NCCL_IB_DISABLE=1 switches RDMA off; NCCL_CROSS_NIC=0 ");
}

static void chosen_ports(void **state)
{
    static const char *const in[] = {"mlx5",    "=mlx5_0", "mlx5_0:1",         "bnxt,mlx5_0",
                                     "^mlx5_1", "^=mlx5",  "mlx5_0:2,mlx5_0:1"},
                             *const out[] = {"mlx5_1", "=mlx5", "mlx5_0:2", "^mlx5", "^=mlx5_0", "^mlx5_0:1", "bnxt,"};
    (void)state;
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        setenv("NCCL_IB_HCA", in[i], 1);
        works("DMA-BUF");
    }
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        char words[64];
        setenv("NCCL_IB_HCA", out[i], 1);
        snprintf(words, sizeof words, "NCCL_IB_HCA=%s leaves out all ports", out[i]);
        says_only(words);
    }
}

static void gdaki(void **state)
{
    (void)state;
    setenv("NCCL_GIN_TYPE", "3", 1);
    works("DMA-BUF");
    run("mv sys/class/infiniband/mlx5_0 sys/class/infiniband/bnxt_re0");
    says_only("NCCL_GIN_TYPE=3 asks for NICs of the mlx5 kind, and no such port works");
    lay("sys/class/infiniband/bnxt_re0/device/driver/module/drivers/pci:mlx5_core", NULL); /* renamed */
    works("DMA-BUF");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ethernet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gpu_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chosen_ports, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gdaki, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens libginshmem_nccl.so (argv[1]) as the core does and prints what it says of this machine. Exit code 0: it is usable;
 * 3: it is not, with a reason; 1: it breaks the contract. argv[2]: the ABI number to ask for. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/device.h"

static int broken(const char *what)
{
    printf("broken: %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    char why[256] = "";
    if (argc < 2)
        return broken("no module given");
    void *m = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!m)
        return broken(dlerror());
    gs_device_module_fn *get = (gs_device_module_fn *)(uintptr_t)dlsym(m, GS_DEVICE_MODULE_SYMBOL);
    if (!get)
        return broken("no " GS_DEVICE_MODULE_SYMBOL);
    const struct gs_device_ops *ops =
        get(argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)GS_DEVICE_ABI, why, sizeof why);
    if (!ops) {
        if (!why[0] || !memchr(why, 0, sizeof why))
            return broken("no reason given");
        printf("%s\n", why);
        return 3;
    }
    if (ops->abi != GS_DEVICE_ABI || ops->size != sizeof *ops)
        return broken("abi or size");
    /* Every slot is filled: behind the two numbers there are only pointers. */
    void *slots[(sizeof *ops - offsetof(struct gs_device_ops, describe)) / sizeof(void *)];
    memcpy(slots, (const char *)ops + offsetof(struct gs_device_ops, describe), sizeof slots);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        if (!slots[i]) {
            printf("slot %zu\n", i);
            return broken("a slot is empty");
        }
    printf("usable\n");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The header in the program, in a library that it links, and in two that it opens: one before init, one after kernels have
 * run; and one closed and opened again.
 * link: gpu_lib_linked */
#include "check.h"

#include <dlfcn.h>

extern "C" int linked_add(int *p, int pe);
typedef int add_fn(int *p, int pe);

__global__ void add(int *p, int pe) { gin_shmem_int_atomic_add(p, 1000000, pe); }

static void *open_library(const char *name, add_fn **f)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    *f = (add_fn *)dlsym(library, "late_add");
    CHECK(*f, "%s", dlerror());
    return library;
}

int main()
{
    add_fn *early, *late;
    void *first = dlopen("lib_late.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(first, "%s", dlerror());
    early = (add_fn *)dlsym(first, "late_add");
    start();
    int *p = (int *)shmem_calloc(1, sizeof *p);
    CHECK(p && early, "no memory, or no symbol");
    GIN_SHMEM_LAUNCH(add, 1, 1, 0, p, next_pe);
    KERNELS_DONE("the program's kernel");
    CHECK(linked_add(p, next_pe) == 0, "the linked library's kernel");
    CHECK(early(p, next_pe) == 0, "the kernel of the library opened before init");
    void *second = open_library("lib_later.so", &late);
    CHECK(late(p, next_pe) == 0, "the kernel of the library opened late");
    shmem_barrier_all();
    CHECK(device_value(p) == 1000000 + 32 + 3200 + 320000, "the word is %d", device_value(p));
    shmem_barrier_all();
    dlclose(second);
    second = open_library("lib_later.so", &late);
    CHECK(late(p, next_pe) == 0, "the kernel of the library opened again");
    shmem_barrier_all();
    CHECK(device_value(p) == 1000000 + 32 + 3200 + 640000, "the word is %d", device_value(p));
    shmem_barrier_all();
    return done();
}

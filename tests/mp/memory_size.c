/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the bytes of heap that there should be: exactly one block of them fits. */
#include <stdlib.h>

#include "check.h"

int main(int argc, char **argv)
{
    shmem_init();
    CHECK(argc == 2, "usage: test_memory_size BYTES");
    size_t bytes = strtoull(argv[1], NULL, 10);
    if (bytes) {
        char *p = shmem_malloc(bytes);
        CHECK(p, "%zu bytes do not fit", bytes);
        shmem_char_p(&p[bytes - 1], 1, (shmem_my_pe() + 1) % shmem_n_pes());
        shmem_barrier_all();
        CHECK(p[bytes - 1] == 1, "the last byte");
        shmem_free(p);
    }
    /* Heaps are whole pages. */
    CHECK(!shmem_malloc(bytes ? (bytes + 4095) / 4096 * 4096 + 1 : 1), "more than %zu bytes fit", bytes);
    shmem_finalize();
    return 0;
}

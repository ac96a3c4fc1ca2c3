/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be asked before and after, the version, nested initialisation, thread levels. */
#include <string.h>

#include "check.h"

static int initialized(void)
{
    int yes = -1;
    shmem_query_initialized(&yes);
    return yes;
}

int main(void)
{
    int major = 0, minor = 0, provided = -1, level = -1;
    char name[SHMEM_MAX_NAME_LEN];
    CHECK(initialized() == 0, "initialised at the start");
    CHECK(shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) == 0 && provided >= SHMEM_THREAD_SERIALIZED,
          "init_thread");
    CHECK(initialized() == 1, "not initialised");
    shmem_query_thread(&level);
    CHECK(level == provided, "query_thread says %d, init %d", level, provided);
    shmem_info_get_version(&major, &minor);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && major == 1 && minor == 6, "%d.%d", major,
          minor);
    memset(name, 'x', sizeof name);
    shmem_info_get_name(name);
    CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0, "name is %s", name);
    CHECK(shmem_my_pe() == _my_pe() && shmem_n_pes() == _num_pes(), "old names");
    CHECK(shmem_my_pe() >= 0 && shmem_my_pe() < shmem_n_pes(), "PE %d of %d", shmem_my_pe(), shmem_n_pes());
    shmem_pcontrol(1, "nothing", 2);

    /* Every init has its finalize; only the last ends it. */
    long *p = shmem_malloc(sizeof *p);
    shmem_init();
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "nested init_thread");
    shmem_query_thread(&level);
    CHECK(level == provided && level >= SHMEM_THREAD_SERIALIZED, "a nested init lowered the level to %d", level);
    *p = 5;
    shmem_finalize();
    CHECK(initialized(), "the first of three finalize ended it");
    shmem_finalize();
    CHECK(initialized(), "the second of three finalize ended it");
    CHECK(*p == 5 && shmem_long_g(p, (shmem_my_pe() + 1) % shmem_n_pes()) == 5, "memory is gone");
    shmem_free(p);
    shmem_finalize();
    CHECK(initialized() == 0, "initialised after the last finalize");
    CHECK(shmem_init_thread(99, &provided) != 0 && initialized() == 0, "a thread level that does not exist");
    return 0;
}

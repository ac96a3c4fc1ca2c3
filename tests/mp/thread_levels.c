/* SPDX-License-Identifier: BSD-3-Clause */
/* init_thread gives each level that is asked for; SERIALIZED: another thread calls while main waits for it. */
#include <pthread.h>

#include "check.h"

static long box;

static void *other_thread(void *arg)
{
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_long_p(&box, me + 1, (me + 1) % n);
    shmem_barrier_all();
    CHECK(box == (me + n - 1) % n + 1, "box is %ld", box);
    long *p = shmem_malloc(sizeof *p);
    CHECK(p, "no memory");
    return *(long **)arg = p;
}

int main(void)
{
    CHECK(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
              SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE,
          "order of the levels");
    for (int level = SHMEM_THREAD_SINGLE; level <= SHMEM_THREAD_MULTIPLE; level++) {
        int provided = -1, asked = -1;
        CHECK(shmem_init_thread(level, &provided) == 0 && provided >= level, "asked for %d, got %d", level, provided);
        shmem_query_thread(&asked);
        CHECK(asked == provided, "query_thread says %d", asked);
        if (level >= SHMEM_THREAD_SERIALIZED) {
            pthread_t t;
            long *p = NULL;
            CHECK(pthread_create(&t, NULL, other_thread, &p) == 0, "pthread_create");
            pthread_join(t, NULL);
            *p = level;
            shmem_barrier_all();
            CHECK(shmem_long_g(p, (shmem_my_pe() + 1) % shmem_n_pes()) == level, "memory of another thread");
            shmem_free(p);
        }
        shmem_finalize();
    }
    return 0;
}

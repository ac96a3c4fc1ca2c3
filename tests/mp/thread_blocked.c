/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads blocked in a wait, a lock and a barrier do not keep another thread of the PE from working. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { TIMES = 3000 };
static long go, locked, counter, checked, all_go[3];
static uint64_t sig;
static int me, n;
static atomic_int through;

static void *wait_word(void *arg)
{
    (void)arg;
    shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
    return (void *)(intptr_t)++through;
}

static void *wait_signal(void *arg)
{
    (void)arg;
    shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 0);
    return (void *)(intptr_t)++through;
}

static void *wait_all(void *arg)
{
    (void)arg;
    shmem_long_wait_until_all(all_go, 3, NULL, SHMEM_CMP_NE, 0);
    return (void *)(intptr_t)++through;
}

static void *wait_lock(void *arg)
{
    (void)arg;
    shmem_set_lock(&locked); /* PE 0's main thread holds it */
    shmem_clear_lock(&locked);
    return (void *)(intptr_t)++through;
}

static void *wait_barrier(void *arg)
{
    (void)arg;
    shmem_barrier_all();
    return (void *)(intptr_t)++through;
}

int main(void)
{
    int provided;
    pthread_t threads[5];
    void *(*const waits[5])(void *) = {wait_word, wait_signal, wait_all, wait_barrier, wait_lock};
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "threads");
    me = shmem_my_pe();
    n = shmem_n_pes();
    int to = (me + 1) % n, count = me == 0 ? 4 : 5; /* on PE 0 main holds the lock */
    if (me == 0)
        shmem_set_lock(&locked);
    shmem_barrier_all();
    /* The last PE enters the barrier only at the end. */
    for (int i = 0; i < count; i++)
        if (waits[i] != wait_barrier || me != n - 1)
            CHECK(pthread_create(&threads[i], NULL, waits[i], NULL) == 0, "pthread_create");
    for (int i = 0; i < TIMES; i++) {
        shmem_long_atomic_inc(&counter, to);
        (void)shmem_long_g(&counter, to);
    }
    shmem_quiet();
    shmem_long_wait_until(&counter, SHMEM_CMP_EQ, TIMES);
    CHECK(atomic_load(&through) == 0 || n == 1, "a wait ended early");
    for (int pe = 0; pe < n; pe++)
        shmem_long_atomic_inc(&checked, pe);
    shmem_long_wait_until(&checked, SHMEM_CMP_EQ, n); /* not by a barrier: one is going on */
    if (me == n - 1 && n > 1)
        CHECK(pthread_create(&threads[3], NULL, wait_barrier, NULL) == 0, "pthread_create");
    shmem_long_atomic_set(&go, 1, to); /* with one PE the thread that waits is in this process: no plain store then */
    shmem_signal_add(&sig, 1, to);
    for (int i = 0; i < 3; i++)
        shmem_long_atomic_set(&all_go[2 - i], 1, to);
    if (me == 0)
        shmem_clear_lock(&locked);
    for (int i = 0; i < count; i++)
        if (i != 3 || n > 1)
            pthread_join(threads[i], NULL);
    CHECK(atomic_load(&through) == count - (n == 1), "%d waits ended", atomic_load(&through));
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}

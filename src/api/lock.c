/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed locks: OpenSHMEM 1.6 section 9.12. */
#include "coll/lock.h"

#include "api/entry.h"
#include "core/wait.h"

void pshmem_set_lock(long *lock)
{
    gs_lock("shmem_set_lock", lock);
}
GS_ALIAS(shmem_set_lock)

void pshmem_clear_lock(long *lock)
{
    gs_unlock("shmem_clear_lock", lock);
}
GS_ALIAS(shmem_clear_lock)

int pshmem_test_lock(long *lock)
{
    if (gs_trylock("shmem_test_lock", lock))
        return 0;
    gs_polled();
    return 1;
}
GS_ALIAS(shmem_test_lock)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributed locks: OpenSHMEM 1.6 section 9.12. A queue lock: each PE that waits spins on its own copy of the lock
 * variable, and the lock is handed on in the order of asking. lock is a symmetric long, zero while nobody holds it.
 */
#ifndef GS_LOCK_H
#define GS_LOCK_H

#include <stdbool.h>

void gs_lock(const char *fn, long *lock);
void gs_unlock(const char *fn, long *lock);
/* True when the lock was free and is now held. */
bool gs_trylock(const char *fn, long *lock);

#endif

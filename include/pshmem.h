/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiling interface, OpenSHMEM 1.6 section 10: every function of shmem.h once more, with a leading p. A tool
 * defines shmem_x itself and calls pshmem_x. */
#ifndef PSHMEM_H
#define PSHMEM_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif
#define SHMEMI_NAME(f) p##f
#pragma GCC visibility push(default)
#include "gin_shmem/decl.h"
#pragma GCC visibility pop
#undef SHMEMI_NAME
#ifdef __cplusplus
}
#endif

#endif

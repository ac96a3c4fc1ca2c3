/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenSHMEM 1.6, host API. Valid as C99 (without the generic interfaces), C11 and C++17.
 *
 * The meaning of each call is the standard's (http://openshmem.org, version 1.6; the section is given with each group in
 * gin_shmem/api.def.h). What this implementation adds to it:
 *  - sizes (nelems) count elements of the named type or SIZE bits, and bytes for the mem forms; strides count elements;
 *  - with GIN_SHMEM_CHECK (the default) a bad PE, an address that is not symmetric, a range past its allocation, a freed
 *    pointer or a call outside init..finalize prints one line that names PE, function and argument, and ends the job;
 *  - any thread may call at SHMEM_THREAD_MULTIPLE, which every program is given when it asks.
 */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <complex>
#define SHMEMI_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SHMEMI_NORETURN _Noreturn
#else
#define SHMEMI_NORETURN __attribute__((__noreturn__))
#endif

#include "gin_shmem/types.def.h"
#include "gin_shmem/api.def.h"
#include "gin_shmem/constants.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque handles. They may be compared, copied and used in static initialisers. */
typedef struct shmemi_team *shmem_team_t;
typedef struct shmemi_ctx *shmem_ctx_t;

typedef struct {
    int num_contexts; /* contexts the program expects to make on the team: a hint */
} shmem_team_config_t;

typedef struct {
    size_t total_ops; /* RMA calls expected in the session: a hint */
} shmem_ctx_session_config_t;

#define SHMEMI_NAME(f) f
#pragma GCC visibility push(default)
#include "gin_shmem/decl.h"
#pragma GCC visibility pop
#undef SHMEMI_NAME

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
#include "gin_shmem/overloads.hpp"
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include "gin_shmem/generics.h"
#endif

#endif

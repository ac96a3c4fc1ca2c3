/* SPDX-License-Identifier: BSD-3-Clause */
/* NVSHMEM's environment variables, for programs that start by nvshmem_init. */
#ifndef GS_NVSHMEM_ENV_H
#define GS_NVSHMEM_ENV_H

#include <stddef.h>

/* A variable of the table, or (beyond it) another NVSHMEM_ variable that is set. */
struct gs_nvshmem_var {
    const char *name, *ours, *help;
    const char *value; /* of ours, that follows from it; NULL: nothing does */
};

/* Row i of the table with what the environment makes of it; false beyond the last. text holds its value. */
int gs_nvshmem_var(size_t i, struct gs_nvshmem_var *row, char *text, size_t len);

/* Sets our variables after NVSHMEM's, where they are not set themselves. Before the environment is read. */
void gs_nvshmem_env_apply(void);
/* One line (info) with the variables that are set and have no meaning here. */
void gs_nvshmem_env_tell(void);

#endif

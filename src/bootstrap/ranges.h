/* SPDX-License-Identifier: BSD-3-Clause */
/* PE numbers for messages. */
#ifndef GS_RANGES_H
#define GS_RANGES_H

#include <stdbool.h>
#include <stddef.h>

/* Those of 0 to n - 1 for which in(arg, i) holds, as "2,5-7"; "..." at the end where text has no room for all. */
void gs_ranges(char *text, size_t len, int n, bool (*in)(const void *arg, int i), const void *arg);

#endif

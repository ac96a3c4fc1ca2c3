/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GS_COLL_ADOPT_H
#define GS_COLL_ADOPT_H

#include <stddef.h>

/* The program's own device memory as symmetric memory, until gs_heap_disown. Collective over all PEs, with the same
 * bytes; the device heap is there. The address to use (which is not the program's), or NULL, logged, on every PE. */
void *gs_heap_adopt(const char *fn, void *memory, size_t bytes);
/* p and bytes as adopted. 0, or nonzero and logged. Collective; enter when nobody uses it any more. */
int gs_heap_disown(const char *fn, void *p, size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GS_COLL_SCATTER_H
#define GS_COLL_SCATTER_H

#include "coll/coll.h"

/* source has nelems elements for each member; dest of rank r gets the nelems results of part r, and may be that part.
 * Otherwise as the collectives in coll.h. */
void gs_coll_reducescatter(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                           struct gs_combine how);

#endif

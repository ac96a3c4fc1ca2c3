/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives whose buffers lie on a device. */
#ifndef GS_COLL_DEVICE_H
#define GS_COLL_DEVICE_H

#include "coll/coll.h"
#include "core/device.h"

/* All members pass the same kinds of memory, so all come to the same answer. */
static inline bool gs_coll_touches_device(const void *dest, const void *source)
{
    return gs_unlikely(gs.dev != NULL) && (gs.dev->is_device(dest) || gs.dev->is_device(source));
}

/* The module does it: true. False: it cannot, and nothing has happened. */
bool gs_coll_on_device(const char *fn, struct gs_group *g, const struct gs_device_coll *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid of a collective launch. Shared by the modules. */
#ifndef GS_SHARED_GRID_H
#define GS_SHARED_GRID_H

#include "transport/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets out to grid, or for {0, 0, 0} to as many blocks as fit at one time, which is limit. Nonzero, logged, when grid
 * does not fit. impossible: what to do where no block of this shape fits. */
int gs_grid_for(const struct gs_device_core *core, const unsigned grid[3], const unsigned block[3], size_t smem,
                int limit, const char *impossible, unsigned out[3]);

#ifdef __cplusplus
}
#endif

#endif

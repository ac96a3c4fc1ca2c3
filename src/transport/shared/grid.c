/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shared/grid.h"

int gs_grid_for(const struct gs_device_core *core, const unsigned grid[3], const unsigned block[3], size_t smem,
                int limit, const char *impossible, unsigned out[3])
{
    unsigned threads = block[0] * block[1] * block[2];
    bool most = grid[0] == 0 && grid[1] == 0 && grid[2] == 0;
    for (int i = 0; i < 3; i++)
        out[i] = !most ? grid[i] : i == 0 ? (unsigned)limit : 1;
    if (limit == 0) {
        core->log(
            GS_ERROR,
            "collective launch: this kernel cannot have blocks of %u threads with %zu bytes of shared memory: %s, or "
            "launch smaller blocks",
            threads, smem, impossible);
        return -1;
    }
    unsigned long long blocks = (unsigned long long)out[0] * out[1] * out[2];
    if (blocks == 0 || blocks > (unsigned long long)limit) {
        core->log(
            GS_ERROR,
            "collective launch: a grid of %u x %u x %u blocks of %u threads with %zu bytes of shared memory; this "
            "kernel can have 1 to %d blocks resident at one time: launch fewer, or smaller ones",
            out[0], out[1], out[2], threads, smem, limit);
        return -1;
    }
    return 0;
}

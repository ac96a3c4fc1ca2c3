/* SPDX-License-Identifier: BSD-3-Clause */
/* What has no meaning on the CPU fails, and says why: refused.sh reads the lines. */
#include "../gpu/check.h"

__global__ void nothing() {}

int main()
{
    start();
    void *window, *args[] = {NULL};
    size_t offset;
    int size;
    char *p = symmetric<char>(8);
    CHECK(shmemx_cumodule_init((struct CUmod_st *)p) != 0, "a CUDA module");
    CHECK(shmemx_cumodule_finalize((struct CUmod_st *)p) != 0, "a CUDA module");
    CHECK(!shmemx_nccl_comm(), "an NCCL communicator");
    CHECK(shmemx_nccl_window(p, &window, &offset) != 0, "an NCCL window");
    CHECK(shmemx_collective_launch((const void *)p, dim3(1), dim3(32), args, 0, 0) != 0, "data as a kernel");
    CHECK(shmemx_collective_launch(nothing, dim3(1000000), dim3(32), args, 0, 0) != 0, "a grid that is too large");
    CHECK(shmemx_collective_launch(nothing, dim3(1), dim3(1025), args, 0, 0) != 0, "a block that is too large");
    CHECK(shmemx_collective_launch_query_gridsize(nothing, dim3(32), 0, &size) == 0 && size > 0, "%d blocks", size);
    CHECK(shmemx_collective_launch(nothing, dim3(size), dim3(32), args, 0, 0) == 0, "as many as fit");
    CHECK(shmemx_collective_launch(nothing, dim3(0, 0, 0), dim3(32), args, 0, 0) == 0, "as many as fit, unnamed");
    return done();
}

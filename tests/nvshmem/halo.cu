/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A halo exchange: rows of a grid over the PEs, Jacobi steps, the border rows by put_signal of one block each way, and a
 * step's end by signals alone. The result is that of one PE which has all rows.
 */
#include "nv.h"

#include <vector>

enum { COLUMNS = 96, ROWS = 20, STEPS = 25 }; /* rows of one PE, without the halo */
enum { STRIDE = COLUMNS, CELLS = (ROWS + 2) * COLUMNS };

__host__ __device__ inline float cell(const float *a, int row, int column)
{
    const float *p = a + row * STRIDE + column;
    return 0.25f * (p[-STRIDE] + p[STRIDE] + p[-1] + p[1]);
}

__global__ void step(const float *from, float *to)
{
    const int row = 1 + (int)blockIdx.x;
    for (int c = 1 + (int)threadIdx.x; c < COLUMNS - 1; c += (int)blockDim.x)
        to[row * STRIDE + c] = cell(from, row, c);
}

/* Block 0 sends the first row up, block 1 the last one down; each then waits for the row that comes from there. A
 * neighbour may be a step ahead, and puts with signals overtake each other: so steps by turns have signal words of their
 * own, and the count of one tells how often this turn's row has come. */
__global__ void exchange(float *a, uint64_t *sig, int up, int down, uint64_t count)
{
    const bool first = blockIdx.x == 0;
    const int peer = first ? up : down;
    if (peer < 0)
        return;
    float *source = a + (first ? 1 : ROWS) * STRIDE, *dest = a + (first ? ROWS + 1 : 0) * STRIDE;
    nvshmemx_float_put_signal_nbi_block(dest, source, COLUMNS, sig + (first ? 1 : 0), 1, NVSHMEM_SIGNAL_ADD, peer);
    if (threadIdx.x == 0)
        (void)nvshmem_signal_wait_until(sig + (first ? 0 : 1), NVSHMEM_CMP_GE, count);
    __syncthreads();
}

static float start_value(int row, int column)
{
    return (float)(mix((unsigned)row, (unsigned)column) % 1000) / 10;
}

/* All rows on the host. */
static std::vector<float> reference(int rows)
{
    std::vector<float> a((size_t)(rows + 2) * STRIDE), b;
    for (int r = 0; r < rows + 2; r++)
        for (int c = 0; c < COLUMNS; c++)
            a[(size_t)r * STRIDE + c] = start_value(r, c);
    for (int s = 0; s < STEPS; s++) {
        b = a;
        for (int r = 1; r <= rows; r++)
            for (int c = 1; c < COLUMNS - 1; c++)
                b[(size_t)r * STRIDE + c] = cell(a.data(), r, c);
        a = b;
    }
    return a;
}

int main()
{
    nv_start();
    float *grid[2] = {nv_symmetric<float>(CELLS), nv_symmetric<float>(CELLS)};
    uint64_t *sig = nv_symmetric<uint64_t>(4);
    const int up = me > 0 ? me - 1 : -1, down = me < n - 1 ? me + 1 : -1;
    std::vector<float> mine(CELLS);
    for (int r = 0; r < ROWS + 2; r++)
        for (int c = 0; c < COLUMNS; c++)
            mine[(size_t)r * STRIDE + c] = start_value(me * ROWS + r, c);
    to_device(grid[0], mine.data(), CELLS);
    to_device(grid[1], mine.data(), CELLS);
    nvshmem_barrier_all();

    cudaStream_t stream;
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int s = 0; s < STEPS; s++) {
        float *from = grid[s % 2], *to = grid[(s + 1) % 2];
        GIN_SHMEM_LAUNCH(step, ROWS, 64, stream, from, to);
        GIN_SHMEM_LAUNCH(exchange, 2, 64, stream, to, sig + s % 2 * 2, up, down, (uint64_t)s / 2 + 1);
    }
    CU(cudaStreamSynchronize(stream));
    CU(cudaStreamDestroy(stream));
    KERNELS_DONE("%d steps", STEPS);

    from_device(mine.data(), grid[STEPS % 2], CELLS);
    const std::vector<float> want = reference(n * ROWS);
    for (int r = 1; r <= ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            float got = mine[(size_t)r * STRIDE + c], w = want[(size_t)(me * ROWS + r) * STRIDE + c];
            CHECK(got - w < 1e-3f && w - got < 1e-3f, "row %d, column %d: %g, want %g", r, c, got, w);
        }
    return nv_done();
}

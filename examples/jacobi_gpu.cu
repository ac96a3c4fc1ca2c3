/* SPDX-License-Identifier: BSD-3-Clause */
/* 2-D Jacobi iteration for the Laplace equation. Rows are spread over the PEs; the kernel that computes a boundary row puts
 * it into the neighbour's halo, and a signal tells the neighbour. The host only launches. Checked, bit for bit, against the
 * same iteration on one GPU. Usage: jacobi_gpu [rows columns iterations] */
#include "gpu.h"

#include <stdlib.h>

/* 0 inside, 1 along the top edge, and something uneven along the left one. */
__global__ void initial(float *a, float *b, int rows, int columns, int first_row)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= columns)
        return;
    int row = first_row + r;
    float v = row == 0 ? 1.0f : c == 0 ? (row % 10) * 0.1f : 0.0f;
    a[(size_t)r * columns + c] = b[(size_t)r * columns + c] = v;
    (void)rows;
}

__device__ float relaxed(const float *a, int r, int c, int columns)
{
    const float *p = a + (size_t)r * columns + c;
    return 0.25f * (p[-columns] + p[columns] + p[-1] + p[1]);
}

/* On one GPU: all rows. */
__global__ void step_alone(float *to, const float *from, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y + 1;
    if (c > 0 && c < columns - 1 && r < rows - 1)
        to[(size_t)r * columns + c] = relaxed(from, r, c, columns);
}

/* On each PE: rows 1 .. own, between two halo rows. A block takes a row. The first and the last row go to the neighbours as
 * soon as they are done; above[] counts rows from there, below[] rows from there, each those of even and of odd iterations:
 * a neighbour may be one ahead, and its later row and signal may overtake the earlier ones. Blocks wait for the halo they
 * read, at the beginning of the next iteration: a kernel is one iteration. All PEs but the last have `each` rows. */
__global__ void step(float *to, const float *from, int own, int each, int columns, uint64_t *above, uint64_t *below,
                     uint64_t iteration)
{
    const uint64_t sent = iteration % 2, awaited = 1 - sent, count = (iteration + 1) / 2;
    const int me = gin_shmem_my_pe(), n = gin_shmem_n_pes(), r = blockIdx.x + 1;
    const bool up = r == 1 && me > 0, down = r == own && me < n - 1;
    if (up)
        gin_shmem_signal_wait_until_block(above + awaited, SHMEM_CMP_GE, count);
    if (down)
        gin_shmem_signal_wait_until_block(below + awaited, SHMEM_CMP_GE, count);
    for (int c = 1 + threadIdx.x; c < columns - 1; c += blockDim.x)
        to[(size_t)r * columns + c] = relaxed(from, r, c, columns);
    if (up)
        gin_shmem_float_put_signal_block(to + (size_t)(each + 1) * columns, to + (size_t)r * columns, columns,
                                         below + sent, 1, SHMEM_SIGNAL_ADD, me - 1);
    if (down)
        gin_shmem_float_put_signal_block(to, to + (size_t)r * columns, columns, above + sent, 1, SHMEM_SIGNAL_ADD, me + 1);
}

__global__ void count_different(const float *mine, const float *whole, size_t count, unsigned long long *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        if (mine[i] != whole[i])
            atomicAdd(wrong, 1ull);
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 1026, columns = argc > 2 ? atoi(argv[2]) : 1024;
    int iterations = argc > 3 ? atoi(argv[3]) : 500;
    shmem_init();
    choose_gpu();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int inner = rows - 2, each = (inner + n - 1) / n, first = me * each, own = inner - first < each ? inner - first : each;
    if (rows < 3 || columns < 3 || inner <= each * (n - 1)) {
        if (me == 0)
            fprintf(stderr, "jacobi_gpu: %d rows are too few for %d PEs\n", rows, n);
        shmem_global_exit(1);
    }
    size_t part = (size_t)(each + 2) * columns, whole = (size_t)rows * columns;
    float *a = symmetric<float>(part), *b = symmetric<float>(part), *wa, *wb;
    uint64_t *signals = (uint64_t *)shmem_calloc(4, sizeof *signals);
    unsigned long long *wrong, got;
    CUDA(cudaMalloc(&wa, whole * sizeof *wa));
    CUDA(cudaMalloc(&wb, whole * sizeof *wb));
    CUDA(cudaMalloc(&wrong, sizeof *wrong));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    dim3 block(256), grid((columns + 255) / 256, own + 2), grid_alone((columns + 255) / 256, rows);
    GIN_SHMEM_LAUNCH(initial, grid, block, 0, a, b, own + 2, columns, first);
    GIN_SHMEM_LAUNCH(initial, grid_alone, block, 0, wa, wb, rows, columns, 0);
    CUDA(cudaDeviceSynchronize());
    shmem_barrier_all();
    for (int i = 0; i < iterations; i++) {
        GIN_SHMEM_LAUNCH(step, own, 256, 0, i % 2 ? a : b, i % 2 ? b : a, own, each, columns, signals, signals + 2, i);
        GIN_SHMEM_LAUNCH(step_alone, grid_alone, block, 0, i % 2 ? wa : wb, i % 2 ? wb : wa, rows, columns);
    }
    CUDA(cudaGetLastError());
    GIN_SHMEM_LAUNCH(count_different, 256, 256, 0, (iterations % 2 ? b : a) + columns,
                     (iterations % 2 ? wb : wa) + (size_t)(first + 1) * columns, (size_t)own * columns, wrong);
    kernels_done();
    CUDA(cudaMemcpy(&got, wrong, sizeof got, cudaMemcpyDeviceToHost));
    shmem_barrier_all();
    char what[160];
    snprintf(what, sizeof what, "Jacobi: %d iterations of %d x %d points on %d GPUs equal those on one", iterations, rows,
             columns, n);
    return verdict(what, (long)got);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* 2d splits of every width, wider than the team too, of the world and of a reversed team: rows, columns, a short last
 * row, different configurations on each axis, and both axes in use at once. */
#include "coll.h"

static long mine, sum;

static void use(shmem_team_t team, long want)
{
    shmem_long_sum_reduce(team, &sum, &mine, 1);
    CHECK(sum == want, "sum %ld, expected %ld", sum, want);
}

static void split(shmem_team_t parent, int xrange)
{
    int n = shmem_team_n_pes(parent), me = shmem_team_my_pe(parent), width = xrange < n ? xrange : n;
    int x = me % width, y = me / width;
    shmem_team_t row, column;
    shmem_team_config_t cx = {.num_contexts = y + 1}, cy = {.num_contexts = x + 10}, got;
    CHECK(shmem_team_split_2d(parent, xrange, &cx, SHMEM_TEAM_NUM_CONTEXTS, &row, &cy, SHMEM_TEAM_NUM_CONTEXTS, &column) ==
              0, "%d PEs, width %d", n, xrange);
    int row_n = n - y * width < width ? n - y * width : width, column_n = (n - x + width - 1) / width;
    CHECK(shmem_team_my_pe(row) == x && shmem_team_n_pes(row) == row_n, "row %d: %d of %d", y, shmem_team_my_pe(row),
          shmem_team_n_pes(row));
    CHECK(shmem_team_my_pe(column) == y && shmem_team_n_pes(column) == column_n, "column %d: %d of %d", x,
          shmem_team_my_pe(column), shmem_team_n_pes(column));
    for (int pe = 0; pe < n; pe++) {
        CHECK(shmem_team_translate_pe(parent, pe, row) == (pe / width == y ? pe % width : -1), "row %d, PE %d", y, pe);
        CHECK(shmem_team_translate_pe(parent, pe, column) == (pe % width == x ? pe / width : -1), "column %d, PE %d", x,
              pe);
    }
    CHECK(shmem_team_get_config(row, SHMEM_TEAM_NUM_CONTEXTS, &got) == 0 && got.num_contexts == y + 1, "%d",
          got.num_contexts);
    CHECK(shmem_team_get_config(column, SHMEM_TEAM_NUM_CONTEXTS, &got) == 0 && got.num_contexts == x + 10, "%d",
          got.num_contexts);
    long row_sum = 0, column_sum = 0;
    for (int pe = 0; pe < n; pe++) {
        long v = pe + 1;
        row_sum += pe / width == y ? v : 0;
        column_sum += pe % width == x ? v : 0;
    }
    mine = me + 1;
    for (int turn = 0; turn < 3; turn++) {
        use(row, row_sum);
        use(column, column_sum);
    }
    /* three dimensions: split a column again */
    shmem_team_t a, b;
    CHECK(shmem_team_split_2d(column, 2, NULL, 0, &a, NULL, 0, &b) == 0, "column %d", x);
    CHECK(shmem_team_my_pe(a) == y % (column_n < 2 ? column_n : 2), "PE %d", shmem_team_my_pe(a));
    use(column, column_sum);
    shmem_team_destroy(row);
    shmem_team_destroy(b);
    shmem_team_destroy(column);
    shmem_team_destroy(a);
}

int main(void)
{
    shmem_team_t backward;
    shmem_init();
    int n = shmem_n_pes();
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0, "split");
    for (int xrange = 1; xrange <= n + 3; xrange++) {
        split(SHMEM_TEAM_WORLD, xrange);
        split(backward, xrange);
    }
    shmem_finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams split on the host and used in kernels: numbers, translation, barriers and collectives, several teams at once in
 * one kernel, and slots that are given to new teams again and again.
 * run: sanitize-quick */
#include "check.h"

enum { TEAMS = 12, ROUNDS = 300 };
struct teams {
    shmem_team_t t[TEAMS];
};

__global__ void numbers(shmem_team_t team, int my_rank, int size, int start, int stride)
{
    EXPECT(gin_shmem_team_my_pe(team), my_rank, 0);
    EXPECT(gin_shmem_team_n_pes(team), size, 0);
    for (int r = 0; r < size; r++) {
        EXPECT(gin_shmem_team_translate_pe(team, r, SHMEM_TEAM_WORLD), start + r * stride, r);
        EXPECT(gin_shmem_team_translate_pe(SHMEM_TEAM_WORLD, start + r * stride, team), r, r);
    }
    EXPECT(gin_shmem_team_translate_pe(team, size, SHMEM_TEAM_WORLD), -1, 0);
}

/* A block for each team, all at once: sums and barriers. */
__global__ void all_teams(struct teams teams, int *dest, int *source, int rounds)
{
    shmem_team_t team = teams.t[blockIdx.x];
    if (team == SHMEM_TEAM_INVALID)
        return;
    int size = gin_shmem_team_n_pes(team);
    int *mine = source + blockIdx.x * 64, *sum = dest + blockIdx.x * 64;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x < 64)
            mine[threadIdx.x] = round + threadIdx.x * (gin_shmem_team_my_pe(team) + 1);
        gin_shmem_int_sum_reduce_block(team, sum, mine, 64);
        if (threadIdx.x < 64)
            EXPECT(((volatile int *)sum)[threadIdx.x], size * round + (int)threadIdx.x * size * (size + 1) / 2,
                   blockIdx.x * 1000 + round);
        gin_shmem_sync_block(team);
    }
}

int main()
{
    start();
    struct teams teams;
    int starts[TEAMS], strides[TEAMS], sizes[TEAMS];
    for (int k = 0; k < TEAMS; k++) {
        switch (k % 4) {
        case 0: starts[k] = 0, strides[k] = 1, sizes[k] = n; break;
        case 1: starts[k] = n - 1, strides[k] = -1, sizes[k] = n; break;
        case 2: starts[k] = k / 4 % n, strides[k] = 1, sizes[k] = 1; break;
        default: starts[k] = 0, strides[k] = 2, sizes[k] = (n + 1) / 2; break;
        }
        if (sizes[k] == 1)
            strides[k] = 1;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, starts[k], strides[k], sizes[k], NULL, 0, &teams.t[k]);
    }
    int *dest = symmetric<int>(TEAMS * 64), *source = symmetric<int>(TEAMS * 64);
    for (int k = 0; k < TEAMS; k++)
        if (teams.t[k] != SHMEM_TEAM_INVALID) {
            GIN_SHMEM_LAUNCH(numbers, 1, 1, 0, teams.t[k], shmem_team_my_pe(teams.t[k]), shmem_team_n_pes(teams.t[k]),
                             starts[k], strides[k]);
            KERNELS_DONE("team %d", k);
        }
    GIN_SHMEM_LAUNCH(all_teams, TEAMS, 64, 0, teams, dest, source, ROUNDS);
    KERNELS_DONE("all teams at once");
    for (int k = 0; k < TEAMS; k++)
        shmem_team_destroy(teams.t[k]);

    /* A team made, used an odd number of times and destroyed: the next one in its slot starts afresh. */
    for (int round = 0; round < 60; round++) {
        shmem_team_t team;
        bool reverse = round % 3 == 1;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, reverse ? n - 1 : 0, reverse ? -1 : 1, n, NULL, 0, &team);
        CHECK(team != SHMEM_TEAM_INVALID, "round %d", round);
        for (int k = 0; k < TEAMS; k++)
            teams.t[k] = k == round % TEAMS ? team : SHMEM_TEAM_INVALID;
        GIN_SHMEM_LAUNCH(all_teams, TEAMS, 64, 0, teams, dest, source, 1 + round % 3);
        KERNELS_DONE("team of round %d", round);
        shmem_team_destroy(team);
    }
    return done();
}

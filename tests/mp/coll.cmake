# SPDX-License-Identifier: BSD-3-Clause
# Collectives, teams, active sets. 8 and 9 PEs: the flat exchange serves up to 8. The tests named _spin and _yield run with
# the barrier of owned and of shared cores, whichever the machine would take.
gs_mp_test(coll_move SOURCES coll_move.c PES 1 2 3 7 8 9 16)
gs_mp_test(coll_reduce SOURCES coll_reduce.c PES 1 2 3 7 8 9)
gs_mp_test(coll_float SOURCES coll_float.c PES 1 2 3 4 9)
gs_mp_test(coll_large SOURCES coll_large.c PES 1 2 3 4 9)
gs_mp_test(coll_race SOURCES coll_race.c PES 1 2 3 4 7 16)
gs_mp_test(coll_race_spin SOURCES coll_race.c PES 3 4 7 ENV GIN_SHMEM_WAIT=spin)
gs_mp_test(coll_race_yield SOURCES coll_race.c PES 2 ENV GIN_SHMEM_WAIT=yield)

gs_mp_test(team_shapes SOURCES team_shapes.c PES 1 2 3 4 7 16)
gs_mp_test(team_invalid SOURCES team_invalid.c PES 1 2 3)
gs_mp_test(team_2d SOURCES team_2d.c PES 1 2 3 4 7 16)
gs_mp_test(team_churn SOURCES team_churn.c PES 1 2 3 4 7)
gs_mp_test(team_reuse SOURCES team_reuse.c PES 2 3 7)
gs_mp_test(team_reuse_yield SOURCES team_reuse.c PES 2 ENV GIN_SHMEM_WAIT=yield)
gs_mp_test(team_limit SOURCES team_limit.c PES 1 2 3 7 ENV GIN_SHMEM_MAX_TEAMS=8)
gs_mp_test(team_many SOURCES team_many.c PES 1 2 3 ENV GIN_SHMEM_MAX_TEAMS=1100)
gs_mp_test(team_ctx SOURCES team_ctx.c PES 1 2 3 7)

gs_mp_test(active_move SOURCES active_move.c PES 1 2 3 4 7 16)
gs_mp_test(active_reduce SOURCES active_reduce.c PES 1 2 3 7)
gs_mp_test(active_move_spin SOURCES active_move.c PES 3 7 ENV GIN_SHMEM_WAIT=spin)
gs_mp_test(active_reduce_spin SOURCES active_reduce.c PES 4 7 ENV GIN_SHMEM_WAIT=spin)
gs_mp_test(active_reduce_yield SOURCES active_reduce.c PES 2 ENV GIN_SHMEM_WAIT=yield)

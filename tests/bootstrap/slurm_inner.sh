#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What slurm.sh runs inside its one-node Slurm.
. "${0%/*}/lib.sh"
run() { launch 20 srun -Q --mpi=pmix -n 4 "$PE" "$@"; }

run gather 9
expect_status 0
[ "$(grep -c 'ok gather' "$DIR/0.out")" = 4 ] || fail "not all PEs are done"
run reinit 50
expect_status 0
run abort 7 2 the-end
expect_status 7
lines 'PE 2: the-end' 1
for status in 0 7; do
    for what in exit all stdin; do
        run watch $what 2 $status
        expect_status $status
        [ "$(grep -c 'buffered by' "$DIR/0.out")" = 4 ] || fail "stdio was lost"
        [ $status != 0 ] || lines '' 0
    done
done
run watch finish 9
expect_status 0
lines '' 0
run watch kill 1
[ "${STATUS[0]}" != 0 ] || fail "a killed PE went unnoticed"
grep -q 'PE 1 (pid .*has ended without shmem_finalize' "$DIR/0.err" || fail "nobody names PE 1"

# Without PMIx srun starts four programs that know nothing of each other.
launch 20 srun -Q --mpi=none -n 4 "$PE" gather 1
expect_status 3
lines 'SLURM_STEP_NUM_TASKS=4 says that this process is one of several PEs' 4
done_

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Under Open MPI's mpirun, a PMIx server: gathering, fifty jobs in one process, abort with 0 and 7, a killed PE, PEs that
# disagree, one that never comes.
. "${0%/*}/lib.sh"
need_mpirun
run() { launch 20 "${MPIRUN[@]}" "$@"; }

run -n 4 "$PE" gather 9
expect_status 0
[ "$(grep -c 'ok gather' "$DIR/0.out")" = 4 ] || fail "not all PEs are done"
lines '' 0
run -n 4 "$PE" reinit 50
expect_status 0
lines '' 0
for status in 0 7; do
    for who in 0 3; do
        run -n 4 "$PE" abort $status $who the-end
        expect_status $status
        lines "PE $who: the-end" 1
        grep -q "buffered by $who" "$DIR/0.out" || fail "stdio of PE $who was lost"
    done
done
run -n 4 "$PE" disagree heap 2
expect_status 6
lines 'PE 2 on node-a disagrees with PE 0' 1
run -n 2 "$PE" uneven
expect_status 4
grep -q 'sent 16 bytes through PMIx where this PE sent 8' "$DIR/0.err" || fail "nobody tells of the length"
run -x GIN_SHMEM_CONNECT_TIMEOUT=1 -n 1 "$PE" gather 1 : -n 1 "$PE" never 3
expect_status 4
lines 'waited 1 s for the other PEs (2 in all)' 1

# mpirun sees the end of a PE by itself; no watch is wanted.
"${MPIRUN[@]}" -n 3 "$PE" idle </dev/null >"$DIR/0.out" 2>"$DIR/0.err" &
PIDS=($!)
until [ "$(grep -c ready "$DIR/0.out")" = 3 ]; do sleep 0.05; done
kill -9 "$(sed -n 's/^ready //p' "$DIR/0.out" | head -n 1)"
finish 10
expect_status 137

# The launcher dies itself: the PEs notice and leave.
"${MPIRUN[@]}" -n 2 "$PE" idle </dev/null >"$DIR/0.out" 2>"$DIR/0.err" &
PIDS=($!)
until [ "$(grep -c ready "$DIR/0.out")" = 2 ]; do sleep 0.05; done
pes=$(sed -n 's/^ready //p' "$DIR/0.out") launcher=${PIDS[0]}
kill -9 "${PIDS[0]}"
finish 5
for i in {1..60}; do kill -0 $pes 2>/dev/null || break; sleep 0.1; done
kill -9 $pes 2>/dev/null && fail "PEs live on without their launcher"
session=${TMPDIR:-/tmp}/ompi.$(hostname -s).$(id -u)
rm -rf "$session/pid.$launcher"
rmdir "$session" 2>/dev/null
done_

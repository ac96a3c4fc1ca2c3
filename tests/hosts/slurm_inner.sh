#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# For slurm.sh, on node-a: suite programs, global exit, and a PE that ends without a word.
BUILD=$1 FAILED=0
fail() { echo "FAILED: $*" >&2; FAILED=1; }
step() { timeout 40 env GIN_SHMEM_WAIT=yield srun --mpi=pmix -N 2 -n 4 --ntasks-per-node=2 "$@" >/mnt/out 2>/mnt/err </dev/null; }
for test in ptr signal_ring coll_move; do
    step "$BUILD/tests/mp/test_$test" || { fail "$test: $?"; cat /mnt/err >&2; }
done
GIN_SHMEM_LOG=info step "$BUILD/tests/mp/test_ptr"
grep -q 'nodes: node-a (PE 0-1), node-b (PE 2-3)' /mnt/err || fail "the nodes are not told"
for status in 0 7; do
    step "$BUILD/tests/hosts/hosts_pe" exit $status
    got=$?
    [ $got = $status ] || { fail "exit with $status gives $got"; cat /mnt/err >&2; }
    grep 'has ended without' /mnt/err && fail "an end on purpose is taken for a failure"
done
step "$BUILD/tests/hosts/hosts_pe" die && fail "a PE that dies goes unnoticed"
[ "$(grep -c 'PE 3 (pid .* on node-b) has ended without' /mnt/err)" = 1 ] || { fail "PE 3's death is not told once"; cat /mnt/err >&2; }
[ $FAILED = 0 ] && echo passed
exit $FAILED

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The example's wrong form fails between nodes within a few seeds, and says why; within a node nothing shows.
#   wrong_example.sh OSHRUN PROGRAM
set -u
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
GIN_SHMEM_SIM_MODE=adversarial GIN_SHMEM_SIM_SEED=1 "$1" -n 4 "$2" >"$out" 2>&1 || { cat "$out"; echo "fails on one node"; exit 1; }
for mode in random adversarial; do
    for ((seed = 1; ; seed++)); do
        [ $seed -le 20 ] || { echo "passes with 20 seeds, mode $mode"; exit 1; }
        GIN_SHMEM_SIM_MODE=$mode GIN_SHMEM_SIM_SEED=$seed "$1" -n 4 --fake-nodes 2 "$2" >"$out" 2>&1 || break
    done
    echo "mode $mode: fails with seed $seed"
    grep -q 'was added before it had come' "$out" || { cat "$out"; echo "does not say why"; exit 1; }
done

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The device tests on the CPU with other numbers of PEs and nodes, other modes of the simulator, and seeds, than ctest
# registers one by one. Prints what fails, and how to have it again.
#   sweep.sh OSHRUN BIN [NAME...]     BIN: the folder of the tests' programs; NAME: only these
# From the environment: PES, NODES, MODES, SEEDS, lists with the values below; PART=N: one of N parts of all combinations, by
# turns each day; LIMIT: seconds for one run.
# "run: near" in a test's first comment: its PEs share a node.
set -u
oshrun=$1 bin=$2
shift 2
: "${PES:=1 2 4 6}" "${NODES:=1 2 3}" "${MODES:=instant random adversarial}" "${PART:=1}" "${LIMIT:=120}"
day=$(($(date +%s) / 86400))
: "${SEEDS:=$day}"
src=$(cd "${0%/*}/../gpu" && pwd)
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
number=$day runs=0 failed=0
export GIN_SHMEM_TIMEOUT=${GIN_SHMEM_TIMEOUT:-60} LD_LIBRARY_PATH=$bin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

run() { # NAME PES NODES MODE SEED ENV...
    local name=$1 pes=$2 nodes=$3 mode=$4 seed=$5 rc
    shift 5
    local command=(env "$@" GIN_SHMEM_SIM_MODE=$mode GIN_SHMEM_SIM_SEED=$seed "$oshrun")
    [ "$nodes" = 1 ] || command+=(--fake-nodes "$nodes")
    command+=(-n "$pes" "$bin/$name")
    timeout "$LIMIT" "${command[@]}" >"$out" 2>&1
    rc=$?
    runs=$((runs + 1))
    [ $rc = 0 ] || [ $rc = 77 ] && return
    failed=$((failed + 1))
    tail -n 30 "$out"
    echo "FAILED ($rc): ${command[*]}"
}

for source in "$src"/*.cu; do
    name=$(basename "$source" .cu)
    [ -x "$bin/$name" ] && [[ $name != part_* && $name != lib_* ]] || continue
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    mapfile -t env < <(sed -nE 's/^ \* run: env ([^ ]*).*/\1/p' "$source")
    near=$(grep -cE '^ \* run: near' "$source")
    for pes in $PES; do
        for nodes in $NODES; do
            [ "$nodes" -le "$pes" ] && { [ "$nodes" = 1 ] || [ "$near" = 0 ]; } || continue
            for mode in $MODES; do
                for seed in $SEEDS; do
                    [ $((number++ % PART)) = 0 ] && run "$name" "$pes" "$nodes" "$mode" "$seed" "${env[@]}"
                    [ "$mode" = instant ] && break # no seed
                done
            done
        done
    done
done
echo "$runs runs, $failed failed"
[ $failed = 0 ]

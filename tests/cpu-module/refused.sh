#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# refused.sh OSHRUN REFUSED MIXED: what cannot be is told, by name.
oshrun=$1 refused=$2 mixed=$3
failed=0

# says STATUS WORD... -- COMMAND: its exit status is 0, or (STATUS 1) is not; its output has a line with each WORD.
says() {
    want=$1
    words=
    shift
    while [ "$1" != -- ]; do
        words="$words$1
"
        shift
    done
    shift
    out=$(timeout 50 "$@" 2>&1)
    status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || status=1
    [ "$status" -eq "$want" ] || { printf '%s: exit status %s\n%s\n' "$*" "$status" "$out"; failed=1; }
    while IFS= read -r word; do
        [ -z "$word" ] || printf '%s\n' "$out" | grep -qE -- "$word" ||
            { printf '%s: nothing says "%s":\n%s\n' "$*" "$word" "$out"; failed=1; }
    done <<END
$words
END
}

says 0 'shmemx_cumodule_init: .*CUDA driver' 'shmemx_cumodule_finalize: .*CUDA driver' 'shmemx_nccl_comm: .*NCCL' \
    'shmemx_nccl_window: .*NCCL' 'collective launch: .* is no kernel' '1000000 x 1 x 1 blocks .* 1 to [0-9]+ blocks' \
    'cannot have blocks of 1025 threads' -- "$oshrun" -n 1 "$refused"
says 1 'kernels that nvcc compiled and kernels for the CPU' -- "$oshrun" -n 1 "$mixed" both
says 1 'kernels run on the CPU, those of the library just opened on a GPU' -- "$oshrun" -n 1 "$mixed" late
says 1 'kernels of PE 0 run on the CPU, those of PE 1 on a GPU' -- "$oshrun" -n 2 "$mixed" pes
says 0 -- "$oshrun" -n 2 "$mixed" cpu
exit $failed

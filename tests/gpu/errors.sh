# SPDX-License-Identifier: BSD-3-Clause
# Set-ups that cannot work: a message that says what to do, an error status, and no crash.
# run: timeout 120
# run: gpu-only GPUs and NCCL set up wrongly
fails=0
# expect NAME WORDS -- COMMAND
expect() {
    local name=$1 words=() out status
    shift
    while [ "$1" != -- ]; do words+=("$1") && shift; done
    shift
    out=$(timeout -k 2 50 "$@" 2>&1)
    status=$?
    if [ "$status" -eq 0 ] || [ "$status" -ge 124 ]; then
        printf '%s: exit code %s\n%s\n' "$name" "$status" "$out"
        fails=1
    fi
    for word in "${words[@]}"; do
        grep -qE -- "$word" <<<"$out" || { printf '%s: nothing says "%s":\n%s\n' "$name" "$word" "$out"; fails=1; }
    done
}
expect 'cuMem off' 'NCCL_CUMEM_ENABLE' -- env NCCL_CUMEM_ENABLE=0 "$OSHRUN" -n "$PES" "$BIN/hello"
expect 'two PEs, one GPU' 'GPU' 'CUDA_VISIBLE_DEVICES|one PE|a PE|each PE' -- \
    env NCCL_MULTI_RANK_GPU_ENABLE=0 CUDA_VISIBLE_DEVICES=0 "$OSHRUN" -n 2 "$BIN/part_first_gpu"
expect 'no GPU' 'GPU|device' -- env CUDA_VISIBLE_DEVICES= GIN_SHMEM_HEAP=device "$OSHRUN" -n 2 "$BIN/part_first_gpu"
expect 'windows off' 'NCCL_WIN_ENABLE|window' -- env NCCL_WIN_ENABLE=0 "$OSHRUN" -n "$PES" "$BIN/hello"
# A host heap asked for: the program runs, and its memory is the host's.
out=$(GIN_SHMEM_HEAP=host timeout 50 "$OSHRUN" -n "$PES" "$BIN/part_first_gpu" 2>&1) ||
    { printf 'GIN_SHMEM_HEAP=host: %s\n' "$out"; fails=1; }
exit $fails

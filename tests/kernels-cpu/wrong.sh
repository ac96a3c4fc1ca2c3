# SPDX-License-Identifier: BSD-3-Clause
# Kernels that break convergence, overflow their stack or trap: a message that names kernel, block and thread, an error
# status, and no hang.
fails=0
# expect NAME STATUS WORDS...
expect() {
    local name=$1 want=$2 out status
    shift 2
    out=$(timeout -k 1 20 "$BIN/wrong" "$name" 2>&1)
    status=$?
    [ "$status" -eq "$want" ] || { printf '%s: exit code %s\n%s\n' "$name" "$status" "$out"; fails=1; }
    for word; do
        grep -qF -- "$word" <<<"$out" || { printf '%s: nothing says "%s":\n%s\n' "$name" "$word" "$out"; fails=1; }
    done
}
expect some_return 1 'kernel some_return, block (' 'thread (5,0,0) waits in __syncthreads' '34 others' 'thread (0,0,0) has ended'
expect two_barriers 1 'kernel two_barriers, block (0,0,0)' 'waits in __syncwarp' 'waits in __syncthreads'
expect lane_missing 1 'kernel lane_missing, block (0,0,0)' 'waits in __shfl_sync' 'thread (9,0,0) has ended'
expect not_in_mask 1 'kernel not_in_mask' 'thread (8,0,0) calls __shfl_sync with a mask, 0xff'
expect different_calls 1 'kernel different_calls' '__shfl_sync' '__syncwarp' 'same call'
expect block_missing 1 'kernel block_missing' 'barrier of the grid' '1 of 4 blocks have ended'
expect not_cooperative 1 'kernel not_cooperative' 'cooperative launch'
expect overflow 1 'kernel overflow: thread (3,0,0) of block (0,0,0) has used more than its stack of 256 KiB' cudaLimitStackSize
expect traps 5 'synchronise: unspecified launch failure; then malloc: unspecified launch failure; last: unspecified launch failure'
exit $fails

# SPDX-License-Identifier: BSD-3-Clause
# Device code used wrongly, and waits that never end: each ends the job with a message that says what happened, where.
# run: timeout 200
fails=0
# expect CASE WORDS...: the case fails, soon, and its output has all the words.
expect() {
    local case=$1 out status from=$SECONDS
    shift
    out=$(GIN_SHMEM_TIMEOUT=${LIMIT:-2} timeout -k 2 40 "$OSHRUN" -n "${N:-$PES}" "$BIN/part_faults" "$case" 2>&1)
    status=$?
    if [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        printf '%s: exit code %s\n%s\n' "$case" "$status" "$out"
        fails=1
    fi
    for word; do
        grep -qE -- "$word" <<<"$out" || { printf '%s: nothing says "%s":\n%s\n' "$case" "$word" "$out"; fails=1; }
    done
    echo "$case: $((SECONDS - from)) s"
}
last=$((PES - 1))
N=1 expect before-init 'gin_shmem_p' 'before shmem_init'
N=1 expect after-finalize 'gin_shmem_p' 'shmem_finalize'
expect wait "PE $last" 'wait_until' 'GIN_SHMEM_TIMEOUT|timeout|timed out|seconds' '77' '0'
expect wait-block "PE $last" 'signal_wait_until' 'block' '2' '1234567'
expect barrier "PE $last" 'barrier_all'
expect pe "PE $last" 'gin_shmem_p' "$((PES + 3))"
expect address "PE $last" 'gin_shmem_p' 'symmetric|heap'
expect team "PE $last" 'sync' 'team'
expect index "PE $last" 'sync' 'index' '100000'
exit $fails

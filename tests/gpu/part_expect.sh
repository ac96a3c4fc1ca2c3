# SPDX-License-Identifier: BSD-3-Clause
# For scripts that run a program which must fail, and say why.
fails=0
# expect PROGRAM CASE WORDS...: the case fails, soon, and its output has all the words, which are extended regular
# expressions. N: PEs.
expect() {
    local program=$1 case=$2 out status from=$SECONDS
    shift 2
    out=$(GIN_SHMEM_TIMEOUT=${LIMIT:-2} timeout -k 2 40 "$OSHRUN" -n "${N:-$PES}" "$BIN/$program" "$case" 2>&1)
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

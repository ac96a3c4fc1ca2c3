#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Lines of 8 PEs, written in odd pieces to stdout and stderr that lead to one file: none mixes with another, none is lost.
. "${0%/*}/lib.sh"
SEED=${GIN_SHMEM_TEST_SEED:-$RANDOM}; echo "seed $SEED"
for opts in '' --tag-output; do
    timeout -k 2 50 "$OSHRUN" -n 8 $opts "$PE" lines 2000 "$SEED" </dev/null >"$DIR/out" 2>&1 || fail "status $?"
    [ "$(wc -l <"$DIR/out")" = 16000 ] || fail "$(wc -l <"$DIR/out") lines, expected 16000"
    [ -z "$opts" ] || sed -Ei 's/^\[([0-7])\] \1:/\1:/' "$DIR/out"
    bad=$(grep -Evc '^[0-7]:[0-9]+:x*$' "$DIR/out") && fail "$bad broken lines: $(grep -Ev '^[0-7]:[0-9]+:x*$' "$DIR/out" | head -n 3)"
    [ "$(cut -d: -f1,2 "$DIR/out" | sort -u | wc -l)" = 16000 ] || fail "lines lost or doubled"
done
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A slow reader of oshrun's output loses nothing and hangs nothing.
. "${0%/*}/lib.sh"
{ timeout 40 "$OSHRUN" -n 4 sh -c 'seq -f "$PMIX_RANK %.0f" 200000'; echo $? >"$DIR/status"; } | { sleep 1; cat; } >"$DIR/out"
[ "$(cat "$DIR/status")" = 0 ] || fail "status $(cat "$DIR/status")"
[ "$(wc -l <"$DIR/out")" = 800000 ] || fail "$(wc -l <"$DIR/out") lines of 800000"
for i in 0 1 2 3; do
    grep "^$i " "$DIR/out" | cut -d' ' -f2 | cmp -s - <(seq 200000) || fail "PE $i's lines are not what it wrote"
done
# The pipe's own flags stay as they are: another writer would not expect O_NONBLOCK.
{ "$OSHRUN" -n 1 true; cat /proc/self/fdinfo/1 >&2; } 2>"$DIR/err" | cat
grep -Eq '^flags:.*[4567]...$' "$DIR/err" && fail "stdout was left non-blocking: $(cat "$DIR/err")"
pass

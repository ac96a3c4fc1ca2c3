#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# oshrun killed by SIGKILL leaves no PE, no descendant of its process group, no file.
. "${0%/*}/lib.sh"
WHAT="kill -9 of oshrun"
"$OSHRUN" -n 3 -x "MARK=$MARK" -x "F=$DIR/ready" sh -c 'sleep 61 & sleep 62 & echo $PMIX_RANK >>"$F"; wait' >"$DIR/out" 2>"$DIR/err" &
p=$!
until [ "$(cat "$DIR/ready" 2>/dev/null | wc -l)" = 3 ]; do sleep 0.02; done
[ "$(left | wc -l)" -ge 9 ] || fail "marks are not seen: $(left)"
kill -9 $p
wait $p 2>/dev/null
gone 1
"$OSHRUN" -n 3 -x "MARK=$MARK" "$PE" signal 9 0 >"$DIR/out" 2>"$DIR/err" & # all wait in a fence
p=$!
sleep 0.5
kill -9 $p
wait $p 2>/dev/null
gone 1
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random bytes, nearly right greetings and silent connections: refused, told once, and the job comes up beside them.
. "${0%/*}/lib.sh"
SEED=${GS_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "seed $SEED"
PE_2_ARGS='late 3 9'
start 3 -- gather 9
sleep 0.3
"$GS_BOOT_BIN/stranger" silent $PORT 300 5 >"$DIR/silent" & silent=$!
sleep 0.3
"$GS_BOOT_BIN/stranger" garbage $PORT $SEED 2000 >"$DIR/garbage" || fail "no garbage got through"
finish 20
kill -9 $silent 2>/dev/null
expect_status 0 0 0
lines 'refused a connection from 127.0.0.1' 1
lines '' 1
cat "$DIR/garbage" "$DIR/silent"

# Few enough silent ones to run into their time limit.
PE_2_ARGS='late 7 9'
start 3 -- gather 9
sleep 0.3
"$GS_BOOT_BIN/stranger" silent $PORT 3 7 >"$DIR/silent" & silent=$!
finish 20
kill -9 $silent 2>/dev/null
expect_status 0 0 0
lines 'it said nothing, or too little' 1
done_

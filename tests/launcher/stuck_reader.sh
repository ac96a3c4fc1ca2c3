#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A reader that reads nothing at all: PEs stop in their write, a crash still ends the job at once, SIGINT ends oshrun.
. "${0%/*}/lib.sh"
mkfifo "$DIR/pipe"
exec 9<>"$DIR/pipe" # keeps it open; nobody reads
"$OSHRUN" -n 3 -x "MARK=$MARK" sh -c '[ $PMIX_RANK = 2 ] && sleep 0.5 && kill -SEGV $$; yes' >"$DIR/pipe" 2>"$DIR/err" &
p=$! WHAT="oshrun with a stuck reader"
wait_for "$DIR/err"
STATUS=0; expect 0 'PE 2 ' SIGSEGV
gone 1
sleep 0.2
kill -0 $p 2>/dev/null || fail "oshrun left without having written its output"
kill -TERM $p
wait $p; STATUS=$?; expect 139
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# When a job ends, well or not, nothing that it started goes on; not what ignores SIGTERM, not what left its group.
. "${0%/*}/lib.sh"
run -n 3 -x "MARK=$MARK" sh -c 'trap "" TERM; setsid sleep 61 & sleep 61 & [ $PMIX_RANK != 1 ] || { : >$STAMP; exit 5; }; sleep 61'
expect 5 'PE 1 '; under 1.5; gone 0
run -n 2 -x "MARK=$MARK" sh -c 'setsid sh -c "trap : TERM; while :; do sleep 1; done" & echo done'; expect 0; quiet; under 1.5; gone 0
output $'done\ndone'
# A process that was there before a shell became oshrun is not ours.
sh -c 'sleep 2 & echo $! >"$0/pid"; exec "$@"' "$DIR" "$OSHRUN" -n 1 true
kill -0 "$(cat "$DIR/pid")" 2>/dev/null || fail "killed a child of the shell that became oshrun"
pass

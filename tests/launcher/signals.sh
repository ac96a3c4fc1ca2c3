#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Signals reach the PEs; a second SIGINT kills; what was ignored at the start stays so.
. "${0%/*}/lib.sh"
start() { # as at a terminal: nothing ignored
    rm -f "$DIR/ready"
    env --default-signal=INT,QUIT "$OSHRUN" -x "MARK=$MARK" -x "F=$DIR/ready" "$@" >"$DIR/out" 2>"$DIR/err" </dev/null &
    p=$! WHAT="oshrun $*"
}
ready() { until [ "$(cat "$DIR/ready" 2>/dev/null | wc -l)" = "$1" ]; do sleep 0.02; done; }
ended() { wait $p; STATUS=$?; }
for s in INT:130 TERM:143 HUP:129 QUIT:131 USR2:140; do
    start -n 3 sh -c 'echo >>"$F"; exec sleep 60'; ready 3
    kill -"${s%:*}" $p; ended; expect "${s#*:}" "ended by SIG${s%:*}"; gone 0
    [ "$(wc -l <"$DIR/err")" = 1 ] || fail "$WHAT: more than one line: $(cat "$DIR/err")"
done
start -n 3 sh -c 'trap "echo got; exit 0" USR1; echo >>"$F"; while :; do sleep 0.05; done' 2>/dev/null; ready 3
kill -USR1 $p; ended; expect 0; output $'got\ngot\ngot'
start -n 2 sh -c 'trap "" INT TERM; echo >>"$F"; while :; do sleep 0.1; done'; ready 2
kill -INT $p; sleep 0.3; kill -0 $p || fail "one SIGINT must not kill"
t0=$EPOCHREALTIME; kill -INT $p; ended; expect 130; gone 0
SECS=$(awk "BEGIN { print $EPOCHREALTIME - $t0 }"); under 1
start -n 1 sh -c 'echo >>"$F"; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo over'; ready 1
kill -TSTP $p; sleep 0.2
grep -q '^State:.*stopped' /proc/$p/status || fail "SIGTSTP does not stop oshrun"
sleep 1; [ ! -s "$DIR/out" ] || fail "SIGTSTP does not stop the PE"
kill -CONT $p; ended; expect 0; output over
(trap '' INT HUP USR2; exec "$OSHRUN" -n 1 sh -c 'kill -INT $PPID; kill -USR2 $PPID; sleep 0.3; grep SigIgn /proc/self/status') >"$DIR/n"
[ $? = 0 ] || fail "a signal ignored from the start (nohup, a script's background job) ended the job"
ignored=$((0x$(cut -f2 "$DIR/n") & 0x803))
[ $ignored = $((0x803)) ] || fail "HUP, INT, USR2 must stay ignored in the PE: $(cat "$DIR/n")"
pass

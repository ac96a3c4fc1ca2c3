#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# stdin is PE 0's, untouched where PE 0 does not read it; the others have none.
. "${0%/*}/lib.sh"
printf 'one\ntwo\nthree\n' >"$DIR/in"
IN=$DIR/in run --tag-output -n 3 wc -l; expect 0
output $'[0] 3\n[1] 0\n[2] 0'
seq 100000 | timeout 20 "$OSHRUN" -n 2 cat >"$DIR/out" || fail "status $?"
seq 100000 | cmp -s - "$DIR/out" || fail "input through a pipe was changed"
rest=$({ "$OSHRUN" -n 2 true; cat; } <"$DIR/in")
[ "$rest" = $'one\ntwo\nthree' ] || fail "oshrun ate input that was not for it: rest is '$rest'"
"$OSHRUN" -n 2 true <&- || fail "closed stdin: status $?"
[ "$("$OSHRUN" -n 2 echo hi <&- 2>&-)" = $'hi\nhi' ] || fail "closed stdin and stderr"
pass

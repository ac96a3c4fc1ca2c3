#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Many more PEs than cores start and end fast.
. "${0%/*}/lib.sh"
run -n 64 true; expect 0; quiet; under 2
run -n 64 "$PE" fence; expect 0; quiet; under 10
run -n 200 --tag-output sh -c 'echo $PMIX_RANK'; expect 0
output "$(for i in $(seq 0 199); do echo "[$i] $i"; done | sort)"
(ulimit -Sn 64; "$OSHRUN" -n 40 sh -c 'ulimit -n') >"$DIR/out" 2>"$DIR/err" || fail "with few descriptors: $(cat "$DIR/err")"
[ "$(sort -u "$DIR/out")" = 64 ] || fail "the PEs must see the limit that the user set"
(ulimit -n 64; timeout 10 "$OSHRUN" -n 40 sleep 20) >"$DIR/out" 2>"$DIR/err"
STATUS=$? WHAT="40 PEs with 64 descriptors"; expect 1 'ulimit -n'
pass

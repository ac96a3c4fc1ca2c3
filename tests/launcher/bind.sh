#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --bind ties PEs to places; none is the default.
. "${0%/*}/lib.sh"
command -v taskset >/dev/null || { echo "skipped: no taskset"; exit 77; }
mine=$(taskset -pc $$ | sed 's/.*: //')
run -n 2 sh -c 'taskset -pc $$ | sed "s/.*: //"'; expect 0; output "$mine"$'\n'"$mine"
run -n 1 --bind core sh -c 'taskset -pc $$ | sed "s/.*: //"'
if grep -q "no such place" "$DIR/err"; then echo "skipped: no cores known here"; exit 77; fi
expect 0
first=$(cat "$DIR/out")
run -n 1 --bind=pu sh -c 'nproc'; expect 0; output 1
run -n 100 --bind core true; expect 0 'share'
if [ "$(nproc)" -ge 2 ]; then
    run -n 2 --bind pu sh -c 'taskset -pc $$ | sed "s/.*: //"'; expect 0
    [ "$(sort -u "$DIR/out" | wc -l)" = 2 ] || fail "two PEs on one: $(cat "$DIR/out")"
    last=${mine##*[,-]}
    timeout 10 taskset -c "$last" "$OSHRUN" -n 2 --bind pu sh -c 'taskset -pc $$ | sed "s/.*: //"' >"$DIR/out" 2>"$DIR/err"
    [ "$(sort -u "$DIR/out")" = "$last" ] || fail "bound outside of what was allowed: $(cat "$DIR/out")"
fi
[ -n "$first" ] || fail "no binding seen"
pass

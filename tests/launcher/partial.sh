#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Unfinished last lines and very long ones.
. "${0%/*}/lib.sh"
run -n 1 printf abc; expect 0
[ "$(od -An -c "$DIR/out" | tr -d ' ')" = abc ] || fail "a newline was added: $(od -An -c "$DIR/out")"
run -n 3 sh -c 'printf "end $PMIX_RANK"'; expect 0
output $'end 0\nend 1\nend 2'
run -n 3 sh -c '[ $PMIX_RANK != 1 ] || printf abc'; expect 0
[ "$(od -An -c "$DIR/out" | tr -d ' ')" = abc ] || fail "a newline was added"
run -n 2 --tag-output sh -c 'printf "a\n\nb$PMIX_RANK"'; expect 0
output $'[0] \n[0] a\n[0] b0\n[1] \n[1] a\n[1] b1'
run -n 1 sh -c 'head -c 5000000 /dev/zero | tr "\0" a'; expect 0
[ "$(wc -c <"$DIR/out")" = 5000000 ] || fail "one PE's output was changed"
run -n 2 sh -c 'head -c 900000 /dev/zero | tr "\0" $PMIX_RANK; echo'; expect 0 # under the limit: whole
[ "$("$AWK" '{ print length($0), index($0, "01") + index($0, "10") }' "$DIR/out")" = $'900000 0\n900000 0' ] ||
    fail "lines of 900000 characters were cut or mixed"
run -n 2 sh -c 'head -c 3000000 /dev/zero | tr "\0" $PMIX_RANK; echo'; expect 0 # over it: may be cut, but unmixed, all there
grep -q 01 "$DIR/out" && fail "long lines mixed"
grep -q 10 "$DIR/out" && fail "long lines mixed"
[ "$(tr -d '\n' <"$DIR/out" | wc -c)" = 6000000 ] || fail "long lines lost something"
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# abort() ends all PEs with its status, 0 too, with stdio flushed and the message shown once; env and uid.
. "${0%/*}/lib.sh"
for who in 0 2; do
    for status in 0 7; do
        for uid in '' "-u $DIR/uid:1"; do
            rm -f "$DIR/uid"
            start 3 -- $uid abort $status $who "the-end"
            finish 5
            expect_status $status $status $status
            lines "PE $who: the-end" 1
            lines '' 1
            [ "$(cat "$DIR"/?.out)" = "buffered by 0buffered by 1buffered by 2" ] || fail "stdio was lost: $(cat "$DIR"/?.out)"
        done
    done
done
done_

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# core/watch: a killed PE is named once, gs_watch_exit() gives its status to all, 0 too, whoever holds a stream's lock.
. "${0%/*}/lib.sh"
flushed() { [ "$(cat "$DIR"/?.out | tr -d '\n')" = "buffered by 0buffered by 1buffered by 2buffered by 3" ] || fail "stdio was lost"; }
for victim in 0 3; do
    start 4 -- watch kill $victim
    finish 3
    want=(1 1 1 1); want[victim]=137
    expect_status "${want[@]}"
    lines "PE $victim (pid" 1
    lines '' 1
    flushed
done
for status in 0 7; do
    for what in exit stdin all; do
        start 4 -- watch $what 2 $status
        finish 3
        expect_status $status $status $status $status
        flushed
        lines '' 0
    done
done
start 4 -- watch finish 9
finish 5
expect_status 0 0 0 0
lines '' 0
done_

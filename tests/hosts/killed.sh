#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# PEs of one host are killed, and one PE ends all: the others follow, on both hosts, with one message or none.
. "${0%/*}/lib.sh"
all_ready() { [ "$(cat "$DIR"/?.out | grep -c ready)" = 4 ]; }
ready() {
    for i in {1..200}; do all_ready && break; sleep 0.05; done
    all_ready || fail "$1: not all PEs are ready"
}
start 4 -- "$BUILD/tests/hosts/hosts_pe" wait
ready killed
kill -STOP ${PIDS[2]} ${PIDS[3]} # so that one of them does not follow the other before it is its turn
kill -9 ${PIDS[2]} ${PIDS[3]}
finish 5
expect_status 1 1 137 137
lines 'has ended without shmem_finalize' 1
at_least 'on node-b) has ended' 1
lines '' 1
for status in 0 7; do
    start 4 -- "$BUILD/tests/hosts/hosts_pe" exit $status
    finish 8
    expect_status $status $status $status $status
    lines '' 0
done
done_

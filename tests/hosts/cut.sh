#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The link between two hosts is cut, or one of them vanishes with all its PEs: the job ends on both sides within 10 s, and
# says which host is silent.
. "${0%/*}/lib.sh"
all_ready() { [ "$(cat "$DIR"/?.out | grep -c ready)" = 4 ]; }
for mode in ${2:-wait put}; do
    start 4 -- "$BUILD/tests/hosts/hosts_pe" $mode
    for i in {1..200}; do all_ready && break; sleep 0.05; done
    all_ready || fail "$mode: not all PEs are ready"
    (on node-b ip link set vb down)
    if [ $mode = put ]; then kill -9 ${PIDS[2]} ${PIDS[3]}; fi
    finish 12
    [ $TOOK -le 100 ] || fail "$mode: it took $TOOK tenths of a second"
    echo "$mode: ended after $TOOK tenths of a second"
    if [ $mode = put ]; then expect_status 1 1 137 137; else expect_status 1 1 1 1; fi
    lines 'host node-b (PE 2-3) has not answered' 1
    [ $mode = put ] || lines 'host node-a (of PE 0) has not answered' 1
    cat "$DIR"/?.err
    (on node-b ip link set vb up)
    sleep 0.2
done
done_

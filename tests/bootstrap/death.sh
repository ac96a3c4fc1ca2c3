#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A PE killed with -9, the serving one too, and one that just exits: the others leave, and one line names it.
. "${0%/*}/lib.sh"
for uid in '' "-u $DIR/uid:1"; do
    for victim in 0 1 2; do
        for child in '' fork; do
            rm -f "$DIR/uid"
            start 3 -- $uid idle $child
            until [ "$(grep -ls ready "$DIR"/?.out | wc -l)" = 3 ]; do sleep 0.02; done
            kill -9 ${PIDS[victim]}
            finish 3
            want=(1 1 1); want[victim]=137
            expect_status "${want[@]}"
            lines "PE $victim " 1
            lines 'has ended without shmem_finalize' 1
            lines '' 1
        done
    done
    rm -f "$DIR/uid"
    start 3 -- $uid exit 0 1
    finish 3
    expect_status 1 0 1
    lines 'PE 1 ' 1
done
done_

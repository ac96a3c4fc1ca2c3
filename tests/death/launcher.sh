#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 of oshrun itself at a random moment, and its end by SIGTERM: no PE outlives it.
. "${0%/*}/lib.sh"
for signal in KILL KILL KILL TERM; do
    for activity in barrier wait compute; do
        ms=$((RANDOM % 250))
        begin 3 $activity none 0 1000000
        WHAT="$WHAT, SIG$signal to oshrun after $ms ms"
        sleep "$(printf '0.%03d' $ms)"
        deed_now
        kill -$signal "${PIDS[0]}"
        finish
        bad_status
    done
done
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# kill -9 of each PE at a random moment, while it starts, too: the others end, and the message says who and how.
. "${0%/*}/lib.sh"
activities=(barrier wait compute put lock malloc team reduce finalize)
for victim in 0 1 2; do
    for i in 1 2 3; do
        activity=${activities[RANDOM % ${#activities[@]}]}
        ms=$((RANDOM % 250))
        begin 3 "$activity" none "$victim" 1000000
        WHAT="$WHAT, kill -9 after $ms ms"
        victim_pid || { finish; continue; }
        # A process that is killed while it connects to mpirun leaves mpirun waiting for ever (Open MPI 4.1.4).
        [ "$LAUNCHER" != mpirun ] || all_up
        sleep "$(printf '0.%03d' $ms)"
        deed_now
        kill -9 "$VICTIM_PID"
        finish
        case $LAUNCHER in
        oshrun) status 137; says "PE $victim .*(signal 9|SIGKILL)" ;;
        mpirun) bad_status ;; # its own message need not name the process
        env) status - 137 1 ;;
        esac
    done
done
pass

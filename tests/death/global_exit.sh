#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# shmem_global_exit with 0 and with 7 from any PE and any thread, whatever the others do: the status is kept.
. "${0%/*}/lib.sh"
i=0
for activity in barrier wait compute lock sleep finalize malloc; do
    for code in 0 7; do
        victim=$((RANDOM % 3)) i=$((i + 1))
        deed=global_exit
        [ $activity != wait ] || [ $code = 0 ] || deed=thread
        begin 3 $activity $deed $victim $((RANDOM % 50)) $code
        finish
        status $code $code $code
        if [ $LAUNCHER != mpirun ]; then
            if [ $code = 0 ]; then silent; else [ $LAUNCHER = env ] || says "PE $victim .*status 7"; fi
        fi
    done
done
pass

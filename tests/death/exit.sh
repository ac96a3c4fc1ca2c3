#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One PE leaves without finalizing, with 0 and with other statuses, while others wait, compute, hold on: the job fails with
# its status and says so. All return from main: that is a good end.
. "${0%/*}/lib.sh"
for how in "_exit 0" "_exit 3" "exit 5"; do
    read -r deed code <<<"$how"
    for activity in barrier wait compute; do
        victim=$((RANDOM % 3))
        begin 3 $activity $deed $victim $((RANDOM % 100)) $code
        finish
        case $LAUNCHER in
        oshrun) status $((code ? code : 1)); says "PE $victim " ;;
        mpirun) bad_status ;;
        env) status - $code 1; says "PE $victim " ;;
        esac
    done
done
begin 3 return none 0 0 0
finish
VICTIM=-1 status 0 0 0
silent
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A stack overflow and an abort in one PE: the job ends, the signal is named.
. "${0%/*}/lib.sh"
ulimit -c 0
export ASAN_OPTIONS=handle_segv=0:handle_abort=0 # the signals themselves, in sanitized builds, too
for activity in barrier wait compute; do
    victim=$((RANDOM % 3))
    begin 3 $activity overflow $victim $((RANDOM % 100))
    finish
    case $LAUNCHER in
    oshrun) status 139; says "PE $victim .*SIGSEGV" ;;
    mpirun) bad_status; says 'signal 11' ;;
    env) status - 139 1; says "PE $victim " ;;
    esac
    victim=$((RANDOM % 3))
    begin 3 $activity abort $victim $((RANDOM % 100))
    finish
    case $LAUNCHER in
    oshrun) status 134; says "PE $victim .*SIGABRT" ;;
    mpirun) bad_status; says 'signal 6' ;;
    env) status - 134 1; says "PE $victim " ;;
    esac
done
pass

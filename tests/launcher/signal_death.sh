#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A PE killed by a signal ends the job within a second, and is named with the signal.
. "${0%/*}/lib.sh"
run -n 4 "$PE" signal 2 11; expect 139 'PE 2 ' 'signal 11 (SIGSEGV'; under 1
run -n 4 "$PE" signal 0 9; expect 137 'PE 0 ' SIGKILL; under 1
run -n 4 "$PE" signal 3 6; expect 134 'PE 3 ' SIGABRT; under 1
run -n 2 sh -c 'echo before $PMIX_RANK >&2; [ $PMIX_RANK = 1 ] || sleep 30; kill -BUS $$'; expect 135 'before 1' SIGBUS
[ "$(tail -n 1 "$DIR/err" | grep -c 'PE 1 .*SIGBUS')" = 1 ] || fail "the PE's own last words must come first"
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The exit status is that of the first PE that failed; programs without PMIx just run.
. "${0%/*}/lib.sh"
run -n 2 hostname; expect 0; quiet
output "$(hostname; hostname)"
run true; expect 0; quiet
run -n 3 sh -c ': >$STAMP; exit 5'; expect 5 'exited with status 5'; under 1
run -n 3 sh -c 'if [ $PMIX_RANK = 1 ]; then : >$STAMP; exit 9; fi; sleep 30'; expect 9 'PE 1 '; under 1
run -n 3 "$PE" exit 2 3; expect 3 'PE 2 ' 'status 3'; under 1
run -n 3 "$PE" exit 1 255; expect 255 'PE 1 '
[ "$(grep -c . "$DIR/err")" = 1 ] || fail "more than one line for one failure"
run -n 3 "$PE" exit -1 0; expect 0; quiet
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A PE that leaves with status 0 while others may wait for it.
. "${0%/*}/lib.sh"
run -n 3 "$PE" leave 1; expect 1 'PE 1 ' 'without finalizing'; under 2
run -n 3 "$PE" absent 0; expect 1 'PE 0 ' 'never joined'; under 2
run -n 3 "$PE" leave; expect 0; quiet # all of them do
run -n 3 sh -c 'sleep 0.$PMIX_RANK'; expect 0; quiet
pass

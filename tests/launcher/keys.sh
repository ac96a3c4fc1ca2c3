#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The facts about the job that the server gives.
. "${0%/*}/lib.sh"
run -n 3 "$PE" keys; expect 0; quiet
for i in 0 1 2; do
    echo "rank $i univ 3 job 3 local 3 nodes 1 lrank $i nrank $i nodeid 0 peers 0,1,2 host 1 jobid 1"
done >"$DIR/want"
output "$(cat "$DIR/want")"
run -n 1 "$PE" keys; expect 0
output "rank 0 univ 1 job 1 local 1 nodes 1 lrank 0 nrank 0 nodeid 0 peers 0 host 1 jobid 1"
pass

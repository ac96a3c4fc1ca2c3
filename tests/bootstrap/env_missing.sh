#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A PE that never comes is named after GIN_SHMEM_CONNECT_TIMEOUT; 0 waits.
. "${0%/*}/lib.sh"
PE_1_ARGS='never 4' PE_3_ARGS='never 4' PE_4_ARGS='never 4'
start 6 GIN_SHMEM_CONNECT_TIMEOUT=1 -- gather 1
sleep 2.5
for i in 0 2 5; do kill -0 ${PIDS[i]} 2>/dev/null && fail "PE $i still waits"; done
finish 10
expect_status 3 0 3 0 0 3
lines 'PE 1,3-4 of 6 did not connect in time' 3

# PE 0 does not come: nobody serves.
PE_0_ARGS='never 3'
unset PE_1_ARGS PE_3_ARGS PE_4_ARGS
start 2 GIN_SHMEM_CONNECT_TIMEOUT=1 -- gather 1
finish 10
expect_status 0 3
lines 'no bootstrap server of this job at MASTER_ADDR=127.0.0.1' 1
lines 'Connection refused' 1

PE_0_ARGS='late 2 1'
start 2 GIN_SHMEM_CONNECT_TIMEOUT=0 -- gather 1
finish 10
expect_status 0 0
done_

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two PEs of one rank, PEs that differ in the number of PEs, and collectives of different lengths: who and what is named.
. "${0%/*}/lib.sh"
PE_2_ENV='RANK=1'
start 3 GIN_SHMEM_CONNECT_TIMEOUT=5 -- gather 1
finish 20
lines 'two processes want to be PE 1' 1
lines 'PE 2 of 3 did not connect in time' 2
expect_status 3 3 3

PE_2_ENV='WORLD_SIZE=4'
start 3 GIN_SHMEM_CONNECT_TIMEOUT=5 -- gather 1
finish 20
lines 'PE 2 says that there are 4 PEs, the others say 3' 1
expect_status 3 3 3

unset PE_2_ENV
start 3 -- uneven
finish 20
# A PE whose connection breaks before the reason has reached it says that instead.
at_least 'do they run different versions of gin_shmem?' 1
expect_status 4 4 4
done_

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Variables that do not parse, or are missing, are named; nothing becomes a singleton.
. "${0%/*}/lib.sh"
bad() { # text VAR=VALUE...
    local text=$1; shift
    start 1 "$@" -- gather 1
    finish 10
    expect_status 3
    lines "$text" 1
}
bad "RANK='x' is not a number from 0 to 1" WORLD_SIZE=2 RANK=x
bad "RANK='2' is not a number from 0 to 1" WORLD_SIZE=2 RANK=2
bad "RANK='-1' is not a number" WORLD_SIZE=2 RANK=-1
bad "RANK is not set" WORLD_SIZE=2 -RANK
bad "WORLD_SIZE='0' is not a number" WORLD_SIZE=0
bad "WORLD_SIZE='4x' is not a number" WORLD_SIZE=4x
bad "LOCAL_RANK='7' is not a number" WORLD_SIZE=2 LOCAL_RANK=7
bad "MASTER_PORT='70000' is not a number from 1 to 65535" WORLD_SIZE=2 MASTER_PORT=70000
bad "MASTER_PORT is not set" WORLD_SIZE=2 -MASTER_PORT
bad "MASTER_ADDR is not set" WORLD_SIZE=2 -MASTER_ADDR
bad "MASTER_ADDR='no.such.host.invalid' does not resolve" WORLD_SIZE=2 MASTER_ADDR=no.such.host.invalid
bad "GIN_SHMEM_BOOTSTRAP=env cannot work here: WORLD_SIZE is not set" GIN_SHMEM_BOOTSTRAP=env -WORLD_SIZE
bad "GIN_SHMEM_BOOTSTRAP=mpi: no such bootstrap" GIN_SHMEM_BOOTSTRAP=mpi
bad "GIN_SHMEM_BOOTSTRAP=pmix cannot work here: PMIX_NAMESPACE is not set" GIN_SHMEM_BOOTSTRAP=pmix
bad "GIN_SHMEM_BOOTSTRAP=uid cannot work here: the program passed no unique id" GIN_SHMEM_BOOTSTRAP=uid
done_

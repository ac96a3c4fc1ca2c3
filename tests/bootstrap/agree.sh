#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# PEs that do not fit together are named by PE 0, each in one line; those that fit know which of them share a node.
. "${0%/*}/lib.sh"
disagree() { # field, text
    start 4 -- disagree $1 2
    finish 10
    expect_status 6 6 6 6
    lines "$2" 1
    lines 'gin_shmem: PE 0: ' 1
    lines '' 1
}
agree() { # field, text
    start 4 -- disagree $1 2
    finish 10
    expect_status 0 0 0 0
    grep -qF -- "$2" "$DIR/3.out" || fail "no '$2'"
}
agree nothing 'node-a (PE 0-3)'
agree host 'node-a (PE 0-1,3), node-b (PE 2)'
agree boot 'node-a [boot 1] (PE 0-1,3), node-a [boot 2] (PE 2)'
agree fake 'node-a (PE 0-1,3), node-a [fake node 1] (PE 2)'
disagree version 'PE 2 on node-a disagrees with PE 0: its gin_shmem version is 0.2.0'
disagree abi 'internal layout is 2'
disagree heap 'symmetric heap size is 1048576 bytes, PE 0'"'"'s is 1073741824 bytes; set SHMEM_SYMMETRIC_SIZE'
disagree check 'set GIN_SHMEM_CHECK to one value'
disagree teams 'set GIN_SHMEM_MAX_TEAMS to one value'
disagree wait 'set GIN_SHMEM_WAIT to one value'
disagree transport 'set GIN_SHMEM_TRANSPORT to one value'
disagree pid_ns 'different PID namespaces'
start 4 -- disagree heap 0
finish 10
expect_status 6 6 6 6
lines 'disagrees with PE 0' 3
done_

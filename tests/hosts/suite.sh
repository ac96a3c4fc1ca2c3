#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the host suite, 4 PEs on two hosts with addresses of their own, over TCP.
. "${0%/*}/lib.sh"
shift
for test; do
    start 4 -- "$BUILD/tests/mp/test_$test"
    finish 60
    expect_status 0 0 0 0
    : 
    [ $FAILED = 0 ] || { echo "in $test" >&2; done_; }
done
start 4 GIN_SHMEM_LOG=info -- "$BUILD/tests/mp/test_ptr"
finish 20
lines 'nodes: node-a (PE 0-1), node-b (PE 2-3); host memory within a node by shared memory, between nodes by UCX' 1
done_

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What cannot work between two hosts ends the job with a message that names it, on all PEs.
. "${0%/*}/lib.sh"
refused() { # VAR=VALUE text lines: at least so many lines with the text
    start 4 "$1" -- "$BUILD/tests/mp/test_ptr"
    finish 20
    expect_status 1 1 1 1
    at_least "$2" "$3"
    [ $FAILED = 0 ] || { echo "with $1" >&2; done_; }
}
refused GIN_SHMEM_TRANSPORT=shm 'GIN_SHMEM_TRANSPORT=shm reaches the PEs of one host only' 1
lines '' 1
refused GIN_SHMEM_TRANSPORT=tcp 'GIN_SHMEM_TRANSPORT is "tcp": use auto, shm or ucx' 4
refused GIN_SHMEM_SOCKET_IFNAME=nosuch "GIN_SHMEM_SOCKET_IFNAME='nosuch' fits no network interface with an address; there are: lo, v" 1
refused UCX_NET_DEVICES=nosuch 'UCX does not work on nosuch (UCX_NET_DEVICES)' 1
# The module is missing on one host.
mkdir "$DIR/lib" && cp -d "$BUILD"/lib/libginshmem.so* "$DIR/lib/"
start 4 -- bash -c '[ "$(hostname)" = node-a ] || export LD_LIBRARY_PATH='"$DIR/lib"'; exec '"$BUILD/tests/mp/test_ptr"
finish 20
expect_status 1 1 1 1
lines 'PE 2 cannot reach other nodes: libginshmem_ucx.so' 1
lines '' 1
done_

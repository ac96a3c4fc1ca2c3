#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Unique ids: made by any PE, used by all; refused when they are not one or not theirs.
. "${0%/*}/lib.sh"
export GIN_SHMEM_LOG=info
for maker in 0 2; do
    rm -f "$DIR/uid"
    start 3 -- -u "$DIR/uid:$maker" gather 9
    finish 20
    expect_status 0 0 0
    lines 'a unique id leads to' 1
    lines 'bootstrap uid: PE 1 of 3' 1
done
rm -f "$DIR/uid"
start 2 GIN_SHMEM_SOCKET_IFNAME=lo -- -u "$DIR/uid:1" gather 1
finish 20
expect_status 0 0
lines 'a unique id leads to 127.0.0.1' 1
[ "$(stat -c %s "$DIR/uid")" = 128 ] || fail "the id is not 128 bytes"

# That id is used up: nobody serves it.
start 1 WORLD_SIZE=2 -- -u "$DIR/uid:9" gather 1
finish 10
expect_status 3
lines 'Connection refused' 1

# A wrong token, at a live server.
rm -f "$DIR/uid" "$DIR/spoilt"
PE_0_ENV='GIN_SHMEM_SOCKET_IFNAME=lo' PE_1_ARGS='late 0'
start 1 WORLD_SIZE=2 GIN_SHMEM_CONNECT_TIMEOUT=3 -- -u "$DIR/uid:0" gather 1
until [ -f "$DIR/uid" ]; do sleep 0.02; done
cp "$DIR/uid" "$DIR/spoilt"
printf '\377\377\377\377' | dd of="$DIR/spoilt" bs=1 seek=40 conv=notrunc 2>/dev/null
RANK=1 WORLD_SIZE=2 "$PE" -u "$DIR/spoilt:9" gather 1 2>"$DIR/spoilt.err"
[ $? = 3 ] || fail "a wrong token got in"
lines 'this port serves another job' 1
lines 'refused a connection from 127.0.0.1' 1
finish 10
expect_status 3
unset PE_0_ENV PE_1_ARGS

head -c 128 /dev/zero >"$DIR/uid"
start 1 WORLD_SIZE=2 -- -u "$DIR/uid:9" gather 1
finish 10
expect_status 3
lines 'the unique id is not one' 1
rm -f "$DIR/uid"
start 1 GIN_SHMEM_SOCKET_IFNAME=nosuch0 -- -u "$DIR/uid:0" gather 1
finish 10
expect_status 3
lines "GIN_SHMEM_SOCKET_IFNAME='nosuch0' fits no network interface" 1
rm -f "$DIR/uid"
PE_1_ENV='RANK=5'
start 2 GIN_SHMEM_CONNECT_TIMEOUT=1 -- -u "$DIR/uid:0" gather 1
finish 10
expect_status 3 3
lines 'rank 5 of 2 PEs is no PE' 1
done_

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A host that is not of the job sends noise to every port that a running job listens at. The rendezvous refuses it, and tells
# once; the kernel drops what is for UCX, which noise behind its magic number would end. The job goes on beside it all.
. "${0%/*}/lib.sh"
command -v ss >/dev/null || { echo "skipped: no ss"; exit 77; }
SEED=${GS_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "seed $SEED"
ip link add vs type veth peer name vc && ip link set vc netns $node_a
ip addr add 10.77.2.9/24 dev vs && ip link set vs up
(on node-a ip addr add 10.77.2.1/24 dev vc)
(on node-a ip link set vc up)
ip route add 10.77.1.1 via 10.77.2.1
# Twice, where there is IPv6: with UCX on IPv4 and on IPv6.
six() { ip -6 addr add "$@" nodad 2>/dev/null; }
families=inet
if six fd77:2::9/64 dev vs && (on node-a ip -6 addr add fd77:2::1/64 dev vc nodad) &&
    (on node-a ip -6 addr add fd77:1::1/64 dev va nodad) && (on node-b ip -6 addr add fd77:1::2/64 dev vb nodad) &&
    ip -6 route add fd77:1::/64 via fd77:2::1; then
    families="inet inet6"
fi
for family in $families; do
    address=10.77.1.1
    [ $family = inet ] || address=fd77:1::1
    start 4 UCX_TCP_AF_PRIO=$family GIN_SHMEM_SOCKET_IFNAME=va,vb -- "$BUILD/tests/hosts/hosts_pe" work 8
    for i in {1..200}; do [ "$(cat "$DIR"/?.out | grep -c ready)" = 4 ] && break; sleep 0.05; done
    ports=$(on node-a ss -Htln | awk '{ sub(/.*:/, "", $4); print $4 }' | sort -un)
    echo "ports:" $ports
    [ "$(echo "$ports" | wc -l)" -ge 3 ] || fail "PE 0's server and two UCX ports are expected"
    for port in $ports; do
        if [ $port = 29500 ]; then
            "$BUILD/tests/hosts/hosts_stranger" 10.77.1.1 $port $SEED 1000 >"$DIR/said" || fail "nothing got through to port $port"
        else
            "$BUILD/tests/hosts/hosts_stranger" $address $port $SEED 12 >"$DIR/said" && fail "UCX's port $port let us in"
        fi
        cat "$DIR/said"
    done
    finish 30
    expect_status 0 0 0 0
    lines 'refused a connection from' 1
    lines '' 1
done
done_

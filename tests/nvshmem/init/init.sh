#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# init.sh WAY PROGRAM OSHRUN [MPIRUN]: starts init.cu in one way, and looks at what it says.
set -eu
way=$1 program=$2 oshrun=$3 mpirun=${4:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/nvshmem_init.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    cat "$work"/out*
    echo "init test, $way: $*" >&2
    exit 1
}

case $way in
uid)
    # Without any launcher.
    for rank in 0 1 2; do
        "$program" uid $rank 3 "$work/id" >"$work/out$rank" 2>&1 &
        eval "p$rank=\$!"
    done
    for rank in 0 1 2; do
        eval "wait \$p$rank" || fail "rank $rank ends with an error"
        grep -q "cannot be PE $rank of 4 as well" "$work/out$rank" || fail "rank $rank does not refuse another world"
    done
    ;;
mpi | mpi-halves)
    # As root, and with more processes than cores.
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        "$mpirun" -n 4 "$program" $way >"$work/out" 2>&1 || fail "it ends with an error"
    [ $way = mpi ] || [ "$(grep -c 'cannot be rank . of 4 as well' "$work/out")" = 4 ] ||
        fail "another world is not refused"
    ;;
plain | forgotten)
    "$oshrun" -n 3 "$program" $way >"$work/out" 2>&1 || fail "it ends with an error"
    [ ! -s "$work/out" ] || fail "it says something"
    ;;
kernel-exit)
    status=0
    "$oshrun" -n 2 "$program" $way >"$work/out" 2>&1 || status=$?
    [ $status = 7 ] || fail "the status is $status"
    ;;
version)
    "$program" version >"$work/out" 2>&1 || fail "another version is not refused"
    grep -q 'nvshmem.h of gin_shmem 0.0.1 (NVSHMEM API 2.1.0), and runs with gin_shmem' "$work/out" || fail "no versions"
    ;;
variables)
    # A size of NVSHMEM's is taken, ours goes before it, and what means nothing is named once.
    GIN_SHMEM_LOG=info NVSHMEM_SYMMETRIC_SIZE=3M NVSHMEM_IB_ENABLE_IBGDA=1 NVSHMEM_WHATEVER=2 NVSHMEM_INFO=1 \
        "$oshrun" -n 2 "$program" plain >"$work/out" 2>&1 || fail "it ends with an error"
    grep -q '^SHMEM_SYMMETRIC_SIZE=3M' "$work/out" || fail "NVSHMEM_SYMMETRIC_SIZE is not taken"
    [ "$(grep -c 'without a meaning here: .*NVSHMEM_WHATEVER' "$work/out")" = 1 ] || fail "no line about NVSHMEM_WHATEVER"
    grep 'without a meaning here' "$work/out" | grep -q NVSHMEM_IB_ENABLE_IBGDA || fail "no word about IBGDA"
    SHMEM_SYMMETRIC_SIZE=5M NVSHMEM_SYMMETRIC_SIZE=3M NVSHMEM_INFO=1 "$program" plain >"$work/out" 2>&1 || fail "5M"
    grep -q '^SHMEM_SYMMETRIC_SIZE=5M' "$work/out" || fail "SHMEM_SYMMETRIC_SIZE does not go before NVSHMEM's"
    ;;
*)
    fail "no such way"
    ;;
esac

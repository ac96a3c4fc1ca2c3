#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# names.sh KIND LIST SCRATCH ROOT: every name of LIST (names.py tells about KIND), or with KIND refused that what cannot
# work says so when it is called, by name.
set -eu
kind=$1 list=$2 root=$4
work=$(mktemp -d "$3/names.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
shim="-I$root/include/nvshmem -I$root/include -I$root/device"
cpu="$CXX -x c++ -std=c++17 -DGIN_SHMEM_CPU $shim"

write() { "$PYTHON" "$root/tests/nvshmem/names.py" "$kind" "$list" "$1"; }

case $kind in
host)
    write "$work/host.cc"
    $CXX -std=c++17 -Wall -Wextra -Werror $shim -isystem "$CUDA_INCLUDE" -c -o "$work/host.o" "$work/host.cc"
    ;;
cpu)
    write "$work/cpu.cu"
    $cpu -O0 -c -o "$work/cpu.o" "$work/cpu.cu"
    ;;
device)
    write "$work/device.cu"
    "$NVCC" -std=c++17 -arch=sm_90 --Werror=all-warnings $shim -c -o "$work/device.o" "$work/device.cu"
    "$NVCC" -std=c++17 -arch=sm_90 --Werror=all-warnings -rdc=true $shim -c -o "$work/device.o" "$work/device.cu"
    ;;
refused)
    for scope in '' _warp _warpgroup _block; do
        for op in sum_reduce max_reduce min_reduce sum_rooted_reduce max_rooted_reduce min_rooted_reduce allgather broadcast \
            put get collective_wait; do
            case $op in
            collective_wait) arguments=nvshmemx::NVLS_ONE_SHOT_PULL_NBI ;;
            put | get) arguments='int, int, int, nvshmemx::PEER_PUSH_NBI' ;;
            *) arguments='int, int, int, nvshmemx::NVLS_ONE_SHOT_PULL_NBI' ;;
            esac
            printf 'int call_%s%s() { return nvshmemx::tile_%s%s<%s>(0, 1); }\n' "$op" "$scope" "$op" "$scope" "$arguments"
        done
    done >"$work/tile.inc"
    { echo '#include <nvshmemx.h>' && cat "$work/tile.inc"; } >"$work/tile.cu"
    if $cpu -fsyntax-only "$work/tile.cu" 2>"$work/errors"; then
        echo "tile operations compile"
        exit 1
    fi
    told=$(grep -c 'error: .*nvshmemx::tile_[a-z_]* is not there' "$work/errors")
    [ "$told" = 44 ] || { cat "$work/errors" && echo "$told of 44 tile operations say that they are not there" && exit 1; }
    ;;
*)
    echo "what is '$kind'?"
    exit 2
    ;;
esac

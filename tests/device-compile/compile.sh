#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the device API for one GPU, as users do: compile.sh WHAT ARCH ROOT SCRATCH, with nvcc from NVCC or the PATH.
#   names    every function, by name and prototype
#   bodies   code of every family and group; nothing is spilled
#   forms    -rdc=true, C++14, C++20, the debug build, and without GIN: then no NCCL header comes with gin_shmem.h
set -u
what=$1 arch=$2 root=$3 scratch=$4
nvcc=${NVCC:-nvcc}
here=$root/tests/device-compile
include=(-I"$root/include" -I"$root/device")
work=$(mktemp -d "$scratch/device-compile.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

compile() { # name, then options
    local name=$1
    shift
    if ! timeout 1200 "$nvcc" "${include[@]}" -arch="$arch" "$@" >"$work/log" 2>&1; then
        printf '%s for %s does not compile:\n' "$name" "$arch"
        cut -c1-400 "$work/log" | head -40
        exit 1
    fi
    if grep -q 'warning' "$work/log"; then
        printf '%s for %s compiles with warnings:\n' "$name" "$arch"
        grep -A3 warning "$work/log" | cut -c1-400 | head -40
        exit 1
    fi
}

case $what in
names)
    compile names -cubin -o "$work/names.cubin" "$here/names.cu"
    ;;
bodies)
    compile bodies -Xptxas -v -cubin -o "$work/bodies.cubin" "$here/bodies.cu"
    # Nothing of ours may spill: the budget is 255 registers here, and far fewer are used.
    if spills=$(grep -E 'bytes spill' "$work/log" | grep -v ' 0 bytes spill stores, 0 bytes spill loads'); then
        printf 'registers are spilled for %s:\n%s\n' "$arch" "$spills"
        exit 1
    fi
    awk '/Compiling entry function/ { name = $7 } /Used/ { for (i = 1; i < NF; i++) if ($i == "Used") print $(i + 1), name }' \
        "$work/log" | sort -rn | head -3
    ;;
forms)
    cat >"$work/one.cu" <<'EOF'
#include <gin_shmem.h>
__global__ void one(int *d) { gin_shmem_int_p(d, gin_shmem_my_pe(), 0); gin_shmem_barrier_all(); }
EOF
    compile 'a unit with -rdc=true' -rdc=true -c -o "$work/one.o" "$work/one.cu"
    compile 'a unit in C++14' -std=c++14 -c -o "$work/one.o" "$work/one.cu"
    compile 'a unit in C++20' -std=c++20 -c -o "$work/one.o" "$work/one.cu"
    compile 'the debug build' -DGIN_SHMEM_DEVICE_CHECK -c -o "$work/one.o" "$work/one.cu"
    compile 'a unit with GIN' -std=c++17 -DGIN_SHMEM_WITH_GIN=1 -c -o "$work/one.o" "$work/one.cu"
    "$nvcc" "${include[@]}" -arch="$arch" -M "$work/one.cu" >"$work/headers" || exit 1
    if grep -i 'nccl' "$work/headers"; then
        echo 'gin_shmem.h brings an NCCL header, though nobody asked for GIN'
        exit 1
    fi
    ;;
*)
    echo "what is '$what'?"
    exit 2
    ;;
esac

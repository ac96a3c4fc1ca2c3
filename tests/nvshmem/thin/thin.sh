#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# thin.sh SCRATCH ROOT: NVSHMEM's names cost nothing in kernels: the code is that of ours. (Without far PEs: what serves
# them are functions, of which the compiler leaves out parameters as their callers in the file allow.)
set -eu
root=$2
work=$(mktemp -d "$1/thin.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
compile() {
    "$NVCC" -std=c++17 -arch=sm_90 -DGIN_SHMEM_FAR=0 -ptx -I"$root/include/nvshmem" -I"$root/include" -I"$root/device" "$@" \
        "$root/tests/nvshmem/thin/thin.cu"
}
compile -DNV -o "$work/nvshmem"
compile -o "$work/ours"
[ "$(grep -c '\.entry' "$work/ours")" = 3 ]
if ! cmp "$work/nvshmem" "$work/ours"; then
    diff "$work/nvshmem" "$work/ours" | head -40
    exit 1
fi

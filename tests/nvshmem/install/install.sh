#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh cpu|cuda CMAKE BUILD_DIR SOURCE_DIR BINDIR: an installed copy, found by find_package(NVSHMEM). With cpu the
# program runs; with cuda it is built, by nvcc and with relocatable device code.
set -eu
kind=$1 cmake=$2 build=$3 source=$4 bindir=$5
work=$(mktemp -d "${TMPDIR:-/tmp}/nvshmem_install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    cat "$work/log"
    echo "install test, NVSHMEM, $kind: $*" >&2
    exit 1
}
unset LD_LIBRARY_PATH
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || fail "cmake --install"
with=
[ "$kind" = cpu ] || with="-DWITH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90"
"$cmake" -S "$source/project" -B "$work/project" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$CXX" $with \
    >"$work/log" 2>&1 || fail "cmake"
"$cmake" --build "$work/project" --verbose >"$work/log" 2>&1 || fail "the program does not build"
[ "$kind" = cpu ] || exit 0
"$work/prefix/$bindir/oshrun" -n 2 "$work/project/ring" >"$work/log" 2>&1 || fail "the program ends with an error"
[ "$(sort "$work/log")" = "PE 0 of 2 has what its neighbour sent
PE 1 of 2 has what its neighbour sent" ] || fail "the program says something else"
"$work/prefix/$bindir/gin_shmem_info" --nvshmem >"$work/log" 2>&1 || fail "gin_shmem_info --nvshmem"
grep -q '^NVSHMEM API 3.5.0 on gin_shmem' "$work/log" || fail "gin_shmem_info --nvshmem says no version"

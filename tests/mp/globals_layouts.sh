#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# globals_layouts.sh OSHRUN LIBRARY INCLUDE: global variables are symmetric in however the executable is laid out: position
# independent or not, by gcc and clang, by each linker, with and without a part that becomes read-only, without a build id.
here=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ran=0

# try COMPILER OPTION...: builds and runs two programs; a compiler or linker that is not there is left out.
try() {
    command -v "$1" >/dev/null || return 0
    echo 'int main(void) { return 0; }' >"$dir/probe.c"
    "$@" "$dir/probe.c" -o "$dir/probe" 2>/dev/null || return 0
    for source in rma_globals globals_fork; do
        if ! "$@" -I"$include" "$here/$source.c" -o "$dir/$source" "$library" -Wl,-rpath,"$(dirname "$library")"; then
            echo "$source does not build: $*"
            exit 1
        fi
        if ! timeout 30 "$oshrun" -n 2 "$dir/$source"; then
            echo "$source fails when built by: $*"
            exit 1
        fi
    done
    ran=$((ran + 1))
}

oshrun=$1
library=$2
include=$3
try gcc -fPIE -pie
try gcc -fPIE -pie -Wl,-z,norelro
try gcc -fPIE -pie -fuse-ld=gold -Wl,-z,now
try gcc -fno-pie -no-pie
try gcc -fno-pie -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code
try clang -fPIE -pie
try clang -fno-pie -no-pie -Wl,-z,now
try clang -fPIE -pie -fuse-ld=lld
try clang -fno-pie -no-pie -fuse-ld=lld -Wl,-z,now
echo "$ran layouts"
[ "$ran" -gt 0 ] || exit 77

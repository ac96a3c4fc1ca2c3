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
        if ! "$@" -O1 -I"$include" "$here/$source.c" -o "$dir/$source" "$library" -Wl,-rpath,"$(dirname "$library")"; then
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
for cc in gcc clang; do
    try $cc -fPIE -pie
    try $cc -fno-pie -no-pie
    try $cc -fPIE -pie -Wl,-z,now
    try $cc -fPIE -pie -Wl,-z,norelro
    try $cc -fno-pie -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code
    try $cc -fuse-ld=lld -fPIE -pie
    try $cc -fuse-ld=lld -fno-pie -no-pie -Wl,-z,now
    try $cc -fuse-ld=gold -fPIE -pie
done
echo "$ran layouts"
[ "$ran" -gt 0 ] || exit 77

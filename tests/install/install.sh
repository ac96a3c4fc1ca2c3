#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh CMAKE BUILD_DIR SOURCE_DIR CC BINDIR LIBDIR
set -eu
cmake=$1 build=$2 source=$3 cc=$4 bindir=$5 libdir=$6

work=$(mktemp -d "${TMPDIR:-/tmp}/gin_shmem_install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "install test: $*" >&2
    exit 1
}

# Moved after the installation, to a folder with a space in its name: nothing may know where it was.
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; fail "cmake --install"; }
mkdir "$work/moved to"
mv "$work/first" "$work/moved to/prefix"
prefix="$work/moved to/prefix"
unset LD_LIBRARY_PATH

run() {
    output=$("$prefix/$bindir/oshrun" -n 2 "$@" | sort) || fail "$1: oshrun ended with an error; it printed: $output"
    [ "$output" = "hello from PE 0 of 2
hello from PE 1 of 2" ] || fail "$1 printed: $output"
    echo "$1: as it should be"
}

if grep -rl --binary-files=without-match -e "$work/first" -e "$build" "$prefix" >"$work/traces"; then
    cat "$work/traces"
    fail "these files name the first prefix or the build folder"
fi

cmake_project() {
    "$cmake" -S "$source/project" -B "$work/project" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" &&
        "$cmake" --build "$work/project" --verbose
}
cmake_project >"$work/project.log" 2>&1 || { cat "$work/project.log"; fail "the CMake project does not build"; }
run "$work/project/hello"

[ ! -e "$prefix/$libdir/libginshmem_cpu.so" ] || run "$work/project/kernel"

PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
export PKG_CONFIG_PATH
# eval: pkg-config quotes the space in the folder's name for the shell.
eval "\"\$cc\" -o \"\$work/hello_pkgconfig\" \"\$source/project/hello.c\" $(pkg-config --cflags --libs ginshmem)"
# Configured for /usr, the .pc file gives no run path: the linker searches that folder by itself.
pkg-config --libs ginshmem | grep -q rpath || export LD_LIBRARY_PATH="$prefix/$libdir"
run "$work/hello_pkgconfig"
if [ -e "$prefix/$libdir/libginshmem_cpu.so" ]; then
    eval "c++ -o \"\$work/kernel_pkgconfig\" -std=c++17 -x c++ \"\$source/project/kernel.cu\" -x none \
        $(pkg-config --cflags --libs ginshmem_cpu)"
    run "$work/kernel_pkgconfig"
fi
unset LD_LIBRARY_PATH
[ "$(pkg-config --modversion ginshmem)" = "$("$prefix/$bindir/oshcc" --showme:version | sed 's/.* //')" ] ||
    fail "pkg-config and oshcc tell different versions"

"$prefix/$bindir/oshcc" -O1 -o "$work/hello_oshcc" "$source/project/hello.c"
run "$work/hello_oshcc"

# Compiling and linking apart, through a link to the wrapper.
ln -s "$prefix/$bindir/oshcc" "$work/linked_oshcc"
"$work/linked_oshcc" -c -Werror -o "$work/hello.o" "$source/project/hello.c"
"$work/linked_oshcc" -o "$work/hello_apart" "$work/hello.o"
run "$work/hello_apart"

if command -v c++ >/dev/null; then
    "$prefix/$bindir/oshc++" -x c++ -std=c++17 -o "$work/hello_cxx" "$source/project/hello.c"
    run "$work/hello_cxx"
fi

# What the wrapper shows is what it would run; what needs no library does not link one.
eval "$("$prefix/$bindir/oshcc" --showme -o "$work/hello_shown" "$source/project/hello.c")"
run "$work/hello_shown"
"$prefix/$bindir/oshcc" --version >/dev/null || fail "oshcc --version"
"$prefix/$bindir/oshcc" -v >/dev/null 2>&1 || fail "oshcc -v"
OSHCC_CC=/nonexistent "$prefix/$bindir/oshcc" --version 2>/dev/null && fail "OSHCC_CC is ignored"
"$prefix/$bindir/gin_shmem_info" >"$work/info" || fail "gin_shmem_info"
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles all CUDA parts against the headers of several versions of NCCL, for several GPUs; see usage. CI compiles
# against the one that is installed; this takes half an hour, and is for changes of what touches NCCL.
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(readlink -f -- "$here/../..")

usage() {
    cat <<'HELP'
tests/device-compile/nccl_versions.sh [options] [VERSION | FOLDER]...
Prints a line for each version and GPU: ok, or the first errors. Without versions: 2.28.9 2.29.7 2.30.7 newest.
  VERSION    of the Python package nvidia-nccl-cuNN, which pip downloads (newest: pip's choice)
  FOLDER     with include/nccl_device.h
  -a ARCH    compile for this GPU (may be given again; default sm_80 sm_90 sm_100 sm_120)
  -c CACHE   folder that keeps downloaded headers (default build/nccl-headers)
  -j JOBS    compilations at one time (default: processors)
  -q         only what sees NCCL's headers; the rest is the same for all versions
nvcc is NVCC or the one in the PATH, the C++ compiler CXX or g++.
HELP
}
die() {
    printf 'nccl_versions: %s\n' "$*" >&2
    exit 2
}

archs=() given=() cache=$root/build/nccl-headers jobs=$(nproc) quick=
while [ $# -gt 0 ]; do
    case $1 in
    -a) archs+=("${2:?}") && shift ;;
    -c) cache=${2:?} && shift ;;
    -j) jobs=${2:?} && shift ;;
    -q) quick=1 ;;
    -h | --help) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) given+=("$1") ;;
    esac
    shift
done
[ "${#archs[@]}" -gt 0 ] || archs=(sm_80 sm_90 sm_100 sm_120)
[ "${#given[@]}" -gt 0 ] || given=(2.28.9 2.29.7 2.30.7 newest)

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cxx=${CXX:-g++}
[ -x "$nvcc" ] || die "no nvcc: set NVCC"
cuda=$(readlink -f -- "$(dirname -- "$nvcc")/..")
major=$("$nvcc" --version | sed -n -E 's/.*release ([0-9]+)\..*/\1/p')
package=nvidia-nccl-cu$major

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Prints the folder with the headers of version $1, downloaded once.
headers_of() {
    local version=$1 wheel
    if [ "$version" = newest ]; then
        version=$(python3 -m pip index versions "$package" 2>/dev/null | sed -n -E "1s/.*\(([0-9.]+)\).*/\1/p")
        [ -n "$version" ] || die "pip does not tell the newest $package"
    fi
    if [ ! -e "$cache/$version/include/nccl_device.h" ]; then
        rm -rf "$work/wheel" && mkdir -p "$work/wheel" "$cache/$version" || die "cannot write $cache"
        python3 -m pip download -q --no-deps -d "$work/wheel" "$package==$version" >"$work/pip.log" 2>&1 ||
            die "pip cannot download $package==$version: $(tail -n 1 "$work/pip.log")"
        wheel=$(echo "$work"/wheel/*.whl)
        python3 - "$wheel" "$cache/$version" <<'PY' || die "no headers in $(basename "$wheel")"
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        place = name.partition("nvidia/nccl/include/")[2]
        if place and not name.endswith("/"):
            path = os.path.join(sys.argv[2], "include", place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(wheel.read(name))
PY
        rm -rf "$work/wheel"
    fi
    echo "$cache/$version/include"
}

includes=() versions=()
for v in "${given[@]}"; do
    dir=
    if [[ $v == */* ]]; then
        [ -e "$v/include/nccl_device.h" ] || die "no $v/include/nccl_device.h"
        dir=$(readlink -f -- "$v/include")
    else
        dir=$(headers_of "$v") || exit
    fi
    version=$(sed -n -E 's/^#define NCCL_(MAJOR|MINOR|PATCH) ([0-9]+).*/\2/p' "$dir/nccl.h" | paste -sd.)
    includes+=("$dir") versions+=("$version")
done

common=(-std=c++17 -I"$root/src" -I"$root/include" -I"$root/device" -I"$root/tests/gpu" -DGS_INCLUDE='""'
    -DGS_DEVICE='""' -DGS_CUDA_INCLUDE='""')
sources=()
for source in "$root"/src/transport/nccl/*.{cc,cu} "$root"/tests/gpu/*.cu "$root"/tests/gpu/gin_provider/*.cc \
    "$root"/examples/*.cu "$root"/bench/gpu/*.cu "$here/nccl_types.cu"; do
    [ -e "$source" ] && sources+=("$source")
done

# What a test says of its compilation. With GIN every kernel sees NCCL's headers: the library's own are enough, and the
# tests of it.
options_of() {
    sed -n -E 's/^ \* nvcc: (.*[^ ]) *(\*\/)?$/\1/p' "$1" | sed -E 's/ *\*\/$//'
    [[ $1 == "$root"/src/* || $1 == */gin_* ]] && echo -DGIN_SHMEM_WITH_GIN=1
    true
}

# one SOURCE ARCH FOLDER OUT: compiles; leaves OUT.log and OUT.status. Only the first GPU has the host's part compiled.
# CUDA's folder may hold an NCCL too. nvcc puts it first, unless it is named as a system folder behind the wanted one.
one() {
    local source=$1 arch=$2 nccl=$3 out=$4 options form=-cubin strict=()
    if [[ $source == *.cc ]]; then
        timeout 600 "$cxx" "${common[@]}" -Wall -Wextra -Werror -fPIC -isystem "$nccl" -isystem "$cuda/include" -c \
            -o "$out.o" "$source" >"$out.log" 2>&1
    else
        [ "$arch" != "${archs[0]}" ] || form=-c
        # As in the build: the library's warnings are errors, those of tests and examples are not.
        [[ $source != "$root"/src/* ]] || strict=(-Xcompiler=-Wall,-Wextra,-Werror --Werror=all-warnings)
        read -ra options <<<"$(options_of "$source" | paste -sd ' ')"
        timeout 1200 "$nvcc" "${common[@]}" "${options[@]}" "${strict[@]}" \
            -isystem "$nccl" -isystem "$cuda/include" -arch="$arch" $form -o "$out.o" "$source" >"$out.log" 2>&1
    fi
    echo $? >"$out.status"
    rm -f "$out.o"
}

# looks SOURCE OUT: does the source see NCCL's headers? Then OUT is there. What cannot be preprocessed counts too: it is
# compiled for each version, and tells why.
looks() {
    local source=$1 out=$2 options compiler=("$nvcc")
    [[ $source != *.cc ]] || compiler=("$cxx")
    read -ra options <<<"$(options_of "$source" | paste -sd ' ')"
    "${compiler[@]}" "${common[@]}" "${options[@]}" -isystem "${includes[0]}" -isystem "$cuda/include" -M "$source" \
        >"$out.M" 2>/dev/null || touch "$out"
    ! grep -qF "${includes[0]}/nccl" "$out.M" || touch "$out"
    rm -f "$out.M"
}

start() {
    while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
    "$@" &
}

# Names of results: ARCH.VERSION.number; VERSION any where the source does not see NCCL, ARCH host for host code.
for i in "${!sources[@]}"; do start looks "${sources[i]}" "$work/sees.$i"; done
wait
seen=0
for i in "${!sources[@]}"; do
    [ -e "$work/sees.$i" ] || continue
    seen=$((seen + 1))
    for v in "${!versions[@]}"; do
        for arch in "${archs[@]}"; do
            [[ ${sources[i]} != *.cc ]] || arch=host
            start one "${sources[i]}" "$arch" "${includes[v]}" "$work/$arch.$v.$i"
            [ "$arch" != host ] || break
        done
    done
done
for i in "${!sources[@]}"; do
    [ -z "$quick" ] && [ ! -e "$work/sees.$i" ] || continue
    for arch in "${archs[@]}"; do
        [[ ${sources[i]} != *.cc ]] || arch=host
        start one "${sources[i]}" "$arch" "${includes[0]}" "$work/$arch.any.$i"
        [ "$arch" != host ] || break
    done
done
wait
echo "${#sources[@]} files, $seen of them with NCCL's headers${quick:+ (only those)}; $("$cxx" --version | head -n 1)" \
    "CUDA $("$nvcc" --version | sed -n -E 's/.*release ([0-9.]+).*/\1/p')"

failed=0
for v in "${!versions[@]}"; do
    for arch in "${archs[@]}"; do
        bad=()
        for status in "$work"/{host,"$arch"}.{"$v",any}.*.status; do
            [ -e "$status" ] && [ "$(cat "$status")" != 0 ] && bad+=("${status%.status}")
        done
        if [ "${#bad[@]}" -eq 0 ]; then
            echo "NCCL ${versions[v]} $arch: ok"
            continue
        fi
        failed=1
        echo "NCCL ${versions[v]} $arch: ${#bad[@]} files do not compile"
        for b in "${bad[@]:0:5}"; do
            echo "  ${sources[${b##*.}]#"$root"/} (exit code $(cat "$b.status")):"
            { grep -E 'error|warning' "$b.log" || cat "$b.log"; } | head -n 3 | cut -c 1-300 | sed 's/^/    /'
        done
    done
done
exit $failed

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Leaves out one fence, release or acquire of device/gin_shmem at a time, and expects ThreadSanitizer to find a data race
# between two PEs of between.cu; and none where nothing is left out. A row for each, as tests/mutants/run.sh prints them.
#   mutants.sh FILE:TEXT...     the places in FILE whose line contains TEXT, or has that number
# From the environment: BUILD, a build folder with GIN_SHMEM_SANITIZE=thread and the target gs_pe_threads; CXX, LINK (what
# libgs_pe_threads.a needs beside it); RUNS (how many, default 3).
set -u
src=$(cd "${0%/*}/../.." && pwd)
: "${BUILD:?the build folder}" "${CXX:=g++}" "${LINK:=-lpmix}" "${RUNS:=3}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
prefix=$(command -v setarch >/dev/null && setarch -R true 2>/dev/null && echo "setarch -R") # gcc 12's TSan needs it

compile() { # [MUTANT]
    "$CXX" -x c++ -std=c++17 -O1 -g -fPIC -shared -fno-gnu-unique -fsanitize=thread -Wno-tsan -DGIN_SHMEM_CPU \
        -DGIN_SHMEM_PE_THREADS ${1:+"-DGIN_SHMEM_MUTANT=\"$1\""} -I"$src/include" -I"$src/device" -I"$src/tests/gpu" \
        "$src/tests/pe-threads/between.cu" -x none -o "$dir/between.so" -Wl,-Bsymbolic \
        -Wl,--version-script="$src/tests/pe-threads/exports.map" \
        -Wl,--whole-archive "$BUILD/lib/libgs_pe_threads.a" -Wl,--no-whole-archive $LINK -lpthread -ldl
}

# Did it find a race?
found() {
    for ((run = 1; run <= $1; run++)); do
        GIN_SHMEM_TIMEOUT=20 TSAN_OPTIONS="suppressions=$src/tests/tsan.supp" timeout 120 \
            $prefix "$BUILD/bin/pe_threads" -n 2 "$dir/between.so" >"$dir/out" 2>&1
        status=$?
        grep -q 'ThreadSanitizer: data race' "$dir/out" && return 0
    done
    return 1
}

compile || exit 1
if found 1 || [ $status -ne 0 ]; then
    echo "between.cu fails as it is:"
    cat "$dir/out"
    exit 1
fi

failed=0 places=0
for wanted; do
    while IFS=: read -r line text; do
        places=$((places + 1))
        file=${wanted%%:*}
        what=$(sed -E 's/^ +//; s/\|/\\|/g; s/ *\/\*.*//' <<<"$text")
        compile "$file:$line" || exit 1
        if found "$RUNS"; then
            echo "| $file:$line | \`$what\` | \`between\`, PEs as threads | run $run |"
        else
            echo "| $file:$line | \`$what\` | MISSED | $RUNS runs |"
            failed=1
        fi
    done < <(grep -nF -- "${wanted#*:}" "$src/device/gin_shmem/${wanted%%:*}" ||
        awk -v n="${wanted#*:}" 'NR == n { print NR ":" $0 }' "$src/device/gin_shmem/${wanted%%:*}")
done
[ $places -ge $# ] || { echo "no such place: $*"; exit 1; }
exit $failed

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Leaves out one fence, release or acquire of device/gin_shmem at a time, and expects ThreadSanitizer to find a data race in
# a program of two PEs, and none where nothing is left out: between.cu; for fabric_agent.h ../mutants/agent.cu, on two nodes.
# A row for each, as tests/mutants/run.sh prints them.
#   mutants.sh FILE:TEXT...     the places in FILE whose line contains TEXT, or has that number
# From the environment: BUILD, a build folder with GIN_SHMEM_SANITIZE=thread and the target gs_pe_threads; CXX, LINK (what
# libgs_pe_threads.a needs beside it); RUNS (how many, default 3).
set -u
src=$(cd "${0%/*}/../.." && pwd)
: "${BUILD:?the build folder}" "${CXX:=g++}" "${LINK:=-lpmix}" "${RUNS:=3}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
prefix=$(command -v setarch >/dev/null && setarch -R true 2>/dev/null && echo "setarch -R") # gcc 12's TSan needs it

between=pe-threads/between.cu agent=mutants/agent.cu
program_of() { # FILE
    [ "$1" = fabric_agent.h ] && echo agent || echo between
}

compile() { # PROGRAM [MUTANT]
    "$CXX" -x c++ -std=c++17 -O1 -g -fPIC -shared -fno-gnu-unique -fsanitize=thread -Wno-tsan -DGIN_SHMEM_CPU \
        -DGIN_SHMEM_PE_THREADS ${2:+"-DGIN_SHMEM_MUTANT=\"$2\""} -I"$src/include" -I"$src/device" -I"$src/tests/gpu" \
        "$src/tests/${!1}" -x none -o "$dir/$1.so" -Wl,-Bsymbolic \
        -Wl,--version-script="$src/tests/pe-threads/exports.map" \
        -Wl,--whole-archive "$BUILD/lib/libgs_pe_threads.a" -Wl,--no-whole-archive $LINK -lpthread -ldl
}

# Did it find a race?
found() { # PROGRAM RUNS
    local nodes=
    [ "$1" = agent ] && nodes="--fake-nodes 2"
    for ((run = 1; run <= $2; run++)); do
        GIN_SHMEM_REMOTE=agent GIN_SHMEM_TIMEOUT=60 TSAN_OPTIONS="halt_on_error=1 suppressions=$src/tests/tsan.supp" \
            timeout 180 $prefix "$BUILD/bin/pe_threads" -n 2 $nodes "$dir/$1.so" >"$dir/out" 2>&1
        status=$?
        grep -q 'ThreadSanitizer: data race' "$dir/out" && return 0
    done
    return 1
}

for program in $(for wanted; do program_of "${wanted%%:*}"; done | sort -u); do
    compile $program || exit 1
    if found $program 1 || [ $status -ne 0 ]; then
        echo "$program.cu fails as it is:"
        cat "$dir/out"
        exit 1
    fi
done

failed=0 places=0
for wanted; do
    while IFS=: read -r line text; do
        places=$((places + 1))
        file=${wanted%%:*}
        program=$(program_of "$file")
        what=$(sed -E 's/^ +//; s/\|/\\|/g; s/ *\/\*.*//' <<<"$text")
        compile $program "$file:$line" || exit 1
        if found $program "$RUNS"; then
            echo "| $file:$line | \`$what\` | \`$program\`, PEs as threads | run $run |"
        else
            echo "| $file:$line | \`$what\` | MISSED | $RUNS runs |"
            failed=1
        fi
    done < <(awk -v wanted="${wanted#*:}" 'wanted ~ /^[0-9]+$/ ? NR == wanted : index($0, wanted) { print NR ":" $0 }' \
        "$src/device/gin_shmem/${wanted%%:*}")
done
[ $places -ge $# ] || { echo "no such place: $*"; exit 1; }
exit $failed

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Leaves out one fence, quiet, release or acquire of device/gin_shmem at a time, and expects order.cu, or acquire.cu under
# ThreadSanitizer, to fail. Prints a row of tests/README.md's table for each. Status 1: one was missed that is not known
# to be out of sight here.
#   run.sh [FILE:TEXT...]     only the places in FILE whose line contains TEXT, as in order.h:fence_order
# From the environment: BUILD, a build folder; TSAN_BUILD, one with GIN_SHMEM_SANITIZE=thread (unset: places that only it
# can see are passed over); CXX; SEEDS (how many, default 5). What these two miss ../pe-threads/between.cu may find, where
# PEs are threads of one process.
set -u
src=$(cd "${0%/*}/../.." && pwd)
: "${BUILD:?the build folder}" "${TSAN_BUILD:=}" "${CXX:=g++}" "${SEEDS:=5}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Out of sight of the CPU: file, operation, and why it stays.
unseen='report.h store_release: on a GPU another processor reads the report; here the thread prints it that failed
report.h fence_complete: for the trap behind it, which on a GPU may end the kernel before the store has left
smem.h bulk_fence_global: bulk copies are a proxy of their own on a GPU; here they are made by the thread itself
smem.h bulk_fence_shared: the same'
# Accesses that the processor of this machine does not reorder: ThreadSanitizer sees the missing order.
by_tsan='load_acquire|lock_take|lock_give'

operations='fence_order|fence_complete|load_acquire|store_release|reduce_add_release|lock_take|lock_give'
operations+='|bulk_fence_global|bulk_fence_shared|bulk_wait_reads_but_one|bulk_wait_stores'
operations+='|remote_quiet|remote_fence|remote_flush'
places() {
    cd "$src/device/gin_shmem" && grep -nE "\b($operations)\(" ./*.h |
        grep -vE '^\./(port|bulk)_|^[^:]*:[0-9]+: \*|GIN_SHMEM_(COLD|FN) ' | sed -E "s/^\.\/([^:]*:[0-9]+):.*\b($operations)\(.*/\1 \2/"
}

compile() { # SOURCE OUTPUT BUILD MUTANT FLAG...
    local source=$1 out=$2 build=$3 mutant=$4; shift 4
    "$CXX" -x c++ -std=c++17 -O1 -g -DGIN_SHMEM_CPU ${mutant:+"-DGIN_SHMEM_MUTANT=\"$mutant\""} "$@" \
        -I"$src/include" -I"$src/device" -I"$src/tests/gpu" "$src/tests/mutants/$source" -x none -o "$out" \
        -L"$build/lib" -Wl,-rpath,"$build/lib" -lginshmem -lginshmem_cpu
}

# Runs what was compiled until it fails; sets killer.
try_order() {
    local seed mode
    for ((seed = 1; seed <= SEEDS; seed++)); do
        for mode in adversarial random; do
            GIN_SHMEM_SIM_MODE=$mode GIN_SHMEM_SIM_SEED=$seed GIN_SHMEM_TIMEOUT=5 timeout 60 \
                "$BUILD/bin/oshrun" -n 4 --fake-nodes 2 "$dir/order" >"$dir/out" 2>&1 && continue
            killer=$(sed -nE 's/^order\.cu:[0-9]+: PE [0-9]+: ([a-z_]+), PE.*/\1/p' "$dir/out" | sort | uniq -c | sort -rn |
                sed -nE '1s/.* //p')
            killer="\`order\`, ${killer:-$(sed -nE 's/.*(waited longer).*/a wait without end/p;T;q' "$dir/out")} | $mode, seed $seed"
            return 0
        done
    done
    return 1
}
plain=$(command -v setarch >/dev/null && setarch -R true 2>/dev/null && echo "setarch -R") # gcc 12's TSan needs it
try_acquire() {
    local seed
    for ((seed = 1; seed <= SEEDS; seed++)); do
        GIN_SHMEM_SIM_SEED=$seed GIN_SHMEM_TIMEOUT=20 TSAN_OPTIONS="exitcode=66 suppressions=$src/tests/tsan.supp" timeout 120 \
            $plain "$TSAN_BUILD/bin/oshrun" -n 2 "$dir/acquire" >"$dir/out" 2>&1
        grep -q 'ThreadSanitizer: data race' "$dir/out" || continue
        killer="\`acquire\` under ThreadSanitizer | run $seed"
        return 0
    done
    return 1
}

try_between() { # PLACE
    [ "$TSAN_BUILD" ] && BUILD=$TSAN_BUILD CXX=$CXX RUNS=1 "$src/tests/pe-threads/mutants.sh" "$1" >"$dir/out" 2>&1 &&
        killer="\`between\`, PEs as threads | run 1"
}

# Without a mutant everything passes, or nothing below means anything.
compile order.cu "$dir/order" "$BUILD" "" || exit 1
try_order && { echo "order.cu fails without a mutant: $killer"; cat "$dir/out"; exit 1; }
if [ "$TSAN_BUILD" ]; then
    compile acquire.cu "$dir/acquire" "$TSAN_BUILD" "" -fsanitize=thread -Wno-tsan || exit 1
    try_acquire && { echo "acquire.cu has a race without a mutant"; cat "$dir/out"; exit 1; }
fi

status=0
while read -r place operation; do
    file=${place%%:*}
    line=$(sed -n "${place#*:}p" "$src/device/gin_shmem/$file")
    if [ $# -gt 0 ]; then
        wanted=0
        for w; do [ "$file" = "${w%%:*}" ] && [[ $line == *"${w#*:}"* ]] && wanted=1; done
        [ $wanted = 1 ] || continue
    fi
    what=$(sed -E 's/^ +//; s/\|/\\|/g; s/ *\/\*.*//' <<<"$line")
    reason=$(grep -F "$file $operation: " <<<"$unseen" | sed 's/^[^:]*: //')
    killer=
    if [[ "$file $operation" =~ ($by_tsan)$ ]]; then
        if [ -z "$TSAN_BUILD" ]; then
            echo "| $place | \`$what\` | needs TSAN_BUILD | |"
            continue
        fi
        compile acquire.cu "$dir/acquire" "$TSAN_BUILD" "$place" -fsanitize=thread -Wno-tsan && try_acquire
    else
        compile order.cu "$dir/order" "$BUILD" "$place" && try_order
    fi
    [ "$killer" ] || try_between "$place"
    if [ "$killer" ]; then
        echo "| $place | \`$what\` | $killer |"
    elif [ "$reason" ]; then
        echo "| $place | \`$what\` | none: $reason | |"
    else
        echo "| $place | \`$what\` | MISSED | $SEEDS seeds |"
        status=1
    fi
done < <(places)
exit $status

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Leaves out one fence, quiet, release or acquire of device/gin_shmem at a time, and expects a test to fail: order.cu;
# report.cu for report.h; ../unit/gin_kernels_test.cc for GIN's headers; acquire.cu under ThreadSanitizer for acquires. What
# these miss or seldom see, as in fabric_agent.h, is left to ../pe-threads/mutants.sh, where PEs are threads of one process.
# Prints a row of tests/README.md's table for each. Status 1: one was missed.
#   run.sh [FILE:TEXT...]     only the places in FILE whose line contains TEXT, as in order.h:fence_order
# From the environment: BUILD, a build folder; TSAN_BUILD, one with GIN_SHMEM_SANITIZE=thread (unset: places that only it
# can see are passed over); CXX; SEEDS (how many, default 5); PART=N: one of N parts of what is left, by turns each day.
set -u
src=$(cd "${0%/*}/../.." && pwd)
: "${BUILD:?the build folder}" "${TSAN_BUILD:=}" "${CXX:=g++}" "${SEEDS:=5}" "${PART:=1}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Accesses that the processor of this machine does not reorder: ThreadSanitizer sees the missing order.
by_tsan='load_acquire|lock_take|lock_give'

operations='fence_order|fence_complete|load_acquire|store_release|reduce_add_release|lock_take|lock_give'
operations+='|bulk_fence_global|bulk_fence_shared|bulk_wait_reads_but_one|bulk_wait_stores'
operations+='|remote_quiet|remote_fence|remote_flush|__threadfence|gin_reached|gin_nccl_put'
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
try_report() {
    local seed
    for ((seed = 1; seed <= SEEDS; seed++)); do
        GIN_SHMEM_SIM_MODE=adversarial GIN_SHMEM_SIM_SEED=$seed "$src/tests/mutants/report.sh" "$BUILD/bin/oshrun" \
            "$dir/report" >"$dir/out" 2>&1 && continue
        killer="\`report\` | adversarial, seed $seed"
        return 0
    done
    return 1
}
plain=$(command -v setarch >/dev/null && setarch -R true 2>/dev/null && echo "setarch -R") # gcc 12's TSan needs it
try_acquire() {
    local seed
    for ((seed = 1; seed <= 2 * SEEDS; seed++)); do
        GIN_SHMEM_SIM_SEED=$seed GIN_SHMEM_TIMEOUT=20 TSAN_OPTIONS="exitcode=66 suppressions=$src/tests/tsan.supp" timeout 120 \
            $plain "$TSAN_BUILD/bin/oshrun" -n 2 "$dir/acquire" >"$dir/out" 2>&1
        grep -q 'ThreadSanitizer: data race' "$dir/out" || continue
        killer="\`acquire\` under ThreadSanitizer | run $seed"
        return 0
    done
    return 1
}

compile_gin() { # [MUTANT]
    "$CXX" -std=c++17 -O1 -g ${1:+"-DGIN_SHMEM_MUTANT=\"$1\""} -I"$src/device" "$src/tests/unit/gin_kernels_test.cc" \
        -o "$dir/gin" -lpthread
}
try_gin() {
    local seed
    for ((seed = 1; seed <= 2 * SEEDS; seed++)); do
        timeout 120 "$dir/gin" $seed 60 10 >"$dir/out" 2>&1 && continue
        killer="\`unit-gin-kernels\`, $(sed -nE 's/^PE [0-9]+: (a wait without end|[^:]*).*/\1/p;T;q' "$dir/out") | seed $seed"
        return 0
    done
    return 1
}

# Without a mutant everything passes, or nothing below means anything.
compile order.cu "$dir/order" "$BUILD" "" || exit 1
try_order && { echo "order.cu fails without a mutant: $killer"; cat "$dir/out"; exit 1; }
compile report.cu "$dir/report" "$BUILD" "" || exit 1
try_report && { echo "report.cu fails without a mutant"; cat "$dir/out"; exit 1; }
compile_gin || exit 1
try_gin && { echo "gin_kernels_test.cc fails without a mutant"; cat "$dir/out"; exit 1; }
if [ "$TSAN_BUILD" ]; then
    compile acquire.cu "$dir/acquire" "$TSAN_BUILD" "" -fsanitize=thread -Wno-tsan || exit 1
    try_acquire && { echo "acquire.cu has a race without a mutant"; cat "$dir/out"; exit 1; }
fi
status=0
threads=() # what PEs as threads are tried for
number=$(($(date +%s) / 86400))
while read -r place operation; do
    file=${place%%:*}
    line=$(sed -n "${place#*:}p" "$src/device/gin_shmem/$file")
    if [ $# -gt 0 ]; then
        wanted=0
        for w; do [ "$file" = "${w%%:*}" ] && [[ $line == *"${w#*:}"* ]] && wanted=1; done
        [ $wanted = 1 ] || continue
    fi
    what=$(sed -E 's/^ +//; s/\|/\\|/g; s/ *\/\*.*//' <<<"$line")
    killer=
    case $file in
    fabric_gin.h | gin_book.h) way=gin ;;
    fabric_agent.h | wait.h) way=threads ;;
    report.h) way=report ;;
    *) [[ $operation =~ ^($by_tsan)$ ]] && way=acquire || way=order ;;
    esac
    if [[ $way = acquire || $way = threads ]] && [ -z "$TSAN_BUILD" ]; then
        [ "$PART" = 1 ] && echo "| $place | \`$what\` | needs TSAN_BUILD | |"
        continue
    fi
    [ $((number++ % PART)) = 0 ] || continue
    case $way in
    gin) compile_gin "$place" && try_gin ;;
    acquire) compile acquire.cu "$dir/acquire" "$TSAN_BUILD" "$place" -fsanitize=thread -Wno-tsan && try_acquire ;;
    report | order) compile $way.cu "$dir/$way" "$BUILD" "$place" && try_$way ;;
    esac
    if [ "$killer" ]; then
        echo "| $place | \`$what\` | $killer |"
    elif [ "$TSAN_BUILD" ] && [ $way != gin ]; then
        threads+=("$place")
    else
        echo "| $place | \`$what\` | MISSED | $SEEDS seeds |"
        status=1
    fi
done < <(places)
[ ${#threads[@]} -eq 0 ] ||
    BUILD=$TSAN_BUILD CXX=$CXX RUNS=1 "$src/tests/pe-threads/mutants.sh" "${threads[@]}" || status=1
exit $status

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and runs the GPU tests; see usage.
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(readlink -f -- "$here/../..")

usage() {
    cat <<'HELP'
tests/gpu/run.sh [options]    build the project for GPUs, and run the GPU tests; ends with "N passed, N failed"
  -n PES          PEs of each test, one a GPU (default 2)
  -k PATTERN      only tests whose name matches the extended regular expression (may be given again)
  -j JOBS         tests running at one time (default 4, on one GPU 2; tests that say "alone" run by themselves)
  -t SECONDS      no test may take longer (default: what each says, else 60)
  -v              show the output of tests that pass, too
  --list          print the tests' names, and stop
  --no-build      run what is built
  --build-only    build, and stop (needs no GPU)
  --sanitize      run under compute-sanitizer: memcheck on all tests, then racecheck on those that say "racecheck".
                  Takes many minutes; "hello" comes first, and where it fails nothing else is tried
  --sanitize-quick  the same with the tests that say "sanitize-quick", none longer than a minute
  --fake-nodes N  PEs as N nodes of this host (oshrun --fake-nodes): NCCL takes them for nodes, and PEs of different ones
                  may share a GPU. Of the scripts, examples and killed heed it
  --one-gpu       all PEs on the first GPU: NCCL 2.30 or newer puts several there, and MPS runs their kernels side by side.
                  MPS shares faults out, so what fails beside others runs again by itself. Says nothing of NVLink, and its
                  times are not those of two GPUs
  --provider      compile all tests with GIN (GIN_SHMEM_WITH_GIN=1); NCCL's GIN by the plugin for tests (gin_provider):
                  with --fake-nodes, kernels reach the other nodes by GIN, and fail where it does not work
  --build DIR     build folder (default build/gpu)
  --arch N        compute capability to compile for (default 90)
NCCL is taken from NCCL_ROOT, else from the Python package nvidia-nccl, else from CUDA's folder. Programs load the one that
LD_LIBRARY_PATH names first, so another version can be tried without building anew.

A test is a program NAME.cu (nvshmem_NAME: tests/nvshmem/NAME.cu), or a script NAME.sh that runs programs; exit code 77 skips. Lines of its first comments tell
how to run it:   run: alone | racecheck | nosanitize | sanitize-quick | pes N | near | whole GPUs | timeout SECONDS | env NAME=VALUE
tests/kernels-cpu runs them too, on the CPU, but for those that say   run: gpu-only REASON
HELP
}
die() {
    printf 'tests/gpu: %s\n' "$*" >&2
    exit 2
}

pes=2 jobs= fake= provider= one_gpu= cap= verbose= list= build=1 run=1 sanitize= build_dir=$root/build/gpu arch=90 patterns=()
while [ $# -gt 0 ]; do
    case $1 in
    -n) pes=${2:?} && shift ;;
    -k) patterns+=("${2:?}") && shift ;;
    -j) jobs=${2:?} && shift ;;
    -t) cap=${2:?} && shift ;;
    -v) verbose=1 ;;
    --list) list=1 ;;
    --no-build) build= ;;
    --build-only) run= ;;
    --sanitize) sanitize=all ;;
    --sanitize-quick) sanitize=quick ;;
    --fake-nodes) fake=${2:?} && shift ;;
    --provider) provider=1 ;;
    --one-gpu) one_gpu=1 ;;
    --build) build_dir=${2:?} && shift ;;
    --arch) arch=${2:?} && shift ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done

jobs=${jobs:-$([ -n "$one_gpu" ] && echo 2 || echo 4)}
tests=()
declare -A source_of
for source in "$here"/*.cu "$here"/*.sh "$root"/tests/nvshmem/*.cu; do
    name=$(basename "${source%.*}")
    [[ $source == "$here"/* ]] || name=nvshmem_$name
    source_of[$name]=$source
    [[ $source == */run.sh || $name == lib_* || $name == part_* ]] && continue
    if [ "${#patterns[@]}" -gt 0 ]; then
        hit=
        for p in "${patterns[@]}"; do [[ $name =~ $p ]] && hit=1; done
        [ -n "$hit" ] || continue
    fi
    tests+=("$name")
done
[ "${#tests[@]}" -gt 0 ] || die "no test matches ${patterns[*]}"
if [ -n "$list" ]; then
    printf '%s\n' "${tests[@]}"
    exit
fi

. "$here/part_nccl.sh"

bin=$build_dir/tests/gpu
began=$SECONDS
if [ -n "$build" ]; then
    mkdir -p "$build_dir" || die "cannot write $build_dir"
    log=$build_dir/build.log
    generator=()
    command -v ninja >/dev/null && [ ! -e "$build_dir/Makefile" ] && generator=(-G Ninja)
    cmake -S "$root" -B "$build_dir" "${generator[@]}" -DGIN_SHMEM_CUDA=ON -DGIN_SHMEM_TESTS=OFF -DGIN_SHMEM_GPU_TESTS=ON \
        -DGIN_SHMEM_GPU_TESTS_GIN="${provider:-0}" \
        -DGIN_SHMEM_CUDA_ARCHITECTURES="$arch" ${NCCL_ROOT:+-DNCCL_ROOT="$NCCL_ROOT"} >"$log" 2>&1 ||
        { tail -n 30 "$log"; die "cmake failed (all of it: $log)"; }
    keep=-k
    [ -e "$build_dir/build.ninja" ] && keep=-k0
    targets=(ginshmem_nccl oshrun gin_provider)
    if [ "${#patterns[@]}" -eq 0 ]; then
        targets=(all gpu_tests)
    else
        for name in "${tests[@]}"; do
            programs=("$name")
            [ ! -e "$here/$name.sh" ] || mapfile -t programs < <(sed -n -E 's|.*BIN/([a-z_]+).*|\1|p' "$here/$name.sh" | sort -u)
            # What else a script runs, or a program opens, is not told here.
            if [ "${#programs[@]}" -eq 0 ] || [ "$name" = libraries ] || grep -q part_expect "$here/$name.sh" 2>/dev/null; then
                targets+=(gpu_tests)
            fi
            for program in "${programs[@]}"; do
                [ -z "${source_of[$program]:-}" ] || targets+=("gpu_$program")
            done
        done
    fi
    if ! cmake --build "$build_dir" --parallel "$(nproc)" --target "${targets[@]}" -- "$keep" >>"$log" 2>&1; then
        # The first errors of each file; tests that were not built fail below.
        grep -E '(error|undefined reference|FAILED)' "$log" | awk -F'[:(]' '{ if (seen[$1]++ < 3) print }' | head -n 60
        echo "tests/gpu: the build had errors (all of them: $log)"
    fi
    echo "built in $((SECONDS - began)) s"
fi
if [ -z "$run" ]; then
    status=0
    for name in "${tests[@]}"; do
        [ -e "$here/$name.sh" ] || [ -x "$bin/$name" ] || { echo "not built: $name" && status=1; }
    done
    exit $status
fi
if [ -n "$provider" ]; then
    plugin=$bin/libnccl-net-gin_provider.so
    [ -e "$plugin" ] || die "no $plugin: see $build_dir/build.log"
    # Which of them NCCL looks at depends on its version.
    export NCCL_NET_PLUGIN=$plugin NCCL_RMA_PLUGIN=$plugin NCCL_NET_PLUGIN_REF_COUNT=1 GIN_SHMEM_GIN=1
fi
[ -x "$build_dir/bin/oshrun" ] || die "no $build_dir/bin/oshrun: build first"

out=$(mktemp -d)
mps_start() { nvidia-cuda-mps-control -d || die "--one-gpu: MPS does not start"; }
mps_quit() { nvidia-cuda-mps-control <<<'quit -t 1' >/dev/null 2>&1; }
ends() {
    [ -z "$one_gpu" ] || mps_quit
    rm -rf "$out"
}
trap ends EXIT
if [ -n "$one_gpu" ]; then
    command -v nvidia-cuda-mps-control >/dev/null || die "--one-gpu: no nvidia-cuda-mps-control in PATH"
    mkdir "$out/mps" && export CUDA_MPS_PIPE_DIRECTORY=$out/mps CUDA_MPS_LOG_DIRECTORY=$out/mps CUDA_VISIBLE_DEVICES=0
    mps_start
    export NCCL_MULTI_RANK_GPU_ENABLE=1
fi

# What a test says of itself: word NAME KEY prints the rest of the line "run: KEY ...".
word() {
    local source=${source_of[$1]}
    sed -n -E "s/^( \*|#) run: $2 ?(.*)\$/=\2/p" "$source" | sed -E 's/^=//; s/ *\*\/$//'
}
says() { [ -n "$(sed -n -E "s/^( \*|#) run: ($2)( \*\/)?\$/x/p" "${source_of[$1]}")" ]; }

# one NAME TOOL BESIDE: runs a test, so many at one time, leaving NAME.TOOL.log and NAME.TOOL.status.
one() {
    local name=$1 tool=$2 beside=$3 clients limit np from=$EPOCHREALTIME status command environment
    limit=$(word "$name" timeout) np=$(word "$name" pes)
    limit=${limit:-60} np=${np:-$pes}
    [ -z "$tool" ] || limit=$((limit * 5))
    [ "$limit" -le "${cap:-9999}" ] || limit=$cap
    mapfile -t environment < <(word "$name" env)
    if [ -n "$one_gpu" ]; then
        # Kernels of all PEs have room at once; and all clients of an MPS have somewhat over 100 connections together:
        # beyond, CUDA reports "out of memory". Scripts start up to 4 PEs.
        clients=$((np * beside))
        environment+=(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=$((100 / clients)))
        [ ! -e "$here/$name.sh" ] || clients=$((4 * beside))
        environment+=(CUDA_DEVICE_MAX_CONNECTIONS=$((96 / clients < 32 ? 96 / clients : 32)))
    fi
    if [ -e "$here/$name.sh" ]; then
        command=(bash "$here/$name.sh")
    else
        command=("$build_dir/bin/oshrun" -n "$np" ${fake:+--fake-nodes "$fake"} "$bin/$name")
        if [ -n "$tool" ]; then
            # NCCL's kernels are many and not ours to check; its failing calls are meant to fail.
            command=("$build_dir/bin/oshrun" -n "$np" ${fake:+--fake-nodes "$fake"} "$sanitizer" --tool "$tool" --error-exitcode 9
                --report-api-errors no --kernel-name-exclude kns=nccl --show-backtrace device --print-limit 5
                "$bin/$name")
            environment+=(GS_TEST_SANITIZE=1 GIN_SHMEM_TIMEOUT=0)
        fi
    fi
    env OSHRUN="$build_dir/bin/oshrun" BIN="$bin" PES="$np" ${fake:+FAKE_NODES="$fake"} "${environment[@]}" timeout -k 5 "$limit" "${command[@]}" \
        >"$out/$name.$tool.log" 2>&1 </dev/null
    status=$?
    [ "$status" -eq 124 ] && echo "timed out after $limit s" >>"$out/$name.$tool.log"
    printf '%d %d\n' "$status" $(((${EPOCHREALTIME/[.,]/} - ${from/[.,]/}) / 1000)) >"$out/$name.$tool.status"
}

passed=0 failed=0 skipped=0 failures=()
report() {
    local name=$1 tool=$2 status ms log=$out/$1.$2.log label=$1${2:+ ($2)}
    read -r status ms <"$out/$name.$tool.status"
    local time="$((ms / 1000)).$((ms % 1000 / 100)) s"
    case $status in
    0) passed=$((passed + 1)) && printf 'ok    %-34s %8s\n' "$label" "$time" && [ -n "$verbose" ] && sed 's/^/      /' "$log" ;;
    77) skipped=$((skipped + 1)) && printf 'skip  %-34s %8s  %s\n' "$label" "$time" "$(tail -n 1 "$log")" ;;
    *)
        failed=$((failed + 1)) && failures+=("$label")
        printf 'FAIL  %-34s %8s  exit code %s\n' "$label" "$time" "$status"
        # A sanitizer's first report tells, and comes long before the end.
        [ -z "$tool" ] || grep -m 1 -A 14 -E '^=+ (Invalid|Error|Warning|Race|.*hazard|.*error)' "$log" |
            cut -c 1-200 | sed 's/^/      /'
        tail -n 15 "$log" | cut -c 1-400 | sed 's/^/      /'
        ;;
    esac
}

mps_hurt= # a client has failed since MPS started
failed_so() { # NAME TOOL: did it fail? Its exit code goes into `code`
    read -r code _ <"$out/$1.$2.status"
    [ "$code" -ne 0 ] && [ "$code" -ne 77 ]
}
# False: it failed, and perhaps by what it shared the GPU with.
passed_or_later() { # NAME TOOL
    local code
    [ -n "$one_gpu" ] && failed_so "$@" || return 0
    printf 'later %-34s (exit code %s beside others)\n' "$1" "$code"
    mps_hurt=1
    rm "$out/$1.$2.status"
    return 1
}

run_all() { # TOOL NAME...
    local tool=$1 name started=() next=0
    shift
    for name; do
        if [ -n "$one_gpu" ] && says "$name" "whole GPUs"; then
            echo "needs a whole GPU for each PE" >"$out/$name.$tool.log"
            echo 77 0 >"$out/$name.$tool.status"
            started+=("$name")
        elif [ ! -e "$here/$name.sh" ] && [ ! -x "$bin/$name" ]; then
            echo "not built: see $build_dir/build.log" >"$out/$name.$tool.log"
            echo 1 0 >"$out/$name.$tool.status"
            started+=("$name")
        elif ! says "$name" alone; then
            while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
            one "$name" "$tool" "$jobs" &
            started+=("$name")
        fi
        while [ "$next" -lt "${#started[@]}" ] && [ -e "$out/${started[next]}.$tool.status" ]; do
            passed_or_later "${started[next]}" "$tool" && report "${started[next]}" "$tool"
            next=$((next + 1))
        done
    done
    wait
    for ((; next < ${#started[@]}; next++)); do
        passed_or_later "${started[next]}" "$tool" && report "${started[next]}" "$tool"
    done
    for name; do
        [ -e "$out/$name.$tool.status" ] && continue
        # After a client that was killed MPS takes no new ones for a while.
        [ -z "$mps_hurt" ] || { mps_quit; mps_start; }
        one "$name" "$tool" 1
        local code
        mps_hurt=
        [ -n "$one_gpu" ] && failed_so "$name" "$tool" && mps_hurt=1
        report "$name" "$tool"
    done
}

if [ -n "$sanitize" ]; then
    for sanitizer in "${COMPUTE_SANITIZER:-}" "$(command -v compute-sanitizer)" \
        "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer"; do
        [ -x "$sanitizer" ] && break
    done
    [ -x "$sanitizer" ] || die "no compute-sanitizer in PATH or CUDA's folder: set COMPUTE_SANITIZER"
    [ "$sanitize" = all ] || cap=${cap:-60}
    checked=() raced=()
    for name in "${tests[@]}"; do
        [ -e "$here/$name.sh" ] || says "$name" nosanitize && continue
        [ "$sanitize" = all ] || says "$name" sanitize-quick || continue
        checked+=("$name")
        says "$name" racecheck && raced+=("$name")
    done
    [ "${#checked[@]}" -gt 0 ] || die "no such test runs under the sanitizer"
    if [[ " ${checked[*]} " == *" hello "* ]]; then
        # Where the tool and NCCL do not get on, every test would say so, after minutes.
        run_all memcheck hello
        [ "$failed" -eq 0 ] || die "hello fails under $sanitizer: no other test is tried"
    fi
    rest=()
    for name in "${checked[@]}"; do [ "$name" = hello ] || rest+=("$name"); done
    [ "${#rest[@]}" -eq 0 ] || run_all memcheck "${rest[@]}"
    [ "${#raced[@]}" -eq 0 ] || run_all racecheck "${raced[@]}"
else
    run_all "" "${tests[@]}"
fi
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
[ "$failed" -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
echo "in $((SECONDS - began)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the device API on two GPUs, NVSHMEM next to it, and prints the ratios; see usage.
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(readlink -f -- "$here/../..")

usage() {
    cat <<'HELP'
bench/gpu/run.sh [-r ROUNDS] [--no-build] [CASE...]   measure on two GPUs; CASE: only cases that begin so

Every round runs ours and the peer's programs; the least time of each case counts (default 2 rounds). Variables:
  BUILD                  build folder of this project (default build/gpu)
  NVSHMEM_PERFTEST_DIR   folder with NVSHMEM's perftest programs (shmem_put_latency, ...); without it only ours is measured
  NVSHMEM_RUN            its launcher, up to the program (default: our oshrun -n 2, NVSHMEM_BOOTSTRAP=PMIX)
  NCCL_ROOT              where NCCL is, as for tests/gpu/run.sh
HELP
}
die() {
    printf 'bench/gpu: %s\n' "$*" >&2
    exit 2
}

rounds=2 build=1 cases=()
while [ $# -gt 0 ]; do
    case $1 in
    -r) rounds=${2:?} && shift ;;
    --no-build) build= ;;
    -h | --help) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) cases+=("$1") ;;
    esac
    shift
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || die "-r $rounds: not a number of rounds"

build_dir=${BUILD:-$root/build/gpu}
. "$root/tests/gpu/part_nccl.sh"
export NVSHMEM_DISABLE_NVLS=${NVSHMEM_DISABLE_NVLS:-1}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ -n "$build" ]; then
    mkdir -p "$build_dir" || die "cannot write $build_dir"
    { [ -e "$build_dir/CMakeCache.txt" ] ||
        cmake -S "$root" -B "$build_dir" -DGIN_SHMEM_CUDA=ON -DGIN_SHMEM_TESTS=OFF -DGIN_SHMEM_CUDA_ARCHITECTURES=90 \
            ${NCCL_ROOT:+-DNCCL_ROOT="$NCCL_ROOT"}; } >"$tmp/log" 2>&1 &&
        cmake --build "$build_dir" --parallel "$(nproc)" --target ginshmem ginshmem_nccl oshrun bench_gpu floor_gpu >>"$tmp/log" 2>&1 ||
        { tail -n 30 "$tmp/log" >&2; die "the build failed"; }
fi
ours=$build_dir/bench/bench_gpu floor=$build_dir/bench/floor_gpu oshrun=$build_dir/bin/oshrun
[ -x "$ours" ] || die "no $ours: build first"

peer_dir=${NVSHMEM_PERFTEST_DIR:-}
read -ra peer_run <<<"${NVSHMEM_RUN:-env NVSHMEM_BOOTSTRAP=PMIX $oshrun -n 2}"
[ -n "$peer_dir" ] || echo "NVSHMEM is not measured: NVSHMEM_PERFTEST_DIR is not set"

# peer PROGRAM ARGS...: appends the program's machine-readable lines, as "job subjob size value", to $tmp/peer.raw. With
# peer_as=WORD the program is called PROGRAM/WORD there.
peer() {
    local program=$peer_dir/$1
    shift
    [ -x "$program" ] || { echo "bench/gpu: no $program" >&2; return; }
    NVSHMEM_MACHINE_READABLE_OUTPUT=1 NVSHMEM_REMOTE_TRANSPORT=none NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=lo \
        timeout -k 5 90 "${peer_run[@]}" "$program" "$@" >"$tmp/out" 2>"$tmp/err" ||
        { echo "bench/gpu: failed: ${program##*/} $*" >&2; tail -n 5 "$tmp/out" "$tmp/err" >&2; }
    sed -n -E 's/.*&&&& PERF (.*)___([^_]*(_[^_]+)*)___size__([0-9]+)___([a-zA-Z]+) ([0-9.]+) .*/\1 \2 \4 \6/p' "$tmp/out" |
        sed "s|^|${program##*/}${peer_as:+/$peer_as} |" >>"$tmp/peer.raw"
}
peer_round() {
    local latency=(-n 500 -w 20)
    peer shmem_p_latency "${latency[@]}" -b 4 -e 4 -t 1
    # blocks of 256 threads, its default
    peer shmem_put_latency "${latency[@]}" -b 8 -e 8
    peer shmem_put_latency "${latency[@]}" -b 4K -e 4K
    peer shmem_put_latency -n 50 -w 5 -b 32K -e 32K
    peer shmem_put_latency -n 50 -w 5 -b 256K -e 256K
    peer_as=1024 peer shmem_put_latency "${latency[@]}" -b 8 -e 8 -t 1024
    peer_as=1024 peer shmem_put_latency -n 50 -w 5 -b 256K -e 256K -t 1024
    local bandwidth=(-n 200 -w 20 -t 1024 -b 1M -e 64M -f 8)
    peer shmem_put_bw "${bandwidth[@]}" -c 32
    peer shmem_get_bw "${bandwidth[@]}" -c 32
    peer shmem_put_signal_ping_pong_latency "${latency[@]}" -b 8 -e 2K -f 16
    peer shmem_signal_ping_pong_latency "${latency[@]}"
    peer barrier_latency -n 1000 -w 20
    peer reduction_latency -n 200 -w 20 -b 8 -e 32K
    peer fcollect_latency -n 200 -w 20 -b 8 -e 32K
    peer alltoall_latency -n 200 -w 20 -b 8 -e 32K
    peer barrier_all_on_stream
}

touch "$tmp/ours" "$tmp/peer.raw"
for ((round = 1; round <= rounds; round++)); do
    printf 'round %d of %d\n' "$round" "$rounds" >&2
    timeout -k 5 240 "$oshrun" -n 2 "$ours" "${cases[@]}" >>"$tmp/ours" || echo "bench/gpu: bench_gpu failed" >&2
    timeout -k 5 60 "$oshrun" -n 2 "$floor" >>"$tmp/ours" || echo "bench/gpu: floor_gpu failed" >&2
    [ -n "$peer_dir" ] && peer_round
done

# case | goal | peer: program, job, subjob, size; a last field "bw": the peer's figure is GB/s. "=" takes a case of ours.
cat >"$tmp/goals" <<'GOALS'
p + quiet 4 B|0.95|shmem_p_latency shmem_p_latency None 4
put thread 8 B|0.95|shmem_put_latency shmem_put_latency Thread 8
put warp 8 B|0.95|shmem_put_latency shmem_put_latency Warp 8
put block 8 B|0.95|shmem_put_latency shmem_put_latency Block 8
put block 8 B, 1024 threads||shmem_put_latency/1024 shmem_put_latency Block 8
put thread 4 KiB|0.5|shmem_put_latency shmem_put_latency Thread 4096
put thread 4 KiB, lent|0.08|shmem_put_latency shmem_put_latency Thread 4096
put thread 32 KiB||shmem_put_latency shmem_put_latency Thread 32768
put thread 32 KiB, lent|0.03|shmem_put_latency shmem_put_latency Thread 32768
put warp 32 KiB||shmem_put_latency shmem_put_latency Warp 32768
put warp 32 KiB, lent|0.25|shmem_put_latency shmem_put_latency Warp 32768
put block 32 KiB||shmem_put_latency shmem_put_latency Block 32768
put block 256 KiB|0.6|shmem_put_latency shmem_put_latency Block 262144
put block 256 KiB, 1024 threads||shmem_put_latency/1024 shmem_put_latency Block 262144
put 32 blocks 1 MiB|1.0|shmem_put_bw * None 1048576 bw
put 32 blocks 8 MiB|1.0|shmem_put_bw * None 8388608 bw
put 32 blocks 64 MiB|1.0|shmem_put_bw * None 67108864 bw
get 32 blocks 1 MiB|1.0|shmem_get_bw * None 1048576 bw
get 32 blocks 8 MiB|1.0|shmem_get_bw * None 8388608 bw
get 32 blocks 64 MiB|1.0|shmem_get_bw * None 67108864 bw
put 8 blocks 64 MiB|1.11|=copy engine 64 MiB
get 8 blocks 64 MiB|1.11|=copy engine 64 MiB
put_signal round trip 8 B|0.65|shmem_put_signal_ping_pong_latency * * 8
put_signal round trip 2 KiB|0.3|shmem_put_signal_ping_pong_latency * * 2048
signal round trip|0.6|shmem_signal_ping_pong_latency * * 8
barrier thread|0.7|barrier_latency barrier_device thread *
barrier warp|0.7|barrier_latency barrier_device warp *
barrier block|0.7|barrier_latency barrier_device block *
reduce block 8 B|0.7|reduction_latency device_reduction int64-min-b 8
reduce block 512 B|0.7|reduction_latency device_reduction int64-min-b 512
reduce block 4 KiB|0.7|reduction_latency device_reduction int64-min-b 4096
reduce block 32 KiB|0.7|reduction_latency device_reduction int64-min-b 32768
fcollect block 8 B|0.7|fcollect_latency * 32-bit-block 8
fcollect block 512 B|0.7|fcollect_latency * 32-bit-block 512
fcollect block 4 KiB|0.7|fcollect_latency * 32-bit-block 4096
fcollect block 32 KiB|0.7|fcollect_latency * 32-bit-block 32768
alltoall block 8 B|0.7|alltoall_latency * 32-bit-block 8
alltoall block 512 B|0.7|alltoall_latency * 32-bit-block 512
alltoall block 4 KiB|0.7|alltoall_latency * 32-bit-block 4096
alltoall block 32 KiB|0.7|alltoall_latency * 32-bit-block 32768
barrier_all_on_stream|0.8|barrier_all_on_stream barrier_all_on_stream None *
sum on stream 8 B|1.05|=nccl * sum on stream 8 B
sum on stream 64 B|1.05|=nccl * sum on stream 64 B
sum on stream 512 B|1.05|=nccl * sum on stream 512 B
sum on stream 4 KiB|1.05|=nccl * sum on stream 4 KiB
sum on stream 32 KiB|1.05|=nccl * sum on stream 32 KiB
sum on stream 256 KiB|1.05|=nccl * sum on stream 256 KiB
sum on stream 2 MiB|1.05|=nccl * sum on stream 2 MiB
sum on stream 16 MiB|1.05|=nccl * sum on stream 16 MiB
sum on stream 128 MiB|1.05|=nccl * sum on stream 128 MiB
sum on stream 1024 MiB|1.05|=nccl * sum on stream 1024 MiB
GOALS

awk -v ours="$tmp/ours" -v peers="$tmp/peer.raw" '
    function show(ns) { return ns == "" ? "-" : ns >= 1e6 ? sprintf("%.2f ms", ns / 1e6) : sprintf("%.2f us", ns / 1e3) }
    function keep(key, ns) { if (!(key in least) || ns < least[key]) least[key] = ns }
    function matches(pattern, word) { return pattern == "*" || pattern == word }
    FILENAME == ours { split($0, f, "\t"); keep(f[1], f[2] + 0); next }
    FILENAME == peers { program[++lines] = $1; job[lines] = $2; subjob[lines] = $3; size[lines] = $4; value[lines] = $5; next }
    { rows[++n] = $0 }
    END {
        printf "%-28s %11s %11s %7s  %s\n", "case", "ours", "peer", "ratio", "goal"
        for (r = 1; r <= n; r++) {
            split(rows[r], row, "|")
            o = least[row[1]]; p = ""
            if (row[3] ~ /^=nccl/) {
                a = least["nccl plain " row[1]]; b = least["nccl window " row[1]]
                p = a == "" ? b : b == "" ? a : a < b ? a : b
            } else if (row[3] ~ /^=/)
                p = least[substr(row[3], 2)]
            else {
                split(row[3], want, " ")
                for (i = 1; i <= lines; i++)
                    if (program[i] == want[1] && matches(want[2], job[i]) && matches(want[3], subjob[i]) &&
                        matches(want[4], size[i])) {
                        v = want[5] == "bw" ? size[i] / value[i] : value[i] * 1000
                        if (p == "" || v < p) p = v
                    }
            }
            ratio = verdict = ""
            if (o != "" && p != "") {
                ratio = sprintf("%.3f", o / p)
                if (row[2] != "") { verdict = o / p <= row[2] ? "met" : "MISSED"; count[verdict]++ }
            }
            if (o != "" || p != "")
                printf "%-28s %11s %11s %7s  %-8s %s\n", row[1], show(o), show(p), ratio, row[2] == "" ? "" : "<= " row[2], verdict
        }
        for (name in least) if (name ~ /^(copy|floor|nccl)/) printf "%-56s %11s\n", name, show(least[name]) | "sort -V"
        close("sort -V")
        printf "%d met, %d missed\n", count["met"], count["MISSED"]
    }' "$tmp/ours" "$tmp/peer.raw" "$tmp/goals"
echo "Peers: NVSHMEM's perftest; the copy engine (bandwidth by 8 blocks); ncclAllReduce, the better of plain and window buffers."

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the device API between two fake nodes of this host by each way that leads there, in one run; see usage.
set -uo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(readlink -f -- "$here/../..")

usage() {
    cat <<'HELP'
bench/gpu/nodes.sh [--no-build] [ROUND TRIPS]   two PEs as two nodes of this host, on two GPUs or on one
  agent, direct     the agent copies straight into the other PE's memory
  agent, messages   the agents talk by UCX
  GIN               NCCL's GIN by the plugin for tests (tests/gpu/gin_provider), the agent for the rest
  GIN, adds         the same with GIN_SHMEM_GIN_ADD: signals are added by GIN too
Times in microseconds, the least of three; bandwidth of big puts as a part of the copy engine's, within one GPU, in the
same run. Two PEs on one GPU take turns of milliseconds: only with two GPUs the times mean much. Variables: BUILD (default
build/gpu, as tests/gpu/run.sh makes it), NCCL_ROOT.
HELP
}
build=1 trips=200
while [ $# -gt 0 ]; do
    case $1 in
    --no-build) build= ;;
    -h | --help) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) trips=$1 ;;
    esac
    shift
done
build_dir=${BUILD:-$root/build/gpu}
. "$root/tests/gpu/part_nccl.sh"
if [ -n "$build" ]; then
    "$root/tests/gpu/run.sh" --build-only -k '^gin_quiet$' --build "$build_dir" >/dev/null &&
        cmake --build "$build_dir" --parallel "$(nproc)" --target nodes_gpu ginshmem_nccl oshrun >/dev/null || exit 1
    cmake --build "$build_dir" --target ginshmem_ucx >/dev/null 2>&1 || echo 'bench/gpu: built without UCX: no messages'
fi
plugin=$build_dir/tests/gpu/libnccl-net-gin_provider.so
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
ways=("agent, direct" "agent, messages" "GIN" "GIN, adds")
gin=(GIN_SHMEM_GIN=1 NCCL_NET_PLUGIN="$plugin" NCCL_RMA_PLUGIN="$plugin" NCCL_NET_PLUGIN_REF_COUNT=1)
run() { # FILE VARIABLE=VALUE...
    local file=$1
    shift
    timeout 120 env "$@" "$build_dir/bin/oshrun" -n 2 --fake-nodes 2 "$build_dir/bench/nodes_gpu" "$trips" >"$out/$file" \
        2>"$out/$file.err" || { echo "${ways[$file]}: no figures:" && tail -n 3 "$out/$file.err"; }
}
run 0 GIN_SHMEM_GIN=0
run 1 GIN_SHMEM_GIN=0 GIN_SHMEM_AGENT_DIRECT=0
run 2 "${gin[@]}"
run 3 "${gin[@]}" GIN_SHMEM_GIN_ADD=1
awk -F'\t' '
    FNR == 1 { file++ }
    /^#/ { next }
    { if (!($1 in seen)) { seen[$1] = 1; name[n++] = $1 } t[$1, file] = $2 }
    END {
        printf "%-36s%18s%18s%18s%18s\n", "", "agent, direct", "agent, messages", "GIN", "GIN, adds"
        for (i = 0; i < n; i++) {
            printf "%-36s", name[i]
            for (f = 1; f <= 4; f++) {
                v = t[name[i], f]
                c = t["copy engine 16 MiB, within the GPU", f]
                if (v == "") printf "%18s", "-"
                else if (name[i] == "put 16 MiB" && c) printf "%10.1f us %4.2f", v / 1000, c / v
                else printf "%15.1f us", v / 1000
            }
            print ""
        }
    }' "$out"/0 "$out"/1 "$out"/2 "$out"/3

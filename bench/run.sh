#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "$0")")

usage() {
    cat <<'HELP'
bench/run.sh [-r ROUNDS]   measure the host API, and another OpenSHMEM next to it, on two cores

Every round runs ours, ours without checks, and the peer; the least of each case counts (default 5 rounds). On a busy
machine root gets steadier numbers with nice -n -19 before it. Variables:
  BUILD       build folder of this project (default build/default)
  PEER_NAME   what the peer is called in the table (default Open MPI)
  PEER_OSHCC  its compiler wrapper (default oshcc); when there is none, only ours is measured
  PEER_RUN    its launcher, up to the number of PEs (default mpirun with what Open MPI needs, and -np)
  PEER_BIND   launcher options that give each of two PEs a core (default --bind-to core)
  PEER_SHARE  launcher options for more PEs than cores (default --bind-to none --oversubscribe)
HELP
}
die() {
    printf 'bench: %s\n' "$*" >&2
    exit 1
}

rounds=5
while getopts r:h option; do
    case $option in
    r) rounds=$OPTARG ;;
    h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
    esac
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || die "-r $rounds: not a number of rounds"

build=${BUILD:-$here/../build/default}
[ -e "$build/CMakeCache.txt" ] || die "no build in $build: run ./dev bench, or set BUILD"
peer_name=${PEER_NAME:-Open MPI}
peer_oshcc=${PEER_OSHCC:-oshcc}
# The memory hooks of 4.1's UCX component crash in finalize.
read -ra peer_run <<<"${PEER_RUN:-mpirun --allow-run-as-root --mca opal_common_ucx_opal_mem_hooks 0 -np}"
read -ra peer_bind <<<"${PEER_BIND:---bind-to core}"
read -ra peer_share <<<"${PEER_SHARE:---bind-to none --oversubscribe}"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Two cores, also on a machine that has more.
cpus=$(python3 -c 'import os; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:2])))')
[[ $cpus == *,* ]] || die "this needs two cores"
two_cores=(taskset -c "$cpus" timeout 300)

cmake --build "$build" --target bench_host bench_gin_quiet oshrun >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; die "the build failed"; }
ours=$build/bench/bench_host oshrun=$build/bin/oshrun peer=
if command -v "$peer_oshcc" >/dev/null && command -v "${peer_run[0]}" >/dev/null; then
    "$peer_oshcc" -O2 -o "$tmp/peer" "$here/host.c" >"$tmp/log" 2>&1 ||
        { cat "$tmp/log" >&2; die "$peer_oshcc failed"; }
    peer=$tmp/peer
else
    echo "$peer_name is not measured: $peer_oshcc or ${peer_run[0]} is not installed"
fi

# result FILE COMMAND...: appends the command's output; on failure shows it.
result() {
    local file=$tmp/$1
    shift
    "${two_cores[@]}" "$@" >"$tmp/out" 2>"$tmp/err" && cat "$tmp/out" >>"$file" && return
    cat "$tmp/out" "$tmp/err" >&2
    echo "bench: failed: $*" >&2
}
# seconds FILE COMMAND...: appends the time that the command takes, under the name startup.
seconds() {
    local file=$1 from=$EPOCHREALTIME
    shift
    result nothing "$@"
    printf '64 PEs: start to end\t%d\n' $(((${EPOCHREALTIME/[.,]/} - ${from/[.,]/}) * 1000)) >>"$tmp/$file"
}
barrier4() { sed 's/^barrier/4 PEs: barrier/' "$tmp/four" >>"$tmp/$1" && rm "$tmp/four"; }

load=$(cut -d ' ' -f 1 /proc/loadavg)
touch "$tmp/ours" "$tmp/bare" "$tmp/peers"
for ((round = 1; round <= rounds; round++)); do
    printf '\rround %d of %d ' "$round" "$rounds" >&2
    result ours "$oshrun" --bind core -n 2 "$ours"
    GIN_SHMEM_CHECK=0 result bare "$oshrun" --bind core -n 2 "$ours"
    result four "$oshrun" -n 4 "$ours" barrier && barrier4 ours
    [ "$round" -gt 2 ] || seconds ours "$oshrun" -n 64 "$ours" startup
    [ -n "$peer" ] || continue
    result peers "${peer_run[@]}" 2 "${peer_bind[@]}" "$peer"
    result four "${peer_run[@]}" 4 "${peer_share[@]}" "$peer" barrier && barrier4 peers
    [ "$round" -gt 2 ] || seconds peers "${peer_run[@]}" 64 "${peer_share[@]}" "$peer" startup
done
printf '\r' >&2

# case | goal: "x F": at most F of the peer's time; "of F case": at least F of that case's rate; "s F": at most F seconds
cat >"$tmp/goals" <<'GOALS'
floor fetch_add|
floor ping-pong|
put 8 B + quiet|x 0.4
p + quiet|x 0.4
get 8 B|x 0.4
g|x 0.4
fetch_add|x 0.4
compare_swap|x 0.4
put_signal|x 0.45
barrier|x 0.5
iput 64|x 0.2
iget 64|x 0.2
malloc + free|x 1
memcpy 64 KiB|
put 64 KiB|of 0.95 memcpy 64 KiB
get 64 KiB|of 0.95 memcpy 64 KiB
memcpy 1 MiB|
put 1 MiB|of 0.95 memcpy 1 MiB
get 1 MiB|of 0.95 memcpy 1 MiB
4 PEs: barrier|x 1
64 PEs: start to end|s 5
sum 8 B|x 0.5
sum 64 KiB|x 0.5
broadcast 64 KiB|x 0.5
fcollect 4 KiB|x 0.5
alltoall 4 KiB|x 0.5
sum 8 B, active set|x 0.5
sum 64 KiB, active set|x 0.5
broadcast 64 KiB, active set|x 0.5
fcollect 4 KiB, active set|x 0.5
alltoall 4 KiB, active set|x 0.5
GOALS

printf 'cores %s; load average before: %s%s\n' "$cpus" "$load" \
    "$(awk -v l="$load" 'BEGIN { if (l > 0.5) print " (other programs run here: take the ratios as rough)" }')"
awk -F '\t' -v peer_name="$peer_name" -v ours="$tmp/ours" -v bare="$tmp/bare" -v peers="$tmp/peers" '
    function show(ns) {
        return ns == "" ? "-" : ns >= 1e8 ? sprintf("%.2f s", ns / 1e9) : ns >= 1e4 ? sprintf("%.1f us", ns / 1e3) \
                                                                             : sprintf("%.1f ns", ns)
    }
    FILENAME != "-" { if (!((FILENAME, $1) in least) || $2 < least[FILENAME, $1]) least[FILENAME, $1] = $2 + 0; next }
    FNR == 1 { printf "%-30s %10s %10s %10s %6s  %-10s\n", "case", "ours", "no checks", peer_name, "ratio", "goal" }
    {
        split($0, row, "|")
        split(row[2], goal, " ")
        o = least[ours, row[1]]; b = least[bare, row[1]]; p = least[peers, row[1]]
        ratio = verdict = text = ""
        if (o != "" && p != "") ratio = sprintf("%.2f", o / p)
        if (goal[1] == "x") {
            text = "<= " goal[2]
            if (ratio != "") verdict = o / p <= goal[2] ? "met" : "missed"
        } else if (goal[1] == "s") {
            text = "<= " goal[2] " s"
            if (o != "") verdict = o <= goal[2] * 1e9 ? "met" : "missed"
        } else if (goal[1] == "of") {
            text = ">= " goal[2] " memcpy"
            if (o != "") {
                of = least[ours, goal[3] " " goal[4] " " goal[5]] / o
                verdict = sprintf("%.2f, %s", of, of >= goal[2] ? "met" : "missed")
            }
        }
        printf "%-30s %10s %10s %10s %6s  %-10s %s\n", row[1], show(o), show(b), show(p), ratio, text, verdict
    }' "$tmp/ours" "$tmp/bare" "$tmp/peers" - <"$tmp/goals"
"${two_cores[@]}" "$build/bench/bench_gin_quiet"
cat <<'NOTES'
Times are of one operation; ping-pongs one way. put_signal is put, fence and a flag (p or atomic_set, the better) where
the peer is older than OpenSHMEM 1.5, and collectives over teams have no counterpart there.
NOTES

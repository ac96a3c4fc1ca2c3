# SPDX-License-Identifier: BSD-3-Clause
# Two hosts on this machine, for the tests of this folder, sourced by each: network namespaces node-a (10.77.1.1) and
# node-b (10.77.1.2), joined by a pair of virtual interfaces. All of it, processes included, lives in namespaces of this
# script's own, so nothing is left behind however it ends. $1 is the build folder.
set -u
BUILD=${1:?the build folder}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The first time: again, as process 1 of new namespaces. --kill-child: an unshare that is killed takes them along.
if [ -z "${GS_HOSTS_INSIDE:-}" ]; then
    for tool in unshare nsenter ip; do
        command -v $tool >/dev/null || { echo "skipped: no $tool (util-linux, iproute2)"; exit 77; }
    done
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(--map-root-user)
    enter=(unshare "${as_root[@]}" --mount --net --uts --ipc --pid --fork --kill-child --mount-proc)
    "${enter[@]}" unshare --net --uts ip link set lo up 2>/dev/null ||
        { echo "skipped: this machine does not let us make namespaces"; exit 77; }
    GS_HOSTS_INSIDE=1 exec "${enter[@]}" bash "$0" "$@"
fi

DIR=/mnt # in memory, and seen in here only
mount -t tmpfs gs-hosts $DIR || { echo "skipped: no tmpfs in a namespace"; exit 77; }
FAILED=0 PIDS=()
fail() { echo "FAILED: $*" >&2; FAILED=1; }
done_() {
    [ $FAILED = 0 ] && { echo passed; exit 0; }
    tail -n 20 "$DIR"/*.out "$DIR"/*.err >&2 2>/dev/null
    exit 1
}

for name in $(compgen -e); do
    case $name in
    SLURM_* | OMPI_* | PMI_* | PMIX_* | TORCHELASTIC_* | GIN_SHMEM_* | SHMEM_* | RANK | LOCAL_RANK | WORLD_SIZE | MASTER_* | UCX_*) unset "$name" ;;
    esac
done

printf '127.0.0.1 localhost\n10.77.1.1 node-a\n10.77.1.2 node-b\n' >"$DIR/hosts"
mount --bind "$DIR/hosts" /etc/hosts # seen in here only

# A namespace lives as long as a process in it. /sys shows the interfaces of whoever mounted it, and UCX looks there.
host_up() { # name
    mkdir "$DIR/cgroup-$1"
    unshare --net --uts --mount sh -c "
        mount --rbind /sys/fs/cgroup '$DIR/cgroup-$1' && mount -t sysfs sysfs /sys &&
        mount --rbind '$DIR/cgroup-$1' /sys/fs/cgroup && : >'$DIR/up-$1' && exec sleep 100000" &
    local pid=$! i
    for i in {1..100}; do [ -e "$DIR/up-$1" ] && break; sleep 0.02; done
    [ -e "$DIR/up-$1" ] || { echo "skipped: /sys cannot be mounted in a namespace"; exit 77; }
    eval "${1//-/_}=$pid"
}
host_up node-a
host_up node-b
on() { # host command...: exec, so that a background job is the command itself
    local pid=${1//-/_}; shift
    exec nsenter -t "${!pid}" --net --uts --mount "$@"
}
ip link add va type veth peer name vb && ip link set va netns $node_a && ip link set vb netns $node_b ||
    { echo "skipped: no virtual interfaces (veth) here"; exit 77; }
for h in a b; do
    (on node-$h hostname node-$h)
    (on node-$h ip link set lo up)
    (on node-$h ip addr add 10.77.1.$([ $h = a ] && echo 1 || echo 2)/24 dev v$h)
    (on node-$h ip link set v$h up)
done

# All of them share this machine's cores, which no PE can know. start N [VAR=VALUE...] -- COMMAND...: N PEs by torchrun's variables, the first half on node-a, the others on node-b. Files
# DIR/i.out and DIR/i.err.
start() {
    local n=$1 vars=() i h; shift
    while [ "$1" != -- ]; do vars+=("$1"); shift; done
    shift
    PIDS=()
    rm -f "$DIR"/*.out "$DIR"/*.err
    for ((i = 0; i < n; i++)); do
        h=node-a
        [ $i -lt $(((n + 1) / 2)) ] || h=node-b
        on $h env RANK=$i WORLD_SIZE=$n LOCAL_RANK=$((i % ((n + 1) / 2))) MASTER_ADDR=10.77.1.1 MASTER_PORT=29500 GIN_SHMEM_WAIT=yield \
            "${vars[@]}" "$@" </dev/null >"$DIR/$i.out" 2>"$DIR/$i.err" &
        PIDS+=($!)
    done
}

# finish SECONDS: waits for all, puts their statuses into STATUS and the time it took, in tenths of a second, into TOOK.
finish() {
    local i pid from=$((${EPOCHREALTIME/./} / 100000)) left=$(($1 * 20))
    for pid in "${PIDS[@]}"; do
        while kill -0 "$pid" 2>/dev/null && [ $left -gt 0 ]; do sleep 0.05; left=$((left - 1)); done
    done
    TOOK=$((${EPOCHREALTIME/./} / 100000 - from))
    STATUS=()
    for i in "${!PIDS[@]}"; do
        if kill -0 "${PIDS[i]}" 2>/dev/null; then
            fail "process $i still runs after $1 s"
            kill -9 "${PIDS[i]}"
        fi
        wait "${PIDS[i]}" 2>/dev/null
        STATUS+=($?)
    done
    PIDS=()
}
expect_status() { [ "${STATUS[*]}" = "$*" ] || fail "exit statuses ${STATUS[*]}, expected $*"; }
# lines TEXT COUNT: COUNT lines with TEXT in the standard errors of all together
lines() {
    local n; n=$(cat "$DIR"/*.err | grep -cF -- "$1")
    [ "$n" = "$2" ] || fail "$n lines with '$1', expected $2"
}
at_least() {
    local n; n=$(cat "$DIR"/*.err | grep -cF -- "$1")
    [ "$n" -ge "$2" ] || fail "$n lines with '$1', expected $2 at least"
}

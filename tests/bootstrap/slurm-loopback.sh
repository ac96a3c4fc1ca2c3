#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts a Slurm of one node (or of GS_SLURM_NODES) in a temporary folder, runs a command in it, stops it, and exits with the command's status:
#   slurm-loopback.sh srun --mpi=pmix -n 4 ./prog args
# The command finds SLURM_CONF set. 77: Slurm, its PMIx plugin or munge is not installed, or we may not start them.
# GS_SLURM_NODES: nodes as NAME:ADDRESS:PID, each in the network, host name and mount namespaces of that process; the
# controller and the command are on the first.
# GS_SLURM_CPUS: CPUs the node claims to have, 16 unless given. GS_SLURM_KEEP=1 keeps the folder and its logs.
set -u
PATH=$PATH:/usr/sbin:/sbin

skip() { echo "slurm-loopback: skipped: $*" >&2; exit 77; }
[ $# -gt 0 ] || { echo "usage: ${0##*/} command [argument...]" >&2; exit 2; }
for tool in slurmctld slurmd srun munged; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "slurmd needs root"
srun --mpi=list 2>&1 | grep -qw pmix || ls /usr/lib/*/slurm*/mpi_pmix.so >/dev/null 2>&1 || skip "this Slurm has no PMIx plugin"

dir=$(mktemp -d "${GS_SLURM_DIR:-/tmp}/gs-slurm.XXXXXX") || exit 1
pids=()
stop() {
    trap - EXIT INT TERM HUP
    local pid
    # The order matters: slurmd tells the controller, both want munge.
    for pid in $(printf '%s\n' "${pids[@]}" | tac); do
        kill "$pid" 2>/dev/null
        for _ in {1..50}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    if [ "${GS_SLURM_KEEP:-0}" = 1 ]; then echo "slurm-loopback: logs are in $dir" >&2; else rm -rf "$dir"; fi
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

free_port() { # a port that nothing uses just now, outside the range of outgoing connections
    local port
    while :; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo $port; return; }
    done
}
wait_for() { # seconds command...
    local end=$((SECONDS + $1)); shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

read -ra nodes <<<"${GS_SLURM_NODES:-$(hostname -s):127.0.0.1:}"
IFS=: read -r host address pid <<<"${nodes[0]}"
enter() { # pid command...
    local pid=$1; shift
    if [ -n "$pid" ]; then exec nsenter -t "$pid" --net --uts --mount "$@"; else exec "$@"; fi
}
mkdir -p "$dir"/{state,munge}
chmod 755 "$dir" "$dir/munge"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 400 "$dir/munge.key"
cat >"$dir/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host($address)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
TmpFS=$dir/tmp.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
SlurmdParameters=config_overrides
PlugStackConfig=/dev/null
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=5
MessageTimeout=20
$(for node in "${nodes[@]}"; do
    IFS=: read -r name at _ <<<"$node"
    echo "NodeName=$name NodeAddr=$at CPUs=${GS_SLURM_CPUS:-16} RealMemory=500"
done)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
echo 'CgroupAutomount=no' >"$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf

munged --foreground --force --key-file "$dir/munge.key" --socket "$dir/munge/socket" --pid-file "$dir/munge/pid" \
       --seed-file "$dir/munge/seed" --log-file "$dir/munge/log" >"$dir/munge/out" 2>&1 &
pids+=($!)
wait_for 5 test -S "$dir/munge/socket" || { cat "$dir/munge/out" >&2; skip "munged does not start"; }
enter "$pid" slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
pids+=($!)
for node in "${nodes[@]}"; do
    IFS=: read -r name _ at <<<"$node"
    mkdir -p "$dir/spool.$name" "$dir/tmp.$name"
    enter "$at" slurmd -D -f "$SLURM_CONF" -N "$name" >"$dir/slurmd.$name.out" 2>&1 &
    pids+=($!)
done
idle() { [ "$( (enter "$pid" sinfo -h -N -o %t) | grep -cw idle)" = ${#nodes[@]} ]; }
wait_for 15 idle ||
    { tail -n 20 "$dir"/slurm{ctld,d}*.{out,log} >&2; skip "Slurm does not come up"; }

(enter "$pid" "$@")
exit $?

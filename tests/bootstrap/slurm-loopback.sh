#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Starts a Slurm of one node in a temporary folder, runs a command in it, stops it, and exits with the command's status:
#   slurm-loopback.sh srun --mpi=pmix -n 4 ./prog args
# The command finds SLURM_CONF set. 77: Slurm, its PMIx plugin or munge is not installed, or we may not start them.
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

dir=$(mktemp -d /tmp/gs-slurm.XXXXXX) || exit 1
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

host=$(hostname -s)
mkdir -p "$dir"/{state,spool,munge}
chmod 755 "$dir" "$dir/munge"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 400 "$dir/munge.key"
cat >"$dir/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
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
NodeName=$host NodeAddr=127.0.0.1 CPUs=${GS_SLURM_CPUS:-16} RealMemory=500
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
echo 'CgroupAutomount=no' >"$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf

munged --foreground --force --key-file "$dir/munge.key" --socket "$dir/munge/socket" --pid-file "$dir/munge/pid" \
       --seed-file "$dir/munge/seed" --log-file "$dir/munge/log" >"$dir/munge/out" 2>&1 &
pids+=($!)
wait_for 5 test -S "$dir/munge/socket" || { cat "$dir/munge/out" >&2; skip "munged does not start"; }
slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$dir/slurmd.out" 2>&1 &
pids+=($!)
wait_for 15 bash -c 'sinfo -h -o %t | grep -qw idle' ||
    { tail -n 20 "$dir"/slurm{ctld,d}.{out,log} >&2; skip "the one-node Slurm does not come up"; }

"$@"
exit $?

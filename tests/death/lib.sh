# SPDX-License-Identifier: BSD-3-Clause
# For the death tests, sourced by each. The first argument of a test is the launcher: oshrun, mpirun, or env (the variables
# of torchrun, no launcher at all).
set -u
LAUNCHER=${1:-oshrun} PE=${GS_DEATH_PE:?the program to run} OSHRUN=${GS_OSHRUN:?the oshrun to use}
DIR=$(mktemp -d "${TMPDIR:-/tmp}/gs-death.XXXXXX") || exit 1
mkdir "$DIR/tmp"
FAILED=0 JOBS=0
export DEATH_DIR=$DIR

SEED=${GIN_SHMEM_TEST_SEED:-$((${EPOCHREALTIME/[.,]/} % 1000000007))}
echo "repeat with GIN_SHMEM_TEST_SEED=$SEED"
RANDOM=$((SEED % 32768))

for name in $(compgen -e); do
    case $name in
    SLURM_* | OMPI_* | PMI_* | PMIX_* | GIN_SHMEM_* | SHMEM_* | SMA_* | RANK | LOCAL_RANK | WORLD_SIZE | MASTER_*) unset "$name" ;;
    esac
done
if [ "$LAUNCHER" = mpirun ]; then
    command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI' || { echo "skipped: no Open MPI mpirun"; exit 77; }
    MPIRUN=(mpirun --oversubscribe --bind-to none)
    [ "$(id -u)" != 0 ] || MPIRUN+=(--allow-run-as-root)
fi

MARK=m$$-${EPOCHREALTIME/[.,]/} # in the environment of every process of our jobs
left() { grep -laF -- "DEATH_MARK=$MARK" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
clean() {
    left | xargs -r kill -9 2>/dev/null
    rm -rf "$DIR"
}
trap clean EXIT
trap 'exit 1' INT TERM

fail() { echo "FAILED: $WHAT: $*" >&2; FAILED=1; tail -n 5 "$DIR"/err* >&2; }
shm() { ls -A /dev/shm 2>/dev/null | grep -E 'gin_shmem|oshrun|pmix|gs_' | sort; }

# begin N ACTIVITY DEED VICTIM MS [CODE]: starts the job. PIDS are the processes that were started here.
begin() {
    N=$1 VICTIM=$4 WHAT="$LAUNCHER -n $*"
    shift
    JOBS=$((JOBS + 1))
    rm -f "$DIR"/pid.* "$DIR"/up.* "$DIR"/deed* "$DIR"/err* "$DIR"/out*
    SHM_BEFORE=$(shm)
    PIDS=()
    case $LAUNCHER in
    oshrun | mpirun)
        if [ $LAUNCHER = oshrun ]; then set -- "$OSHRUN" -n "$N" "$PE" "$@"; else set -- "${MPIRUN[@]}" -n "$N" "$PE" "$@"; fi
        TMPDIR=$DIR/tmp DEATH_MARK=$MARK "$@" </dev/null >"$DIR/out" 2>"$DIR/err" &
        PIDS=($!) ;;
    env)
        local port i
        while port=$((10000 + (RANDOM * 32768 + RANDOM) % 22000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
        for ((i = 0; i < N; i++)); do
            TMPDIR=$DIR/tmp DEATH_MARK=$MARK RANK=$i LOCAL_RANK=$i WORLD_SIZE=$N MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
                GIN_SHMEM_CONNECT_TIMEOUT=20 "$PE" "$@" </dev/null >"$DIR/out.$i" 2>"$DIR/err.$i" &
            PIDS+=($!)
        done ;;
    *) echo "unknown launcher $LAUNCHER"; exit 1 ;;
    esac
}

# victim_pid: waits for the victim's process number, and gives it as VICTIM_PID
victim_pid() {
    local tries=400
    until [ -s "$DIR/pid.$VICTIM" ] || [ $((tries -= 1)) = 0 ]; do sleep 0.01; done
    VICTIM_PID=$(cat "$DIR/pid.$VICTIM" 2>/dev/null) || { fail "PE $VICTIM has not started"; VICTIM_PID=; return 1; }
}
all_up() {
    local tries=2000
    until [ "$(ls "$DIR" | grep -c '^up\.[0-9]*$')" = "$N" ] || [ $((tries -= 1)) = 0 ]; do sleep 0.01; done
    [ $tries -gt 0 ] || fail "does not start"
}
deed_now() { echo "$EPOCHREALTIME" >"$DIR/deed"; }

# finish: waits for the end and asserts that it comes in time and leaves nothing. STATUSES: of PIDS. With mpirun the daemon
# needs longer; a machine with much to do gets more time, too.
finish() {
    local limit load i pid deed end tries
    load=$(awk '{ split($4, r, "/"); print r[1] }' /proc/loadavg)
    limit=$(awk -v l="$load" -v c="$(nproc)" -v f="${GS_TIME_FACTOR:-1}" -v m=$LAUNCHER \
        'BEGIN { printf "%d", ((m == "mpirun" ? 6 : 2) + l / c * 0.5) * f * 1000 }')
    STATUSES=()
    local hard=$((SECONDS + 20 + limit / 1000))
    for pid in "${PIDS[@]}"; do
        while kill -0 "$pid" 2>/dev/null && [ $SECONDS -lt $hard ]; do sleep 0.005; done
    done
    end=$EPOCHREALTIME
    for pid in "${PIDS[@]}"; do
        kill -0 "$pid" 2>/dev/null && { fail "process $pid still runs"; left | xargs -r ps -o pid,stat,wchan,args -p >&2; }
        kill -9 "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        STATUSES+=($?)
    done
    if [ -s "$DIR/deed" ]; then
        deed=$(cat "$DIR/deed")
        TOOK=$(awk -v a="${deed/,/.}" -v b="${end/,/.}" 'BEGIN { printf "%d", (b - a) * 1000 }')
        echo "$WHAT: ended after $TOOK ms with ${STATUSES[*]}: $(cat "$DIR"/err* | head -n 1)"
        [ "$TOOK" -lt "$limit" ] || fail "ended $TOOK ms after the deed, allowed are $limit"
    fi
    tries=40
    while [ -n "$(left)" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.025; done
    [ -z "$(left)" ] || { fail "left: $(left | xargs -r ps -o pid,args -p)"; left | xargs -r kill -9; }
    [ -z "$(ls -A "$DIR/tmp")" ] || { fail "files left: $(ls -A "$DIR/tmp")"; rm -rf "$DIR/tmp"; mkdir "$DIR/tmp"; }
    [ "$(shm)" = "$SHM_BEFORE" ] || fail "in /dev/shm: $(shm)"
}

# status FOR_THE_LAUNCHER [OF_THE_VICTIM OF_OTHERS]: what STATUSES must be; without a launcher each process has its own.
status() {
    local want=("$1") i
    [ $LAUNCHER = env ] && for ((i = 0; i < N; i++)); do want[i]=$([ $i = "$VICTIM" ] && echo "${2:-$1}" || echo "${3:-1}"); done
    [ "${STATUSES[*]}" = "${want[*]}" ] || fail "status ${STATUSES[*]}, expected ${want[*]}"
}
bad_status() { [ "${STATUSES[0]}" != 0 ] || fail "status 0"; }

# says TEXT: in standard error
says() { cat "$DIR"/err* | grep -qE -- "$1" || fail "does not say '$1'"; }
silent() { [ -z "$(cat "$DIR"/err*)" ] || fail "says something"; }

pass() {
    [ $FAILED = 0 ] || exit 1
    echo "passed: $JOBS jobs"
    exit 0
}

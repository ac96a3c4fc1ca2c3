# SPDX-License-Identifier: BSD-3-Clause
# For the tests of the bootstraps, sourced by each. PE is the program of pe.c.
set -u
PE=${GS_BOOT_BIN:?the folder of the test programs}/pe
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DIR=$(mktemp -d "${TMPDIR:-/tmp}/gs-boot.XXXXXX") || exit 1
PIDS=() FAILED=0

# No trace of the launcher that runs the tests; an administrator's settings stay.
for name in $(compgen -e); do
    case $name in
    PMIX_MCA_* | OMPI_MCA_plm* | OMPI_MCA_btl*) ;;
    SLURM_* | OMPI_* | PMI_* | PMIX_* | TORCHELASTIC_* | GIN_SHMEM_* | SHMEM_* | SMA_* | RANK | LOCAL_RANK | WORLD_SIZE | MASTER_* | *_WORLD_SIZE)
        [ "$name" = SLURM_CONF ] || unset "$name" ;;
    esac
done
export GIN_SHMEM_CONNECT_TIMEOUT=20
# Sanitizers: PEs that leave in a hurry leave threads; libpmix keeps a little.
export TSAN_OPTIONS="${TSAN_OPTIONS:-} report_thread_leaks=0 suppressions=$HERE/../tsan.supp"
export LSAN_OPTIONS="${LSAN_OPTIONS:-} suppressions=$HERE/../lsan.supp print_suppressions=0"

clean() {
    [ ${#PIDS[@]} = 0 ] || kill -9 "${PIDS[@]}" 2>/dev/null
    rm -rf "$DIR"
}
trap clean EXIT
trap 'exit 1' INT TERM

fail() { echo "FAILED: $*" >&2; FAILED=1; }
done_() { [ $FAILED = 0 ] || { show; exit 1; }; echo "passed"; exit 0; }
show() { tail -n 8 "$DIR"/*.out "$DIR"/*.err 2>/dev/null; }

free_port() { # below the range of outgoing connections, with free ports above it, most likely
    local port
    while :; do
        port=$((10000 + (RANDOM * 32768 + RANDOM) % 2200 * 10))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo $port; return; }
    done
}

# start N [VAR=VALUE|-VAR...] -- ARGUMENT...: PEs 0 to N-1 in the torchrun environment. PE_i_ARGS replaces one PE's arguments,
# PE_i_ENV adds to its environment. The files are DIR/i.out and DIR/i.err.
start() {
    local n=$1 vars=() without=() i; shift
    while [ "$1" != -- ]; do
        case $1 in -*) without+=(-u "${1#-}") ;; *) vars+=("$1") ;; esac
        shift
    done
    shift
    : "${PORT:=$(free_port)}"
    PIDS=()
    rm -f "$DIR"/*.out "$DIR"/*.err
    for ((i = 0; i < n; i++)); do
        local own_args=PE_${i}_ARGS own_env=PE_${i}_ENV
        local args=("$@")
        [ -z "${!own_args:-}" ] || read -ra args <<<"${!own_args}"
        env RANK=$i WORLD_SIZE=$n LOCAL_RANK=$i MASTER_ADDR=127.0.0.1 MASTER_PORT="$PORT" \
            env "${without[@]}" "${vars[@]}" ${!own_env:-} "$PE" "${args[@]}" </dev/null >"$DIR/$i.out" 2>"$DIR/$i.err" &
        PIDS+=($!)
    done
}

# finish SECONDS: waits for all and puts their statuses into STATUS; what has not ended by then is killed and is a failure.
finish() {
    local i pid left=$(($1 * 20))
    for pid in "${PIDS[@]}"; do
        while kill -0 "$pid" 2>/dev/null && [ $left -gt 0 ]; do sleep 0.05; left=$((left - 1)); done
    done
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

# lines TEXT COUNT: COUNT lines with TEXT in the standard errors of all processes together
lines() {
    local n; n=$(cat "$DIR"/*.err | grep -cF -- "$1")
    [ "$n" = "$2" ] && return
    fail "$n lines with '$1', expected $2:"
    cat "$DIR"/*.err | grep -F -- "$1" | head -n 20 >&2
}

at_least() {
    local n; n=$(cat "$DIR"/*.err | grep -cF -- "$1")
    [ "$n" -ge "$2" ] || fail "$n lines with '$1', expected $2 at least"
}

need_mpirun() {
    command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI' || { echo "skipped: no Open MPI mpirun"; exit 77; }
    MPIRUN=(mpirun --oversubscribe --bind-to none)
    [ "$(id -u)" != 0 ] || MPIRUN+=(--allow-run-as-root)
}

# launch SECONDS COMMAND...: STATUS is the launcher's; output in DIR/0.out, DIR/0.err
launch() {
    local s=$1; shift
    rm -f "$DIR"/*.out "$DIR"/*.err
    timeout -k 2 "$s" "$@" </dev/null >"$DIR/0.out" 2>"$DIR/0.err"
    STATUS=($?)
}

# SPDX-License-Identifier: BSD-3-Clause
# For the launcher's tests, sourced by each. OSHRUN and PE are the programs.
set -u
OSHRUN=${GS_OSHRUN:?the oshrun to test} PE=${GS_LAUNCHER_PE:?the test program}
DIR=$(mktemp -d "${TMPDIR:-/tmp}/gs-oshrun.XXXXXX") || exit 1
FAILED=0 STATUS=0
AWK=$(type -P awk) # tests change PATH
mkdir "$DIR/tmp"
export TMPDIR=$DIR/tmp # must be empty at the end

for name in $(compgen -e); do
    case $name in
    SLURM_* | OMPI_* | PMI_* | PMIX_* | GIN_SHMEM_* | SHMEM_* | SMA_*) unset "$name" ;;
    esac
done

clean() { rm -rf "$DIR"; }
trap clean EXIT
trap 'exit 1' INT TERM

fail() { echo "FAILED: $*" >&2; FAILED=1; }
pass() {
    [ -z "$(ls -A "$TMPDIR")" ] || fail "files left: $(ls -A "$TMPDIR")"
    [ $FAILED = 0 ] || { tail -n 20 "$DIR/out" "$DIR/err" 2>/dev/null; exit 1; }
    echo passed
    exit 0
}

# run ARGUMENT...: oshrun with output in DIR/out and DIR/err, its status in STATUS, and in SECS the seconds (a decimal)
# that it took, since a PE made the file STAMP where one did.
export STAMP=$DIR/stamp
run() {
    local t0=$EPOCHREALTIME
    rm -f "$STAMP"
    timeout -k 2 $((30 * ${GS_TIME_FACTOR:-1})) "$OSHRUN" "$@" <"${IN:-/dev/null}" >"$DIR/out" 2>"$DIR/err"
    STATUS=$?
    [ ! -e "$STAMP" ] || t0=$(stat -c %.6Y "$STAMP")
    SECS=$("$AWK" "BEGIN { print $EPOCHREALTIME - $t0 }")
    WHAT="oshrun $*"
}
expect() { # STATUS [TEXT...]: that status, and each text in stderr
    [ "$STATUS" = "$1" ] || fail "$WHAT: status $STATUS, expected $1: $(head -n 3 "$DIR/err")"
    shift
    for text; do grep -qF -- "$text" "$DIR/err" || fail "$WHAT: no '$text' in: $(head -n 5 "$DIR/err")"; done
}
quiet() { [ ! -s "$DIR/err" ] || fail "$WHAT: says $(head -n 3 "$DIR/err")"; }
output() { # TEXT: what stdout is, lines sorted
    [ "$(sort "$DIR/out")" = "$1" ] || fail "$WHAT: output is: $(head -n 8 "$DIR/out")"
}
# Processes that carry the mark below in their environment.
left() { grep -laF -- "MARK=$MARK" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }
# A text that only this run of the test has, and how PEs carry it: oshrun -x "MARK=$MARK"
MARK=m$$-${EPOCHREALTIME/[.,]/}
gone() { # SECONDS: nothing marked is left after that long
    local tries=$(($1 * 20))
    while [ -n "$(left)" ] && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
    [ -z "$(left)" ] || { fail "$WHAT: left: $(left | xargs -r ps -o pid,args -p)"; left | xargs -r kill -9; }
}
under() { "$AWK" "BEGIN { exit !($SECS < $1 * ${GS_TIME_FACTOR:-1}) }" || fail "$WHAT: took $SECS s, expected under $1"; }
wait_for() { # FILE: exists and is not empty
    local tries=200
    until [ -s "$1" ] || [ $((tries -= 1)) = 0 ]; do sleep 0.05; done
    [ -s "$1" ] || fail "no $1"
}

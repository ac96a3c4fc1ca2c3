#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# At a terminal: input goes to PE 0, its unfinished prompt is shown, Ctrl-C ends the job.
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
timeout 25 python3 - "$OSHRUN" <<'PY' || fail "terminal: status $?"
import os, pty, select, signal, sys, time
def session(args):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1]] + args)
    return pid, fd
def read_until(fd, text, seconds=10):
    got, end = b"", time.time() + seconds
    while text not in got and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got += os.read(fd, 4096)
            except OSError:
                break
    if text not in got:
        sys.exit("no %r in %r" % (text, got))
    return got
def status(pid):
    s = os.waitpid(pid, 0)[1]
    return os.WEXITSTATUS(s) if os.WIFEXITED(s) else -os.WTERMSIG(s)
pid, fd = session(["-n", "2", "sh", "-c",
                   "[ $PMIX_RANK = 0 ] || exit 0; printf 'name? '; read n; echo hello $n; cat >/dev/null; echo end"])
read_until(fd, b"name? ")
os.write(fd, b"world\n")
read_until(fd, b"hello world")
os.write(fd, b"\x04")
read_until(fd, b"end")
if status(pid):
    sys.exit("status after end of input")
pid, fd = session(["-n", "2", "sleep", "60"])
time.sleep(0.5)
os.write(fd, b"\x03")
read_until(fd, b"ended by SIGINT")
if status(pid) != 130:
    sys.exit("status after Ctrl-C")
PY
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Wrong command lines: one or two lines that say what to do, and the status that shells use.
. "${0%/*}/lib.sh"
cd "$DIR" || exit 1
bad() { # STATUS TEXT ARGUMENT...
    local s=$1 text=$2; shift 2
    run "$@"; expect "$s" "$text"
    [ "$(wc -l <"$DIR/err")" -le 2 ] || fail "$WHAT: more than two lines"
    [ ! -s "$DIR/out" ] || fail "$WHAT: writes to stdout"
}
bad 2 'no program given'
bad 2 'no program given' -n 4
bad 2 'needs a value' -n
bad 2 'whole number' -n 0 true
bad 2 'whole number' -n abc true
bad 2 'whole number' -n -3 true
bad 2 'whole number' -n 3x true
bad 2 'whole number' -n 99999999999999999999 true
bad 2 'more than 4096 PEs' -n 4097 true
bad 2 'unknown option --frob' --frob true
bad 2 'unknown option -q' -q true
bad 2 'choose none, core' --bind moon true
bad 2 '-x =3' -x =3 true
bad 2 'unknown; choose srun' --launcher rsh true
bad 2 'not a number of nodes' --fake-nodes none true
bad 2 'more nodes than PEs' -n 2 --fake-nodes 3 true
bad 2 '/nowhere' --wdir /nowhere true
bad 2 'is no host name' -H a,,b true
bad 2 'after the colon' -H a:x true
bad 2 'nofile' --hostfile nofile true
bad 2 'choose one' -H a --hostfile b true
bad 2 'does not fit' -H a,b -N 2 -n 5 true
bad 127 'no program nosuchprogram' -n 3 nosuchprogram
bad 127 'no program ./nosuch' -n 3 ./nosuch
bad 126 'is a directory' -n 3 /
echo 'not a program' >data; bad 126 'not executable' -n 3 ./data
printf '#!/no/such/interpreter\n' >script; chmod +x script; bad 127 'interpreter' -n 3 ./script
printf '\177ELF\2\1\1junk' >elf; chmod +x elf; run -n 3 ./elf; [ "$STATUS" != 0 ] || fail "a broken program passed"
cp "$(type -P true)" here; bad 127 'did you mean ./here' here
run --help; expect 0; quiet; grep -q 'usage: oshrun' "$DIR/out" || fail "--help says nothing"
run --version; expect 0; quiet; grep -Eq '^oshrun .*libpmix [0-9]' "$DIR/out" || fail "--version says $(cat "$DIR/out")"
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A reader that goes away ends the PEs as it would end a program that writes to it, quietly; a full disk is told.
. "${0%/*}/lib.sh"
{ timeout 20 "$OSHRUN" -n 3 -x "MARK=$MARK" yes 2>"$DIR/err"; echo $? >"$DIR/status"; } | head -n 1 >"$DIR/out"
STATUS=$(cat "$DIR/status") WHAT="oshrun yes | head"; expect 141; quiet; gone 0
if [ -w /dev/full ]; then
    timeout 20 "$OSHRUN" -n 2 -x "MARK=$MARK" yes >/dev/full 2>"$DIR/err"
    STATUS=$? WHAT="oshrun yes >/dev/full"; expect 1 'No space left'; gone 0
fi
pass

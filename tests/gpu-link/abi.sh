#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A core of another build is refused before anything else happens. abi.sh test_program module
set -u
out=$("$1" "$2" 999) rc=$?
echo "$out"
[ $rc = 3 ] || { echo "exit code $rc, not 3"; exit 1; }
[[ $out == *"another build"* ]] || { echo "the reason does not name the build"; exit 1; }

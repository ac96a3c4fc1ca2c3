#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a failing kernel reports is complete, and comes before the kernel's end.
#   report.sh OSHRUN PROGRAM
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
timeout 20 "$1" -n 1 "$2" >"$out" 2>&1 && { cat "$out"; echo "the program succeeds"; exit 1; }
wanted='block (1,0,0), thread (5,0,0): gin_shmem_p: there is no PE 77; PEs are 0 to 0'
grep -qF "$wanted" "$out" && [ "$(grep -c 'block (' "$out")" = 1 ] || { cat "$out"; echo "wanted, alone: $wanted"; exit 1; }

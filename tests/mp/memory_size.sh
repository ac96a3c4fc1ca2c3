#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# memory_size.sh OSHRUN PROGRAM: the grammar of SHMEM_SYMMETRIC_SIZE, as a PE sees it.
run() { # value bytes
    "$1" -n 2 -x SHMEM_SYMMETRIC_SIZE="$3" "$2" "$4" 2>"$err"
    rc=$?
    if [ $rc != 0 ] && [ $rc != 77 ]; then
        cat "$err"
        echo "SHMEM_SYMMETRIC_SIZE=$3 is not $4 bytes"
        exit 1
    fi
}
err=$(mktemp) || exit 1
trap 'rm -f "$err"' EXIT
run "$1" "$2" 1048576 1048576
run "$1" "$2" 2M 2097152
run "$1" "$2" 2m 2097152
run "$1" "$2" 1.5M 1572864
run "$1" "$2" 512K 524288
run "$1" "$2" 0.25g 268435456
run "$1" "$2" 1e6 1000000
run "$1" "$2" 1E3k 1024000
run "$1" "$2" 0.001T 1099511628
run "$1" "$2" 1MiB 1048576 # what follows the multiplier does not count
run "$1" "$2" 0 0
for bad in 10Q -1M "" M 1e99G nan; do
    if "$1" -n 2 -x SHMEM_SYMMETRIC_SIZE="$bad" "$2" 1 2>"$err"; then
        echo "SHMEM_SYMMETRIC_SIZE=$bad is accepted"
        exit 1
    fi
    grep -q 'SHMEM_SYMMETRIC_SIZE' "$err" || { cat "$err"; echo "no message names SHMEM_SYMMETRIC_SIZE=$bad"; exit 1; }
done
# The old name still works, and the new one wins.
SMA_SYMMETRIC_SIZE=3M "$1" -n 2 "$2" 3145728 2>"$err" || { cat "$err"; echo SMA_SYMMETRIC_SIZE; exit 1; }
SMA_SYMMETRIC_SIZE=3M SHMEM_SYMMETRIC_SIZE=4M "$1" -n 2 "$2" 4194304 2>"$err" || { cat "$err"; echo both; exit 1; }

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# torchrun's variables: every byte of allgathers of many lengths, with 1, 2, 4 and 16 PEs.
. "${0%/*}/lib.sh"
for n in 1 2 4 16; do
    unset PORT
    start $n -- gather 9
    finish 20
    expect_status $(printf '0 %.0s' $(seq $n))
    lines '' 0
done
start 3 MASTER_ADDR=localhost -- gather 3
finish 20
expect_status 0 0 0
done_

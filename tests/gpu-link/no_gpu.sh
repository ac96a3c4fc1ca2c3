#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The module loads on a machine without a driver, and says why it cannot work. no_gpu.sh test_program module
set -u
out=$("$1" "$2") rc=$?
echo "$out"
if [ -e /dev/nvidiactl ]; then
    # A driver is there: then no GPU may be visible.
    out=$(CUDA_VISIBLE_DEVICES=none "$1" "$2") rc=$?
    echo "$out"
fi
[ $rc = 3 ] || { echo "exit code $rc, not 3"; exit 1; }
case $out in
*driver* | *GPU*) ;;
*) echo "the reason names neither driver nor GPU"; exit 1 ;;
esac

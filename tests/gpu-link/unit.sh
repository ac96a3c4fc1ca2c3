#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program with kernels on a machine without a GPU: runs on host memory and says so; refuses with GIN_SHMEM_HEAP=device.
# unit.sh oshrun program
set -u
export CUDA_VISIBLE_DEVICES=none
fail() { echo "$*"; exit 1; }
out=$(GIN_SHMEM_HEAP=auto "$1" -n 2 "$2" 2>&1) || fail "auto: $out"
[[ $out == *"PE 0: right"* && $out == *"PE 1: right"* ]] || fail "auto: $out"
[[ $out == *"host memory"* ]] || fail "auto says nothing of host memory: $out"
out=$(GIN_SHMEM_HEAP=host "$1" -n 2 "$2" 2>&1) || fail "host: $out"
[[ $out != *GPU* ]] || fail "host speaks of GPUs: $out"
out=$(GIN_SHMEM_HEAP=device "$1" -n 2 "$2" 2>&1) && fail "device: no error: $out"
[[ $out == *"no usable GPU"* && $out == *GIN_SHMEM_HEAP=host* ]] || fail "device: $out"

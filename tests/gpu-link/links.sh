#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the libraries need and export: the core no CUDA, the module neither the driver nor NCCL nor a shared CUDA runtime.
# links.sh core module
set -u
fail=0
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'; }
for lib in "$1" "$2"; do
    if needed "$lib" | grep -E 'libcuda|libnccl|libcudart|libucp'; then
        echo "$lib needs the above at load time"
        fail=1
    fi
done
exported=$(nm -D --defined-only "$2" | awk '$2 != "A" { print $3 }')
if [ "$exported" != gs_device_module ]; then
    echo "the module exports: $exported"
    fail=1
fi
exit $fail

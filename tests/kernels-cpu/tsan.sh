# SPDX-License-Identifier: BSD-3-Clause
# ThreadSanitizer names the lines of two threads of a block between which a barrier is missing.
out=$("$BIN/wrong" race 2>&1)
status=$?
source=$(dirname "$0")/wrong.cu
write=$(grep -n 'p\[threadIdx.x\] = (int)threadIdx.x' "$source" | cut -d: -f1)
read=$(grep -n 'p\[32 + threadIdx.x\] =' "$source" | cut -d: -f1)
[ "$status" -ne 0 ] && grep -q 'data race' <<<"$out" && grep -qE "#0 race.*wrong\.cu:$write" <<<"$out" &&
    grep -qE "#0 race.*wrong\.cu:$read" <<<"$out" && exit 0
printf 'exit code %s; no report of wrong.cu:%s and :%s:\n%s\n' "$status" "$write" "$read" "$out"
exit 1

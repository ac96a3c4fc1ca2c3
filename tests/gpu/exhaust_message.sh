# SPDX-License-Identifier: BSD-3-Clause
# The line that says why shmem_malloc gave NULL: how much is free, and which variable matters.
# run: alone
out=$("$OSHRUN" -n "$PES" "$BIN/exhaust" 2>&1) || { printf '%s\n' "$out"; exit 1; }
grep -qi 'free' <<<"$out" && grep -q 'SHMEM_SYMMETRIC_SIZE' <<<"$out" && exit
printf 'no line names the free memory and the variable:\n%s\n' "$out"
exit 1

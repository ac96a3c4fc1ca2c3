# SPDX-License-Identifier: BSD-3-Clause
# AddressSanitizer names the line of a kernel that stores beyond the end of its memory.
out=$("$BIN/wrong" bad_store 2>&1)
status=$?
line=$(grep -n 'beyond the end' "$(dirname "$0")/wrong.cu" | cut -d: -f1)
[ "$status" -ne 0 ] && grep -q 'heap-buffer-overflow' <<<"$out" && grep -qE "#0 .* in bad_store.*wrong\.cu:$line" <<<"$out" &&
    exit 0
printf 'exit code %s; no report of wrong.cu:%s:\n%s\n' "$status" "$line" "$out"
exit 1

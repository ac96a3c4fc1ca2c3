# SPDX-License-Identifier: BSD-3-Clause
# oshc++ compiles an example for the CPU as it is, and in two steps; oshrun runs it.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bin=$(dirname "$OSHRUN")
"$bin/oshc++" -O1 -g "$EXAMPLES/hello_gpu.cu" -o "$dir/one" || exit 1
"$bin/oshc++" -O1 -g -c "$EXAMPLES/hello_gpu.cu" -o "$dir/two.o" && "$bin/oshc++" "$dir/two.o" -o "$dir/two" -lginshmem_cpu || exit 1
for program in one two; do
    out=$(timeout 30 "$OSHRUN" -n 2 "$dir/$program" 2>&1) && grep -q 'verified (0 wrong on 2 PEs)' <<<"$out" && continue
    printf '%s: exit code %s\n%s\n' "$program" "$?" "$out"
    exit 1
done

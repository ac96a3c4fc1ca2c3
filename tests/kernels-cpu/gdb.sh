# SPDX-License-Identifier: BSD-3-Clause
# gdb stops in a kernel: at a breakpoint of one thread of one block, with its variables, its indices and its callers.
command -v gdb >/dev/null || { echo 'gdb is not installed'; exit 77; }
out=$(timeout 50 gdb -batch -nx -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
    -ex 'break bad_store if gin_shmem_cpu_self->thread.x == 2' -ex run -ex backtrace \
    -ex 'print count' -ex 'print gin_shmem_cpu_self->thread.x' -ex 'print gin_shmem_cpu_self->block_dim' -ex kill \
    --args "$BIN/wrong" bad_store 2>&1 </dev/null)
case $out in
*'ptrace: Operation not permitted'* | *'Could not trace'*) echo 'this host does not allow gdb to trace'; exit 77 ;;
esac
for word in 'hit Breakpoint 1, bad_store' 'wrong.cu:' '#0  bad_store (p=0x' '= 64' '= 2' 'x = 4, y = 1, z = 1'; do
    grep -qF -- "$word" <<<"$out" || { printf 'gdb does not say "%s":\n%s\n' "$word" "$out"; exit 1; }
done

# SPDX-License-Identifier: BSD-3-Clause
# The debug build (GIN_SHMEM_DEVICE_CHECK): a PE that does not exist, a range that leaves its window, an address that is
# not symmetric: each ends the job, before any access, with a report of who, what and where.
# run: timeout 200
. "$(dirname "$0")/part_expect.sh"
last=$((PES - 1))
export SHMEM_SYMMETRIC_SIZE=64m # windows of less than the program's FAR
check() { expect part_device_check "$@"; }
where='block \([0-9]+,0,0\), thread \([0-9]+,0,0\)'

# A program without mistakes runs.
out=$(timeout -k 2 40 "$OSHRUN" -n "$PES" "$BIN/part_device_check" none 2>&1) ||
    { printf 'none: %s\n' "$out"; fails=1; }

no_pe() { check "$1" "PE $last" "$where" "$2" "there is no PE $3; PEs are 0 to $last"; }
no_pe pe-high 'gin_shmem_put_block' "$PES"
no_pe pe-negative 'gin_shmem_atomic_inc' -1
no_pe pe-signal 'gin_shmem_put_signal' "$((PES + 7))"

not_symmetric() { check "$1" "PE $last" "$where" "$2" "$3 bytes at 0x[0-9a-f]+ are not symmetric memory"; }
far=$((1 << 30))
not_symmetric range-put 'gin_shmem_put_block' "$far"
not_symmetric range-get 'gin_shmem_get_warp' "$far"
not_symmetric range-wait 'gin_shmem_wait_until_any' "$far"
not_symmetric range-reduce 'gin_shmem_reduce_block' "$far"
not_symmetric range-host 'gin_shmem_put' "$((1 << 60))"
not_symmetric plain-put 'gin_shmem_put' 8
not_symmetric plain-atomic 'gin_shmem_atomic_fetch_add' 4
not_symmetric plain-signal 'gin_shmem_signal_fetch' 8
not_symmetric plain-wait 'gin_shmem_wait_until' 4

# Without the debug build, a wait before shmem_init would look at its own memory, and never end.
N=1 check before-init-wait 'gin_shmem_wait_until: called in a kernel before shmem_init' 'the kernel ended: '
exit $fails

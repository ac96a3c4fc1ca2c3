# SPDX-License-Identifier: BSD-3-Clause
# Device code used wrongly, and waits that never end: each ends the job with a message that says what happened, where.
# run: timeout 200
. "$(dirname "$0")/part_expect.sh"
fault() { expect part_faults "$@"; }
last=$((PES - 1))
N=1 fault before-init 'gin_shmem_p: called in a kernel before shmem_init' 'the kernel ended: '
N=1 fault after-finalize 'gin_shmem_p: called in a kernel before .* or after shmem_finalize' 'the kernel ended: '
for what in put-block get-warp atomic signal barrier reduce wait my-pe; do
    N=1 expect part_before_init "$what" 'called in a kernel before shmem_init' 'the kernel ended: '
done
fault wait "PE $last" 'wait_until' 'GIN_SHMEM_TIMEOUT|timeout|timed out|seconds' '77' '0'
fault wait-block "PE $last" 'signal_wait_until' 'block' '2' '1234567'
fault barrier "PE $last" 'barrier_all'
fault pe "PE $last" 'gin_shmem_p' "$((PES + 3))"
fault address "PE $last" 'gin_shmem_p' 'symmetric|heap'
fault team "PE $last" 'sync' 'team'
fault index "PE $last" 'sync' 'index' '100000'
exit $fails

# SPDX-License-Identifier: BSD-3-Clause
# GIN_SHMEM_GIN=1 where NCCL's GIN cannot work: a message that names what is missing, and an error status.
# run: timeout 100
# run: gpu-only NCCL's GIN
unset NCCL_NET_PLUGIN NCCL_GIN_PLUGIN NCCL_RMA_PLUGIN
fails=0
# refused NAME WORDS -- VARIABLES
refused() {
    local name=$1 words=$2 out status
    shift 3
    out=$(env "$@" GIN_SHMEM_GIN=1 timeout -k 2 45 "$OSHRUN" -n 2 --fake-nodes 2 "$BIN/part_first_gpu" 2>&1)
    status=$?
    if [ "$status" -eq 0 ] || [ "$status" -ge 124 ] || ! grep -qE -- "$words" <<<"$out"; then
        printf '%s: exit code %s, and nothing says "%s":\n%s\n' "$name" "$status" "$words" "$out"
        fails=1
    fi
}
refused 'no network' "GIN_SHMEM_GIN=1, but NCCL's GIN does not work on PE [01]: .*(GIN|network)" -- NCCL_NET=Socket
refused 'switched off' 'NCCL_GIN_ENABLE is 0' -- NCCL_GIN_ENABLE=0
exit $fails

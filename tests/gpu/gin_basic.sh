# SPDX-License-Identifier: BSD-3-Clause
# NCCL's GIN between PEs of one host as nodes of their own, through the plugin for tests: 2 nodes, then 4 on the same
# GPUs.
# run: timeout 150
# run: gpu-only NCCL's GIN
plugin=$BIN/libnccl-net-gin_provider.so
[ -e "$plugin" ] || { echo "no $plugin: build the target gin_provider"; exit 1; }
export NCCL_NET_PLUGIN=$plugin NCCL_NET_PLUGIN_REF_COUNT=1 NCCL_MNNVL_ENABLE=0 GIN_SHMEM_HEAP=host
for pes in 2 4; do
    timeout -k 2 70 "$OSHRUN" -n "$pes" "$BIN/part_gin_basic" || { echo "$pes PEs: exit code $?"; exit 1; }
done

# SPDX-License-Identifier: BSD-3-Clause
# The examples print what they verified.
# run: timeout 150
# run: gpu-only tests/kernels-cpu runs the examples with smaller sizes
dir=$(dirname "$OSHRUN")/../examples
fails=0
for example in hello_gpu ring_gpu allreduce_gpu jacobi_gpu moe_gpu demo_gpu; do
    timeout 40 "$OSHRUN" -n "$PES" ${FAKE_NODES:+--fake-nodes "$FAKE_NODES"} "$dir/$example" || { echo "FAILED: $example"; fails=1; }
done
if [ -n "${FAKE_NODES:-}" ]; then
    timeout 40 "$OSHRUN" -n "$PES" --fake-nodes "$FAKE_NODES" "$dir/stencil_gpu" || { echo 'FAILED: stencil_gpu'; fails=1; }
    exit $fails
fi
# No launcher: torchrun's variables, set by hand.
export WORLD_SIZE=$PES MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 20000))
pids=()
for ((rank = 0; rank < PES; rank++)); do
    RANK=$rank LOCAL_RANK=$rank LOCAL_WORLD_SIZE=$PES timeout 40 "$dir/stencil_gpu" &
    pids+=($!)
done
for p in "${pids[@]}"; do wait "$p" || { echo 'FAILED: stencil_gpu'; fails=1; }; done
exit $fails

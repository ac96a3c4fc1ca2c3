# SPDX-License-Identifier: BSD-3-Clause
# One PE is killed while kernels of all PEs spin: the job ends soon, with its number, and no process stays.
# run: timeout 60
out=$(mktemp)
trap 'rm -f "$out"' EXIT
GIN_SHMEM_TIMEOUT=0 timeout -k 2 45 "$OSHRUN" -n "$PES" ${FAKE_NODES:+--fake-nodes "$FAKE_NODES"} "$BIN/part_faults" spin >"$out" 2>&1 &
job=$!
for ((i = 0; i < 300; i++)); do
    [ "$(grep -c 'is process' "$out")" -eq "$PES" ] && break
    sleep 0.1
done
[ "$(grep -c 'is process' "$out")" -eq "$PES" ] || { cat "$out"; echo 'the PEs did not start'; exit 1; }
sleep 0.5
mapfile -t pids < <(sed -n 's/.*is process //p' "$out")
victim=$(sed -n "s/.*PE $((PES - 1)) is process //p" "$out")
from=$EPOCHREALTIME
kill -9 "$victim"
wait "$job"
status=$?
ms=$(((${EPOCHREALTIME/[.,]/} - ${from/[.,]/}) / 1000))
echo "exit code $status after $ms ms"
[ "$status" -ne 0 ] && [ "$status" -ne 124 ] || { cat "$out"; exit 1; }
[ "$ms" -lt 10000 ] || { cat "$out"; echo 'too late'; exit 1; }
grep -q "PE $((PES - 1))" "$out" || { cat "$out"; echo "nothing names PE $((PES - 1))"; exit 1; }
sleep 0.5
for p in "${pids[@]}"; do
    if [ -e "/proc/$p" ] && ! grep -q 'State:.*Z' "/proc/$p/status" 2>/dev/null; then
        echo "process $p is still there"
        kill -9 "$p"
        exit 1
    fi
done

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Open MPI's mpirun over two hosts: its PMIx servers, our transport. Suite programs, global exit, a cut link.
. "${0%/*}/lib.sh"
command -v mpirun >/dev/null && mpirun --version 2>&1 | grep -q 'Open MPI' || { echo "skipped: no Open MPI mpirun"; exit 77; }
# In place of ssh: agent HOST COMMAND...
cat >"$DIR/agent" <<END
#!/bin/bash
case \$1 in node-a) pid=$node_a ;; node-b) pid=$node_b ;; esac
shift
exec nsenter -t \$pid --net --uts --mount sh -c "\$*"
END
chmod +x "$DIR/agent"
run() { # SECONDS [mpirun's options] PROGRAM...
    local s=$1; shift
    rm -f "$DIR"/*.out "$DIR"/*.err
    on node-a env TMPDIR="$DIR" timeout -k 2 "$s" mpirun --allow-run-as-root --oversubscribe --bind-to none -H node-a:2,node-b:2 \
        --mca plm_rsh_agent "$DIR/agent" --mca orte_keep_fqdn_hostnames 1 --mca oob_tcp_if_include va,vb \
        -x GIN_SHMEM_WAIT=yield "$@" </dev/null >"$DIR/0.out" 2>"$DIR/0.err" &
    PIDS=($!)
}
for test in ptr rma_typed signal_ring; do
    run 60 "$BUILD/tests/mp/test_$test"
    finish 60
    expect_status 0
done
run 20 -x GIN_SHMEM_LOG=info "$BUILD/tests/mp/test_ptr"
finish 20
lines 'nodes: node-a (PE 0-1), node-b (PE 2-3)' 1
for status in 0 7; do
    # Without that variable it is a launcher of which we do not know whether it can end a job so: PE 0's star does.
    for launcher in mpirun unknown; do
        env=()
        [ $launcher = mpirun ] || env=(env -u OMPI_MCA_orte_hnp_uri)
        run 20 "${env[@]}" "$BUILD/tests/hosts/hosts_pe" exit $status
        finish 20
        expect_status $status
        lines 'has ended without' 0
    done
done
run 40 "$BUILD/tests/hosts/hosts_pe" wait
for i in {1..200}; do [ "$(grep -c ready "$DIR/0.out" 2>/dev/null)" = 4 ] && break; sleep 0.05; done
from=${EPOCHREALTIME/./}
(on node-b ip link set vb down)
for i in {1..220}; do pgrep -x hosts_pe >/dev/null || break; sleep 0.05; done
took=$(((${EPOCHREALTIME/./} - from) / 100000))
pgrep -ax hosts_pe && fail "PEs live on behind the cut link"
[ $took -le 100 ] || fail "the cut link: it took $took tenths of a second"
echo "the PEs ended $took tenths of a second after the cut"
lines 'host node-b (PE 2-3) has not answered' 1
kill -9 "${PIDS[0]}" # mpirun waits for its daemon behind the cut link much longer; it has said so by now, or not
done_

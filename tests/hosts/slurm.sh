#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# srun --mpi=pmix over two hosts, with a Slurm of their own: what slurm_inner.sh does.
. "${0%/*}/lib.sh"
GS_SLURM_DIR=$DIR GS_SLURM_NODES="node-a:10.77.1.1:$node_a node-b:10.77.1.2:$node_b" \
    timeout 100 "$HERE/../bootstrap/slurm-loopback.sh" "$HERE/slurm_inner.sh" "$BUILD"
exit $?

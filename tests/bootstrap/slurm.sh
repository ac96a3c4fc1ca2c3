#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# srun --mpi=pmix: gathering, abort, exit with 0 through the watch, a killed PE, and no singletons without PMIx.
here=$(cd "${0%/*}" && pwd)
exec "$here/slurm-loopback.sh" "$here/slurm_inner.sh"

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Alone, or not: no singleton where the environment tells of other PEs.
. "${0%/*}/lib.sh"
alone() { start 1 -RANK -WORLD_SIZE -MASTER_ADDR -MASTER_PORT "$@" -- gather 2; finish 10; }
refused() { # text VAR=VALUE...
    local text=$1; shift
    alone "$@"
    expect_status 3
    lines "$text" 1
    lines '' 1
}
alone
expect_status 0
lines '' 0
alone SLURM_NTASKS=1 OMPI_COMM_WORLD_SIZE=1
expect_status 0
refused 'SLURM_NTASKS=4' SLURM_NTASKS=4
refused 'srun --mpi=pmix' SLURM_STEP_NUM_TASKS=2
refused 'OMPI_COMM_WORLD_SIZE=2' OMPI_COMM_WORLD_SIZE=2
refused 'PMI_SIZE=3' PMI_SIZE=3
refused 'RANK is not set' WORLD_SIZE=3
refused 'PMIX_NAMESPACE=x is set but PMIX_RANK is not' PMIX_NAMESPACE=x
refused 'PMIX_NAMESPACE=x is set but PMIX_SERVER_URI' PMIX_NAMESPACE=x PMIX_RANK=0
alone SLURM_NTASKS=4 PMI_SIZE=3 PMIX_NAMESPACE=x WORLD_SIZE=3 GIN_SHMEM_BOOTSTRAP=singleton
expect_status 0
# A server that is no more: libpmix may add lines of its own.
alone PMIX_NAMESPACE=x PMIX_RANK=0 PMIX_SERVER_URI4='x.0;tcp4://127.0.0.1:9' PMIX_SERVER_URI41='x.0;tcp4://127.0.0.1:9'
expect_status 3
lines 'PMIX_NAMESPACE=x is set but its PMIx server does not answer' 1
done_

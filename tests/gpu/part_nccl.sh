# SPDX-License-Identifier: BSD-3-Clause
# For scripts that run programs on GPUs, to be read by them: which NCCL is used, and that multicast over NVLink is not.
# NCCL_ROOT, else the Python package nvidia-nccl, else none, and CUDA's folder may have one.
if [ -z "${NCCL_ROOT:-}" ]; then
    NCCL_ROOT=$(python3 -c 'import nvidia.nccl as m; print(m.__path__[0])' 2>/dev/null) || NCCL_ROOT=
fi
if [ -n "$NCCL_ROOT" ]; then
    export NCCL_ROOT
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$NCCL_ROOT/lib
fi
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}

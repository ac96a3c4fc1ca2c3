# SPDX-License-Identifier: BSD-3-Clause
# A program that never calls cudaSetDevice gets one GPU for each PE of a host.
"$OSHRUN" -n "$PES" "$BIN/part_first_gpu"

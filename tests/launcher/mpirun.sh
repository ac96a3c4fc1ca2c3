#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The real mpirun, where there is one, takes what oshrun makes for it.
. "${0%/*}/lib.sh"
mpirun --version 2>/dev/null | grep -q 'Open MPI' || { echo "skipped: no Open MPI mpirun"; exit 77; }
root=; [ "$(id -u)" != 0 ] || root=--allow-run-as-root
timeout 20 mpirun $root -n 1 --host localhost true >"$DIR/out" 2>&1 || { echo "skipped: mpirun cannot run: $(grep . "$DIR/out" | head -n 2)"; exit 77; }
run --launcher mpirun -H localhost -n 3 "$PE" fence; expect 0
run --launcher mpirun -H localhost:2 -n 3 -x 'A=b c' sh -c 'echo "$A"'; expect 0; output $'b c\nb c\nb c'
run --launcher mpirun -N 2 -n 2 --wdir / pwd; expect 0; output $'/\n/'
run --launcher mpirun -n 2 sh -c 'exit 7'; expect 7
rm -rf "$TMPDIR"/* # what mpirun leaves is its own affair
pass

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The PEs' environment and working directory.
. "${0%/*}/lib.sh"
export FROM_HERE=inherited
run -n 2 -x 'A=b c=d' -x EMPTY= -x FROM_HERE sh -c 'echo "$A|${EMPTY-unset}|$FROM_HERE|$GIN_SHMEM_LAUNCHER|$#" "$@"' sh -x -n 3
expect 0; quiet
output $'b c=d||inherited|oshrun|3 -x -n 3\nb c=d||inherited|oshrun|3 -x -n 3'
run -n 2 --fake-nodes 2 sh -c 'echo $GIN_SHMEM_FAKE_NODES'; expect 0; output $'2\n2'
run -x NOT_THERE true; expect 0 'NOT_THERE'
run -xA=1 -x A=2 sh -c 'echo $A'; output 2
mkdir "$DIR/sub"; printf '#!/bin/sh\npwd\necho $PWD\n' >"$DIR/sub/where"; chmod +x "$DIR/sub/where"
run --wdir "$DIR/sub" ./where; expect 0
output "$(cd "$DIR/sub"; pwd; pwd)"
# A launcher around us leaves its traces; the PEs must see ours.
export PMIX_RANK=7 PMIX_NAMESPACE=other PMIX_SERVER_URI41='other.0;tcp4://127.0.0.1:1'
run -n 2 "$PE" fence; expect 0; quiet
run -n 2 "$OSHRUN" -n 2 "$PE" fence; expect 0; quiet # also oshrun in oshrun
printf 'echo no first line: $1\n' >"$DIR/script"; chmod +x "$DIR/script"
run "$DIR/script" arg; expect 0; output 'no first line: arg'
pass

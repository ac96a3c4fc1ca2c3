#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# PMIx_Abort, which shmem_global_exit uses: its status is oshrun's, 0 too, and its text is shown once.
. "${0%/*}/lib.sh"
run -n 4 "$PE" abort 1 7 'the reason'; expect 7 'PE 1 ' 'status 7' 'the reason'; under 1
[ "$(grep -c 'the reason' "$DIR/err")" = 1 ] || fail "the text must be shown once"
run -n 4 "$PE" abort 3 0; expect 0; quiet; under 1
run -n 4 "$PE" abort 3 0 'all done'; expect 0 'all done'; under 1
run -n 4 "$PE" abort 0 256; expect 1 'status 256'; under 1
run -n 1 "$PE" abort 0 3; expect 3 'PE 0 '
run -n 4 "$PE" abort -1 4; expect 4
run -n 1 "$PE" abort 0 5 "$(printf 'two\nlines')"; expect 5 'two lines'
pass

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# errors.sh OSHRUN PROGRAM: every mistake that test_errors can make ends the job with a status that is not 0 and one line
# with the PE, the function, the argument, and what to do. With GIN_SHMEM_CHECK=0 the unchecked ones pass.
oshrun=$1
program=$2
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
failed=0

fail() {
    echo "errors.sh: $*"
    sed 's/^/    /' "$out"
    failed=1
}

# bad SCENARIO REGEX: fails, and some line is "gin_shmem: PE 1: REGEX".
bad() {
    timeout 20 "$oshrun" -n 2 "$program" "$1" >"$out" 2>&1
    status=$?
    [ $status = 124 ] && fail "$1: hangs"
    [ $status = 0 ] && fail "$1: goes unnoticed"
    grep -Eq "^gin_shmem: PE ${pe:-1}: $2" "$out" || fail "$1: no line matches: PE ${pe:-1}: $2"
    [ "$(grep -c '^gin_shmem: PE' "$out")" -gt "${lines:-1}" ] && fail "$1: more than ${lines:-1} line"
}

# good SCENARIO [VAR=value]: passes.
good() {
    timeout 20 env ${2:+"$2"} "$oshrun" -n 2 "$program" "$1" >"$out" 2>&1 || fail "$1 ${2:-}: status $?"
}

ptr='(0x[0-9a-f]+|\(nil\))'
good none
# These checks can fail: on a mistake that nobody notices, on another message, and on a good end that is none.
for wrong in "bad none x" "bad pe_large not.what.it.says" "good pe_large"; do
    (failed=0; $wrong; exit $failed) >/dev/null && fail "'$wrong' does not fail"
done

bad pe_large 'shmem_long_put: pe 2 is out of range: there are 2, numbered 0 to 1'
bad pe_negative 'shmem_long_g: pe -1 is out of range: there are 2'
bad pe_ctx 'shmem_ctx_long_p: pe 1 is out of range: there are 1'
bad pe_atomic 'shmem_long_atomic_inc: pe 7 is out of range'
bad pe_signal 'shmem_signal_set: pe 2 is out of range'
bad pe_quiet 'shmem_pe_quiet: pe -1 is out of range'
bad pe_ptr 'shmem_ptr: pe 2 is out of range'

private="$ptr is not symmetric .*(allocate|make it global)"
bad private_put "shmem_long_put: dest $private"
bad private_get "shmem_getmem: source $private"
bad private_null "shmem_long_p: dest $private"
bad private_atomic "shmem_long_atomic_fetch: source $private"
bad private_wait "shmem_long_wait_until: ivar $private"
bad private_signal "shmem_putmem_signal: sig_addr $private"
bad private_lock "shmem_set_lock: lock $private"
bad private_iput "shmem_long_iput: dest $private"

past="$ptr with [0-9]+ bytes runs past the end of"
bad end_of_block "shmem_long_put: dest $past its allocation: pass a smaller count"
bad end_of_block_get "shmem_long_get: source $past its allocation"
bad end_of_block_strided "shmem_long_iput: dest $past its allocation"
bad end_of_block_blocks "shmem_long_ibput: dest $past its allocation"
bad end_of_heap "shmem_putmem: dest $past the symmetric heap"
bad end_of_globals "shmem_putmem: dest $past the program's global variables"
bad end_overflow "shmem_long_put: dest $past the symmetric heap"
bad end_vector "shmem_long_wait_until_all: ivars $past its allocation"

bad freed_put "shmem_long_p: dest $ptr .*is not allocated: it was freed"
bad freed_atomic "shmem_long_atomic_add: dest $ptr .*is not allocated: it was freed"

bad aligned_atomic "shmem_long_atomic_inc: dest $ptr is not a multiple of 8 bytes"
bad aligned_global "shmem_long_atomic_set: dest $ptr is not a multiple of 8 bytes"
bad aligned_signal "shmem_signal_add: sig_addr $ptr is not a multiple of 8 bytes"
bad aligned_wait "shmem_int_wait_until: ivar $ptr is not a multiple of 4 bytes"
bad cmp 'shmem_long_wait_until: cmp 6 is unknown: use SHMEM_CMP_EQ'
bad cmp_negative 'shmem_long_test_any: cmp -1 is unknown: use SHMEM_CMP_EQ'
bad sig_op 'shmem_long_put_signal: sig_op 77 is unknown: use SHMEM_SIGNAL_SET'
bad stride 'shmem_long_iput: stride.*at least 1'
bad stride_blocks 'shmem_long_ibget: stride 2 .*block of 3'

bad dead_team "shmem_team_n_pes: team $ptr is not a team: it was destroyed"
bad dead_team_sync "shmem_team_sync: team $ptr is not a team: it was destroyed"
bad dead_ctx "shmem_ctx_long_p: ctx $ptr is not a context: it was destroyed"
bad dead_ctx_quiet "shmem_ctx_quiet: ctx $ptr is not a context: it was destroyed"
bad dead_ctx_twice "shmem_ctx_destroy: ctx $ptr is not a context: it was destroyed"
bad orphan_ctx "shmem_ctx_long_p: ctx $ptr is not a context: it was destroyed .*with its team"
bad invalid_ctx 'shmem_ctx_long_p: ctx is SHMEM_CTX_INVALID: check'
bad default_ctx 'shmem_ctx_destroy: the default context cannot be destroyed'
bad lock_not_held "shmem_clear_lock: lock $ptr is not held"
bad lock_twice "shmem_set_lock: lock $ptr is held.* by this PE"

# In what all do, each of them may say so.
lines=2
pe='[01]'
bad malloc_sizes 'shmem_malloc: mismatched collective allocation: PE [01] calls shmem_malloc\(.*every PE must make the same'
bad malloc_and_free 'shmem_(malloc|free): mismatched collective allocation: .*every PE must make the same'
bad malloc_and_barrier 'shmem_malloc: mismatched collective allocation: .*barrier.*every PE must make the same'
bad free_twice "shmem_free: ptr $ptr is not allocated: it was freed already"
bad free_inside "shmem_free: ptr $ptr points 80 bytes into an allocation of 800: pass its start"
bad free_global "shmem_free: ptr $ptr does not point into the symmetric heap"
bad realloc_freed "shmem_realloc: ptr $ptr is not allocated"
bad align 'shmem_align: alignment 24 is not a power of two'
bad world_destroy 'shmem_team_destroy: the predefined teams cannot be destroyed'
bad after_finalize 'shmem_barrier_all: called after shmem_finalize: initialise again'
bad after_finalize_get 'shmem_long_g: called after shmem_finalize: initialise again'

# Exhaustion is no mistake: NULL everywhere, and one line by one PE.
good exhausted
[ "$(grep -c '^gin_shmem: PE [01]: shmem_malloc: no room for .*raise SHMEM_SYMMETRIC_SIZE' "$out")" = 1 ] ||
    fail "exhausted: not one line that names SHMEM_SYMMETRIC_SIZE"

# Before init no PE has a number yet.
for scenario in before_init:shmem_my_pe before_init_put:shmem_long_p before_init_finalize:shmem_finalize; do
    timeout 20 "$oshrun" -n 2 "$program" "${scenario%:*}" >"$out" 2>&1 && fail "${scenario%:*}: goes unnoticed"
    grep -Eq "^gin_shmem: .*${scenario#*:}: called before initialisation: call shmem_init" "$out" ||
        fail "${scenario%:*}: no line says so"
done

# Heaps that no address space holds.
for size in 100T 1000000T; do
    SHMEM_SYMMETRIC_SIZE=$size timeout 20 "$oshrun" -n 2 "$program" none >"$out" 2>&1 && fail "a heap of $size: goes unnoticed"
    grep -Eq '^gin_shmem: .*SHMEM_SYMMETRIC_SIZE' "$out" || fail "a heap of $size: no line names SHMEM_SYMMETRIC_SIZE"
done

# Without checks: what does no harm by itself passes.
good end_of_block GIN_SHMEM_CHECK=0
good freed_put GIN_SHMEM_CHECK=0
good malloc_sizes GIN_SHMEM_CHECK=0

exit $failed

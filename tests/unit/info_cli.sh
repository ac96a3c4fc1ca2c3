#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gin_shmem_info's options, exit status and JSON. $1: the program.
info=$1
failed=0
fail()
{
    echo "FAILED: $*"
    failed=1
}
# expect STATUS PATTERN command...: exit status, and a pattern in what both outputs show together.
expect()
{
    status=$1 pattern=$2
    shift 2
    text=$("$@" 2>&1)
    got=$?
    [ "$got" -eq "$status" ] || fail "$*: exit status $got, not $status"
    printf '%s\n' "$text" | grep -q -e "$pattern" || fail "$*: no '$pattern' in: $text"
}

for name in $(env | sed -n 's/^\(SHMEM_[A-Z_]*\|SMA_[A-Z_]*\|GIN_SHMEM_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

expect 0 '^gin_shmem [0-9]*\.[0-9]*\.[0-9]*$' "$info" --version
expect 0 '^Usage: gin_shmem_info' "$info" --help
expect 2 "'--wrong'" "$info" --wrong
expect 2 "'-x'" "$info" -x
expect 2 "'--json=1'" "$info" --json=1
expect 2 "'word'" "$info" word
expect 0 '^SHMEM_SYMMETRIC_SIZE=1G (default)$' "$info" --env
expect 0 '^SHMEM_SYMMETRIC_SIZE=2M (set by SMA_SYMMETRIC_SIZE; default 1G)$' env SMA_SYMMETRIC_SIZE=2m "$info" --env
expect 1 "SHMEM_SYMMETRIC_SIZE='big'" env SHMEM_SYMMETRIC_SIZE=big "$info" --env
expect 0 'GIN_SHMEM_CHEK; .* GIN_SHMEM_CHECK ' env GIN_SHMEM_CHEK=1 "$info" --env
expect 0 '^transports$' "$info"
expect 1 'cannot write' sh -c "'$info' >/dev/full"

# A value with quotes, a backslash, a newline and a byte that is not UTF-8 must come out as valid JSON.
if command -v python3 >/dev/null; then
    odd=$(printf 'a"b\\c\nd\377e')
    GIN_SHMEM_BOOTSTRAP=$odd "$info" --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
env = {row["name"]: row for row in r["environment"]}
assert env["GIN_SHMEM_BOOTSTRAP"]["value"] == "a\"b\\c\nd\ufffde", env["GIN_SHMEM_BOOTSTRAP"]
assert env["SHMEM_SYMMETRIC_SIZE"]["default"] == "1G"
for name in ("shared_memory", "nccl_and_gin", "ucx"):
    t = r["transports"][name]
    assert t["works"] is True or t["why"], name
for name in ("pmix", "env", "singleton"):
    assert "works" in r["bootstraps"][name], name
assert r["host"]["cores_allowed"] >= 1
assert r["kernels_on_cpu"]["works"] is True or r["kernels_on_cpu"]["why"]
assert isinstance(r["gpus"]["devices"], list)
' || fail "--json"
    "$info" --env --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert list(r) == ["environment"] and len(r["environment"]) > 10
' || fail "--env --json"
else
    echo "no python3: JSON not checked"
fi
exit $failed

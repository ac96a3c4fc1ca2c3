#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# MASTER_PORT is taken: by torchrun's store, by a mute program, by one that answers noise, by another job of ours.
. "${0%/*}/lib.sh"
others=()
trap 'kill -9 "${others[@]}" 2>/dev/null; clean' EXIT
take() { "$GS_BOOT_BIN/stranger" listen "$1" "$2" >"$DIR/stranger.$1" & others+=($!); }

PORT=$(free_port)
take $PORT noise
take $((PORT + 1)) noise
until grep -qs listening "$DIR/stranger.$PORT" && grep -qs listening "$DIR/stranger.$((PORT + 1))"; do sleep 0.02; done
start 3 TORCHELASTIC_USE_AGENT_STORE=True TORCHELASTIC_RUN_ID=a -- gather 3
finish 20
expect_status 0 0 0
lines '' 0

# Two jobs that differ in the run's id alone, at once.
unset PORT; PORT=$(free_port)
start 3 TORCHELASTIC_RUN_ID=one -- late 1 3
first=("${PIDS[@]}")
mkdir "$DIR/one"; DIR=$DIR/one start 3 TORCHELASTIC_RUN_ID=two -- late 1 3
second=("${PIDS[@]}")
PIDS=("${first[@]}" "${second[@]}")
finish 20
expect_status 0 0 0 0 0 0

# Nothing is free: PE 0 says so.
PORT=$(free_port)
for i in {0..8}; do take $((PORT + i)) mute; done
for i in {0..8}; do until grep -qs listening "$DIR/stranger.$((PORT + i))"; do sleep 0.02; done; done
start 1 WORLD_SIZE=2 -- gather 3
finish 20
expect_status 3
lines "PE 0 cannot listen at MASTER_ADDR=127.0.0.1, ports $PORT to $((PORT + 8))" 1
done_

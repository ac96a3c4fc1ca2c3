#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fifty jobs after each other in the same processes.
. "${0%/*}/lib.sh"
start 4 -- reinit 50
finish 30
expect_status 0 0 0 0
lines '' 0
start 4 TORCHELASTIC_USE_AGENT_STORE=True -- reinit 10
finish 30
expect_status 0 0 0 0
done_

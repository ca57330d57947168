#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# shark_library.bats - the S.Ha.R.K. tracer of programs, against a second one in Python
# (tests/shark/model.py), and what becomes of events and chunks under ktraced
# bats file_tags=shm

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# scripts PROGRAM ARG...: random calls, done by it and by the model
scripts()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/shark/scripts.py" "$@"
}

@test "10000 random calls: after each, results, flags, links, losses and events are the model's" {
	scripts "$PROGS/shark_script" 1 40 250
}

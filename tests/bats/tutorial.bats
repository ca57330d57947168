#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# What Documentation/tutorial.md says to do is done, and prints what it says there

load helpers

setup()
{
	setup_test
	PATH=$BUILD/bin:$EXAMPLES:$PROGS:$PATH
}

teardown()
{
	teardown_test
}

tutorial()
{
	"$ROOT/tests/checkers/tutorial" "$ROOT/Documentation/tutorial.md" "$@"
}

@test "tutorial: the first trace" {
	tutorial 1
	grep -q 'item_begin' trace.html
}

@test "tutorial: why do my threads wait?" {
	tutorial 2
}

# bats test_tags=dev
@test "tutorial: why is it late?" {
	requires_dev
	tutorial 3
}

# bats test_tags=alike
@test "tutorial: a flight recorder" {
	tutorial 4
}

@test "tutorial: two hosts" {
	tutorial 5
}

# bats test_tags=alike
@test "tutorial: ask with SQL" {
	# The files of task 5
	sed -n '/^## 5/,/^## 6/s/^[$] \(mk.*\|mv .*\)/\1/p' "$ROOT/Documentation/tutorial.md" >hosts.bash
	. ./hosts.bash
	export KTRACE_BOARD=$BATS_TEST_TMPDIR
	tutorial 7
	"$PROGS/board" remove
}

# bats test_tags=alike
@test "tutorial: several hosts, one store" {
	command -v nats-server >/dev/null || skip "no nats-server"
	tutorial 8
}

# bats test_tags=alike
@test "tutorial: every chapter is tested, and what differs is noticed" {
	[ "$(tutorial | xargs)" = "1 2 3 4 5 7 8" ]
	# shellcheck disable=SC2016 # a document
	printf '## 1. A\n```console\n$ echo "%s"\n%s\n```\n' '5 lost in 3 ms, 0 bad' '7 lost in 22 s, 0 bad' >same.md
	"$ROOT/tests/checkers/tutorial" same.md 1
	sed 's/^7 lost/0 lost/' same.md >zero.md
	fails "$ROOT/tests/checkers/tutorial" zero.md 1
	sed 's/^7 lost/7 found/' same.md >words.md
	fails "$ROOT/tests/checkers/tutorial" words.md 1
	sed 's/^.*echo.*/&; false/' same.md >status.md
	fails "$ROOT/tests/checkers/tutorial" status.md 1
}

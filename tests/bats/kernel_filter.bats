#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# kernel_filter.bats - filters that the kernel evaluates
load helpers

setup()
{
	requires_dev
	setup_test
}
teardown() { teardown_test; }

@test "a filter is refused for each reason that is documented" {
	"$PROGS/dev_filter" errors
}

@test "what a filter keeps out takes no room and is not lost, and nothing else is missed" {
	"$PROGS/dev_filter" room
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# keep.bats - /dev/ktrace: sessions whose owner died, until somebody saves what they hold
load helpers

setup()
{
	requires_dev
	setup_test
}
teardown() { teardown_test; }

@test "keep, kept, adopt: what each role may ask, and errors" {
	"$PROGS/dev_keep" errors
}

@test "a session is kept, adopted, kept again, and freed" {
	"$PROGS/dev_keep" life
}

@test "not kept unless asked for, nor longer than keep_seconds" {
	"$PROGS/dev_keep" ends
}

@test "of each user the four youngest are kept" {
	"$PROGS/dev_keep" too_many
}

@test "another user's is not seen; kernel events take privilege" {
	"$PROGS/dev_keep" rights
}

@test "unloading the module frees what is kept" {
	module=$BUILD/kernel/$(uname -r)/ktrace.ko
	"$PROGS/dev_keep" leave
	rmmod ktrace
	insmod "$module"
	[ "$("$PROGS/leftover")" = "sessions 0 kept 0" ]
}

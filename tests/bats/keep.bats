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

# freed WHY - how often the kernel's log says that a kept session was freed for this reason
freed()
{
	dmesg | grep -c "ktrace: freed kept session [1-9][0-9]* of user [0-9]*, [1-9][0-9]* bytes: $1\$" ||
		true
}

@test "keep, kept, adopt: what each role may ask, and errors" {
	"$PROGS/dev_keep" errors
}

@test "a session is kept, adopted, kept again, and freed" {
	"$PROGS/dev_keep" life
}

@test "not kept unless asked for, nor longer than keep_seconds" {
	before=$(freed "keep_seconds have passed")
	"$PROGS/dev_keep" ends
	[ "$(freed "keep_seconds have passed")" -eq $((before + 1)) ]
}

@test "of each user the four youngest are kept" {
	before=$(freed "the user has newer kept sessions")
	"$PROGS/dev_keep" too_many
	[ "$(freed "the user has newer kept sessions")" -eq $((before + 1)) ]
}

@test "another user's is not seen; kernel events take privilege" {
	"$PROGS/dev_keep" rights
}

@test "all users together keep a part of the memory; who keeps most pays" {
	before=$(freed "all kept sessions exceed max_kept_percent")
	"$PROGS/dev_keep" bound
	[ "$(freed "all kept sessions exceed max_kept_percent")" -gt "$before" ]
}

# bats test_tags=plain
@test "when memory is short, what is kept goes; it is told by --list and doctor" {
	before=$(freed "the system is short of memory")
	"$PROGS/dev_keep" memory_short
	[ "$(freed "the system is short of memory")" -eq $((before + 1)) ]
	run "$KTRACED" --recover --list
	[ "$status" -eq 0 ]
	[[ $output == *"the module has freed "[1-9]*" that had not been recovered"* ]]
	run_ktrace doctor
	grep -E "^freed +[1-9][0-9]* sessions? left behind and not saved; dmesg says why" \
		<<<"$output"
}

# bats test_tags=plain
@test "a program that needs the memory of kept sessions gets it" {
	"$PROGS/dev_keep" no_kill
	[ "$("$PROGS/leftover")" = "sessions 0 kept 0" ]
}

@test "unloading the module frees what is kept" {
	module=$BUILD/kernel/$(uname -r)/ktrace.ko
	before=$(freed "the module is unloaded")
	"$PROGS/dev_keep" leave
	rmmod ktrace
	insmod "$module"
	[ "$("$PROGS/leftover")" = "sessions 0 kept 0" ]
	[ "$(freed "the module is unloaded")" -eq $((before + 1)) ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# mmap.bats - who may map which part of a channel, and how
load helpers

setup()
{
	requires_dev
	setup_test
}
teardown() { teardown_test; }

@test "owner of a user channel: control area and registry writable, rings read-only" {
	"$PROGS/dev_mmap" owner_of_user_channel
}

@test "writer: control area read-only, registry and rings writable" {
	"$PROGS/dev_mmap" writer_of_user_channel
}

@test "owner of the kernel channel: the tails writable, nothing else" {
	"$PROGS/dev_mmap" owner_of_kernel_channel
}

@test "writers cannot map the kernel channel" {
	"$PROGS/dev_mmap" kernel_channel_is_not_for_writers
}

@test "mappings beyond the end, private or executable are refused" {
	"$PROGS/dev_mmap" boundaries
}

@test "both sides see the same memory" {
	"$PROGS/dev_mmap" shared
}

@test "a writer's mapping is inherited and counted, the owner's is not inherited" {
	"$PROGS/dev_mmap" fork_inherits
}

@test "memory outlives the owner and says so" {
	"$PROGS/dev_mmap" outlives_owner
}

@test "who makes a child in its own memory is told before the child runs" {
	"$PROGS/dev_lend" told
	"$PROGS/dev_lend" threads
	"$PROGS/dev_lend" after_fork
}

@test "no longer without the mapping or the session, not behind a filter, nowhere else" {
	"$PROGS/dev_lend" given_away
	"$PROGS/dev_lend" not_any_more
	"$PROGS/dev_lend" filtered
	"$PROGS/dev_lend" odd_places
	"$PROGS/dev_lend" many_places
}

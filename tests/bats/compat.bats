#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# compat.bats - /dev/ktrace asked by programs of 32 bits, which get what others get
load helpers

setup()
{
	requires_dev
	[ -x "$BUILD/m32/dev_ioctl" ] || skip "has no programs of 32 bits"
	setup_test
}
teardown() { teardown_test; }

# each PROGRAM: all of its tests
each()
{
	local part parts
	parts=$("$BUILD/m32/$1" 2>&1 | sed -n 's/^  //p')
	[ -n "$parts" ]
	for part in $parts; do
		echo "$1 $part"
		"$BUILD/m32/$1" "$part"
	done
}

@test "requests" {
	each dev_ioctl
}

@test "mappings" {
	each dev_mmap
}

@test "kept sessions" {
	requires_root
	"$BUILD/m32/dev_keep" errors
	"$BUILD/m32/dev_keep" life
	"$BUILD/m32/dev_keep" rights
}

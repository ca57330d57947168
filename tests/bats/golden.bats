#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# golden.bats - tracefiles of each format version and kind are read as ever
# runs: host
load helpers

setup()
{
	setup_test
	GOLDEN=$ROOT/tests/data/golden
	export KTRACE
}

teardown()
{
	teardown_test
}

@test "recorded files of all kinds are told as ever" {
	local file name nr=0
	cd "$GOLDEN"
	for file in *.told; do
		name=${file%.told}
		./tell "$name.bin" | diff -u "$file" -
		nr=$((nr + 1))
	done
	[ "$nr" -ge 15 ]
}

# in_parts FILE: its list, seven events at a time, each part from where the one before ended
in_parts()
{
	local at=
	while :; do
		"$KTRACE" list -n 7 --print-position ${at:+--from-position "$at"} "$1" >part
		at=$(sed -n 's/^position //p' part)
		[ "$(wc -l <part)" -gt 1 ] || return 0
		sed '$d' part
	done
}

@test "they are read in parts, and written again, alike" {
	local file kind
	for kind in user-shm pthread compressed posix-log overwritten; do
		file=$GOLDEN/$kind-v1.bin
		"$KTRACE" list "$file" >all
		in_parts "$file" | diff all -
		"$KTRACE" cut --compress -o cut "$file"
		"$KTRACE" list cut | diff all -
	done
}

@test "no file or path of whoever has recorded them is in the golden files" {
	fails grep -laE '/(work|home|root|build)/' "$GOLDEN"/*.bin
	[ "$(du -sb "$GOLDEN" | cut -f1)" -lt 500000 ]
}

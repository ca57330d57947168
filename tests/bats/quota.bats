#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# quota.bats - /dev/ktrace: who pays for memory that outlives a session's owner
load helpers

LIMIT=/sys/module/ktrace/parameters/max_user_mb

setup()
{
	requires_dev
	setup_test
	let_others_in
	before=$(cat "$LIMIT")
	chmod 666 /dev/ktrace
}

teardown()
{
	echo "$before" >"$LIMIT"
	chmod 660 /dev/ktrace
	teardown_test
}

# as_nobody COMMAND...: as a user who may open the device and do no more
as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
export -f as_nobody

record()
{
	run_ktraced -e flood -b 1M --thread-rings 4 -o t "$@"
}

# let_one_fit: a session of record() fits into max_user_mb, two do not
let_one_fit()
{
	local mb=1
	until
		echo "$mb" >"$LIMIT"
		record -- true
		[ "$status" = 0 ]
	do
		mb=$((mb * 2))
		[ "$mb" -lt 1024 ]
	done
}

@test "users pay for ended sessions that they hold; root and other users record on" {
	"$PROGS/dev_quota" attack
}

@test "a user with subordinate ids has one account" {
	"$PROGS/dev_quota" subordinate
}

@test "who waits for very many rings does not keep the kernel's workers busy" {
	"$PROGS/dev_quota" many_rings
}

@test "a user leaves some of the machine's memory to others" {
	"$PROGS/dev_quota" spare
}

@test "a program that cannot take part runs on, and ktraced says so" {
	local ktraced
	let_one_fit
	start_ktraced -e flood -b 1M --thread-rings 4 -o held -- sh -c 'echo begun; exec sleep 100'
	ktraced=$pid
	retry 0.05 has ktraced.out begun
	start holder setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$PROGS/dev_quota" hold "$(session_of "$ktraced" | sed 's/^dev://')"
	retry 0.05 has holder.out attached
	kill -TERM "$(child_of "$ktraced")"
	wait "$ktraced" || true
	record -- bash -c 'as_nobody "$0" -n 10; "$0" -n 20' "$PROGS/flood"
	[ "$status" = 0 ]
	[ "$(summary events)" = 20 ]
	[ "$(grep -c '^ktraced: 1 program could not take part: .*max_user_mb' <<<"$stderr")" = 1 ]
	record --json --fail-on-loss -- bash -c 'as_nobody "$0" -n 10; as_nobody "$0" -n 10' "$PROGS/flood"
	[ "$status" = 125 ]
	grep '^{' <<<"$stderr" | jq -e '.refused == 2 and .events == 0'
	kill_tree "$pid"
	wait "$pid" || true
	record --json -- bash -c 'as_nobody "$0" -n 10' "$PROGS/flood"
	grep '^{' <<<"$stderr" | jq -e '.refused == null and .events == 10'
}

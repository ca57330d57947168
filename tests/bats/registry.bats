#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# registry.bats - the registry in shared memory: what programs say of themselves, however many
# runs: host
load helpers

setup() { setup_test; }

teardown() { teardown_test; }

# registry KEY: what ktrace info says of the registry
registry()
{
	"$KTRACE" info --json t | jq ".files[0].registry.$1"
}

# bats test_tags=shm
@test "10,000 types of events in a program: each is known" {
	run_ktraced -o t -- "$PROGS/hostile" register 10000
	[ "$status" -eq 0 ]
	[[ $stderr != *"registry was full"* ]]
	[ "$("$KTRACE" events t | grep -c 'many:e')" = 10000 ]
	[ "$(registry missing)" = 0 ]
}

# churn NAMES N: record a program that changes its name NAMES times, then N programs
churn()
{
	# Programs that cannot leave the recording stay in the list: these can.
	export KTRACE_BOARD=$BATS_TEST_TMPDIR
	# shellcheck disable=SC2016 # for the shell that is traced
	run_ktraced --pthread -o t -- sh -c '[ "$1" = 0 ] || "$0" "$1"; i=0
		while [ $i -lt "$2" ]; do /bin/true; i=$((i + 1)); done' "$PROGS/pthread_renamed" "$1" "$2"
	[ "$status" -eq 0 ]
	[[ $stderr != *"registry"* ]]
	[ "$(grep -ac 'process pid=.*exe=[^ ]*/true ' t)" = "$2" ]
	# Each program's own code is known.
	[ "$(grep -ac 'map pid=.*path=[^ ]*/true$' t)" = "$2" ]
	[ "$(registry missing)" = 0 ]
	# The list stays as long as there are slots: the rest used the same room.
	[ "$(registry used)" -le 2100000 ]
}

# bats test_tags=shm
@test "the registry's room is used again" {
	# 52,000 names fill 2 MiB; each program takes six of the 4096 slots.
	churn 53000 600
	[ "$(registry reused)" -gt 4096 ]
}

# bats test_tags=shm
@test "programs that cannot leave the recording stay in the list" {
	run_ktraced --pthread -o t -- sh -c '"$0" 53000; /bin/true; /bin/true; /bin/true' "$PROGS/pthread_renamed"
	[ "$status" -eq 0 ]
	[ "$(registry missing)" = 0 ]
	[ "$(registry used)" -gt 2097152 ]
}

# bats test_tags=shm,long
@test "50,000 programs: the registry's room is used again" {
	churn 0 50000
	[ "$(registry reused)" -gt 250000 ]
}

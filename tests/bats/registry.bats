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

# churn N: record N programs
churn()
{
	# shellcheck disable=SC2016 # for the shell that is traced
	run_ktraced --pthread -o t -- sh -c 'i=0; while [ $i -lt "$0" ]; do /bin/true; i=$((i + 1)); done' "$1"
	[ "$status" -eq 0 ]
	[[ $stderr != *"registry"* ]]
	[ "$(grep -ac 'process pid=.*exe=[^ ]*/true ' t)" = "$1" ]
	# Each program's own code is known.
	[ "$(grep -ac 'map pid=.*path=[^ ]*/true$' t)" = "$1" ]
	[ "$(registry missing)" = 0 ]
	# The list stays as long as it was after some 2000 programs: the rest used the same room.
	[ "$(registry used)" -le 2100000 ]
	[ "$(registry reused)" -gt $(($1 - 2300)) ]
}

# bats test_tags=shm
@test "thousands of programs: the registry's room is used again" {
	churn 2600
}

# bats test_tags=shm,long
@test "50,000 programs: the registry's room is used again" {
	churn 50000
}

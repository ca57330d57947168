#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to ctf: what babeltrace2 reads is what ktrace list says, event by event

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	load_odd
}

teardown()
{
	teardown_test
}

# load_odd: a file with names and values that formats have to take care of, as odd
load_odd()
{
	"$PROGS/mktrace" odd <"$ROOT/tests/export/odd.script"
}

# is_whole NR OPTION... FILE...: babeltrace2 reads these events, NR or, if that is empty, some
is_whole()
{
	local wanted=$1 nr
	shift
	rm -rf folder
	run_ktrace export --to ctf -o folder "$@"
	[ "$status" = 0 ]
	"$KTRACE" list --json "$@" >events.json
	nr=$("$ROOT/tests/export/ctf" folder events.json)
	[ "$nr" = "$(wc -l <events.json)" ]
	[ "${wanted:-$nr}" = "$nr" ]
	[ "$nr" -gt 0 ] || [ "$wanted" = 0 ]
}

@test "ctf: all events of a file, those that were lost, and those out of order" {
	"$PROGS/mktrace" t <"$ROOT/tests/golden/small-v1.script"
	is_whole "" t
	[[ $stderr == *"22 events were lost"* ]]
	grep -q $'^\tlost = 22;' folder/metadata
	grep -q $'^\tclock = "tsc";' folder/metadata
	grep -q $'^\thostname = "golden";' folder/metadata
}

@test "ctf: names, text and numbers at their limits" {
	is_whole 23 odd
}

@test "ctf: no event, one event, several files" {
	"$PROGS/mktrace" t <"$ROOT/tests/golden/small-v1.script"
	is_whole 0 --since 5 t
	is_whole 1 -e b:big --since 0.0000008 odd
	is_whole "" t odd
	grep -q $'^\ttrace_1_hostname = ' folder/metadata
}

@test "ctf: recordings of programs" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	is_whole "" t
	run_ktraced --pthread --policy block -o u -- "$PROGS/pthread_contended"
	is_whole "" -e 'pthread:mutex*' u
	is_whole "" t u
}

@test "ctf: packets end, and begin where the last one ended" {
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 2 -n 4000
	is_whole 8000 t
	[ "$(stat -c %s folder/stream_* | sort -n | tail -1)" -gt 131072 ]
}

@test "ctf: the folder is new or empty, and there when it is whole" {
	run_ktrace export --to ctf odd
	[ "$status" = 2 ]
	mkdir empty full
	echo kept >full/file
	run_ktrace export --to ctf -o empty odd
	[ "$status" = 0 ] && [ -e empty/metadata ]
	run_ktrace export --to ctf -o full odd
	[ "$status" = 1 ] && [[ $stderr == *"full: is there already, and not an empty folder"* ]]
	[ "$(ls full)" = file ]
	run_ktrace export --to ctf -o odd odd
	[ "$status" = 1 ]
	run_ktrace export --to ctf -o none/out odd
	[ "$status" = 1 ]
	# A full disk, then a signal
	ulimit -c 0
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 1 -n 1000
	(trap '' XFSZ && ulimit -f 1 && run_ktrace export --to ctf -o out t && [ "$status" = 1 ])
	(ulimit -f 1 && run_ktrace export --to ctf -o out t && [ "$status" = 153 ])
	[ -z "$(find . -name 'out*')" ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# thread_names.bats - threads that get another name while they record have it from then on, everywhere
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

record()
{
	run_ktraced --pthread -o t "$@" -- "$PROGS/pthread_renamed"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
}

NAMES='by main,by prctl,first,self'

# names: of NAMES, those that the input has
names() { grep -oE 'by main|by prctl|\bfirst\b|\bself\b' | sort -u | paste -sd,; }

# bats test_tags=shm
@test "each event has the name that its thread had" {
	record
	"$KTRACE" list --json -e pthread:mutex_lock t | sed -nE 's/.*"comm":"([^"]*)".*/\1/p' | sort | uniq -c |
		sed 's/^ *//' >comms
	show cat comms
	[ "$(paste -sd, comms)" = '1 by main,1 by prctl,1 first,4 pthread_renamed,1 self' ]
	# Also where nothing tells of the names: -e leaves these calls out
	record -e 'pthread:mutex_*'
	[ "$("$KTRACE" list -e pthread:mutex_lock t | names)" = "$NAMES" ]
	# Expressions and seeking
	[ "$("$KTRACE" grep 'comm == "by main"' t | names)" = "by main" ]
	"$KTRACE" check t
}

# bats test_tags=shm
@test "tables, the page and the exports have the latest name" {
	local to
	record
	# With the module it is known that the threads have ended: no state is theirs.
	[ "$KTRACE_BACKEND" = dev ] || [ "$("$KTRACE" state t | names)" = "$NAMES" ]
	for to in "stat" "objects --all"; do
		# shellcheck disable=SC2086 # words
		[ "$("$KTRACE" $to t | names)" = "$NAMES" ]
	done
	"$KTRACE" contention t | grep -q ' first$'
	"$KTRACE" html -o page t
	[ "$(grep -oE '"name":"[a-z ]*"' page | names)" = "$NAMES" ]
	for to in paje chrome csv perfetto; do
		"$KTRACE" export -t "$to" -o out t
		[ "$(strings out | names)" = "$NAMES" ] || { echo "$to"; false; }
	done
	"$KTRACE" export -t sqlite -o out.db t
	[ "$(python3 -c 'import sqlite3; print(*sqlite3.connect("out.db").iterdump())' | names)" = "$NAMES" ]
	mkdir ctf
	"$KTRACE" export -t ctf -o ctf t
	[ "$(strings ctf/* | names)" = "$NAMES" ]
}

# bats test_tags=shm
@test "many names: none is missing, their room is used again" {
	# Several times as many as there is room for; with a pause after each few, as the recorder shares the CPUs.
	run_ktraced --pthread -o t -- bash -c 'for ((i = 0; i < 40; i++)); do "$1" 10000 || exit; sleep 0.05; done' - "$PROGS/pthread_renamed"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	[[ $stderr != *registry* ]]
	[ "$("$KTRACE" info --json t | jq .files[0].registry.missing)" = 0 ]
}

# bats test_tags=dev
@test "there is no room for so many names: they are counted, and new threads still have one" {
	run_ktraced --pthread -o t -- "$PROGS/pthread_renamed" 60000
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	grep -qE 'the registry was full: no room for [0-9]{4,} ' <<<"$stderr"
	# The names for which there was no room, and those that threads gave themselves, are left out
	[ "$("$KTRACE" list -e pthread:thread_start t | grep -cE '/[0-9]+ again ')" = 3 ]
	"$KTRACE" check t
}

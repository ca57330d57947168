#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export: the formats of other tools, read by these tools

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# record COMMAND...: with all that its threads do, to t
record()
{
	run_ktraced --pthread --policy block -o t -- "$@"
	# It has ended by itself.
	[ "$status" -lt 124 ]
	[ "$(summary lost)" = 0 ]
}

# read_by_pajeng OPTION...: t as a Paje trace; in dump, what pj_dump has understood of it
read_by_pajeng()
{
	command -v pj_dump >/dev/null || skip "needs pajeng"
	run_ktrace export --to paje "$@" -o paje t
	[ "$status" = 0 ]
	pj_dump -l 9 -u paje >dump 2>errors || { cat errors; return 1; }
}

# is_true [FROM UNTIL]: waits, calls and links are those of the events
is_true()
{
	"$KTRACE" list --json --event 'pthread:*' t >t.json
	"$ROOT/tests/checkers/pthread/paje" dump t.json "$@"
}

# names KIND FIELD: what pj_dump has of a kind in one of its columns
names()
{
	awk -F ', ' -v kind="$1" -v field="$2" '$1 == kind { print $field }' dump
}

@test "paje: pajeng reads what the events say" {
	for program in calls contended kinds; do
		record "$PROGS/pthread_$program"
		read_by_pajeng
		is_true
	done
	record "$PROGS/pthread_processes" "$PROGS/pthread_plugin.so"
	read_by_pajeng
	is_true
}

@test "paje: who has an object, who lets whom go on" {
	record "$PROGS/pthread_contended"
	read_by_pajeng
	# The program has each waited for once, by a thread that another lets go on.
	[ "$(names Link 3 | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd ' ')" = \
		"creation 6 join 6 mutex 3 rwlock 2 semaphore 1" ]
	# Taken and free, in turn, by threads that are there
	awk -F ', ' '$1 == "State" && $3 == "mutex state" { print $8, $9 }' dump | sort -u >states
	grep '^taken thread [0-9]*$' states
	grep '^free' states
	awk -F ', ' '$1 == "Variable" && $3 == "mutex count" { print $7 }' dump | sort -u | grep '^1'
}

@test "paje: a window begins with what is known by then" {
	record "$PROGS/pthread_contended"
	"$KTRACE" list --json --event 'pthread:*' t >all.json
	# Inside of the first wait for a mutex, and up to the end of the last for anything
	from=$(grep -m1 'mutex_lock_in"' all.json | grep -o '"ns":"*[0-9]*' | grep -o '[0-9]*$')
	until=$(grep '_out"' all.json | tail -n 1 | grep -o '"ns":"*[0-9]*' | grep -o '[0-9]*$')
	read_by_pajeng --since "$((from + 1))ns" --until "${until}ns"
	is_true "$((from + 1))" "$until"
	[ "$(names State 8 | grep -c '^waiting for mutex')" -ge 1 ]
}

@test "paje: -e chooses calls, -p processes" {
	record "$PROGS/pthread_processes" "$PROGS/pthread_plugin.so"
	read_by_pajeng -e 'pthread:thread_create*'
	[ "$(names Event 5 | sort -u | paste -sd ' ')" = "thread_create_in thread_create_out" ]
	[ "$(names Container 3 | grep -c '^process')" -ge 2 ]
	pid=$("$KTRACE" list --json t | grep -m1 thread_start | grep -o '"pid":[0-9]*' | cut -d: -f2)
	read_by_pajeng -p "$pid"
	names Container 3 | grep -c '^process' | grep -x 1
	names Container 7 | grep "^$pid "
}

@test "paje: names that would end a string or a line" {
	cp "$PROGS/pthread_malloc" $'a"b\n\\"c'
	record $'./a"b\n\\"c'
	read_by_pajeng
	is_true
	names Container 7 | grep "^[0-9]* a'b?/'c\$"
}

@test "paje: no event, one event" {
	run_ktraced -o t -- true
	read_by_pajeng
	[ "$(names Event 5 | wc -l)" = 0 ]
	record "$PROGS/pthread_contended"
	read_by_pajeng --until 1ns
	[ "$(names Event 5 | wc -l)" = 1 ]
}

@test "export: usage" {
	run_ktraced -o t -- true
	run_ktrace export t
	[ "$status" = 2 ]
	grep -- '--to FORMAT is missing' <<<"$stderr"
	run_ktrace export --to nothing t
	[ "$status" = 2 ]
	grep -E "^ktrace export: --to: there is no 'nothing', but paje, .* and perfetto\$" <<<"$stderr"
	run_ktrace export --to perfeto t
	grep "there is no 'perfeto' (did you mean 'perfetto'?)" <<<"$stderr"
	run_ktrace export --to paje
	[ "$status" = 2 ]
	run_ktrace export --to paje -o t t
	[ "$status" = 1 ]
	run_ktraced -o u -- true
	echo kept >out
	run_ktrace export --to shark -o out t u
	[ "$status" = 2 ]
	[ "$(cat out)" = kept ]
}

# left: what has names like that of the output, but its own
left()
{
	find . -name 'out*' ! -name out
}

@test "export: what cannot be written whole has no name, and takes none" {
	record "$PROGS/pthread_contended"
	ulimit -c 0
	# A full disk: writes fail.
	(trap '' XFSZ && ulimit -f 1 && run_ktrace export --to paje -o out t &&
		[ "$status" = 1 ] && grep -q '^ktrace: out: File too large' <<<"$stderr")
	[ ! -e out ]
	[ -z "$(left)" ]
	# A signal ends it, with what was there before kept.
	echo kept >out
	(ulimit -f 1 && run_ktrace export --to paje -o out t && [ "$status" = 153 ])
	[ "$(cat out)" = kept ]
	[ -z "$(left)" ]
	# A link stays one; its file keeps its rights. A device is written to.
	chmod 600 out
	ln -s out link
	run_ktrace export --to paje -o link t
	[ "$status" = 0 ]
	[ -L link ]
	[ "$(stat -c %a out)" = 600 ]
	cmp out <("$KTRACE" export --to paje t)
	run_ktrace export --to paje -o new t
	[ "$(stat -c %a new)" = 600 ]
	run_ktrace export --to paje -o /dev/full t
	[ "$status" = 1 ]
	[ -c /dev/full ]
	# Standard output by a name is what the shell has opened, not a file to replace.
	echo kept >log
	"$KTRACE" export --to paje -o /dev/stdout t >>log
	cmp log <(echo kept; cat out)
	ln -s nothing dangling
	run_ktrace export --to paje -o dangling t
	[ "$status" = 1 ]
	[ "$stderr" = "ktrace: dangling: a link to what is not there" ]
	[ -L dangling ]
}

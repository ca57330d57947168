#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to sqlite: every event, read by Python's sqlite3; threads, states, losses

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	ORACLE=$ROOT/tests/checkers/oracle/analyse.py
}

teardown()
{
	teardown_test
}

# is_whole OPTION... FILE...: the database has what ktrace list --json has
is_whole()
{
	local nr
	run_ktrace export --to sqlite -o t.db "$@"
	[ "$status" = 0 ]
	"$KTRACE" list --json "$@" >events.json
	nr=$("$ROOT/tests/checkers/export/sqlite" t.db events.json)
	[ "$nr" = "$(wc -l <events.json)" ]
	[ "$nr" -gt 0 ]
}

# sql STATEMENT: its result, a line a row
sql()
{
	python3 -c '
import sqlite3, sys
for row in sqlite3.connect("t.db").execute(sys.argv[1]):
    print(*row, sep="|")' "$1"
}

@test "sqlite: all events of a file with everything in it" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	is_whole t
	[ "$(sql 'SELECT sum(count) FROM losses')" = 22 ]
	[ "$(sql "SELECT value FROM meta WHERE name = 'lost'")" = 22 ]
	[ "$(sql 'SELECT item, label, thread_tid FROM "demo:work" LIMIT 1')" = "7|hello|100" ]
	is_whole --since 1us --until 1ms t
}

@test "sqlite: recordings of programs, several of them" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	run_ktraced --policy block --context ustack -o u -- "$EXAMPLES/hello"
	is_whole t
	is_whole t u
	# Types that both have share their tables.
	[ "$(sql 'SELECT count(*) FROM type WHERE name LIKE "hello:%"')" = \
		"$(sql 'SELECT count(DISTINCT name) FROM type WHERE name LIKE "hello:%"')" ]
	[ "$(sql 'SELECT count(*) FROM trace')" = 2 ]
}

@test "sqlite: names and values that need care" {
	"$PROGS/mktrace" t <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=2 kind=user cpu=0 ring=65536 block=4096 policy=drop
meta event kind=user id=16 desc=a:select{string%20order;u64%20ORDER;x64%20event_id;}
meta event kind=user id=17 desc=a:select{string%20order;}
meta event kind=user id=18 desc=a:none{}
meta process pid=100 ppid=1 ts=900 comm=a'"b%0ac exe=/bin/demo
block 2
rec 1100 16 100 s:a'b u64:18446744073709551615 u64:0xfffffffffffffffe
rec 1200 17 100 s:'");DROP
rec 1300 18 100
rec 1400 17 100
rec 1500 99 100 hex:00ff
END
	run_ktrace export --to sqlite -o t.db t
	[ "$status" = 0 ]
	[ "$(sql 'PRAGMA integrity_check')" = ok ]
	[ "$(sql 'SELECT * FROM f_1')" = "1|a'b|-1|-2" ]
	[ "$(sql 'SELECT name, fields FROM type')" = "a:select|f_1
a:select|f_2
a:none|None
user:99|None" ]
	[ "$(sql 'SELECT "order" FROM "a:select:2" LIMIT 1')" = "'\");DROP" ]
	[ "$(sql 'SELECT bytes FROM events WHERE event = "user:99"')" = 00ff ]
}

@test "sqlite: names that SQLite has no room for" {
	local long fields
	long=$(printf 'n%.0s' {1..210})
	fields=$(printf 'u8%%20a%d;' {1..2001})
	"$PROGS/mktrace" t <<END
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=2 kind=user cpu=0 ring=65536 block=4096 policy=drop
meta event kind=user id=16 desc=sqlite_x:ev{u8%20x_2;u8%20x;u8%20X;}
meta event kind=user id=17 desc=b:${long}1{u8%20a;}
meta event kind=user id=18 desc=b:${long}2{u8%20a;}
meta event kind=user id=19 desc=b:wide{$fields}
block 2
rec 1100 16 100 u8:1 u8:2 u8:3
rec 1200 17 100 u8:1
rec 1300 18 100 u8:2
rec 1400 19 100 zeros:2001
END
	run_ktrace export --to sqlite -o t.db t
	[ "$status" = 0 ]
	[ "$(sql 'SELECT x_2, x, X_3 FROM "_sqlite_x:ev"')" = "1|2|3" ]
	[ "$(sql "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name LIKE 'b:n%'")" = "$("$KTRACE" list t | grep -c b:n)" ]
	[ "$(sql 'SELECT a FROM f_2 UNION ALL SELECT a FROM f_3')" = $'1\n2' ]
	[ "$(sql "SELECT json_extract(fields, '\$.a2001') FROM \"b:wide\"")" = 0 ]
}

@test "sqlite: states are those of ktrace sched and of ktrace syscalls" {
	python3 "$ORACLE" make 3 3000 | "$PROGS/mktrace" t
	is_whole t
	"$KTRACE" sched --json t >sched.json 2>/dev/null
	sql "SELECT tid, sum(ns) FROM states WHERE status IN ('run', 'exit') GROUP BY tid" >run
	python3 - <<-'END'
		import json
		told = {}
		for t in json.load(open('sched.json'))['tasks']:
		    if t['run']['total_ns']:
		        told[t['tid']] = told.get(t['tid'], 0) + t['run']['total_ns']
		assert told and told == dict(map(int, l.split('|')) for l in open('run'))
	END
	[ "$(sql 'SELECT count(*) FROM state AS a JOIN state AS b ON a.thread = b.thread AND
		a.id <> b.id AND a.begin_ns < b.end_ns AND b.begin_ns < a.end_ns')" = 0 ]
}

@test "sqlite: indexes on time, thread and type are used" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	run_ktrace export --to sqlite -o t.db t
	sql 'EXPLAIN QUERY PLAN SELECT * FROM event WHERE ns > 100' | grep event_ns
	sql 'EXPLAIN QUERY PLAN SELECT * FROM events WHERE tid = 100' | grep thread_tid
	sql 'EXPLAIN QUERY PLAN SELECT * FROM events WHERE tid = 100' | grep event_thread
	sql 'EXPLAIN QUERY PLAN SELECT * FROM event WHERE type = 2 AND ns > 100' | grep event_type
}

@test "sqlite: needs a file" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	run_ktrace export --to sqlite t
	[ "$status" = 1 ]
	[[ $stderr == *"a database needs -o FILE"* ]]
	run_ktrace export --to sqlite -o /dev/null t
	[ "$status" = 1 ]
	run_ktrace export --to sqlite -o t t
	[ "$status" = 1 ]
	[[ $stderr == *"is to be read"* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace sql: its tables against other commands, what goes down, refusals, limits, the shell

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load sql

setup()
{
	setup_test
	COMPARE=$ROOT/tests/checkers/sql/compare
}

teardown()
{
	teardown_test
}

# plan QUERY: what goes down into the reader
plan()
{
	"$KTRACE" sql --json t "EXPLAIN QUERY PLAN $1" | jq -r .detail
}

# golden [FILE]: a file with everything in it
golden()
{
	"$PROGS/mktrace" "${1:-t}" <"$ROOT/tests/data/golden/small-v1.script"
}

@test "sql: every table has what other commands have" {
	golden
	[ "$("$COMPARE" "$KTRACE" t)" = 25 ]
	"$PROGS/machine" "$(n 20000)" m
	[ "$("$COMPARE" "$KTRACE" m)" = "$(n 20000)" ]
}

@test "sql: recordings of programs, several of them" {
	run_ktraced --policy block -o a -- "$EXAMPLES/hello"
	run_ktraced --policy block --pthread -o b -- "$EXAMPLES/cache"
	"$COMPARE" "$KTRACE" a
	"$COMPARE" "$KTRACE" a b
	[ "$(sql 'SELECT count(*) FROM files' a b)" = 2 ]
}

@test "sql: three hosts, with the errors of their times" {
	mkdir hosts
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --sched --app \
		--host 1,wall=0.3,drift=50 --host 2,wall=-0.7,drift=-80 hosts
	"$COMPARE" "$KTRACE" hosts/h0 hosts/h1 hosts/h2
	[ "$(sql 'SELECT count(DISTINCT host) FROM events' hosts/h0 hosts/h1 hosts/h2)" = 3 ]
	[ "$(sql 'SELECT host, min(error_ns) > 0 FROM events GROUP BY host ORDER BY host' hosts/h[012])" = \
		"client|0"$'\n'"server1|1"$'\n'"server2|1" ]
	# Joins read with the same clocks.
	[ "$(sql 'SELECT count(*) FROM events a JOIN events b ON a.time = b.time AND a.trace = b.trace AND
		a.stream = b.stream AND a.name = b.name WHERE a.ns < 1000000' hosts/h[012])" -gt 0 ]
	run_ktrace sql --clocks own hosts/h0 hosts/h1 'SELECT count(error_ns) AS n FROM events'
	[ "${lines[*]}" = "" ]
	[[ $output =~ 0$ ]]
}

@test "sql: stacks have the frames that list shows" {
	local golden=$ROOT/tests/data/golden/context-v1.bin
	"$KTRACE" list --stacks "$golden" | sed -n 's/^\t\([ku] .*+0x[0-9a-f]*\)$/\1/p' >one
	sql "SELECT CASE kind WHEN 'kstack' THEN printf('k %s%s+0x%x', function, ifnull(' [' || module || ']', ''), offset) ELSE
		printf('u %s+0x%x', replace(module, rtrim(module, replace(module, '/', '')), ''), offset) END
		FROM stacks WHERE function IS NOT NULL OR module IS NOT NULL" "$golden" >two
	[ "$(wc -l <one)" -gt 1000 ]
	diff one two
	[ "$(sql "SELECT count(*) FROM stacks WHERE frame = 0 AND tid = 207" "$golden")" = \
		"$("$KTRACE" list --json "$golden" | jq -r 'select(.tid == 207).context // {} | [.kstack, .ustack] |
			map(select(. != null and . != "0x0")) | .[]' | wc -l)" ]
}

@test "sql: fields whose names are taken, names that need care, types of several files" {
	local head='meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=2 kind=user cpu=0 ring=65536 block=4096 policy=drop'
	"$PROGS/mktrace" t <<END
$head
meta event kind=user id=16 desc=a:select{string%20order;u64%20TID;x64%20tid;u32%20x;u32%20x;}
meta event kind=user id=17 desc=sqlite_a:b{u32%20v;}
meta event kind=user id=18 desc=A:SELECT{u32%20v;}
block 2
rec 1100 16 100 s:a'b u64:18446744073709551615 u64:0xfffffffffffffffe u32:1 u32:2
rec 1200 17 100 u32:5
rec 1300 18 100 u32:6
rec 1400 16 100 s:cut
rec 1500 99 100 hex:00ff
END
	"$PROGS/mktrace" u <<END
$head
meta event kind=user id=20 desc=sqlite_a:b{string%20v;u32%20w;}
block 2
rec 1100 20 100 s:text u32:7
END
	# A table for each, whatever SQLite does not tell apart
	[ "$(sql 'SELECT count(DISTINCT table_name) FROM event_types')" = 3 ]
	# table NAME: of the type
	table() { "$KTRACE" sql --json "${2:-t}" "SELECT table_name FROM event_types WHERE name = '$1'" | jq -r .table_name; }
	[ "$(sql "SELECT \"order\", field_TID, field_tid_2, x, x_2 FROM \"$(table a:select)\"" 2>&1)" = \
		"a'b|-1|-2|1|2"$'\n'"cut||||" ]
	[ "$(sql "SELECT v FROM \"$(table sqlite_a:b)\"")" = 5 ]
	[ "$(sql "SELECT v FROM \"$(table A:SELECT)\"")" = 6 ]
	[ "$(sql "SELECT name, bytes FROM events WHERE name LIKE 'user:%'")" = "user:99|00ff" ]
	[ "$(sql "SELECT v, w, trace FROM \"$(table sqlite_a:b u)\" ORDER BY trace" u)" = "text|7|0" ]
	[ "$(sql "SELECT v, w, trace FROM \"$(table sqlite_a:b)\" ORDER BY trace" t u)" = "5||0"$'\n'"text|7|1" ]
}

# is_equal WHERE [TABLE]: rows are the same whether or not the condition goes down
is_equal()
{
	local table=${2:-events}
	sql "SELECT ns, name, tid FROM events WHERE $1" >one
	# A unary plus keeps a condition from going down.
	sql "WITH e AS MATERIALIZED (SELECT * FROM $table) SELECT ns, name, tid FROM e WHERE $1" >two
	cmp one two || { echo "$1"; diff one two | head; return 1; }
}

@test "sql: conditions that go down leave out nothing" {
	local where
	golden
	for where in 'ns < 400' 'ns <= 400' 'ns > 400 AND ns < 2999900' 'ns = 100' 'ns IN (0, 100, 7)' \
		'ns > 99.5 AND ns < 150.5' "ns < '400'" 'ns > NULL' 'ns >= -5' 'ns < 0' 'ns BETWEEN 1e2 AND 1e3' \
		'time = 1700000000000000100' 'time < 1700000000000000200' 'time > 9e18' 'time < 1e30' \
		'cpu = 1' 'cpu IN (0, NULL)' 'cpu <> 0' 'cpu IS NULL' "cpu = '1'" 'cpu = 1.0' 'cpu > 0.5' \
		'tid = 100' 'tid IN (100, 103)' 'tid <> 100' 'tid IS NULL' "tid IN ('100', 103.0)" \
		'pid = 100' 'pid IS NULL' "comm = 'demo'" "comm = 'renamed' AND ns > 900" "comm IN ('swapper')" \
		"name = 'demo:work'" "name IN ('demo:work', 'sched:fork')" "name GLOB 'sched:*'" "name LIKE 'DEMO:%'" \
		"name = 'DEMO:WORK' COLLATE NOCASE" "name = 'ktrace:lost'" "name > 'l'" "name = 5" \
		"name GLOB 'kernel:[0-9]*'" "trace = 0" "stream >= 2" "host = 'golden'" "host <> 'golden'" \
		"tid = 100 AND cpu = 0 AND ns BETWEEN 0 AND 400 AND name LIKE '%work'" \
		'tid = (SELECT max(tid) FROM threads)' "name = x'00'"; do
		is_equal "$where"
	done
	[ "$(sql 'SELECT item FROM "demo:work" WHERE item > 8 AND item <= 11')" = 11$'\n'9$'\n'10 ]
	[ "$(sql 'SELECT item FROM "demo:work" WHERE label = '"'hello' OR item = 12")" = 7$'\n'12 ]
	[ "$(sql 'SELECT count(*) FROM "demo:work" WHERE label IS NULL')" = 0 ]
	[ "$(sql 'SELECT e FROM "demo:types" WHERE e < 0 AND b = 255 AND f = 1.5 AND g = '"'A'")" = -9223372036854775808 ]
	[ "$(sql "SELECT prev_tid FROM \"sched:switch\" WHERE prev_state = 'S' AND next_comm = 'swapper/0'")" = 100 ]
	[ "$(sql "SELECT tid FROM \"syscall:enter\" WHERE nr = 'read'")" = 100 ]
	[ "$(sql "SELECT tid FROM \"syscall:enter\" WHERE nr = 999")" = 102 ]
	[ -z "$(sql "SELECT tid FROM \"syscall:enter\" WHERE nr = '999'")" ]
	# What is truncated is NULL.
	[ "$(sql 'SELECT count(*) FROM "demo:work" WHERE key <> 5 OR key IS NULL')" = 7 ]
}

@test "sql: EXPLAIN QUERY PLAN says what goes down" {
	golden
	[[ $(plan 'SELECT * FROM events WHERE time > 5 AND ns < 9 AND cpu = 1 ORDER BY time') == \
		*"time range: time>? AND ns<? AND cpu=?, in order" ]]
	[[ $(plan "SELECT * FROM \"sched:switch\" WHERE prev_tid IN (1, 2) AND tid = 1") == \
		*"all events: prev_tid IN ? AND tid=?" ]]
	[[ $(plan "SELECT * FROM events WHERE name GLOB 'a*' AND ns > 5") == *"part by time: ns>? AND name GLOB ?" ]]
	[[ $(plan 'SELECT * FROM events ORDER BY ns LIMIT 5') != *"TEMP B-TREE"* ]]
	[[ $(plan 'SELECT * FROM events ORDER BY ns DESC') == *"TEMP B-TREE"* ]]
	[[ $(plan 'SELECT * FROM states') == *"reads all events"* ]]
	# The table that reads everything comes first, the range last.
	[[ $(plan 'SELECT 1 FROM events e JOIN syscalls s ON e.time >= s.time AND e.time < s.end_time' | head -1) == \
		*"SCAN s "* ]]
}

@test "sql: a range of time reads only its blocks, a limit stops reading" {
	"$PROGS/machine" "$(n 400000)" t
	capture strace -f -c -e trace=pread64,read -o all "$KTRACE" sql t 'SELECT count(*) FROM events'
	capture strace -f -c -e trace=pread64,read -o some "$KTRACE" sql t \
		'SELECT count(*) FROM events WHERE ns BETWEEN 1000000 AND 1100000'
	capture strace -f -c -e trace=pread64,read -o few "$KTRACE" sql t 'SELECT ns FROM events ORDER BY ns LIMIT 3'
	reads() { awk '/pread64/ { n += $4 } END { print n + 0 }' "$1"; }
	[ "$(reads all)" -gt "$(($(reads some) * 2))" ]
	[ "$(reads all)" -gt "$(($(reads few) * 2))" ]
}

@test "sql: joins: each table reads by itself" {
	"$PROGS/machine" "$(n 20000)" t
	sql 'SELECT c.ns, c.tid, count(*) FROM syscalls c JOIN "sched:switch" s ON s.time >= c.time AND
		s.time < c.end_time AND s.prev_tid = c.tid WHERE c.ret IS NOT NULL GROUP BY c.ns, c.tid ORDER BY 1, 2' >one
	sql 'CREATE TEMP TABLE c AS SELECT * FROM syscalls; CREATE TEMP TABLE s AS SELECT * FROM "sched:switch";
		SELECT c.ns, c.tid, count(*) FROM c JOIN s ON s.time >= c.time AND
		s.time < c.end_time AND s.prev_tid = c.tid WHERE c.ret IS NOT NULL GROUP BY c.ns, c.tid ORDER BY 1, 2' >two
	[ -s one ]
	cmp one two
}

@test "sql: span_join has what a join by conditions has" {
	"$PROGS/machine" "$(n 20000)" t
	golden u
	local file
	for file in t u; do
		# Intervals of one table overlap, too: b has each twice, some open.
		sql 'CREATE TEMP TABLE a AS SELECT * FROM syscalls; CREATE TEMP TABLE b AS SELECT tid, machine, status, time,
			end_time FROM states UNION ALL SELECT tid, machine, NULL, time + 10, NULL FROM waits;
			CREATE VIRTUAL TABLE temp.j USING span_join(a, (SELECT * FROM b), tid, machine);
			SELECT tid, machine, name, status, time, end_time FROM j ORDER BY 1, 2, 3, 4, 5, 6' "$file" >one
		sql 'CREATE TEMP TABLE a AS SELECT * FROM syscalls; CREATE TEMP TABLE b AS SELECT tid, machine, status, time,
			end_time FROM states UNION ALL SELECT tid, machine, NULL, time + 10, NULL FROM waits;
			SELECT a.tid, a.machine, name, status, max(a.time, b.time), nullif(min(ifnull(a.end_time, 9e18),
			ifnull(b.end_time, 9e18)), 9e18) FROM a JOIN b ON a.tid = b.tid AND a.machine = b.machine AND
			a.time < ifnull(b.end_time, 9e18) AND b.time < ifnull(a.end_time, 9e18) AND
			a.time < ifnull(a.end_time, 9e18) AND b.time < ifnull(b.end_time, 9e18)
			ORDER BY 1, 2, 3, 4, 5, 6' "$file" >two
		[ -s one ]
		cmp one two
	done
	# What has to read everything does so once.
	[ "$(sql 'SELECT count(*) FROM syscalls s JOIN threads t ON t.tid = s.tid AND t.machine = s.machine' t)" = \
		"$(sql 'SELECT count(*) FROM syscalls' t)" ]
	# Without columns that have to be equal: as many as there are pairs
	[ "$(sql "CREATE VIRTUAL TABLE temp.j USING span_join((SELECT 1 AS time, 5 AS end_time, 'x' AS a),
		(SELECT 3 AS time, NULL AS end_time, 'y' AS a)); SELECT * FROM j")" = "3|5|2|x|y" ]
}

@test "sql: span_join refuses what is no table of intervals, and circles" {
	golden t
	local text
	for text in 'files, states' 'states' '' 'states, nosuch' 'states, syscalls, nosuch' '(SELECT), states'; do
		run_ktrace sql t "CREATE VIRTUAL TABLE temp.j USING span_join($text)"
		[ "$status" = 2 ]
		[[ $stderr == *span_join* ]]
	done
	run_ktrace sql t 'CREATE VIRTUAL TABLE temp.j USING fts5(a)'
	[ "$status" = 2 ]
	run_ktrace sql t 'CREATE VIRTUAL TABLE j USING span_join(states, syscalls)'
	[ "$status" = 2 ]
	capture "$KTRACE" sql t <<-'END'
		CREATE VIRTUAL TABLE temp.a USING span_join(states, waits, tid);
		CREATE VIRTUAL TABLE temp.b USING span_join(a, waits, tid);
		DROP TABLE a;
		CREATE VIRTUAL TABLE temp.a USING span_join(b, waits, tid);
		SELECT count(*) FROM a;
	END
	show ktrace
	[ "$status" = 2 ]
	[[ $stderr == *"too many of each other"* ]]
}

@test "sql: what would write, load or set anything is refused" {
	local query
	golden
	for query in "ATTACH 'x' AS x" "ATTACH ':memory:' AS x" 'CREATE TABLE main.x(a)' 'CREATE VIEW main.x AS SELECT 1' \
		"SELECT load_extension('x')" "PRAGMA journal_mode = WAL" "PRAGMA temp_store_directory = 'x'" \
		"PRAGMA writable_schema = 1" "PRAGMA hard_heap_limit = 0" "VACUUM INTO 'x'" 'VACUUM main' "INSERT INTO events DEFAULT VALUES" \
		'DELETE FROM events' "UPDATE \"sched:switch\" SET prev_tid = 1" 'DROP TABLE events' "DETACH temp" \
		'CREATE VIRTUAL TABLE temp.x USING fts5(a)' 'CREATE TRIGGER temp.x INSTEAD OF DELETE ON processes BEGIN SELECT 1; END' \
		'ALTER TABLE events RENAME TO x' "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)"; do
		run_ktrace sql t "$query"
		[ "$status" = 2 ] || return 1
		[ -n "$stderr" ] || return 1
	done
	[ "$(ls)" = t ]
	[ "$(sql 'CREATE TEMP TABLE x AS SELECT tid FROM threads; INSERT INTO x VALUES (5); SELECT count(*) FROM x')" = 5 ]
	[ "$(sql 'CREATE TEMP VIEW v AS SELECT * FROM events; SELECT count(*) FROM v')" = 25 ]
}

@test "sql: time and memory are limited" {
	golden
	run_ktrace sql --time-limit 200ms t 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n'
	[ "$status" = 1 ]
	[[ $stderr == *"longer than allowed"* ]]
	run_ktrace sql --time-limit 200ms t 'SELECT count(*) FROM events a, events b, events c, events d, events e, events f'
	[ "$status" = 1 ]
	run_ktrace sql --memory 5M t 'SELECT length(group_concat(hex(zeroblob(1000000)))) FROM events'
	[ "$status" = 1 ]
	[[ $stderr == *"memory"* ]]
	run_ktrace sql --memory 5 t 'SELECT 1'
	[ "$status" = 2 ]
	run_ktrace sql --time-limit x t 'SELECT 1'
	[ "$status" = 2 ]
}

@test "sql: errors name the place" {
	golden
	run_ktrace sql t 'SELECT tid, nosuch FROM events'
	[ "$status" = 2 ]
	[[ $stderr == *"ktrace sql: no such column: nosuch"*$'\n  SELECT tid, nosuch FROM events\n              ^'* ]]
	printf 'SELECT 1;\n\nSELECT\n  oops FROM events;\n' >q.sql
	run_ktrace sql -f q.sql t
	[ "$status" = 2 ]
	[[ $stderr == *"q.sql:4: no such column: oops"*$'\n    oops FROM events;\n    ^'* ]]
	run_ktrace sql t 'SELECT * FROM nosuch'
	[[ $stderr == *"no such table: nosuch"* ]]
	run_ktrace sql t 'SELECT (1'
	[[ $stderr == *"incomplete input"* ]]
	run_ktrace sql -f missing.sql t
	[ "$status" = 1 ]
	run_ktrace sql missing 'SELECT 1'
	[ "$status" = 1 ]
	run_ktrace sql 'SELECT 1'
	[ "$status" = 2 ]
	run_ktrace sql --json --csv t 'SELECT 1'
	[ "$status" = 2 ]
}

@test "sql: parameters" {
	golden
	run_ktrace sql --csv --param n=9 --param l=hello t 'SELECT item FROM "demo:work" WHERE item = :n OR label = $l ORDER BY 1'
	[ "$output" = "item"$'\r\n7\r\n9\r' ]
	run_ktrace sql --csv --param a=5 --param b=1.5 --param c=0x5 --param d= t 'SELECT typeof(:a), typeof(@b), typeof(:c), :d IS NULL'
	[[ $output == *$'\ninteger,real,text,0\r' ]]
	run_ktrace sql t 'SELECT :n'
	[ "$status" = 2 ]
	[[ $stderr == *"no value for :n"* ]]
	run_ktrace sql t 'SELECT ?'
	[ "$status" = 2 ]
	run_ktrace sql --param x=1 t 'SELECT 1'
	[ "$status" = 2 ]
	[[ $stderr == *"no such parameter"* ]]
	run_ktrace sql --param x t 'SELECT 1'
	[ "$status" = 2 ]
}

@test "sql: forms of output" {
	golden
	local query="SELECT 1 AS a, 'x,\"y' AS b, NULL AS c, 1.5 AS d, x'00ff' AS e"
	run_ktrace sql t "$query"
	[ "$output" = $'a  b     c    d  e\n1  x,"y     1.5  00ff' ]
	run_ktrace sql --csv t "$query"
	[ "$output" = $'a,b,c,d,e\r\n1,"x,""y",,1.5,00ff\r' ]
	run_ktrace sql --json t "$query"
	[ "$output" = '{"a":1,"b":"x,\"y","c":null,"d":1.5,"e":"00ff"}' ]
	[ "$(printf '.mode line\n%s;' "$query" | "$KTRACE" sql t)" = $'a = 1\nb = x,"y\nc = \nd = 1.5\ne = 00ff' ]
	# More rows than are kept for the widths
	[ "$(sql 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n' | wc -l)" = 1000 ]
	run_ktrace sql t 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n'
	[ "$(wc -l <<<"$output")" = 1001 ]
	# Nothing that a terminal obeys
	run_ktrace sql t "SELECT char(27) || '[31m' AS x"
	[ "$output" = $'x\n?[31m' ]
}

@test "sql: statements and commands from standard input" {
	golden
	[ "$(printf 'SELECT 1 AS x;\nSELECT\n 2 AS x\n' | "$KTRACE" sql t)" = $'x\n1\nx\n2' ]
	[ "$("$KTRACE" sql t <<<.tables | head -3)" = $'events\nstacks\nstates' ]
	"$KTRACE" sql t <<<.tables | grep -qx '"demo:work"'
	"$KTRACE" sql t <<<'.schema demo:work' | grep -q '  item INTEGER,  -- field item, u32'
	[ "$("$KTRACE" sql t .tables)" = "$("$KTRACE" sql t <<<.tables)" ]
	[ "$("$KTRACE" sql t '.schema demo:work')" = "$("$KTRACE" sql t <<<'.schema demo:work')" ]
	another t .tables
	[ "$("$KTRACE" sql t .tables 'SELECT count(*) FROM files' | tail -n 1 | xargs)" = 2 ]
	rm .tables
	run -2 "$KTRACE" sql t '.schema nothing'
	[ "$output" = "ktrace sql: there is no table: nothing" ]
	run -2 "$KTRACE" sql 'SELECT 1 AS a' t
	[[ $output == "ktrace sql: the statement follows the files"* ]]
	"$KTRACE" sql t <<<'.schema "demo:work"' | grep -q '  item INTEGER,  -- field item, u32'
	"$KTRACE" sql t <<<.help | grep -q '^\.param'
	[ "$(printf '.param n=5\n.mode list\n.headers off\nSELECT :n;\n.quit\nSELECT 9;\n' | "$KTRACE" sql t)" = 5 ]
	capture "$KTRACE" sql t <<<'.nosuch'
	[ "$status" = 2 ]
	capture "$KTRACE" sql t <<<'.mode x'
	[ "$status" = 2 ]
	capture "$KTRACE" sql t <<<'SELECT nosuch; SELECT 5;'
	[ "$status" = 2 ]
	[[ $output != *5* ]]
	run_ktrace sql -f - t <<<'SELECT 7 AS x'
	[[ $output == *7 ]]
	# A recording in parts, whose name looks like a statement, is none.
	cp t 'my trace.0001.bin'
	[ "$("$KTRACE" sql 'my trace.bin' <<<'SELECT count(*) AS n FROM files')" = $'n\n1' ]
	[ "$("$KTRACE" sql 'my trace.bin' 'SELECT count(*) AS n FROM files')" = $'n\n1' ]
	run_ktrace sql -f /dev/null t
	[ "$status" = 0 ]
	[ -z "$output$stderr" ]
	# What follows a NUL byte is not left out in silence.
	printf 'SELECT 1;\n\0SELECT 2;\n' >nul
	run_ktrace sql -f nul t
	[ "$status" = 1 ]
	[[ $stderr == *nul*"NUL byte"* ]]
	capture "$KTRACE" sql t <nul
	[ "$status" = 2 ]
	[[ $stderr == *"NUL byte"* ]]
}

@test "sql: losses, damage and truncated files are told" {
	golden
	run_ktrace sql t 'SELECT count(*) FROM events'
	[ "$status" = 0 ]
	[[ $stderr == *"22 events were lost in this range"* ]]
	[[ $stderr == *"1 events have a time below"* ]]
	run_ktrace sql t 'SELECT count(*) FROM events WHERE ns < 300'
	[[ $stderr != *"were lost"* ]]
	run_ktrace sql t 'SELECT 1'
	[ -z "$stderr" ]
	"$PROGS/machine" 20000 m
	head -c 500000 m >part
	run_ktrace sql part 'SELECT count(*) FROM events'
	[[ $stderr == *"not closed"* ]]
	[ "$(sql 'SELECT closed FROM files' part 2>err)" = 0 ]
	[ "$(sql 'SELECT count(*) FROM events' part 2>err)" = "$("$KTRACE" list part 2>err | wc -l)" ]
	# A byte in a block's header
	cp m bad
	printf '\377' | dd of=bad bs=1 seek=200000 conv=notrunc 2>err
	"$KTRACE" list bad >/dev/null 2>listed || [ $? = 1 ]
	status=0
	"$KTRACE" sql bad 'SELECT count(*) FROM events a' >out 2>err || status=$?
	[ "$(grep -c offset err)" = "$(grep -c offset listed)" ]
	# Two tables report it once.
	"$KTRACE" sql bad 'SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM losses)' >out 2>err || true
	[ "$(grep -c offset err)" = "$(grep -c offset listed)" ]
}

@test "sql: a file that grows" {
	"$PROGS/machine" 20000 whole
	head -c 300000 whole >t
	mkfifo in
	"$KTRACE" sql t <in >out 2>err &
	STARTED+=($!)
	exec 7>in
	printf '.mode list\n.headers off\nSELECT count(*) FROM events;\n' >&7
	retry 0.05 test -s out
	tail -c +300001 whole >>t
	printf 'SELECT count(*) FROM events;\n.quit\n' >&7
	exec 7>&-
	wait "${STARTED[-1]}" || true
	[ "$(tail -1 out)" = 20000 ]
}

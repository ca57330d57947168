#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# clickhouse.bats - ktrace load, ktrace sql --store: rows of files in a ClickHouse server, each once
#
# The server is Debian's, of 2018. What it answers is compared with what ktrace sql says of the same files.

# shellcheck disable=SC2154 # run_ktrace sets status, output and stderr

load helpers

setup()
{
	command -v clickhouse-server >/dev/null || skip "no clickhouse-server"
	setup_test
	LOAD=${KTRACE%/*}/../libexec/ktrace/load
}

teardown()
{
	teardown_test
}

# server: starts one at the port of the last one or a free one; sets $URL, $SERVER
server()
{
	port=${port:-$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
	start server "$ROOT/scripts/clickhouse" . "$port" "${PASSWORD:-}"
	SERVER=$pid
	retry 0.05 curl -so ping "http://127.0.0.1:$port/ping"
	URL=http://127.0.0.1:$port/t
}

# between REGEX TIMES STATUS ANSWER: the first TIMES statements that match get this answer; sets $PROXY, where the rest goes to the server
between()
{
	rm -f proxy.port
	start proxy "$ROOT/tests/checkers/clickhouse_proxy.py" proxy.port "$port" "$@"
	retry 0.05 test -e proxy.port
	PROXY=http://127.0.0.1:$(cat proxy.port)/t
}

# app FILE TYPE [NAME]: a file with two events app:NAME, x if it is not given, which have a field of this type
app()
{
	{
		echo 'meta trace version=1 start_ns=1700000000000000000 clock=monotonic hz=1000000000'
		echo 'meta host name=h boot=f5896a63-df50-4c36-802a-25245aa4fe63'
		echo 'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
		echo 'meta stream id=0 kind=user cpu=0 block=4096'
		echo "meta event kind=user id=64 desc=app:${3:-x}{$2%20v;}"
		echo 'block 0'
		echo 'rec 1000 64 7 u32:5'
		echo 'rec 1001 64 7 u32:6'
	} | "$PROGS/mktrace" "$1"
}

# ends PID: ends ktrace load --follow
ends()
{
	kill "$1"
	wait "$1"
}

# ask STATEMENT: its answer from the store, as CSV
ask()
{
	"$KTRACE" sql --csv --store "$URL" "$1" >answer || return
	tr -d '\r' <answer
}

# record NAME: a recording in parts, of 20000 events
record()
{
	run_ktraced -q -e flood -b 64K --policy=block --split-size 200K -o "$1" -- "$PROGS/flood" -n 20000
	[ "$status" = 0 ]
}

@test "load: the store's tables have the rows of ktrace sql" {
	local table order
	cp "$ROOT/tests/data/golden/user-dev-v1.bin" t.bin
	server
	run_ktrace load --to "$URL" --tables '*' t.bin
	[ "$status" = 0 ]
	[[ $stderr == *": 1 file loaded, "*" rows; 0 loaded before, 0 damaged, 0 not loaded" ]]
	for table in events sched:switch sched:wakeup hello:item_end slices states waits wakeups threads losses clocks streams event_types event_counts; do
		# Columns that the store adds are last.
		columns=$("$KTRACE" sql --csv t.bin "SELECT * FROM \"$table\" LIMIT 1" | head -n 1 | tr -d '\r')
		[ -n "$columns" ] || columns=$(curl -s "http://127.0.0.1:$port/?database=t" --data-binary "SELECT name FROM system.columns WHERE database = 't' AND table = '$table'" | grep -Ev '^(boot|uuid|part)$' | paste -sd ,)
		order=$(tr , '\n' <<<"$columns" | sed 's/.*/"&"/' | paste -sd ,)
		"$KTRACE" sql --csv t.bin "SELECT $order FROM \"$table\"" | tr -d '\r' | sort >files
		ask "SELECT $order FROM \"$table\"" | sort >store
		diff files store
	done
	[ "$(wc -l <files)" -gt 5 ]
	# What a file is, in each row
	[ "$(ask 'SELECT DISTINCT host, length(boot), length(uuid), part FROM events' | tail -n 1)" = golden,36,32,0 ]
}

@test "load: what is there is not loaded again; more tables are added" {
	record t.bin
	server
	run_ktrace load --to "$URL" --tables events t.bin
	[ "$status" = 0 ]
	run_ktrace load --to "$URL" --tables 'events,flo*' t.bin
	[ "$status" = 0 ]
	parts=(t.*.bin)
	[ ${#parts[@]} -gt 1 ]
	[[ $stderr == *": ${#parts[@]} files loaded, 20000 rows; 0 loaded before, "* ]]
	run_ktrace load --to "$URL" t.bin --tables 'events,flo*'
	[[ $stderr == *": 0 files loaded, 0 rows; ${#parts[@]} loaded before, "* ]]
	[ "$(ask 'SELECT count(), uniq(part) FROM events' | tail -n 1)" = "20000,${#parts[@]}" ]
	table=$("$KTRACE" sql --csv t.*.bin 'SELECT DISTINCT table_name FROM event_types' | tail -n 1 | tr -d '\r')
	[ "$(ask "SELECT count() FROM \"$table\"" | tail -n 1)" = 20000 ]
}

@test "load: killed at any time, by several at a time, each row counts once" {
	local i
	record t.bin
	server
	for i in {1..12}; do
		"$KTRACE" load -q --to "$URL" t.bin & a=$!
		"$KTRACE" load -q --to "$URL" t.bin & b=$!
		sleep "0.0$((RANDOM % 10))"
		kill -KILL $a || true
		sleep "0.0$((RANDOM % 5))"
		kill -KILL $b || true
		wait $a $b || true
	done
	run_ktrace load --to "$URL" t.bin
	[ "$status" = 0 ]
	[ "$(ask 'SELECT count() FROM events' | tail -n 1)" = 20000 ]
	# Rows of attempts that ended too early are there, and are not seen; the statement of fleet.md removes them.
	[ "$(ask 'SELECT count() >= 20000 FROM "rows::events"' | tail -n 1)" = 1 ]
}

@test "load: --follow loads new files; a server that is killed is waited for" {
	record a.bin
	cp a.0001.bin t.0001.bin
	server
	start load "$LOAD" --to "$URL" --follow t.bin
	LOADER=$pid
	seen() { [ "$(ask 'SELECT count() FROM events' 2>/dev/null | tail -n 1)" = "$1" ]; }
	retry 0.1 seen "$("$KTRACE" list -c a.0001.bin)"
	kill -KILL "$SERVER"
	wait "$SERVER" || true
	cp a.0*.bin "$PWD/more" 2>/dev/null || { mkdir more && cp a.0*.bin more; }
	for part in more/a.*.bin; do
		cp "$part" "t${part#more/a}.new"
		mv "t${part#more/a}.new" "t${part#more/a}"
	done
	retry 0.1 grep -q 'trying again' load.err
	server
	retry 0.1 seen 20000
	kill "$LOADER"
	wait "$LOADER"
	grep -q 'works again' load.err
	[ "$(grep -c 'trying again' load.err)" = 1 ]
}

@test "load: a file whose rows are sent again counts once" {
	record t.bin
	printf '\377\377\377\377' | dd of=t.0001.bin bs=1 seek=5000 conv=notrunc status=none
	app a.bin u32
	app b.bin f32
	server
	run_ktrace load --to "$URL" --tables 'app:*' a.bin
	[ "$status" = 0 ]
	between 'INSERT INTO loads' 2 500 'Code: 241. DB::Exception: Memory limit (total) exceeded. (MEMORY_LIMIT_EXCEEDED) (version 24.8)'
	start load "$LOAD" --to "$PROXY" --follow --tables 'events,app:*' t.0001.bin b.bin
	seen() { [ "$(ask 'SELECT uniq(uuid) FROM events' 2>/dev/null | tail -n 1)" = 2 ]; }
	retry 0.1 seen
	fails ends "$pid"
	[ "$(grep -c 'trying again: Memory limit' load.err)" = 1 ]
	[ "$(grep -c 't.0001.bin: damaged: ' load.err)" = 1 ]
	[ "$(grep -c 'b.bin: not loaded: not all of its tables' load.err)" = 1 ]
	rows=$(ask 'SELECT count() FROM events' | tail -n 1)
	grep -q ": 2 files loaded, $rows rows; 0 loaded before, 1 damaged, 1 not loaded" load.err
}

@test "load: rows that the server refuses do not keep others waiting" {
	local all
	record t.bin
	server
	run_ktrace load -q --to "$URL" t.0001.bin
	[ "$status" = 0 ]
	curl -s "http://127.0.0.1:$port/?database=t" --data-binary 'ALTER TABLE "rows::events" ADD COLUMN bad UInt8 MATERIALIZED throwIf(part = 2)'
	start load "$LOAD" --to "$URL" --follow t.bin
	LOADER=$pid
	parts=(t.*.bin)
	all=$("$KTRACE" list -c t.*.bin)
	[ ${#parts[@]} -gt 2 ]
	seen() { [ "$(ask 'SELECT uniq(part), count() FROM events' 2>/dev/null | tail -n 1)" = "$1,$2" ]; }
	retry 0.1 seen $((${#parts[@]} - 1)) $((all - $("$KTRACE" list -c t.0002.bin)))
	# What is not refused of the file is there. New files are loaded, and this one is not tried again.
	retry 0.1 grep -q 't.0002.bin: not loaded: not all of its tables' load.err
	[ "$(ask 'SELECT count() FROM files WHERE part = 2' | tail -n 1)" -gt 0 ]
	app u.bin u32
	mv u.bin t.0099.bin
	retry 0.1 seen ${#parts[@]} $((all - $("$KTRACE" list -c t.0002.bin) + 2))
	fails ends "$LOADER"
	[ "$(grep -c "t.0002.bin: \"events\": the server refuses its rows: Value passed to 'throwIf' function is non zero" load.err)" = 1 ]
	fails grep -q 'trying again' load.err
	grep -q ": ${#parts[@]} files loaded, .* rows; 1 loaded before, 0 damaged, 1 not loaded" load.err
	curl -s "http://127.0.0.1:$port/?database=t" --data-binary 'ALTER TABLE "rows::events" DROP COLUMN bad'
	run_ktrace load --to "$URL" t.bin
	[ "$status" = 0 ]
	seen $((${#parts[@]} + 1)) $((all + 2))
}

@test "load: a type that gets a field while the server has a trouble" {
	app a.bin u32
	app b.bin 'u16%20u;u16'
	server
	between '^INSERT INTO .rows::app:x' 1 500 'Code: 241. DB::Exception: Memory limit (total) exceeded. (MEMORY_LIMIT_EXCEEDED) (version 24.8)'
	start load "$LOAD" --to "$PROXY" --follow --tables 'app:*' a.bin b.bin
	seen() { [ "$(ask 'SELECT count(), count(u) FROM "app:x"' 2>/dev/null | tail -n 1)" = 4,2 ]; }
	retry 0.1 seen
	ends "$pid"
	grep -q ': 2 files loaded, 4 rows; .*, 0 not loaded' load.err
}

@test "load: types with other fields: the view has all columns, whoever is killed" {
	app a.bin u32
	app b.bin 'u16%20u;u16'
	app c.bin 'u16%20w;u16'
	server
	# A name that needs quotes
	URL=http://127.0.0.1:$port/1t
	for file in a b; do
		run_ktrace load --to "$URL" --tables 'app:*' $file.bin
		[ "$status" = 0 ]
	done
	# One that was killed has added a column.
	curl -s "http://127.0.0.1:$port/?database=1t" --data-binary 'ALTER TABLE "rows::app:x" ADD COLUMN w Nullable(Int64)'
	run_ktrace load --to "$URL" --tables 'app:*' c.bin
	[ "$status" = 0 ]
	[ "$(ask 'SELECT count(), count(u), count(v), count(w) FROM "app:x"' | tail -n 1)" = 6,2,6,2 ]
}

@test "load: another process adds the same column" {
	app a.bin u32
	app b.bin u32
	server
	run_ktrace load --to "$URL" --tables 'app:*' a.bin
	[ "$status" = 0 ]
	between '^SELECT name, type FROM system' 1 200 ''
	run_ktrace load --to "${PROXY}" --tables 'app:*' b.bin
	[ "$status" = 0 ]
	[ "$(ask 'SELECT count() FROM "app:x"' | tail -n 1)" = 4 ]
}

@test "load: --follow goes on after the database was dropped" {
	record a.bin
	cp a.0001.bin t.0001.bin
	server
	start load "$LOAD" --to "$URL" --follow t.bin
	LOADER=$pid
	seen() { [ "$(ask 'SELECT count() FROM events' 2>/dev/null | tail -n 1)" = "$1" ]; }
	retry 0.1 seen "$("$KTRACE" list -c a.0001.bin)"
	curl -s "http://127.0.0.1:$port/" --data-binary 'DROP DATABASE t'
	cp a.0002.bin t.new
	mv t.new t.0002.bin
	retry 0.1 seen "$("$KTRACE" list -c a.0002.bin)"
	ends "$LOADER"
	grep -q ': 2 files loaded, .*, 0 not loaded' load.err
}

@test "load: which errors of the server are refusals" {
	local wants http text name
	app a.bin u32
	server
	while read -r wants http text; do
		echo "$wants $http $text"
		between '^INSERT INTO .rows::events' 0 "$http" "$text"
		run_ktrace load --to "$PROXY" a.bin
		[ "$status" = 1 ]
		[[ $stderr == *": 0 files loaded, 0 rows; 0 loaded before, 0 damaged, 1 not loaded"* || $wants = rows ]]
		[[ ($stderr == *"the server refuses its rows"* && $wants = rows) || ($stderr != *refuses* && $wants = server) ]]
		kill "$pid"
		[ "$wants" = server ] || curl -s "http://127.0.0.1:$port/" --data-binary 'DROP DATABASE t'
	done <<-'END'
		rows 500 Code: 27, e.displayText() = DB::Exception: Cannot parse input, e.what() = DB::Exception
		rows 400 Code: 117. DB::Exception: Incorrect data. (INCORRECT_DATA) (version 24.8)
		rows 500 Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100). (TOO_MANY_PARTS) (version 24.8)
		rows 500 Code: 76, e.displayText() = DB::ErrnoException: Cannot open file, errno: 36, strerror: File name too long, e.what() = DB::ErrnoException
		rows 413 Too large
		server 500 Code: 252. DB::Exception: Too many parts (300). Merges are processing significantly slower than inserts. (TOO_MANY_PARTS) (version 24.8)
		server 500 Code: 241, e.displayText() = DB::Exception: Memory limit (total) exceeded, e.what() = DB::Exception
		server 500 Code: 164, e.displayText() = DB::Exception: Cannot insert into table in readonly mode, e.what() = DB::Exception
		server 401 Code: 193, e.displayText() = DB::Exception: Wrong password for user default, e.what() = DB::Exception
		server 403 Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED) (version 24.8)
		server 500 Poco::Exception. Code: 1000, e.code() = 28, e.displayText() = I/O error: No space left on device, e.what() = I/O error
		server 503 Code: 745. DB::Exception: CPU is overloaded. (SERVER_OVERLOADED) (version 25.4)
		server 502 Bad gateway
		server 500 Something else
	END
	# A table whose name is too long for a file of the server; other tables count.
	name=$(printf '.%.0s' {1..100})
	app long.bin u32 "$name"
	run_ktrace load --to "$URL" --tables 'app:*,events' long.bin
	[ "$status" = 1 ]
	[[ $stderr == *"\"app:$name\": the server refuses the table: "*"long.bin: not loaded: not all of its tables"* ]]
	[[ $stderr == *": 1 file loaded, 2 rows"* ]]
}

@test "load: --follow looks again at a file that was refused when it changes" {
	record a.bin
	head -c 20 a.0001.bin >t.0001.bin
	head -c 300 a.0002.bin >t.0002.bin
	echo text >t.0003.bin
	server
	start load "$LOAD" --to "$URL" --follow t.bin
	LOADER=$pid
	retry 0.1 grep -q 't.0001.bin: not loaded: not a tracefile' load.err
	retry 0.1 grep -q 't.0003.bin: not loaded: not a tracefile' load.err
	cat a.0001.bin >t.0001.bin
	cat a.0002.bin >t.0002.bin
	seen() { [ "$(ask 'SELECT count() FROM events' 2>/dev/null | tail -n 1)" = "$1" ]; }
	retry 0.1 seen "$("$KTRACE" list -c a.0001.bin a.0002.bin)"
	fails ends "$LOADER"
	[ "$(grep -c 't.0003.bin: not loaded' load.err)" = 1 ]
	grep -q ': 2 files loaded, .*, 1 not loaded' load.err
}

@test "load: memory is bounded with many files, too" {
	local block rec text
	text=$(printf 'long %.0s' {1..200} | tr ' ' _)
	server
	{
		echo 'meta trace version=1 start_ns=1700000000000000000 clock=monotonic hz=1000000000'
		echo 'meta host name=h boot=f5896a63-df50-4c36-802a-25245aa4fe63'
		echo 'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
		echo 'meta stream id=0 kind=user cpu=0 block=4096'
		echo 'meta event kind=user id=64 desc=app:x{string%20v;}'
		for block in {1..300}; do
			echo 'block 0'
			for rec in 1 2 3; do
				echo "rec $((1000 + block * 10 + rec)) 64 7 s:$text"
			done
		done
	} | "$PROGS/mktrace" one.bin
	# The same as 80 recordings: with other identifiers
	python3 - <<-'END'
		import os
		data = open('one.bin', 'rb').read()
		for i in range(80): open(f't{i}.bin', 'wb').write(data[:24] + os.urandom(16) + data[40:])
	END
	python3 - "$LOAD" --to "$URL" --tables 'events,app:*' t*.bin <<-'END'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], check=True)
		mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
		print(mib, 'MiB')
		sys.exit(mib > 120)
	END
}

@test "load: --follow --store loads what is in the folder of a store, of hosts that match" {
	local boot='f5896a63-df50-4c36-802a-25245aa4fe63'
	record a.bin
	mkdir -p "d[1]/one/$boot" "d[1]/two/$boot"
	server
	start load "$LOAD" --to "$URL" --follow --store 'd[1]' --host 'o*'
	LOADER=$pid
	cp a.0001.bin "d[1]/two/$boot/x.0001.bin"
	cp a.0002.bin "d[1]/one/$boot/x.0002.bin"
	seen() { [ "$(ask 'SELECT count() FROM events' 2>/dev/null | tail -n 1)" = "$1" ]; }
	retry 0.1 seen "$("$KTRACE" list -c a.0002.bin)"
	kill "$LOADER"
	wait "$LOADER"
	grep -q ': 1 file loaded' load.err
	run_ktrace load --to "$URL" --store 'd[1]' --tables events
	[ "$status" = 0 ]
	[[ $stderr == *": 1 file loaded, "*"; 1 loaded before, "* ]]
	run_ktrace load --to "$URL" --store 'd[1]' --follow a.bin
	[ "$status" = 2 ]
	run_ktrace sql --store "$URL" --host 'o*' 'SELECT 1'
	[ "$status" = 2 ]
}

@test "load: a field whose name is the store's own" {
	{
		echo 'meta trace version=1 start_ns=1700000000000000000 clock=monotonic hz=1000000000'
		echo 'meta host name=evil boot=f5896a63-df50-4c36-802a-25245aa4fe63'
		echo 'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
		echo 'meta stream id=0 kind=user cpu=0 block=4096'
		echo 'meta event kind=user id=64 desc=app:x{u32%20load;u32%20part;}'
		echo 'block 0'
		echo 'rec 1000 64 7 u32:5 u32:6'
		echo 'rec 1001 64 7 u32:5 u32:6'
	} | "$PROGS/mktrace" t.bin
	server
	run_ktrace load --to "$URL" --tables '*' t.bin
	[ "$status" = 0 ]
	[ "$(ask 'SELECT count() FROM events' | tail -n 1)" = 2 ]
	# The field, not the number of the attempt
	[ "$(ask 'SELECT load, part FROM "app:x"' | tail -n 1)" = 5,6 ]
}

@test "load: a damaged file, one that is not complete, one that is none" {
	record t.bin
	cp t.0001.bin bad.bin
	printf '\377\377\377\377' | dd of=bad.bin bs=1 seek=5000 conv=notrunc status=none
	head -c 9000 t.0002.bin >cut.bin
	echo text >none.bin
	server
	run_ktrace load --to "$URL" bad.bin
	[ "$status" = 1 ]
	[[ $stderr == *"bad.bin: damaged: the rows that can be read are loaded"*": 1 file loaded, "*", 1 damaged, 0 not loaded" ]]
	[ "$(ask 'SELECT count() FROM events' | tail -n 1)" = "$("$KTRACE" sql --csv bad.bin 'SELECT count(*) FROM events' 2>/dev/null | tail -n 1 | tr -d '\r')" ]
	run_ktrace load --to "$URL" cut.bin none.bin absent.bin
	[ "$status" = 1 ]
	[[ $stderr == *"cut.bin: not loaded: it is not complete"*"none.bin: not loaded: not a tracefile"*"absent.bin: not loaded: No such file"* ]]
	[[ $stderr == *": 0 files loaded, 0 rows; 0 loaded before, 0 damaged, 3 not loaded" ]]
	# Another file with the name of a recording and part that is there
	run_ktrace cut -o other.bin t.0002.bin
	python3 - <<-'END'
		data = bytearray(open('other.bin', 'rb').read())
		data[:48] = open('t.0001.bin', 'rb').read(48)
		open('other.bin', 'wb').write(data)
	END
	run_ktrace load --to "$URL" other.bin
	[ "$status" = 1 ]
	[[ $stderr == *"other.bin: not loaded: the store has rows of another file of this recording and part"* ]]
	run_ktrace load --to "$URL" --tables 'events,nosuch' t.0002.bin
	[ "$status" = 1 ]
	[[ $stderr == *"--tables: no file has 'nosuch'"* ]]
}

@test "load: what is wrong with the command line, the server, the password" {
	cp "$ROOT/tests/data/golden/user-dev-v1.bin" t.bin
	local url
	for url in ftp://h http:// http://u:p@h http://h/a-b; do
		run_ktrace load --to "$url" t.bin
		[ "$status" = 2 ]
		[[ $stderr == *"the URL of ClickHouse: "* ]]
	done
	run_ktrace load t.bin
	[ "$status" = 2 ]
	# Times are those of each host.
	run_ktrace load --clocks own --to "$url" t.bin
	[[ $stderr == *"unrecognized option '--clocks'"* ]]
	[[ $("$KTRACE" load --help) != *--clocks* ]]
	run_ktrace load --to http://127.0.0.1:1 t.bin
	[ "$status" = 1 ]
	[[ $stderr == *"http://127.0.0.1:1: "*"onnect"*" 1 not loaded" ]]
	PASSWORD=s3cret server
	run_ktrace load --to "$URL" t.bin
	[ "$status" = 1 ]
	[[ $stderr == *"assword"* ]]
	echo default:s3cret >creds
	run_ktrace load --creds creds --to "$URL" t.bin
	[ "$status" = 0 ]
	run_ktrace sql --creds creds --store "$URL" 'SELECT count() FROM slices'
	[ "$status" = 0 ]
	echo default >creds
	run_ktrace load --creds creds --to "$URL" t.bin
	[ "$status" = 1 ]
	[[ $stderr == *"creds: its first line is not USER:PASSWORD"* ]]
}

@test "sql --store: values, errors, limits; it only reads" {
	server
	curl -s "http://127.0.0.1:$port/" --data-binary 'CREATE DATABASE t'
	[ "$(ask "SELECT 1, -5, 1.5, 'a\\tb,\\'', NULL, toUInt64(-1), CAST(NULL AS Nullable(String))" | tail -n 1)" = $'1,-5,1.5,"a\tb,\'",,18446744073709551615,' ]
	run_ktrace sql --json --store "$URL" 'SELECT 1 AS a, NULL AS b, 2.5 AS c, toUInt64(7) AS d;'
	[ "$output" = '{"a":1,"b":null,"c":2.5,"d":7}' ]
	run_ktrace sql --store "$URL" 'SELECT * FROM nosuch'
	[ "$status" = 2 ]
	[[ $stderr == *"$URL: "*nosuch* ]]
	run_ktrace sql --store "$URL" 'DROP DATABASE t'
	[ "$status" = 2 ]
	[[ $stderr == *readonly* ]]
	run_ktrace sql --store "$URL" --time-limit 1 'SELECT count() FROM system.numbers'
	[ "$status" = 1 ]
	[[ $stderr == *"imeout"* ]]
	run_ktrace sql --store "$URL" --memory 1M 'SELECT uniqExact(number) FROM system.numbers LIMIT 100000000'
	[ "$status" = 1 ]
	echo 'SELECT 5 AS five' >file.sql
	run_ktrace sql --store "$URL" -f file.sql
	[ "$output" = $'five\n   5' ]
	run_ktrace sql --store "$URL" t.bin 'SELECT 1'
	[ "$status" = 2 ]
	run_ktrace sql --store "$URL" --param a=1 'SELECT 1'
	[ "$status" = 2 ]
	run_ktrace sql --store "$URL" -f file.sql 'SELECT 1'
	[ "$status" = 2 ]
	run_ktrace sql --store "$URL" </dev/null
	[ "$status" = 2 ]
}

@test "a server that hangs is not waited for longer than wanted" {
	local begin=$SECONDS ret=0
	app t.bin u32
	server
	between 'SELECT 1' 0 hang -
	run_ktrace sql --store "$PROXY" --time-limit 1 'SELECT 1'
	[ "$status" = 1 ]
	[[ $stderr == *"imed out after "* ]]
	start sql "$KTRACE" sql --store "$PROXY" 'SELECT 1'
	sleep 0.5
	kill -INT "$pid"
	wait "$pid" || ret=$?
	[ "$ret" = 130 ]
	between 'INSERT INTO loads' 0 hang -
	start load "$LOAD" --to "$PROXY" t.bin
	rows() { [ "$(ask 'SELECT count() FROM "rows::events"' 2>/dev/null | tail -n 1)" = 2 ]; }
	retry 0.1 rows
	kill "$pid"
	fails wait "$pid"
	grep -q ': 0 files loaded, .*, 1 not loaded' load.err
	((SECONDS < begin + 250))
}

@test "sql --store: the queries of the page have its answers, those of ktrace sql" {
	local golden=$ROOT/tests/data/golden page=$ROOT/Documentation/sql-clickhouse.md n
	server
	PATH=${KTRACE%/*}:$PATH
	URL=http://127.0.0.1:$port
	export URL
	ktrace load -q --to "$URL/hello" --tables '*' "$golden/user-dev-v1.bin"
	ktrace load -q --to "$URL/calls" --tables '*' "$golden/kernel-v1.bin"
	ktrace load -q --to "$URL/stacks" --tables '*' "$golden/context-v1.bin"
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --sched --app --host 1,wall=0.3,drift=50 .
	ktrace load -q --to "$URL/fleet" h0 h1 h2
	[ "$("$ROOT/tests/checkers/sql/questions" "$page" ${UPDATE:+--update})" -gt 12 ]
	# The answers to the same questions are the same there and here.
	for n in 1 3 6 7 8 10 12 14 15 19; do
		for page in sql-questions sql-clickhouse; do
			sed -n "/^## $n\\. /,/^## /p" "$ROOT/Documentation/$page.md" | sed '1,/^END/d; /^## /d' >"$page"
		done
		diff sql-questions sql-clickhouse
	done
}

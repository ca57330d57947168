#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace session: a consumer of ktraced --service, with producers of tests/service

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load service

SERVICE=$ROOT/tests/service

setup()
{
	setup_test
	start_service
}

teardown()
{
	teardown_test
}

# producer NAME ARG...: in the background, until it has registered; prints to NAME.out
producer()
{
	local name=$1
	shift
	start "$name" python3 "$SERVICE/producer.py" --source "$name:will_notify_on_stop" "$@"
	retry 0.05 has "$name.out" connected
}

# config NAME [TEXT]: a configuration for a data source
config()
{
	printf 'buffers { size_kb: 1024 }\ndata_sources { config { name: "%s" } }\n%s\n' \
		"$1" "${2:-}" >config
}

# session ARG...: one that runs in the background, as session.out and session.err
session()
{
	start session "$KTRACE" session "$@"
	session=$pid
}

# ended: it has
ended()
{
	status=0
	wait "$session" || status=$?
	cat session.out session.err
}

@test "session: start until SIGINT, slices of a producer in a tracefile" {
	producer one --tracks --packets 20
	config one
	session start -c config -o t --json
	retry 0.05 has session.err 'started'
	kill -INT "$session"
	ended
	[ "$status" = 0 ]
	valid_trace t
	[ "$("$KTRACE" list -e test:work_begin t | wc -l)" = 20 ]
	[ "$("$KTRACE" list -e test:work_end t | wc -l)" = 20 ]
	[ "$(jq -r .file session.out)" = t ]
	# As the service lives: no session is left.
	run_ktrace session status --json
	[ "$(jq .sessions <<<"$output")" = 0 ]
}

@test "session: the producer's data lie on the time line of this machine's tracefiles" {
	producer one --tracks --packets 3
	config one 'duration_ms: 200'
	run_ktraced -q -o native -- "$EXAMPLES/hello"
	run_ktrace session start -c config -o t -q
	[ "$status" = 0 ]
	run_ktraced -q -o after -- "$EXAMPLES/hello"
	"$KTRACE" list --json -e 'hello:*' -e 'test:*' native t after >list 2>said
	# One boot, so one clock; hello before the slices, and behind them
	[ ! -s said ]
	[ "$(jq -r '.event | split(":")[0]' list | uniq | tr '\n' ' ')" = 'hello test hello ' ]
}

@test "session: data sources that no producer has are said, and what may be meant" {
	producer one
	config on1 'duration_ms: 10'
	run_ktrace session start -c config -o t
	[ "$status" = 0 ]
	says "^ktrace session: no producer has a data source 'on1' yet (did you mean 'one'?); 'ktrace session list' "
	run_ktrace session start -c config -o t -q
	fails says 'no producer'
	config one 'duration_ms: 10'
	run_ktrace session start -c config -o t
	fails says 'no producer'
}

@test "session: packets as they are, from a message as configuration" {
	producer one --packets 7 --size 100
	python3 - "$SERVICE" >config <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from wire import encode
		sys.stdout.buffer.write(encode("TraceConfig", {
		    "buffers": [{"size_kb": 64}], "duration_ms": 300,
		    "data_sources": [{"config": {"name": "one"}}]}))
	END
	run_ktrace session start -c config -o t --packets
	[ "$status" = 0 ]
	[ "$(python3 "$SERVICE/mktrace.py" --show t | grep -c for_testing)" = 7 ]
}

@test "session: packets lie in TMPDIR until there are all of them; where there is no room, that is said" {
	producer one --packets 100 --size 1000
	config one 'duration_ms: 100'
	TMPDIR=nowhere run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	says '^ktrace: nowhere: temporary file: No such file or directory'
	mkdir tmp
	trap '' XFSZ
	ulimit -f 8
	TMPDIR=tmp run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	says '^ktrace: tmp: temporary file: File too large'
	[ ! -e t ]
	[ -z "$(ls tmp)" ]
}

@test "session: what a configuration has wrong is said with its place" {
	printf 'buffers {\n size_kbb: 3 }\n' >config
	run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	says 'config: line 2, column 2'
	says "BufferConfig has no field size_kbb (did you mean 'size_kb'?)"
	# The service's own refusal
	config one 'duration_ms: 4000000000'
	run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	[ ! -e t ]
	[ -n "$stderr" ]
	# Not only when there is something to be written
	config one 'duration_ms: 1'
	run_ktrace session start -c config -o missing/t
	[ "$status" = 1 ]
	says 'missing/t: No such file'
	[ -z "$(grep started <<<"$stderr")" ]
	# What was there before stays, and nothing else is left.
	config one 'write_into_file: true duration_ms: 4000000000'
	echo old >t
	run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	[ "$(cat t)" = old ]
	rm t
	run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	[ -z "$(compgen -G 't*')" ]
	config one "unique_session_name: \"$(printf %0140000d 0)\""
	run_ktrace session start -c config -o t
	[ "$status" = 1 ]
	says 'EnableTracing: longer than the 128 KiB'
	run_ktrace session start -o t
	[ "$status" = 2 ]
	run_ktrace session detach key
	[ "$status" = 2 ]
	says 'detach: either --config FILE, or a new key'
	run_ktrace session detach key new -c config
	[ "$status" = 2 ]
	run_ktrace session detach key -c config -o t
	[ "$status" = 2 ]
	says 'no write_into_file'
	run_ktrace session start -c missing -o t
	[ "$status" = 1 ]
	run_ktrace session dance
	[ "$status" = 2 ]
	says "there is no 'dance'"
	run_ktrace session sttaus
	says "(did you mean 'status'?)"
}

@test "session: left behind, found, asked, flushed, renamed, ended" {
	producer one --packets 5
	config one 'write_into_file: true file_write_period_ms: 100'
	run_ktrace session status key
	[ "$status" = 2 ]
	run_ktrace session detach key -c config -o t
	[ "$status" = 0 ]
	retry 0.05 has one.out start_data_source
	run_ktrace session status key
	[ "$status" = 0 ]
	run_ktrace session status --json key
	[ "$(jq '.buffer_stats | length' <<<"$output")" = 1 ]
	run_ktrace session flush --timeout 10 key
	[ "$status" = 0 ]
	run_ktrace session flush --timeout 2500ms key
	[ "$status" = 0 ]
	for wrong in 0 0.1us 2h -1 3601 5x ""; do
		run_ktrace session flush --timeout "$wrong" key
		[ "$status" = 2 ]
		says 'a time such as 5 or 500ms'
	done
	run_ktrace session detach key other
	[ "$status" = 0 ]
	run_ktrace session status key
	[ "$status" = 2 ]
	run_ktrace session attach nobody
	[ "$status" = 1 ]
	says 'no session of yours is detached'
	run_ktrace session stop other
	[ "$status" = 0 ]
	run_ktrace session status other
	[ "$status" = 2 ]
	[ "$(python3 "$SERVICE/mktrace.py" --show t | grep -c for_testing)" = 5 ]
	run_ktrace import --from perfetto -o t.bin t
	[ "$status" = 0 ]
}

@test "session: a flush that is given up, and a key that is taken, end no session" {
	producer one --deaf flush
	config one 'write_into_file: true'
	run_ktrace session detach key -c config -o t
	[ "$status" = 0 ]
	retry 0.05 has one.out start_data_source
	session flush --timeout 60 key
	retry 0.05 has one.out flush
	kill -TERM "$session"
	ended
	[ "$status" = 1 ]
	has session.err stopped
	run_ktrace session status key
	[ "$status" = 0 ]
	run_ktrace session detach second -c config -o u
	[ "$status" = 0 ]
	run_ktrace session detach second key
	[ "$status" = 1 ]
	says 'refuses this key'
	run_ktrace session status second
	[ "$status" = 0 ]
}

@test "session: one that is attached to ends by itself" {
	producer one --packets 2
	config one 'write_into_file: true duration_ms: 1500'
	run_ktrace session start --detach key -c config -o t
	[ "$status" = 0 ]
	run_ktrace session attach key
	[ "$status" = 0 ]
	[ "$(python3 "$SERVICE/mktrace.py" --show t | grep -c for_testing)" = 2 ]
}

@test "session: list of producers, sources and sessions" {
	producer one
	config one 'unique_session_name: "mine"'
	session start -c config -o t
	retry 0.05 has session.err 'started'
	run_ktrace session list
	[ "$status" = 0 ]
	says '^producer id .* test.producer$'
	says '^source producer .* one$'
	says '^session id .* STARTED mine$'
	run_ktrace session list --json
	[ "$(jq -r 'select(.type == "session").name' <<<"$output")" = mine ]
	[ "$(jq -r 'select(.type == "source").name' <<<"$output")" = one ]
	kill -TERM "$session"
	ended
	[ "$status" = 0 ]
}

@test "session: a copy of a session, by name and by number; it goes on" {
	producer one --tracks --packets 4
	config one 'unique_session_name: "mine"'
	session start -c config -o t
	retry 0.05 has session.err 'started'
	run_ktrace session snapshot mine -o copy
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -e test:work_begin copy | wc -l)" = 4 ]
	run_ktrace session list --json
	start clone "$KTRACE" session clone --json -o last \
		"$(jq -r 'select(.type == "session").id' <<<"$output")"
	clone=$pid
	retry 0.05 has clone.out id
	start other "$KTRACE" session clone --json mine
	other=$pid
	retry 0.05 has other.out id
	[ "$(jq .id other.out)" = "$(($(jq .id clone.out) + 1))" ]
	kill -INT "$other"
	wait "$other"
	run_ktrace session read mine
	[ "$status" = 0 ]
	[ "$(grep -c test:work_end <<<"$output")" = 4 ]
	# One of its programs is waited for, whatever its parent ignores.
	capture env --ignore-signal=CHLD "$KTRACE" session read mine
	[ "$status" = 0 ]
	run_ktrace session snapshot nobody -o copy
	[ "$status" = 1 ]
	says 'nobody: Tracing session not found'
	kill -INT "$session"
	ended
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -e test:work_begin t | wc -l)" = 4 ]
	# The copy is still there, until who has made it ends.
	for file in second third; do
		run_ktrace session snapshot "$(jq .id clone.out)" -o "$file"
		[ "$status" = 0 ]
		[ "$("$KTRACE" list -e test:work_begin "$file" | wc -l)" = 4 ]
	done
	kill -INT "$clone"
	wait "$clone"
	[ "$("$KTRACE" list -e test:work_begin last | wc -l)" = 4 ]
	run_ktrace session status --json
	[ "$(jq .sessions <<<"$output")" = 0 ]
}

@test "session read: interrupted or killed it leaves no file" {
	local signal line
	export TMPDIR=$PWD/tmp
	mkdir tmp
	mkfifo reader
	producer one --tracks --packets 4000
	config one 'unique_session_name: "mine"'
	session start -c config -o t
	retry 0.05 has session.err 'started'
	for signal in INT TERM KILL; do
		# It waits for a reader that takes the first events only.
		start read sh -c 'exec "$0" session read mine >reader' "$KTRACE"
		reading=$pid
		exec {fd}<reader
		read -r line <&$fd
		[ -n "$line" ]
		[ -z "$(ls tmp)" ]
		kill -"$signal" "$reading"
		exec {fd}<&-
		wait "$reading" || true
		[ -z "$(ls tmp)" ]
	done
	kill -INT "$session"
	ended
}

@test "session: triggers start, and ask for copies" {
	producer one --tracks --packets 1
	config one 'trigger_config { trigger_mode: START_TRACING trigger_timeout_ms: 60000
		triggers { name: "go" stop_delay_ms: 100 } }'
	session start -c config -o t
	retry 0.05 has one.out setup_data_source
	run_ktrace session trigger unknown go
	[ "$status" = 0 ]
	ended
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -e test:work_begin t | wc -l)" = 1 ]
	config one 'trigger_config { trigger_mode: CLONE_SNAPSHOT trigger_timeout_ms: 60000
		triggers { name: "copy" stop_delay_ms: 1 } }'
	session start -c config -o u
	retry 0.05 has session.err 'started'
	run_ktrace session trigger copy
	retry 0.05 test -e u.1
	[ "$("$KTRACE" list -e test:work_begin u.1 | wc -l)" = 1 ]
	# Which one asked for it
	[ "$("$KTRACE" list -e perfetto:clone_snapshot_trigger u.1 | wc -l)" = 1 ]
	echo 'activate_triggers: "none" activate_triggers: "copy"' >pull
	run_ktrace session start -c pull
	[ "$status" = 0 ]
	retry 0.05 test -e u.2
	kill -INT "$session"
	ended
	[ "$status" = 0 ]
}

@test "session: no service, and one that goes away" {
	config one
	session start -c config -o t
	retry 0.05 has session.err 'started'
	kill -KILL "$service"
	ended
	[ "$status" = 1 ]
	grep -q 'the service has gone' session.err
	[ ! -e t ]
	run_ktrace session list
	[ "$status" = 1 ]
	says 'is ktraced --service running'
}

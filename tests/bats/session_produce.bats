#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host guest
#
# ktrace session produce: what ktraced records as data sources of ktraced --service

# shellcheck disable=SC2154 # capture sets status and output, start sets pid

load helpers
load service

SERVICE=$ROOT/tests/service

setup()
{
	setup_test
	export TMPDIR=$PWD/tmp
	mkdir tmp
}

teardown()
{
	teardown_test
}

# clean: the producer has removed what it has made
clean()
{
	[ -z "$(ls tmp)" ]
}

# produce [COMMAND...]: a service, and beside it a producer that runs the command
produce()
{
	start_service
	start produce "$KTRACE" session produce -- "$@"
	produce=$pid
	retry 0.05 registered ktrace.user
}

# full_service: one that has the sources by itself
full_service()
{
	start_full_service
	retry 0.05 registered ktrace.user
	retry 0.05 registered ktrace.kernel
}

# registered SOURCE: the service knows it
registered()
{
	"$KTRACE" session list | grep -q " $1\$"
}

# config FILE NAME [SOURCE...]: a configuration of a session with this name
config()
{
	local file=$1 source
	printf 'buffers { size_kb: 16384 }\ndata_source_stop_timeout_ms: 60000\n' >"$file"
	printf 'flush_timeout_ms: 60000\nunique_session_name: "%s"\n' "$2" >>"$file"
	shift 2
	for source; do
		printf 'data_sources { config { name: "%s" } }\n' "$source" >>"$file"
	done
}

# session NAME: one of the configuration NAME, into NAME.bin, which has started
session()
{
	start "$1" "$KTRACE" session start -c "$1" -o "$1.bin"
	session=$pid
	retry 0.05 has "$1.err" 'started'
}

# ended PID: it has, well
ended()
{
	kill -INT "$1"
	status=0
	wait "$1" || status=$?
	[ "$status" = 0 ]
}

# events FILE GLOB: how many
events()
{
	"$KTRACE" list -e "$2" "$1" 2>/dev/null | wc -l
}

# as_recorded FILE: the program's events without what differs from run to run
as_recorded()
{
	"$KTRACE" list --json -e 'hello:*' "$1" | jq -c \
		'select(.event != "hello:item_end") | [.event, (.fields | keys), .cpu != null]' | sort
	"$KTRACE" list --json -e 'hello:item_end' "$1" | jq -c '.fields.result' | sort
}

# spoil HOW FROM TO: the packets with the pieces of tracefiles in another way
spoil()
{
	python3 - "$SERVICE" "$@" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from wire import decode, encode, packets_of, trace_of
		how, out = sys.argv[2], []
		for data in packets_of(open(sys.argv[3], "rb").read()):
		    packet = decode("TracePacket", data)
		    part = packet.get("ktrace_part", {})
		    if "data" in part:
		        if how == "lost":
		            continue
		        if how == "damaged":
		            part["data"] = part["data"][:-9] + b"?" + part["data"][-8:]
		        if how == "moved":
		            part["offset"] += 1
		        if how == "longer":
		            part["size"] += 1
		        data = encode("TracePacket", packet)
		        if how == "many":
		            for number in range(1000, 1500):
		                out.append(encode("TracePacket", {"ktrace_part": {**part, "number": number}}))
		        if how == "twice":
		            out.append(data)
		    out.append(data)
		open(sys.argv[4], "wb").write(trace_of(out))
	END
}

# producer_of PID: the producer that the service started
producer_of()
{
	children_of "$1" | head -n 1
}

# other_producer PID OLD: there is one, and it is not that
other_producer()
{
	local new
	new=$(producer_of "$1")
	[ -n "$new" ] && [ "$new" != "$2" ] && registered ktrace.user
}

# bats test_tags=alike
@test "session: ktrace's own events are a data source beside others" {
	produce "$EXAMPLES/hello"
	start one python3 "$SERVICE/producer.py" --source one:will_notify_on_stop \
		--tracks --packets 2
	retry 0.05 has one.out connected
	config t mine one ktrace.user
	session t
	retry 0.05 has produce.out 'hello, world'
	ended "$session"
	# As many as the program has when it is recorded alone, under their names; and slices
	run_ktraced -q -o alone -- "$EXAMPLES/hello"
	[ "$(events t.bin 'hello:item_begin')" = "$(events alone 'hello:item_begin')" ]
	[ "$(events t.bin 'hello:item_end')" = "$(events alone 'hello:item_end')" ]
	[ "$("$KTRACE" list -e 'hello:start' t.bin | grep -c 'greeting="hello, world"')" = 1 ]
	[ "$(events t.bin 'test:work_begin')" = 2 ]
	# And with what ktraced says of each: CPU, types of fields
	as_recorded t.bin >here
	as_recorded alone >there
	cmp here there
	# What the service does not know of the machine, ktraced does.
	"$KTRACE" info t.bin | grep -q ', [0-9]* cpus'
	ended "$produce"
	clean
}

# bats test_tags=alike
@test "session: parts of a recording in packets, whole and not" {
	produce "$EXAMPLES/hello"
	config t mine ktrace.user
	start t "$KTRACE" session start --packets -c t -o t.pftrace
	session=$pid
	retry 0.05 has produce.out 'hello, world'
	ended "$session"
	run_ktrace import --from perfetto -o whole t.pftrace
	[ "$status" = 0 ]
	as_recorded whole >good
	[ "$(grep -c hello:item good)" = 40 ]
	# What others understand is not there a second time, nor lost on the way back.
	[ "$(events whole 'perfetto:track_descriptor')" = 0 ]
	run_ktrace export --to perfetto -o again.pftrace whole
	[ "$status" = 0 ]
	run_ktrace import --from perfetto -o again again.pftrace
	[ "$status" = 0 ]
	[ "$(events again 'hello:*')" = "$(events whole 'hello:*')" ]
	[ "$(events again 'perfetto:tracing_started')" = 1 ]
	for what in lost damaged twice moved longer; do
		spoil "$what" t.pftrace bad.pftrace
		run_ktrace import --from perfetto -o bad bad.pftrace
		[ "$status" = 0 ]
		[ "$(events bad 'hello:*')" = "$(events whole 'hello:*')" ]
		[ "$("$KTRACE" list --json -e hello:start bad | jq -c '[.cpu, .fields.workers]')" = \
			'[null,4]' ]
	done
	# More parts than there are descriptors
	spoil many t.pftrace many.pftrace
	(
		ulimit -n 64
		run_ktrace import --from perfetto -o many many.pftrace
		[ "$status" = 0 ]
	)
	[ "$(events many 'hello:start')" = 1 ]
	ended "$produce"
	clean
}

# bats test_tags=alike
@test "session: a ring without room for a part as events of tracks has its recording" {
	produce "$PROGS/flood" -n 6000
	config t mine ktrace.user
	sed -i 's/16384/256/' t
	session t
	retry 0.05 has produce.out '^written'
	ended "$session"
	[ "$(events t.bin flood:item)" = 6000 ]
	[ "$(events t.bin ktrace:lost)" = 0 ]
	ended "$produce"
	clean
}

# bats test_tags=alike
@test "session: producers, native writers and a POSIX stream in one tracefile" {
	mkfifo in
	exec 7<>in
	start beat bash -c 'exec "$0" 3 <in 7>&-' "$EXAMPLES/beat"
	beat=$pid
	echo >&7
	retry 0.05 has beat.out 3
	start watch "$EXAMPLES/watch" "$beat" log 7>&-
	watch=$pid
	retry 0.05 has watch.out watching
	produce "$EXAMPLES/hello"
	start one python3 "$SERVICE/producer.py" --source one:will_notify_on_stop --tracks --packets 2
	retry 0.05 has one.out connected
	config t mine one ktrace.user
	session t
	retry 0.05 has produce.out 'hello, world'
	echo >&7
	retry 0.05 has beat.out 6
	ended "$session"
	exec 7>&-
	kill "$beat"
	wait "$watch"
	run_ktrace merge -o all t.bin log
	[ "$status" = 0 ]
	# In the order of time: the beats came last.
	"$KTRACE" list --json -e 'hello:finish,test:work_begin,posix:beat' all | jq -r .event >order
	[ "$(uniq -c order | awk '{ print $1 $2 }' | sort | tr '\n' ' ')" = \
		'1hello:finish 2test:work_begin 3posix:beat ' ]
	[ "$(tail -n 3 order | uniq)" = posix:beat ]
	ended "$produce"
	clean
}

# bats test_tags=alike
@test "session: a copy has what was recorded before it, and two sessions each have their own" {
	produce "$PROGS/flood" -n 0 -u 1000
	config t mine ktrace.user
	config u other ktrace.user
	session t
	first=$session
	run_ktrace session snapshot mine -q -o copy
	[ "$status" = 0 ]
	before=$(events copy 'flood:*')
	session u
	# It goes on, and a later copy has more.
	copy_grows()
	{
		"$KTRACE" session snapshot mine -q -o copy
		[ "$(events copy 'flood:*')" -gt "$before" ]
	}
	retry 0.1 copy_grows
	run_ktrace session snapshot other -q -o second
	[ "$status" = 0 ]
	ended "$first"
	ended "$session"
	valid_trace t.bin
	[ "$(events t.bin 'flood:*')" -gt "$(events copy 'flood:*')" ]
	[ "$(events u.bin 'flood:*')" -gt 0 ]
	# Nothing is there twice: each event says where it is in the run.
	[ -z "$("$KTRACE" list -e flood:item t.bin | sed 's/.*flood:item //' | sort | uniq -d)" ]
	ended "$produce"
	clean
}

# bats test_tags=alike
@test "session: the service starts the producer, says where to attach, and ends it" {
	full_service
	config t mine ktrace.user
	session t
	retry 0.05 has service.err 'programs attach with KTRACE_SESSION='
	value=$(sed -n 's/.*KTRACE_SESSION=//p' service.err)
	KTRACE_SESSION=$value "$EXAMPLES/hello" >said
	run_ktrace session snapshot mine -q -o copy
	[ "$status" = 0 ]
	[ "$(events copy 'hello:start')" = 1 ]
	ended "$session"
	[ "$(events t.bin 'hello:start')" = 1 ]
	own=$(producer_of "$service")
	kill "$service"
	wait "$service"
	fails kill -0 "$own"
	clean
}

# bats test_tags=alike
@test "session: ctrl-C ends service and sessions, with what was recorded until then" {
	in_front=setsid
	full_service
	config t mine ktrace.user
	session t
	retry 0.05 has service.err 'programs attach with KTRACE_SESSION='
	KTRACE_SESSION=$(sed -n 's/.*KTRACE_SESSION=//p' service.err) "$EXAMPLES/hello" >said
	kill -INT -- "-$service"
	wait "$service"
	wait "$session"
	[ "$(events t.bin 'hello:start')" = 1 ]
	clean
}

# bats test_tags=alike
@test "session: a producer that died is started again, one that was ended is not" {
	full_service
	own=$(producer_of "$service")
	kill -KILL "$own"
	retry 0.05 has service.err 'has ended; it is started again'
	retry 0.05 other_producer "$service" "$own"
	kill -TERM "$(producer_of "$service")"
	retry 0.05 has service.err 'was ended'
	[ -z "$(producer_of "$service")" ]
	run_ktrace session list
	[ "$status" = 0 ]
	kill "$service"
	wait "$service"
	clean
}

# bats test_tags=alike
@test "session: without --service there is no producer to leave out" {
	capture "$KTRACED" --no-producer -- true
	[ "$status" = 125 ]
	grep -q -e '--no-producer needs --service' <<<"$stderr"
}

# bats test_tags=alike
@test "session: what a source could not do is said in the trace, to its user and in the log" {
	full_service
	config t mine
	printf 'data_sources { config { name: "ktrace.user" legacy_config: "a:b:c:d{" } }\n' >>t
	session t
	ended "$session"
	"$KTRACE" list -e ktrace:error t.bin >list
	grep -q 'source="ktrace.user" text="-e: column 9: the closing } is missing"' list
	grep -q 'ktrace.user: -e: column 9' service.err
	grep -q 'ktrace.user: -e: column 9' t.err
	kill "$service"
	wait "$service"
	clean
}

# bats test_tags=alike
@test "session: a source that is in too many sessions counts as started, too" {
	full_service
	config t mine
	for _ in {1..33}; do
		printf 'data_sources { config { name: "ktrace.user" legacy_config: "{" } }\n' >>t
	done
	session t
	has service.err 'ktrace.user: in too many sessions'
	ended "$session"
	[ "$("$KTRACE" list -e ktrace:error t.bin | grep -c "is missing")" = 32 ]
}

# bats test_tags=alike
@test "session: what the command says comes through byte by byte" {
	{ printf '\nbeginning\0 '; yes x | head -c 3000 | tr '\n' y; printf '\n\nno end'; } >said
	produce sh -c 'cat said >&2'
	config one one ktrace.user
	session one
	retry 0.05 cmp -s said produce.err
	ended "$session"
	ended "$produce"
	cmp said produce.err
}

# bats test_tags=alike
@test "session: a part that cannot be begun is said, and nothing is lost when it can again" {
	produce "$PROGS/flood" -n 0 -u 1000
	config t mine ktrace.user
	session t
	mv tmp/ktrace-session-* away
	retry 0.1 has produce.err 'ktrace.user: .*No such file or directory'
	mv away "$(sed -n 's|.*\(tmp/ktrace-session-[^/]*\)/t.*No such file.*|\1|p;T;q' produce.err)"
	run_ktrace session snapshot mine -q -o copy
	[ "$status" = 0 ]
	[ "$(events copy 'flood:*')" -gt 0 ]
	ended "$session"
	[ "$("$KTRACE" list -e ktrace:error t.bin | grep -c 'No such file')" = 1 ]
	# Each event is there once.
	written=$(sed -n 's/^written [0-9]* //p' produce.out)
	[ "$(events t.bin flood:item)" = "$written" ]
	ended "$produce"
	clean
}

# Also while a part is handed over: it is known by more than its name.
# bats test_tags=alike,long
@test "session: the folder of the parts is elsewhere now and then: nothing is lost" {
	produce "$PROGS/flood" -n 0 -u 1000
	config t mine ktrace.user
	session t
	folder=$(echo tmp/ktrace-session-*)
	while [ ! -e enough ]; do
		mv "$folder" away
		mv away "$folder"
		sleep 0.01
	done &
	moves=$!
	for _ in {1..8}; do
		run_ktrace session snapshot mine -q -o copy
		[ "$status" = 0 ]
	done
	touch enough
	wait "$moves"
	ended "$session"
	ended "$produce"
	written=$(sed -n 's/^written [0-9]* //p' produce.out)
	[ "$(events t.bin flood:item)" = "$written" ]
	fails grep -v -e 'No such file' -e 'programs attach' produce.err
	clean
}

# bats test_tags=dev
@test "session: ktrace.kernel has events of the whole system" {
	full_service
	config t mine
	printf 'data_sources { config { name: "ktrace.kernel" legacy_config: "sched,irq" } }\n' >>t
	session t
	start_ktraced --all -e sched,irq -o direct.bin
	direct=$pid
	retry 0.05 has ktraced.err tracing
	bash -c 'echo $$ >pid; sleep 0.1; /bin/true'
	kill "$direct"
	wait "$direct" || true
	run_ktrace session snapshot mine -q -o copy
	[ "$status" = 0 ]
	[ "$(events copy sched:fork)" -ge 2 ]
	ended "$session"
	[ "$(events t.bin sched:fork)" -gt "$(events copy sched:fork)" ]
	[ "$(events t.bin ktrace:error)" = 0 ]
	# All is known of a process, from its fork to its end, that a recording knows of it.
	# Each session stamps an event itself: what two CPUs do at a time may be in either order, so
	# it is that of each CPU which is the same.
	for file in direct.bin copy; do
		"$KTRACE" flow -p "$(<pid)" --json "$file" |
			jq -c '[.comm, .status, .wait, .mode, .sub_name]' >"$file.flow"
		"$KTRACE" list -p "$(<pid)" "$file" | sed 's/^ *[0-9.]* //' |
			sort -s -k 1,1 >"$file.list"
	done
	cmp direct.bin.flow copy.flow
	cmp direct.bin.list copy.list
	grep -q sched:exit copy.list
	"$KTRACE" irq --json copy | grep -q '"kind"'
	kill "$service"
	wait "$service"
	clean
}

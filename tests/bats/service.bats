#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service.bats - ktraced --service: the life of sessions
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "a producer alone: nothing is set up" { cases session nothing_without_session; }
@test "setup, start, data, stop, read, free" { cases session whole_life; }
@test "what the service itself writes, and its order" { cases session own_packets; }
@test "each can be left out" { cases session without_own_packets; }
@test "exactly those of the configuration, by index and by name" { cases session buffers_in_order; }
@test "one that registers later joins; one that leaves drops out" { cases session late_producer; }
@test "one that registers before a deferred start is set up, and starts with the others" { cases session late_start_is_late; }
@test "producers chosen by name and by expression; later more of them" { cases session names_filter; }
@test "shared memory is handed over once, for all sources and sessions" { cases session memory_once; }
@test "the configuration's, the producer's, or else the default" { cases session sizes_of_memory; }
@test "memory of the producer's own is taken, and not sent back" { cases session own_memory; }
@test "starting waits for sources that say so; then the consumer is told, once" { cases session acknowledged_start; }
# bats test_tags=long
@test "sources that have not started after 20 s are named" { cases session slow_start; }
@test "by the clock that goes on in suspend" { cases session suspend_clock; }
@test "stopping waits for sources that say so; what they write until then is there" { cases session acknowledged_stop; }
@test "one that does not acknowledge is waited for only so long" { cases session deaf_stop; }
@test "nor is one that goes away" { cases session gone_while_stopping; }
@test "one that registers meanwhile does not join" { cases session registers_while_stopping; }
@test "the consumer goes while a flush and the end are under way" { cases session consumer_gone_while_stopping; }
@test "two readings while it runs: everything once" { cases session read_in_parts; }
@test "packets longer than a chunk, a frame, and most of the buffer" { cases session large_packets; }
@test "the consumer goes: the session is freed, its sources stop" { cases session consumer_gone; }
@test "a source that is taken back stops, and is not there for later sessions" { cases session unregistered; }
@test "an id is there once; an update needs it and does not rename" { cases session registered_twice; }
@test "what comes before GetAsyncCommand is not lost, nor out of order" { cases session commands_wait; }
@test "parts of a source's configuration that the service does not know reach the producer" { cases session unknown_fields; }
@test "the methods have the numbers of the protocol" { cases session methods_in_order; }
@test "calls that need a session, or a connection that is initialized" { cases session calls_without_session; }
@test "a second EnableTracing of a connection is refused until FreeBuffers" { cases session two_enable; }
@test "filters are changed beside a data source without configuration" { cases session change_without_config; }
@test "two data sources of a name have filters of their own" { cases session same_names_changed; }
@test "one of two sources of a name is taken back" { cases session same_name_unregistered; }
@test "each socket has its own port only" { cases session other_port; }

@test "sockets from systemd are used, and it is told" {
	mkdir unit
	export PERFETTO_PRODUCER_SOCK_NAME=$PWD/unit/producer.sock
	export PERFETTO_CONSUMER_SOCK_NAME=$PWD/unit/consumer.sock
	start unit python3 "$ROOT/tests/service/activate.py" unit "$KTRACED" --service -q
	service=$pid
	retry 0.02 has unit/notified READY=1
	cases session whole_life
	kill "$service"
	wait "$service"
	has unit/notified STOPPING=1
	# They are systemd's.
	[ -S unit/producer.sock ]
	[ -S unit/consumer.sock ]
}

@test "a signal ends it: sockets are gone, producers and consumers are told" {
	start source python3 "$ROOT/tests/service/producer.py" --source test.src
	producer=$pid
	retry 0.02 has source.out connected
	kill "$service"
	wait "$service"
	status=0
	wait "$producer" || status=$?
	[ "$status" -eq 3 ]
	[ ! -e producer.sock ]
	[ ! -e consumer.sock ]
}

@test "stopped, it waits until sessions have ended and were read" {
	python3 "$ROOT/tests/service/cases_session.py" service_stopped
	wait "$service"
	has service.err 'waiting for 1 session to end'
}

@test "stopped, it flushes no session that has ended" {
	python3 "$ROOT/tests/service/cases_session.py" service_stopped_late
	wait "$service"
	has service.err 'waiting for 1 session to end'
}

@test "a second signal ends sessions that nobody reads" {
	start reader python3 "$ROOT/tests/service/cases_session.py" service_not_read
	retry 0.02 has reader.out enabled
	kill "$service"
	retry 0.02 has service.err 'waiting for 1 session to end'
	kill "$service"
	wait "$service"
	has service.err '1 session did not end: its trace is not complete'
	wait "$pid"
}

@test "a socket of one that was killed is taken over, one that serves is not" {
	kill -KILL "$service"
	wait "$service" || true
	[ -S producer.sock ]
	start_service
	capture "$KTRACED" --service
	show second
	[ "$status" -eq 125 ]
	[[ $stderr == *"cannot listen at $PWD/producer.sock: Address already in use"* ]]
	cases session whole_life
}

@test "a name that begins with @ is one without a file" {
	export PERFETTO_PRODUCER_SOCK_NAME=@ktrace-$BATS_TEST_NAME-$$-p
	export PERFETTO_CONSUMER_SOCK_NAME=@ktrace-$BATS_TEST_NAME-$$-c
	start abstract "$KTRACED" --service
	service=$pid
	retry 0.02 has abstract.err 'serving producers at @'
	cases session whole_life
}

@test "--service takes neither a command nor a file" {
	for words in "-o x" "true"; do
		# shellcheck disable=SC2086 # words
		capture "$KTRACED" --service $words
		show "--service $words"
		[ "$status" -eq 125 ]
		[[ $stderr == *"sessions choose what to record and where"* ]]
	done
}

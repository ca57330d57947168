#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace control of sessions of ktraced --service: how they go; they are paused, marked, changed and
# ended. Others have sessions on the same host: those of this test are always named.

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers
load service

SERVICE=$ROOT/tests/service

setup()
{
	setup_test
	start_service
	name=session-$service
}

teardown()
{
	teardown_test
}

# producer NAME ARG...: in the background, until it has registered; prints to NAME.out
producer()
{
	local source=$1
	shift
	start "$source" python3 "$SERVICE/producer.py" --name "producer.$source" \
		--source "$source:will_notify_on_stop" --tracks "$@"
	retry 0.05 has "$source.out" connected
}

# config TEXT SOURCE...: a configuration for these data sources
config()
{
	local text=$1 source
	shift
	{
		printf 'unique_session_name: "%s"\nbuffers { size_kb: %d }\n%s\n' "$name" "${size_kb:-1024}" "$text"
		for source; do
			printf 'data_sources { config { name: "%s" } }\n' "$source"
		done
	} >config
}

# session: starts one of the configuration, to t
session()
{
	start session "$KTRACE" session start -c config -o t
	session=$pid
	retry 0.05 has session.err started
}

# ended: it has
ended()
{
	status=0
	wait "$session" || status=$?
	cat session.out session.err
	[ "$status" = 0 ]
}

# control ARG...: it succeeds
control()
{
	run_ktrace control "$name" "$@"
	[ "$status" = 0 ]
}

# value KEY: of the JSON of the session
value()
{
	"$KTRACE" control --json "$name" | jq -r ".$1"
}

# is KEY VALUE: it says so; for retry
is()
{
	[ "$(value "$1")" = "$2" ]
}

# refuses WHY ARG...: it refuses the action for this reason
refuses()
{
	local why=$1
	shift
	run_ktrace control "$name" "$@"
	[ "$status" = 1 ]
	[[ $stderr == *"refused: $why"* ]]
}

@test "how a session goes: numbers, and lines" {
	producer one --packets 20
	producer two --packets 20
	config '' one two absent
	session
	retry 0.05 is programs 2
	control --json
	[ "$(jq -c '[.kind, .answers, .paused, .unique_name, .backend, .state, .events, .producers, .lost, .reasons, .uid, .pid]' <<<"$output")" = \
		"[\"session\",true,false,\"$name\",\"service\",\"STARTED\",\"one,two,absent\",\"producer.one,producer.two\",0,{},$(id -u),$service]" ]
	[ "$(jq '.bytes > 100 and .bytes_s > 0 and .ns > 0 and .recorded == null' <<<"$output")" = true ]
	canonical=$(jq -r .name <<<"$output")
	control
	[[ $output == "NAME "*"STATE"*"FILE  COMMAND"$'\n'"$canonical "*" running "*$'\n'"        pid $service, state STARTED, name $name, sources one,two,absent, producers producer.one,producer.two" ]]
	run_ktrace control "$canonical" --json
	[ "$(jq -r .unique_name <<<"$output")" = "$name" ]
	control stop
	ended
	run_ktrace control "$name"
	[ "$status" = 1 ]
	[[ $stderr == *"no live recording $name"* ]]
}

@test "paused: no source records; resumed: all do again, and the trace says so" {
	producer one --packets 20
	config '' one
	session
	retry 0.05 has one.out start_data_source
	control pause
	[ "$(value paused)" = true ]
	retry 0.05 has one.out stop_data_source
	[ "$(value programs)" = 0 ]
	refuses 'it is paused already' pause
	refuses 'it is paused: resume it first' enable one
	# A source that comes in between has to wait, too.
	producer two --packets 20
	control mark 'in between'
	control resume
	refuses 'it is not paused' resume
	retry 0.05 is programs 1
	control stop
	ended
	[ "$("$KTRACE" list -c -e test:work_begin t)" = 40 ]
	"$KTRACE" list --json -e 'ktrace:*' t | jq -r .fields.text >said
	[ "$(paste -sd, said)" = 'pause,in between,resume' ]
	# The second half is after it.
	"$KTRACE" list --json t | jq -rs 'map(select(.event == "test:work_begin" or .event == "ktrace:control") | .event + (.fields.text // "")) | .[20:22] | join(",")' >order
	[ "$(<order)" = ktrace:controlpause,ktrace:controlresume ]
}

@test "data sources are switched off and on by name" {
	producer one --packets 5
	producer two --packets 5
	config '' one two
	session
	retry 0.05 is programs 2
	control disable two
	[ "$(value events)" = one ]
	[ "$(value disabled)" = two ]
	retry 0.05 is producers producer.one
	refuses "'three' is none of its data sources" enable three
	refuses 'no data source would be left: pause it, or stop it' disable one
	control enable two
	[ "$(value events)" = one,two ]
	retry 0.05 is programs 2
	control stop
	ended
	[ "$("$KTRACE" list -c -e test:work_begin t)" = 15 ]
	"$KTRACE" list --json -e ktrace:control t | jq -r .fields.text >said
	[ "$(paste -sd, said)" = 'disable two,enable two' ]
}

@test "marks are in the trace, in order, for other readers of packets, too" {
	producer one --packets 5
	config '' one
	session
	control mark 'a "quoted" \ text, with ä'
	control mark second
	run_ktrace session snapshot "$name" -o now
	[ "$status" = 0 ]
	control stop
	ended
	for file in now t; do
		"$KTRACE" list --json -e ktrace:mark $file | jq -r .fields.text >said
		diff said - <<-'END'
			a "quoted" \ text, with ä
			second
		END
	done
}

@test "too many marks for nobody who reads are refused" {
	config '' absent
	start session "$KTRACE" session start -c config -o t -q
	session=$pid
	retry 0.05 is answers true
	# 1024 fit; a datagram each.
	capture python3 - "$service" "$("$KTRACE" control --json "$name" | jq -r .name)" <<-'END'
		import os, socket, sys
		name = [l.split()[-1] for l in open('/proc/net/unix')
		        if l.rstrip().rsplit('/', 2)[-2:-1] == [sys.argv[1]] and ' @ktraced/' in l]
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind('')
		said = []
		for i in range(1030):
		    s.sendto(b'mark text=%d' % i, '\0' + name[0][1:])
		    said.append(s.recv(65536).split()[0].decode())
		print(said.count('ok'), said.count('refused'), said[-1])
	END
	show python3
	[ "$output" = '1024 6 refused' ]
	refuses 'too many marks wait to be read' mark one
	control stop
	ended
}

@test "what a ring overwrites is counted, with its reason" {
	producer one --packets 4000
	size_kb=64 config '' one
	session
	retry 0.05 is 'reasons.overwritten > 0' true
	[ "$(value 'lost == .reasons.overwritten')" = true ]
	[ "$(value 'fill > 50 and .fill <= 100')" = true ]
	control
	[[ $output == *$'\n        lost: overwritten '* ]]
	control stop
	ended
}

@test "a detached session: named by its key, its file is whole when stop returns" {
	producer one --packets 20
	config 'write_into_file: true
		file_write_period_ms: 100' one
	run_ktrace session detach "key-$service" -c config -o t.pftrace -q
	[ "$status" = 0 ]
	retry 0.05 has one.out start_data_source
	retry 0.05 is 'written > 0' true
	[ "$(value file)" = "$(realpath t.pftrace)" ]
	[ "$(value 'free > 0')" = true ]
	[ "$(value key)" = "key-$service" ]
	run_ktrace control "key-$service" mark here
	[ "$status" = 0 ]
	run_ktrace control "key-$service" stop
	[ "$status" = 0 ]
	run_ktrace import t.pftrace -o t
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c -e test:work_begin t)" = 20 ]
	[ "$("$KTRACE" list -c -e ktrace:mark t)" = 1 ]
	run_ktrace session status "key-$service"
	[ "$status" = 2 ]
}

@test "what a session cannot do is refused, with the reason" {
	config '' absent
	session
	refuses "its packets refer to earlier ones, so a second file could not be read alone; ktrace session snapshot" rotate
	run_ktrace level "$(value name)" -e x:y
	[ "$status" = 1 ]
	[[ $stderr == *"refused: it is a session of the service: it has no levels"* ]]
	# Without a name, ktrace level means recordings of ktraced only.
	run_ktrace level --json
	[[ $output != *session:* ]]
	control stop
	ended
	size_kb=64 config 'deferred_start: true' absent
	start session "$KTRACE" session start -c config -o t -q
	session=$pid
	retry 0.05 is state CONFIGURED
	refuses 'it has not begun' pause
	refuses 'it has not begun' mark x
	control stop
	ended
}

@test "the library: supervisor lists both kinds, marks and ends a session" {
	producer one --packets 4000
	size_kb=64 config '' one
	session
	retry 0.05 is 'reasons.overwritten > 0' true
	start_ktraced -o r -- sleep 1000
	recording=$pid
	retry 0.05 has_line "$recording recording "
	has_line "$(value name) session "
	"$EXAMPLES/supervisor" "$name" 1 >said
	[[ $(<said) == *" was ended after "*" losses" ]]
	ended
	[ "$("$KTRACE" list --json -e ktrace:mark t | jq -r .fields.text)" = 'too much was lost' ]
	"$EXAMPLES/supervisor" "$recording" 0 >said
	[[ $(<said) == "$recording was ended after 0 losses" ]]
	[ "$("$KTRACE" list --json -e ktrace:mark r | jq -r .fields.text)" = 'too much was lost' ]
	kill -KILL "$(child_of "$recording")"
}

# has_line START: the supervisor prints one; for retry
has_line()
{
	"$EXAMPLES/supervisor" | grep -q "^$1.* reasons "
}

@test "only the session's user and root may ask, and believe a service of root" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	local other=(setpriv --reuid=65533 --regid=65533 --clear-groups)
	"${nobody[@]}" "$KTRACE" --version || skip "other users may not run the programs in $BUILD"
	local dir=$PWD
	while [ "$dir" != "${TMPDIR:-/tmp}" ] && [ "$dir" != / ]; do
		chmod a+x "$dir"
		dir=$(dirname "$dir")
	done
	chmod 777 . consumer.sock producer.sock
	config '' absent
	chmod 644 config
	# The service's listener is root's, so that others believe it.
	start session "${nobody[@]}" "$KTRACE" session start -c "$PWD/config" -o "$PWD/t" -q
	session=$pid
	retry 0.05 is uid 65534
	capture "${nobody[@]}" "$KTRACE" control "$name" mark mine
	show nobody
	[ "$status" = 0 ]
	canonical=$("$KTRACE" control --json "$name" | jq -r .name)
	capture "${other[@]}" "$KTRACE" control "$name" stop
	[ "$status" = 1 ]
	[[ $stderr == *"no live recording $name"* ]]
	# A message without the command is refused, too.
	capture "${other[@]}" /usr/bin/python3 - "$service" <<-'END'
		import socket, sys
		name = [l.split()[-1] for l in open('/proc/net/unix') if f' @ktraced/65534/{sys.argv[1]}/' in l]
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind('')
		s.sendto(b'stop', '\0' + name[0][1:])
		print(s.recv(65536).decode())
	END
	show other
	[[ $output == 'refused reason=only%20the%20owner'* ]]
	control stop
	ended
	[ "$("$KTRACE" list -c -e ktrace:mark t)" = 1 ]
}

@test "completions know sessions and recordings" {
	make -s -C "$ROOT" completions BUILD="$BUILD"
	PATH=$BUILD/bin:$PATH
	export ZSH_DUMP=$BATS_FILE_TMPDIR/zcompdump
	config '' absent
	session
	start_ktraced -o r -- sleep 1000
	recording=$pid
	canonical=$(value name)
	retry 0.05 has_line "$recording recording "
	for command in control level; do
		"$ROOT/tests/checkers/completions/bash" "$BUILD/completions/ktrace" "ktrace $command " >in_bash
		"$ROOT/tests/checkers/completions/zsh" "$BUILD/completions" "ktrace $command " >in_zsh
		for shell in bash zsh; do
			grep -qx "$recording" in_$shell
			[ $command != control ] || grep -qx "$canonical" in_$shell
			[ $command = control ] || fails grep -qx "$canonical" in_$shell
		done
	done
	control stop
	ended
	run_ktrace control "$recording" stop
	kill -KILL "$(child_of "$recording")"
}

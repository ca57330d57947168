#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# fleet_control.bats - ktrace fleet: how recordings of ktraced --ship go, and commands for them, through a NATS server
#
# Others trace on the same host, but with other servers.

# shellcheck disable=SC2154 # run_ktraced sets status, output and stderr

load helpers

setup()
{
	command -v nats-server >/dev/null || skip "no nats-server"
	setup_test
	HOST=$(uname -n)
	CLIENT=$ROOT/tests/checkers/fleet/client.py
}

teardown()
{
	teardown_test
}

# server [OPTION...]: starts one at a free port; sets $port, $URL
server()
{
	start server nats-server -a 127.0.0.1 -p -1 -js -sd js --ports_file_dir "$PWD" "$@"
	retry 0.05 grep -qs nats "nats-server_$pid.ports"
	[[ $(cat "nats-server_$pid.ports") =~ :([0-9]+)\" ]]
	port=${BASH_REMATCH[1]}
	URL=nats://127.0.0.1:$port
}

# recorder NAME OPTION...: a ktraced of a program with 1000 events a second into NAME.bin; sets $pid, output in NAME.err
recorder()
{
	local name=$1
	shift
	start "$name" "$KTRACED" "--backend=$KTRACE_BACKEND" -e flood -b 64K --split-time 1h --ship "$URL" --ship-wait 300ms "$@" -o "$name.bin" -- \
		"$PROGS/flood" -o -n 0 -u 1000
}

# fleet ARG...: as run_ktrace
fleet()
{
	run_ktrace fleet --to "$URL" --wait "${wait:-1500ms}" "$@"
}

# value NAME KEY: of the recording into NAME.*bin
value()
{
	"$KTRACE" fleet --to "$URL" --wait 1500ms --json 2>/dev/null |
		jq -r "select((.file // \"\") | test(\"/$1[.]([0-9]+[.])?bin\$\")) | .$2"
}

# is NAME KEY VALUE: for retry
is()
{
	[ "$(value "$1" "$2")" = "$3" ]
}

# over NAME PID: the program of a recording ends, and the recording with it
over()
{
	kill -TERM "$(child_of "$2")" 2>/dev/null || true
	wait "$2" || true
}

@test "fleet control: all recordings are listed, with what is known of them; chosen by host and label" {
	server
	recorder a --label role=web --label dc=east --ship-allow rotate,mark
	a=$pid
	recorder b --label role=db --paused
	b=$pid
	retry 0.1 is a state running
	retry 0.1 is b state paused
	retry 0.1 eval '[ "$(value a events_s)" -gt 100 ]'
	fleet --json
	[ "$status" = 0 ]
	[[ $stderr == *"ktrace fleet: 2 recordings on 1 host answered within 1500 ms; there may be others"* ]]
	echo "$output" >list
	jq -es 'all(.host == "'"${HOST}"'" and .boot == "'"$(cat /proc/sys/kernel/random/boot_id)"'" and .lost == 0 and
		.waiting == 0 and .lag_ns == 0 and .fill <= 100 and (.uuid | length) == 32 and .part == 1)' list
	jq -es 'map(select(.pid == '"$a"')) | length == 1 and .[0].labels == "role=web,dc=east" and .[0].allow == "rotate,mark" and
		.[0].recorded > 0' list
	jq -es 'map(select(.pid == '"$b"')) | length == 1 and .[0].labels == "role=db" and .[0].allow == null and
		.[0].recorded == 0' list
	# Clocks of one host do not differ: what is measured has a limit, and that holds.
	jq -es 'all((.offset_ns | fabs) <= .offset_error_ns and .offset_error_ns < 1e9)' list
	# Errors of a clock that nobody synchronises are not known.
	jq -es 'all((.clock_synced == 1) == (.clock_est_ns != null))' list
	# Nothing of the command line leaves the host.
	fails grep -q flood list
	fleet
	[ "$status" = 0 ]
	[ "$(wc -l <<<"$output")" = 3 ]
	[[ $output == *"$HOST "*" paused "*"role=db"*"/b.0001.bin"* ]]
	fleet --label role=web --label dc=east --host "${HOST:0:1}*"
	[[ $output == *"a.0001.bin"* && $output != *"b.0001.bin"* ]]
	[[ $stderr == *" 1 recording on 1 host answered within 1500 ms, of those that are meant; "* ]]
	fleet --label role=web --label dc=west
	[ "$status" = 1 ]
	fleet --host no
	[ "$status" = 1 ]
	# Hosts of a store that do not answer
	mkdir -p d/other/x "d/$HOST/x" d/.incoming
	fleet --store d --label role=none
	[ "$status" = 1 ]
	[[ $output == *"other "* && $output != *"$HOST "* ]]
	fleet --store d
	[ "$status" = 0 ]
	[[ $output == *$'\n'"other "*" no answer: known from the store"* && $output != *"incoming"* ]]
	[ "$(grep -c 'known from the store' <<<"$output")" = 1 ]
	[[ $stderr == *"1 host of the store did not answer: switched off, not recording, or cut off"* ]]
	fleet --store d --json
	jq -es 'map(select(.state == "no answer")) | map(.host) == ["other"]' <<<"$output"
	# Another stream is another fleet.
	run_ktrace fleet --to "$URL/else" --wait 100ms
	[ "$status" = 1 ]
	[[ $stderr == *"0 recordings on 0 hosts answered"* ]]
	over a "$a"
	over b "$b"
}

@test "fleet control: a recording that begins paused is started, marked, rotated, changed and ended from elsewhere" {
	server
	start store "$KTRACE" store d --from "$URL"
	store=$pid
	recorder t --paused --ship-allow all --label k=v
	tracer=$pid
	retry 0.1 is t state paused
	fleet mark "before $'\e[31m'"
	[ "$status" = 0 ]
	fleet resume
	[ "$status" = 0 ]
	[[ $output == *"$HOST "*" resume   done" ]]
	retry 0.1 eval '[ "$(value t recorded)" -gt 50 ]'
	fleet --label k=v mark after
	[ "$status" = 0 ]
	fleet resume
	[ "$status" = 1 ]
	[[ $output == *" resume   refused: it is not paused" ]]
	fleet --json rotate
	[ "$status" = 0 ]
	jq -e '.action == "rotate" and .result == "done" and .part == 2' <<<"$output"
	retry 0.1 is t waiting 0
	fleet enable 'demo:*'
	[ "$status" = 0 ]
	fleet disable 'demo:*'
	[ "$status" = 0 ]
	fleet disable 'demo:*'
	[ "$status" = 1 ]
	[[ $output == *"refused: 'demo:*' is not in its list of events" ]]
	fleet pause
	[ "$status" = 0 ]
	is t state paused
	fleet stop
	[ "$status" = 0 ]
	[[ $output == *" stop     done" ]]
	kill -TERM "$(child_of "$tracer")"
	wait "$tracer" || true
	# All of it is in the store: the marks, and events only between resume and pause.
	[ "$(echo t.*bin)" = 't.*bin' ]
	run_ktrace list --store d
	[ "$(grep -c 'ktrace:mark' <<<"$output")" = 2 ]
	[[ $(grep -m 1 'ktrace:mark\|flood:item' <<<"$output") == *'ktrace:mark'*before* ]]
	[ "$(grep -c 'flood:item' <<<"$output")" -gt 50 ]
	[[ $(grep 'ktrace:mark\|flood:item' <<<"$output" | sed -n 2p) == *'flood:item'* ]]
	run_ktrace check --store d
	[ "$status" = 0 ]
	# Who did what is told on the host.
	grep -q "ktrace ship: ktrace fleet stop, by .*@$HOST as it says: done" t.err
	[ "$(grep -c 'ktrace fleet .* done$' t.err)" = 8 ]
	[ "$(grep -c 'ktrace fleet .*: refused: ' t.err)" = 2 ]
	kill "$store"
	wait "$store"
}

@test "fleet control: a recorder does only what its own options allow, and says so" {
	server
	recorder a
	a=$pid
	recorder b --ship-allow mark,rotate
	b=$pid
	retry 0.1 is a state running
	retry 0.1 is b state running
	for action in stop pause resume "enable x" "disable flood"; do
		fleet $action
		[ "$status" = 1 ]
		[ "$(grep -c 'refused: the recorder does not allow it' <<<"$output")" = 2 ]
	done
	fleet --json rotate
	[ "$status" = 1 ]
	jq -es 'map(.result) | sort == ["done", "refused"]' <<<"$output"
	is a part 1
	is b part 2
	is a state running
	retry 0.1 eval 'recorded=$(value a recorded); [[ $recorded =~ ^[0-9]+$ ]]'
	retry 0.1 eval 'has=$(value a recorded); [ "${has:-0}" -gt "$recorded" ]'
	[ "$(grep -c 'as it says: refused: the recorder does not allow it (ktraced --ship-allow)' a.err)" = 6 ]
	over a "$a"
	over b "$b"
	grep -q 'ktrace ship: of ktrace fleet: 0 commands done, 6 refused; 0 messages that are none of it; 0 lines' a.err
	grep -q 'ktrace ship: of ktrace fleet: 1 commands done, 5 refused; ' b.err
}

# publish SUBJECT [REPLY]: standard input
publish()
{
	"$CLIENT" "$port" publish "$@"
}

@test "fleet control: messages that are none do nothing, and are counted" {
	local begin=$SECONDS
	server
	recorder t --ship-allow all
	tracer=$pid
	retry 0.1 is t state running
	to=$HOST.$(value t session)
	# No inbox, or another place: nobody commands without hearing the result, or lets the host write elsewhere.
	printf 'do by=x' | publish "ktrace.fleet.do.stop.$to"
	for place in ktrace.data.x '$JS.API.STREAM.DELETE.ktrace' "ktrace.fleet.do.stop.$to" _INBOX.a.b _INBOX. "_INBOX.$(printf 'x%.0s' {1..60})"; do
		printf 'do by=x' | publish "ktrace.fleet.do.stop.$to" "$place" || true
		printf 'status' | publish ktrace.fleet.ask "$place" || true
	done
	# Other words, other forms, too long, bytes that are no text
	for action in Stop stop2 'st' '%73top' show set; do
		printf 'do by=x' | publish "ktrace.fleet.do.$action.$to" _INBOX.x
	done
	for text in '' x stop 'do' 'dox by=x' $'do\nby=x' '{"do":1}'; do
		printf %s "$text" | publish "ktrace.fleet.do.stop.$to" _INBOX.x
		printf %s "$text" | publish ktrace.fleet.ask _INBOX.x
	done
	printf 'do by=\0x' | publish "ktrace.fleet.do.stop.$to" _INBOX.x
	{ printf 'do by='; head -c 100000 /dev/zero | tr '\0' x; } | publish "ktrace.fleet.do.stop.$to" _INBOX.x
	head -c 5000 /dev/urandom | publish ktrace.fleet.ask _INBOX.x
	# Values where none belongs, and none where one does
	printf 'do by=x value=y' | publish "ktrace.fleet.do.stop.$to" _INBOX.x
	printf 'do by=x value=' | publish "ktrace.fleet.do.mark.$to" _INBOX.x
	printf 'do by=x' | publish "ktrace.fleet.do.enable.$to" _INBOX.x
	printf 'do by=x value=%%00' | publish "ktrace.fleet.do.mark.$to" _INBOX.x
	printf 'do by=%%1b[31m value=%s' "$(printf 'x%.0s' {1..1025})" | publish "ktrace.fleet.do.mark.$to" _INBOX.x
	retry 0.1 is t state running
	is t part 1
	over t "$tracer"
	[[ $(grep 'of ktrace fleet' t.err) =~ "0 commands done, "([0-9]+)" refused; "([0-9]+)" messages that are none of it; "([0-9]+)" lines" ]]
	[ "${BASH_REMATCH[1]}" = 5 ]
	[ "${BASH_REMATCH[2]}" -ge 30 ]
	# The journal does not become full.
	[ $(($(grep -c 'none of ktrace fleet: dropped$\|as it says: refused' t.err) + BASH_REMATCH[3])) = $((BASH_REMATCH[1] + BASH_REMATCH[2])) ]
	[ "$(grep -c 'none of ktrace fleet: dropped$' t.err)" -le $((20 * (1 + (SECONDS - begin) / 60))) ]
	fails grep -q $'\e' t.err
}

# respond HOST SESSION: another host, whose answers to the first question are on standard input
respond()
{
	cat >answers.in
	start respond bash -c 'exec "$0" "$@" <answers.in' "$CLIENT" "$port" respond ktrace "$@"
	retry 0.05 grep -q listening respond.out
}

@test "fleet control: answers that are none are dropped and counted, names cannot control the terminal" {
	server
	session=0123456789abcdef
	respond web%2Eone $session <<'END'
nonsense
ok pid=x
ok pid=1 lost=-1
ok pid=1 lag_ns=99999999999999999999999
ok pid=1 labels=a=b,c
ok pid=1 labels=%1b[31m=x
ok pid=77 state=live paused=0 boot=%1b]0;title%07 file=/tmp/%1b[2J%0aevil labels=role=web error=%0d%1b[31mred lost=7 lost_full=7
ok pid=78 state=live
END
	fleet
	[ "$status" = 0 ]
	[ "$(wc -l <<<"$output")" = 3 ]
	[[ $output == *"web.one "*" 77 "*" running "*" role=web "*"/tmp/?[2J?evil"* ]]
	[[ $output == *"not written: ??[31mred"* ]]
	[[ $output != *$'\e'* && $output != *$'\a'* && $output != *$'\r'* ]]
	# What it has not said is not known.
	[[ $output == *" ? "* ]]
	[[ $stderr == *"dropped 6 messages that are no answers, 1 that came again, 0 for which there is no room"* ]]
	# Names of hosts and sessions that are none
	for name in 'a.b' "%zz" "$(printf 'h%.0s' {1..201})"; do
		respond "$name" $session <<<'ok pid=1 state=live'
		fleet
		[ "$status" = 1 ]
		[[ $stderr == *"dropped 1 messages that are no answers"* ]]
	done
	respond web 0123 <<<'ok pid=1 state=live'
	fleet
	[ "$status" = 1 ]
	# One that does not answer the command is named.
	respond web $session <<<'ok pid=1 state=live allow=stop'
	run_ktrace fleet --to "$URL" --wait 1500ms rotate
	[ "$status" = 1 ]
	[[ $output == *"web "*" rotate   no answer: whether it has done it is not known" ]]
	[[ $stderr == *"1 recording did not answer the command: whether it was done there is not known"* ]]
}

@test "fleet control: the broker's accounts decide who may do what, and for whom a host speaks" {
	cat >nats.conf <<-END
		authorization { users: [
			{ user: looks, password: x, permissions: {
				publish: ["ktrace.fleet.ask", "ktrace.fleet.do.mark.>", "_INBOX.*.$HOST.>", "\$JS.API.>"],
				subscribe: ["_INBOX.>", "ktrace.fleet.>"] } } ] }
		no_auth_user: looks
	END
	server -c nats.conf
	recorder t --ship-allow all
	tracer=$pid
	retry 0.1 is t state running
	fleet mark hello
	[ "$status" = 0 ]
	fleet stop
	[ "$status" = 1 ]
	[[ $stderr == *"Permissions Violation for Publish"*"ktrace.fleet.do.stop."* ]]
	is t state running
	respond other 0123456789abcdef <<<'ok pid=1 state=live'
	fleet
	[ "$status" = 0 ]
	[[ $output == *"t.0001.bin"* && $output != *"other"* ]]
	over t "$tracer"
}

@test "fleet control: a recorder that may not listen says so" {
	cat >nats.conf <<-END
		authorization { users: [ { user: u, password: x, permissions: {
			publish: [">"], subscribe: ["_INBOX.>"] } } ] }
		no_auth_user: u
	END
	server -c nats.conf
	recorder t
	tracer=$pid
	retry 0.1 grep -iq 'ktrace fleet: .*permissions violation for subscription' t.err
	over t "$tracer"
}

@test "fleet control: when the broker is back, recordings answer again" {
	server
	recorder t
	tracer=$pid
	retry 0.1 is t state running
	kill "${STARTED[0]}"
	wait "${STARTED[0]}" || true
	fleet
	[ "$status" = 1 ]
	[[ $stderr == *"cannot connect: "* && $stderr != *"trying again"* ]]
	start server nats-server -a 127.0.0.1 -p "$port" -js -sd js
	retry 0.2 is t state running
	grep -q 'ktrace fleet: works again' t.err
	over t "$tracer"
}

@test "fleet control: a recorder that is stopped, and one that is over with files left" {
	server
	recorder a
	a=$pid
	start b "$KTRACED" "--backend=$KTRACE_BACKEND" -e flood -b 64K --ship "$URL" --ship-wait 1h -o b.bin -- "$PROGS/flood" -n 100
	b=$pid
	retry 0.1 is a state running
	retry 0.1 eval '"$KTRACE" fleet --to "$URL" --wait 1500ms 2>/dev/null | grep -q " ended "'
	kill -STOP "$a"
	wait=30s fleet --json
	kill -CONT "$a"
	[ "$status" = 0 ]
	jq -es 'map(select(.pid == '"$a"'))[0] | .state == "silent" and .events_s == null' <<<"$output"
	jq -es 'map(select(.pid == '"$b"'))[0] | .state == "ended" and .waiting == 1 and .lag_ns > 0 and
		.waiting_bytes == '"$(stat -c %s b.0001.bin)" <<<"$output"
	fleet --json stop
	[ "$status" = 1 ]
	kill "$b"
	wait "$b" || true
	over a "$a"
}

@test "fleet control: wrong command lines are told" {
	for wrong in "" "--to nats://h nosuch" "--to nats://h mark" "--to nats://h stop now" "--to nats://h enable a b" "--to nats://a:b@h" \
		"--to nats://h --label x" "--to nats://h --label x=$(printf 'y%.0s' {1..65})" "--to nats://h --wait 0" "--to nats://h --creds nothing"; do
		run_ktrace fleet $wrong
		[ "$status" = 2 ]
	done
	run_ktrace fleet --to nats://h mark ''
	[ "$status" = 2 ]
	run_ktrace fleet --to nats://h mark "$(printf 'x%.0s' {1..1025})"
	[ "$status" = 2 ]
	[[ $stderr == *"the value of mark is longer than 1024 bytes"* ]]
	run_ktrace fleet --to nats://127.0.0.1:1
	[ "$status" = 1 ]
	[[ $stderr == *"cannot connect: "* && $stderr != *"again"* ]]
	for wrong in "--ship-allow stop" "--label a=b" "--ship nats://h --ship-allow x" "--ship nats://h --ship-allow stop," \
		"--ship nats://h --ship-allow all,stop" "--ship nats://h --label a" "--ship nats://h --label =b" "--ship nats://h --label a=" \
		"--ship nats://h --label a=b=c" "--ship nats://h --label a=b,c=d" "--paused --service" "--paused --recover" "--paused --baseline"; do
		run_ktraced $wrong -o t.bin -- touch ran
		[ "$status" = 125 ]
	done
	labels=()
	for i in {1..17}; do
		labels+=(--label "k$i=v")
	done
	run_ktraced --ship nats://h "${labels[@]}" -o t.bin -- touch ran
	[ "$status" = 125 ]
	[[ $stderr == *"too many labels, at 'k17=v'"* ]]
	for wrong in "--allow stop t" "--label a=b t" "--recording 0123456789abcdef t" "--follow --allow x t" "--follow --recording 12 t"; do
		run_ktrace ship --to nats://h $wrong
		[ "$status" = 2 ]
	done
	[ ! -e ran ]
}

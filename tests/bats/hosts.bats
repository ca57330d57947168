#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# hosts.bats - what commands show of several hosts, whose true clocks are known
# runs: host
load helpers

setup()
{
	setup_test
	mkdir hosts
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --udp 5 --sched --app --messages \
		--host 1,wall=0.3,drift=50 --host 2,wall=-0.7,drift=-80 hosts
}

teardown()
{
	tmux kill-server 2>/dev/null || true
	teardown_test
}

screen() { tmux capture-pane -p; }
is_on_screen() { screen | grep -qE -e "$1"; }
shows() { retry 0.02 is_on_screen "$1" || { screen; return 1; }; }

@test "list: other hosts have an error, the reference host has none" {
	LC_ALL=C run_ktrace list hosts/h0 hosts/h1 hosts/h2
	[ "$status" -eq 0 ]
	[ "$(grep -cE ' (server1|server2) +\[' <<<"$output")" -gt 100 ]
	[ "$(grep -E ' (server1|server2) +\[' <<<"$output" |
		grep -vcE ' \+-[0-9.]+[mun]?s +server')" -eq 0 ]
	[ "$(grep -cE '^ *[0-9.]+ +client +\[' <<<"$output")" -gt 100 ]
	[ "$(grep -cE '\+-.* client +\[' <<<"$output")" -eq 0 ]
	run_ktrace list --json hosts/h0 hosts/h1 hosts/h2
	jq -se 'all(.trace != 0 or .error_ns == 0) and all(.trace == 0 or .error_ns > 0) and
		all((.early_ns // 0) <= .error_ns) and (map([.trace, .host]) | unique) ==
		[[0, "client"], [1, "server1"], [2, "server2"]]' <<<"$output"
}

@test "list: with one host's file alone there is nothing of this" {
	run_ktrace list --json hosts/h1
	jq -se 'all((has("error_ns") or has("host")) | not)' <<<"$output"
	run_ktrace list -n 1 hosts/h1
	[[ "$output" =~ ^\ *[0-9.]+\ \[ ]]
}

@test "flow: threads by host, and the messages between hosts" {
	run_ktrace flow --json hosts/h0 hosts/h1 hosts/h2
	[ "$status" -eq 0 ]
	jq -c 'select(.message)' <<<"$output" >found
	jq -se 'all(.from.machine != .to.machine) and all(.message == "broadcast" or .trip_ns >= 0) and
		all(.error_ns > 0)' found
	# Each message with a payload is one of the truth, and nearly all are found.
	awk '$6 { print $2, $4, $6 }' hosts/messages | sort >true
	jq -r 'select(.bytes > 0) | "\(.from.machine) \(.to.machine) \(.bytes)"' found | sort >some
	[ -z "$(comm -13 true some)" ]
	[ "$(grep -c . some)" -ge $(($(grep -c . true) * 8 / 10)) ]
	run_ktrace flow --list hosts/h0 hosts/h1 hosts/h2
	[ "$(grep -cE ' > | = ' <<<"$output")" -eq "$(grep -c . found)" ]
	run_ktrace flow hosts/h0 hosts/h1 hosts/h2
	sent=$(jq -s 'map(select(.from.machine == 0 and .message != "broadcast")) | length' found)
	grep -qE "^client  .*\| $sent sent, [0-9]+ received$" <<<"$output"
	[ "$(awk '/^[0-9]+\// { h = h " " last } /^(client|server)/ { last = $1; print last }' \
		<<<"$output" | tr '\n' ' ')" = 'client server1 server2 ' ]
	run_ktrace flow hosts/h1
	[ "$(grep -cE 'sent,|^hosts:' <<<"$output")" -eq 0 ]
}

@test "flow: columns that are narrower than the error are marked" {
	run_ktrace flow hosts/h0 hosts/h1
	[ "$(grep -cE '^(client|server1) .*\|.*~' <<<"$output")" -eq 0 ]
	grep -q '~ times are inexact' <<<"$output"
	# 20 us a column
	run_ktrace flow --since 0.1 --until 0.11 --width 500 hosts/h0 hosts/h1
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^server1 .*\|.*~.*\|' <<<"$output")" -eq 1 ]
	[ "$(grep -cE '^client .*\|.*~' <<<"$output")" -eq 0 ]
}

@test "seq: files of several hosts begin by one clock, with an error" {
	LC_ALL=C run_ktrace seq hosts/h0 hosts/h1 hosts/h2
	[ "$status" -eq 0 ]
	mapfile -t lines <<<"$output"
	[[ ${lines[0]} =~ ^[0-9]+\.[0-9]{9}\ hosts/h0$ ]]
	[[ ${lines[1]} =~ ^[0-9]+\.[0-9]{9}\ hosts/h1\ \+-[0-9.]+us$ ]]
	run_ktrace seq --json hosts/h0 hosts/h1 hosts/h2
	# The same as list
	"$KTRACE" list --json hosts/h0 hosts/h1 hosts/h2 |
		jq -sc 'group_by(.trace) | map(min_by(.raw) | [.raw, .time[0:20], .error_ns])' >listed
	jq -sc 'map([.raw, .time[0:20], .error_ns])' <<<"$output" >begins
	diff listed begins
	# One by one, or by its own clock, a file has no error.
	run_ktrace seq hosts/h1
	[[ $output =~ ^[0-9.]+\ hosts/h1$ ]]
	own=$output
	run_ktrace seq --clocks own hosts/h0 hosts/h1
	[ "$(tail -n 1 <<<"$output")" = "$own" ]
}

@test "tui: rows by host with their messages, times with their errors" {
	export TMUX_TMPDIR=$BATS_TEST_TMPDIR
	unset TMUX
	run_ktrace flow hosts/h0 hosts/h1
	sent=$(sed -n 's/^server1 .*| \([0-9]*\) sent.*/\1/p' <<<"$output")
	[ "$sent" -gt 0 ]
	tmux -f /dev/null new-session -d -x 200 -y 40 \
		"env LC_ALL=C.UTF-8 '$KTRACE' tui hosts/h0 hosts/h1; exec sleep 300"
	shows '^client: [0-9]+ > [0-9]+ < +\|[ <>x]+\|'
	shows "^server1: $sent > [0-9]+ < +\\|[ <>x]+\\|"
	shows '> sent < received x both'
	shows '^ +0\.[0-9]+ ±[0-9.]+us +server1 +\['
	[ "$(screen | grep -E '^(client:|server1:|cpu )' | awk '{ print $1 }' | uniq | tr -d '\n')" = \
		client:cpuserver1:cpu ]
	tmux send-keys G Enter
	shows '^host +(client|server1)'
	shows '^time +0\.[0-9]+ s'
}

@test "html: the page has the events, the messages, and the hosts" {
	run_ktrace html -o t.html hosts/h0 hosts/h1 hosts/h2
	[ "$status" -eq 0 ]
	decode=$ROOT/tests/checkers/html/decode.py
	run python3 "$decode" check t.html "$KTRACE" hosts/h0 hosts/h1 hosts/h2
	echo "$output"
	[ "$status" -eq 0 ]
	python3 "$decode" head t.html >head.json
	[ "$(jq -c '.arrows[3:]' head.json)" = '["message","message sent several times","broadcast"]' ]
	[ "$(jq -c '.files[0].errors' head.json)" = '[[0,0,0]]' ]
	jq -e '.files[1:] | all(.errors | length > 0 and all(length == 3))' head.json
	run_ktrace html -o t.html hosts/h1
	python3 "$decode" head t.html >head.json
	jq -e '(.arrows | length == 3) and all(.files[]; has("errors") | not) and
		all(.rows[]; .kind != "host")' head.json
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# metrics.bats - ktraced --metrics, ktrace store --metrics: what they serve, and to whom

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

setup()
{
	setup_test
	RUDE=$ROOT/tests/checkers/rude_clients.py
}

teardown()
{
	teardown_test
}

# start_metrics OPTION...: a ktraced of a program with 10,000 events a second, with metrics at $address
start_metrics()
{
	start_ktraced -e flood --metrics 127.0.0.1:0 -o t "$@" -- "$PROGS/flood" -o -n 0 -u 100
	recording=$pid
	find_address ktraced.err
}

# find_address FILE: waits until FILE says where metrics are; sets $url and $address
find_address()
{
	retry 0.02 grep -q 'metrics at' "$1"
	url=$(sed -n 's/.*metrics at //p' "$1")
	address=${url#http://}
	address=${address%/metrics}
	retry 0.05 scrape
}

# scrape [CURL OPTION...]: the metrics, checked, in the file samples
scrape()
{
	curl -sSf --max-time 20 "$@" "$url" >text && "$ROOT/tests/checkers/openmetrics" text >samples
}

# metric NAME: the value of a sample; empty: there is none
metric()
{
	sed -n "s/^$1 //p" samples
}

# later: the metrics, collected after now
later()
{
	local now
	now=$(date +%s.%N)
	retry 0.1 is_later "$now"
}

is_later()
{
	scrape
	jq -en "$(metric 'kt.*_collected_time_seconds') > $1" >/dev/null
}

end_flood()
{
	kill -TERM "$(child_of "$recording")"
	wait_for "$recording"
}

# families FILE: the metrics of a table of fleet.md, or of samples; the suffixes of the types are those of the table
families()
{
	awk '$1 == "TYPE" { print $2 ($3 == "counter" ? "_total" : $3 == "info" ? "_info" : "") }' "$1" | sort
}

# table PREFIX: the metrics that fleet.md has
table()
{
	sed -n "s/^| \`\($1_[a-z_]*\)\`.* | .*/\1/p" "$ROOT/Documentation/fleet.md" | sort
}

@test "metrics: ktraced serves OpenMetrics, whose numbers are those of the file" {
	start_metrics
	curl -sSfi "$url" | tr -d '\r' >answer
	[ "$(head -n 1 answer)" = "HTTP/1.1 200 OK" ]
	grep -qix 'content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' answer
	"$KTRACE" control "$recording" pause
	later
	later
	[ "$(metric ktraced_paused)" = 1 ]
	events=$(metric ktraced_events_total)
	[ "$events" -gt 10 ]
	[ "$("$KTRACE" control --json "$recording" | jq .recorded)" = "$events" ]
	[ "$(metric ktraced_programs)" -ge 1 ]
	[ "$(metric ktraced_drains_total)" -gt 1 ]
	[ "$(metric ktraced_parts_total)" = 1 ]
	[ "$(metric ktraced_build_info{version=.*})" = 1 ]
	[ "$(metric 'ktraced_scrapes_total{result="given"}')" -ge 2 ]
	[ "$(metric ktraced_disk_used_bytes)" = "$(metric ktraced_written_bytes_total)" ]
	jq -en "$(metric ktraced_start_time_seconds) <= $(metric ktraced_collected_time_seconds)"
	for ratio in max mean; do
		jq -en "$(metric ktraced_ring_fill_${ratio}_ratio) | . >= 0 and . <= 1"
	done
	jq -en "$(metric ktraced_clock_error_max_seconds) >= $(metric ktraced_clock_error_estimate_seconds)"
	bytes=$(metric ktraced_written_bytes_total)
	end_flood
	[ "$(summary lost)" = 0 ]
	[ "$(summary events)" = "$events" ]
	run_ktrace info --json t
	[ "$(jq .events <<<"$output")" = "$events" ]
	[ "$bytes" -le "$(stat -c %s t)" ]
	[ "$bytes" -gt 1000 ]
	# It is over.
	fails curl -sS "$url"
}

@test "metrics: losses by reason, as the file has them" {
	start_ktraced -b 64K --policy drop --metrics 127.0.0.1:0 -o t -- sh -c "$PROGS/flood -n 200000; exec sleep 1000"
	recording=$pid
	find_address ktraced.err
	kill -STOP "$recording"
	retry 0.05 is_sleeping
	kill -CONT "$recording"
	later
	later
	full=$(metric 'ktraced_lost_events_total{reason="full"}')
	[ "$full" -gt 0 ]
	events=$(metric ktraced_events_total)
	sed -n 's/^ktraced_lost_events_total{reason="\(.*\)"} \([1-9].*\)/\1 \2/p' samples | sort >served
	# Reasons without a loss are there, too.
	[ "$(grep -c '^ktraced_lost_events_total{' samples)" -ge 8 ]
	"$KTRACE" control "$recording" stop
	kill -KILL "$(child_of "$recording")"
	wait_for "$recording"
	run_ktrace info --json t
	[ "$(jq .events <<<"$output")" = "$events" ]
	jq -r '.lost | to_entries[] | select(.value > 0) | "\(.key) \(.value)"' <<<"$output" | sort | diff - served
}

# is_sleeping: the flood is over, and its shell has become sleep; for retry
is_sleeping()
{
	[ "$(cat "/proc/$(child_of "$recording")/comm")" = sleep ]
}

@test "metrics: parts, those that were removed, the limit, and what is on the disk" {
	start_metrics --split-size 100K --keep 3 --max-size 10M
	retry 0.1 eval 'scrape && [ "$(metric ktraced_removed_parts_total)" -gt 1 ]'
	"$KTRACE" control "$recording" pause
	later
	later
	[ "$(metric ktraced_disk_limit_bytes)" = $((10 << 20)) ]
	[ "$(metric ktraced_parts_total)" = $(($(metric ktraced_removed_parts_total) + $(echo t.* | wc -w))) ]
	[ "$(metric ktraced_disk_used_bytes)" -lt "$(metric ktraced_written_bytes_total)" ]
	difference=$(($(metric ktraced_disk_used_bytes) - $(cat t.* | wc -c)))
	[ "${difference#-}" -lt 4096 ]
	end_flood
}

@test "metrics: a socket's file belongs to the user, replaces only a stale one, and is removed" {
	url=http://localhost/metrics
	start_ktraced -e flood --metrics unix:s -o t -- "$PROGS/flood" -o -n 0 -u 100
	recording=$pid
	retry 0.05 scrape --unix-socket s
	[ "$(stat -c '%F %a' s)" = "socket 600" ]
	# Another one does not take it.
	run_ktraced --metrics unix:s -o u -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--metrics unix:s: another process listens there"* ]]
	[ ! -e u ]
	scrape --unix-socket s
	child=$(child_of "$recording")
	kill -KILL "$recording"
	kill -TERM "$child"
	wait "$recording" || true
	[ -S s ]
	run_ktraced --metrics unix:s -o u -- stat -c %F s
	[ "$status" = 0 ]
	[[ $output == *socket* ]]
	[ ! -e s ]
	# Whatever else is there stays, be it a link to a socket's place.
	echo mine >file
	ln -s nowhere link
	mkdir folder
	for there in file link folder; do
		run_ktraced --metrics "unix:$there" -o v -- true
		[ "$status" = 125 ]
		[[ $stderr == *"--metrics unix:$there: a file that is no socket is there, and is not replaced"* ]]
		[ ! -e v ]
	done
	[ "$(cat file)" = mine ]
	[ "$(readlink link)" = nowhere ]
	# The file is not ours any more: it stays, too.
	run_ktraced --metrics unix:s -o u -- sh -c 'rm s; echo other >s'
	[ "$(cat s)" = other ]
	run_ktraced --metrics unix:none/s -o u -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--metrics unix:none/s: No such file or directory"* ]]
}

@test "metrics: other addresses are refused, also by the store" {
	long=unix:$(printf 'x%.0s' {1..108})
	for place in 10.0.0.1:9100 0.0.0.0:9100 ':9100' '[::]:9100' 127.0.0.2:9100 example.org:80 127.0.0.1 127.0.0.1: \
		127.0.0.1:65536 127.0.0.1:-1 127.0.0.1:1x 'localhost:' '[::1]' 9100 '' unix: "$long"; do
		run_ktraced --metrics "$place" -o t -- true
		[ "$status" = 125 ]
		[[ $stderr == *"--metrics: "* ]]
		[ ! -e t ]
		run_ktrace store d --from nats://127.0.0.1:1 --metrics "$place"
		[ "$status" = 2 ]
		[[ $stderr == *"--metrics: "* ]]
	done
	run_ktraced --metrics 10.0.0.1:9100 -o t -- true
	[[ $stderr == *"needs unix:PATH, 127.0.0.1:PORT, localhost:PORT or [::1]:PORT; other addresses are refused"* ]]
	for mode in --service --recover; do
		run_ktraced --metrics 127.0.0.1:0 "$mode"
		[ "$status" = 125 ]
		[[ $stderr == *"--metrics applies only to a recording"* ]]
	done
	for place in localhost:0 '[::1]:0'; do
		[[ $place != \[* || -e /proc/net/if_inet6 ]] || continue
		run_ktraced --metrics "$place" -o t -- true
		[ "$status" = 0 ]
		[[ $stderr =~ "metrics at http://"("127.0.0.1"|"[::1]"):[1-9][0-9]*"/metrics" ]]
	done
}

@test "metrics: requests for something else are refused" {
	start_metrics
	host='Host: localhost\r\n\r\n'
	check "GET /metrics HTTP/1.1\r\n$host" 200
	check "GET /metrics?x=y HTTP/1.0\r\n$host" 200
	check "GET /metrics HTTP/1.1\nhost:\t[::1]:99\n\n" 200
	check "GET / HTTP/1.1\r\n$host" 404
	check "GET /metrics/ HTTP/1.1\r\n$host" 404
	check "POST /metrics HTTP/1.1\r\n$host" 405
	check "GET /metrics HTTP/2.0\r\n$host" 505
	check "GET /metrics\r\n$host" 400
	check "GET  /metrics HTTP/1.1\r\n$host" 400
	check "\r\n$host" 400
	check '\0\0\0 \0 \0\n\n' 400
	# A page from elsewhere whose name points to us
	check 'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n' 403
	check 'GET /metrics HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n' 403
	check 'GET /metrics HTTP/1.1\r\n\r\n' 403
	got=$(ask huge | head -n 1)
	[[ $got == "HTTP/1.1 431 "* ]]
	# HEAD has no body.
	ask printf %b "HEAD /metrics HTTP/1.1\r\n$host" | tr -d '\r' >answer
	grep -qx 'HTTP/1.1 200 OK' answer
	grep -q '^Content-Length: [1-9]' answer
	fails grep -q ktraced_ answer
	# No request at all
	ask head -c 100000 /dev/urandom || true
	: <>"/dev/tcp/${address%:*}/${address##*:}"
	later
	later
	[ "$(metric 'ktraced_scrapes_total{result="refused"}')" -ge 12 ]
	[ "$(metric 'ktraced_scrapes_total{result="dropped"}')" -ge 1 ]
	end_flood
}

# ask COMMAND...: sends its output, prints the answer
ask()
{
	local socket
	exec {socket}<>"/dev/tcp/${address%:*}/${address##*:}"
	"$@" 1>&"$socket" 2>/dev/null || true
	timeout 20 cat 0<&"$socket"
	exec {socket}>&-
}

# huge: a header of 1 MB
huge()
{
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: '
	head -c 1000000 /dev/zero | tr '\0' x
}

# check REQUEST STATUS
check()
{
	local got
	got=$(ask printf %b "$1" | tr '\0\r' '? ' | head -n 1)
	echo "$1: $got"
	[[ $got == "HTTP/1.1 $2 "* ]]
}

@test "metrics: clients that are slow, deaf, silent or too many cost neither an event nor memory" {
	start_metrics
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$recording/status")
	mkfifo hold
	exec 5<>hold
	for kind in many deaf; do
		start "$kind" "$RUDE" "$address" "$kind" <hold
		retry 0.05 grep -q ready "$kind.out"
	done
	start slow "$RUDE" "$address" slow
	slow=$pid
	# Others get theirs.
	for ((i = 0; i < 20; i++)); do
		curl -sSf --max-time 5 -o text "$url"
	done
	wait "$slow"
	jq -en "$(cat slow.out) < 10"
	later
	[ "$(metric 'ktraced_scrapes_total{result="dropped"}')" -gt 500 ]
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$recording/status")
	echo "VmRSS: $before, $after kB"
	[ $((after - before)) -lt 4000 ]
	[ "$(find "/proc/$recording/fd" | wc -l)" -lt 100 ]
	exec 5>&-
	end_flood
	[ "$(summary lost)" = 0 ]
	ledger t
}

# all_is_shipped: no more events come, and no part waits
all_is_shipped()
{
	local events
	later
	events=$(metric ktraced_events_total)
	later
	[ "$(metric ktraced_events_total)" = "$events" ] && [ "$(metric ktraced_ship_waiting_parts)" = 0 ]
}

@test "metrics: of a store and of ktraced --ship, and that their table is right" {
	command -v nats-server >/dev/null || skip "no nats-server"
	start server nats-server -a 127.0.0.1 -p -1 -js -sd js --ports_file_dir "$PWD"
	retry 0.05 grep -qs nats "nats-server_$pid.ports"
	[[ $(cat "nats-server_$pid.ports") =~ :([0-9]+)\" ]]
	broker=nats://127.0.0.1:${BASH_REMATCH[1]}
	start_metrics --split-size 100K --split-time 1h --max-size 1G --ship "$broker"
	ship=$url
	retry 0.1 eval 'scrape && [ "$(metric ktraced_ship_waiting_parts)" -gt 2 ]'
	jq -en "$(metric ktraced_ship_lag_seconds) > 0"
	[ "$(metric ktraced_ship_running)" = 1 ]
	[ "$(metric ktraced_shipped_parts_total)" = 0 ]
	families samples | diff - <(table ktraced)
	start store "$KTRACE" store d --from "$broker" --metrics 127.0.0.1:0
	store=$pid
	find_address store.err
	url=$ship
	retry 0.1 eval 'scrape && [ "$(metric ktraced_shipped_parts_total)" -gt 2 ]'
	"$KTRACE" control "$recording" pause
	retry 0.1 all_is_shipped
	[ "$(metric ktraced_ship_lag_seconds)" = 0.000000000 ]
	shipped=$(metric ktraced_shipped_parts_total)
	[ "$shipped" = "$(find d -name '*.bin' | wc -l)" ]
	[ "$(metric ktraced_shipped_bytes_total)" = "$(find d -name '*.bin' -exec cat {} + | wc -c)" ]
	[ "$(metric ktraced_disk_used_bytes)" = $(($(metric ktraced_written_bytes_total) - $(metric ktraced_shipped_bytes_total))) ]
	bytes=$(metric ktraced_shipped_bytes_total)
	url=$(sed -n 's/.*metrics at //p' store.err)
	later
	families samples | diff - <(table ktrace_store)
	[ "$(metric ktrace_store_files_total)" = "$shipped" ]
	[ "$(metric ktrace_store_file_bytes_total)" = "$bytes" ]
	[ "$(metric ktrace_store_hosts)" = 1 ]
	[ "$(metric ktrace_store_hosts_left_out)" = 0 ]
	[ "$(metric ktrace_store_messages_total)" -ge "$shipped" ]
	[ "$(metric ktrace_store_refused_total)" = 0 ]
	[ "$(metric ktrace_store_incomplete_files)" = 0 ]
	[ "$(metric ktrace_store_connected)" = 1 ]
	host=$(find d -mindepth 1 -maxdepth 1 -not -name '.*' -printf '%f')
	jq -en "$(date +%s) - $(metric "ktrace_store_host_last_file_seconds{host=\"${host//./%2E}\"}") < 60"
	kill "$(child_of "$recording")" || true
	wait_for "$recording"
	kill "$store"
	wait "$store"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# html_page.bats - the page of ktrace html and ktrace serve, in headless Chromium
# runs: host
load helpers

HTML=$BATS_TEST_DIRNAME/../checkers/html

setup_file()
{
	# Not in the folder of a test: the made-up trace is made once.
	PLAYWRIGHT=$("$HTML/library")
	export PLAYWRIGHT
	# Nor is the browser.
	node "$HTML/shared.mjs" >"$BATS_FILE_TMPDIR/browser" 3>&- &
	BROWSER_PID=$!
	export BROWSER_PID
	retry 0.1 test -s "$BATS_FILE_TMPDIR/browser"
	BROWSER=$(cat "$BATS_FILE_TMPDIR/browser")
	export BROWSER
	"$HTML/make_page.py" "$BATS_FILE_TMPDIR/made-up.html" "$BATS_FILE_TMPDIR/made-up.json"
}

teardown_file()
{
	kill "$BROWSER_PID" || true
}

setup()
{
	setup_test
	MADE_UP=("$BATS_FILE_TMPDIR/made-up.html" "$BATS_FILE_TMPDIR/made-up.json")
}

teardown() { teardown_test; }

# answers FILE: what ktrace prints of it, in folder FILE.d, for real.mjs
answers()
{
	local at
	mkdir "$1.d"
	"$KTRACE" list --json "$1" >"$1.d/list"
	"$KTRACE" flow --json "$1" >"$1.d/flow"
	"$KTRACE" info --json "$1" >"$1.d/info"
	# Half way, at the time of an event
	at=$(jq -s '.[length / 2 | floor].ns' "$1.d/list")
	echo "$at" >"$1.d/at"
	"$KTRACE" state --json --at "${at}ns" "$1" >"$1.d/state"
}

# shows FILE ADDRESS: the page there shows what ktrace prints of the file
shows()
{
	run node "$HTML/real.mjs" "$2" "$1.d"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 9 ]
}

# kernel_trace: of what the kernel does, made
kernel_trace()
{
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 7 400 | "$PROGS/mktrace" kernel.ktrace
}

# four_traces: that, with losses and all kinds of fields (golden), of locks and waits (recorded), and
# one of more than 2^53 ns
four_traces()
{
	kernel_trace
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 8 300 | python3 -c '
import re, sys
print(re.sub(r"(?m)^rec (\d+)", lambda m: f"rec {int(m[1]) + 30000000000000001 * (int(m[1]) > 2000000)}",
             sys.stdin.read()))' | "$PROGS/mktrace" long.ktrace
	cp "$ROOT/tests/data/golden/small-v1.bin" lost.ktrace
	run_ktraced --pthread -o locks.ktrace -- "$PROGS/pthread_contended"
	[ "$status" -eq 0 ]
}

# bats test_tags=long
@test "the page shows what a second writer has written" {
	run node "$HTML/data.mjs" "${MADE_UP[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 10 ]
}

@test "mouse, wheel, keys, boxes and buttons of the page do what the help says" {
	run node "$HTML/page.mjs" "${MADE_UP[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 20 ]
}

# bats test_tags=long
@test "no name makes a line of the page, or turns its text round" {
	for forger in 0a 1b c285 e280a8 e280ae e281a6; do
		python3 "$ROOT/tests/checkers/export/forge.py" "$forger" | "$PROGS/mktrace" t
		"$KTRACE" html -o t.html t || [ $? = 1 ]
		run node "$HTML/forged.mjs" "file://$PWD/t.html"
		echo "$forger: $output"
		[ "$status" -eq 0 ]
		[ "$(grep -c '^ok' <<<"$output")" -eq 3 ]
	done
}

@test "several hosts: rows below hosts, errors of times, and messages as arrows" {
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --udp 5 --sched --app \
		--host 1,wall=0.3,drift=50 --host 2,wall=-0.7,drift=-80 .
	"$KTRACE" html -o t.html h0 h1 h2
	"$KTRACE" list --json h0 h1 h2 >events.json
	"$KTRACE" flow --json h0 h1 h2 >flow.json
	run node "$HTML/hosts.mjs" "file://$PWD/t.html" events.json flow.json
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 7 ]
}

@test "the page shows stacks among the details of an event" {
	printf 'prog 100/100 [000] 1.00000000%d: 1 cycles:\n\t55d0c0de work+0x5 (/bin/prog)\n\n' 1 2 >perf.txt
	run_ktrace import --from perf --offset @0 -o t perf.txt
	"$KTRACE" html -o t.html t
	run node "$HTML/stacks.mjs" "file://$PWD/t.html" work+0x5
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 1 ]
}

@test "the page of ktrace html shows what list, flow, state and info say" {
	four_traces
	for trace in kernel lost locks long; do
		answers "$trace.ktrace"
		"$KTRACE" html -o "$trace.html" "$trace.ktrace"
		shows "$trace.ktrace" "file://$PWD/$trace.html"
	done
}

@test "the page of ktrace serve shows the same, and asks nobody else" {
	kernel_trace
	answers kernel.ktrace
	start serve "$KTRACE" serve kernel.ktrace
	retry 0.1 test -s serve.out
	shows kernel.ktrace "$(cat serve.out)"
}

@test "the page of ktrace serve asks with SQL, and rows lead to their times" {
	kernel_trace
	"$KTRACE" sql --csv kernel.ktrace 'SELECT * FROM syscalls ORDER BY duration DESC LIMIT 5' >calls
	"$KTRACE" sql --csv kernel.ktrace 'SELECT name, ns FROM events LIMIT 3' >events
	start serve "$KTRACE" serve kernel.ktrace
	retry 0.1 test -s serve.out
	run node "$HTML/ask.mjs" "$(cat serve.out)" calls events
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the page of ktrace serve grows while the server reads" {
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 3 70000 | sed '0,/^block/s//\
meta process pid=100 ppid=1 ts=1 comm=many\
meta thread tid=101 pid=100 ts=1 comm=one\
meta thread tid=102 pid=100 ts=1 comm=two\
&/' | "$PROGS/mktrace" t
	mkdir turns
	"$PROGS/html_turns" turns 0 24000 30000 38000 -- t
	start serve "$KTRACE" serve t
	retry 0.1 test -s serve.out
	run node "$HTML/grow.mjs" "$(cat serve.out)" "$PWD/turns" 0 24000 30000 38000 whole
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 3 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Programs to copy from are built as their pages say, and do what they say. Others: tutorial.bats,
# posix_streams.bats (watch, beat), chunk.bats (the kernel's), list.bats (page).

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# built NAME LIBRARY...: a program that a man page quotes
built()
{
	# shellcheck disable=SC2046,SC2086 # options
	gcc -Wall -Werror -pthread -I"$ROOT/uapi" -I"$ROOT/userspace/include" "$ROOT/Documentation/examples/$1.c" -o "$1" \
		-L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" $(printf -- '-l%s ' "${@:2}")
}

# bats test_tags=alike
@test "the program of libktrace(3) cooks, and that of libktraceset(3) sees what is hot" {
	built kitchen ktrace
	built hot ktraceset
	run_ktraced -e kitchen,trace -o t -- ./kitchen
	[ "$status" -eq 0 ]
	"$KTRACE" list --json t >events
	[ "$(grep -c '"kitchen:order"' events)" = 3 ]
	./hot t >hot.out
	cat hot.out
	jq -r 'select(.event == "kitchen:step" and .fields.degrees > 90) |
		"thread \(.tid) works at \(.fields.degrees) degrees"' events >expected
	[ -s expected ]
	diff <(sed 's/^[0-9]* ns: //' hot.out) expected
}

# bats test_tags=alike
@test "readers shows the first events that match, and counts all of them" {
	run_ktraced -o t -- "$EXAMPLES/hello"
	[ "$status" -eq 0 ]
	"$KTRACE" list --json t >events
	jq -r 'select(.event | startswith("hello:")) | "\(.event) by thread \(.tid)"' events | head -5 >expected
	[ -s expected ]
	jq -s 'map(select(.event != "ktrace:lost")) | "\(length) events in all"' -r events >>expected
	"$EXAMPLES/readers" 'hello:*' t >readers.out
	cat readers.out
	diff readers.out expected
}

@test "supervisor shows live recordings, leaves a mark in one, and ends it" {
	start_ktraced -o t -- sleep 1000
	retry 0.02 eval '"$EXAMPLES/supervisor" | grep "^$pid recording bytes_s [0-9]* fill 0 lost 0 programs [0-9]* free [0-9]* reasons 0$"'
	capture "$EXAMPLES/supervisor" "$pid" 0
	show supervisor
	[ "$status" = 0 ]
	[ "$output" = "$pid was ended after 0 losses" ]
	# The file is whole.
	[ "$("$KTRACE" list --json -e ktrace:mark t | jq -r .fields.text)" = 'too much was lost' ]
	kill -KILL "$(child_of "$pid")"
	capture "$EXAMPLES/supervisor" "$pid" 0
	[ "$status" = 1 ]
	[[ $stderr == "supervisor: 0 recordings are called $pid" ]]
}

@test "the program of ktrace(4) asks the device" {
	built devinfo c
	capture ./devinfo
	show devinfo
	if [ "$KTRACE_BACKEND" = dev ]; then
		[[ $output =~ ^version\ [0-9]+,\ (cycle\ counter|monotonic\ clock)$ ]]
	else
		[ "$status" = 1 ]
		[[ $stderr == *"/dev/ktrace: "* ]]
	fi
}

# bats test_tags=alike
@test "the example of the S.Ha.R.K. manual writes two chunks, without the suppressed timer" {
	"$EXAMPLES/chunks"
	[ -s 0trace ]
	[ -s 1trace ]
	run_ktrace import --from shark -o t 0trace 1trace
	[ "$status" = 0 ]
	"$KTRACE" list t | grep -o 'type=[a-z0-9_]*' | sort >types
	cat types
	printf 'type=%s\n' filter_timer filter_timer id ipoint trace_start trace_stop >expected
	diff types expected
}

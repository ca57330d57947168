#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import: stamps before a clock's zero, and at the ends of what 64 bits hold

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# names: of the instants in t, in order, with their seconds
names()
{
	"$KTRACE" list --json -e 'c:*' t | jq -r '"\(.event) \(.ns / 1e9)"' | tr '\n' ';'
}

@test "import: a stamp before the clock's zero comes first, at its time" {
	# BOOTTIME 100 s is MONOTONIC 10 s: 10 s of it are 80 s before CLOCK_MONOTONIC began.
	{ clocks '6 100000000000 3 10000000000 1 1700000000000000000'
	  stamp 6 110000000000 late; stamp 6 10000000000 early; stamp 6 120000000000 later; } | make_trace x
	import x
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	[ "$(names)" = "c:early 0;c:late 100;c:later 110;" ]
	[ "$("$KTRACE" list --json -e c:early t | jq -r .time)" = 1699999910.000000000 ]
	[ "$("$KTRACE" list --json -e c:late t | jq -r .time)" = 1700000010.000000000 ]
	# Its clock is not that of the boot any more.
	"$PROGS/mktrace" like <<-'END'
		meta trace version=1 start_ns=1600000000000000000 clock=monotonic
		meta host name=vm boot=one
		meta clock raw=0 mono_ns=0 real_ns=1600000000000000000 hz=1000000000
	END
	import x --like like
	[ "$status" = 0 ]
	valid_trace t
	run_ktrace merge -o both like t
	[ "$status" != 0 ]
	{ clocks '6 100000000000 3 10000000000 1 1700000000000000000'; stamp 6 110000000000 late; } |
		make_trace x
	import x --like like
	run_ktrace merge -o both like t
	[ "$status" = 0 ]
}

@test "import: a time before 1970 is said, and placed there" {
	{ clocks '6 100 3 100 1 18446744073709549568'; stamp 6 200 a; stamp 6 300 b; } | make_trace x
	import x
	[ "$status" = 0 ]
	valid_trace t
	says 'its clock begins before 1970: times count from its zero'
	# 60 years before an event of 1990
	{ clocks '6 1000 3 1000 1 631152000000000000'; stamp 6 2000 b; stamp 6 16553920073709551616 a; } |
		make_trace x
	import x
	valid_trace t
	says '1 stamps are too early for a tracefile, and have the nearest time'
	[ "$("$KTRACE" list --json -e 'c:*' t | jq -r '"\(.event) \(.time)"' | tr '\n' ';')" = \
		"c:a 0.000000000;c:b 631152000.000001000;" ]
}

@test "import: stamps up to 2^64 are in order, and check has nothing to say" {
	{ clocks '6 1000 3 500 1 2000'
	  stamp 6 9223372036854775807 c; stamp 6 9223372036854775808 d; stamp 6 18446744073709551615 a
	  stamp 6 5 b; stamp 6 5 b; } | make_trace x
	import x
	[ "$status" = 0 ]
	valid_trace t
	[ "$("$KTRACE" list --json -e 'c:*' t | jq -r .event | tr -d '\n')" = c:ac:bc:bc:cc:d ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# cut.bats - ktrace cut: the new file has the same events, and tells the same losses
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# cut_is "OPTION..." FILE: what is cut out of FILE is listed as the old file with the same options
cut_is()
{
	# shellcheck disable=SC2086 # options
	run_ktrace cut $1 -o new "$2"
	[ "$status" -eq 0 ]
	# Losses stay whatever is asked for.
	# shellcheck disable=SC2086
	diff -u <("$KTRACE" list --time raw $1 "$2" | grep -v ktrace:lost) \
		<("$KTRACE" list --time raw new | grep -v ktrace:lost)
	run_ktrace check new
	[ "$status" -eq 0 ]
}

# lost_in FILE...: sums by reason
lost_in()
{
	"$KTRACE" info --json "$@" | jq -c .lost
}

# make_long: a file with events in fragments, of several threads, some without end or beginning
make_long()
{
	"$PROGS/mktrace" long <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta stream id=2 kind=user cpu=1 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:big{u8[]%20bytes;}
	meta event kind=user id=17 desc=t:small{u32%20n;}
	block 1
	rec 100 16 7:2 u32:3004 u32:3000 zeros:1000
	rec 110 17 8 u32:1
	rec 120 16 7:4 zeros:1000
	block 2
	rec 130 16 7:4 zeros:1000
	rec 140 16 9:2 u32:2004 u32:2000 zeros:500
	rec 150 17 9 u32:2
	rec 160 16 9:4 zeros:20
	rec 170 17 8 u32:3
	lost 2 175 4
	END
}

@test "all of a file is the same file" {
	cut_is '' "$SMALL"
	[ "$(lost_in new)" = "$(lost_in "$SMALL")" ]
	diff -u <("$KTRACE" list --json "$SMALL") <("$KTRACE" list --json new)
	diff -u <("$KTRACE" events "$SMALL") <("$KTRACE" events new)
}

@test "windows and conditions" {
	cut_is '--since 100ns --until 420ns' "$SMALL"
	cut_is '-p 100' "$SMALL"
	cut_is '-e demo' "$SMALL"
	cut_is '--filter item>8' "$SMALL"
	cut_is '--until 0s' "$SMALL"
	[ -z "$("$KTRACE" list new)" ]
}

@test "what is cut away is no loss; losses in the window are" {
	run_ktrace cut --until 300ns -o new "$SMALL"
	[ "$(lost_in new)" = '{}' ]
	run_ktrace cut --since 390ns --until 500ns --filter 'item=10' -o new "$SMALL"
	[ "$(lost_in new)" = '{"full":5,"timeout":2}' ]
	run_ktrace cut --json --since 500ns -o new "$SMALL"
	[ "$(jq .lost.overwritten <<<"$output")" -eq 7 ]
	[ "$(lost_in new)" = '{"full":5,"timeout":2,"overwritten":7,"corrupt":1}' ]
}

@test "pieces that meet have every event once" {
	"$KTRACE" cut --until 410ns -o a "$SMALL"
	"$KTRACE" cut --since 410ns -o b "$SMALL"
	diff -u <("$KTRACE" list --time raw "$SMALL" | sort) \
		<({ "$KTRACE" list --time raw a; "$KTRACE" list --time raw b; } | sort)
}

@test "events in fragments, also torn ones" {
	make_long
	cut_is '' long
	cut_is '-p 7' long
	[ "$("$KTRACE" list -c -e t new)" -eq 1 ]
	cut_is '-p 9' long
	"$KTRACE" list new | grep -q '(incomplete) (no-start)'
	run_ktrace cut --filter 'event = t:big && flags = incomplete' -o new long
	[ "$("$KTRACE" list -c -e t:big new)" -eq 2 ]
}

@test "an event larger than a block is cut into fragments again" {
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:big{u8[]%20bytes;}
	block 1
	rec 100 16 7:2 u32:6004 u32:6000 zeros:2000
	block 1
	rec 110 16 7:4 zeros:2000
	block 1
	rec 120 16 7:4 hex:01020304 zeros:1996
	END
	cut_is '' t
	[ "$("$KTRACE" list --json new | jq -s '.[0].fields.bytes | length')" -eq 6000 ]
	[ "$("$KTRACE" list --json new | jq -s '.[0].fields.bytes | add')" -eq 10 ]
}

@test "the end of an event that is longer than blocks are said to be stays whole" {
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:big{u8[]%20bytes;}
	block 1
	rec 100 16 7:4 u32:20000 zeros:20000
	rec 110 16 8 u32:1 zeros:1
	END
	cut_is '' t
}

@test "a reader of its own finds the same" {
	run_ktrace cut --since 50ns -o new "$SMALL"
	# Names of system calls are no matter of the file.
	diff -u <("$KTRACE" list --json new | jq -c 'del(.fields.nr)') \
		<(python3 "$ROOT/tests/spec/read.py" new | jq -c 'del(.fields.nr)')
}

@test "names that events told are kept where these events are not" {
	"$KTRACE" list --since 1200ns -n 1 "$SMALL" | grep -q ' 100/102 renamed '
	run_ktrace cut --filter 'nr = write' -o new "$SMALL"
	"$KTRACE" list -e syscall new | grep -q ' 100/102 renamed '
}

@test "info says what was cut; a cut can be cut again" {
	run_ktrace cut --since 100ns -p 100 -o a "$SMALL"
	run_ktrace info a
	grep -q '^  cut  *--since 100ns -p 100$' <<<"$output"
	[ "$("$KTRACE" info --json a | jq -r '.files[0].cut')" = '--since 100ns -p 100' ]
	cut_is '-e demo' a
}

@test "a file that somebody records into is not replaced" {
	cp "$SMALL" live
	for command in cut merge "export --to csv"; do
		# shellcheck disable=SC2086 # options
		capture flock live "$KTRACE" $command -o live "$SMALL"
		[ "$status" -eq 1 ]
		[[ $stderr == *"live: Device or resource busy"* ]]
		cmp live "$SMALL"
	done
}

@test "nor is it written over by what writes to a file where it is" {
	cp "$SMALL" live
	capture timeout 60 flock live "$KTRACE" recv-shark -a 127.0.0.1:0 -o live
	[ "$status" -eq 1 ]
	[[ $stderr == *"live: Device or resource busy"* ]]
	cmp live "$SMALL"
	run_ktrace pthread -s pid -o part "$ROOT/tests/data/golden/pthread-v1.bin"
	cp "$SMALL" part-*
	capture flock part-* "$KTRACE" pthread -s pid -o part "$ROOT/tests/data/golden/pthread-v1.bin"
	[ "$status" -eq 1 ]
	[[ $stderr == *"Device or resource busy"* ]]
	cmp part-* "$SMALL"
}

@test "an input is not written over; what cannot be is refused" {
	cp "$SMALL" t
	ln t u
	run_ktrace cut -o u t
	[ "$status" -eq 1 ]
	cmp t "$SMALL"
	run_ktrace cut "$SMALL"
	[ "$status" -eq 2 ]
	run_ktrace cut -o new
	[ "$status" -eq 2 ]
	run_ktrace cut -o new t "${SMALL/small/lossy}"
	[ "$status" -eq 2 ]
	run_ktrace cut -o nosuch/new t
	[ "$status" -eq 1 ]
	[ -n "$stderr" ]
	mkfifo fifo
	run timeout 20 "$KTRACE" cut -o fifo t
	[ "$status" -eq 1 ]
	[ "$output" = "ktrace: fifo: the trace must go to a regular file or /dev/null" ]
}

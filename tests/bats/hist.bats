#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# hist.bats - ktrace hist: each event in one bin
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# sum_of COLUMN: the sum over all bins of JSON in $output
sum_of()
{
	jq "[.bins[][$1]] | add" <<<"$output"
}

@test "the golden file's histogram is as ever" {
	run_ktrace hist -w 1ms "$SMALL"
	[ "$status" -eq 0 ]
	diff -u - <(echo "$output") <<-'END'
	19 events in 4 bins of 0.001000000 s; lost: 22
	    0.000000000         17 ################################################## (lost: 7)
	    0.001000000          0
	    0.002000000          1 ###
	    0.003000000          1 ### (lost: 15)
	END
}

@test "bins have every event once, whatever their number" {
	local n
	another "$SMALL" again
	for n in 1 2 3 7 20 1000; do
		run_ktrace hist --json -b "$n" "$SMALL" again
		[ "$status" -eq 0 ]
		[ "$(jq '.bins | length' <<<"$output")" -eq "$n" ]
		[ "$(jq .events <<<"$output")" -eq 38 ]
		[ "$(sum_of 0)" -eq 38 ]
		[ "$(sum_of 1)" -eq 44 ]
		[ "$(jq '.lost | add' <<<"$output")" -eq 44 ]
	done
}

@test "windows that meet add up; conditions do not hide losses" {
	local all=0 lost=0 window
	for window in '--until 100ns' '--since 100ns --until 420ns' '--since 420ns'; do
		# shellcheck disable=SC2086 # options
		run_ktrace hist --json $window "$SMALL"
		[ "$(sum_of 0)" = "$(jq .events <<<"$output")" ]
		all=$((all + $(sum_of 0)))
		lost=$((lost + $(sum_of 1)))
	done
	[ "$all" -eq 19 ]
	[ "$lost" -eq 22 ]
	run_ktrace hist --json --filter 'item >= 8' -e demo "$SMALL"
	[ "$(sum_of 0)" -eq 6 ]
	[ "$(sum_of 1)" -eq 22 ]
}

@test "what cannot be is wrong usage" {
	local option
	for option in '-b 0' '-b x' '-b 1000001' '-w 0' '-w x' '-w @5' '-w 1ns'; do
		# shellcheck disable=SC2086 # an option and its value
		run_ktrace hist $option "$SMALL"
		[ "$status" -eq 2 ]
		[ -n "$stderr" ]
	done
	run_ktrace hist
	[ "$status" -eq 2 ]
}

@test "no events, no bars" {
	run_ktrace hist --filter 'nothing = 1' -b 2 "$SMALL"
	[ "$status" -eq 0 ]
	fails grep -q '#' <<<"$output"
	run_ktrace hist --since 2s -b 2 "$SMALL"
	[ "$status" -eq 0 ]
	[[ $output = "0 events in 2 bins"* ]]
}

@test "bins end with the last event, where a block without events says a later time" {
	"$PROGS/mktrace" t <<-'END'
		meta clock raw=0 mono_ns=0 real_ns=1000000000000000000 hz=1000000000
		meta event kind=user id=64 desc=a:b{u32%20x;}
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 0
		rec 1000 64 5 u32:1
		rec 2000 64 5 u32:1
		block 0
		lostrec 900000 0 0
	END
	run_ktrace hist --json -b 2 t
	[ "$status" -eq 0 ]
	[ "$(jq -c .bins <<<"$output")" = '[[1,0],[1,0]]' ]
	run_ktrace stat --json t
	[ "$(jq .duration_ns <<<"$output")" -eq 1000 ]
	run_ktrace list -c t
	[ "$output" -eq 2 ]
}

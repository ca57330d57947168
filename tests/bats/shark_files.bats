#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Files of S.Ha.R.K.: ktrace import and export, beside an independent reader and writer

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SHARK=$ROOT/tests/checkers/shark/shark

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# import FILE...: to t; ticks as the files say
import()
{
	run_ktrace import --from shark -o t "$@"
	[ "$status" = 0 ]
}

# events FILE...: of tracefiles, as the independent reader has them
events()
{
	"$KTRACE" list --json "$@" >events.json
	"$SHARK" list events.json
}

# back FILE: the events of a tracefile as a chunk, in out
back()
{
	run_ktrace export --to shark -o out "$1"
	[ "$status" = 0 ]
}

# slot CODE PAR1 HIGH LOW PAR2: an event's 16 bytes, from hexadecimal numbers
slot()
{
	local number width
	for number in "4 $1" "4 $2" "8 $3" "8 $4" "8 $5"; do
		width=${number% *}
		number=$(printf "%0${width}x" "0x${number#* }")
		while [ -n "$number" ]; do
			printf '%b' "\\x${number: -2}"
			number=${number%??}
		done
	done
}

@test "SHK-21: bytes of an event are what the layout says" {
	slot 20 7 0 100 f4240 >0trace
	[ "$(od -An -v -tx1 0trace | tr -d '\n')" = \
		" 20 00 07 00 00 00 00 00 00 01 00 00 40 42 0f 00" ]
	slot 36 1234 89abcdef 1234567 fedcba98 >>0trace
	import 0trace
	[ "$(events t)" = "256 trace_start 7 1000000
9920249030613615975 set_mutex_unlock 4660 4275878552" ]
	back t
	cmp out 0trace
}

@test "SHK-21 SHK-40 SHK-41: what is read of chunks is what is in them, and the other way round" {
	"$SHARK" make codes 0trace
	import 0trace
	events t >read
	"$SHARK" text 0trace | cmp - read
	back t
	cmp out 0trace
	for seed in 1 2 3; do
		"$SHARK" make 3000:$seed "${seed}trace"
		import --compress "${seed}trace"
		events t >read
		"$SHARK" text "${seed}trace" | cmp - read
		back t
		cmp out "${seed}trace"
		# The other direction: the same events
		run_ktrace import --from shark -o u out
		"$KTRACE" list --json t >t.json
		"$KTRACE" list --json u >u.json
		cmp t.json u.json
		run_ktrace check t
		[ "$status" = 0 ]
	done
}

@test "SHK-41: several chunks are one trace, in the order of time" {
	slot 20 1 0 1000 f4240 >0trace
	slot 9 5 0 3000 5 >>0trace
	slot 9 2 0 2000 2 >1trace
	slot 9 9 0 4000 9 >>1trace
	: >2trace
	import 0trace 1trace 2trace
	[ "$(events t)" = "4096 trace_start 1 1000000
8192 user_event_0 2 2
12288 user_event_0 5 5
16384 user_event_0 9 9" ]
}

@test "SHK-31 SHK-40: empty slots are no events" {
	slot 20 1 0 1000 f4240 >full
	slot 9 5 0 3000 5 >>full
	(cat full && slot 0 0 0 0 0 && slot 0 5 6 7 8) >0trace
	import 0trace
	[ "$(events t | wc -l)" = 2 ]
	back t
	cmp out full
}

@test "SHK-30: the first event that says it tells what a tick is" {
	slot 9 1 0 1000 0 >0trace
	slot 10 0 0 2000 3e8 >>0trace
	slot 20 1 0 3000 f4240 >>0trace
	import 0trace
	# 4096 ticks, 1000 a ms
	[ "$(head -n 1 <(events t >/dev/null && grep -o '"ns":[0-9]*' events.json | tail -n 1))" = \
		'"ns":8192000' ]
	# A quick one says it, too.
	slot 8020 1 0 1000 3e8 >1trace
	slot 9 1 0 2000 0 >>1trace
	import 1trace
	events t >/dev/null
	grep '"ns":4096000,' events.json
}

@test "SHK-30: without such an event ticks are refused, unless the user says" {
	slot 9 1 0 1000 0 >0trace
	slot 9 2 0 2000 0 >>0trace
	run_ktrace import --from shark -o t 0trace
	[ "$status" = 1 ]
	[[ $stderr == *"--ticks-per-ms N, or --raw-ticks"* ]]
	[ ! -e t ]
	import --ticks-per-ms 4096 0trace
	events t >/dev/null
	grep '"ns":1000000,' events.json
	import --raw-ticks 0trace
	events t >/dev/null
	grep '"ns":4096,' events.json
	# It is what the user says that holds.
	slot 20 1 0 3000 f4240 >>0trace
	import --ticks-per-ms 4096 0trace
	events t >/dev/null
	grep '"ns":1000000,' events.json
}

@test "SHK-30: a context is the task of its last id event" {
	slot 20 3 0 1000 f4240 >0trace
	slot 9 0 0 1100 0 >>0trace		# nobody said yet what context 3 is
	slot 60 3 0 1200 2a >>0trace
	slot 9 0 0 1300 0 >>0trace		# 42
	slot 60 3 0 1400 2b >>0trace
	slot 60 4 0 1500 2c >>0trace
	slot 9 0 0 1600 0 >>0trace		# 43
	slot 15 4 0 1700 0 >1trace
	slot 9 0 0 1800 0 >>0trace		# 44: another file says who runs
	import 0trace 1trace
	events t >/dev/null
	[ "$(grep user_event events.json | grep -o '"pid":[0-9]*' | paste -sd ' ')" = \
		'"pid":42 "pid":43 "pid":44' ]
	grep user_event events.json | head -n 1 | grep '"comm":"unknown"'
	grep '"pid":44' events.json | grep '"comm":"context 4"'
}

@test "SHK-30: where ticks are too long for the stamps, no window is complained about" {
	slot 20 1 ffffffff ffffffff 1 >0trace
	import 0trace
	run_ktrace list t
	[ "$status" = 0 ]
	[[ $stderr != *"beginning of this trace"* ]]
}

@test "SHK-23: a chunk that went round is read from its oldest event on" {
	for at in 5 6 7 2 3 4; do
		slot 9 $at 0 ${at}000 0
	done >0trace
	import --raw-ticks 0trace
	[[ $stderr == *"0trace: goes round"* ]]
	[ "$(events t | awk '{ print $3 }' | paste -sd ' ')" = "2 3 4 5 6 7" ]
	# What is in no order at all stays as it is.
	for at in 5 3 7 2 3 4; do
		slot 9 $at 0 ${at}000 0
	done >1trace
	import --raw-ticks 1trace
	back t
	cmp out 1trace
}

@test "SHK-11: a compressed chunk has the same events, beside others that are not compressed" {
	"$SHARK" make 3000:4 plain
	zstd -q plain -o frame
	import frame
	back t
	cmp out plain
	slot 20 1 ffffffff 1000 f4240 >more
	cat frame more frame >0trace
	cat plain more plain >all
	import 0trace
	back t
	cmp out all
}

@test "SHK-40: damage is said, and what is whole is read" {
	"$SHARK" make 100:5 plain
	(cat plain && printf abc) >0trace
	run_ktrace import --from shark -o t 0trace
	[ "$status" = 1 ]
	[[ $stderr == *"0trace: offset 1600: less than an event is left"* ]]
	back t
	cmp out plain
	zstd -q plain -o frame
	(cat plain && head -c 200 frame) >1trace
	run_ktrace import --from shark -o t 1trace
	[ "$status" = 1 ]
	[[ $stderr == *"1trace: offset 1600: damaged zstd frame"* ]]
	back t
	cmp -n 1600 out plain
	run_ktrace import --from shark -o t /dev/null
	[ "$status" = 1 ]
	run_ktrace import --from shark -o t missing
	[ "$status" = 1 ]
	# What is read is not written to.
	run_ktrace import --from shark -o plain plain
	[ "$status" = 1 ]
	[ "$(wc -c <plain)" = 1600 ]
}

@test "SHK-31: what a chunk cannot have is left out, and that is said" {
	run_ktrace export --to shark -o out "$ROOT/tests/data/golden/small-v1.bin"
	[ "$status" = 0 ]
	[ ! -s out ]
	[[ $stderr == *"events other than log:event"* ]]
	slot 20 1 0 1000 f4240 >0trace
	import 0trace
	run_ktrace export --to shark -o out t t
	run_ktrace export --to shark -o out t "$ROOT/tests/data/golden/small-v1.bin"
	[ "$status" = 2 ]
}

@test "SHK-44: the converter's text of every code is the golden one" {
	"$SHARK" make codes 0trace
	import 0trace
	run_ktrace export --to shark-text -o out t
	[ "$status" = 0 ]
	[[ $stderr == *"left out: 125 events that the converter has no number for"* ]]
	diff -u "$ROOT/tests/data/shark/codes.text" out
}

@test "SHK-45: the text for a viewer of time lines is the golden one" {
	"$SHARK" make codes 0trace
	import 0trace
	run_ktrace export --to kiwi -o out t
	[ "$status" = 0 ]
	diff -u "$ROOT/tests/data/shark/codes.kiwi" out
}

@test "SHK-45: times between two ipoints" {
	slot 20 1 0 0 f4240 >0trace
	for at in "1 1000" "2 2000" "1 3000" "9 3800" "2 5000" "2 6000" "1 7000" "1 8000" "2 8001"; do
		slot 1 "${at% *}" 0 "${at#* }" 0
	done >>0trace
	import 0trace
	run_ktrace ipoints --pair 1:2 --json t
	[ "$status" = 0 ]
	# 0x1000, 0x2000 and 1 ticks of a ns
	[[ $output == *'"pairs":[{"from":1,"to":2,"nr":3,"total_ns":12289,"min_ns":1,"max_ns":8192,'* ]]
	[[ $output == *'"mean_ns":4096}]'* ]]
	run_ktrace ipoints t
	[ "$(awk '$1 == "from" { rows = NR } rows && NR > rows { print $1 ":" $2 "x" $3 }' <<<"$output" |
		paste -sd ' ')" = "1:1x1 1:2x2 1:9x1 2:1x2 2:2x1 9:2x1" ]
	run_ktrace ipoints --pair 1-2 t
	[ "$status" = 2 ]
}

@test "SHK-20: events have the names of their codes, and can be asked for by them" {
	"$SHARK" make codes 0trace
	import 0trace
	run_ktrace list --filter 'type = set_mutex_lock' t
	[[ $output == *"log:event type=set_mutex_lock par1="*" (context "*", mutex 100022)" ]]
	run_ktrace list --filter 'type = 0x8002' t
	[[ $output == *" type=0x8002 "*" (fast task_create, context "*", pid 0)" ]]
	run_ktrace list --filter 'type = user_event_14' --json t
	[ "$(wc -l <<<"$output")" = 1 ]
	[[ $output == *'"type":"user_event_14"'* ]]
}

@test "SHK-41: import says what is missing on its command line" {
	"$SHARK" make 10 0trace
	for wrong in "" "--from shark" "--from shark -o t" "--from other -o t 0trace" \
		"--from shark -o t --ticks-per-ms 0 0trace" "--from shark -o t --ticks-per-ms x 0trace" \
		"--from shark -o t --ticks-per-ms 5 --raw-ticks 0trace" \
		"--from shark -o t --like 0trace 0trace" "--from shark -o t --offset 1 0trace" \
		"--from shark -o t --compress=x 0trace"; do
		# shellcheck disable=SC2086 # several words
		run_ktrace import $wrong
		[ "$status" = 2 ]
	done
	run_ktrace import --from shark -o t --json 0trace
	[[ $output == '{"file":"t","events":10,"lost":0,"bytes":'*',"ticks_per_ms":2000000}' ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# diff.bats - ktrace diff: how two traces differ
# runs: host
load helpers

teardown() { teardown_test; }

# make_trace FILE LAST: three events of two threads, the last with this number
make_trace()
{
	"$PROGS/mktrace" "$1" <<-END
	meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:e{u64%20n;}
	meta event kind=user id=17 desc=t:f{u64%20n;}
	meta thread tid=7 pid=7 ts=0 comm=seven
	meta thread tid=8 pid=7 ts=0 comm=eight
	block 1
	rec 1000000000 16 7 u64:1
	rec 2000000000 17 8 u64:2
	rec 3000000000 16 7 u64:$2
	$3
	END
}

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
	make_trace a 3 ''
}

@test "what two short traces differ in" {
	make_trace b 5 'rec 5000000000 17 7 u64:9'
	run_ktrace diff a b
	[ "$status" -eq 0 ]
	diff -u - <(echo "$output") <<-'END'
	A a: 2.000000000 s
	B b: 4.000000000 s

	             A             B      change
	             3             4     +33.3 %  events
	             0             0           =  lost

	             A             B      change           A/s         B/s  event
	             2             2           =           1.0         0.5  t:e
	             1             2    +100.0 %           0.5         0.5  t:f

	             A             B      change           A/s         B/s  thread
	             2             3     +50.0 %           1.0         0.8  seven
	             1             1           =           0.5         0.2  eight

	first other fields, event 3
	A     2.000000000 [000] 7/7 seven                 t:e n=3
	B     2.000000000 [000] 7/7 seven                 t:e n=5

	first other event, event 4
	A (the end)
	B     4.000000000 [000] 7/7 seven                 t:f n=9
	END
	run_ktrace diff --json a b
	[ "$output" = '{"duration_ns":[2000000000,4000000000],"events":[3,4],"lost":[0,0],"counts":{"t:e":[2,2],"t:f":[1,2]},"threads":{"seven":[2,3],"eight":[1,1]},"first_event":4,"first_fields":3}' ]
}

@test "a trace is the same as itself" {
	run_ktrace diff "$SMALL" "$SMALL"
	[ "$status" -eq 0 ]
	grep -q '^the same events in the same order, with the same fields$' <<<"$output"
	run_ktrace diff --json "$SMALL" "$SMALL"
	jq -e '.first_event == 0 and .first_fields == 0 and (.counts | map(.[0] == .[1]) | all)' <<<"$output"
	[ "$(jq '[.counts[][0]] | add' <<<"$output")" -eq 19 ]
	[ "$(jq '[.threads[][0]] | add' <<<"$output")" -eq 19 ]
	[ "$(jq -c .lost <<<"$output")" = '[22,22]' ]
}

@test "windows and conditions are those of each file" {
	make_trace b 3 'rec 5000000000 17 7 u64:9'
	run_ktrace diff --json --until 3s a b
	[ "$(jq -c '[.events, .first_event]' <<<"$output")" = '[[3,3],0]' ]
	run_ktrace diff --json --filter 'comm = seven && event = t:e' a b
	[ "$(jq -c '[.events, .first_event]' <<<"$output")" = '[[2,2],0]' ]
}

@test "the duration is that of events, whatever headers and --since say" {
	run_ktraced -q -o t -- bash -c '"$1" -n 3 && sleep 0.1' - "$PROGS/flood"
	duration=$("$KTRACE" info --json t | jq .duration_ns)
	[ "$duration" -lt 100000000 ]
	for options in "" "--since 1970-01-02"; do
		# shellcheck disable=SC2086 # option and value
		run_ktrace diff --json $options t t
		[ "$(jq -c .duration_ns <<<"$output")" = "[$duration,$duration]" ] || return 1
	done
}

@test "two files, no more and no less" {
	run_ktrace diff a
	[ "$status" -eq 2 ]
	run_ktrace diff a a a
	[ "$status" -eq 2 ]
	run_ktrace diff a nosuch
	[ "$status" -eq 1 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to chrome: valid JSON that says what ktrace list says, event by event

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	"$PROGS/mktrace" odd <"$ROOT/tests/checkers/export/odd.script"
	"$PROGS/mktrace" small <"$ROOT/tests/data/golden/small-v1.script"
}

teardown()
{
	teardown_test
}

# is_whole OPTION... FILE...: the file is right; in told, how many there are of each kind
is_whole()
{
	run_ktrace export --to chrome -o chrome.json "$@"
	[ "$status" = 0 ]
	"$KTRACE" list --json "$@" >events.json
	told=$("$ROOT/tests/checkers/export/chrome" chrome.json events.json)
	[ "${told%% *}" = "$(wc -l <events.json)" ]
}

@test "chrome: all events of files, and what is lost" {
	is_whole small
	[[ $stderr == *"22 events were lost"* ]]
	[[ $(jq -c '.otherData.lost' chrome.json) == *'"full":10'* ]]
	[ "$(jq -r '.otherData.files[0].clock' chrome.json)" = tsc ]
	is_whole odd small
	is_whole --since 5 small
	[ "$told" = "0 " ]
}

@test "chrome: names, text and numbers at their limits" {
	is_whole odd
	# Integers that JavaScript has no numbers for are text.
	grep -q '"d":"18446744073709551615"' chrome.json
}

@test "chrome: what begins and ends is a bar" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	is_whole t
	[[ $told == *B*E*i* ]]
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_contended"
	is_whole t
	[[ $told == *B*E*i* ]]
}

@test "chrome: CPUs have slices, and arrows to what was woken" {
	"$PROGS/mktrace" t <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
meta stream id=1 kind=kernel cpu=1 ring=65536 block=4096 policy=drop
meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
meta event kind=kernel id=65 desc=sched:wakeup{u32%20tid;s32%20prio;u32%20target_cpu;char[16]%20comm;}
meta event kind=kernel id=96 desc=syscall:enter{enum<u64>(read=0)%20nr;}
meta event kind=kernel id=97 desc=syscall:exit{enum<u64>(read=0)%20nr;s64%20ret;}
block 0
rec 2000 64 0 u32:0 u32:7 u32:120 u32:120 u32:0 char16:swapper char16:one
rec 2100 96 7 u64:0
rec 2200 65 7 u32:8 u32:120 u32:1 char16:two
rec 2300 64 7 u32:7 u32:0 u32:120 u32:120 u32:1 char16:one char16:swapper
lostrec 2500 3
rec 2600 97 7 u64:0 u64:5
rec 2700 97 7 u64:0 u64:6
block 1
rec 2250 64 0 u32:0 u32:8 u32:120 u32:120 u32:0 char16:swapper char16:two
END
	is_whole t
	[ "$told" = "8 B1 E1 M8 X3 f1 i3 s1" ]
	jq -r '.traceEvents[] | select(.ph == "X") | "\(.name) \(.ts + 0) \(.dur + 0)"' chrome.json >slices
	# The one that lasts until events were lost, and the one that lasts at the end
	printf '%s\n' "one 0 0.3" "swapper 0.3 0.2" "two 0.25 0.45" | diff - slices
	jq -r '.traceEvents[] | select(.ph == "B") | .name' chrome.json | grep -x 'syscall:read'
}

@test "chrome: of threads that were not followed nobody knows how long they ran" {
	"$PROGS/mktrace" t <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x scope=followed
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
block 0
rec 2000 64 0 u32:0 u32:7 u32:120 u32:120 u32:0 char16:swapper char16:own
rec 2200 64 7 u32:7 u32:9 u32:120 u32:120 u32:1 char16:own char16:other
rec 2500 64 0 u32:0 u32:7 u32:120 u32:120 u32:0 char16:swapper char16:own
rec 2600 64 7 u32:7 u32:8 u32:120 u32:120 u32:0 char16:own char16:own
rec 2700 64 8 u32:8 u32:0 u32:120 u32:120 u32:1 char16:own char16:swapper
rec 2900 64 0 u32:0 u32:7 u32:120 u32:120 u32:0 char16:swapper char16:own
rec 3000 64 7 u32:7 u32:9 u32:120 u32:120 u32:1 char16:own char16:other
END
	is_whole t
	jq -r '.traceEvents[] | select(.ph == "X") | "\(.name) \(.ts + 0) \(.dur + 0)"' chrome.json >slices
	printf '%s\n' "own 0 0.2" "other 0.2 0" "own 0.5 0.1" "own 0.6 0.1" "swapper 0.7 0" \
		"own 0.9 0.1" "other 1 0" | diff - slices
}

@test "chrome: counters whose fields are not as usual" {
	"$PROGS/mktrace" t <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
meta event kind=kernel id=480 desc=memory:rss{u32%20pid;string%20kind;u64%20bytes;}
block 0
rec 2000 480 7 u32:7 s:x"y u64:4096
END
	run_ktrace export --to chrome t
	[ "$status" = 0 ]
	[ "$(jq -r '.traceEvents[] | select(.ph == "C") | "\(.name) \(.args.bytes)"' <<<"$output")" = \
		"memory 4096" ]
}

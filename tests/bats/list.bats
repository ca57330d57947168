#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# list.bats - ktrace list, on golden and generated files
# runs: host
load helpers

setup()
{
	setup_test
	export TZ=UTC
	GOLDEN=$ROOT/tests/data/golden
	SMALL=$GOLDEN/small-v1.bin
}

teardown() { teardown_test; }

# lines_are N: how many lines of output there are
lines_are()
{
	[ "$(grep -c . <<<"$output")" -eq "$1" ]
}

# usage_error ARG...: status 2, says what is wrong, prints nothing
usage_error()
{
	run_ktrace "$@"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ -n "$stderr" ]
}

@test "the golden file is listed as ever, as text and as JSON" {
	run_ktrace list "$SMALL"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff -u "$GOLDEN/small-v1.list" - <<<"$output"
	run_ktrace list --json "$SMALL"
	[ "$status" -eq 0 ]
	diff -u "$GOLDEN/small-v1.json" - <<<"$output"
}

@test "a file made of the same script today is listed the same" {
	"$PROGS/mktrace" t <"$GOLDEN/small-v1.script"
	run_ktrace list t
	diff -u "$GOLDEN/small-v1.list" - <<<"$output"
	"$PROGS/mktrace" t --no-end <"$GOLDEN/small-v1.script"
	run_ktrace list t
	[ "$status" -eq 0 ]
	diff -u "$GOLDEN/small-v1.list" - <<<"$output"
}

@test "every JSON line is valid and has its members" {
	run_ktrace list --json "$SMALL"
	python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    assert {"time", "ns", "raw", "trace", "stream", "event"} <= e.keys(), e
    assert ("fields" in e) != ("bytes" in e), e
' <<<"$output"
}

@test "--since includes its time, --until does not" {
	run_ktrace list --since 100ns --until 150ns "$SMALL"
	[ "$status" -eq 0 ]
	fails grep -q 'item=7\|item=8' <<<"$output"
	grep -q 'ret=-14' <<<"$output"
	run_ktrace list --since 150ns --until 151ns "$SMALL"
	grep -q 'item=8' <<<"$output"
	lines_are 1
}

@test "two windows that meet have every event once" {
	local all
	all=$("$KTRACE" list "$SMALL")
	output=$("$KTRACE" list --until 410ns "$SMALL"; "$KTRACE" list --since 410ns "$SMALL")
	diff -u <(sort <<<"$all") <(sort <<<"$output")
}

@test "times may be written in many ways" {
	local t
	for t in 0.0000001 0.0000001s 0.0001ms 0.1us 100ns 2023-11-14T22:13:20.0000002 \
			2023-11-14T22:13:20.0000002Z @1700000000.0000002; do
		run_ktrace list --since "$t" --event 'demo:types,syscall:*' -n 2 "$SMALL"
		[ "$status" -eq 0 ]
		[[ "$output" = *syscall:exit*demo:types* ]]
	done
	TZ=UTC-1 run_ktrace list --since 2023-11-14T23:13:20.0000002 -n 1 "$SMALL"
	[[ "$output" = *syscall:exit* ]]
	run_ktrace list --since 2023-11-14 -n 1 "$SMALL"
	[[ "$output" = *syscall:enter* ]]
	run_ktrace list --since 0.0000000025m "$SMALL"
	[ "$output" = "$("$KTRACE" list --since 150ns "$SMALL")" ]
	# 411 ns, exactly: there is an event at 410
	run_ktrace list --since 0.0000000001141666666667h "$SMALL"
	[ "$output" = "$("$KTRACE" list --since 411ns "$SMALL")" ]
	run_ktrace list --since 0.001h "$SMALL"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a time that is too far away is refused, not taken for another one" {
	local t
	for t in 2600-01-01 18446744073.8; do
		run_ktrace list --until "$t" "$SMALL"
		[ "$status" -eq 2 ]
		[[ $stderr == *"--until: not a time"* ]]
	done
}

@test "time formats" {
	run_ktrace list --time=wall -n 1 "$SMALL"
	[[ "$output" = 2023-11-14T22:13:20.000000100\ * ]]
	run_ktrace list --time=raw -n 1 "$SMALL"
	[[ "$output" = 1100\ * ]]
	run_ktrace list --time=delta -n 2 "$SMALL"
	[[ "$output" = *"+  0.000000050 "* ]]
}

@test "--event takes globs" {
	run_ktrace list --event 'sched:s*,demo:t?pes' "$SMALL"
	[ "$status" -eq 0 ]
	lines_are 2
	run_ktrace list -e 'kernel:77' "$SMALL"
	lines_are 1
	run_ktrace list -e 'nothing:*' "$SMALL"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "--event without a colon takes a whole provider or family" {
	local all
	all=$("$KTRACE" list "$SMALL")
	run_ktrace list -e demo "$SMALL"
	[ "$status" -eq 0 ]
	diff -u <(grep -F ' demo:' <<<"$all") - <<<"$output"
	run_ktrace list -e 'sys*' "$SMALL"
	diff -u <(grep -F ' syscall:' <<<"$all") - <<<"$output"
	run_ktrace list -e 'kernel,ktrace' "$SMALL"
	diff -u <(grep -E ' (kernel|ktrace):' <<<"$all") - <<<"$output"
	run_ktrace list -e 'types,dem,emo' "$SMALL"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run_ktrace list -e '*' "$SMALL"
	diff -u - <(echo "$output") <<<"$all"
}

@test "every reason of loss has its name, in text and JSON" {
	local reasons=(full stopped timeout nested noring overwritten corrupt unwritten)
	local i
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	lost 1 5 1 2 3 4 5 6 7 8
	END
	run_ktrace list t
	lines_are 8
	mapfile -t lines <<<"$output"
	for i in "${!reasons[@]}"; do
		[[ "${lines[i]}" = *"ktrace:lost reason=${reasons[i]} count=$((i + 1))" ]]
	done
	run_ktrace list --json t
	mapfile -t lines <<<"$output"
	for i in "${!reasons[@]}"; do
		[[ "${lines[i]}" = *"{\"reason\":\"${reasons[i]}\",\"count\":$((i + 1))}}" ]]
	done
	run_ktrace info t
	for i in "${!reasons[@]}"; do
		grep -q "^ *$((i + 1)) ${reasons[i]}\$" <<<"$output"
	done
	run_ktrace info --json t
	for i in "${!reasons[@]}"; do
		[[ "$output" = *"\"${reasons[i]}\":$((i + 1))"[,}]* ]]
	done
}

@test "--pid takes processes and threads; losses are always shown" {
	run_ktrace list --pid 102 "$SMALL"
	[ "$(grep -c 100/102 <<<"$output")" -eq 4 ]
	[ "$(grep -vc 'ktrace:lost' <<<"$output")" -eq 4 ]
	[ "$(grep -c 'ktrace:lost' <<<"$output")" -eq 6 ]
	run_ktrace list --pid 100,103 -e 'demo:*' "$SMALL"
	[ "$(grep -c -e '-/103' <<<"$output")" -eq 3 ]
	[ "$(grep -c '100/101' <<<"$output")" -eq 2 ]
}

# begun_before: in t thread 8 of process 7 begins before 1 s, which only its fork tells
begun_before()
{
	"$PROGS/mktrace" t <<-'END'
		meta host boot=1 machine=x86_64
		meta clock raw=0 mono_ns=0 real_ns=1000 hz=1000000000
		meta event kind=kernel id=67 desc=sched:fork{u32%20parent_tid;u32%20parent_pid;u32%20child_tid;u32%20child_pid;char[16]%20comm;}
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=user id=16 desc=t:e{u64%20n;}
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 0
		rec 10 67 7 u32:7 u32:7 u32:8 u32:7 char16:child
		block 1
		rec 20 16 8 u64:1
		block 1
		rec 2000000000 16 8 u64:2
		rec 3000000000 16 8 u64:3
		block 0
		rec 5000000000 64 8 u32:8 u32:0 u32:120 u32:120 u32:1 char16:other char16:swapper/0
		block 1
		rec 5000000000 16 8 u64:4
	END
}

@test "a thread's number that is used again is that of the process which forked it last" {
	"$PROGS/mktrace" t <<-'END'
		meta host boot=1 machine=x86_64
		meta clock raw=0 mono_ns=0 real_ns=1000 hz=1000000000
		meta event kind=kernel id=67 desc=sched:fork{u32%20parent_tid;u32%20parent_pid;u32%20child_tid;u32%20child_pid;char[16]%20comm;}
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=user id=16 desc=t:e{u64%20n;}
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 0
		rec 10 67 7 u32:7 u32:7 u32:8 u32:7 char16:child
		rec 2000000000 67 9 u32:9 u32:9 u32:8 u32:9 char16:child
		block 0
		rec 5000000000 64 8 u32:8 u32:0 u32:120 u32:120 u32:1 char16:other char16:swapper/0
		block 1
		rec 5000000000 16 8 u64:4
	END
	# hist reads the end first.
	run_ktrace hist --event t:e --pid 9 --json t
	[ "$status" -eq 0 ]
	[[ $output == *'"events":1'* ]]
	run_ktrace hist --event t:e --pid 7 --json t
	[[ $output == *'"events":0'* ]]
}

@test "--pid knows the processes of threads that began before the window" {
	begun_before
	run_ktrace list --pid 7 --since 1s t
	lines_are 4
	[ "$(grep -c ' 7/8 child .* n=[23]$' <<<"$output")" = 2 ]
	grep -q ' 7/8 other .* n=4$' <<<"$output"
	# It looks at the end of the files first.
	[ "$("$KTRACE" hist --json --pid 7 t | jq .events)" = 6 ]
	"$KTRACE" list --pid 7 -n 2 --print-position t >page
	run_ktrace list --pid 7 --from-position "$(sed -n 's/^position //p' page)" t
	[ "$(grep -c ' 7/8 child .* n=[23]$' <<<"$output")" = 2 ]
}

@test "so do filters with pid and comm, in all commands; others skip what lies before" {
	local condition
	begun_before
	for condition in 'pid == 7' 'pid != 9 && tid == 8' '!(comm == other) && comm ~ ch*'; do
		run_ktrace list --since 1s --filter "$condition" t
		[ "$(grep -c ' 7/8 child .* n=[23]$' <<<"$output")" = 2 ]
		"$KTRACE" list -n 2 --print-position t >page
		run_ktrace list --from-position "$(sed -n 's/^position //p' page)" \
			--filter "$condition" t
		[ "$(grep -c ' 7/8 child .* n=[23]$' <<<"$output")" = 2 ]
	done
	[ "$("$KTRACE" grep -c --since 1s 'pid == 7' t)" = 4 ]
	[ "$("$KTRACE" hist --json --since 1s --filter 'pid == 7' t | jq .events)" = 4 ]
	"$KTRACE" cut -o cut.bin --since 1s --filter 'pid == 7' t
	[ "$("$KTRACE" list -c cut.bin)" = 4 ]
	[ "$("$KTRACE" export --to csv --since 1s --filter 'pid == 7' t | grep -c '^[0-9]')" = 4 ]
	[ "$("$KTRACE" diff --json --since 1s --filter 'pid == 7' t t | jq -c '.events')" = '[4,4]' ]
	run_ktrace list --since 1s --filter 'tid == 8 && n == 2' t
	grep -q ' -/8 ' <<<"$output"
}

@test "--pid 0 is the idle CPU, not every thread of an unknown process" {
	run_ktrace list --pid 0 "$SMALL"
	[ "$status" -eq 0 ]
	grep -q ' 0/0 swapper ' <<<"$output"
	[ "$(grep -c -e ' -/[0-9]' <<<"$output")" -eq 0 ]
}

@test "-n stops after so many lines" {
	run_ktrace list -n 3 "$SMALL"
	lines_are 3
	run_ktrace list -n 0 "$SMALL"
	[ -z "$output" ]
}

@test "several files are merged by time and told apart" {
	another "$SMALL" again
	run_ktrace list "$SMALL" again
	[ "$status" -eq 0 ]
	[[ "$(sed -n 1p <<<"$output")" = *" #0 "*syscall:enter* ]]
	[[ "$(sed -n 2p <<<"$output")" = *" #1 "*syscall:enter* ]]
	lines_are 50
}

# host_files FILE[=NAME]...: files of a host each, with the same events one nanosecond apart
host_files()
{
	local i=0 file
	for file; do
		"$PROGS/mktrace" "${file%=*}" <<-EOF
			meta host name=${file#*=} boot=$file machine=x86_64
			meta clock raw=0 mono_ns=0 real_ns=170000000000000000$i hz=1000000000
			meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
			meta event kind=user id=16 desc=t:e{u32%20n;}
			block 0
			rec 1000 16 7 u32:1
			rec 3000 16 7 u32:2
		EOF
		i=$((i + 1))
	done
}

@test "several hosts: lines name the host, and say that the error of the time is not known" {
	LC_ALL=C
	export LC_ALL
	host_files client server
	run_ktrace list client server
	[ "$status" -eq 0 ]
	[ "$(awk '{ print $1, $2, $3, $4 }' <<<"$output")" = "0.000000000 client [000] -/7
0.000000001 +-? server [000]
0.000002000 client [000] -/7
0.000002001 +-? server [000]" ]
	[ "$(awk '{ print index($0, "[") }' <<<"$output" | sort -u | grep -c .)" -eq 1 ]
	LC_ALL=C.UTF-8 run_ktrace list client server
	[[ "$(sed -n 2p <<<"$output")" = *' ±?      server [000] '* ]]
	run_ktrace list --time raw -n 1 client server
	[[ "$output" = '1000 client [000] '* ]]
	run_ktrace list --time delta client server
	[ "$(sed -n '2,3s/\[.*//p' <<<"$output" | awk '{ print $2, $3, $4 }')" = \
		'0.000000001 +-? server
0.000001999 +-? client' ]
	run_ktrace list --json client server
	[ "$(jq -c '[.trace, .ns, .error_ns, has("error_ns"), has("early_ns")]' <<<"$output")" = \
		'[0,0,0,true,false]
[1,1,null,true,false]
[0,2000,0,true,false]
[1,2001,null,true,false]' ]
}

@test "a process or thread that is not there is told" {
	local command
	for command in "list -p 77,100" "grep -p 77 item==7" "stat -p 77" "hist -p 77" "critical-path --pid 77" \
			"cut -o new -p 77"; do
		# shellcheck disable=SC2086 # a command and its options
		run_ktrace $command "$SMALL"
		[ "$status" -eq 0 ]
		[[ $stderr == *"ktrace: -p 77: nothing of this process or thread was found"* ]]
		[[ $stderr != *"-p 100"* ]]
	done
	# It is there, though it waits for nothing
	run_ktrace contention -p 100 "$SMALL"
	[[ $stderr != *"-p 100"* ]]
	# Who stops before the end does not know
	run_ktrace list -n 1 -p 77,100 "$SMALL"
	[ -z "$stderr" ]
}

@test "several files of one host have neither a host's name nor an error" {
	host_files client
	another client again
	run_ktrace list client again
	[ "$(awk '{ print $2, $3 }' <<<"$output" | sort -u)" = "#0 [000]
#1 [000]" ]
	run_ktrace list --json client again
	[ "$(jq 'has("error_ns")' <<<"$output" | sort -u)" = false ]
}

@test "hosts of the same name, or with several files, have the number of the file, too" {
	host_files client server=client
	another client again
	run_ktrace list client server again
	[ "$(grep -o 'client#.' <<<"$output" | sort | uniq -c | awk '{ print $1, $2 }')" = "2 client#0
2 client#1
2 client#2" ]
}

# renamed ORDER...: a thread with 20,000 names, in t, which records an event after each; the file has them in
# the order that the command makes
renamed()
{
	{
		printf '%s\n' 'meta trace version=1 start_ns=0 backend=shm clock=monotonic cmd=x' \
			'meta clock raw=0 mono_ns=0 real_ns=0 hz=1000000000' \
			'meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop' \
			'meta event kind=user id=16 desc=a:x{}'
		seq 20000 | "$@" | sed 's/.*/meta thread tid=100 pid=100 ts=&0 comm=name-&/'
		awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "%srec %u5 16 100\n", i % 100 == 1 ? "block 0\n" : "", i }'
	} | "$PROGS/mktrace" t
}

@test "a thread may have any number of names; more than can be put in order are told" {
	renamed cat
	run_ktrace list t
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(grep -o 'name-[0-9]*' <<<"$output" | uniq | wc -l)" = 20000 ]
	[[ ${output##*$'\n'} == *" name-20000 "* ]]
	renamed tac
	run_ktrace list t
	[ "$status" -eq 1 ]
	[[ $stderr == *": too many names of a thread that are not in order of time"* ]]
}

@test "a thousand threads may be in the middle of a long event" {
	awk 'BEGIN {
		print "meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000"
		print "meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop"
		print "meta event kind=user id=16 desc=t:big{u8[]%20bytes;}"
		for (i = 0; i < 2000; i++) {
			if (i % 6 == 0)
				print "block 1"
			print "rec", 100 + i, 16, 10 + i % 1000 (i < 1000 ? ":2 u32:1004 u32:1000 zeros:500" : ":4 zeros:500")
		}
	}' | "$PROGS/mktrace" t
	run_ktrace list --json t
	[ "$status" -eq 0 ]
	[ "$(grep -c '"event":"t:big"' <<<"$output")" = 1000 ]
	fails grep -q '"flags"' <<<"$output"
	run_ktrace check t
	[ "$status" -eq 0 ]
}

@test "a reader that goes away is no error" {
	another "$SMALL" again
	another "$SMALL" third
	for _ in 1 2 3; do
		run bash -c '"$1" list "$2" again third 2>/dev/null | head -n 1; echo ${PIPESTATUS[0]}' \
			_ "$KTRACE" "$SMALL"
		[ "${lines[1]}" = 0 ]
	done
}

@test "a full disk is an error" {
	for args in "list $SMALL" "help" "list --help" "--version"; do
		# shellcheck disable=SC2016,SC2086 # the inner shell's, words
		run bash -c '"$0" "$@" >/dev/full' "$KTRACE" $args
		[ "$status" -eq 1 ]
		[[ "$output" = *"No space left"* ]]
	done
}

@test "what is not a tracefile is named, without a place in it" {
	echo text >t
	run_ktrace list nowhere t
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktrace: nowhere: No such file or directory
ktrace: t: not a ktrace tracefile" ]
}

@test "control characters do not reach the terminal" {
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=a:b{string%20s;}@x%1B%5Bm.c:1
	meta process pid=5 ppid=1 ts=0 comm=%1B%5B31m
	block 1
	rec 1 16 5 hex:1b5b33316d00
	END
	run_ktrace list t
	[ "$(tr -d '\n\40-\176' <<<"$output" | wc -c)" -eq 0 ]
	[[ "$output" = *'s="\x1b[31m"'* ]]
	run_ktrace events t
	[ "$(tr -d '\n\40-\176' <<<"$output" | wc -c)" -eq 0 ]
}

@test "a file that is still being written is read up to its end" {
	"$PROGS/mktrace" t --no-end <"$GOLDEN/small-v1.script"
	head -c -20 t >u
	run_ktrace list u
	[ "$status" -eq 0 ]
	[ -n "$output" ]
}

@test "wrong usage: status 2" {
	usage_error list
	usage_error list --nonsense "$SMALL"
	usage_error list --since yesterday "$SMALL"
	usage_error list --since 5x "$SMALL"
	usage_error list --until 2023-13-45 "$SMALL"
	usage_error list --pid x "$SMALL"
	usage_error list --pid 1, "$SMALL"
	usage_error list -n -1 "$SMALL"
	usage_error list --time=moon "$SMALL"
	usage_error list --from-position k1 "$SMALL"
	usage_error list --from-position k0 --since 1 "$SMALL"
	usage_error nonsense
	usage_error help nonsense
	usage_error
}

# nameless: a list without the threads' names, which may be told by earlier events
nameless()
{
	sed -E 's/^(.*\] )[^ ]+ [^ ]+ +([a-z]+:)/\1\2/; s/"comm":"[^"]*",|"pid":[0-9]*,//g' "$@"
}

# pages OPTION...: lists the golden file three lines at a time, each page in its own process
pages()
{
	local place=k0 lines=0
	while :; do
		"$KTRACE" list -n 3 --print-position --from-position "$place" "$@" "$SMALL" >page
		place=$(tail -n 1 page | sed 's/^.*[ "]\(k1[^"]*\).*$/\1/')
		[ "$(wc -l <page)" -gt 1 ] || break
		head -n -1 page
		[ $((++lines)) -lt 100 ]
	done
}

@test "pages put together are the whole list" {
	"$KTRACE" list "$SMALL" >whole
	pages >paged
	diff -u <(nameless whole) <(nameless paged)
	"$KTRACE" list --json -e syscall "$SMALL" >whole
	pages --json -e syscall >paged
	diff -u <(nameless whole) <(nameless paged)
	# What is not shown because of --until is the next.
	"$KTRACE" list --until 200ns --print-position "$SMALL" >page
	"$KTRACE" list --from-position "$(sed -n 's/^position //p' page)" "$SMALL" >rest
	"$KTRACE" list "$SMALL" | nameless | diff -u - <(grep -v ^position page | cat - rest | nameless)
}

@test "a position of other files is refused" {
	"$KTRACE" list -n 3 --print-position "$SMALL" >page
	place=$(sed -n 's/^position //p' page)
	another "$SMALL" again
	run_ktrace list --from-position "$place" "$SMALL" again
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" = *"of other files"* ]]
	run_ktrace list --from-position "$(sed 's/,0\.690\.[^.]*/,0.690.10/' <<<"$place")" "$SMALL"
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"no event there"* ]]
}

# bats test_tags=native
@test "the program in libktraceset(3) shows pages" {
	gcc -Wall -Werror -I"$ROOT/uapi" -I"$ROOT/userspace/include" "$ROOT/Documentation/examples/page.c" \
		-o page -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lktraceset
	place=k0
	while [ -n "$place" ]; do
		./page "$place" "$SMALL" >out
		grep -v ^k1 out >>events || true
		place=$(grep ^k1 out) || true
	done
	"$KTRACE" list --json "$SMALL" | grep -o '"event":"[^"]*' | cut -d'"' -f4 >expected
	diff -u expected <(cut -d' ' -f2 events | sed 's/^?$/kernel:77/')
}

# bats test_tags=native
@test "a C++ program asks libktraceset for numbers, as __u64 and as uint64_t" {
	cat >span.cc <<-'END'
		#include <ktrace/context.h>
		#include <ktrace/hooks.h>
		#include <stdio.h>
		template<typename number> static void show(struct ktrace_traceset *set)
		{
			number start = 1, end = 1, found = 1, value = 1;
			struct ktrace_trace_event e;

			if (ktrace_traceset_span(set, &start, &end) ||
			    ktrace_traceset_forward(set, 3, NULL, &found) ||
			    ktrace_traceset_next(set, &e) != 1 ||
			    ktrace_event_find_item(&e, KTRACE_ITEM_CGROUP, &value) ||
			    ktrace_trace_kernel_symbol(ktrace_traceset_trace(set, 0), 0, &value))
				return;
			printf("%llu %llu\n", (unsigned long long)(end - start),
			       (unsigned long long)found);
			ktrace_traceset_back(set, 4, NULL, &found);
		}
		int main(int argc, char **argv)
		{
			struct ktrace_traceset *set;

			if (argc != 2 || ktrace_traceset_open(NULL, &set) || ktrace_traceset_add(set, argv[1]))
				return 1;
			show<uint64_t>(set);
			show<__u64>(set);
			ktrace_traceset_close(set);
			return 0;
		}
	END
	local cxx
	for cxx in g++ clang++; do
		"$cxx" -std=c++11 -Wall -Wextra -Wconversion -Werror -I"$ROOT/uapi" -I"$ROOT/userspace/include" \
			span.cc -o span -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lktraceset
		run ./span "$SMALL"
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == *" 3" && ${lines[0]} != "0 3" && ${lines[0]} = "${lines[1]}" ]]
	done
}

@test "help and version" {
	run_ktrace --version
	[ "$status" -eq 0 ]
	[[ "$output" = ktrace\ * ]]
	run_ktrace help
	[ "$status" -eq 0 ]
	[[ "$output" = *list*info*events* ]]
	local c
	for c in list info events; do
		run_ktrace "$c" --help
		[ "$status" -eq 0 ]
		[[ "$output" = "usage: ktrace $c "* ]]
		run_ktrace "$c" --version
		[ "$status" -eq 0 ]
	done
}

@test "a thread has the name that a switch says, if the event of its renaming was not read" {
	local at
	"$PROGS/mktrace" t <<-'END'
		meta trace version=1 start_ns=1 clock=monotonic
		meta clock raw=1000 mono_ns=1000 real_ns=1000 hz=1000000000
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=kernel id=70 desc=sched:comm{u32%20tid;u32%20pid;char[16]%20comm;}
		meta thread tid=100 pid=99 ts=900 comm=old
		block 0
		rec 1100 70 100 u32:100 u32:99 char16:new
		rec 1200 64 100 u32:100 u32:0 u32:120 u32:120 u32:0 char16:new char16:swapper/0
		rec 1300 64 0 u32:0 u32:100 u32:120 u32:120 u32:0 char16:swapper/0 char16:new
		rec 1400 70 100 u32:100 u32:99 char16:newer
	END
	at=$("$KTRACE" list -n 1 --print-position t | sed -n 's/^position //p')
	[ "$("$KTRACE" list --json --from-position "$at" t | jq -r '[.tid, .pid, .comm] | join(" ")' |
		grep ^100 | tr '\n' ' ')" = '100 99 new 100 99 newer ' ]
}

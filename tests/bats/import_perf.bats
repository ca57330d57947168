#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perf: text of perf script from a guest with Linux 6.12

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import COMPARE=$ROOT/tests/checkers/import/compare

setup()
{
	setup_test
	xzcat "$SAMPLES/perf.txt.xz" >perf.txt
}

teardown()
{
	teardown_test
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import --from perf "$@" -o t
}

# says PATTERN: on standard output or standard error
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

@test "import perf: events are those of the text" {
	import perf.txt
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	"$KTRACE" list --json t >t.json
	[ "$("$COMPARE" perf perf.txt t.json)" = "$(grep -vc '^#' perf.txt)" ]
	run_ktrace info t
	says 'host *example, kernel 6.12.117+deb12-cloud-amd64, x86_64'
}

@test "import perf: the reference time says what the clock counts from" {
	import perf.txt
	# 1795382342.177758 at 88.747982954; the first event is at 90.952115901.
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r .time)" = 1795382344.381890947 ]
	grep -v '^#' perf.txt >bare
	import bare
	[ "$status" = 0 ]
	says 'does not say what its clock counts from'
	import bare --offset @1000
	[ -z "$stderr" ]
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r .time)" = 1090.952115901 ]
}

@test "import perf: --like takes the clock and the boot of a tracefile" {
	run_ktraced -o ours -- "$EXAMPLES/hello"
	grep -v '^#' perf.txt >bare
	import bare --like ours
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$("$KTRACE" info --json ours | jq -r .boot)" = "$("$KTRACE" info --json t | jq -r .boot)" ]
	raw=$("$KTRACE" list --json ours | head -n 1 | jq -r .time)
	run_ktrace list ours t
	[ "$status" = 0 ]
	import bare --like ours --offset 1
	[ "$status" = 2 ]
	import bare --like perf.txt
	[ "$status" = 1 ]
	[ -n "$raw" ]
}

@test "import perf: kernel events are ours, so that analyses know them" {
	import perf.txt
	run_ktrace sched t
	[ "$status" = 0 ]
	says ' perf '
	run_ktrace syscalls t
	says '^ioctl '
	run_ktrace list -e sched:sched_stat_runtime t
	says 'sched:sched_stat_runtime comm="perf" pid=203 runtime=12805471$'
}

@test "import perf: lines by kinds" {
	cat >text <<-'END'
		Web Content 77/78 [003] 1.000000001: sched:sched_switch: prev_comm=Web Content prev_pid=78 prev_prio=120 prev_state=D ==> next_comm=a=b next_pid=9 next_prio=19
		     x  9 [003]  1.000001: sched:sched_wakeup_new: comm=7 pid=11 prio=120 target_cpu=002
		     x  9 [003]  1.000002: block:block_rq_issue: 254,0 WS 4096 () 2048 + 8 [x]
		     x  9 [003]  1.000003: block:block_rq_complete: 254,0 WS () 2048 + 8 [0]
		     x  9 [003]  1.000004: syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x7f00, flags: 0x0, mode: 0x0
		     x  9 [003]  1.000005: syscalls:sys_exit_openat: 0x3
		     x  9 [003]  1.000006: raw_syscalls:sys_exit: NR 0 = -11
		     x  9 [003]  1.000007: irq:irq_handler_exit: irq=4 ret=handled
		     x  9 [003]  1.000008: PERF_RECORD_LOST lost 12
		     x  9 [003]  1.000009:     250000 cpu-clock:  7fbe f+0x10 (/bin/x)
		     x  9 [003]  1.000010:     250000 cycles:u:
			    7fbed0cb63e0 inner+0x270 (/bin/x)
			    7fbed0cb562a outer+0xa (/bin/x)

		     x  9 [003]  1.000011: printk:console: hello, world
	END
	import text --offset 1
	[ "$status" = 0 ]
	[[ $output == *" 11 events, 12 lost, "* ]]
	run_ktrace list t
	says ' 77/78 Web Content .*sched:switch prev_tid=78 next_tid=9 .* prev_state=DISK prev_comm="Web Content" next_comm="a=b"'
	says 'sched:wakeup tid=11 prio=120 target_cpu=2 comm="7"'
	says 'block:issue .*sector=2048 bytes=4096 op=WRITE'
	says 'block:complete .*sector=2048 bytes=4096 op=WRITE left=0 error=0'
	says 'syscall:enter nr=openat abi=native args={0xffffff9c, 0x7f00, 0x0, 0x0, 0x0, 0x0}'
	says 'syscall:exit nr=openat abi=native ret=3'
	says 'syscall:exit nr=read ret=-11'
	says 'irq:exit irq=4 handled=1'
	says 'ktrace:lost reason=full count=12'
	says 'perf:cpu-clock text="7fbe f+0x10 (/bin/x)"'
	says 'cycles:u callchain="inner+0x270;outer+0xa"'
	says 'printk:console text="hello, world"'
}

@test "import perf: more kinds of events than there are numbers: the rest is text" {
	for ((i = 1; i <= 66000; i++)); do
		printf 'x 9 [003] 1.%09d: probe:free: key%d=1 b=2\n' "$i" "$i"
	done >text
	printf '\t7fbe inner+0x2 (/bin/x)\n' >>text
	printf 'x 9 [003] 2.0: irq:irq_handler_exit: irq=4 ret=handled\n' >>text
	import text --offset 1
	[ "$status" = 0 ]
	[[ $output == *" 66001 events, "* ]]
	"$KTRACE" list t >list
	[ "$(wc -l <list)" = 66001 ]
	grep -q ' probe:free key1=1 b=2$' list
	[ "$(sed -n 66000p list | sed 's/.* foreign:text/foreign:text/')" = \
		'foreign:text event="probe:free" text="key66000=1 b=2" callchain="inner+0x2"' ]
	tail -n 1 list | grep -q 'irq:exit irq=4 handled=1$'
	import text --raw-ticks
	[ "$status" = 2 ]
	says 'not with this format'
}

@test "import perf: lines that are none are said, with file and line" {
	{
		head -n 40 perf.txt
		echo 'nonsense'
		tail -n 5 perf.txt
	} >bad
	import bad
	[ "$status" = 1 ]
	says 'bad: 41: not as perf script .* writes it'
	[ "$("$KTRACE" list t | wc -l)" = "$(grep -vc -e '^#' -e nonsense bad)" ]
	import missing
	[ "$status" = 1 ]
	says 'missing: No such file'
	import "$PWD"
	[ "$status" = 1 ]
	import perf.txt perf.txt
	[ "$status" = 1 ]
	: >nothing
	import nothing --offset 1
	[ "$status" = 0 ]
	[[ $output == "t: 0 events, "* ]]
}

@test "import perf: what is there stays until the new file is whole" {
	echo old >t
	import "$PWD"
	[ "$(cat t)" = old ]
	import perf.txt
	[ "$status" = 0 ]
	[ "$(find . -name 't*' | wc -l)" = 1 ]
}

@test "import perf: a file of perf record" {
	command -v perf >/dev/null || skip "needs linux-perf"
	perf record -k CLOCK_MONOTONIC -e cpu-clock -o perf.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' \
		>/dev/null 2>&1 || skip "perf cannot record here"
	n=$(perf script -i perf.data -F comm,tid,time,event 2>/dev/null | wc -l)
	import perf.data
	[ "$status" = 0 ]
	[[ $output == "t: $n events, "* ]]
	[ "$n" -gt 0 ]
	# With the CPU, too
	perf record --sample-cpu -k CLOCK_MONOTONIC -e cpu-clock -o perf.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' \
		>/dev/null 2>&1
	import perf.data
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq -es 'length > 0 and all(.cpu >= 0)'
	head -c 100 perf.data >short
	import short
	[ "$status" = 1 ]
	says 'perf script cannot read it'
}

@test "import perf: memory is read where it is written, and freed" {
	sed 's/next_pid=[0-9]*$//; s/ ==> / /' perf.txt >odd.txt
	run_valgrind import --from perf -o t odd.txt
	[ "$status" -le 1 ]
}

@test "import perf: long names of interrupts that differ in the end stay apart, marked as cut" {
	local n
	for n in 0 1; do
		printf '%s\n' \
			" swapper     0 [000]     1.00000$n: irq:irq_handler_entry: irq=$((28 + n)) name=virtio1-requests.$n" \
			" swapper     0 [000]     1.00001$n: irq:irq_handler_exit: irq=$((28 + n)) ret=handled"
	done >long.txt
	printf '%s\n' ' swapper     0 [000]     1.000020: irq:irq_handler_entry: irq=30 name=exactly15bytes.' >>long.txt
	import long.txt
	[ "$status" = 0 ]
	[ "$("$KTRACE" list --json -e irq:enter t | jq -r .fields.name)" = \
		$'virtio1-re~ts.0\nvirtio1-re~ts.1\nexactly15bytes.' ]
	run_ktrace irq t
	says '28 virtio1-re~ts.0 '
	says '29 virtio1-re~ts.1 '
}

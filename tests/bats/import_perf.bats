#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perf: text of perf script from a guest with Linux 6.12

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import COMPARE=$ROOT/tests/checkers/import/compare

# shellcheck disable=SC2016 # for another shell
BUSY='i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'

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
	grep -v -e '^# [^a]' -e '^#$' perf.txt >bare
	import bare
	[ "$status" = 0 ]
	says 'does not say what its clock counts from'
	import bare --offset @1000
	[ -z "$stderr" ]
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r .time)" = 1090.952115901 ]
}

@test "import perf: --like takes the clock and the boot of a tracefile" {
	run_ktraced -o ours -- "$EXAMPLES/hello"
	grep -v -e '^# [^a]' -e '^#$' perf.txt >bare
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
	says 'perf:cpu-clock period=250000 {ustack='
	says 'perf:cycles_u name="cycles:u" period=250000 {ustack='
	"$KTRACE" stacks t >stacks.txt
	grep -qx 'x;f 1' stacks.txt
	grep -qx 'x;outer;inner 1' stacks.txt
	says 'printk:console text="hello, world"'
}

@test "import perf: what libtraceevent's plugins print of the scheduler are its events" {
	cat >text <<-'END'
		     a b  9 [003]  1.000001: sched:sched_switch: a b:9 [120] D ==> c:d [x]:11 [98]
		     c:d 11 [003]  1.000002: sched:sched_switch: c:d [x]:11 [98] R ==> kworker/3:1:12 [120]
		 kworker 12 [003]  1.000003: sched:sched_switch: kworker/3:1:12 [120] I ==> cpuhp/3:13 [120]
		 cpuhp/3 13 [003]  1.000004: sched:sched_switch: cpuhp/3:13 [120] P ==> swapper/3:0 [120]
		 swapper  0 [003]  1.000005: sched:sched_wakeup: a b:9 [120] success=1 CPU:002
		 swapper  0 [003]  1.000006: sched:sched_wakeup: a b:9 [120]<no success> CPU:002
		 swapper  0 [003]  1.000007: sched:sched_wakeup_new: a b:9 [120] CPU:002
		 swapper  0 [003]  1.000008: sched:sched_switch: prev_comm=a b=c prev_pid=4 prev_prio=1 prev_state=S ==> next_comm=x d=e next_pid=5 next_prio=6
	END
	import text --offset 1
	[ "$status" = 0 ]
	run_ktrace list t
	says 'sched:switch prev_tid=9 next_tid=11 prev_prio=120 next_prio=98 prev_state=DISK prev_comm="a b" next_comm="c:d \[x\]"'
	says 'sched:switch prev_tid=11 next_tid=12 .* prev_state=RUNNABLE '
	says 'sched:switch prev_tid=12 .* prev_state=IDLE '
	says 'sched:switch prev_tid=13 .* prev_state=PARKED '
	[ "$(grep -c 'sched:wakeup tid=9 prio=120 target_cpu=2 comm="a b"' <<<"$output")" = 3 ]
	says 'sched:switch prev_tid=4 .* prev_comm="a b=c" next_comm="x d=e"'
}

@test "import perf: locks of the kernel that are waited for" {
	cat >text <<-'END'
		 a  9 [003]  1.000001: lock:contention_begin: 0xffff8881 (flags=SPIN|WRITE)
		 a  9 [003]  1.000002: lock:contention_end: 0xffff8881 (ret=-4)
		 a  9 [003]  1.000003: lock:contention_begin: 0xffff8882 (flags=0x20)
		 a  9 [003]  1.000004: lock:contention_begin: (nil) (flags=MUTEX)
	END
	import text --offset 1
	run_ktrace list t
	says 'lock:contended lock=0xffff8881 flags=0x5$'
	says 'lock:acquired lock=0xffff8881 result=-4$'
	says 'lock:contended lock=0xffff8882 flags=0x20$'
	says 'lock:contention_begin text="(nil)" flags="MUTEX"$'
	"$KTRACE" export --to folded --by locks t | grep ffff8881
}

@test "import perf: text in front of the fields stays" {
	cat >text <<-'END'
		 a  9 [003]  1.000001: probe:do_sys_open: (ffffffff81 <- ffffffff82) ret=3
		 a  9 [003]  1.000002: filemap:mm_filemap_add_to_page_cache: dev 8:1 ino 1f2 pfn=0x12 ofs=0
		 a  9 [003]  1.000003: x:y: [a=1]
	END
	import text --offset 1
	run_ktrace list t
	says 'probe:do_sys_open text="(ffffffff81 <- ffffffff82)" ret=3$'
	says 'add_to_page_cache text="dev 8:1 ino 1f2" pfn=0x12 ofs=0$'
	says 'x:y a=1$'
}

@test "import perf: -F misc does not hide the thread and its CPU" {
	cat >text <<-'END'
		 a b K 7/8 [001] K     1.000001: cycles:
		     x  9 Sp    1.000002: PERF_RECORD_SWITCH OUT preempt
		     K  9 [002]       1.000003: cycles:
		   x K  1.000004: cycles:
	END
	import text --offset 1
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq -c '[.cpu, .tid, .comm, .fields.comm]' | diff - <(printf '%s\n' \
		'[1,8,"a b K",null]' '[null,9,"x",null]' '[2,9,"K",null]' '[null,16777215,"unknown","x K"]')
}

# lines LINE...: the text of perf, one line each
lines()
{
	printf '%b\n' "$@"
}

@test "import perf: names of threads that look like the rest of the line; samples without a CPU" {
	lines '            prog   100/100   [-01]     5.000000001:       1 cycles: ' \
		'  9 12.500000: x   10/10    [000]     5.000001:          1 cycles: ' \
		'         [003] 7   11/12    [001]     5.000002: sched:sched_wakeup: comm=a b:c pid=11 prio=120 target_cpu=002' \
		'             a\nb   13/13    [001]     5.000003:          1 cpu_core/cycles/u: ' \
		"   x 14 [002] 6.000000: 10 cpu/event=0x3c,name='two words'/: " >text
	import text --offset 1
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	"$KTRACE" list --json t >t.json
	[ "$(jq -r '[.cpu, .pid, .tid, .comm] | tojson' t.json)" = \
		'[null,100,100,"prog"]
[0,10,10,"9 12.500000: x"]
[1,11,12,"[003] 7"]
[1,13,13,"a\nb"]
[2,null,14,"x"]' ]
	[ "$(jq -r '.fields.name // .event' t.json | tail -n 3)" = \
		$'sched:wakeup\ncpu_core/cycles/u\ncpu/event=0x3c,name=\'two words\'/' ]
}

@test "import perf: any set of fields" {
	lines 'x 7 [001] 6.0000001: cycles: ' '   15 [002] 6.000001: 10 cycles:' \
		'foo 6.000002: cycles:' '   zz 20 [001] 6.000003:  ffffffff810a0000 idle+0x1 ([kernel.kallsyms])' \
		'   zz 20 [001] 2021-01-01 12:00:00.123456 6.000004: cycles:' \
		'   zz 20 [001] 6.000005: page-faults:  7ffd11223344' '\t    7f3bed0cb63e0 touch (/bin/a)' >text
	import text --offset 1
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	"$KTRACE" list --json t | jq -c '[.cpu, .tid, .comm, .event, .fields.comm]' | diff - <(printf '%s\n' \
		'[1,7,"x","perf:cycles",null]' '[2,15,null,"perf:cycles",null]' \
		'[null,16777215,"unknown","perf:cycles","foo"]' '[1,20,"zz","perf:sample",null]' \
		'[1,20,"zz","perf:cycles",null]' '[1,20,"zz","perf:page-faults",null]')
	# The address in the line is not that of the code, which follows.
	run_ktrace list --stacks t
	says 'perf:page-faults columns="7ffd11223344"'
	says 'u touch in a$'
	says 'k idle+0x1$'
}

@test "import perf: events without a time are in their order, and that is said" {
	lines 'perf 10 \t 1 cycles: ' '\t7f00 a (/b)' '' 'perf 10 [001]  20 cycles:u: ' '\t7f00 a (/b)' >text
	import text --offset 1
	[ "$status" = 0 ]
	says 'text: 2 events have no time'
	[ "$("$KTRACE" stacks t)" = 'perf;a 2' ]
}

@test "import perf: call chains with blanks, inlined functions and source lines" {
	lines 'foo 16/16 6.000003:  400 branches:u: ' \
		'\t    7f3bed0cb63e0 inner(int, char const*) (inlined)' \
		'\t    7f3bed0cb63e0 ns::outer(void (*)(int)) const+0x20 (/usr/lib/lib x.so (deleted))' \
		'  outer.cc:41' '\tffffffff810a0000 idle ([kernel.kallsyms])' \
		'\tffffffff810a0001 [unknown] ([kernel.kallsyms])' '\t    7f3bed0cb63e0 [unknown] ([unknown])' \
		' 0x7f1/0x7f2/P/-/-/0  0x7f3/0x7f4/M/-/-/1 ' '' \
		'bar\t1706 [002] 8.000001:\t\t25000 cpu-cycles:' '        55aabb00\twork (/data/app/lib.so)' >text
	import text --offset 1
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	"$KTRACE" list --stacks t | sed 's/^ .* {/{/; s/=0x[0-9a-f]*\([ }]\)/\1/g; s/^\t//' >list.txt
	diff list.txt - <<-'END'
		{kstack ustack}
			k idle
			k 0xffffffff810a0001
			u inner(int, char const*) (inlined)
			u ns::outer(void (*)(int)) const+0x20 at outer.cc:41
			u 0x7f3bed0cb63e0
		{ustack}
			u work in lib.so
	END
	"$KTRACE" list t | grep -q 'extra=" 0x7f1/0x7f2/P/-/-/0  0x7f3/0x7f4/M/-/-/1 "'
	valid_trace t
}

@test "import perf: perf's own records are events or losses" {
	lines '    swapper     0/0     [001]     7.000000: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 1/2' \
		'    swapper     0/0     [001]     7.000001: PERF_RECORD_COMM exec: ls:10/10' \
		'    swapper     0/0     [001]     7.000002: PERF_RECORD_FORK(10:10):(9:9)' \
		'    swapper     0/0     [001]     7.000003: PERF_RECORD_LOST_SAMPLES lost 3' \
		'    swapper     0/0     [001]     7.000004: PERF_RECORD_THROTTLE' \
		' instruction trace error type 1 time 7.000005 cpu 1 pid 1 tid 1 ip 0x1 code 5: Failed to get instruction' \
		'    swapper     0/0     [001]     7.000006: PERF_RECORD_MMAP2 10/10: [0x55(0x1000) @ 0 fd:00 1 0]: r-xp /bin/ls' >text
	import text --offset 1
	[ "$status" = 0 ]
	[[ $output == *" 4 events, 5 lost, "* ]]
	"$KTRACE" list t | sed 's/.* \(perf\|ktrace\):/\1:/' >list.txt
	diff list.txt - <<-'END'
		perf:record_switch_cpu_wide text="OUT preempt  next pid/tid: 1/2"
		perf:record_comm text="exec: ls:10/10"
		perf:record_fork text="(10:10):(9:9)"
		ktrace:lost reason=full count=3
		ktrace:lost reason=stopped count=1
		ktrace:lost reason=corrupt count=1
		perf:record_mmap2 text="10/10: [0x55(0x1000) @ 0 fd:00 1 0]: r-xp /bin/ls"
	END
}

@test "import perf: records of before the recording are at its beginning, not at time 0" {
	lines '   swapper     0/0     0.000000: PERF_RECORD_MMAP -1/0: [0xff(0x1) @ 0]: x [kernel]' \
		'      bash  5/5     0.000000: PERF_RECORD_COMM: bash:5/5' \
		'      bash  5/5  5800.000001: cycles:' '      bash  5/5  5800.000002: cycles:' >text
	import text --offset 1
	[ "$status" = 0 ]
	says '2 records of perf have the time 0, as they are of before'
	[ "$("$KTRACE" list --json t | jq -r '[.time, .event] | join(" ")' | paste -sd,)" = \
		'5801.000001000 perf:record_mmap,5801.000001000 perf:record_comm,5801.000001000 perf:cycles,5801.000002000 perf:cycles' ]
	# Nothing else
	head -n 2 text >only
	import only --offset 1
	[[ $output == *" 2 events, "* ]]
}

@test "import perf: text of simpleperf report-sample" {
	cat >text <<-'END'
		sample:
		  event_type: cpu-cycles
		  time: 21487182666131
		  event_count: 25000
		  thread_id: 1706
		  thread_name: work
		  vaddr_in_file: 3f8
		  file: /system/lib64/libc.so
		  symbol: memcpy
		  callchain:
		    vaddr_in_file: 4f8
		    file: /system/bin/app
		    symbol: main
		sample:
		  event_type: cpu-cycles
		  time: 21487182666132
		  event_count: 25000
		  thread_id: 1706
		  thread_name: work
		  vaddr_in_file: ffffffc000000000
		  file: [kernel.kallsyms]
		  symbol: unknown
		lost_situation:
		  sample_count: 2
		  lost_count: 5
	END
	import text --offset 1
	[ "$status" = 0 ]
	[[ $output == *" 2 events, 5 lost, "* ]]
	[ "$("$KTRACE" list --json t | jq -r 'select(.fields.period) | .time, .comm' | paste -s)" = \
		$'21488.182666131\twork\t21488.182666132\twork' ]
	"$KTRACE" stacks t | diff - <(printf '%s\n' 'work;[[kernel.kallsyms]]_[k] 1' 'work;main;memcpy 1')
}

@test "import perf: a text without its machine says whose system calls it has taken" {
	lines 'x 9 [003] 1.000006: raw_syscalls:sys_exit: NR 0 = -11' >text
	import text --offset 1
	[ "$status" = 0 ]
	says 'does not say its machine'
	lines '# arch : aarch64' 'x 9 [003] 1.000006: raw_syscalls:sys_exit: NR 64 = -11' >text
	import text --offset 1
	[ -z "$stderr" ]
	"$KTRACE" info t | grep -q aarch64
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
	"$KTRACE" list t >list.txt
	[ "$(wc -l <list.txt)" = 66001 ]
	grep -q ' probe:free key1=1 b=2$' list.txt
	[[ $(sed -n 66000p list.txt | sed 's/.* foreign:text/foreign:text/') == \
		'foreign:text event="probe:free" text="key66000=1 b=2" callchain="inner+0x2" {ustack='* ]]
	tail -n 1 list.txt | grep -q 'irq:exit irq=4 handled=1$'
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
	perf record -k CLOCK_MONOTONIC -e cpu-clock -o perf.data -- sh -c "$BUSY" \
		>/dev/null 2>&1 || skip "perf cannot record here"
	n=$(perf script -i perf.data -F comm,tid,time,event 2>/dev/null | wc -l)
	import perf.data
	[ "$status" = 0 ]
	[[ $output == "t: $n events, "* ]]
	[ "$n" -gt 0 ]
	# With the CPU, too
	perf record --sample-cpu -k CLOCK_MONOTONIC -e cpu-clock -o perf.data -- sh -c "$BUSY" \
		>/dev/null 2>&1
	import perf.data
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq -es 'length > 0 and all(.cpu >= 0)'
	head -c 100 perf.data >short
	import short
	[ "$status" = 1 ]
	says 'perf script cannot read it'
	# In perf's own words
	says "short: perf script: $(perf script -i short 2>&1 >/dev/null | head -n 1)"
	PATH=$PWD run_ktrace import -f perf -o t perf.data
	[ "$status" = 1 ]
	says 'not installed: package linux-perf'
}

@test "import perf: stacks of perf.data are counted like those of its text, by Python" {
	command -v perf >/dev/null || skip "needs linux-perf"
	perf record -g -k CLOCK_MONOTONIC -e cpu-clock -o perf.data -- sh -c "$BUSY" \
		>/dev/null 2>&1 || skip "perf cannot record here"
	import perf.data
	[ "$status" = 0 ]
	valid_trace t
	perf script -F comm,tid,time,event,ip,sym,dso -i perf.data >text 2>/dev/null
	"$COMPARE" folded text <("$KTRACE" export --to folded --by events -o - t)
	"$KTRACE" stacks t >stacks.txt
	"$COMPARE" folded text stacks.txt
	import text --like t
	"$COMPARE" folded text <("$KTRACE" stacks t)
	sed '1s/ [0-9]*$/ 999999/' stacks.txt >wrong
	run "$COMPARE" folded text wrong
	[ "$status" = 1 ]
	# Cutting and merging keep them.
	import perf.data
	"$KTRACE" cut -o part --until 100 t
	"$COMPARE" folded text <("$KTRACE" stacks part)
}

# big_endian FILE: a perf.data of a big-endian machine: three samples of cycles, one throttling
big_endian()
{
	python3 - "$1" <<-'END'
		import struct, sys
		IP, TID, TIME, CPU = 1, 2, 4, 128
		attr = struct.pack('>IIQQQQQ', 0, 96, 0, 1000, IP | TID | TIME | CPU, 0, 1 << 63 >> 18) + bytes(48)
		def record(kind, misc, body):
		    return struct.pack('>IHH', kind, misc, 8 + len(body)) + body
		ids = lambda ns, cpu: struct.pack('>IIQII', 77, 78, ns, cpu, 0)
		data = record(3, 0, struct.pack('>II8s', 77, 78, b'big') + ids(1000, 0))
		for i in range(3):
		    data += record(9, 2, struct.pack('>Q', 0x10000000 + i) + ids(5000000000 + 1000 * i, i))
		data += record(5, 0, struct.pack('>QQQ', 5000002500, 1, 1) + ids(5000002500, 2))
		at = 104 + len(attr) + 16
		head = b'2ELIFREP' + struct.pack('>QQQQQQQQ', 104, len(attr) + 16, 104, len(attr) + 16, at, len(data), 0, 0)
		open(sys.argv[1], 'wb').write(head + bytes(104 - len(head)) + attr + bytes(16) + data)
	END
}

@test "import perf: a perf.data of a big-endian machine, with throttling at its place" {
	command -v perf >/dev/null || skip "needs linux-perf"
	big_endian perf.data
	[ "$(perf script -F tid,time -i perf.data 2>/dev/null | wc -l)" = 3 ]
	import perf.data --offset 1
	[ "$status" = 0 ]
	[[ $output == *" 3 events, 1 lost, "* ]]
	"$KTRACE" list --json t | jq -c '[.raw, .cpu, .pid, .tid, .comm, .event]' | diff - <(printf '%s\n' \
		'[5000000000,0,77,78,"big","perf:cycles_HG"]' '[5000001000,1,77,78,"big","perf:cycles_HG"]' \
		'[5000002000,2,77,78,"big","perf:cycles_HG"]' '[5000002500,2,null,null,null,"ktrace:lost"]')
}

@test "import perf: addresses of data, weights and what only some events have" {
	command -v perf >/dev/null || skip "needs linux-perf"
	perf record -d -e page-faults -c 1 -k CLOCK_MONOTONIC -o perf.data -- true >/dev/null 2>&1 ||
		skip "perf cannot record here"
	import perf.data
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq -r 'select(.fields.addr) | .fields.addr' >ours
	perf script -F addr -i perf.data 2>/dev/null | sed 's/ //g' >theirs
	[ -s theirs ]
	diff <(python3 -c 'import sys
for l in sys.stdin: print(int(l, 0))' <ours) <(python3 -c 'import sys
for l in sys.stdin: print(int(l, 16))' <theirs)
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

@test "import perf: a line that is longer than the memory is an error" {
	# shellcheck disable=SC2016
	capture bash -c 'ulimit -v 600000; exec "$0" import --from perf -o t /dev/zero' "$KTRACE"
	[ "$status" -eq 1 ]
	says '/dev/zero: .*Cannot allocate memory'
}

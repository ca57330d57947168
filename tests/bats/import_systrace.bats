#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from systrace: text of the kernel's trace, of trace-cmd report, of atrace and
# systrace

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import --from systrace "$@" -o t
}

@test "import systrace: events of the kernel are ours, in all forms of lines" {
	cat >a <<'END'
# tracer: nop
#
# entries-in-buffer/entries-written: 12/20   #P:4
#
#                                _-----=> irqs-off
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
          <idle>-0       [001] d..2.   100.000001: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a b=c-1 next_pid=12 next_prio=120
        a b=c-1-12      [001] d.h1.   100.000002: irq_handler_entry: irq=7 name=eth 0
        a b=c-1-12      [001] d.h1.   100.000003: irq_handler_exit: irq=7 ret=handled
        a b=c-1-12   (   12) [001] ..s1   100.000004: softirq_entry: vec=1 [action=TIMER]
           <...>-13   (-----) [002] ....   100.000005: sched_wakeup: comm=x pid=14 prio=120 target_cpu=003
            bash-13     [002] .....   100.000006: block_rq_issue: 8,0 WS 4096 () 2048 + 8 [bash]
            bash-13     [002] .....   100.000007: sys_enter: NR 63 (3, 7ffc0000, 10, 0, 0, 0)
            bash-13     [002] .....   100.000008: sys_exit: NR 63 = -14
            bash-13     [002] .....   100.000009: sys_read(fd: 3, buf: 7ffc, count: 340)
            bash-13     [002] .....   100.000010: sys_read -> 0x340
        a b=c-1-12      [001] d..2.   100.000011: sched_switch: prev_comm=a b=c-1 prev_pid=12 prev_prio=120 prev_state=D|K ==> next_comm=swapper/1 next_pid=0 next_prio=120
            bash-13     [002] .....   100.000012: my_event: a=1 b=two words c=0xff
END
	import a --offset @0
	[ "$status" = 0 ]
	says '^t: 12 events, 8 lost'
	says 'system calls are taken as those of x86_64'
	lists '\[001\] .*sched:switch prev_tid=0 next_tid=12 prev_prio=120 next_prio=120 prev_state=RUN.* next_comm="a b=c-1"'
	lists '\[001\] .*sched:switch prev_tid=12 next_tid=0 .*prev_state=DISK prev_comm="a b=c-1"'
	lists '/12 a b=c-1 .*irq:enter irq=7 name="eth 0" (irq)$'
	lists 'irq:exit irq=7 handled=1 (irq)$'
	lists '12/12 a b=c-1 .*softirq:enter vec=TIMER'
	lists '/13 .*sched:wakeup tid=14 '
	lists 'block:issue .*bytes=4096 '
	lists 'syscall:enter nr=uname args={0x3, 0x7ffc0000, 0x10, 0x0, 0x0, 0x0}'
	lists 'syscall:exit nr=uname ret=-14'
	lists 'syscall:enter nr=read .*args={0x3, 0x7ffc, 0x340, 0x0, 0x0, 0x0}'
	lists 'syscall:exit nr=read .*ret=832'
	lists 'my:my_event a=1 b="two words" c=0xff'
	valid_trace t
	run_ktrace sched t
	[ "$status" = 0 ]
}

@test "import systrace: events are those of a file of trace-cmd" {
	xzcat "$SAMPLES/ftrace.report.xz" >report
	import report --offset @0
	[ "$status" = 0 ]
	"$KTRACE" list --json t >t.json
	python3 - <<'END'
import json, re
lines = [re.match(r'\s*.*-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d+): (\w+): ', l) for l in open('report')]
report = sorted((int(m[3]) * 10**9 + int(m[4].ljust(9, '0')), int(m[2]), int(m[1])) for m in lines if m)
events = sorted((e['raw'], e['cpu'], e['tid']) for e in map(json.loads, open('t.json')))
assert len(report) == 1705 and report == events, [x for x in zip(report, events) if x[0] != x[1]][:3]
END
	# The same file by trace-cmd's library
	xzcat "$SAMPLES/ftrace.dat.xz" >trace.dat
	"$KTRACE" import --from trace-dat --offset @0 -o d trace.dat
	for name in sched:switch sched:wakeup irq:enter softirq:enter syscall:enter syscall:exit; do
		for f in t d; do
			"$KTRACE" list --json -e "$name" $f |
				jq -c '[.cpu,.tid,.event,(.fields|del(.success)|with_entries(select(.key|test("^(prev_|next_)?(tid|state|comm)$|^nr$|^ret$|^vec$|^irq$"))))]' >"$f.$name"
		done
		[ "$(wc -l <"t.$name")" = "$(wc -l <"d.$name")" ]
		cmp "t.$name" "d.$name"
	done
}

@test "import systrace: idle and parked threads, and locks, of trace-cmd report" {
	cat >a <<'END'
cpus=4
     kworker/3:1-12    [003] d..2.     1.000001: sched_switch:         kworker/3:1:12 [120] I ==> cpuhp/3:13 [120]
         cpuhp/3-13    [003] d..2.     1.000002: sched_switch:         cpuhp/3:13 [120] P ==> swapper/3:0 [120]
            bash-9     [003] d..2.     1.000003: contention_begin:     0xffff8881 (flags=RT|MUTEX)
            bash-9     [003] d..2.     1.000004: contention_end:       0xffff8881 (ret=0)
END
	import a --offset @0
	[ "$status" = 0 ]
	lists 'sched:switch prev_tid=12 .* prev_state=IDLE '
	lists 'sched:switch prev_tid=13 .* prev_state=PARKED '
	lists 'lock:contended lock=0xffff8881 flags=0x28$'
	lists 'lock:acquired lock=0xffff8881 result=0$'
}

@test "import systrace: trace-cmd's latency format is not taken for text of perf" {
	{
		echo cpus=16
		for ((i = 0; i < 20; i++)); do
			printf '    a b-%d    %dd..2.   100.%06d: %ssched_wakeup:  comm=x pid=9 prio=120 target_cpu=001\n' \
				$((10 + i)) "$i" $((i + 1)) "${i:+(+1)  }"
		done
	} >a
	run_ktrace import --offset @0 -o t a
	[ "$status" = 0 ]
	says '^t: 20 events'
	[ "$("$KTRACE" list --json t | jq -c '[.cpu,.tid,.comm,.event]' | sort -u | wc -l)" = 20 ]
	lists '\[019\] -/29 a b .*sched:wakeup tid=9'
	# A thread of perf with such a name
	printf 'a-5 6 [001] 100.000001: cycles:\na-5 6 100.000002: cycles:\n' >a
	run_ktrace import --offset @0 -o t a
	says '^t: 2 events'
	lists '-/6 a-5 .*perf:cycles'
}

@test "import systrace: names of instances and files that trace-cmd report puts in front" {
	cat >a <<'END'
        cpus=2
  inst: cpus=2
                  bash-873   [000]   100.000001: my_event: a=1
  inst:           ba sh-874   [001]   100.000002: my_event: a=2
                  bash-873   [000]   100.000000: my_event: a=3
END
	import a --offset @0
	[ "$status" = 0 ]
	says '1 events have an earlier time than the line before, the first is line 5: all are put in order'
	"$KTRACE" list --json t | jq -c '[.tid,.comm,.fields.a,.fields.buffer]' | diff - \
		<(printf '%s\n' '[873,"bash",3,null]' '[873,"bash",1,null]' '[874,"ba sh",2,"inst"]')
	# Two machines would become one.
	sed 's/^        c/a.dat: c/; s/^  inst:/longer.dat:/; s/^        /a.dat: /' a >b
	rm t
	import b --offset @0
	[ "$status" = 1 ]
	says 'has lines of several files, such as a.dat and longer.dat'
	[ ! -e t ]
}

@test "import systrace: marks of Android's programs" {
	cat >a <<'END'
# tracer: nop
 ui-10    (   10) [000] ...1 5.000001: tracing_mark_write: trace_event_clock_sync: realtime_ts=1700000000123
 ui-10    (   10) [000] ...1 5.000002: tracing_mark_write: B|10|draw frame|x
 ui-10    (   10) [000] ...1 5.000003: tracing_mark_write: B|10|inner
 ui-10    (   10) [000] ...1 5.000004: tracing_mark_write: E|10
 ui-10    (   10) [000] ...1 5.000005: tracing_mark_write: E
 ui-10    (   10) [000] ...1 5.000006: tracing_mark_write: C|10|queue|-3
 ui-11    (   10) [001] ...1 5.000007: tracing_mark_write: S|10|load|77
 io-12    (   10) [001] ...1 5.000008: tracing_mark_write: F|10|load|77
 ui-10    (   10) [000] ...1 5.000009: tracing_mark_write: I|10|vsync
 ui-10    (   10) [000] ...1 5.000010: tracing_mark_write: G|10|lane|anim|5
 ui-10    (   10) [000] ...1 5.000011: tracing_mark_write: H|10|lane|5
 ui-10    (   10) [000] ...1 5.000012: tracing_mark_write: N|10|lane|blip
 ui-10    (   10) [000] ...1 5.000013: print: tracing_mark_write: B|10|by print
 ui-10    (   10) [000] ...1 5.000014: 0: E
 ui-10    (   10) [000] ...1 5.000015: tracing_mark_write: hello | world
END
	import a
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	says '^t: 15 events'
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r .time)" = 1700000000.123000000 ]
	lists '10/10 ui .*atrace:draw_frame|x_begin name="draw frame|x"'
	lists 'atrace:draw_frame|x_end'
	lists 'counter:queue value=-3'
	[ "$("$KTRACE" list --json t | jq -c 'select(.event|test("atrace:load"))|[.tid,.fields.id]' | sort -u | wc -l)" = 1 ]
	lists 'atrace:load_end id=0x4d'
	lists 'atrace:vsync$'
	lists 'atrace:anim_begin id=0x5 track="lane"'
	lists 'atrace:anim_end id=0x5 track="lane"'
	lists 'atrace:blip track="lane"'
	lists 'atrace:by_print_begin'
	lists 'tracing:tracing_mark_write text="hello | world"'
	printf ' ui-11 (10) [000] ...1 5.000001: tracing_mark_write: %s\n' 'C|10|n|x' 'C|10|n|7|group' 'B|q|n' >a
	import a --offset @0
	[ "$status" = 1 ]
	says '2 marks of programs are malformed, and are kept as text'
	lists '10/10 .*counter:n value=7'
	lists 'text="C|10|n|x"'
}

@test "import systrace: losses, stacks, function tracers, the latency format, ns" {
	cat >a <<'END'
# tracer: function
     bash-9     [001] d..1.     1.123456789: mutex_unlock <-rb_simple_write
CPU:2 [LOST 5 EVENTS]
     bash-9     [002] d..1.     1.123456790: kmem_x: a=1
CPU:3 [7 EVENTS DROPPED]
     bash-9     [002] d..1.     1.123456791: <stack trace>
 => schedule
 => do_nanosleep
 0)   1.234 us    |  kfree();
 1)   x-y-9       |   0.500 us    |  vfree();
 #name-10       [001] d..1.     1.150000000: irq_handler_entry: irq=4 name=z
    bash-9       1d.h1   17us+: irq_handler_entry: irq=3 name=x
    x=y pid-8    0..s..   1.200000000: (+508)  sched_wakeup: comm=x=y pid=9 prio=120 target_cpu=001
not a line
END
	import a --offset @0
	[ "$status" = 1 ]
	says '^t: 8 events, 12 lost'
	says '1 lines are not events and are left out; the first is line 14'
	says '2 lines of function_graph have no time'
	lists 'ftrace:function function="mutex_unlock" caller="rb_simple_write"'
	lists 'ftrace:kernel_stack callchain="schedule;do_nanosleep"'
	lists '\[000\] .*ftrace:function_graph text="1.234 us    |  kfree();"'
	lists '\[001\] .*/9 x-y .*ftrace:function_graph text="0.500 us    |  vfree();"'
	lists '\[001\] .*/10 #name .*irq:enter irq=4 name="z"'
	lists '\[001\] .*irq:enter irq=3 name="x" (irq)'
	lists '\[000\] .*/8 x=y pid .*sched:wakeup tid=9 .*comm="x=y".* (irq)'
	[ "$("$KTRACE" list --json -e ktrace:lost t | jq -c '[.cpu,.fields.count]' | paste -sd' ')" = '[2,5] [3,7]' ]
	[ "$("$KTRACE" list --json -e ftrace:function t | jq -r .time)" = 1.123456789 ]
	printf '     bash-9     [001] ..... 12345: x: a=1\n' >a
	import a --offset @0
	says '1 times have no fraction: they are taken as ns'
}

@test "import systrace: pages of systrace, compressed atrace" {
	local line=' ui-10 ( 10) [000] ...1 5.000002: tracing_mark_write: B|10|draw "x"'

	{
		echo '<!DOCTYPE html><html><head></head><body>'
		printf '<script class="trace-data" type="application/text">\nUSER PID TID CMD\nroot 10 10 /bin/x y\nroot 10 11 z\n</script>\n<script class="trace-data">\nPID X\n1 1\n</script>\n'
		printf '<script class="trace-data" type="application/text">\n# tracer: nop\n%s\n</script>\n' "$line"
		printf '<script class="trace-data" type="application/text">\n{"traceEvents":[]}\n</script>\n'
	} >a.html
	import a.html --offset @0
	[ "$status" = 1 ]
	says '^t: 1 events'
	says '1 traces in the page are JSON'
	says '1 lists of processes in the page are left out'
	lists '10/10 ui .*atrace:draw__x__begin name="draw \\"x\\""'
	{
		echo '<!DOCTYPE HTML><html><script>'
		printf '  var linuxPerfData = "\\\n# tracer: nop\\n\\\n%s\\n\\\n";\n</script>' "${line//\"/\\\"}"
	} >b.html
	import b.html --offset @0
	[ "$status" = 0 ]
	lists 'atrace:draw__x__begin name="draw \\"x\\""'
	head -c 330 a.html >c.html
	import c.html --offset @0
	[ "$status" = 1 ]
	says 'truncated: the page ends within a trace'
	echo '<html></html>' >d.html
	import d.html --offset @0
	[ "$status" = 1 ]
	says 'no trace of the kernel in this page'
	python3 - "$line" <<'END'
import sys, zlib
open('e', 'wb').write(b'capturing trace... done\nTRACE:\n' + zlib.compress(f'# tracer: nop\n{sys.argv[1]}\n'.encode()))
END
	run_ktrace import --offset @0 -o t e
	[ "$status" = 0 ]
	lists 'atrace:draw__x__begin'
}

@test "import systrace: truncated and mutated files neither crash nor hang" {
	xzcat "$SAMPLES/ftrace.report.xz" | head -n 150 >report
	printf ' ui-10 ( 10) [000] ...1 5.000002: tracing_mark_write: %s\n' 'B|1|a' 'S|1|b|2' 'C|1|c|3' 'E|1' >>report
	python3 - <<'END'
import random
random.seed(9)
whole = open('report', 'rb').read()
for i in range(60):
    data = bytearray(whole)
    for _ in range(random.randrange(1, 60)):
        at = random.randrange(len(data))
        data[at:at + random.randrange(3)] = random.choice([b'[', b']', b'-', b'|', b':', b'\n', b'\0', b'(', b'=', b'99999999999999999999', bytes([random.randrange(256)])])
    open(f'bad{i}', 'wb').write(data[:random.randrange(len(data))] if i % 3 == 0 else data)
END
	for file in bad*; do
		capture timeout 20 "$KTRACE" import --from systrace --offset @0 -o t "$file"
		((status <= 1))
		! says 'crashed'
	done
}

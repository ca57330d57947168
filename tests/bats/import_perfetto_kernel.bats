#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto: what the kernel's own tracer has recorded, in bundles by CPU,
# becomes events of the kernel, so that all that knows those works

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# bundle CPU EVENTS [MEMBERS]: a packet with events, which are JSON objects with commas between
bundle()
{
	printf '{"trusted_packet_sequence_id":5,"ftrace_events":{"cpu":%s,"event":[%s]%s}}\n' \
		"$1" "$2" "${3:+,$3}"
}

# at NS TID MEMBERS: an event
at()
{
	printf '{"timestamp":%s,"pid":%s,%s}' "$@"
}

# kernel [OPTION...]: events of the kernel, a line each: stamp, CPU, thread, event, fields
kernel()
{
	"$KTRACE" list --json "$@" t |
		jq -r 'select(.cpu != null) | [.raw, .cpu, .tid, .event, (.fields | tojson)] | join(" ")'
}

@test "import perfetto: events of the kernel's tracer are the kernel's events" {
	{
		clocks '6 1000 3 500 1 2000'
		bundle 1 "$(at 2000 7 '"sys_enter":{"id":1,"args":[2,3]}'),$(
			at 2010 7 '"irq_handler_entry":{"irq":9,"name":"disk"}'),$(
			at 2020 7 '"irq_handler_exit":{"irq":9,"ret":1}'),$(
			at 2030 7 '"softirq_entry":{"vec":4}'),$(
			at 2040 7 '"softirq_exit":{"vec":4}'),$(
			at 2050 7 '"sys_exit":{"id":1,"ret":-11}'),$(
			at 2060 7 '"sched_wakeup":{"comm":"b","pid":8,"prio":120,"success":1,"target_cpu":1}'),$(
			at 2070 7 '"sched_switch":{"prev_comm":"a","prev_pid":7,"prev_prio":120,"prev_state":2,"next_comm":"b","next_pid":8,"next_prio":120}'),$(
			at 2080 8 '"task_newtask":{"pid":9,"comm":"b","clone_flags":65536}'),$(
			at 2090 8 '"task_rename":{"pid":8,"oldcomm":"b","newcomm":"bb"}'),$(
			at 2100 8 '"cpu_frequency":{"state":1800000,"cpu_id":1}'),$(
			at 2110 8 '"block_rq_issue":{"dev":2049,"sector":64,"bytes":4096,"rwbs":"WS"}'),$(
			at 2120 8 '"print":{"ip":1,"buf":"some text\n"}'),$(
			at 2130 8 '"generic":{"event_name":"my_event","field":[{"name":"n","int_value":-3},{"name":"s","str_value":"x"}]}'),$(
			at 2140 8 '"workqueue_execute_end":{"work":5}'),$(
			at 2150 8 '"sched_process_exit":{"comm":"bb","pid":8,"tgid":8,"prio":120}')"
		jq -nc '{process_tree: {processes: [{pid: 7, cmdline: ["/bin/a", "-x"]}],
			threads: [{tid: 8, tgid: 7, name: "b"}]}},
			{system_info: {utsname: {machine: "x86_64"}}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	kernel >got
	diff - got <<-'END'
		1500 1 7 syscall:enter {"nr":"write","args":["0x2","0x3","0x0","0x0","0x0","0x0"]}
		1510 1 7 irq:enter {"irq":9,"name":"disk"}
		1520 1 7 irq:exit {"irq":9,"handled":1}
		1530 1 7 softirq:enter {"vec":"BLOCK"}
		1540 1 7 softirq:exit {"vec":"BLOCK"}
		1550 1 7 syscall:exit {"nr":"write","ret":-11}
		1560 1 7 sched:wakeup {"tid":8,"prio":120,"target_cpu":1,"comm":"b","success":1}
		1570 1 7 sched:switch {"prev_tid":7,"next_tid":8,"prev_prio":120,"next_prio":120,"prev_state":"DISK","prev_comm":"a","next_comm":"b"}
		1580 1 8 sched:fork {"parent_tid":8,"parent_pid":7,"child_tid":9,"child_pid":7,"comm":"b"}
		1590 1 8 sched:comm {"tid":8,"pid":7,"comm":"bb","oldcomm":"b","oom_score_adj":0}
		1600 1 8 power:frequency {"cpu":1,"khz":1800000}
		1610 1 8 block:issue {"dev":8388609,"tag":64,"sector":64,"bytes":4096,"op":"WRITE","nr_sector":0,"comm":"","cmd":""}
		1620 1 8 ftrace:print {"ip":1,"buf":"some text\n"}
		1630 1 8 my:my_event {"n":-3,"s":"x"}
		1640 1 8 workqueue:workqueue_execute_end {"work":5,"function":0,"function_name":""}
		1650 1 8 sched:exit {"tid":8,"pid":7,"prio":120,"comm":"bb","tgid":8}
	END
	# Threads are told by the process tree.
	"$KTRACE" list -e syscall:enter t | grep -q ' 7/7 a '
	"$KTRACE" list -e ftrace:print t | grep -q ' 7/8 bb '
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: switches and wakings in columns" {
	{
		clocks '6 1000 3 1000 1 1000'
		bundle 0 '' '"compact_sched":{"intern_table":["a","b","swapper"],
			"switch_timestamp":[2000,100,100],"switch_prev_state":[1,0,256],
			"switch_next_pid":[7,8,0],"switch_next_prio":[110,120,120],
			"switch_next_comm_index":[0,1,2],
			"waking_timestamp":[2050,100],"waking_pid":[8,7],"waking_target_cpu":[0,1],
			"waking_prio":[120,110],"waking_comm_index":[1,0],"waking_common_flags":[0,16]}' | tr -d '\n\t'
		echo
		# A column is short, and an index beyond the table
		bundle 0 '' '"lost_events":true,"compact_sched":{"intern_table":[],"switch_timestamp":[3000,1,1],"switch_prev_state":[1,1],"switch_next_pid":[7],"switch_next_prio":[110,1],"switch_next_comm_index":[9,9]}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says ', 1 lost'
	kernel >got
	diff - got <<-'END'
		2000 0 16777215 sched:switch {"prev_tid":16777215,"next_tid":7,"prev_prio":0,"next_prio":110,"prev_state":"SLEEP","prev_comm":"unknown","next_comm":"a"}
		2050 0 7 sched:wakeup {"tid":8,"prio":120,"target_cpu":0,"comm":"b","success":0}
		2100 0 7 sched:switch {"prev_tid":7,"next_tid":8,"prev_prio":110,"next_prio":120,"prev_state":"RUNNABLE","prev_comm":"a","next_comm":"b"}
		2150 0 8 sched:wakeup {"tid":7,"prio":110,"target_cpu":1,"comm":"a","success":0}
		2200 0 8 sched:switch {"prev_tid":8,"next_tid":0,"prev_prio":120,"next_prio":120,"prev_state":"RUNNABLE","prev_comm":"b","next_comm":"swapper"}
		3000 0  ktrace:lost {"reason":"full","count":1}
		3000 0 16777215 sched:switch {"prev_tid":16777215,"next_tid":7,"prev_prio":0,"next_prio":110,"prev_state":"SLEEP","prev_comm":"unknown","next_comm":""}
	END
}

@test "import perfetto: wakings count as wakeups only where there are none" {
	local waking wakeup
	waking=$(at 2000 7 '"sched_waking":{"comm":"b","pid":8,"prio":120,"target_cpu":1}')
	wakeup=$(at 2010 7 '"sched_wakeup":{"comm":"b","pid":8,"prio":120,"target_cpu":1}')
	bundle 0 "$waking" | make_trace trace
	import trace --offset @0
	[ "$(kernel | cut -d' ' -f4)" = sched:wakeup ]
	bundle 0 "$waking,$wakeup" | make_trace trace
	import trace --offset @0
	[ "$(kernel | cut -d' ' -f4 | tr '\n' ' ')" = 'sched:sched_waking sched:wakeup ' ]
}

@test "import perfetto: clocks of the kernel's tracer" {
	local print='"print":{"ip":1,"buf":"x"}'
	{
		clocks '6 10000 3 5000 1 7000 5 4000'
		bundle 0 "$(at 10100 1 "$print")"
		# CLOCK_MONOTONIC_RAW, and one of its own with what both showed when it was read
		bundle 0 "$(at 4200 1 "$print")" '"ftrace_clock":4'
		bundle 0 "$(at 300 1 "$print")" '"ftrace_clock":2,"ftrace_timestamp":1000,"boot_timestamp":11000'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ "$(kernel | cut -d' ' -f1 | tr '\n' ' ')" = '5100 5200 5300 ' ]
}

@test "import perfetto: analyses of a kernel's trace are the same after export and import" {
	local command
	"$PROGS/machine" 20000 native
	"$KTRACE" export --to perfetto -o trace native
	import trace
	[ "$status" = 0 ]
	for command in sched state syscalls irq; do
		# But for the number of events; for processes and names of softirqs, which machine
		# does not tell; and for the service
		"$KTRACE" "$command" native | sed '1d; s,[-0-9]*/,,' >one
		"$KTRACE" "$command" t |
			sed '1d; / service /d; s,[-0-9]*/,,; s/^\(softirq *[0-9]*\) [A-Z_]*/\1/' >two
		[ "$(wc -l <one)" -gt 5 ]
		diff -b one two
	done
}

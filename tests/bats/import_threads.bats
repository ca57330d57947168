#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import: what kernel events tell only together: the thread that runs on a CPU, and the task
# states by the kernel's release

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# release RELEASE: the kernel's
release()
{
	printf '{"system_info":{"utsname":{"release":"%s"}}}\n' "$1"
}

# switches CPU "NS PREV STATE NEXT"...: a bundle of switches
switches()
{
	local cpu=$1
	shift
	printf '%s\n' "$@" | jq -nRc --argjson cpu "$cpu" '{trusted_packet_sequence_id: 5, ftrace_events: {
		cpu: $cpu, event: [inputs | split(" ") | {timestamp: .[0] | tonumber, pid: .[1] | tonumber,
		sched_switch: {prev_comm: (if .[1] == "0" then "swapper/0" else "t" + .[1] end),
			prev_pid: .[1] | tonumber, prev_prio: 120, prev_state: .[2] | tonumber,
			next_comm: ("t" + .[3]), next_pid: .[3] | tonumber, next_prio: 120}}]}}'
}

# states: of the switches in t, in order
states()
{
	"$KTRACE" list -e sched:switch t | sed 's/.* prev_state=\([A-Z]*\) .*/\1/' | tr '\n' ' '
}

# kernel_trace [CPU,TIME,EVENT,NUMBER...]...: a trace of LTTng's kernel tracer in the folder ctf.
# EVENT s: a switch with PREV STATE NEXT; e: an exit of TID; i: an interrupt; i*NR: so many
kernel_trace()
{
	python3 - "$@" <<-'END'
		import os, struct, sys
		os.makedirs("ctf", exist_ok=True)
		release = os.environ.get("RELEASE", "6.1.0")
		with open("ctf/metadata", "w") as f:
		    f.write('''/* CTF 1.8 */
		typealias integer { size = 32; align = 8; signed = false; } := u32;
		typealias integer { size = 32; align = 8; signed = true; } := s32;
		typealias integer { size = 64; align = 8; signed = true; } := s64;
		typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := ch;
		trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
		env { domain = "kernel"; tracer_name = "lttng-modules"; hostname = "vm"; kernel_release = "%s"; };
		clock { name = monotonic; freq = 1000000000; offset = 0; };
		typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := ts_t;
		stream { id = 0; packet.context := struct { u32 cpu_id; }; event.header := struct { ts_t timestamp; u32 id; }; };
		event { name = sched_switch; id = 0; stream_id = 0; fields := struct { ch prev_comm[16]; s32 prev_tid; s32 prev_prio; s64 prev_state; ch next_comm[16]; s32 next_tid; s32 next_prio; }; };
		event { name = sched_process_exit; id = 1; stream_id = 0; fields := struct { ch comm[16]; s32 tid; s32 prio; }; };
		event { name = irq_softirq_entry; id = 2; stream_id = 0; fields := struct { u32 vec; }; };
		''' % release)
		streams = {}
		for arg in sys.argv[1:]:
		    cpu, ts, kind, *rest = arg.split(",")
		    rest = [int(x) for x in rest]
		    kind, _, nr = kind.partition("*")
		    data = struct.pack("<QI", int(ts), "sei".index(kind))
		    if kind == "s":
		        name = lambda tid: b"t%d" % tid if tid else b"swapper/0"
		        data += struct.pack("<16siiq16sii", name(rest[0]), rest[0], 20, rest[1], name(rest[2]), rest[2], 20)
		    elif kind == "e":
		        data += struct.pack("<16sii", b"t%d" % rest[0], rest[0], 20)
		    else:
		        data += struct.pack("<I", 4)
		    for n in range(int(nr or 1)):
		        at = struct.pack("<Q", int(ts) + n)
		        streams.setdefault(int(cpu), []).append(at + data[8:])
		for cpu, events in streams.items():
		    with open("ctf/s%d" % cpu, "wb") as f:
		        f.write(struct.pack("<III", 0xc1fc1fc1, 0, cpu) + b"".join(events))
	END
	run_ktrace import --from ctf -o t ctf
}

# threads [OPTION...]: CPU, thread and event of each line of t
threads()
{
	"$KTRACE" list --json "$@" t | jq -r '"\(.cpu) \(.tid) \(.event)"'
}

@test "import: task states before Linux 4.14 and since" {
	{ clocks '6 1000 3 500 1 2000'; release 4.4.0
	  switches 0 '2000 10 64 11' '2010 11 130 12' '2020 12 1024 13' '2030 13 2048 14' '2040 14 256 15'; } |
		make_trace x
	import x
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$(states)" = "DEAD DISK IDLE RUNNABLE RUNNABLE " ]
	# Exported, they are numbered by the release that the file tells.
	run_ktrace export --to perfetto -o y --since 0 t
	run_ktrace import --from perfetto -o u y
	[ "$("$KTRACE" list -e sched:switch u | sed 's/.* prev_state=\([A-Z]*\) .*/\1/' | tr '\n' ' ')" = \
		"DEAD DISK IDLE RUNNABLE RUNNABLE " ]
	{ clocks '6 1000 3 500 1 2000'; release 6.1.0-9-amd64
	  switches 0 '2000 10 64 11' '2010 11 128 12' '2020 12 32 13' '2030 13 256 14' '2040 14 4 15'; } |
		make_trace x
	import x
	[ -z "$stderr" ]
	[ "$(states)" = "PARKED IDLE DEAD RUNNABLE STOPPED " ]
	RELEASE=4.4.3-1 kernel_trace 0,1000,s,0,0,10 0,1100,e,10 0,1200,s,10,64,11 0,1300,s,11,130,0
	[ "$status" = 0 ]
	[ "$(states)" = "RUNNABLE DEAD DISK " ]
}

@test "import: task states of kernels that recorded them with a fault" {
	# Linux 4.18: shifted by one, so that the idle thread seems to sleep; the first switch waits for it.
	{ clocks '6 1000 3 500 1 2000'; release 4.18.0
	  switches 0 '2000 10 4 11' '2010 11 2 0' '2020 0 1 12' '2030 12 32 13'; } | make_trace x
	import x
	[ -z "$stderr" ]
	[ "$(states)" = "DISK SLEEP RUNNABLE DEAD " ]
	# The same release, mended
	{ clocks '6 1000 3 500 1 2000'; release 4.18.0-500
	  switches 0 '2000 10 4 11' '2010 11 2 0' '2020 0 0 12' '2030 12 32 13'; } | make_trace x
	import x
	[ -z "$stderr" ]
	[ "$(states)" = "STOPPED DISK RUNNABLE DEAD " ]
	# Linux 4.14.0: the number of the bit
	{ clocks '6 1000 3 500 1 2000'; release 4.14.0
	  switches 0 '2000 10 8 11' '2010 11 7 0' '2020 0 0 12' '2030 12 5 13'; } | make_trace x
	import x
	[ -z "$stderr" ]
	[ "$(states)" = "IDLE PARKED RUNNABLE DEAD " ]
	# Nothing tells which of the three it is: that is said.
	{ clocks '6 1000 3 500 1 2000'; release 4.18.0; switches 0 '2000 10 4 11'; } | make_trace x
	import x
	[ "$status" = 0 ]
	[ "$(states)" = "DISK " ]
	says 't*release 4.18.0 does not tell how it numbers task states: .* 4.15 to 4.19; 1 switches may have another'
}

@test "import: task states without a release follow from what follows, and that is said" {
	# A thread that runs again was parked.
	{ clocks '6 1000 3 500 1 2000'; switches 0 '2000 10 64 11' '2010 11 1 10'; } | make_trace x
	import x
	[ "$(states)" = "PARKED SLEEP " ]
	says "release is unknown: task states are read as those of Linux 4.14 and later, as the switches show"
	# A combination of bits is old, and what was recorded before it, too.
	{ clocks '6 1000 3 500 1 2000'; switches 0 '2000 10 64 11' '2010 11 130 12'; } | make_trace x
	import x
	[ "$(states)" = "DEAD DISK " ]
	says "release is unknown: task states are read as those of Linux before 4.14, as the switches show"
	{ clocks '6 1000 3 500 1 2000'; switches 0 '2000 10 64 11' '2010 11 0 12'; } | make_trace x
	import x
	[ "$(states)" = "PARKED RUNNABLE " ]
	says "release is unknown: .* Linux 4.14 and later; 1 switches may have another state"
	# What all kernels number alike needs no word.
	{ clocks '6 1000 3 500 1 2000'; switches 0 '2000 10 2 11' '2010 11 0 12'; } | make_trace x
	import x
	[ -z "$stderr" ]
	[ "$(states)" = "DISK RUNNABLE " ]
}

@test "import: a tracefile of perf has the states that perf prints" {
	local line='%s 10/10 [000] 5.%09d: sched:sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=%s ==> next_comm=b next_pid=11 next_prio=120\n'
	# shellcheck disable=SC2059 # the format is above
	printf "$line" a 1 x b 2 'D|K' c 3 R+ d 4 W e 5 Z f 6 'D|N' g 7 'D|0x400' >text
	run_ktrace import --from perf -o t text --offset 1
	[ "$status" = 0 ]
	[ "$(states)" = "DEAD DISK RUNNABLE RUNNABLE DEAD IDLE IDLE " ]
}

@test "import: the first switch of a CPU tells the thread that ran before it" {
	kernel_trace 0,1000,i 0,1100,i 1,1150,i 0,1200,s,10,1,11 0,1300,i 1,1400,s,0,0,12 1,1500,i 2,1600,i
	[ "$status" = 0 ]
	valid_trace t
	[ "$(threads)" = "0 10 softirq:enter
0 10 softirq:enter
1 0 softirq:enter
0 10 sched:switch
0 11 softirq:enter
1 0 sched:switch
1 12 softirq:enter
2 16777215 softirq:enter" ]
	# The name, too
	[ "$("$KTRACE" list --json t | jq -r 'select(.tid == 10) | .comm' | sort -u)" = t10 ]
}

@test "import: after a loss, the thread is that of the next switch" {
	{ clocks '6 1000 3 500 1 2000'
	  echo '{"trusted_packet_sequence_id":5,"ftrace_events":{"cpu":0,"compact_sched":{"intern_table":["a","b"],"switch_timestamp":[2000,10],"switch_prev_state":[1,1],"switch_next_pid":[7,8],"switch_next_prio":[120,120],"switch_next_comm_index":[0,1],"waking_timestamp":[1990,15],"waking_pid":[30,31],"waking_target_cpu":[0,0],"waking_prio":[120,120],"waking_comm_index":[0,1]}}}'
	  echo '{"trusted_packet_sequence_id":5,"ftrace_events":{"cpu":0,"lost_events":true,"compact_sched":{"intern_table":["a","b"],"switch_timestamp":[3000,10],"switch_prev_state":[1,1],"switch_next_pid":[9,7],"switch_next_prio":[120,120],"switch_next_comm_index":[0,1],"waking_timestamp":[3005],"waking_pid":[32],"waking_target_cpu":[0],"waking_prio":[120],"waking_comm_index":[0]}}}'; } |
		make_trace x
	import x
	[ "$status" = 0 ]
	valid_trace t
	# Columns do not name the thread before the first switch, nor before that after the loss.
	[ "$(threads -e 'sched:*')" = "0 16777215 sched:wakeup
0 16777215 sched:switch
0 7 sched:wakeup
0 7 sched:switch
0 16777215 sched:switch
0 9 sched:wakeup
0 9 sched:switch" ]
}

@test "import: no thread runs longer than the trace" {
	kernel_trace 0,0,s,0,0,10 1,500000,s,0,0,20 0,1000000,e,10 0,1100000,s,10,32,11 1,2000000,s,20,1,0 \
		0,999000000,s,11,1,0
	[ "$status" = 0 ]
	"$KTRACE" sched --json t >sched.json
	# By process/thread: at most the 0.999 s of the trace
	[ "$(jq '[.tasks[].run.total_ns] | length > 2 and max <= 999000000' sched.json)" = true ]
	[ -z "$("$KTRACE" list -t 16777215 t)" ]
}

@test "import: more events before the first switch than memory has room for" {
	# The later ones are written at once, with an unknown thread, and so are those that waited.
	kernel_trace 0,1000,i*400000 0,401000,s,10,1,11 0,401001,i 1,1000,i 1,2000,s,12,1,11
	[ "$status" = 0 ]
	[[ $output == "t: 400004 events, "* ]]
	[ "$(threads -e softirq:enter | LC_ALL=C sort | uniq -c | sed 's/^ *//')" = "1 0 11 softirq:enter
400000 0 16777215 softirq:enter
1 1 12 softirq:enter" ]
}

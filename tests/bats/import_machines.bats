#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import: a trace of several machines becomes a tracefile of each

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# of_machine ID: the packets on standard input, marked as that machine's
of_machine()
{
	jq -c --argjson id "$1" '. + {machine_id: $id}'
}

# switch NS PREV NEXT: a bundle of CPU 0 with a switch
switch()
{
	printf '{"trusted_packet_sequence_id":5,"ftrace_events":{"cpu":0,"event":[{"timestamp":%s,"pid":%s,"sched_switch":{"prev_comm":"a","prev_pid":%s,"prev_prio":1,"prev_state":1,"next_comm":"b","next_pid":%s,"next_prio":1}}]}}\n' "$1" "$2" "$2" "$3"
}

# two_machines: a trace of machines 0 and 7. 500 s of 7's BOOTTIME are 100 s of 0's by REALTIME.
two_machines()
{
	{
		clocks '6 100000000000 3 100000000000 1 1700000000000000000'
		clocks '6 500000000000 3 500000000000 1 1700000000000000000' | of_machine 7
		stamp 6 101000000000 host
		stamp 6 501500000000 guest | of_machine 7
		switch 502000000000 5 6 | of_machine 7
		switch 103000000000 5 6
	} | make_trace x
}

# ctf_of FOLDER HOST NS...: a CTF trace of a host, with events at the stamps
ctf_of()
{
	local host=${2:+hostname = \"$2\";}
	mkdir -p "$1"
	cat >"$1/metadata" <<-END
		/* CTF 1.8 */
		typealias integer { size = 32; align = 8; signed = false; } := u32;
		trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };
		env { tracer_name = "x"; $host };
		clock { name = c; freq = 1000000000; offset_s = 1700000000; absolute = TRUE; };
		typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := ts_t;
		stream { id = 0; packet.context := struct { u32 cpu_id; }; event.header := struct { ts_t timestamp; u32 id; }; };
		event { name = "a:b"; id = 1; stream_id = 0; fields := struct { u32 n; }; };
	END
	python3 -c 'import struct, sys
open(sys.argv[1], "wb").write(struct.pack("<III", 0xc1fc1fc1, 0, 0) + b"".join(
    struct.pack("<QII", int(ts), 1, n) for n, ts in enumerate(sys.argv[2:])))' "$1/s" "${@:3}"
}

@test "import perfetto: each machine has its own tracefile, CPUs, threads and clocks" {
	two_machines
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	[[ $output == "t.0.bin: 4 events, "*" bytes"$'\n'"t.7.bin: 4 events, "*" bytes" ]]
	[ "$(echo t*)" = "t.0.bin t.7.bin" ]
	valid_trace t.0.bin
	valid_trace t.7.bin
	# In one time line, by the wall clock
	[ "$("$KTRACE" list --json -e 'c:*,sched:*' t.*.bin | jq -r '"\(.trace) \(.event) \(.time)"')" = "0 c:host 1700000001.000000000
1 c:guest 1700000001.500000000
1 sched:switch 1700000002.000000000
0 sched:switch 1700000003.000000000" ]
	# Thread 6 of one is not that of the other.
	[ "$("$KTRACE" state --json t.0.bin t.7.bin | jq '[.. | objects | select(.tid? == 6)] | length')" -ge 2 ]
	run_ktrace import --from perfetto --json -o t.bin x
	[ "$(jq -c '[.files[].file], .events, .lost' <<<"$output" | tr '\n' ' ')" = '["t.0.bin","t.7.bin"] 8 0 ' ]
	# Without an extension, and in a folder with a dot
	mkdir a.b
	run_ktrace import --from perfetto -o a.b/t x
	[ "$(echo a.b/*)" = "a.b/t.0 a.b/t.7" ]
}

@test "import perfetto: one machine alone has the name of the option" {
	{ clocks '6 1000 3 500 1 2000'; stamp 6 2000 a; } | of_machine 7 | make_trace x
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	[[ $output == "t.bin: 2 events, "* ]]
	[ "$(echo t*)" = t.bin ]
}

@test "import perfetto: files of several machines appear together or not at all" {
	two_machines
	echo old >t.7.bin
	mkdir t.0.bin
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 1 ]
	[ "$(echo t*)" = "t.0.bin t.7.bin" ]
	[ "$(cat t.7.bin)" = old ]
	rmdir t.0.bin
	# What is damaged is said once, and what is before it kept.
	head -c -3 x >part
	run_ktrace import --from perfetto -o t.bin part
	[ "$status" = 1 ]
	[ "$(grep -c 'truncated, or not a Perfetto trace' <<<"$stderr")" = 1 ]
	valid_trace t.0.bin
	valid_trace t.7.bin
	[ "$(echo t*)" = "t.0.bin t.7.bin" ]
	# A device takes all, and stays what it is.
	run_ktrace import --from perfetto -o /dev/null x
	[ "$status" = 0 ]
	[ -c /dev/null ]
}

@test "import perfetto: more machines than are kept are counted" {
	{ clocks '6 1000 3 500 1 2000'
	  for ((i = 1; i < 66; i++)); do stamp 6 2000 a; done | jq -c '. + {machine_id: input_line_number}'; } |
		make_trace x
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 1 ]
	says '2 packets left out: more than 64 machines'
	[ "$(find . -name 't.*.bin' | wc -l)" = 64 ]
}

@test "import ctf: each host has its own tracefile and clock" {
	ctf_of in/a one 1000 3000
	ctf_of in/b two/2 2000
	ctf_of in/c one 4000
	run_ktrace import --from ctf -o t.bin in
	[ "$status" = 0 ]
	[[ $output == "t.one.bin: 3 events, "*$'\n'"t.two_2.bin: 1 events, "* ]]
	[ "$(echo t*)" = "t.one.bin t.two_2.bin" ]
	valid_trace t.one.bin
	valid_trace t.two_2.bin
	run_ktrace info t.two_2.bin
	says 'host  *two/2,'
	[ "$("$KTRACE" list --json t.*.bin | jq -r '"\(.trace) \(.time)"' | tr '\n' ';')" = \
		"0 1700000000.000001000;1 1700000000.000002000;0 1700000000.000003000;0 1700000000.000004000;" ]
	# A trace that does not name its host is of the first one.
	ctf_of in/b "" 2000
	rm t.*
	run_ktrace import --from ctf -o t.bin in
	[[ $output == "t.bin: 4 events, "* ]]
	[ "$(echo t*)" = t.bin ]
}

@test "export perfetto: each host has a sequence of its own, so that readers skip nothing" {
	two_machines
	run_ktrace import --from perfetto -o t.bin x
	run_ktrace export --to perfetto -o both t.0.bin t.7.bin
	[ "$status" = 0 ]
	# The names and clocks of a machine are told by its own packets.
	run_ktrace import --from perfetto -o u.bin both
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$(echo u*)" = "u.0.bin u.1.bin" ]
	valid_trace u.0.bin
	valid_trace u.1.bin
	[ "$("$KTRACE" list --json -e 'c:*,sched:*' u.*.bin | jq -r '"\(.trace) \(.event) \(.time)"')" = \
		"$("$KTRACE" list --json -e 'c:*,sched:*' t.*.bin | jq -r '"\(.trace) \(.event) \(.time)"')" ]
	protoc --proto_path="$ROOT/userspace/proto" --decode=perfetto.protos.Trace perfetto.proto <both >decoded
	[ "$(grep -c 'first_packet_on_sequence: true' decoded)" = 2 ]
	[ "$(grep -c 'primary_trace_clock: 6' decoded)" = 2 ]
}

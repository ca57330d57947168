#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto, and what export gives back: a trace of a program with the public
# SDK, and traces of packets that are put together here

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

@test "import perfetto: slices, instants and values of a program with the SDK" {
	sample
	import sdk
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	[ "$("$KTRACE" list -e 'demo:outer_begin' t | wc -l)" = 6 ]
	[ "$("$KTRACE" list -e 'demo:inner_end' t | wc -l)" = 6 ]
	[ "$(events 'demo:outer_begin' | head -n 1 | cut -d' ' -f3-)" = '{"number":0,"text":"a b"}' ]
	[ "$(events 'demo:inner_begin' | head -n 1 | cut -d' ' -f3-)" = '{"ratio":0.5,"flag":1}' ]
	[ "$(events 'counter:items' | cut -d' ' -f3 | sort | uniq -c | tr -s ' \n' ' ')" = \
		' 2 {"value":0} 2 {"value":3} 2 {"value":6} ' ]
	[ "$(events 'demo:on_process' | cut -d' ' -f3-)" = '{"name":"on process"}' ]
	# Threads have their names, other tracks a thread of their own.
	"$KTRACE" list -e 'demo:mark' t | grep -q ' slices '
	"$KTRACE" list --json -e 'demo:request_begin' t | jq -e '.tid >= 4194304'
	run_ktrace info t
	says 'kernel 6.12.0-example0, x86_64'
}

@test "import perfetto: slices are spans, as those of any program" {
	sample
	import sdk
	"$KTRACE" export --to chrome t >chrome
	[ "$(jq '[.traceEvents[] | select(.ph == "B" and .name == "demo:outer")] | length' chrome)" = 6 ]
	[ "$(jq '[.traceEvents[] | select(.ph == "E")] | length' chrome)" = 13 ]
}

@test "import perfetto: export gives back the same packets" {
	sample
	import sdk
	"$KTRACE" export --to perfetto -o back t
	cmp sdk back
	# Also through files made of it
	"$KTRACE" cut --compress -o cut t
	"$KTRACE" export --to perfetto -o back cut
	cmp sdk back
}

@test "import perfetto: a part of it is written anew" {
	sample
	import sdk
	"$KTRACE" export --to perfetto -e 'demo:outer_*' -o part t
	python3 "$SERVICE/mktrace.py" --show part >part.json
	[ "$(jq -s '[.[] | select(.track_event.type == 1)] | length' part.json)" = 6 ]
	[ "$(jq -s '[.[] | select(.trusted_packet_sequence_id != 1)] | length' part.json)" = 0 ]
}

@test "import perfetto: its packets and another file's events in one export" {
	sample
	import sdk
	run_ktraced -q -o native -- "$EXAMPLES/hello"
	run_ktrace export --to perfetto -o both t native
	[ "$status" = 0 ]
	python3 "$SERVICE/mktrace.py" --show sdk >sdk.json
	python3 "$SERVICE/mktrace.py" --show both >both.json
	# All of the one, and what follows has a writer and a clock that it has not.
	grep -v '"trusted_packet_sequence_id": 2147483647' both.json | cmp - sdk.json
	jq -s -e 'any(.[]; .trusted_packet_sequence_id > 1000 and .timestamp_clock_id == 1)' both.json
}

@test "import perfetto: time of one clock from another" {
	# The table of PFT-92; 3 is CLOCK_MONOTONIC, 6 CLOCK_BOOTTIME
	{
		clocks '6 2000 3 1000' '6 2100 3 1100' '6 2200 3 1200' '6 2900 3 1900' \
			'6 3500 3 2000' '6 3600 3 2100'
		stamp 6 2104 one
		stamp 6 3499 before
		stamp 6 3500 at
		stamp 6 1990 first
	} | make_trace trace
	import trace --offset @0
	[ "$status" = 0 ]
	[ "$(raw_of one)" = 1104 ]
	[ "$(raw_of before)" = 2499 ]
	[ "$(raw_of at)" = 2000 ]
	[ "$(raw_of first)" = 990 ]
}

@test "import perfetto: time over two clocks, and the shortest way" {
	# 200 and 210 are clocks of a program: 200 -> 3 in one step, although 200 -> 210 -> 3 is there.
	{
		clocks '200 1000 6 1100' '6 1200 3 5200' '200 3000 6 3200' '6 4000 3 9000'
		stamp 200 3503 two
		clocks '220 100 210 50' '210 70 3 1000000' '220 100 3 7000'
		stamp 220 103 short
	} | make_trace trace
	import trace --offset @0
	[ "$status" = 0 ]
	[ "$(raw_of two)" = 7703 ]
	[ "$(raw_of short)" = 7003 ]
}

@test "import perfetto: a clock that went back leads nowhere, but can be reached" {
	{
		clocks '1 5000 3 100' '1 4000 3 200'
		stamp 1 4100 from
		stamp 3 150 good
	} | make_trace trace
	import trace --offset @0
	[ "$status" = 1 ]
	says '1 packets left out: no snapshot relates their clocks to others'
	[ "$(raw_of good)" = 150 ]
	[ -z "$(raw_of from)" ]
	says ' 1 lost'
}

@test "import perfetto: snapshots that are not in order" {
	{
		clocks '6 3000 3 2000' '6 1000 3 100' '6 2000 3 1050'
		stamp 6 1500 one
		stamp 6 3100 three
	} | make_trace trace
	import trace --offset @0
	[ "$status" = 0 ]
	[ "$(raw_of one)" = 600 ]
	[ "$(raw_of three)" = 2100 ]
}

@test "import perfetto: clocks from 64 to 127 are of one writer" {
	{
		clocks '6 1000 3 1000'
		for s in 1 2; do
			printf '{"trusted_packet_sequence_id":%s,"timestamp":%s,"sequence_flags":1,' $s 5
			printf '"trace_packet_defaults":{"timestamp_clock_id":64},'
			printf '"clock_snapshot":{"clocks":[{"clock_id":6,"timestamp":%s},' $((s * 10000))
			printf '{"clock_id":64,"timestamp":%s,"unit_multiplier_ns":1000,' $((s * 7))
			printf '"is_incremental":true}]}}\n'
			printf '{"trusted_packet_sequence_id":%s,"timestamp":2,' $s
			printf '"track_event":{"type":3,"name":"s%s","categories":["c"]}}\n' $s
		done
	} | make_trace trace
	import trace --offset @0
	[ "$status" = 0 ]
	[ "$(raw_of s1)" = 17000 ]
	[ "$(raw_of s2)" = 27000 ]
}

@test "import perfetto: behind a loss no name is guessed" {
	{
		clocks '6 1000 3 1000 1 1000'
		p='{"trusted_packet_sequence_id":3,"timestamp":'
		echo "${p}2000,\"sequence_flags\":1,\"interned_data\":{\"event_names\":[{\"iid\":1,\"name\":\"old\"}]}}"
		echo "${p}2100,\"sequence_flags\":2,\"track_event\":{\"type\":3,\"name_iid\":1}}"
		echo "${p}2200,\"sequence_flags\":2,\"previous_packet_dropped\":1,\"track_event\":{\"type\":3,\"name_iid\":1}}"
		echo "${p}2300,\"sequence_flags\":2,\"track_event\":{\"type\":3,\"name_iid\":1}}"
		echo "${p}2400,\"sequence_flags\":1,\"interned_data\":{\"event_names\":[{\"iid\":1,\"name\":\"new\"}]}}"
		echo "${p}2500,\"sequence_flags\":2,\"track_event\":{\"type\":3,\"name_iid\":1}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says '2 packets left out: they refer to lost ones (names, defaults, the clock)'
	[ "$(events 'track:*' | cut -d' ' -f2 | tr '\n' ' ')" = 'track:old track:new ' ]
	[ -z "$(events 'perfetto:track_event')" ]
	# Told where the writer goes on: one gap, two packets
	"$KTRACE" list --json -e 'track:new,ktrace:lost' t |
		jq -c '[.event, .raw, .fields.reason, .fields.count]' | tr '\n' ' ' >told
	[ "$(cat told)" = '["ktrace:lost",2400,"full",1] ["ktrace:lost",2400,"unwritten",2] ["track:new",2500,null,null] ' ]
	# The export has what the import took.
	"$KTRACE" export --to perfetto -o back t
	python3 "$SERVICE/mktrace.py" --show back >back.json
	[ "$(jq -s '[.[] | select(.track_event)] | length' back.json)" = 2 ]
}

# counts S BEGIN SET: of writer S an instant each 10 ns after the one before, from number BEGIN on,
# after a snapshot that says that its clock shows SET, if SET is not ""
counts()
{
	local i p="{\"trusted_packet_sequence_id\":$1,\"timestamp\":10,\"timestamp_clock_id\":64"
	[ -z "$3" ] || printf '{"trusted_packet_sequence_id":%s,"sequence_flags":1,"clock_snapshot":
		{"clocks":[{"clock_id":6,"timestamp":%s},{"clock_id":64,"timestamp":%s,
		"is_incremental":true}]}}' "$1" "$3" "$3" | tr -d '\n\t'
	echo
	for i in 1 2 3; do
		printf '%s%s,"track_event":{"type":3,"name":"n%s","categories":["c"]}}\n' "$p" \
			"$([ "$i$4" = 1dropped ] && echo ',"previous_packet_dropped":1')" $(($2 + i))
	done
}

@test "import perfetto: behind a loss no time is guessed, until the writer sets its clock" {
	{
		clocks '6 1000 3 1000 1 1000'
		# The ring of writer 4 begins where its snapshot is gone already.
		counts 4 40 ""
		counts 3 0 5000
		counts 3 10 "" dropped
		counts 3 20 9000
		counts 4 50 7000
	} | sed '/^$/d' | make_trace trace
	import trace
	[ "$status" = 0 ]
	says '6 packets left out: they refer to lost ones'
	[ "$("$KTRACE" list --json -e 'c:*' t | jq -r '"\(.event) \(.raw)"' | tr '\n' ' ')" = \
		'c:n1 5010 c:n2 5020 c:n3 5030 c:n51 7010 c:n52 7020 c:n53 7030 c:n21 9010 c:n22 9020 c:n23 9030 ' ]
	says ' 7 lost'
	valid_trace t
}

# legacy NS PHASE NAME FIELDS: a packet of Chrome's macros
legacy()
{
	printf '{"timestamp":%s,"trusted_packet_sequence_id":9,"trusted_pid":77,"track_event":' "$1"
	printf '{"track_uuid":0,"name":"%s","categories":["c"],"legacy_event":{"phase":%d%s}}}\n' \
		"$3" "'$2" "${4:+,$4}"
}

@test "import perfetto: asynchronous events are slices of their id" {
	{
		clocks '6 1000 3 1000 1 1000'
		# S, F: ids of another name are others; b, e: those of another category
		legacy 2000 S job '"unscoped_id":1'
		legacy 2010 S job '"unscoped_id":2'
		legacy 2020 S other '"unscoped_id":1'
		legacy 2030 T job '"unscoped_id":1'
		legacy 2040 F job '"unscoped_id":1'
		legacy 2050 F other '"unscoped_id":1'
		legacy 2060 F job '"unscoped_id":2'
		legacy 2100 b outer '"local_id":7'
		legacy 2110 b inner '"local_id":7'
		legacy 2120 e inner '"local_id":7'
		legacy 2130 e outer '"local_id":7'
		# A track that is free is used again.
		legacy 2200 S job '"global_id":3'
		legacy 2210 F job '"global_id":3'
		legacy 2300 X whole '"duration_us":5'
		legacy 2310 s start '"unscoped_id":6'
		legacy 2320 f finish '"unscoped_id":6'
		legacy 2330 b none ''
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	valid_trace t
	"$KTRACE" list --json -e 'c:*' t |
		jq -r '"\(.raw) \(.event) \(.fields.id) \(.tid)"' >got
	diff got - <<-END
		2000 c:job_begin 0x1 4194305
		2010 c:job_begin 0x2 4194306
		2020 c:other_begin 0x1 4194307
		2030 c:job 0x1 4194305
		2040 c:job_end 0x1 4194305
		2050 c:other_end 0x1 4194307
		2060 c:job_end 0x2 4194306
		2100 c:outer_begin 0x7 4194308
		2110 c:inner_begin 0x7 4194308
		2120 c:inner_end 0x7 4194308
		2130 c:outer_end 0x7 4194308
		2200 c:job_begin 0x3 4194306
		2210 c:job_end 0x3 4194306
		2300 c:whole_begin null 77
		2310 c:start null 77
		2320 c:finish null 77
		2330 c:none_begin null 77
		7300 c:whole_end null 77
	END
	[ "$(events 'c:start' | cut -d' ' -f3)" = '{"flow":["0x6"]}' ]
	[ "$(events 'c:finish' | cut -d' ' -f3)" = '{"flow_end":["0x6"]}' ]
	"$KTRACE" list -e c:inner_begin t | grep ' 77/4194308 outer '
}

@test "import perfetto: flows of programs of 2021 and before" {
	{
		clocks '6 1000 3 1000 1 1000'
		p='"trusted_packet_sequence_id":9,"track_event":{"type":3,"categories":["c"],'
		echo "{\"timestamp\":2000,$p\"name\":\"a\",\"flow_ids_old\":[7,300]}}"
		echo "{\"timestamp\":2010,$p\"name\":\"b\",\"terminating_flow_ids_old\":[7]}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ "$(events c:a | cut -d' ' -f3)" = '{"flow":["0x7","0x12c"]}' ]
	[ "$(events c:b | cut -d' ' -f3)" = '{"flow_end":["0x7"]}' ]
}

@test "import perfetto: 512 slices one in the other have their names" {
	{
		clocks '6 1000 3 1000 1 1000'
		for i in $(seq 1 514) $(seq 515 1028); do
			printf '{"timestamp":%s,"trusted_packet_sequence_id":9,"track_event":' $((2000 + i))
			[ "$i" -gt 514 ] && echo '{"type":2,"track_uuid":5}}' && continue
			echo "{\"type\":1,\"track_uuid\":5,\"name\":\"f$i\",\"categories\":[\"c\"]}}"
		done
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq -r 'select(.event | endswith("_end")) | .event' >ends
	[ "$(wc -l <ends)" = 514 ]
	[ "$(sed -n '1p;2p;3p;514p' ends | tr '\n' ' ')" = 'track:slice_end track:slice_end c:f512_end c:f1_end ' ]
}

@test "import perfetto: an end with a name ends the slice of that name" {
	{
		clocks '6 1000 3 1000 1 1000'
		p='"trusted_packet_sequence_id":9,"track_event":{"track_uuid":5,"categories":["c"],'
		echo "{\"timestamp\":2000,$p\"type\":1,\"name\":\"a\"}}"
		echo "{\"timestamp\":2001,$p\"type\":1,\"name\":\"b\"}}"
		echo "{\"timestamp\":2002,$p\"type\":2,\"name\":\"a\"}}"
		echo "{\"timestamp\":2003,$p\"type\":2,\"name\":\"other\"}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ "$("$KTRACE" list --json -e 'c:*' t | jq -r .event | paste -sd' ')" = \
		'c:a_begin c:b_begin c:a_end c:b_end' ]
}

@test "import perfetto: before a writer's first packet there is a loss if it has a cause" {
	{
		clocks '6 1000 3 1000 1 1000'
		for dropped in 1 257 65; do
			printf '{"trusted_packet_sequence_id":%s,"timestamp":2000,' $((dropped + 1))
			printf '"first_packet_on_sequence":true,"previous_packet_dropped":%s}\n' $dropped
		done
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says ' 2 lost'
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: what is compressed" {
	{
		clocks '6 1000 3 1000 1 1000'
		jq -nc '{deflate: [range(200) | {timestamp: (2000 + .), trusted_packet_sequence_id: 4,
			track_event: {type: 3, name: "many", categories: ["c"],
			debug_annotations: [{name: "n", uint_value: .}]}}]}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ "$("$KTRACE" list --json -e c:many t | jq -s 'map(.fields.n) == [range(200)]')" = true ]
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: annotations of all kinds" {
	{
		clocks '6 1000 3 1000 1 1000'
		echo '{"timestamp":2000,"track_event":{"type":3,"name":"all","categories":["a","b"],' \
			'"flow_ids":[7],"debug_annotations":[' \
			'{"name":"d","dict_entries":[{"name":"x","int_value":-1},{"name":"l",' \
			'"array_values":[{"bool_value":true},{"string_value":"q\"q"}]}]},' \
			'{"name":"p","pointer_value":255},{"name":"odd name","string_value":""},' \
			'{"legacy_json_value":"[1]"}]}}' | tr -d '\n'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	events 'a+b:all'
	[ "$(events 'a+b:all' | cut -d' ' -f3-)" = '{"d":"{\"x\":-1,\"l\":[true,\"q\\\"q\"]}","p":"0xff","odd_name":"","value":"[1]","flow":["0x7"]}' ]
}

@test "import perfetto: damage is said, and what is before it kept" {
	sample
	local size
	size=$(stat -c %s sdk)
	for at in 1 20; do
		head -c "$at" sdk >cut
		import cut
		[ "$status" = 1 ]
		says 'cut: not a Perfetto trace: no packet in it'
		[ ! -e t ]
	done
	for at in $((size / 2)) $((size - 1)); do
		head -c "$at" sdk >cut
		import cut
		[ "$status" = 1 ]
		valid_trace t
	done
	says 'truncated, or not a Perfetto trace'
	# Bytes that are no packet, and a message in itself a thousand times
	{
		clocks '6 1000 3 1000 1 1000'
		echo '{"hex":"ffffffff"}'
		python3 - "$SERVICE" <<-'END'
			import json, sys
			sys.path.insert(0, sys.argv[1])
			from wire import BYTES, put_unknown
			nested = b""
			for _ in range(1000):
			    nested = put_unknown(11, BYTES, nested)
			event = put_unknown(4, BYTES, nested)
			print(json.dumps({"hex": put_unknown(11, BYTES, event).hex()}))
			# Behind a number of a field that not all readers take for one
			for _ in range(11000):
			    nested = put_unknown(11, BYTES, nested)
			event = bytes.fromhex("828080801000") + put_unknown(4, BYTES, nested)
			print(json.dumps({"hex": put_unknown(11, BYTES, event).hex()}))
		END
		stamp 3 1234 good
	} | make_trace trace
	import trace
	[ "$status" = 1 ]
	says '3 packets cannot be read'
	[ "$(raw_of good)" = 1234 ]
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
	import "$KTRACE"
	[ "$status" = 1 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto: contents of packets of all kinds, as events, counters and fields;
# marks of Android in printed text; events that only a description names

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# print CPU NS TID TEXT...: a packet with text that threads have printed, three words for each
print()
{
	local cpu=$1 all=
	shift
	while [ $# -gt 0 ]; do
		all+="${all:+,}{\"timestamp\":$1,\"pid\":$2,\"print\":{\"buf\":\"$3\\n\"}}"
		shift 3
	done
	printf '{"trusted_packet_sequence_id":5,"ftrace_events":{"cpu":%s,"event":[%s]}}\n' "$cpu" "$all"
}

# shown [OPTION...]: events of t, a line each: stamp, process, thread, event, fields
shown()
{
	"$KTRACE" list --json "$@" t |
		jq -r '[.raw, .pid, .tid, .event, (.fields | tojson)] | map(tostring) | join(" ")'
}

@test "import perfetto: marks of Android are spans, instants and counters" {
	{
		clocks '6 1000 3 1000 1 1000'
		# The thread moves to CPU 0, whose bundle comes first.
		print 0 2040 11 'E|10' 2050 11 'E|10' 2100 0 'C|10|queue|-5|group' 2110 11 'I|10|now'
		print 1 2000 11 'B|10|draw' 2010 11 'B|10|a|b' 2020 12 'B|10|draw' 2060 12 'E'
		print 1 2200 11 'S|10|load|7' 2210 12 'S|10|load|8' 2220 12 'F|10|load|7' 2230 11 'F|10|load|8'
		print 1 2300 11 'G|10|lane|first|7' 2310 12 'H|10|lane|7' 2320 12 'N|10|lane|mark'
		print 1 2330 11 'G|10|lane|x|1' 2340 11 'H|10|lane|x|1'
		# Marks that are none, or broken
		print 1 2400 11 'B|x|name' 2410 11 'C|10|queue|many' 2420 11 'Begin|10|x' 2430 11 'S|10|load'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says '3 printed marks of Android cannot be read and are shown as text'
	valid_trace t
	shown -e 'atrace:*,counter:*' >got
	diff - got <<-'END'
		2000 10 11 atrace:draw_begin {}
		2010 10 11 atrace:a|b_begin {}
		2020 10 12 atrace:draw_begin {}
		2040 10 11 atrace:a|b_end {}
		2050 10 11 atrace:draw_end {}
		2060 10 12 atrace:draw_end {}
		2100 10 10 counter:queue {"value":-5}
		2110 10 11 atrace:now {}
		2200 10 4194305 atrace:load_begin {"id":"0x7"}
		2210 10 4194306 atrace:load_begin {"id":"0x8"}
		2220 10 4194305 atrace:load_end {"id":"0x7"}
		2230 10 4194306 atrace:load_end {"id":"0x8"}
		2300 10 4194307 atrace:first_begin {"id":"0x7"}
		2310 10 4194307 atrace:first_end {"id":"0x7"}
		2320 10 4194307 atrace:mark {"id":"0x0"}
		2330 10 4194307 atrace:x_begin {"id":"0x1"}
		2340 10 4194307 atrace:x_end {"id":"0x1"}
	END
	[ "$(shown -e ftrace:print | wc -l)" = 4 ]
	"$KTRACE" list -e atrace:first_begin t | grep -q ' lane '
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: statistics of the system and of processes are counters" {
	p='{"trusted_packet_sequence_id":3,"timestamp":'
	{
		clocks '6 1000 3 1000 1 1000'
		echo "${p}2000,\"sys_stats\":{\"meminfo\":[{\"key\":1,\"value\":100},{\"key\":2,\"value\":50}]," \
			'"cpu_stat":[{"cpu_id":0,"user_ns":7},{"cpu_id":1,"user_ns":8}],"num_forks":3,' \
			'"num_irq":[{"irq":9,"count":4}],"cpufreq_khz":[1000,2000],' \
			'"disk_stat":[{"device_name":"sda","read_sectors":6}],"collection_end_timestamp":2001}}'
		echo "${p}2100,\"process_stats\":{\"processes\":[{\"pid\":10,\"vm_rss_kb\":55,\"oom_score_adj\":-900}]}}"
		echo "${p}2200,\"process_stats\":{\"processes\":[{\"pid\":10,\"fds\":[{\"fd\":1,\"path\":\"/dev/null\"}]}]}}"
		echo "${p}2300,\"battery\":{\"capacity_percent\":50.5}}"
		echo "${p}2400,\"gpu_counter_event\":{\"gpu_id\":1,\"counter_descriptor\":{\"specs\":[{\"counter_id\":4,\"name\":\"load\"}]}," \
			'"counters":[{"counter_id":4,"double_value":1.5},{"counter_id":5,"int_value":2}]}}'
		echo "${p}2500,\"gpu_counter_event\":{\"gpu_id\":1,\"counters\":[{\"counter_id\":4,\"double_value\":2.5}]}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	shown -e 'counter:*,process_stats:*' | cut -d' ' -f1-2,4- >got
	diff - got <<-'END'
		2000 null counter:meminfo.MEMINFO_MEM_TOTAL {"value":100}
		2000 null counter:meminfo.MEMINFO_MEM_FREE {"value":50}
		2000 null counter:cpu_stat.user_ns.0 {"value":7}
		2000 null counter:cpu_stat.user_ns.1 {"value":8}
		2000 null counter:num_forks {"value":3}
		2000 null counter:num_irq.count.9 {"value":4}
		2000 null counter:cpufreq_khz.0 {"value":1000}
		2000 null counter:cpufreq_khz.1 {"value":2000}
		2000 null counter:disk_stat.read_sectors.sda {"value":6}
		2100 10 counter:vm_rss_kb {"value":55}
		2100 10 counter:oom_score_adj {"value":-900}
		2200 10 process_stats:process {"pid":10,"fds":"[{\"fd\":1,\"path\":\"/dev/null\"}]"}
		2300 null counter:capacity_percent {"value":50.5}
		2400 null counter:gpu1.load {"value":1.5}
		2400 null counter:gpu1.counter_5 {"value":2}
		2500 null counter:gpu1.load {"value":2.5}
	END
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: samples have their call chains, lines of a log their thread" {
	p='{"trusted_packet_sequence_id":3,"timestamp":'
	{
		clocks '6 1000 3 1000 1 5000'
		echo "${p}2000,\"sequence_flags\":1,\"interned_data\":{" \
			'"function_names":[{"iid":1,"str":"main"},{"iid":2,"str":"work"}],' \
			'"mapping_paths":[{"iid":1,"str":"lib.so"}],"mappings":[{"iid":1,"path_string_ids":[1]}],' \
			'"frames":[{"iid":1,"function_name_id":1},{"iid":2,"function_name_id":2},' \
			'{"iid":3,"mapping_id":1,"rel_pc":255}],' \
			'"callstacks":[{"iid":1,"frame_ids":[1,2,3]}]}}'
		echo "${p}2100,\"perf_sample\":{\"cpu\":1,\"pid\":10,\"tid\":11,\"callstack_iid\":1,\"timebase_count\":5,\"cpu_mode\":2}}"
		echo "${p}2200,\"perf_sample\":{\"cpu\":1,\"pid\":10,\"tid\":11,\"kernel_records_lost\":7}}"
		echo "${p}2300,\"perf_sample\":{\"cpu\":1,\"pid\":10,\"tid\":11,\"sample_skipped_reason\":2}}"
		echo "${p}2400,\"android_log\":{\"events\":[{\"log_id\":0,\"pid\":10,\"tid\":11,\"timestamp\":6500,\"tag\":\"T\"," \
			'"prio":4,"message":"hello","args":[{"name":"n","int_value":3}]}]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	says ' 8 lost'
	[ "$(shown -e perf:sample | head -n 1)" = '2100 10 11 perf:sample {"cpu":1,"pid":10,"tid":11,"callstack_iid":1,"timebase_count":5,"cpu_mode":"MODE_USER","callchain":"lib.so+0xff;work;main"}' ]
	[ "$(shown -e android:log)" = '2500 10 11 android:log {"log_id":"LID_DEFAULT","pid":10,"tid":11,"timestamp":6500,"tag":"T","prio":"PRIO_INFO","message":"hello","args":"[{\"name\":\"n\",\"int_value\":3}]"}' ]
	[ "$("$KTRACE" list --json -e ktrace:lost t | jq -r '[.raw, .cpu, .fields.reason, .fields.count] | join(" ")' |
		tr '\n' ',')" = '2200 1 full 7,2300 1 unwritten 1,' ]
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: stages of the GPU and frames are spans" {
	p='{"trusted_packet_sequence_id":3,"timestamp":'
	{
		clocks '6 1000 3 1000 1 1000'
		echo "${p}2000,\"sequence_flags\":1,\"interned_data\":{\"gpu_specifications\":[{\"iid\":1,\"name\":\"queue\"},{\"iid\":2,\"name\":\"vertex\"}]}}"
		echo "${p}2100,\"gpu_render_stage_event\":{\"event_id\":1,\"duration\":50,\"hw_queue_iid\":1,\"stage_iid\":2}}"
		echo "${p}2200,\"frame_timeline_event\":{\"actual_surface_frame_start\":{\"cookie\":5,\"token\":6,\"pid\":10,\"layer_name\":\"L\"}}}"
		echo "${p}2300,\"frame_timeline_event\":{\"frame_end\":{\"cookie\":5}}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	shown -e 'gpu:*,frame:*' | cut -d' ' -f1,4- >got
	diff - got <<-'END'
		2100 gpu:vertex_begin {"event_id":1,"duration":50,"hw_queue_iid":1,"stage_iid":2}
		2150 gpu:vertex_end {}
		2200 frame:actual_surface_frame_begin {"id":"0x5","cookie":5,"token":6,"pid":10,"layer_name":"L"}
		2300 frame:actual_surface_frame_end {"id":"0x5"}
	END
	"$KTRACE" list -e gpu:vertex_begin t | grep -q ' gpu0 queue '
}

@test "import perfetto: other packets have their contents as fields" {
	{
		clocks '6 1000 3 1000 1 1000'
		echo '{"cpu_info":{"cpus":[{"processor":"x","frequencies":[1,2]}]}}'
		echo '{"inode_file_map":{"block_device_id":9,"mount_points":["/a","/b"],"entries":[{"inode_number":5,"paths":["/a/f"],"type":1}]}}'
		echo '{"service_event":{"tracing_started":true}}'
		echo '{"trace_config":{"duration_ms":5}}'
		# A kind, a field of a kind and a field of an event that nobody has described
		echo '{"?":[[1500,0,7]]}'
		echo '{"trigger":{"trigger_name":"go","?":[[99,0,8]]}}'
		echo '{"timestamp":2000,"track_event":{"type":3,"name":"e","categories":["c"],"thread_time_absolute_us":4,"?":[[9990,0,6]]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says '1 packets are shown without their contents, which are not known; the first is of kind field 1500'
	says '2 fields are shown by number, as their names are not known; the first is field 99 of Trigger'
	valid_trace t
	shown | grep -v ' perfetto:clock_snapshot ' | cut -d' ' -f4- >got
	diff - got <<-'END'
		perfetto:cpu_info {"bytes":12,"cpus":"[{\"processor\":\"x\",\"frequencies\":[1,2]}]"}
		perfetto:inode_file_map {"bytes":24,"block_device_id":9,"mount_points":"[\"/a\",\"/b\"]","entries":"[{\"inode_number\":5,\"paths\":[\"/a/f\"],\"type\":\"FILE\"}]"}
		perfetto:tracing_started {"bytes":5,"tracing_started":1}
		perfetto:trace_config {"bytes":5}
		perfetto:packet {"bytes":3}
		perfetto:trigger {"bytes":10,"trigger_name":"go","field_99":8}
		c:e {"thread_time_absolute_us":4,"field_9990":6}
	END
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

# describe FILE: the bytes of a FileDescriptorSet, in hexadecimal
describe()
{
	python3 - "$SERVICE" "$1" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		from wire import BYTES, VARINT, put_unknown
		def text(number, value):
		    return put_unknown(number, BYTES, value.encode())
		def field(name, number, kind, more=b""):
		    return text(1, name) + put_unknown(3, VARINT, number) + put_unknown(4, VARINT, 1) + \
		        put_unknown(5, VARINT, kind) + more
		def inside(number, value):
		    return put_unknown(number, BYTES, value)
		event = text(1, "probe_hit") + inside(2, field("depth", 1, 13)) + inside(2, field("file", 2, 9))
		if sys.argv[2] == "event":
		    print(event.hex())
		message = text(1, "Mine") + inside(2, field("speed", 1, 5))
		extension = field("mine", 9990, 11, text(6, ".my.pkg.Mine") + text(2, ".perfetto.protos.TrackEvent"))
		if sys.argv[2] == "set":
		    print(inside(1, text(2, "my.pkg") + inside(4, message) + inside(7, extension)).hex())
	END
}

@test "import perfetto: a trace describes events of the kernel and fields of its own" {
	{
		clocks '6 1000 3 1000 1 1000'
		python3 - "$SERVICE" "$(describe event)" "$(describe set)" <<-'END'
			import json, sys
			sys.path.insert(0, sys.argv[1])
			from wire import BYTES, VARINT, encode, put_unknown
			event, described = map(bytes.fromhex, sys.argv[2:])
			hit = put_unknown(1, VARINT, 3) + put_unknown(2, BYTES, b"f")
			one = put_unknown(1, VARINT, 2000) + put_unknown(2, VARINT, 7) + put_unknown(65536, BYTES, hit)
			told = put_unknown(1, VARINT, 65536) + put_unknown(2, BYTES, event) + put_unknown(3, BYTES, b"kprobes")
			bundle = put_unknown(1, VARINT, 1) + put_unknown(2, BYTES, one) + put_unknown(11, BYTES, told)
			print(json.dumps({"hex": put_unknown(1, BYTES, bundle).hex()}))
			print(json.dumps({"hex": put_unknown(72, BYTES, put_unknown(1, BYTES, described)).hex()}))
			mine = put_unknown(9990, BYTES, put_unknown(1, VARINT, 88))
			track = put_unknown(9, VARINT, 3) + put_unknown(23, BYTES, b"e") + mine
			print(json.dumps({"hex": (put_unknown(8, VARINT, 2100) + put_unknown(11, BYTES, track)).hex()}))
		END
		# Names of functions that the writer has interned
		echo '{"trusted_packet_sequence_id":3,"interned_data":{"kernel_symbols":[{"iid":5,"str":"do_wait"}]},' \
			'"ftrace_events":{"cpu":0,"event":[{"timestamp":2200,"pid":7,"sched_blocked_reason":{"pid":7,"caller":5,"io_wait":1}},' \
			'{"timestamp":2210,"pid":7,"funcgraph_entry":{"depth":2,"func":5}}]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	valid_trace t
	shown | grep -v ' perfetto:' | cut -d' ' -f1,3- >got
	diff - got <<-'END'
		2000 7 kprobes:probe_hit {"depth":3,"file":"f"}
		2100 4194305 track:e {"mine.speed":88}
		2200 7 sched:sched_blocked_reason {"pid":7,"caller":5,"io_wait":1,"caller_name":"do_wait"}
		2210 7 funcgraph:funcgraph_entry {"depth":2,"func":5,"func_name":"do_wait"}
	END
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: events of programs of 2020 and before have stamps of their own" {
	p='{"trusted_packet_sequence_id":3,'
	{
		clocks '6 1000 3 1000 1 1000'
		echo "${p}\"thread_descriptor\":{\"pid\":10,\"tid\":11,\"reference_timestamp_us\":5}}"
		echo "${p}\"track_event\":{\"type\":3,\"name\":\"a\",\"timestamp_delta_us\":2}}"
		echo "${p}\"track_event\":{\"type\":3,\"name\":\"b\",\"timestamp_delta_us\":3}}"
		echo "${p}\"track_event\":{\"type\":3,\"name\":\"c\",\"timestamp_absolute_us\":30}}"
		# The stamp before is lost.
		echo "${p}\"previous_packet_dropped\":1,\"track_event\":{\"type\":3,\"name\":\"d\",\"timestamp_delta_us\":3}}"
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says '1 packets left out: they refer to lost ones'
	[ "$(shown -e 'track:*' | cut -d' ' -f1,3,4 | tr '\n' ',')" = '7000 11 track:a,10000 11 track:b,30000 11 track:c,' ]
}

@test "import perfetto: places that the recorder could not read are losses of the CPU" {
	{
		clocks '6 1000 3 1000 1 1000'
		echo '{"ftrace_events":{"cpu":2,"event":[{"timestamp":2000,"pid":7,"print":{"buf":"x"}}],' \
			'"error":[{"timestamp":2100,"status":8},{"status":9}]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says ' 2 lost'
	[ "$("$KTRACE" list --json -e ktrace:lost t | jq -c '[.cpu, .fields.reason, .fields.count]')" = '[2,"corrupt",2]' ]
}

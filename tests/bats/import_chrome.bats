#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from chrome: JSON of Chrome's trace event format

# shellcheck disable=SC2154 # capture sets status and output

load helpers

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
	run_ktrace import --from chrome "$@" --offset @0 -o t
}

@test "import chrome: slices, instants, counters, fields, exact times" {
	cat >a <<'END'
{"traceEvents": [
 {"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"worker"}},
 {"ph":"X","cat":"a,b","name":"outer","pid":7,"tid":8,"ts":1000000.001,"dur":100.002,
  "args":{"n":-5,"big":18446744073709551615,"f":1.5,"s":"z\u00e9\ud83d\ude00\n\"","t":true,"list":[1,2],"deep":{"a":[{}]},"none":null}},
 {"ph":"B","cat":"c","name":"in ner","pid":7,"tid":8,"ts":1000010,"tts":3},
 {"ph":"E","pid":7,"tid":8,"ts":"1000020.5","args":{"ret":0}},
 {"ph":"i","cat":"d","name":"here","pid":7,"tid":8,"ts":1000030,"s":"g"},
 {"ph":"C","name":"mem","pid":7,"ts":1000040,"args":{"bytes":3}},
 {"ph":"C","name":"two","pid":7,"ts":1000041,"args":{"a":1,"b":2.5}},
 {"ph":"N","cat":"o","name":"Obj","id":"0xab","pid":7,"tid":8,"ts":1000050},
 {},
], "displayTimeUnit":"ms", "otherData":{"version":"x"}}
END
	import a
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$("$KTRACE" list --json t | jq -r 'select(.event=="a+b:outer_begin").time')" = 1.000000001 ]
	[ "$("$KTRACE" list --json t | jq -r 'select(.event=="a+b:outer_end").time')" = 1.000100003 ]
	lists '7/8 worker  *a+b:outer_begin n=-5 big=18446744073709551615 f=1.5 s="zé😀\\n\\"" t=1 list={1, 2} deep="{\\"a\\":\[{}\]}" none="null"$'
	lists 'c:in_ner_begin name="in ner" tts=3$'
	lists ' 0.000020499 .*c:in_ner_end ret=0$'
	lists 'd:here scope="g"$'
	lists 'counter:mem value=3$'
	lists 'counter:two a=1 b=2.5$'
	lists 'o:Obj id=0xab phase="N"$'
	lists 'metadata:otherData version="x"$'
	valid_trace t
}

@test "import chrome: asynchronous events have tracks of their own, flows have ids" {
	cat >a <<'END'
[{"ph":"b","cat":"net","name":"req","id":"0x1","pid":7,"tid":8,"ts":1},
{"ph":"b","cat":"net","name":"req","id":"0x2","pid":7,"tid":8,"ts":2},
{"ph":"n","cat":"net","name":"dns","id":"0x1","pid":7,"tid":8,"ts":3},
{"ph":"e","cat":"net","name":"req","id":"0x1","pid":7,"tid":8,"ts":4},
{"ph":"e","cat":"net","name":"req","id":"0x2","pid":7,"tid":8,"ts":5},
{"ph":"S","cat":"old","name":"job","id":9,"pid":7,"tid":8,"ts":6},
{"ph":"T","cat":"old","name":"job","id":9,"pid":7,"tid":8,"ts":7,"args":{"step":"x"}},
{"ph":"F","cat":"old","name":"job","id":9,"pid":7,"tid":8,"ts":8},
{"ph":"s","cat":"f","name":"arrow","id":3,"pid":7,"tid":8,"ts":9},
{"ph":"f","cat":"f","name":"arrow","id":3,"pid":7,"tid":9,"ts":10,"bp":"e"},
{"ph":"X","cat":"f","name":"v2","bind_id":"0x5","flow_out":true,"pid":7,"tid":8,"ts":11,"dur":1},
{"ph":"X","cat":"f","name":"v2","bind_id":"0x5","flow_in":true,"pid":7,"tid":8,"ts":13,"dur":1},
END
	import a
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$("$KTRACE" list --json -e net:req_begin t | jq -r .tid | sort -u | wc -l)" = 2 ]
	[ "$("$KTRACE" list --json t | jq -r 'select(.fields.id=="0x1").tid' | sort -u | wc -l)" = 1 ]
	lists 'net:dns id=0x1$'
	lists 'old:job_begin id=0x9$'
	lists 'old:job id=0x9 step="x"$'
	lists 'old:job_end id=0x9$'
	lists 'f:arrow flow={0x3}$'
	lists 'f:arrow flow_end={0x3} bp="e"$'
	lists 'f:v2_begin flow={0x5}$'
	lists 'f:v2_begin flow_end={0x5}$'
}

@test "import chrome: events out of order, slices of the same begin are nested by their length" {
	python3 - <<'END'
import json, random
events = [{'ph': 'X', 'name': f'd{d}', 'pid': 1, 'tid': 2, 'ts': 100, 'dur': d} for d in (1, 50, 20, 50.5)]
for i in range(1000):
    events += [{'ph': 'B', 'name': f'n{i % 7}', 'pid': 1, 'tid': 3, 'ts': 10 * i}, {'ph': 'E', 'pid': 1, 'tid': 3, 'ts': 10 * i + 5}]
random.seed(1)
random.shuffle(events)
json.dump(events, open('a', 'w'))
END
	import a
	[ "$status" = 0 ]
	says '^t: 2008 events'
	[ "$("$KTRACE" list --json t | jq -r 'select(.tid==2).event' | paste -sd' ')" = \
		"track:d50.5_begin track:d50_begin track:d20_begin track:d1_begin track:d1_end track:d20_end track:d50_end track:d50.5_end" ]
	"$KTRACE" list --json t | python3 -c '
import json, sys
open_ = None
for line in sys.stdin:
    e = json.loads(line)
    if e["tid"] != 3:
        continue
    name, what = e["event"].rsplit("_", 1)
    assert (open_ is None) == (what == "begin") and (what == "begin" or name == open_), e
    open_ = name if what == "begin" else None'
}

@test "import chrome: an end with a name ends the slice of that name, if any is open" {
	cat >a <<'END'
[{"ph":"b","cat":"c","name":"A","id":7,"pid":1,"tid":1,"ts":0},
{"ph":"b","cat":"c","name":"B","id":7,"pid":1,"tid":1,"ts":1},
{"ph":"e","cat":"c","name":"A","id":7,"pid":1,"tid":1,"ts":5},
{"ph":"e","cat":"c","name":"B","id":7,"pid":1,"tid":1,"ts":9},
{"ph":"B","name":"A","pid":1,"tid":2,"ts":0},
{"ph":"B","name":"B","pid":1,"tid":2,"ts":1},
{"ph":"B","name":"C","pid":1,"tid":2,"ts":2},
{"ph":"E","name":"B","pid":1,"tid":2,"ts":5},
{"ph":"E","name":"other","pid":1,"tid":2,"ts":6},
{"ph":"E","pid":1,"tid":2,"ts":9}]
END
	import a
	[ "$status" = 0 ]
	[ "$("$KTRACE" list --json -e 'c:*' t | jq -r '"\(.event)@\(.ns / 1000)"' | paste -sd' ')" = \
		'c:A_begin@0 c:B_begin@1 c:A_end@5 c:B_end@9' ]
	[ "$("$KTRACE" list --json -e '*:*_end' t | jq -r 'select(.tid == 2) | "\(.event)@\(.ns / 1000)"' | paste -sd' ')" = \
		'track:B_end@5 track:C_end@6 track:A_end@9' ]
}

@test "import chrome: any ids of processes and threads" {
	cat >a <<'END'
[{"ph":"i","name":"a","pid":1,"tid":5,"ts":1},{"ph":"i","name":"b","pid":2,"tid":5,"ts":2},
{"ph":"i","name":"c","pid":"GPU","tid":"ring 0","ts":3},{"ph":"i","name":"d","pid":0,"tid":0,"ts":4},
{"ph":"i","name":"e","pid":-1,"tid":140000000000,"ts":5},{"ph":"i","name":"f","ts":6},{"ph":"i","name":"g","pid":2,"tid":5,"ts":-7.5}]
END
	import a
	[ "$status" = 0 ]
	says '^t: 7 events'
	[ "$("$KTRACE" list --json t | jq -r .tid | sort -u | wc -l)" = 5 ]
	lists ' 1/5 .* track:a'
	lists ' 2/4194305 .* track:b'
	lists ' ring 0 .* track:c'
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r '.event,.ns')" = "track:g"$'\n'0 ]
	[ "$("$KTRACE" list --json t | jq -r 'select(.event=="track:a").ns')" = 8500 ]
}

@test "import chrome: stack frames, samples, systemTraceEvents" {
	cat >a <<'END'
{"stackFrames":{"1":{"name":"main"},"2":{"name":"f","parent":"1"},"3":{"name":"loop","parent":3}},
"traceEvents":[{"ph":"P","cat":"p","name":"s","pid":7,"tid":8,"ts":1,"dur":3,"sf":2},{"ph":"i","name":"x","pid":7,"tid":8,"ts":2,"sf":3},
{"ph":"i","name":"y","pid":7,"tid":8,"ts":3,"sf":99}],
"samples":[{"cpu":1,"tid":8,"ts":4,"name":"cycles","sf":2,"weight":10}],
"systemTraceEvents":"# tracer: nop\n  a b-8  [003] d..2 0.000005: sched_switch: prev_comm=a b prev_pid=8 prev_prio=120 prev_state=D ==> next_comm=swapper/3 next_pid=0 next_prio=120\n"}
END
	import a
	[ "$status" = 0 ]
	lists 'p:s phase="P" dur=3 callchain="f;main"$'
	lists 'track:y sf=99$'
	lists '7/8 .*sample:cycles callchain="f;main" cpu=1 weight=10$'
	lists ' 0.000004000 \[003\] .*sched:switch prev_tid=8 next_tid=0 .*prev_state=DISK prev_comm="a b"'
}

@test "import chrome: what is damaged is told with its place, what precedes it is kept" {
	printf '[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},{"ph":"i","name":"b"' >a
	import a
	[ "$status" = 1 ]
	says '^t: 1 events'
	says 'a: byte 66: truncated; the events before it are imported'
	printf '{"traceEvents":[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}' >a
	import a
	[ "$status" = 1 ]
	says 'a: byte 60: truncated'
	printf '[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},}]' >a
	import a
	[ "$status" = 1 ]
	says 'a: byte 46: not JSON'
	printf '[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},5,{"ph":"i","name":"b"},{"ph":"i","ts":"x"}]' >a
	import a
	[ "$status" = 1 ]
	says '^t: 1 events'
	says '3 elements are not events, or have no phase, time or possible duration; the first is at byte 46'
	# No end is made up where the duration is no time.
	for dur in '"5a"' -5 1e30 '{}'; do
		printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":%s}]' "$dur" >a
		import a
		[ "$status" = 1 ]
		says '1 elements are not events, or .* possible duration; the first is at byte 1'
		says '^t: 0 events'
	done
	printf '[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1}] more' >a
	import a
	[ "$status" = 1 ]
	says 'byte 47: not JSON'
	printf 'x' >a
	import a
	[ "$status" = 1 ]
	says 'a: byte 0: not JSON; there is no event before it'
	: >a
	import a
	[ "$status" = 1 ]
}

@test "import chrome: deep, long and odd values" {
	python3 - <<'END'
import json
deep = '[' * 400 + ']' * 400
with open('a', 'wb') as f:
    f.write(b'{"traceEvents":[')
    f.write(b'{"ph":"i","name":"deep","pid":1,"tid":1,"ts":1,"args":{"x":%s}},' % deep.encode())
    f.write(b'{"ph":"i","name":"long","pid":1,"tid":1,"ts":2,"args":{"x":"%s"}},' % (b'y' * 300000))
    f.write(b'{"ph":"i","name":"bad\xff\xfe utf","pid":1,"tid":1,"ts":3,"args":{"x":"\\ud800 \\u0000 \\q \xff","nan":NaN,"inf":-Infinity}},')
    f.write(b'{"ph":"i","name":"many","pid":1,"tid":1,"ts":4,"args":{%s}},' % b','.join(b'"k%d":1' % i for i in range(5000)))
    f.write(b'{"ph":"i","name":"exp","pid":1,"tid":1,"ts":5e0,"args":{"e":1e400,"huge":123456789012345678901234567890}}]}')
with open('deeper', 'w') as f:
    f.write('[{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},{"ph":"i","ts":2,"args":' + '[' * 100000)
END
	import a
	((status <= 1))
	says '^t: 5 events'
	[ "$("$KTRACE" list --json -e track:long t | jq -r '.fields.x|length')" = 300000 ]
	lists 'track:exp e=inf huge=1.234567890123456'
	valid_trace t
	import deeper
	[ "$status" = 1 ]
	says '^t: 1 events'
}

@test "import chrome: memory does not grow with the trace" {
	python3 - <<'END'
with open('a', 'w') as f:
    f.write('[')
    for i in range(250000):
        f.write('{"ph":"X","cat":"c","name":"n%d","pid":1,"tid":%d,"ts":%d,"dur":1.5,"args":{"i":%d,"pad":"%s"}},\n' % (i % 50, i % 9 + 1, i, i, 'p' * 60))
END
	python3 - "$KTRACE" <<'END'
import resource, subprocess, sys
subprocess.run([sys.argv[1], 'import', '--from', 'chrome', '-o', 't', 'a'], check=True)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 150000
END
	[ "$("$KTRACE" info --json t | jq .events)" = 500000 ]
}

@test "import chrome: ktrace's own export comes back" {
	xzcat "$ROOT/tests/data/import/perf.txt.xz" >perf.txt
	xzcat "$ROOT/tests/data/import/ftrace.dat.xz" >trace.dat
	"$KTRACE" import --from perf -o perf perf.txt
	"$KTRACE" import --from trace-dat -o dat trace.dat
	run_ktraced -o ours -- "$EXAMPLES/hello"
	for file in perf dat ours; do
		"$KTRACE" export --to chrome -o "$file.json" "$file"
		run_ktrace import --from chrome -o back "$file.json"
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		# A thread of an unknown process is its own process.
		for f in "$file" back; do
			"$KTRACE" list --json "$f" | jq -cS 'del(.raw,.trace,.stream)|.pid//=.tid' >"$f.list"
		done
		cmp "$file.list" back.list
		[ -s back.list ]
	done
	"$PROGS/mktrace" small <"$ROOT/tests/data/golden/small-v1.script"
	"$KTRACE" export --to chrome -o small.json small
	run_ktrace import -o back small.json
	says ' 22 lost'
	"$KTRACE" list --json small | jq -c 'select(.event=="ktrace:lost")|.fields' | sort >a
	"$KTRACE" list --json back | jq -c 'select(.event=="ktrace:lost")|.fields' | sort >b
	cmp a b
	"$KTRACE" export --to chrome -e none:such -o none.json small
	run_ktrace import -o back none.json
	says ' 22 lost'
}

@test "import chrome: truncated and mutated files neither crash nor hang" {
	xzcat "$ROOT/tests/data/import/perf.txt.xz" | head -n 300 >perf.txt
	"$KTRACE" import --from perf -o perf perf.txt
	"$KTRACE" export --to chrome -o own.json perf
	python3 - <<'END'
import random
random.seed(7)
whole = open('own.json', 'rb').read()[:20000]
for i in range(60):
    data = bytearray(whole if i % 2 else whole.replace(b'"ktrace"', b'"other"'))
    for _ in range(random.randrange(1, 8)):
        at = random.randrange(len(data))
        data[at:at + 1] = random.choice([b'"', b'{', b'[', b'}', b'\\', b'\0', b'1e9', b'-', bytes([random.randrange(256)])])
    open(f'bad{i}', 'wb').write(data[:random.randrange(len(data))] if i % 3 == 0 else data)
END
	for file in bad*; do
		capture timeout 20 "$KTRACE" import --from chrome --offset @0 -o t "$file"
		((status <= 1))
		! says 'crashed'
	done
}

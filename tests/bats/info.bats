#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# info.bats - ktrace info and ktrace events, on golden and generated files
# runs: host
load helpers

setup()
{
	setup_test
	export TZ=UTC
	GOLDEN=$ROOT/tests/data/golden
	cp "$GOLDEN/small-v1.bin" .
}

teardown() { teardown_test; }

@test "the golden file is described as ever" {
	run_ktrace info small-v1.bin
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff -u "$GOLDEN/small-v1.info" - <<<"$output"
}

@test "JSON says the same" {
	run_ktrace info --json small-v1.bin
	[ "$status" -eq 0 ]
	python3 -c '
import json, sys
i = json.load(sys.stdin)
f = i["files"][0]
assert f["closed"] is True and f["cmd"] == "./demo --fast" and f["status"] == 0 and f["cpus"] == 2, f
numbers = {"bytes", "status", "cpus", "hz", "readings", "kernel_streams", "user_streams", "blocks"}
assert all(type(f[k]) is int for k in numbers), f
assert f["kernel_streams"] == 2 and f["user_streams"] == 2 and f["blocks"] == 6, f
assert i["events"] == 19 == sum(i["counts"].values()), i
assert i["lost"] == {"full": 10, "timeout": 4, "overwritten": 7, "corrupt": 1}, i
assert i["duration_ns"] == 3000400 and i["backwards"] == 1 and i["damaged"] == 0, i
' <<<"$output"
}

# made LINE...: a file t with these META lines
made()
{
	{
		echo 'meta clock raw=0 mono_ns=0 real_ns=1 hz=1000'
		printf 'meta %s\n' "$@"
	} | "$PROGS/mktrace" t
	run_ktrace info t
	[ "$status" -eq 0 ]
}

@test "how the recording ended" {
	made 'end status=3 reason=command%20ended'
	grep -qx '  ended     status 3' <<<"$output"
	made 'end status=137 reason=command%20ended'
	grep -qx '  ended     killed by signal 9 (status 137)' <<<"$output"
	made 'end status=255 reason=command%20ended'
	grep -qx '  ended     status 255' <<<"$output"
	made 'end status=0 reason=duration'
	grep -qx '  ended     status 0, stopped by duration' <<<"$output"
	made 'end reason=Interrupt'
	grep -qx '  ended     stopped by Interrupt' <<<"$output"
	made 'end reason=recovered'
	grep -qx '  ended     recovered' <<<"$output"
	made 'end reason=processes%20ended'
	grep -qx '  ended     processes ended' <<<"$output"
	made 'end status=127 reason=exec%20failed'
	grep -qx '  ended     status 127, exec failed' <<<"$output"
	made 'end status=x'
	[[ "$output" != *ended* ]]
}

@test "without a command there is none in text and JSON; numbers are numbers" {
	made 'trace version=1 cmd=' 'host cpus=many' 'end status=99999999999999999999 reason=duration'
	[[ "$output" != *command* ]]
	run_ktrace info --json t
	python3 -c '
import json, sys
f = json.load(sys.stdin)["files"][0]
assert not {"cmd", "cpus", "status"} & f.keys() and f["reason"] == "duration", f
' <<<"$output"
	made 'trace version=1 cmd=./a%20b'
	grep -qx '  command   ./a b' <<<"$output"
}

@test "a file without its end mark is said to be open" {
	"$PROGS/mktrace" t --no-end <"$GOLDEN/small-v1.script"
	run_ktrace info t
	[ "$status" -eq 0 ]
	[[ "$output" = *"not closed"* ]]
	run_ktrace info --json t
	[[ "$output" = *'"closed":false'* ]]
}

@test "several files are described one by one and counted together" {
	another small-v1.bin second.bin
	run_ktrace info small-v1.bin second.bin
	[ "$status" -eq 0 ]
	[ "$(grep -c 'bytes, closed' <<<"$output")" -eq 2 ]
	grep -q '^events *38$' <<<"$output"
}

@test "a counter has the name of its machine, and a slow one says how long a tick is" {
	local machine name hz tick
	while read -r machine name hz tick; do
		printf 'meta trace clock=tsc\nmeta host machine=%s\nmeta clock raw=0 mono_ns=0 real_ns=1 hz=%s\n' \
			"$machine" "$hz" | "$PROGS/mktrace" t
		run_ktrace info t
		[[ "$output" = *"  clock     $name, $hz Hz$tick, 1 readings"* ]]
	done <<-END
	aarch64 cntvct 19200000 , a tick is 52.1 ns
	aarch64 cntvct 62500000 , a tick is 16.0 ns
	aarch64 cntvct 1000000000
	riscv64 time 10000000 , a tick is 100.0 ns
	x86_64 tsc 2300000000
	END
}

@test "an empty trace" {
	"$PROGS/mktrace" t </dev/null
	run_ktrace info t
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"no clock reading"* ]]
	echo 'meta clock raw=0 mono_ns=0 real_ns=1 hz=1000' | "$PROGS/mktrace" t
	run_ktrace info t
	[ "$status" -eq 0 ]
	grep -q '^events *0$' <<<"$output"
	run_ktrace list t
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run_ktrace info --json t
	python3 -c 'import json, sys; assert json.load(sys.stdin)["begin"] is None' <<<"$output"
	truncate -s 3M t
	run_ktrace info t
	[[ $output == "t: 3145728 bytes (3.0 MiB), "* ]]
}

@test "events of a tracefile" {
	run_ktrace events small-v1.bin
	[ "$status" -eq 0 ]
	diff -u "$GOLDEN/small-v1.events" - <<<"$output"
	run_ktrace events --json small-v1.bin
	[ "$status" -eq 0 ]
	python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    assert e["kind"] in ("kernel", "user") and all("type" in f for f in e["fields"]), e
' <<<"$output"
}

@test "events of an object that is not run" {
	cat >x.c <<-'END'
	__attribute__((section("ktrace_desc"), used)) static const char a[] =
		"demo:work{u32 item;string label;}@main.c:12\0\0\0demo:one{}@main.c:5";
	__attribute__((section("ktrace_desc"), used)) static const char b[] =
		"demo:work{u32 item;string label;}@main.c:12";
	END
	gcc -c x.c -o x.o
	run_ktrace events x.o
	[ "$status" -eq 0 ]
	[ "$output" = "demo:one @main.c:5
demo:work u32 item, string label @main.c:12" ]
	run_ktrace events --json x.o
	[[ "$output" = '{"event":"demo:one","file":"main.c","line":5,"fields":[]}'* ]]
}

@test "an object without events, or with a bad one" {
	run_ktrace events /bin/true
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"no events"* ]]
	echo '__attribute__((section("ktrace_desc"), used)) static const char a[] = "x:y{";' >x.c
	gcc -c x.c -o x.o
	run_ktrace events x.o
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"bad event description"* ]]
	head -c 200 x.o >y.o
	run_ktrace events y.o
	[ "$status" -eq 1 ]
	[ -n "$stderr" ]
}

@test "wrong usage: status 2" {
	local c
	for c in info events; do
		run_ktrace "$c"
		[ "$status" -eq 2 ]
		run_ktrace "$c" --nonsense small-v1.bin
		[ "$status" -eq 2 ]
	done
}

@test "what the kernel, time sources and other recorders say about the clock" {
	boot=5ae06d3a-abb8-4500-a6c0-00cc186401c9
	made 'clock raw=1000 mono_ns=1000000000 real_ns=2 max_error_ns=5000 est_error_ns=40 freq_ppb=1 synced=1' \
		'clock raw=2000 mono_ns=2000000000 real_ns=3 max_error_ns=1500000 est_error_ns=30 freq_ppb=1 synced=0' \
		'timesource ts=5 name=chrony state=Normal ref=AA offset_ns=1' \
		'timesource ts=6 name=chrony state=Normal ref=7F000001 stratum=3 offset_ns=-2500 delay_ns=9 dispersion_ns=8 freq_ppb=-7 skew_ppb=6' \
		"timesource ts=7 name=ptp4l state=no%1banswer" \
		"ping ts=20 peer_boot=$boot peer=b:1 sent=10 received_there=1 sent_there=2 received=20" \
		"ping ts=33 peer_boot=$boot peer=b:1 sent=30 received_there=3 sent_there=4 received=33" \
		"ping ts=40 peer_boot=$boot peer=::1 sent=40 received_there=9 sent_there=2 received=39"
	for line in "  error     wall clock at most 0.001500000 s off, as the kernel says; not synchronised in 1 of 2 readings" \
		"  source    chrony: Normal, reference 7F000001, stratum 3, clock 0.000002500 s behind (last of 2 answers)" \
		"  source    ptp4l: no?answer (last of 1 answers)" \
		"  pings     2 to b:1, boot $boot, round trip 0.003000000 s or more" \
		"  pings     1 by ::1, boot $boot"; do
		grep -qxF -- "$line" <<<"$output"
	done
	run_ktrace info --json t
	[ "$(jq -c '.files[0] | [.max_error_ns, .est_error_ns, .unsynced_readings, .time_sources[0], .pings // [], .ties_left_out // 0]' <<<"$output")" = \
		'[1500000,30,1,{"source":"chrony","state":"Normal","reference":"7F000001","stratum":3,"offset_ns":-2500,"delay_ns":9,"dispersion_ns":8,"freq_ppb":-7,"skew_ppb":6,"answers":2},[{"boot":"'$boot'","peer":"b:1","answered":false,"count":2,"round_trip_ns":3000000},{"boot":"'$boot'","peer":"::1","answered":true,"count":1}],0]' ]
}

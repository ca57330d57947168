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
	cp small-v1.bin copy.bin
	run_ktrace info small-v1.bin copy.bin
	[ "$status" -eq 0 ]
	[ "$(grep -c 'bytes, closed' <<<"$output")" -eq 2 ]
	grep -q '^events *38$' <<<"$output"
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

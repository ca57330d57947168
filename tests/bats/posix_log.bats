#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# posix_log.bats - logs of POSIX streams, as ktrace shows them
# runs: host
load helpers

setup()
{
	setup_test
	GOLDEN=$ROOT/tests/data/golden
}

teardown() { teardown_test; }

# numbers FILE: of the events "work", in the order of the list
numbers()
{
	"$KTRACE" list --json "$1" | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "posix:work":
        print(int.from_bytes(bytes(e["fields"]["data"]), "little"))'
}

@test "the golden log is listed as ever" {
	run_ktrace list "$GOLDEN/posix-v1.bin"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff -u "$GOLDEN/posix-v1.list" - <<<"$output"
	"$PROGS/mktrace" t <"$GOLDEN/posix-v1.script"
	run_ktrace list t
	diff -u "$GOLDEN/posix-v1.list" - <<<"$output"
}

@test "posix_trace_open() reads the golden log, of another boot, as ever" {
	"$PROGS/posix_list" <"$GOLDEN/posix-v1.bin" | diff - <(printf '%s\n' \
		"posix_trace_unnamed_userevent 0" "work 4" "work 4" "today's dish 5" "work 4" \
		"posix_trace_stop 4")
}

@test "ktrace info says whose log it is and how it went" {
	run_ktrace info "$GOLDEN/posix-v1.bin"
	grep -qE '^ +posix +stream "golden", full: flush, log full: loop, full, overrun$' <<<"$output"
	"$PROGS/mklog" append 3 t
	run_ktrace info t
	grep -qE '^ +posix +stream "made", full: flush, log full: append$' <<<"$output"
	"$PROGS/mklog" -b append 3 u
	run_ktrace info u
	grep -qE '^ +posix +stream "made", .*log full: append, unfinished$' <<<"$output"
}

@test "ktrace info --json says the same" {
	# of FILE: its members, as JSON of one line
	of()
	{
		"$KTRACE" info --json "$1" | python3 -c '
import json, sys
print(json.dumps(json.load(sys.stdin)["files"][0].get("posix"), sort_keys=True))'
	}
	[ "$(of "$GOLDEN/posix-v1.bin")" = '{"finished": true, "log_full": true, "log_overrun": true,'\
' "log_policy": "loop", "stream": "golden", "stream_policy": "flush"}' ]
	"$PROGS/mklog" -b append 3 u
	[ "$(of u)" = '{"finished": false, "log_full": false, "log_overrun": false,'\
' "log_policy": "append", "stream": "made", "stream_policy": "flush"}' ]
	cp "$GOLDEN/compressed-v1.bin" v
	[ "$(of v)" = null ]
}

@test "a log has thread, process, address and data of each event, and any name" {
	"$PROGS/mklog" loop 2 t
	run_ktrace list t
	[ "$status" -eq 0 ]
	grep -qE ' 1/1 .* posix:posix_trace_start address=0x1234 thread=0x7f0012345678 pid=1 filter=posix:posix_trace_error$' <<<"$output"
	grep -qE ' posix:posix_trace_filter .* pid=1 before=posix:posix_trace_error filter=none$' <<<"$output"
	grep -qE ' 1/1 .* posix:work .* pid=1 data="\\x01\\x00\\x00\\x00"$' <<<"$output"
	grep -qF ' posix:odd+20name+3A+20+FF+2F+2B ' <<<"$output"
	grep -qE ' posix:posix_trace_stop .* cause=EXPLICIT$' <<<"$output"
	run_ktrace grep 'event == posix:work && pid == 1' t
	[ "$(grep -c posix:work <<<"$output")" -eq 2 ]
	run_ktrace list --json t
	grep -q '"posix:posix_trace_start",.*},"filter":\["posix:posix_trace_error"\]}$' <<<"$output"
	grep -q '"posix:posix_trace_filter",.*},"before":\["posix:posix_trace_error"\],"filter":\[\]}$' <<<"$output"
}

@test "a log that went round is whole, in order, and as long as it may be" {
	for n in 50 100 129 130 131 200 1000; do
		rm -f t
		"$PROGS/mklog" loop "$n" t
		run_ktrace check t
		[ "$status" -eq 0 ]
		numbers t >got
		[ "$(tail -n 1 got)" -eq $((n - 1)) ]
		seq "$(head -n 1 got)" $((n - 1)) | diff - got
		[ "$(stat -c %s t)" -lt 20000 ]
	done
	run_ktrace info t
	grep -q 'overwritten$' <<<"$output"
}

@test "a log that is full ends with STOP, and says what it did not take" {
	"$PROGS/mklog" until_full 1000 t
	run_ktrace check t
	[ "$status" -eq 0 ]
	run_ktrace list t
	grep -v 'ktrace:lost' <<<"$output" | tail -n 1 | grep -qE 'posix:posix_trace_stop .* cause=FULL$'
	grep -qE 'ktrace:lost reason=unwritten count=[0-9]+$' <<<"$output"
}

@test "a log is extended: one file with the events of both" {
	"$PROGS/mklog" append 10 t
	"$PROGS/mklog" append 5 t
	run_ktrace check t
	[ "$status" -eq 0 ]
	{ seq 0 9; seq 0 4; } >expected
	numbers t | diff expected -
	echo "a letter" >u
	run "$PROGS/mklog" append 5 u
	[ "$status" -eq 1 ]
	[ "$(cat u)" = "a letter" ]
}

@test "of a log that broke off, what was flushed is listed" {
	for policy in loop until_full append; do
		rm -f t
		"$PROGS/mklog" -b $policy 20 t
		run_ktrace list t
		[ "$status" -eq 0 ]
		seq 0 19 >expected
		numbers t | diff expected -
	done
}

@test "the independent reader reads logs, too" {
	for policy in loop until_full append; do
		rm -f t
		"$PROGS/mklog" $policy 300 t
		"$KTRACE" list --json t >list
		PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/spec/read.py" t >read
		diff -u list read
	done
}

@test "a log is cut, and merged with another trace" {
	"$PROGS/mklog" loop 10 t
	run_ktrace cut --filter 'event == posix:work' -o u t
	[ "$status" -eq 0 ]
	numbers u | diff <(seq 0 9) -
	"$PROGS/mklog" append 5 v
	run_ktrace merge -o m t v
	[ "$status" -eq 0 ]
	run_ktrace check m
	[ "$status" -eq 0 ]
	numbers m | sort -n | diff <({ seq 0 9; seq 0 4; } | sort -n) -
}

@test "posix_trace_open() reads what ktraced has recorded: all events, in order, by their names" {
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 3 -n 2000 -s 0:40
	[ "$status" -eq 0 ]
	"$PROGS/posix_list" <t >seen
	"$KTRACE" list --json t >list
	[ "$(wc -l <seen)" -eq "$(wc -l <list)" ]
	[ "$(grep -c '^flood:sized ' seen)" -eq 6000 ]
	# Name and bytes of each: the u32, the u64, the length's u32, and the elements
	python3 - <<-'END' >expected
		import json
		for line in open("list"):
		    e = json.loads(line)
		    print(e["event"], 16 + len(e["fields"]["fill"]) if e["event"] == "flood:sized" else "")
	END
	diff <(sort expected) <(grep '^flood:' seen | sort)
	"$KTRACE" check t
	truncate -s -1 t
	fails "$PROGS/posix_list" <t
}

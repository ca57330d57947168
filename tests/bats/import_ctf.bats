#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from ctf: traces of LTTng that are kept, one that is recorded, our own exports

# shellcheck disable=SC2154 # capture sets status and output

load helpers

IMPORT=$ROOT/tests/progs/import SAMPLES=$ROOT/tests/data/import COMPARE=$ROOT/tests/checkers/import/compare

setup()
{
	setup_test
	tar -xJf "$SAMPLES/lttng-ust.tar.xz"
	METADATA=lttng-ust/ust/uid/0/64-bit/metadata
}

teardown()
{
	teardown_test
}

# import FOLDER [OPTION...]: to t
import()
{
	run_ktrace import --from ctf "$@" -o t
}

# is_as_babeltrace FOLDER: each event of t is there, with the same name, time, fields and thread
is_as_babeltrace()
{
	/usr/bin/python3 -c 'import bt2' || skip "needs python3-bt2"
	"$KTRACE" list --json t >t.json
	"$COMPARE" ctf "$1" t.json
}

@test "import ctf: events, fields, times and threads are those that babeltrace2 lists" {
	import lttng-ust
	[ "$status" = 0 ]
	[[ $output == "t: 100 events, "*" bytes" ]]
	valid_trace t
	[ "$(is_as_babeltrace lttng-ust)" = 100 ]
}

@test "import ctf: kinds of fields" {
	import lttng-ust
	run_ktrace list --event demo:all --filter 'i == 3 && s == "from thread"' t
	[ "$status" = 0 ]
	[[ $output == *" second "*" demo:all i=3 hex=0xdeadbef2 small=-3 s=\"from thread\" f=1.5 d=0.5 arr={1, 2, 3} seq={-1, -2, -3} text=\"abcdefg\" stext=\"fr\" colour=3" ]]
	run_ktrace events t
	says 'enum<s32> colour'
	run_ktrace list --event demo:all --filter 'colour == GREEN_BLUE' t
	[ "$(wc -l <<<"$output")" = 4 ]
	run_ktrace list --event demo:all --filter 'colour == MANY' t
	[ "$(wc -l <<<"$output")" = 6 ]
	run_ktrace info t
	says 'host *example'
	says 'backend *lttng-ust'
}

@test "import ctf: LTTng's events of the kernel become ours, with all that babeltrace2 lists" {
	tar -xJf "$SAMPLES/lttng-kernel.tar.xz"
	import lttng-kernel
	[ "$status" = 0 ]
	[[ $output == "t: 2039 events, "*" bytes" ]]
	valid_trace t
	[ "$(is_as_babeltrace lttng-kernel)" = 2039 ]
	# An idle kernel thread has not ended, as its bit of the state is called.
	[ "$("$KTRACE" grep -c 'event == sched:switch && prev_state == DEAD' t)" = 9 ]
	[ "$("$KTRACE" grep -c 'event == sched:exit' t)" = 9 ]
	[ "$("$KTRACE" grep -c 'event == sched:switch && prev_state == IDLE && prev_comm ~ "kworker*"' t)" -gt 100 ]
	run_ktrace export --to folded t
	[ "$status" = 0 ]
	grep -Eq '^sh \([0-9]+\);sh \([0-9]+\);wait:sleep;syscall:wait4 [0-9]+$' <<<"$output"
	grep -Eq '^sleep \([0-9]+\);sleep \([0-9]+\);wait:sleep;syscall:clock_nanosleep [1-9][0-9]{7,}$' <<<"$output"
	fails grep -E 'kworker.*;(zombie|dead)' <<<"$output"
}

@test "import ctf: what is recorded by both at once is one time line" {
	if ! command -v lttng >/dev/null || ! pkg-config --exists lttng-ust; then
		skip "needs lttng-tools and liblttng-ust-dev"
	fi
	[ "$(id -u)" = 0 ] || skip "needs root"
	gcc -O1 -I"$IMPORT" -I"$ROOT/userspace/include" -I"$ROOT/uapi" "$IMPORT/lttng_program.c" -o program \
		-L"$BUILD/lib" -lktrace -Wl,-rpath,"$BUILD/lib" -llttng-ust -ldl -pthread
	KTRACE_BACKEND=shm "$ROOT/bench/lttng/session" -o "$PWD/theirs" -x vpid -x vtid -x procname 'demo:*' \
		"$KTRACED" -o ours -- ./program 200 || { [ $? = 91 ] && skip "there can be no session"; false; }
	import theirs
	[ "$status" = 0 ]
	[ "$(is_as_babeltrace theirs)" = 260 ]
	# Same boot, same clock: the two events of a number follow each other, to the nanosecond.
	"$KTRACE" list --json --event 'demo:ours,demo:pair' ours t |
		jq -r '"\(.event) \(.fields.n) \(.tid)"' >both
	for i in {0..199}; do
		tid=$(awk 'NR == 1 { print $3 }' both)
		printf 'demo:ours %d %d\ndemo:pair %d %d\n' "$i" "$tid" "$i" "$tid"
	done >expected
	cmp both expected
	# Of one boot they can also be one file.
	run_ktrace merge -o merged ours t
	[ "$status" = 0 ]
	[ "$("$KTRACE" list merged | wc -l)" = "$("$KTRACE" list ours t | wc -l)" ]
}

@test "import ctf: damage is said with its place, what was read before is kept" {
	for n in 1 1000 4096 9000; do
		rm -rf short t
		cp -r lttng-ust short
		for f in short/ust/uid/0/64-bit/c_*; do
			truncate -s "$n" "$f"
		done
		import short
		[ "$status" = 1 ]
		says 'short/ust/uid/0/64-bit/c_0: offset [0-9]*: damaged: .'
		valid_trace t
		events=$("$KTRACE" list t | grep -c demo:) || true
		case $n in
		1) [ "$events" = 0 ] ;;
		9000) [ "$events" = 100 ] ;;
		*) [ "$events" -gt 10 ] ;;
		esac
	done
	[ -z "$(compgen -G 't.??????')" ]
}

# damaged OFFSET BYTES: of metadata as it was recorded; importing has to end, and to say where it is
damaged()
{
	rm -rf bad
	cp -r lttng-ust bad
	printf '%b' "$2" | dd of="bad/${METADATA#*/}" bs=1 seek="$1" conv=notrunc status=none
	says_place 0
}

# says_place OFFSET
says_place()
{
	capture timeout 20 "$KTRACE" import --from ctf -o t bad
	[ "$status" = 1 ]
	says "bad/${METADATA#*/}: offset $1: damaged: "
	[ -z "$(ls -d t* 2>/dev/null)" ]
}

@test "import ctf: metadata cut or with impossible sizes of packets is said with its place" {
	[ "$(stat -c %s "$METADATA")" = 8192 ]
	for n in 20 2000 4095 4100 8191; do
		rm -rf bad
		cp -r lttng-ust bad
		truncate -s "$n" "bad/${METADATA#*/}"
		says_place $((n / 4096 * 4096))
	done
	# content_size, packet_size: 0, 8 bits, more than the file
	damaged 24 '\0\0\0\0'
	damaged 28 '\0\0\0\0'
	damaged 24 '\0\0\0\0\0\0\0\0'
	damaged 24 '\x8\0\0\0\x8\0\0\0'
	damaged 28 '\0\0\0\x7f'
	# The second packet is none.
	rm -rf bad
	cp -r lttng-ust bad
	printf x | dd of="bad/${METADATA#*/}" bs=1 seek=4096 conv=notrunc status=none
	says_place 4096
	# No metadata at all is no trace with events.
	: >"bad/${METADATA#*/}"
	capture timeout 20 "$KTRACE" import --from ctf -o t bad
	[ "$status" = 1 ]
	[ -n "$stderr" ]
}

@test "import ctf: events with a description above 64 KiB are left out and counted" {
	# As plain text, with a field that has a long name
	python3 - "$METADATA" <<-'END'
		import re, struct, sys
		with open(sys.argv[1], "rb") as file:
		    data, text, at = file.read(), b"", 0
		while at < len(data):
		    content, packet = struct.unpack_from("<II", data, at + 24)
		    text += data[at + 37:at + content // 8]
		    at += packet // 8
		text, nr = re.subn(rb"(?s)(demo:pair.*?\b_n)(;)", rb"\1" + b"x" * 70000 + rb"\2", text, count=1)
		assert nr == 1
		with open(sys.argv[1], "wb") as file:
		    file.write(text)
	END
	import lttng-ust --json
	[ "$status" = 1 ]
	skipped=$(jq .skipped <<<"$output")
	[ "$skipped" -gt 0 ]
	[ "$(jq .events <<<"$output")" = $((100 - skipped)) ]
	says "t: $skipped events were left out: their descriptions are too long, or too many"
	valid_trace t
	[ -z "$("$KTRACE" list --event demo:pair t)" ]
	for option in --ticks-per-ms=5 --raw-ticks; do
		import lttng-ust "$option"
		[ "$status" = 2 ]
		says 'not with this format'
	done
}

@test "import ctf: a trace without events, a folder without a trace, none at all" {
	rm lttng-ust/ust/uid/0/64-bit/c_*
	import lttng-ust
	[ "$status" = 0 ]
	[[ $output == "t: 0 events, "* ]]
	valid_trace t
	mkdir empty
	import empty
	[ "$status" = 1 ]
	says 'empty: not a CTF trace: no folder in it has a file "metadata"'
	import missing
	[ "$status" = 1 ]
	says 'missing: No such file'
}

@test "import ctf: 15 traces with some bits turned over crash nothing" {
	cp -r lttng-ust good
	cat >turn.py <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		for path in sys.argv[2:]:
		    data = bytearray(open(path, 'rb').read())
		    for _ in range(random.randint(0, 3)):
		        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
		    open(path, 'wb').write(data)
	END
	for seed in {1..15}; do
		rm -rf lttng-ust t
		cp -r good lttng-ust
		python3 -I turn.py "$seed" "$METADATA" lttng-ust/ust/uid/0/64-bit/c_*
		capture timeout 20 "$KTRACE" import --from ctf -o t lttng-ust
		[ "$status" -le 1 ] || show
		[ "$status" -le 1 ]
		[ "$status" = 0 ] || [ -n "$stderr" ]
		[ ! -e t ] || valid_trace t
	done
}

# is_back_after_export FILE: CTF of it is, imported again, the same events and losses
is_back_after_export()
{
	rm -rf folder
	run_ktrace export --to ctf -o folder "$1"
	[ "$status" = 0 ]
	import folder
	[ "$status" = 0 ]
	valid_trace t
	"$KTRACE" list --json "$1" >before.json
	"$KTRACE" list --json t >after.json
	[ "$("$COMPARE" ktrace before.json after.json)" = "$(wc -l <before.json)" ]
	[ "$("$KTRACE" info "$1" | sed -n '/^lost/,$p')" = "$("$KTRACE" info t | sed -n '/^lost/,$p')" ]
}

@test "import ctf: what was exported is back: losses, kinds of streams, times out of order" {
	# As the kernel's states are called
	sed 's/R=0,S=1,D=2/RUNNABLE=0,SLEEP=1,DISK=2/' "$ROOT/tests/data/golden/small-v1.script" >script
	"$PROGS/mktrace" small <script
	is_back_after_export small
	[[ $output == "t: "*" events, 22 lost, "* ]]
	"$PROGS/mktrace" odd <"$ROOT/tests/checkers/export/odd.script"
	is_back_after_export odd
	KTRACE_BACKEND=shm run_ktraced --buffer 16K -o lossy -- "$PROGS/user_flood" -t 2 -n 20000
	is_back_after_export lossy
	[[ $output == *" lost, "* ]]
}

@test "import ctf: what was exported is back: events of the kernel, so that analyses say the same" {
	xz -dc "$SAMPLES/ftrace.dat.xz" >ftrace.dat
	run_ktrace import --from trace-dat -o kernel ftrace.dat
	[ "$status" = 0 ]
	is_back_after_export kernel
	for analysis in sched syscalls irq; do
		"$KTRACE" "$analysis" kernel >before
		"$KTRACE" "$analysis" t >after
		[ -s before ]
		cmp before after
	done
}

@test "import ctf: a terminal sees how far it is" {
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 2 -n 60000
	run_ktrace export --to ctf -o folder t
	[ "$status" = 0 ]
	# Its disk is slow.
	script -qec "strace -f -o /dev/null -e trace=pwritev -e inject=pwritev:delay_enter=30000 \
		'$KTRACE' import --from ctf -o u folder" /dev/null </dev/null >screen
	grep -qE '[0-9]%.\[#* *\]' screen
	grep -q 'u: 120000 events, ' screen
}

@test "import ctf: memory is read where it is written, and freed" {
	run_valgrind import --from ctf -o t lttng-ust
	[ "$status" = 0 ]
	truncate -s 3000 lttng-ust/ust/uid/0/64-bit/c_*
	run_valgrind import --from ctf -o t lttng-ust
	[ "$status" = 1 ]
}

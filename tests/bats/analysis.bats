#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# analysis.bats - stat, state, flow, resources, sched, syscalls, irq, io, critical-path, on made files
# runs: host
load helpers

setup()
{
	setup_test
	ORACLE=$ROOT/tests/checkers/oracle/analyse.py
	SMALL=$ROOT/tests/data/golden/small-v1.bin
	COMMANDS=("stat" "state" "flow" "resources" "sched" "syscalls" "irq" "io"
		"critical-path --pid 100")
}

teardown() { teardown_test; }

# two_threads: file t. 100 sleeps in futex until 101 wakes it; 101 waits for the disk
# meanwhile, until interrupt 6 wakes it.
two_threads()
{
	local switch="u32:120 u32:120"
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	cat >>script <<-END
		block 0
		rec 1000 64 0 u32:0 u32:100 $switch u32:0 char16:swapper/0 char16:client
		rec 1100 96 100 u64:202 zeros:48
		rec 1200 64 100 u32:100 u32:0 $switch u32:1 char16:client char16:swapper/0
		rec 1700 128 0 u32:5 char16:eth0
		rec 1750 129 0 u32:5 u32:1
		rec 2050 64 0 u32:0 u32:100 $switch u32:0 char16:swapper/0 char16:client
		rec 2100 97 100 u64:202 u64:0
		rec 3000 64 100 u32:100 u32:0 $switch u32:1 char16:client char16:swapper/0
		block 1
		rec 1150 64 0 u32:0 u32:101 $switch u32:0 char16:swapper/1 char16:server
		rec 1300 96 101 u64:0 zeros:48
		rec 1400 64 101 u32:101 u32:0 $switch u32:2 char16:server char16:swapper/1
		rec 1800 128 0 u32:6 char16:disk
		rec 1810 65 0:8 u32:101 u32:120 u32:1 char16:server
		rec 1820 129 0 u32:6 u32:1
		rec 1850 64 0 u32:0 u32:101 $switch u32:0 char16:swapper/1 char16:server
		rec 1900 97 101 u64:0 u64:4096
		rec 2000 65 101 u32:100 u32:120 u32:0 char16:client
		rec 2500 64 101 u32:101 u32:0 $switch u32:1 char16:server char16:swapper/1
	END
	"$PROGS/mktrace" t <script
}

# json EXPRESSION: it is true of the object o in $output
json()
{
	python3 -c '
import json, sys
o = json.load(sys.stdin)
if not eval(sys.argv[1]):
    sys.exit("not true: " + sys.argv[1])
' "$1" <<<"$output"
}

# agrees SEED: the reference finds in a file of random events what the commands find
agrees()
{
	python3 "$ORACLE" make "$1" 1500 >script
	"$PROGS/mktrace" t <script
	python3 "$ORACLE" check "$KTRACE" t
	python3 "$ORACLE" check "$KTRACE" t --since 2000000 --until 9000000
}

@test "the reference agrees about random events" { agrees 1; }
@test "the reference agrees about other random events" { agrees 2; }

# requests: file t. A disk reads for 300 ns and for 100 in two parts, meanwhile it is given a
# flush that it gives back and then does in 50; the end of a write was not seen to begin.
requests()
{
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	cat >>script <<-END
		block 0
		rec 1000 192 7 u32:8388609 u32:1 u64:64 u32:4096 u32:0
		rec 1100 192 7 u32:8388609 u32:2 u64:72 u32:8192 u32:0
		rec 1150 193 0 u32:8388609 u32:2 u64:72 u32:4096 u32:0 u32:4096 u32:0
		rec 1160 192 7 u32:8388609 u32:3 u64:0 u32:0 u32:2
		rec 1170 194 7 u32:8388609 u32:3 u64:0 u32:0 u32:2
		rec 1200 193 0 u32:8388609 u32:2 u64:80 u32:4096 u32:0 u32:0 u32:0
		rec 1300 193 0 u32:8388609 u32:1 u64:64 u32:4096 u32:0 u32:0 u32:4294967291
		rec 1400 192 7 u32:8388609 u32:3 u64:0 u32:0 u32:2
		rec 1450 193 0 u32:8388609 u32:3 u64:0 u32:0 u32:2 u32:0 u32:0
		rec 1500 193 0 u32:8388609 u32:9 u64:0 u32:512 u32:1 u32:0 u32:0
		rec 1600 192 7 u32:8388609 u32:4 u64:64 u32:4096 u32:0
	END
	"$PROGS/mktrace" t <script
}

@test "io: requests of a disk, from issue to end" {
	requests
	run_ktrace io --json t
	[ "$status" -eq 0 ]
	json '[(d["major"], d["minor"]) for d in o["devices"]] == [(8, 1)]'
	json '{k: v for k, v in o["devices"][0].items() if k.endswith("s") or k in ("most", "under_way")} == {
		"busy_ns": 350, "most": 3, "under_way": 1, "requeues": 1}'
	json '[tuple(o["devices"][0][k][n] for n in ("requests", "bytes", "errors", "nr", "total_ns", "max_ns"))
		for k in ("read", "write", "other")] == [(2, 12288, 1, 2, 400, 300), (1, 512, 0, 0, 0, 0), (1, 0, 0, 1, 50, 50)]'
	run_ktrace io --histograms t
	[[ $output = *"8:1 read, from issue to end"*"8:1 other, from issue to end"* ]]
	run_ktrace io --json --since 250ns t
	json '[o["devices"][0]["read"][n] for n in ("requests", "bytes", "max_ns")] == [1, 4096, 300]'
	json 'o["devices"][0]["busy_ns"] == 100'
	json '[o["devices"][0][k] for k in ("most", "under_way")] == [1, 1]'
	run_ktrace io --json --since 120ns --until 140ns t
	json '[o["devices"][0][k] for k in ("most", "under_way", "busy_ns")] == [2, 2, 20]'
	run_ktrace resources --json t
	json '{r["kind"]: r["modes"] for r in o["resources"]}["block"]["read"] > 0'
	run_ktrace state --at 250ns t
	grep -q '^block 8:1  *read ' <<<"$output"
}

@test "critical-path: the wait is what the waker did meanwhile" {
	two_threads
	run_ktrace critical-path --pid 100 --json t
	[ "$status" -eq 0 ]
	json '{(s["tid"], s["what"]): s["ns"] for s in o["shares"]} == {
		(100, "run"): 1150, (100, "wait-cpu"): 50, (101, "run"): 350,
		(101, "wait disk in read for irq"): 410, (101, "wait-cpu"): 40}'
	json 'sum(p["duration_ns"] for p in o["path"]) == o["duration_ns"] == 2000'
	json '[p["from_ns"] for p in o["path"]] == [0, 200, 400, 810, 850, 1000, 1050]'
	run_ktrace critical-path --pid 100 --list t
	grep -q '^    0.000000400    410 ns    -/101 server: wait disk in read for irq$' <<<"$output"
}

@test "state: threads, modes and CPUs at a time" {
	two_threads
	run_ktrace state --at 500ns t
	grep -q '^-/100 client  *0  wait sleep  *300 ns  user+syscall futex$' <<<"$output"
	grep -q '^-/101 server  *1  wait disk  *100 ns  user+syscall read$' <<<"$output"
	run_ktrace state --at 725ns --json t
	json '[r["modes"] for r in o["resources"] if r["kind"] == "cpu"] == [["idle", "irq"], ["idle"]]'
	json '[r["name"] for r in o["resources"] if r["kind"] == "irq"] == ["eth0"]'
	run_ktrace state --pid 100 t
	fails grep -q server <<<"$output"
}

# only_100: file t. 100 is followed, 900 and idle tasks are not: one more switch is not recorded.
only_100()
{
	local prio="u32:120 u32:120"
	{
		echo "meta trace scope=followed"
		python3 "$ORACLE" make 1 1 | grep '^meta'
		cat <<-END
			block 0
			rec 1000 64 0 u32:0 u32:100 $prio u32:0 char16:swapper/0 char16:client
			rec 1200 64 100 u32:100 u32:900 $prio u32:1 char16:client char16:other
			rec 5000 65 900 u32:100 u32:120 u32:0 char16:client
			rec 5100 64 0 u32:0 u32:100 $prio u32:0 char16:swapper/0 char16:client
			rec 5300 64 100 u32:100 u32:0 $prio u32:1 char16:client char16:swapper/0
		END
	} >script
	"$PROGS/mktrace" t <script
}

@test "who changes the memory of a followed process is not said to run" {
	only_100
	sed -i -e '/^block/i meta event kind=kernel id=480 desc=memory:rss{u32%20pid;u64%20bytes;}' \
		-e '/^rec 5000/i rec 2000 480 900 u32:100 u64:4096' script
	"$PROGS/mktrace" t <script
	run_ktrace state --at 3us t
	grep -q '^cpu 0  *unknown' <<<"$output"
	run_ktrace sched --json t
	json '[t["comm"] for t in o["tasks"] if t["run"]["nr"]] == ["client"]'
}

@test "of a recording of some processes, what others do is not known" {
	local all='{"client": 400}'
	only_100
	run_ktrace sched --json t
	json '{t["comm"]: t["run"]["total_ns"] for t in o["tasks"] if t["run"]["nr"]} == '"$all"
	run_ktrace resources --json t
	json '[(r["modes"].get("busy"), r["modes"].get("idle", 0)) for r in o["resources"]] == [(400, 0)]'
	run_ktrace flow t
	grep -q '^-/900 other .*|  *|  *- %$' <<<"$output"
	run_ktrace state --at 2us t
	grep -q '^cpu 0  *unknown' <<<"$output"
	grep -q '^-/900 other  *0  unnamed' <<<"$output"
	run_ktrace cut -o part t
	run_ktrace merge -o both t part
	run_ktrace sched --json both
	json '{t["comm"]: t["run"]["total_ns"] for t in o["tasks"] if t["run"]["nr"]} == '"$all"
	sed -i 1d script
	"$PROGS/mktrace" t <script
	run_ktrace sched --json t
	json '{t["comm"] for t in o["tasks"] if t["run"]["nr"]} == {"client", "other"}'
	# With a recording of all, all is known.
	run_ktrace merge -o both part t
	run_ktrace sched --json both
	json '{t["comm"] for t in o["tasks"] if t["run"]["nr"]} == {"client", "other"}'
}

@test "flow: each span once, and no time twice" {
	two_threads
	run_ktrace flow --json --pid 100,101 t
	head -n -1 <<<"$output" >spans
	python3 - <<-'END'
		import json
		spans = [json.loads(line) for line in open("spans")]
		for tid, end in (100, 2000), (101, 2000):
		    mine = sorted((s["from_ns"], s["duration_ns"]) for s in spans if s["tid"] == tid)
		    for (a, n), (b, _) in zip(mine, mine[1:]):
		        assert a + n == b, mine
		    assert sum(mine[-1]) == end, mine
		assert {"mode": "syscall", "sub_name": "futex"}.items() <= spans[1].items(), spans[1]
	END
	run_ktrace flow --width 10 t
	grep -Eqx ' +0\.000000 0\.[0-9]{6} s' <<<"$output"
	run_ktrace flow --width 20 t
	grep -q '^-/100 client  *|RS[.]\{8\}SU\{9\}|' <<<"$output"
}

@test "resources: busy times of CPUs and interrupts" {
	two_threads
	run_ktrace resources --json t
	json '[r["busy_ns"] for r in o["resources"]] == [1200, 920, 50, 20]'
	json '[r["times"] for r in o["resources"]] == [3, 3, 1, 1]'
	json 'all(sum(r["modes"].values()) <= o["duration_ns"] for r in o["resources"])'
	run_ktrace resources --list t
	grep -q '50 ns  irq 5 eth0  *busy$' <<<"$output"
}

@test "resources: another thread, or an interrupt of one, does not make a CPU busy again" {
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	cat >>script <<-END
		block 0
		rec 1000 64 0 u32:0 u32:100 u32:120 u32:120 u32:0 char16:swapper/0 char16:a
		rec 1100 128 100 u32:5 char16:eth0
		rec 1200 129 100 u32:5 u32:1
		rec 1300 64 100 u32:100 u32:101 u32:120 u32:120 u32:0 char16:a char16:b
		rec 1400 64 101 u32:101 u32:0 u32:120 u32:120 u32:1 char16:b char16:swapper/0
		rec 1500 64 0 u32:0 u32:100 u32:120 u32:120 u32:0 char16:swapper/0 char16:a
		block 1
		rec 1150 128 0 u32:5 char16:eth0
		rec 1160 129 0 u32:5 u32:1
		rec 1250 160 0 u32:1
		rec 1600 161 0 u32:1
	END
	"$PROGS/mktrace" t <script
	run_ktrace resources --json t
	json '[(r["kind"], r["times"], r["busy_ns"]) for r in o["resources"]] == [
		("cpu", 2, 500), ("cpu", 2, 360), ("irq", 1, 100), ("softirq", 1, 350)]'
	run_ktrace resources --json --since 350ns --until 510ns t
	json '[r["times"] for r in o["resources"]] == [1, 0, 0, 0]'
}

@test "irq: times from one begin to the next, whichever ends first, and with no end" {
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	cat >>script <<-END
		block 0
		rec 1000 160 0 u32:1
		rec 1900 161 0 u32:1
		rec 2300 160 0 u32:1
		block 1
		rec 1100 160 0 u32:1
		rec 1150 161 0 u32:1
		rec 1500 160 0 u32:1
		rec 1600 161 0 u32:1
	END
	"$PROGS/mktrace" t <script
	run_ktrace irq --json t
	json '[(i["nr"], i["total_ns"], i["period_ns"], i["period_deviation_ns"]) for i in o["interrupts"]] == [
		(3, 1050, 433, 287)]'
	run_ktrace irq --json --since 200ns t
	json '[(i["nr"], i["period_ns"], i["period_deviation_ns"]) for i in o["interrupts"]] == [(2, 800, 0)]'
}

@test "stat: an interrupt is called what it is called on its host" {
	local host name
	for host in a b; do
		name=$([ $host = a ] && echo disk || echo eth0)
		python3 "$ORACLE" make 1 1 | grep '^meta' | sed "s/boot=made/boot=$host/" >script
		printf '%s\n' 'block 0' "rec 1000 128 0 u32:5 char16:$name" 'rec 1100 129 0 u32:5 u32:1' >>script
		"$PROGS/mktrace" $host <script
	done
	run_ktrace stat --json a b
	json '[[m["children"][0]["name"] for m in t["children"][0]["children"][0]["children"] if m["name"] == "irq"]
		for t in o["tree"]["children"]] == [["disk"], ["eth0"]]'
	run_ktrace stat b a
	[[ $output == *eth0*disk* ]]
}

@test "lost events are said, in text and JSON, where they are in the window" {
	local command
	for command in "${COMMANDS[@]}"; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $command "$SMALL"
		grep -q '^22 events were LOST here ( full 10 timeout 4 overwritten 7 corrupt 1 )' <<<"$output"
		# shellcheck disable=SC2086
		run_ktrace $command --json "$SMALL"
		output=$(tail -n 1 <<<"$output")
		json 'o["lost"] == {"full": 10, "timeout": 4, "overwritten": 7, "corrupt": 1}'
		[ "$command" != state ] || continue
		# shellcheck disable=SC2086
		run_ktrace $command --until 100ns "$SMALL"
		fails grep -q LOST <<<"$output"
	done
}

@test "a window that begins before the trace is all of it, as are shares of its time" {
	local command
	two_threads
	for command in "${COMMANDS[@]}"; do
		[ "$command" != state ] || continue
		for form in "" --json; do
			# shellcheck disable=SC2086 # options, too
			diff <("$KTRACE" $command $form t) <("$KTRACE" $command $form --since @0 t) || return 1
		done
	done
}

@test "events of windows that meet add up, also where stamps go back" {
	local window all=0
	for window in '--until 100ns' '--since 100ns --until 420ns' '--since 420ns'; do
		# shellcheck disable=SC2086 # options
		"$KTRACE" hist --json $window "$SMALL" >hist
		# shellcheck disable=SC2086
		run_ktrace stat --json $window "$SMALL"
		[ "$(jq '.events, .tree.events' <<<"$output" | uniq)" = "$(jq .events hist)" ]
		all=$((all + $(jq .events <<<"$output")))
	done
	[ "$all" -eq 19 ]
}

@test "every command prints one JSON object" {
	local command
	two_threads
	for command in "${COMMANDS[@]}"; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $command --json t
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		output=$(tail -n 1 <<<"$output")
		json 'o["events"] == 18 and o["lost"] == {}'
	done
}

@test "an empty file, a thread that is not there, a damaged file" {
	local command
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	"$PROGS/mktrace" empty <script
	two_threads
	printf 'XXXX' | dd of=t bs=1 seek=$(($(stat -c %s t) - 600)) conv=notrunc status=none
	for command in "${COMMANDS[@]}"; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $command empty
		[ "$status" -eq 0 ]
		# shellcheck disable=SC2086
		run_ktrace $command t
		[ "$status" -eq 1 ]
		[ -n "$stderr" ]
	done
	run_ktrace critical-path --pid 4711 --json empty
	json 'o["path"] == []'
}

@test "wrong usage is refused" {
	local args
	for args in "critical-path $SMALL" "critical-path --pid 1,2 $SMALL" "stat --depth deep $SMALL" \
		"flow --width 1 $SMALL" "sched -n x $SMALL" "irq --pid 1 $SMALL" "irq -p 1 $SMALL" \
		"resources -p 1 $SMALL" "state --at x $SMALL" io; do
		# shellcheck disable=SC2086 # words
		run_ktrace $args
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
	run_ktrace state --at x "$SMALL"
	[[ $stderr == "ktrace state: --at: not a time such as 1.5, 20ms or 2026-01-31T12:00"$'\n'* ]]
	run_ktrace stat --until x "$SMALL"
	[[ $stderr == "ktrace stat: --until: not a time such as 1.5, 20ms or 2026-01-31T12:00"$'\n'* ]]
}

@test "a file that was cut off is said to be, by every command, and by cut, diff and hist" {
	local command
	two_threads
	head -c -32 t >part
	for command in "${COMMANDS[@]}" hist list "list -c" "grep tid==100" "cut -o new" "merge -o new" "diff t"; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $command part
		[ "$status" -lt 2 ]
		[ "$stderr" = "ktrace: part: not closed: still being written, or truncated" ]
	done
}

@test "sched: the longest times have a bound" {
	python3 "$ORACLE" make 1 1 | grep '^meta' >script
	cat >>script <<-'END'
		block 0
		rec 1000 64 0 u32:0 u32:100 u32:120 u32:120 u32:0 char16:swapper/0 char16:client
		rec 9300000000000000000 64 100 u32:100 u32:0 u32:120 u32:120 u32:1 char16:client char16:swapper/0
	END
	"$PROGS/mktrace" t <script
	run_ktrace sched --histograms t
	grep -q '^  < 18446744074 s  *1 |#' <<<"$output"
}

@test "syscalls --threads: a row for each thread and call" {
	two_threads
	run_ktrace syscalls --threads --json t
	json '[(c["tid"], c["name"], c["nr"]) for c in o["syscalls"]] == [
		(100, "futex", 1), (101, "read", 1)]'
	run_ktrace syscalls --threads -n 1 t
	grep -q '^-/100 client  *futex  *1 ' <<<"$output"
	fails grep -q '101' <<<"$output"
}

@test "syscalls: a call that makes a process counts once, though the child returns from it, too" {
	cat >script <<-END
		$(python3 "$ORACLE" make 1 1 | grep '^meta')
		meta event kind=kernel id=67 desc=sched:fork{u32%20parent_tid;u32%20parent_pid;u32%20child_tid;u32%20child_pid;char[16]%20comm;}
		block 0
		rec 1000 96 100 u64:56 zeros:48
		rec 1100 67 100 u32:100 u32:100 u32:101 u32:101 char16:child
		rec 1200 97 100 u64:56 u64:101
		rec 1300 64 100 u32:100 u32:101 u32:120 u32:120 u32:1 char16:parent char16:child
		rec 1900 97 101 u64:56 u64:0
		rec 2000 96 101 u64:39 zeros:48
		rec 2100 97 101 u64:39 u64:101
	END
	"$PROGS/mktrace" t <script
	run_ktrace syscalls --threads --json t
	json '[(c["tid"], c["name"], c["nr"], c["max_ns"]) for c in o["syscalls"]] == [
		(100, "clone", 1, 200), (101, "getpid", 1, 100)]'
	run_ktrace syscalls --json t
	json '[(c["name"], c["nr"]) for c in o["syscalls"]] == [("clone", 1), ("getpid", 1)]'
}

@test "critical-path: parts that are read again begin anywhere" {
	local way
	"$PROGS/machine" 250000 t
	{
		echo 'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
		echo 'meta event kind=user id=64 desc=a:b{u32%20x;}'
		echo 'meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop'
		awk 'BEGIN { for (i = 0; i < 70000; i++) {
			if (i % 100 == 0) print "block 0"
			print "rec", 100000 + i * 650, "64 5 u32:1" } }'
	} | "$PROGS/mktrace" noise
	"$KTRACE" critical-path --json --pid 1015 t >path
	jq -e '.events == 250000 and (.path | length) > 500' path
	jq -e '([.path[].duration_ns] | add) == ([.shares[].ns] | add)' path
	jq -e '.path as $p | [range(1; $p | length) | $p[.].from_ns == $p[. - 1].from_ns + $p[. - 1].duration_ns] | all' path
	"$KTRACE" critical-path --json --pid 1015 t noise >other
	jq -e '.events == 320000' other
	for way in .path .shares; do
		cmp <(jq -c "$way" path) <(jq -c "$way | map(del(.host))" other)
	done
}

@test "-n bounds what JSON has as well" {
	local what
	python3 "$ORACLE" make 4 400 >script
	"$PROGS/mktrace" t <script
	for what in "resources resources" "sched tasks" "syscalls syscalls" "irq interrupts" "io threads" \
		"critical-path shares --pid 100"; do
		# shellcheck disable=SC2086 # command, member, options
		set -- $what
		run_ktrace "$1" --json -n 1 "${@:3}" t
		json "len(o['$2']) == 1"
	done
}

@test "sched: as many rows as -n says, and histograms" {
	two_threads
	run_ktrace sched -n 1 t
	[ "$(grep -c '^-/10' <<<"$output")" -eq 1 ]
	run_ktrace sched --histograms t
	grep -q '^From wake-up to running$' <<<"$output"
}

@test "a JSON object that is longer than the output's buffer has its commas" {
	python3 "$ORACLE" make 3 70000 >script
	"$PROGS/mktrace" t <script
	"$KTRACE" critical-path --pid 100 --json t >object
	[ "$(stat -c %s object)" -gt 300000 ]
	output=$(cat object)
	json 'sum(p["duration_ns"] for p in o["path"]) == sum(s["ns"] for s in o["shares"])'
}

@test "a thread is called what it is called since exec" {
	cat >script <<-'EOF'
		meta host boot=1 machine=x86_64
		meta clock raw=0 mono_ns=0 real_ns=1000 hz=1000000000
		meta event kind=user id=16 desc=t:e{u64%20n;}
		meta process pid=7 ppid=1 ts=10 comm=launcher
		meta thread tid=7 pid=7 ts=10 comm=launcher
		meta process pid=7 ppid=1 ts=20 comm=program
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 0
		rec 30 16 7 u64:1
	EOF
	"$PROGS/mktrace" t <script
	run_ktrace stat t
	grep -q '7/7 program ' <<<"$output"
	run_ktrace state t
	grep -q '7/7 program ' <<<"$output"
}

@test "stat: a process that is not known is a dash, the idle CPU is 0" {
	two_threads
	run_ktrace stat --depth thread t
	grep -q ' -/100 client ' <<<"$output"
	grep -q ' 0/0 swapper ' <<<"$output"
}

@test "stat: -n says how many threads of each CPU, of those that are asked for" {
	two_threads
	# 101 is the second one of CPU 1, after the idle task.
	run_ktrace stat -n 1 --depth thread t
	[ "$(grep -c '/' <<<"$output")" = 2 ]
	run_ktrace stat -n 1 --depth thread -p 100,101 t
	[ "$(grep -c '/10[01] ' <<<"$output")" = 2 ]
	run_ktrace stat -n 1 --depth thread --json t
	json '[len(cpu["children"]) for trace in o["tree"]["children"] for cpu in trace["children"]] == [1, 1]'
	json '[cpu["events"] for trace in o["tree"]["children"] for cpu in trace["children"]] == [8, 10]'
	# Whatever is shown, what is above is the sum of all.
	for args in '-n 1' '-n 0' '--depth thread' '--depth cpu'; do
		# shellcheck disable=SC2086 # options
		"$KTRACE" stat $args t | sed -n '/^ *cpu /p' >cpus
		"$KTRACE" stat t | sed -n '/^ *cpu /p' | diff - cpus
	done
}

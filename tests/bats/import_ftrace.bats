#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from trace-dat: a file of trace-cmd from a guest with Linux 6.12, and its report

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import COMPARE=$ROOT/tests/checkers/import/compare

setup()
{
	setup_test
	xzcat "$SAMPLES/ftrace.dat.xz" >trace.dat
}

teardown()
{
	teardown_test
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import --from trace-dat "$@" -o t
}

# says PATTERN: on standard output or standard error
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

@test "import trace-dat: events are those that trace-cmd reports" {
	import trace.dat
	[ "$status" = 0 ]
	[[ $output == "t: 1705 events, "* ]]
	valid_trace t
	xzcat "$SAMPLES/ftrace.report.xz" >report
	"$KTRACE" list --json t >t.json
	[ "$("$COMPARE" trace-dat report t.json)" = 1705 ]
}

@test "import trace-dat: kernel events are ours, so that analyses know them" {
	import trace.dat
	run_ktrace sched t
	[ "$status" = 0 ]
	says '/[0-9]* sleep '
	run_ktrace syscalls t
	says '^clock_nanosleep  *1 '
	run_ktrace state --at 1s t
	[ "$status" = 0 ]
	run_ktrace list -e kmem:mm_page_alloc t
	says 'kmem:mm_page_alloc pfn=[0-9]* order=0 '
}

@test "import trace-dat: an interrupt is one, a host has a clock" {
	import trace.dat
	run_ktrace list -e irq:enter t
	says 'irq:enter irq=[0-9]* name="virtio.*(irq)'
	# With --date, times are of the wall clock.
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r '.time | split(".")[0]')" = 1795383215 ]
}

# dat PROGRAM: runs Python that writes files of trace-cmd, see trace_dat.py
dat()
{
	PYTHONPATH=$ROOT/tests/checkers/import python3 -B -c "from trace_dat import *
$1" "${@:2}"
}

# machine UNAME: 1.dat with system calls 63 and 3 of a machine of that name
machine()
{
	dat 'd = Dat()
enter, leave, switch = d.usual()
if sys.argv[1]: d.option(UNAME, sys.argv[1])
d.cpu(0).add(1000, enter, 7, id=63).add(2000, leave, 7, id=63).add(3000, enter, 7, id=3)
d.write("1.dat")' "$1"
	import 1.dat --offset @0
}

calls()
{
	"$KTRACE" list --json t | jq -r .fields.nr | xargs
}

@test "import trace-dat: byte order, sizes, versions and compression of the file make no difference" {
	local shape nr=0 first=''
	for shape in '6,0,8,8,4096,none' '6,1,8,8,4096,none' '6,0,4,4,4096,none' '6,1,4,4,4096,none' \
			'6,0,4,8,4096,none' '6,0,8,8,65536,none' '6,1,8,8,16384,none' '7,0,8,8,4096,none' \
			'7,1,4,4,4096,none' '7,0,8,8,4096,zstd' '7,1,8,8,65536,zstd' '7,0,8,8,4096,zlib' \
			'7,1,4,4,16384,zlib'; do
		dat 'v, big, user, kernel, page, codec = sys.argv[1].split(",")
d = Dat(int(v), int(big), int(user), int(kernel), int(page), codec)
enter, leave, switch = d.usual()
kinds = d.event("kinds", "all", 500, [("u8", "a"), ("s16", "b"), ("u32", "c"), ("s64", "d"), ("u8[6]", "e"),
                                      ("__data_loc char[]", "f"), ("__rel_loc u32[]", "g"), ("s16[3]", "h")])
d.cmdlines = "100 prog\n"
d.option(UNAME, "Linux board 5.10.1 s390x")
d.option(DATE, hex(10**15))
for cpu in 0, 3:
    for i in range(300):
        t = 10**9 + i * 3000 + cpu
        c = d.cpu(cpu)
        c.add(t, enter, 100, id=i, args=[1, 2, 3, 4, 5, 6]).add(t + 1000, leave, 100, id=i, ret=i)
        c.add(t + 2000, switch, 100, prev_comm=b"prog", prev_pid=100, prev_prio=120, prev_state=1, next_comm=b"swapper")
    c.add(10**10, kinds, 100, flags=8, a=255, b=-2, c=0xdeadbeef, d=-5, e=b"\1\2\0\4\5\6", f=b"text\0",
          g=b"".join(d.number(n, 4) for n in (1, 2, 2**31)), h=[1, -1, 3], tail=b"0123456" * 20)
d.write("1.dat")' "$shape"
		import 1.dat
		[ "$status" = 0 ] || show "$shape"
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		valid_trace t
		"$KTRACE" list --json t >t.json
		nr=$(jq -s length t.json)
		[ "$nr" = 1802 ]
		[ -n "$first" ] || { first=1; cp t.json first.json; }
		cmp t.json first.json
		# Debian's trace-cmd does not read zlib.
		case $shape in *zlib) continue ;; esac
		command -v trace-cmd >/dev/null || continue
		cp 1.dat 2.dat
		trace-cmd report -t 2.dat >theirs 2>/dev/null
		[ "$("$COMPARE" trace-dat theirs t.json)" = "$nr" ]
	done
	jq -s '.[1801]' t.json >last
	jq -e '.time == "1000000010.000000000"' last
	jq -e '.fields | .a == 255 and .b == -2 and .c == 3735928559 and .d == -5 and .f == "text" and
		.g == [1, 2, 2147483648] and .h == [1, -1, 3] and (.e | length) == 6' last
	jq -e '.cpu == 3 and .comm == "prog" and .flags == ["irq"]' last
}

@test "import trace-dat: system calls have the names of the machine that the file names" {
	machine 'Linux a 6.1.0 aarch64'
	[ "$(calls)" = 'read read io_cancel' ]
	run_ktrace info --json t
	jq -e '.traces[0] // . | .. | .kernel? | select(. == "6.1.0")' <<<"$output"
	machine 'Linux a 6.1.0 #1 SMP x86_64'
	[ "$(calls)" = 'uname uname close' ]
	machine 'Linux a 6.1.0 i586'
	[ "$(calls)" = 'dup2 dup2 read' ]
	machine 'Linux a 6.1.0 riscv64'
	[ "$(calls)" = 'read read io_cancel' ]
	machine 'Linux a 6.1.0 s390x'
	[ "$(calls)" = '63 63 3' ]
	[ -z "$stderr" ]
	machine ''
	[ "$(calls)" = 'uname uname close' ]
	says 'does not say what machine it is of'
}

@test "import trace-dat: clocks" {
	local make='d = Dat(7)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
d.cpu(0).add(4000, enter, 7, id=63).add(8000, leave, 7, id=63)
exec(sys.argv[1])
d.write("1.dat")'
	dat "$make" 'd.option(DATE, hex(1700000000 * 10**6)); d.option(OFFSET, "500")'
	import 1.dat
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[[ $("$KTRACE" list --json t | jq -r .time | xargs) == 1700000000.000004500\ 1700000000.000008500 ]]
	dat "$make" ''
	import 1.dat
	says 'does not say what its clock counts from'
	dat "$make" 'd.clocks[""] = "x86-tsc"; d.option(DATE, "0")'
	import 1.dat
	says 'its clock x86-tsc counts cycles, and the file does not say'
	dat "$make" 'd.clocks[""] = "x86-tsc"; d.option(DATE, "0")
d.option(TSC2NSEC, d.number(3 << 20, 4) + d.number(21, 4) + bytes(8))'
	import 1.dat
	[ -z "$stderr" ]
	[ "$("$KTRACE" list --json t | jq -r .time | xargs)" = '0.000006000 0.000012000' ]
	dat "$make" 'd.clocks[""] = "counter"'
	import 1.dat --offset @0
	says 'its clock counter counts events instead of time'
	dat "$make" 'd.clocks.update({"": "local", "other": "mono"}); d.cpu(0, "other").add(5000, enter, 7, id=63)'
	import 1.dat --offset @0
	says 'times of its buffer other are of another clock, mono'
}

@test "import trace-dat: time that goes back is said, no event is left out" {
	dat 'd = Dat()
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
c = d.cpu(1)
for t in 5000, 9000, 6000, 7000, 10**10, 10**10 + 5, 8000: c.add(t, enter, 7, id=t % 99)
d.cpu(0).add(6500, enter, 8, id=1).discard(1, 16).add(6600, enter, 8, id=1)
d.write("1.dat")'
	import 1.dat --offset @0
	[ "$status" = 0 ]
	[[ $output == "t: 9 events, "* ]]
	says '2 times time goes back, first on CPU 1 to 6000 ns'
	run_ktrace check t
	[ "$status" = 0 ]
}

@test "import trace-dat: damage is said" {
	head -c 4000 trace.dat >short
	import short
	[ "$status" = 1 ]
	says 'short: damaged or truncated at byte 4000: options cannot be read'
	[ ! -e t ]
	import missing
	[ "$status" = 1 ]
	says 'missing: No such file'
	import /dev/null
	[ "$status" = 1 ]
	[ ! -e t ]
}

@test "import trace-dat: 15 files with some bits turned over crash nothing" {
	cat >turn.py <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		data = bytearray(open('trace.dat', 'rb').read())
		for _ in range(random.randint(1, 8)):
		    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
		open('bad', 'wb').write(data)
	END
	for seed in {1..15}; do
		rm -f t
		python3 -I turn.py "$seed"
		capture timeout 20 "$KTRACE" import --from trace-dat -o t bad
		[ "$status" -le 1 ] || show "$seed"
		[ "$status" -le 1 ]
		[ "$status" = 0 ] || [ -n "$stderr" ]
		[ ! -e t ] || "$KTRACE" list t >/dev/null
	done
}

@test "import trace-dat: memory is read where it is written, and freed" {
	run_valgrind import --from trace-dat -o t trace.dat
	[ "$status" = 0 ]
}

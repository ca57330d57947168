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

@test "import trace-dat: task states are those that the file's description of sched_switch names" {
	local names
	for names in x P; do
		dat 'd = Dat()
d.event("sched", "sched_switch", 372, [
    ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long", "prev_state"),
    ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio")],
    "\"%s\", REC->prev_state & 255 ? __print_flags(REC->prev_state & 255, \"|\", { 1, \"S\"} , { 2, \"D\" }, "
    "{ 64, \"%s\" }) : \"R\"" % ("%s", sys.argv[1]))
for t in 1, 2: d.cpu(0).add(1000 * t, d.events[0], 7 * t, prev_pid=7 * t, prev_state=64, next_pid=14)
d.write("1.dat")' "$names"
		import 1.dat --offset @0
		[ "$status" = 0 ]
		"$KTRACE" list --json t | jq -r .fields.prev_state | sort -u >states
		[ "$(cat states)" = "$([ "$names" = x ] && echo DEAD || echo PARKED)" ]
	done
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

@test "import trace-dat: functions, calls, stacks and trace_printk() have names and text" {
	local shape
	for shape in '6,0,8' '7,1,8' '6,0,4' '6,1,4'; do
		dat 'v, big, size = map(int, sys.argv[1].split(","))
d = Dat(v, big, size)
d.option(UNAME, "Linux a 6.1.0 x86_64")
base = 0xffffffff81000000 if size == 8 else 0xc1000000
d.kallsyms = f"{base:x} T vfs_read\n{base + 0x100:x} t ext4_read.part.0\n{base + 0x200:x} T ksys_read\n" \
             f"{base + 0x300:x} T last\n"
d.printk = f"0x{base + 0x1000:x} : \"got %d of %s: %x\\n\"\n0x{base + 0x1040:x} : \"plain\\n\"\n"
function = d.event("ftrace", "function", 1, [("ulong", "ip"), ("ulong", "parent_ip")],
                   "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip")
enter = d.event("ftrace", "funcgraph_entry", 11, [("ulong", "func"), ("int", "depth")],
                "\"--> %ps (%d)\", (void *)REC->func, REC->depth")
leave = d.event("ftrace", "funcgraph_exit", 10, [("ulong", "func"), ("ulong", "overrun"), ("u64", "calltime"),
                                                 ("u64", "rettime"), ("int", "depth")],
                "\"<-- %ps (%d)\", (void *)REC->func, REC->depth")
stack = d.event("ftrace", "kernel_stack", 4, [("int", "size"), ("ulong[8]", "caller")], "\"%ps\", (void *)REC->caller[0]")
bprint = d.event("ftrace", "bprint", 6, [("ulong", "ip"), ("ptr", "fmt"), ("u32[]", "buf")],
                 "\"%ps: %s\", (void *)REC->ip, REC->fmt")
bputs = d.event("ftrace", "bputs", 15, [("ulong", "ip"), ("ptr", "str")], "\"%ps: %s\", (void *)REC->ip, REC->str")
mark = d.event("ftrace", "print", 5, [("ulong", "ip"), ("char[]", "buf")], "\"%ps: %s\", (void *)REC->ip, REC->buf")
raw = d.event("ftrace", "raw_data", 19, [("int", "id"), ("char[]", "buf")], "\"%x\", REC->id")
c = d.cpu(0)
c.add(1000, function, 7, ip=base + 4, parent_ip=base + 0x210)
c.add(2000, enter, 7, func=base + 0x200, depth=0).add(2100, enter, 7, func=base + 0x100, depth=1)
c.add(2500, leave, 7, func=base + 0x100, depth=1, calltime=2100, rettime=2490)
c.add(2900, leave, 7, func=base + 0x200, depth=0, calltime=2000, rettime=2890).add(2950, enter, 7, func=5, depth=0)
frames = [base + 0x20, base + 0x1ff, base + 0x2aa]
body = stack.payload(0, 7, {"size": 3, "caller": frames + [0] * 5})
stack.payload = lambda *x: body[:-5 * size]
c.add(3000, stack, 7)
c.add(4000, bprint, 7, ip=base + 0x300, fmt=base + 0x1000, buf=d.number(42, 4) + b"seven\0\0\0" + d.number(255, 4))
c.add(4100, bputs, 7, ip=base + 0x300, str=base + 0x1040)
c.add(4200, mark, 7, ip=base + 0x300, buf=b"from: a program\n\0")
c.add(4300, raw, 7, id=9, buf=b"\1\0\2\0")
d.write("1.dat")' "$shape"
		import 1.dat --offset @0
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		valid_trace t
		"$KTRACE" list --json t >t.json
		[ "$(jq -r .event t.json | xargs)" = 'ftrace:function function:ksys_read_begin '"\
"'function:ext4_read.part.0_begin function:ext4_read.part.0_end function:ksys_read_end function:0x5_begin '"\
"'ftrace:kernel_stack ftrace:bprint ftrace:bputs ftrace:print ftrace:raw_data' ]
		jq -se '.[0].fields | .function == "vfs_read" and .parent == "ksys_read"' t.json
		jq -se '.[3].fields.duration == 390 and .[4].fields.duration == 890 and .[2].fields.depth == 1' t.json
		jq -se '.[6].fields | .stack == "vfs_read+0x20 ext4_read.part.0+0xff ksys_read+0xaa" and
			(.caller | length) == 3' t.json
		jq -se '.[7].fields | .text == "got 42 of seven: ff" and .function == "last"' t.json
		jq -se '.[8].fields.text == "plain" and .[9].fields.buf == "from: a program\n"' t.json
		jq -se '.[10].fields | .id == 9 and .buf[:3] == ["0x1", "0x0", "0x2"]' t.json
	done
}

@test "import trace-dat: events of instances say which; values have names; what has no description is counted" {
	local version
	for version in 6 7; do
		dat 'd = Dat(int(sys.argv[1]))
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
named = d.event("my", "named", 600, [("u32", "vec"), ("int", "left"), ("__data_loc ulong[]", "mask"), ("u8[4]", "mac")],
                "\"%s %s\", __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"NET RX\" }, { 0x10, \"LAST\" }), "
                "__print_symbolic(REC->left, { SOME_NAME, \"A\" })")
gone = d.event("my", "gone", 700, [("u32", "x")])
d.events.remove(gone)
d.cpu(0).add(1000, enter, 7, id=63).add(3000, named, 7, vec=16, left=2, mask=d.number(5, 8), mac=b"\1\0\2\3")
d.cpu(0).add(5000, named, 7, vec=1).add(6000, gone, 7, x=3)
d.cpu(0, "foo").add(2000, enter, 8, id=39).add(4000, leave, 8, id=39, ret=1)
d.cpu(1, "bar").add(3500, switch, 9, prev_pid=9, next_pid=10)
d.write("1.dat")' "$version"
		import 1.dat --offset @0
		[ "$status" = 0 ]
		[[ $output == "t: 7 events, "* ]]
		says '1 events stay bytes (ftrace:unknown): .* of type 700 first'
		valid_trace t
		"$KTRACE" list --json t >t.json
		[ "$(jq -r .fields.buffer t.json | xargs)" = 'null foo null bar foo null null' ]
		[ "$(jq -r .event t.json | xargs)" = 'syscall:enter syscall:enter my:named sched:switch syscall:exit '"\
"'my:named ftrace:unknown' ]
		jq -se '.[2].fields | .vec == "LAST" and .left == 2 and .mac != "" and (.mac | length) == 4' t.json
		[ "$(jq -sr '.[5].fields.vec' t.json)" = NET_RX ]
	done
}

@test "import trace-dat: times of a guest are shifted to its host's, as trace-cmd does" {
	local samples
	# Offsets alone; interpolated; with a factor of 3/4; one sample
	for samples in '0 1:100:1:0,5000:300:1:0,9000:200:1:0' '1 1:100:1:0,5000:300:1:0,9000:200:1:0' \
			'1 1:100:3:2,5000:-300:3:2' '0 1:777:3:2'; do
		dat 'd = Dat(7)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux guest 6.1.0 x86_64")
rows = [list(map(int, s.split(":"))) for s in sys.argv[2].split(",")]
shift = d.number(77, 8) + d.number(int(sys.argv[1]), 4) + d.number(1, 4) + d.number(len(rows), 4)
for k in 0, 1, 2: shift += b"".join(d.number(r[k], 8) for r in rows)
shift += b"".join(d.number(r[3], 8) for r in rows)
d.option(TRACEID, d.number(5, 8))
d.option(TIME_SHIFT, shift)
for t in range(1000, 20000, 700): d.cpu(0).add(t, enter, 7, id=t % 200)
d.cpu(1).add(1500, enter, 7, id=1)
d.write("guest.dat")' "${samples% *}" "${samples#* }"
		import guest.dat --offset @0
		[ "$status" = 0 ]
		says "guest.dat: its times are shifted to its host's clock, .*; how wrong they may be the file does not say"
		command -v trace-cmd >/dev/null || continue
		trace-cmd report -t guest.dat 2>/dev/null | sed -n 's/.* \([0-9]*\.[0-9]*\): sys_enter.*/\1/p' >theirs
		"$KTRACE" list --json t | jq -r .raw | sed 's/^/000000000/; s/^0*\([0-9]*\)\([0-9]\{9\}\)$/\1.\2/; s/^\./0./' >ours
		[ "$(wc -l <theirs)" = 29 ]
		diff theirs ours
	done
	dat 'd = Dat(7)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux host 6.1.0 x86_64")
d.option(TRACEID, d.number(77, 8))
d.option(DATE, b"0x5f5e100\0")
for name in b"web", b"db": d.option(GUEST, name + b"\0" + d.number(5, 8) + d.number(1, 4) + d.number(0, 4) + d.number(99, 4))
d.cpu(0).add(1000, enter, 7, id=63)
d.write("host.dat")'
	import host.dat
	[ "$status" = 0 ]
	says 'was recorded with guests, each of which has a file of its own, .*: web db'
	# Each has a tracefile, and the date of the host's file is that of the guest's.
	import guest.dat host.dat guest.dat
	[ "$status" = 0 ]
	[ "$(grep -vc "guest.dat: its times are shifted" <<<"$stderr")" = 0 ]
	[ "$(echo t.*)" = "t.guest t.guest-3 t.host" ]
	# Nothing states an error.
	run_ktrace sync t.host t.guest
	says '^guest: absent'
	"$KTRACE" list --json t.host t.guest | jq -se 'all(.trace == 0 or .error_ns == null)'
	"$KTRACE" list --json t.guest >guest.json
	[[ $("$KTRACE" info t.guest) == *"1970-01-01T00:01:40.0000015"* ]]
	[ "$(wc -l <guest.json)" = 29 ]
	[ "$("$KTRACE" list t.host t.guest | wc -l)" = 30 ]
	# A guest whose clock was not compared
	dat 'd = Dat(7)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux guest 6.1.0 x86_64")
d.option(TRACEID, d.number(5, 8))
d.cpu(0).add(1500, enter, 7, id=1)
d.write("own.dat")'
	import host.dat own.dat --offset @0
	[ "$status" = 0 ]
	says 'own.dat: is of a guest, but has no time shifts: its times are of its own clock'
}

@test "import trace-dat: losses are at their place; those that only statistics have are at the end" {
	local version
	for version in 6 7; do
		dat 'd = Dat(int(sys.argv[1]))
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
d.cpu(0).add(1000, enter, 7, id=1).lose(40).add(2000, enter, 7, id=2).lose(None).add(3000, enter, 7, id=3)
d.cpu(1).add(1500, enter, 7, id=4)
d.cpu(0, "foo").add(1700, enter, 7, id=5)
stats = "entries: 0\noverrun: {}\ncommit overrun: {}\nbytes: 0\nnow ts: 1.0\ndropped events: {}\nread events: 3\n"
d.option(CPUSTAT, "CPU: 0\n" + stats.format(50, 0, 0))
d.option(CPUSTAT, "CPU: 1\n" + stats.format(0, 2, 5).replace("events: 3", "events: 101"))
d.option(CPUSTAT, "CPU: 2\n" + stats.format(0, 0, 0))
d.option(CPUSTAT, "\nBuffer: foo\n\n")
d.option(CPUSTAT, "CPU: 0\n" + stats.format(1000, 0, 0).replace("events: 3", "events: 1"))
d.write("1.dat")' "$version"
		import 1.dat --offset @0
		[ "$status" = 0 ]
		# 40, some, and 50 - 41 more; 2, 5, and 100 that trace-cmd did not keep; 3 of another CPU; 1000
		[[ $output == "t: 5 events, 1160 lost, "* ]]
		valid_trace t
		run_ktrace info t
		says '^lost  *1160'
		run_ktrace list t
		says 'lost'
	done
}

@test "import trace-dat: what cannot be read is named" {
	dat 'd = Dat(7)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
for i in range(900): d.cpu(i % 2).add(1000 + i, enter, 7, id=1)
d.write("1.dat")
data = open("1.dat", "rb").read()
open("version.dat", "wb").write(data.replace(b"tracing7", b"tracing8", 1))
open("codec.dat", "wb").write(data.replace(b"none\x001.0", b"lz4\x001.99", 1))
open("trace.dat.cpu0", "wb").write(data[8192:])
open("session.json", "w").write("{\"type\": \"kshark.config.session\"}")
d = Dat(6); enter, leave, switch = d.usual(); d.texts[""] = b"# tracer: wakeup\n"; d.write("latency.dat")'
	import version.dat
	[ "$status" = 1 ]
	says 'version 8 of the format: only 6 and 7'
	import codec.dat
	[ "$status" = 1 ]
	says 'compressed with lz4 1.99: only zlib and zstd'
	import trace.dat.cpu0
	[ "$status" = 1 ]
	says 'the pages of one CPU, .*trace-cmd restore'
	import session.json
	[ "$status" = 1 ]
	says 'a session of KernelShark'
	import latency.dat
	[ "$status" = 1 ]
	says 'the text of a latency tracer is left out'
	# A page in the middle that is damaged, and a file that ends in a page
	dat 'd = Dat(6)
enter, leave, switch = d.usual()
d.option(UNAME, "Linux a 6.1.0 x86_64")
for i in range(900): d.cpu(i % 2).add(1000 + i, enter, 7, id=1)
d.write("1.dat")
data = bytearray(open("1.dat", "rb").read())
at = data.rindex(d.number(1001, 8) + d.number(0, 0))
data[at + 4096 + 8:at + 4096 + 12] = b"\xff\xff\xff\x07"
open("page.dat", "wb").write(data)
open("cut.dat", "wb").write(data[:at + 4096])'
	import page.dat --offset @0
	[ "$status" = 1 ]
	says 'damaged or truncated at byte [0-9]*: a page cannot be read'
	[[ $output == "t: "[678]*" events, 1 lost, "* ]]
	valid_trace t
	import cut.dat --offset @0
	[ "$status" = 1 ]
	says 'damaged or truncated at byte [0-9]*: data of a CPU cannot be read'
	[[ $output == "t: "5*" events, "* ]]
	valid_trace t
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

@test "import trace-dat: a description that exhausts the stack of libtraceevent is an error" {
	dat 'd = Dat()
e = d.event("my", "deep", 600, [("u32", "x")], "\"%d\", " + "(" * 2000000 + "REC->x" + ")" * 2000000)
d.cpu(0).add(1000, e, 7, x=1)
d.write("1.dat")'
	import 1.dat --offset @0
	[ "$status" = 1 ]
	says 'reading this file crashed'
	[ ! -e t ]
	[ "$(find . -name "t.*" | wc -l)" = 0 ]
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

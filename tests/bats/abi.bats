#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# abi.bats - system calls of other tables than the machine's own: of 32-bit programs, of
# int $0x80 in 64-bit ones, of x32, and those that no table has. Judges are an instance of ftrace,
# which knows numbers, and strace, which knows names.

load helpers

T=/sys/kernel/tracing/instances/abi

setup()
{
	requires_dev
	[ "$(uname -m)" = x86_64 ] || skip "of x86"
	setup_test
}

teardown()
{
	[ ! -d $T ] || retry 0.1 rmdir $T
	teardown_test
}

# record PROGRAM [ARG...]: by both; what ftrace saw of it is in the file "ftrace", a line for each
# event: enter NR ARG..., or exit NR RESULT
record()
{
	mkdir -p $T
	echo >$T/trace
	echo 1 >$T/events/raw_syscalls/enable
	run_ktraced -e syscall -o t -- bash -c "echo \$\$ >pid; exec $*"
	echo 0 >$T/events/raw_syscalls/enable
	[ "$(summary lost)" = 0 ]
	sed -nE "/-$(cat pid) +\[/ { s/.*: sys_enter: NR (-?[0-9]+) \((.*)\)/enter \1 \2/p
		s/.*: sys_exit: NR (-?[0-9]+) = (-?[0-9]+)/exit \1 \2/p }" $T/trace | tr -d , >ftrace
}

# numbers: what ktrace recorded, as the file "ftrace" has it. A name becomes a number by the
# headers of its own table.
numbers()
{
	"$KTRACE" list --json --filter "tid == $(cat pid)" t | python3 -c '
import json, re, sys
def table(header, extra):
    text = open("/usr/include/x86_64-linux-gnu/asm/unistd_%s.h" % header).read()
    found = re.findall(r"__NR_(\w+) \(?(?:__X32_SYSCALL_BIT \+ )?(\d+)", text)
    return {name: int(number) + extra for name, number in found}
tables = {"native": table("64", 0), "i386": table("32", 0), "x32": table("x32", 1 << 30)}
for line in sys.stdin:
    e = json.loads(line)
    f = e["fields"]
    nr = f["nr"] if isinstance(f["nr"], int) else tables[f["abi"]][f["nr"]]
    if e["event"] == "syscall:enter":
        print("enter", nr, *(a[2:] for a in f["args"]))
    else:
        print("exit", nr, f["ret"])'
}

# same: both saw the same from the first exec on, by which the shell begins
same()
{
	numbers >ktrace
	for f in ftrace ktrace; do
		sed -n '/^enter 59 /,$p' $f >$f.execs
		[ "$(wc -l <$f.execs)" -gt 40 ]
	done
	diff ftrace.execs ktrace.execs
}

# calls: "abi name" of each call from the program's first one on
calls()
{
	"$KTRACE" list --json "$@" t | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "syscall:enter":
        print(e["fields"]["abi"], e["fields"]["nr"])'
}

I386="i386 getpid
i386 getppid
i386 uname
i386 open
i386 close
i386 openat
i386 close
i386 write
i386 1000
i386 -1
i386 sigaction
i386 kill
i386 sigreturn
i386 rt_sigaction
i386 kill
i386 rt_sigreturn
i386 exit"

@test "a 32-bit program: numbers, arguments and results as ftrace has them, names of its table" {
	record "$PROGS/calls_i386"
	[ "$status" = 0 ]
	same
	diff <(echo "$I386") <(calls --filter 'abi == i386')
	# exec has left the table that it was called in when it returns.
	run_ktrace list --filter 'nr == execve && event == syscall:exit' t
	[[ $output == *'nr=execve abi=i386 ret=0' ]]
	# Names as strace has them, of calls that have one
	strace -o s "$PROGS/calls_i386"
	diff <(sed -nE '1d; s/^([a-z][a-z0-9_]*)\(.*/\1/p' s | grep -v ^syscall_) \
		<(calls --filter 'abi == i386' | awk '$2 !~ /^-?[0-9]+$/ { print $2 }')
}

@test "the exits of sigreturn() and rt_sigreturn() have number -1, in text, JSON and filters" {
	record "$PROGS/calls_i386"
	run_ktrace list --filter 'nr == -1 && event == syscall:exit' t
	# That of the call -1, too
	[ "$(grep -c . <<<"$output")" = 3 ]
	[ "$(grep -c 'nr=-1 abi=i386 ret=' <<<"$output")" = 3 ]
	run_ktrace list --json --filter 'nr < 0' t
	[ "$(grep -c '"nr":-1,"abi":"i386"' <<<"$output")" = 4 ]
	run_ktraced -e 'syscall{nr == -1}' -o k -- "$PROGS/calls_i386"
	[ "$(summary events)" = 4 ]
	run_ktraced -e 'syscall{nr < 0 && abi == native}' -o k -- "$PROGS/calls_mixed"
	[ "$(summary events)" = 3 ]	# the call -1, and the exit of rt_sigreturn()
}

@test "a 64-bit program that makes calls of all tables" {
	record "$PROGS/calls_mixed" "$PROGS/calls_i386"
	[ "$status" = 0 ]
	same
	calls | sed -n '/^i386 getppid$/,$p' >saw
	# A kernel that was built without x32 does not know its numbers from others.
	x32=$(sed -nE 's/(native|x32) 1073742824/\1/p' saw)
	if "$PROGS/calls_mixed"; then
		[ "$x32" = x32 ]
		x32="x32 openat
x32 close
x32 1073742824"
	else
		x32="$x32 1073742081
$x32 1073741827
$x32 1073742824"
	fi
	diff saw - <<-END
	i386 getppid
	native openat
	i386 close
	i386 openat
	native close
	i386 1000
	native 1000
	native -1
	i386 -1
	native rt_sigaction
	native getpid
	native kill
	native rt_sigreturn
	$x32
	i386 execve
	$I386
	END
}

@test "a name is the call of that name in each table, a number the number: kernel and viewer agree" {
	local e names numbers
	run_ktraced -e syscall -o t -- "$PROGS/calls_mixed" "$PROGS/calls_i386"
	for e in 'nr == openat' 'nr == 5' 'nr != close && abi == i386' 'nr ~ "*sigreturn"' \
		'!(nr == kill) && nr >= 1000'; do
		"$KTRACE" list --json --filter "$e" t >all
		run_ktraced -e "syscall{$e}" -o k -- "$PROGS/calls_mixed" "$PROGS/calls_i386"
		[ "$status" = 0 ]
		"$KTRACE" list --json k >some
		for f in all some; do
			grep -v '"nr":"\(brk\|mprotect\|mmap\|prctl\|readlink.*\|execve\|write\|read\)"' $f |
				grep -o '"event":.*"nr":[^,]*,"abi":[^,]*' >$f.calls || true
		done
		echo "$e"
		diff all.calls some.calls
	done
	# As many as there are
	run_ktraced -e 'syscall:enter{nr == openat}' -o k -- "$PROGS/calls_mixed" "$PROGS/calls_i386"
	n=3
	! "$PROGS/calls_mixed" || n=4
	[ "$(summary events)" = "$n" ]
	run_ktraced -e 'syscall:enter{nr == 6}' -o k -- "$PROGS/calls_i386"
	[ "$(summary events)" = 2 ]	# close
}

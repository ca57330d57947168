#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# offcpu.bats - where threads wait, by stacks of the kernel's sched:switch and lock:contended: folded

# shellcheck disable=SC2154 # capture sets status, output

load helpers

setup()
{
	requires_dev
	setup_test
}

teardown()
{
	exec 5>&-
	teardown_test
}

# is_waiting NAME: the process of that name sleeps
is_waiting()
{
	local p
	p=$(pgrep -x "$1") && [ "$(state_of "$p")" = S ]
}

# record_blocks N OPTION...: ktraced records blocks, which has waited N times
record_blocks()
{
	local i n=$1
	shift
	mkfifo gate
	start_ktraced -o t "$@" -- sh -c 'exec "$0" "$1" <gate' "$PROGS/blocks" "$n"
	exec 5<>gate
	for ((i = 0; i < n; i++)); do
		retry 0.05 is_waiting blocks
		echo -n x >&5
	done
	wait_for "$pid"
	[ "$status" = 0 ]
}

# summed FOLDED: of the thread blocks, the ns of lines whose stack goes through blocks_inner; and
# the ns from each sched:switch with that stack to the next that brings it back, of ktrace list
summed()
{
	"$KTRACE" list --json --stacks --symbols -e sched:switch t >switches
	python3 - "$1" <<-'END'
	import json, re, sys
	folded = sum(int(line.rsplit(' ', 1)[1]) for line in open(sys.argv[1])
	             if re.match(r'blocks \(\d+\);blocks \(\d+\);wait', line) and ';blocks_inner;' in line)
	total, off = 0, {}
	for line in open('switches'):
	    e = json.loads(line)
	    f = e['fields']
	    if f["next_tid"] in off:
	        total += e['ns'] - off.pop(f['next_tid'])
	    if any(s.startswith('blocks_inner') for s in e.get('stacks', {}).get('ustack', [])):
	        off[f['prev_tid']] = e['ns']
	assert folded == total > 0, (folded, total)
	END
}

@test "time off the CPU is where the program waits: stacks of program and kernel, sums exact" {
	record_blocks 3 -e sched,syscall --context 'sched:switch=kstack,ustack'
	run_ktrace export --to folded --symbols -o folded t
	[ "$status" = 0 ]
	grep blocks_inner folded
	grep -Eq '^blocks \([0-9]+\);blocks \([0-9]+\);wait:[a-z]+;syscall:read;(.*;)?main;blocks_outer;blocks_inner;.*'$IN_SYSCALL'_\[k\];.*read_\[k\];.*schedule_\[k\] [0-9]+$' folded
	# When it ran it was in no stack of a switch.
	fails grep -E ';(run|exit).*blocks_inner' folded
	summed folded
}

@test "time off the CPU: without stacks there is the call" {
	record_blocks 2 -e sched,syscall
	run_ktrace export --to folded t
	[ "$status" = 0 ]
	grep -Eq '^blocks \([0-9]+\);blocks \([0-9]+\);wait:[a-z]+;syscall:read [0-9]+$' <<<"$output"
	fails grep -F '_[k]' <<<"$output"
}

# fight: two processes write to one file; whether one of them has waited for its lock
fight()
{
	local write='dd if=/dev/zero of=/dev/shm/fought bs=8M count=3 conv=notrunc status=none'
	run_ktraced -q -o t -e lock,sched:comm --context 'lock:contended=kstack' -- sh -c "$write & $write; wait"
	rm -f /dev/shm/fought
	"$KTRACE" export --to folded --by locks -o folded t
	grep -E '^dd \([0-9]+\);dd \([0-9]+\);kernel-rwsem 0x[0-9a-f]{16};.*'$IN_SYSCALL'_\[k\];.*write_\[k\];.* [1-9][0-9]*$' folded
}

@test "time waited for locks of the kernel has the stack of who waits" {
	within 20 0 fight
}

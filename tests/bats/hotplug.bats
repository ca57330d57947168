#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# hotplug.bats - CPUs go and come while events are recorded: nothing is lost uncounted
load helpers

MODULES=$BUILD/kernel/$(uname -r)

setup()
{
	requires_dev
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip "has no CPU that can go offline"
	setup_test
}

teardown()
{
	rm -f toggling
	[ -z "${toggler:-}" ] || wait "$toggler" || true
	for cpu in /sys/devices/system/cpu/cpu*/online; do
		[ ! -e "$cpu" ] || [ "$(cat "$cpu")" = 1 ] || echo 1 >"$cpu"
	done
	rmmod logevent 2>/dev/null || true
	teardown_test
}

# toggle: CPUs go and come from now on
toggle()
{
	touch toggling
	"$PROGS/dev_hotplug" toggle "$PWD/toggling" 3>&- &
	toggler=$!
}

# toggled: they did so until now, all of them are back
toggled()
{
	rm toggling
	wait "$toggler"
	toggler=
	[ "$(cat /sys/devices/system/cpu/online)" = "$(cat /sys/devices/system/cpu/present)" ]
}

@test "a CPU that comes after the start of a session has a ring" {
	"$PROGS/dev_hotplug" late_cpu
}

@test "what a CPU recorded is read after it has gone" {
	"$PROGS/dev_hotplug" ring_outlives_cpu
}

@test "system calls of three threads while CPUs go and come" {
	"$PROGS/dev_hotplug" under_load
}

# bats test_tags=long
@test "sessions are made and closed while CPUs go and come" {
	"$PROGS/dev_hotplug" sessions
}

@test "process, interrupt and kernel thread while CPUs go and come: ledger" {
	toggle
	"$PROGS/dev_log" "$MODULES/logevent.ko" 0 65536 20000 "$(n 20000)" 5000
	"$PROGS/dev_log" "$MODULES/logevent.ko" 1 65536 0 "$(n 20000)" 5000
	"$PROGS/dev_log" "$MODULES/logevent.ko" 3 65536 20000 "$(n 20000)" 5000
	toggled
}

# use_cpu1: a program that uses CPU 1 now and again. CPU 1 comes first, if it is not there.
use_cpu1='use() { n=$1; while [ "$n" -gt 0 ]; do taskset -c 1 true; sleep 0.1; n=$((n - 1)); done; }
	cpu1=/sys/devices/system/cpu/cpu1/online'

# counted FIRST: at the last exec on CPU 1 there is a value, if FIRST is "first" also at the first one;
# none is below one before
counted()
{
	run_ktrace list --json -e sched:exec t
	grep '"cpu":1[,}]' <<<"$output" |
		awk '{ has = match($0, /"page-faults":[0-9]+/) }
			has { value = substr($0, RSTART + 14, RLENGTH - 14) + 0 }
			has && value < last { print "from", last, "to", value; bad = 1 }
			has { last = value }
			NR == 1 { first = has }
			END { print NR, "events, value", last; exit bad || !NR || !has || "'"$1"'" == "first" && !first }'
}

# bats test_tags=long
@test "counters go on from where they were on a CPU that has gone and come" {
	run_ktraced -e sched --context sched:exec=perf:page-faults -o t -- sh -c "$use_cpu1"'
		use 3; echo 0 >$cpu1; echo 1 >$cpu1; use 10; echo 0 >$cpu1; echo 1 >$cpu1; use 10'
	[ "$status" = 0 ]
	counted first
}

@test "a CPU that comes after the start of a session has counters" {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	run_ktraced -e sched --context sched:exec=perf:page-faults -o t -- sh -c "$use_cpu1"'
		echo 1 >$cpu1; use 10'
	[ "$status" = 0 ]
	counted later
}

@test "writers in user space while CPUs go and come: all events, in order" {
	toggle
	for rings in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$rings capture "$PROGS/user_ledger" -p block -r 65536 -b 4096 \
			"$PROGS/user_flood" -t 4 -n "$(n 100000)" -s 0:40
		show user_ledger "$rings"
		[ "$status" = 0 ]
		grep '^ledger ok' <<<"$output"
		[ "$(grep -c '^lost' <<<"$output")" = 0 ]
	done
	toggled
}

@test "a recording with user and kernel events while CPUs go and come" {
	# With pauses, so that CPUs go several times, whatever the speed of the machine.
	toggle
	run_ktraced -e sched,flood -b 4M -o t -- "$PROGS/flood" -p 2 -t 2 -n 2000 -u 1000
	[ "$status" = 0 ]
	toggled
	valid_trace t
	run "$PROGS/check_flood" t
	echo "$output"
	[ "$status" = 0 ]
	[ "$(summary noring)" = 0 ]
	[ "$(summary lost)" != 0 ] || [ "$output" = "read 8000 lost 0" ]
	run_ktrace info t
	grep -q 'sched:migrate' <<<"$output"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# suspend.bats - the machine sleeps and its clocks are set while events are recorded
#
# /sys/power/pm_test suspends in earnest, processes, devices, CPUs and clocks, but for the
# firmware: for four seconds the machine just waits. Debian's cloud kernels do not have it.
load helpers
load service

setup()
{
	requires_dev
	setup_test
}

teardown()
{
	[ ! -w /sys/power/pm_test ] || echo none >/sys/power/pm_test
	rmmod virtio_awake 2>/dev/null || true
	# what was set by a step or a slew goes back
	[ -z "${wall:-}" ] || date -s "@$wall" >/dev/null
	teardown_test
}

# requires_sleep: to be suspended
requires_sleep()
{
	[ -w /sys/power/pm_test ] || skip "this kernel has no /sys/power/pm_test"
	insmod "$BUILD/kernel/$(uname -r)/virtio_awake.ko"
	# The clock by which the length of a sleep is known has seconds: one may be missing.
	echo 4 >/sys/module/suspend/parameters/pm_test_delay
	echo core >/sys/power/pm_test
}

# disturbed DISTURBANCE OPTION...: record clocks and two processes that flood, meanwhile;
# each event is there or counted, and where it belongs in time
disturbed()
{
	local what=$1
	shift
	capture "$KTRACED" "$@" -b 8M -o t -- sh -c \
		"'$PROGS/flood' -p 2 -t 2 -n $(n 20000) -u 500 & '$PROGS/witness' 2000 $what && wait"
	show ktraced "$@"
	[ "$status" = 0 ] || return 1
	grep -q '^written' <<<"$output"
	[ "$(summary lost)" = 0 ]
	valid_trace t
	run "$PROGS/check_witness" t
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = "events 2000 sleeps $([ "$what" = sleep ] && echo 3 || echo 0)" ]
	run "$PROGS/check_flood" t
	echo "$output"
	[ "$output" = "read $((4 * $(n 20000))) lost 0" ]
}

@test "suspended three times: nothing lost, times are right, user and kernel events" {
	requires_sleep
	disturbed sleep --backend=dev -e sched,flood,witness
}

@test "suspended three times: counters go on, on each CPU" {
	requires_sleep
	run_ktraced -e sched --context sched:switch=perf:context-switches -o t -- \
		"$PROGS/witness" 2000 sleep
	[ "$status" = 0 ]
	run_ktrace list --json -e sched:switch t
	awk -v cpus="$(nproc)" '
		{ match($0, /"cpu":[0-9]+/); cpu = substr($0, RSTART + 6, RLENGTH - 6) }
		!match($0, /"context-switches":[0-9]+/) { has[cpu] = 0; next }
		{ value = substr($0, RSTART + 19, RLENGTH - 19) + 0; has[cpu] = 1 }
		value < last[cpu] { print "CPU " cpu ": from", last[cpu], "to", value; bad = 1 }
		{ last[cpu] = value }
		END {
			for (cpu in has) {
				print "CPU " cpu ": " (has[cpu] ? last[cpu] : "no counter any more")
				nr += has[cpu]
			}
			exit bad || nr != cpus
		}' <<<"$output"
}

@test "suspended three times: shared memory" {
	requires_sleep
	disturbed sleep --backend=shm -e flood,witness
}

@test "suspended with the clock of the other kind" {
	requires_sleep
	local clock=tsc
	grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource &&
		clock=monotonic
	rmmod ktrace
	insmod "$BUILD/kernel/$(uname -r)/ktrace.ko" "clock=$clock"
	local ok=no
	disturbed sleep --backend=dev -e sched,flood,witness && ok=yes
	rmmod ktrace
	insmod "$BUILD/kernel/$(uname -r)/ktrace.ko"
	[ "$ok" = yes ]
}

@test "the wall clock is set forth and back: the time line does not follow" {
	wall=$(date +%s)
	disturbed step --backend=dev -e sched,flood,witness
	wall=
}

@test "the wall clock is set forth and back: the service's snapshots say each step" {
	wall=$(date +%s)
	start_service
	cases data stepped
	wall=
}

@test "a wall clock beyond 2038: ktraced looks at the rings now and then" {
	wall=$(date +%s)
	date -s 2040-01-01 >/dev/null
	start_ktraced -o t -- sleep 4
	retry 0.05 test -s t
	sleep 0.5
	# in hundredths of a second
	local before used
	read -ra before <<<"$(sed 's/.*) //' "/proc/$pid/stat")"
	sleep 2
	read -ra used <<<"$(sed 's/.*) //' "/proc/$pid/stat")"
	echo "user ${before[11]} to ${used[11]} system ${before[12]} to ${used[12]}"
	[ $((used[11] + used[12] - before[11] - before[12])) -lt 50 ]
	wait_for "$pid"
	[ "$status" = 0 ]
	date -s "@$wall" >/dev/null
	wall=
}

@test "the clock's rate is changed: the time line follows" {
	disturbed slew --backend=dev -e sched,flood,witness
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Nobody changes registers, memory or files of a program: not while it is recorded, nor while
# recordings and the module come and go. tests/progs/detector.c compares; that it can tell is tried
# first. About a minute on the host and as much in a VM; KTRACE_LONG: an hour each.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

MODULES=$BUILD/kernel/$(uname -r)
SECONDS_EACH=${KTRACE_LONG:+3600}
SECONDS_EACH=${SECONDS_EACH:-4}

setup()
{
	setup_test
	cp "$BASH" file
}

teardown()
{
	rm -f churning
	[ -z "${churn:-}" ] || wait "$churn" || true
	! in_guest || [ -e /dev/ktrace ] || insmod "$MODULES/ktrace.ko"
	teardown_test
}

clean()
{
	[ "$status" = 0 ] || [ "$status" = 4 ] || return 1
	grep -x 'detector: nothing was changed' <<<"$output" || return 1
	! grep CHANGED <<<"$output" || return 1
}

# churn COMMAND...: again and again, until churned
churn()
{
	touch churning
	while [ -e churning ]; do
		"$@" && echo >>rounds
	done >/dev/null 2>&1 3>&- &
	churn=$!
}

# churned: until now, at least twice without an error
churned()
{
	# On a busy machine a round may take longer than what ran beside it.
	while [ "$(cat rounds 2>/dev/null | wc -l)" -lt 2 ] && kill -0 "$churn"; do
		sleep 0.2
	done
	rm churning
	wait "$churn"
	churn=
	echo "rounds: $(wc -l <rounds)"
	[ "$(wc -l <rounds)" -ge 2 ]
}

# bats test_tags=alike
@test "what is damaged on purpose is found: each register, page, word, and the sum of sequences" {
	for damage in general flags control vector sequence heap fresh shared file; do
		capture "$PROGS/detector" "$(in_guest && echo 6 || echo 1)" file "$damage"
		show detector "$damage"
		[ "$status" = 1 ]
		grep "^CHANGED $damage" <<<"$output"
		[ -z "$(grep CHANGED <<<"$output" | grep -vE "^CHANGED ($damage|child) ")" ]
	done
}

# bats test_tags=alike
@test "a program that is not recorded; in a VM without the module" {
	! in_guest || retry 0.1 rmmod ktrace
	capture "$PROGS/detector" "$SECONDS_EACH" file
	show detector
	clean
}

@test "a program of which everything is recorded" {
	local what=(--pthread)
	in_guest && what+=(--all -e sched,syscall,irq,softirq,timer,fault,signal,detector,pthread)
	run_ktraced "${what[@]}" --policy overwrite -b 256K -o t -- \
		"$PROGS/detector" "$SECONDS_EACH" file
	clean
	[ "$(summary events)" -gt 100 ]
}

# one_recording: of another program, stopped or killed in its midst
one_recording()
{
	local how=TERM
	((RANDOM % 2)) && how=KILL
	timeout -s "$how" 0.3 "$KTRACED" -q "--backend=$KTRACE_BACKEND" --pthread -b 64K -o other -- \
		"$PROGS/pthread_steady" 0
	"$KTRACED" -q --recover || true
}

# bats test_tags=alike
@test "recordings that start, stop and die beside it" {
	churn one_recording
	capture "$PROGS/detector" "$SECONDS_EACH" file
	churned
	show detector
	clean
}

@test "the recording of the program dies in its midst" {
	start_ktraced --pthread --policy block -b 64K -o t -- \
		"$PROGS/detector" "$SECONDS_EACH" "$PWD/file"
	sleep 2
	kill -KILL "$pid"
	retry 0.2 grep -q '^detector: ' ktraced.out
	status=0 output=$(cat ktraced.out)
	clean
}

# module_and_cpus: CPU 1 and the module go and come, with a session between
module_and_cpus()
{
	local cpu=/sys/devices/system/cpu/cpu1/online
	timeout 0.5 "$KTRACED" -q --all -e sched,syscall,irq -b 64K -o all
	[ ! -e $cpu ] || echo 0 >$cpu
	rmmod ktrace || return 1
	[ ! -e $cpu ] || echo 1 >$cpu
	insmod "$MODULES/ktrace.ko"
}

# bats test_tags=dev
@test "the module is unloaded and loaded, CPUs go and come" {
	requires_dev
	churn module_and_cpus
	capture "$PROGS/detector" $((2 * SECONDS_EACH)) file
	churned
	show detector
	clean
}

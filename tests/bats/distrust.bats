#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# distrust.bats - machines whose cycle counter is no good clock, or turns out to be none: VMs of
# their own, as the kernel does not change its mind
load helpers
load own_vm

setup()
{
	setup_test
	modules_for_vm awake
}

teardown()
{
	teardown_test
}

# in_vm COMMAND...: with the module; $1 there is its folder, $2 ktraced, $3 ktrace, $4 flood
in_vm()
{
	capture "$VM" run -k "$KERNEL" -m 1024 -t 200 -o out -- bash -ec 'insmod "$1/ktrace.ko"; cd /mnt/out
		'"$1" - "$modules" "$KTRACED" "$KTRACE" "$PROGS/flood"
	show in_vm "$1"
	[ "$status" = 0 ]
}

# in_order FILE: all that was written, as time goes
in_order()
{
	"$KTRACE" check "$1"
	"$KTRACE" list --json -e flood "$1" | jq -s -e '[.[].ns] | length >= 800 and . == sort'
}

# bats test_tags=long
@test "the cycle counter turns out to be no good clock: said, nothing lost, later recordings have another" {
	in_vm 'grep -qw tsc /sys/devices/system/clocksource/clocksource0/available_clocksource
		"$2" --backend=dev -e flood,log -o meanwhile -- sh -ec "\"$4\" -n 400
			insmod \"$1/tsc_unstable.ko\"; sleep 3; \"$4\" -n 400" 2>meanwhile.err
		for backend in dev shm; do
			"$2" --backend=$backend -e flood -o $backend -- "$4" -n 800 2>$backend.err
		done'
	grep 'no longer trusts the cycle counter' out/meanwhile.err
	fails grep 'no longer trusts' out/dev.err out/shm.err
	"$KTRACE" info --json out/meanwhile | jq -e '.files[0].clock == "tsc"'
	"$KTRACE" info --json out/dev | jq -e '.files[0].clock == "monotonic"'
	for file in meanwhile dev shm; do
		grep ' 0 lost' "out/$file.err"
		in_order "out/$file"
	done
}

# bats test_tags=long
@test "a cycle counter that the kernel was told not to trust is not taken" {
	KTRACE_VM_APPEND=tsc=unstable in_vm 'for backend in dev shm; do
			"$2" --backend=$backend -e flood -o $backend -- "$4" -n 800 2>$backend.err
		done'
	for file in dev shm; do
		grep -q ' 0 lost' "out/$file.err"
		in_order "out/$file"
		"$KTRACE" info --json "out/$file" | jq -e '.files[0].clock == "monotonic"'
	done
}

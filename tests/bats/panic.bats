#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# panic.bats - events in a notifier of a panic: a VM of its own
load helpers
load own_vm

# bats test_tags=long
@test "SHK-20: an event in a panic does not wait for a CPU that was stopped" {
	modules_for_vm provoke
	run "$VM" run -k "$KERNEL" -t 120 -- sh -c \
		'insmod "$1/ktrace.ko"; insmod "$1/panic_log.ko"' - "$modules"
	[ "$status" = 125 ]
	[[ $output == *"panic_log: 1000 events in "* ]]
}

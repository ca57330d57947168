#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# panic.bats - events in a notifier of a panic: a VM of its own
load helpers

VM=$BATS_TEST_DIRNAME/../vm/vm
KERNEL=${KTRACE_KERNELS:-6.12-cloud}
KERNEL=${KERNEL##* }

@test "SHK-20: an event in a panic does not wait for a CPU that was stopped" {
	local kdir release
	requires_root
	kdir=$("$VM" kdir "$KERNEL")
	release=$(make -s -C "$ROOT" print-krel KDIR="$kdir")
	make -s -C "$ROOT" module KDIR="$kdir"
	"$ROOT/scripts/kbuild" provoke "$kdir" "$BUILD/kernel/$release"
	run "$VM" run -k "$KERNEL" -t 120 -- sh -c \
		'insmod "$1/ktrace.ko"; insmod "$1/panic_log.ko"' - "$BUILD/kernel/$release"
	[ "$status" = 125 ]
	[[ $output == *"panic_log: 1000 events in "* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# lockdown.bats - what is not recorded with a kernel that is locked down: a VM of its own, as
# there is no way back
load helpers
load own_vm

setup()
{
	setup_test
	modules_for_vm
}

teardown() { teardown_test; }

# In the guest: $1 is the module, $2 ktraced. The probe is older than the lockdown.
attempts()
{
	local what
	insmod "$1"
	mount -t securityfs none /sys/kernel/security
	echo 'p:older/read vfs_read' >/sys/kernel/tracing/kprobe_events
	cd /mnt/out
	for when in before after; do
		for what in tp:sched:sched_switch tp:older:read kprobe:vfs_write fault,sched,lock; do
			"$2" -q -o /run/t -e "$what" -- true 2>"$when.$what" || echo "$?" >>"$when.$what"
		done
		"$2" -o /run/t -e sched --context kstack -- true 2>"$when.kstack"
		dmesg | grep -o 'Lockdown: ktraced: .* is restricted' | sort -u >"$when.log" || true
		echo confidentiality >/sys/kernel/security/lockdown || true
	done
}

# bats test_tags=long
@test "a kernel that is locked down: no tracepoint, no probe, no stack of the kernel, and it is said" {
	local what why='the kernel is locked down (confidentiality in /sys/kernel/security/lockdown)'
	KTRACE_VM_APPEND=lsm=lockdown capture "$VM" run -k "$KERNEL" -m 1024 -t 200 -o out -- bash -c \
		"$(declare -f attempts); set -e; attempts \"\$@\"" - "$modules/ktrace.ko" "$KTRACED"
	show "$VM"
	[ "$status" = 0 ]
	tail -v out/*
	[ ! -s out/before.log ]
	for what in tp:sched:sched_switch tp:older:read kprobe:vfs_write fault,sched,lock; do
		[ ! -s "out/before.$what" ]
	done
	for what in tp:sched:sched_switch tp:older:read kprobe:vfs_write; do
		grep -F "$why" "out/after.$what"
		[ "$(tail -n 1 "out/after.$what")" = 125 ]
	done
	[ ! -s out/after.fault,sched,lock ]
	fails grep stacks out/before.kstack
	grep -Fx "ktraced: --context: no kernel stacks: $why; the rest is recorded" out/after.kstack
	grep -Fx 'Lockdown: ktraced: unsafe use of perf is restricted' out/after.log
	grep -Fx 'Lockdown: ktraced: use of kprobes is restricted' out/after.log
}

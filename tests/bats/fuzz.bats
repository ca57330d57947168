#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: kasan
# fuzz.bats - random system calls on /dev/ktrace, under KASAN and lockdep
#
# KTRACE_FUZZ_SEED repeats a run, KTRACE_FUZZ_CALLS says how many calls. Memory that leaked
# is looked for by the VM (vm run -l).
load helpers

setup()
{
	requires_dev
	requires_root
	has_kasan || skip "needs a kernel with KASAN"
	setup_test
	rmmod ktrace
	insmod "$BUILD/kernel/$(uname -r)/ktrace.ko" max_session_mb=8 max_user_mb=24
	chmod 666 /dev/ktrace
	echo 1 >/sys/kernel/rcu_expedited
}

teardown()
{
	has_kasan || return 0
	echo 0 >/sys/kernel/rcu_expedited
	rmmod ktrace
	insmod "$BUILD/kernel/$(uname -r)/ktrace.ko"
	teardown_test
}

has_kasan()
{
	grep -q ' kasan_report$' /proc/kallsyms
}

# memory: KiB that nobody can give back
memory()
{
	awk '/^(SUnreclaim|VmallocUsed|PageTables|KernelStack):/ { n += $2 } END { print n }' \
		/proc/meminfo
}

@test "random calls: the module forgets all sessions, can be unloaded, the log is clean" {
	local group calls=${KTRACE_FUZZ_CALLS:-100000}
	for group in 0 1; do
		echo "$group" >/sys/module/ktrace/parameters/group_kernel
		"$PROGS/dev_fuzz" -s "${KTRACE_FUZZ_SEED:-$RANDOM}" -n "$((calls / 2))"
	done
	echo 0 >/sys/module/ktrace/parameters/group_kernel
	[ "$(memory)" -lt $((300 << 10)) ]
}

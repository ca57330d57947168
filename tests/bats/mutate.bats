#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: kasan
# mutate.bats - what programs ask of /dev/ktrace, recorded, changed, and asked again
#
# KTRACE_MUTATE_SEED repeats a run, KTRACE_MUTATE_CALLS says how many ioctls each user makes. The kernel's
# log is looked at by the VM, whose kernel has KASAN, or is told to check its memory (slub_debug).

# shellcheck disable=SC2154 # run sets status and output

load helpers

MODULES=$BUILD/kernel/$(uname -r)
GROUP=4242

setup_file()
{
	[ "$KTRACE_BACKEND" = dev ] && [ "$(id -u)" = 0 ] || return 0
	record_all
}

setup()
{
	requires_dev
	requires_root
	setup_test
	rmmod ktrace
	insmod "$MODULES/ktrace.ko" max_session_mb=32 max_user_mb=96
	chgrp "$GROUP" /dev/ktrace
	echo 1 >/sys/kernel/rcu_expedited
}

teardown()
{
	[ "$KTRACE_BACKEND" = dev ] && [ "$(id -u)" = 0 ] || return 0
	echo 0 >/sys/kernel/rcu_expedited
	rmmod ktrace
	insmod "$MODULES/ktrace.ko"
	teardown_test
}

# recorded NAME COMMAND...: its calls become a log; how it ends is its own affair
recorded()
{
	local log=$BATS_FILE_TMPDIR/$1.log
	shift
	(cd "$BATS_FILE_TMPDIR" && IOCTLS=$log LD_PRELOAD=$PROGS/record_ioctls.so "$@" >"$log.out" 2>&1) || true
	[ -s "$log" ] || {
		echo "$* has recorded nothing:"
		cat "$log.out"
		return 1
	}
}

# ktraced NAME OPTION...: the same for a recording
ktraced()
{
	local name=$1
	shift
	recorded "$name" "$KTRACED" --backend=dev -b 64K --block-size 4K -o "$name.bin" "$@"
}

# record_all: one log a program
record_all()
{
	local part
	ktraced user -- "$PROGS/user_flood" -t 2 -n 300
	ktraced kernel -e sched,syscall,irq -- "$PROGS/user_flood" -n 10
	ktraced filter -e 'syscall{nr == 31009},sched:comm{comm == "x"}' -- "$PROGS/dev_filter" strange
	ktraced context -e syscall,sched:comm --context 'kstack,ustack,nspid,cgroup,perf:page-faults' -- true
	ktraced tracepoint -e tp:task:task_newtask,kprobe:vfs_read -- true
	ktraced all -e sched:switch --all -- sleep 0.2
	ktraced split -e syscall --split-size 64K -- "$PROGS/user_flood" -n 300
	recorded recover sh -c "timeout -s KILL 3 $KTRACED --backend=dev -b 64K -o r.bin -- sleep 9
		$KTRACED --recover"
	recorded chunk "$PROGS/dev_chunk" disk "$MODULES/shark_example.ko"
	rmmod shark_example 2>/dev/null || true
	for part in errors room; do
		recorded "filter-$part" "$PROGS/dev_filter" "$part"
	done
	for part in errors life; do
		recorded "keep-$part" "$PROGS/dev_keep" "$part"
	done
	for part in start_stop roles credentials execs; do
		recorded "ioctl-$part" "$PROGS/dev_ioctl" "$part"
	done
	for part in shared boundaries outlives_owner; do
		recorded "mmap-$part" "$PROGS/dev_mmap" "$part"
	done
}

# mutate OPTION...: as the user that they say; afterwards the module can be unloaded
mutate()
{
	"${MUTATOR:-$PROGS/dev_mutate}" -s "${KTRACE_MUTATE_SEED:-$RANDOM}" -n "${KTRACE_MUTATE_CALLS:-5000}" "$@" \
		"$BATS_FILE_TMPDIR"/*.log
}

# What works without a kernel channel
USER_CALLS=channel,start,stop,info,attach,keep,kept,adopt

# chunks: there is always one that waits for its sender. One that is being sent cannot be deleted by the
# module that made it, so there may be too many after a while.
chunks()
{
	until [ -e done ]; do
		insmod "$MODULES/shark_example.ko" disk=trace.dat later=1 2>/dev/null || true
		sleep 0.2
		rmmod shark_example 2>/dev/null || true
	done
}

@test "changed ioctls, as root" {
	local pid
	chunks 3>&- &
	pid=$!
	mutate || touch failed
	touch done
	wait "$pid"
	[ ! -e failed ]
}

# bats test_tags=long
@test "changed ioctls, as a member of the device's group" {
	mutate -u 12345 -g "$GROUP" -w "$USER_CALLS"
}

# bats test_tags=long
@test "changed ioctls, as a member of the group that may have kernel events" {
	echo 1 >/sys/module/ktrace/parameters/group_kernel
	mutate -u 12345 -g "$GROUP" -w "$USER_CALLS,enable,follow,filter,context"
}

@test "changed ioctls, as nobody, who was given descriptors" {
	mutate -u 65534 -p -w "$USER_CALLS"
}

# bats test_tags=long
@test "changed ioctls of a 32-bit program" {
	MUTATOR=$BUILD/m32/dev_mutate
	[ -x "$MUTATOR" ] || skip "has no programs of 32 bits"
	echo 1 >/sys/module/ktrace/parameters/group_kernel
	mutate -u 12345 -g "$GROUP" -w "$USER_CALLS,enable,follow,filter,context"
}

# bats test_tags=long
@test "changed ioctls while CPUs go and come" {
	local pid
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip "has no CPU that can go offline"
	touch toggling
	"$PROGS/dev_hotplug" toggle "$PWD/toggling" 3>&- &
	pid=$!
	echo 1 >/sys/module/ktrace/parameters/group_kernel
	mutate -u 12345 -g "$GROUP" -w "$USER_CALLS,enable,follow,filter,context" || touch failed
	rm toggling
	wait "$pid"
	[ ! -e failed ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# device.bats - /dev/ktrace: each request and its errors, kernel events, ends
load helpers

setup()
{
	requires_dev
	setup_test
}
teardown() { teardown_test; }

@test "a channel that cannot be is refused" {
	"$PROGS/dev_ioctl" channel_geometry
}

@test "sized arguments: too small, too big, unknown bytes, bad address" {
	"$PROGS/dev_ioctl" sized_arguments
}

@test "unknown requests" {
	"$PROGS/dev_ioctl" unknown
}

@test "what each role may ask" {
	"$PROGS/dev_ioctl" roles
}

@test "programs that descendants execute, and processes that attach" {
	"$PROGS/dev_ioctl" execs
}

@test "start and stop show in the control page and can be repeated" {
	"$PROGS/dev_ioctl" start_stop
}

@test "enable: no such event, no such value" {
	"$PROGS/dev_ioctl" enable_errors
}

@test "follow: no such process, a zombie, twice" {
	"$PROGS/dev_ioctl" follow_errors
}

@test "attach: no such session, no user channel" {
	"$PROGS/dev_ioctl" attach_errors
}

@test "attach: own session, root's session, not another user's" {
	"$PROGS/dev_ioctl" credentials
}

@test "kernel channel: by privilege or by group_kernel" {
	"$PROGS/dev_ioctl" kernel_privilege
}

@test "a session has one kernel channel" {
	"$PROGS/dev_ioctl" second_kernel_channel
}

@test "numbers of sessions and channels are limited" {
	"$PROGS/dev_ioctl" too_many
}

@test "other users cannot take root's places for sessions and kernel channels" {
	"$PROGS/dev_ioctl" places
}

@test "memory is limited by session and by user" {
	"$PROGS/dev_ioctl" limits
}

@test "a request beyond all memory fails alone" {
	"$PROGS/dev_ioctl" no_memory
}

@test "info" {
	"$PROGS/dev_ioctl" info
}

@test "one program: sched and syscall events, each exactly once" {
	"$PROGS/dev_events" families
}

@test "interrupts and softirqs" {
	"$PROGS/dev_events" interrupts
}

@test "requests of a disk: each is issued and done" {
	# built into the kernels with KASAN and KCSAN, which have no modules
	[ -d /sys/module/virtio_blk ] || modprobe virtio_blk
	"$PROGS/dev_events" requests
}

@test "signals: who sends what to whom, what becomes of it, who takes it" {
	"$PROGS/dev_families" signals
}

# traced COMMAND...: skips the test if the kernel has no such tracepoints
traced()
{
	capture "$@"
	show "$@"
	[ "$status" -ne 77 ] || skip "the kernel has no such tracepoints"
	[ "$status" -eq 0 ]
}

@test "page faults: what was done where" {
	traced "$PROGS/dev_families" faults
}

@test "locks of the kernel: who waits, and gets them" {
	traced "$PROGS/dev_families" locks
}

@test "idle CPUs" {
	"$PROGS/dev_families" idle
}

@test "packets: queued, sent, received" {
	"$PROGS/dev_families" packets
}

@test "softirqs: raised, then run" {
	"$PROGS/dev_later" softirqs
}

@test "work: queued by one thread, done by another, by the name of its function" {
	"$PROGS/dev_later" works
}

@test "timers: run out or cancelled, by the name of their function" {
	"$PROGS/dev_later" timers
	"$PROGS/dev_later" hrtimers
}

@test "memory of a process grows" {
	"$PROGS/dev_later" memory
}

# bats test_tags=dev
@test "the kernel ends a process of a control group that has too little memory" {
	local group=/sys/fs/cgroup/ktrace-oom
	requires_root
	findmnt -t cgroup2 /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup ||
		skip "this kernel has no cgroups"
	grep -qw memory /sys/fs/cgroup/cgroup.controllers || skip "no memory controller"
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	echo 16M >$group/memory.max
	run_ktraced -q -o t -e memory:oom -- \
		sh -c 'echo 0 >'$group'/cgroup.procs && exec tail /dev/zero'
	retry 0.1 rmdir $group
	[ "$status" = 137 ]
	"$KTRACE" list --json t >list
	cat list
	[ "$(jq -s -c '[.[].fields | select(.comm == "tail") | .score_adj]' list)" = '[0]' ]
	[ "$(jq .pid list)" = "$(jq .fields.pid list)" ]
}

@test "futexes: what each system call asks for, and gets" {
	"$PROGS/dev_later" futexes
}

@test "migration" {
	"$PROGS/dev_events" migrate
}

@test "nothing is recorded while suspended or switched off" {
	"$PROGS/dev_events" start_stop
}

@test "two sessions at once see their own programs" {
	"$PROGS/dev_events" two_sessions
}

@test "many forks and exits, none missed, nobody left behind" {
	"$PROGS/dev_events" fork_storm
}

@test "poll: kernel ring reaches the watermark" {
	"$PROGS/dev_life" poll_kernel
}

@test "poll and epoll: user rings, a forged head" {
	"$PROGS/dev_life" poll_user
}

@test "epoll, edge-triggered: told again when asked again" {
	"$PROGS/dev_life" poll_edge
}

@test "hang-up when the last followed process is gone" {
	"$PROGS/dev_life" hangup_followed
}

@test "hang-up when the last writer is gone" {
	"$PROGS/dev_life" hangup_writers
}

@test "owner killed while recording" {
	"$PROGS/dev_life" owner_killed
}

@test "sessions come and go under load" {
	"$PROGS/dev_life" churn
}

@test "full rings and forged tails in each policy" {
	"$PROGS/dev_life" policies
}

# with_group_kernel COMMAND...: kernel events are for the device's group meanwhile
with_group_kernel()
{
	local status=0
	echo 1 >/sys/module/ktrace/parameters/group_kernel
	"$@" || status=$?
	echo 0 >/sys/module/ktrace/parameters/group_kernel
	return "$status"
}

@test "a program that runs as another user, or with capabilities, or may not be read, is followed no more" {
	with_group_kernel "$PROGS/dev_exec" leaves_privileged_programs_alone
}

@test "a process that is not dumpable is not followed without CAP_PERFMON" {
	with_group_kernel "$PROGS/dev_exec" leaves_undumpable_processes_alone
}

@test "where such a program has its memory is not told, not even while it is made" {
	traced with_group_kernel "$PROGS/dev_exec" leaves_privileged_memory_alone
}

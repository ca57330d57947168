#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# dynamic.bats - ktraced -e 'tp:...', 'kprobe:...', 'kretprobe:...': events of the kernel's own

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

TRACING=/sys/kernel/tracing
PROBE=kprobe:do_sys_openat2
# Registers of a function's first arguments
ARG1=%di ARG2=%si ARG3=%dx
[ "$HOSTTYPE" != aarch64 ] || ARG1=%x0 ARG2=%x1 ARG3=%x2

setup()
{
	requires_dev
	requires_root
	setup_test
	mountpoint -q "$TRACING" || mount -t tracefs tracefs "$TRACING"
}

teardown()
{
	rmmod deny_perf 2>/dev/null || true
	if mountpoint -q "$BATS_TEST_TMPDIR/mnt"; then
		umount "$BATS_TEST_TMPDIR/mnt"
	fi
	if grep -qx 0 /sys/devices/system/cpu/cpu1/online 2>/dev/null; then
		echo 1 >/sys/devices/system/cpu/cpu1/online
	fi
	teardown_test
}

requires_probes()
{
	[ -e "$TRACING/kprobe_events" ] || skip "a kernel without kprobe_events"
}

requires_names()
{
	requires_probes
	[ -e /sys/kernel/btf/vmlinux ] || skip "a kernel without BTF"
}

# record OPTION... -- COMMAND...: all is well, nothing lost; the trace is t
record()
{
	run_ktraced -o t "$@"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

# events FILTER: of t, as JSON, one a line
events()
{
	"$KTRACE" grep --json -e "$1" t
}

# no_probes: none of a ktraced is left
no_probes()
{
	! grep ':ktrace_' "$TRACING/kprobe_events"
}

@test "sched_switch of the kernel tells what our own sched:switch tells" {
	cp "$(command -v bash)" switcher
	record --all -e sched:switch,tp:sched:sched_switch -- \
		./switcher -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done; read -r x </proc/uptime'
	"$KTRACE" list --json t >t.json
	run python3 - t.json <<-'END'
	import collections, json, sys
	ours, theirs = collections.defaultdict(list), collections.defaultdict(list)
	for line in open(sys.argv[1]):
	    e = json.loads(line)
	    f = e.get('fields', {})
	    if 'switcher' not in (f.get('prev_comm'), f.get('next_comm')):
	        continue
	    names = ('prev_comm', 'prev_prio', 'next_comm', 'next_prio')
	    row = [f[n] for n in names]
	    if e['event'] == 'sched:switch':
	        ours[e['cpu']].append(row + [f['prev_tid'], f['next_tid'], f['prev_state'] == 'RUNNABLE'])
	    elif e['event'] == 'sched:sched_switch':
	        theirs[e['cpu']].append(row + [f['prev_pid'], f['next_pid'], f['prev_state'] in (0, 256)])
	nr = 0
	for cpu in set(ours) | set(theirs):
	    a, b = ours[cpu], theirs[cpu]
	    n = min(len(a), len(b))
	    # The last switch, away from the dead, may come when the recording is being stopped.
	    assert a[:n] == b[:n] and abs(len(a) - len(b)) <= 1, (cpu, a, b)
	    nr += n
	assert nr >= 10, nr
	END
	echo "$output"
	[ "$status" = 0 ]
}

@test "an event that counts by nanoseconds has one record a hit" {
	mkdir "$TRACING/instances/kt_test"
	echo 1 >"$TRACING/instances/kt_test/events/sched/sched_stat_runtime/enable"
	record --all -b 4M -e tp:sched:sched_stat_runtime -- \
		bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; read -r x </proc/uptime'
	echo 0 >"$TRACING/instances/kt_test/events/sched/sched_stat_runtime/enable"
	# On each CPU nothing from the first to the last is missing or there twice.
	sed -n 's/.*\[\([0-9]*\)\].*sched_stat_runtime: comm=.* pid=\([0-9]*\) runtime=\([0-9]*\).*/\1 \2 \3/p' \
		"$TRACING/instances/kt_test/trace" >theirs
	rmdir "$TRACING/instances/kt_test"
	events 'event == "sched:sched_stat_runtime"' | jq -r '"\(.cpu) \(.fields.pid) \(.fields.runtime)"' >ours
	run python3 - ours theirs <<-'END'
	import sys
	ours, theirs = ([[int(x) for x in l.split()] for l in open(n)] for n in sys.argv[1:])
	assert len(ours) > 50, len(ours)
	for cpu in {e[0] for e in ours}:
	    a, b = ([e for e in l if e[0] == cpu] for l in (ours, theirs))
	    first, last = b.index(a[0]), len(b) - b[::-1].index(a[-1])
	    assert a == b[first:last], (cpu, len(a), last - first)
	END
	echo "$output"
	[ "$status" = 0 ]
}

@test "tracepoints of a module that is loaded during the recording" {
	[ ! -e /sys/module/netfs ] || skip "netfs is in use already"
	modprobe -q -n netfs || skip "no module netfs in this kernel"
	start_ktraced -o t --all -e 'tp:sched:sched_process_exec,tp:netfs:*'
	retry 0.02 has ktraced.err tracing
	fails grep 'module netfs' ktraced.err
	modprobe netfs
	retry 0.02 has ktraced.err "module netfs was loaded: $(ls -d "$TRACING"/events/netfs/*/ | wc -l) tracepoints are recorded from now on"
	fails rmmod netfs
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	"$KTRACE" events t | grep 'netfs:netfs_read'
	rmmod netfs
}

@test "a security module is asked about each session that wants a tracepoint" {
	grep -qw security_perf_event_open /proc/kallsyms || skip "a kernel without security modules"
	start_ktraced -o first --all -e tp:sched:sched_process_exec
	retry 0.02 has ktraced.err tracing
	insmod "$BUILD/kernel/$(uname -r)/deny_perf.ko"
	run_ktraced -o second --all -e tp:sched:sched_process_exec -- /bin/true
	rmmod deny_perf
	[ "$status" = 125 ]
	[[ $stderr == *"Permission denied"* ]]
	run_ktraced -o second --all -e tp:sched:sched_process_exec -- /bin/true
	[ "$status" = 0 ]
	kill -TERM "$pid"
	wait_for "$pid"
}

@test "without --all a tracepoint is recorded of what the command does" {
	record -e tp:sched:sched_process_exec -- sh -c '/bin/true; exec /bin/true'
	[ "$(events 'event == "sched:sched_process_exec"' | wc -l)" = 3 ]
	[ "$(events 'field.filename == "/bin/true"' | wc -l)" = 2 ]
}

# bats test_tags=long
@test "what a file system does for a program that writes" {
	modprobe -q loop && modprobe -q ext4 && [ -e "$TRACING/events/ext4" ] ||
		skip "no ext4 or loop in this kernel"
	dd if=/dev/zero of=disk bs=1M count=8 status=none
	mkfs.ext4 -q -F disk
	mkdir mnt
	mount -o loop disk mnt
	record -e 'tp:ext4:*' -- sh -c 'echo hello >mnt/file; sync'
	inode=$(stat -c %i mnt/file)
	[ "$(events "event == \"ext4:ext4_da_write_begin\" && field.ino == $inode && field.len == 6" | wc -l)" = 1 ]
	[ "$(events "event == \"ext4:ext4_sync_fs\"" | wc -l)" -ge 1 ]
}

@test "a module whose tracepoints are recorded stays meanwhile" {
	[ ! -e /sys/module/netfs ] || skip "netfs is in use already"
	modprobe -q netfs && [ -e "$TRACING/events/netfs" ] || skip "no module netfs in this kernel"
	start_ktraced -o t -e 'tp:netfs:*'
	retry 0.02 has ktraced.err tracing
	fails rmmod netfs
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	rmmod netfs
}

# do_sys_openat2() returns an int in Linux 7.3, before that a long.
@test "an argument by register and by number, a return value" {
	requires_probes
	record -e "$PROBE reg=$ARG1:s32 arg=\$arg1:s32 file=+0($ARG2):ustring,kretprobe:do_sys_openat2 ret=\$retval:s32" \
		-- cat /etc/passwd /nonexistent || true
	events 'event == "kprobe:do_sys_openat2" && field.file == "/etc/passwd"' >found
	[ "$(wc -l <found)" = 1 ]
	[ "$(jq -c '[.fields.reg, .fields.arg]' found)" = '[-100,-100]' ]
	[ "$(events 'event == "kretprobe:do_sys_openat2" && field.ret == -2' | wc -l)" -ge 1 ]
	[ "$(events 'event == "kretprobe:do_sys_openat2"' | wc -l)" = \
		"$(events 'event == "kprobe:do_sys_openat2"' | wc -l)" ]
	no_probes
}

@test "arguments by name" {
	requires_names
	record -e "$PROBE dfd filename:ustring fd=dfd how" -- cat /etc/passwd
	events 'field.filename == "/etc/passwd"' >found
	[ "$(wc -l <found)" = 1 ]
	[ "$(jq -c '[.event, .fields.dfd, .fields.fd, (.fields.how | type)]' found)" = \
		'["kprobe:do_sys_openat2",-100,-100,"string"]' ]
}

# refused COLUMN ITEM: ktraced says what is wrong, marks the place, makes no file, no probe
refused()
{
	run_ktraced -o t2 -e "$2" -- true
	[ "$status" = 125 ]
	[[ $stderr == *"column $1:"* ]]
	[ "$(sed -n 's/^ktraced: \( *\)^$/\1/p' <<<"$stderr" | wc -c)" = $(($1 + 2)) ]
	[ ! -e t2 ]
	no_probes
}

@test "probes that cannot be made are refused with their place, and nothing is left behind" {
	requires_probes
	refused 8 kprobe:
	refused 8 kprobe:no_such_function_here
	refused 31 "$PROBE a=+0($ARG3"
	refused 27 "$PROBE $ARG1 %nosuch"
	# The first is good, and goes again.
	refused 8 "$PROBE,kprobe:no_such_function_here"
}

# not_begun TEXT ITEM...: ktraced says this of the entries; the command is not started
not_begun()
{
	local text=$1 item
	for item in "${@:2}"; do
		run_ktraced -o t2 -e "$item" -- touch ran
		[ "$status" = 125 ]
		[[ $stderr == *"$text"* ]]
		[[ $stderr == *"; --optional records the rest" ]] ||
			[ "${stderr##*$'\n'}" = "ktraced: --optional records the rest" ]
		[ ! -e t2 ] && [ ! -e ran ]
	done
	no_probes
}

# bats test_tags=long
@test "a probe on a function that the kernel allows none on: the reason is the kernel's" {
	local black notrace
	requires_probes
	black=$(awk 'NR == 10 { print $2 }' /sys/kernel/debug/kprobes/blacklist)
	not_begun "the kernel allows no probe in this function, because probes use it themselves" \
		"kprobe:$black" "kretprobe:$black \$retval" "kprobe:$black+0"
	not_begun "this is data, not a function" kprobe:jiffies
	not_begun "this code ran at boot only and is no longer in memory" kprobe:start_kernel
	not_begun "the kernel has no such function (did you mean 'vfs_read'?)" kprobe:vfs_raed
	# A function that the function tracer cannot reach, and that is none of the above
	notrace=$(comm -23 <(awk '$2 == "T" && !$4 && $3 ~ /^native_.*msr$/ { print $3 }' /proc/kallsyms | sort) \
		<({ awk '{ print $1 }' "$TRACING/available_filter_functions"
		awk '{ print $2 }' /sys/kernel/debug/kprobes/blacklist; } | sort) | head -n 1)
	[ -z "$notrace" ] ||
		not_begun "because it is compiled without tracing (notrace)" "kprobe:$notrace"
	not_begun "not an instruction boundary" kprobe:do_exit+1
}

# bats test_tags=long
@test "several entries that cannot be recorded: each has its reason, nothing is left behind" {
	requires_probes
	not_begun "tp:sched:sched_swich: the kernel has no such tracepoint (did you mean 'sched:sched_switch'?)" \
		tp:sched:sched_swich "$PROBE,tp:sched:sched_swich,sched"
	not_begun "tp:shced:*: the kernel has no such tracepoint (did you mean 'sched'?)" 'tp:shced:*'
	not_begun "tp:sched:nothing_like_this: the kernel has no such tracepoint" tp:sched:nothing_like_this
	run_ktraced -o t2 -e 'kprobe:nosuch_function_one,tp:sched:sched_swich,kprobe:nosuch_function_two,sched:swich' -- true
	[ "$status" = 125 ]
	[[ $stderr == *"-e sched:swich: the kernel has no such event (did you mean 'sched:switch'?)"* ]]
	run_ktraced -o t2 -e 'kprobe:nosuch_function_one,tp:sched:sched_swich,kprobe:nosuch_function_two,sched' -- true
	[ "$status" = 125 ]
	[[ $stderr == *nosuch_function_one*sched_swich*nosuch_function_two* ]]
	no_probes
	run_ktraced --optional -o t -e "kprobe:nosuch_function_one,tp:sched:sched_swich,$PROBE,sched:exec" -- cat /etc/passwd
	[ "$status" = 0 ]
	[[ $stderr == *nosuch_function_one*sched_swich*"recording continues without it"* ]]
	[ "$(events 'event == "kprobe:do_sys_openat2"' | wc -l)" -ge 1 ]
	[ "$(events 'event == "sched:exec"' | wc -l)" -ge 1 ]
	no_probes
}

@test "a tracepoint that only a module can bring: a failure in the end, if none came" {
	run_ktraced -o t -e 'tp:nosuch:*,sched:exec' -- true
	[ "$status" = 125 ]
	[[ $stderr == *"-e tp:nosuch:*: the kernel has no such tracepoint, unless a module defines it later"* ]]
	[[ $stderr == *"-e tp:nosuch:*: the kernel had no such tracepoint during the recording"* ]]
	[ "$("$KTRACE" grep -c 'event == "sched:exec"' t)" -ge 1 ]
	run_ktraced -o t -e 'tp:nosuch:*,sched:exec' -- sh -c 'exit 3'
	[ "$status" = 3 ]
	run_ktraced --optional -o t -e 'tp:nosuch:*,sched:exec' -- true
	[ "$status" = 0 ]
}

@test "a name that the function does not have is refused with its place" {
	requires_names
	refused 27 "$PROBE dfd nosuch"
}

@test "a filter of a tracepoint: the kernel records what grep finds in what has none" {
	for e in 'args[0] == 2 || !(args[0] < 3) && id != 31000' \
		'args[1] > 0x7fffffffffffffff ^ id = 31003 || args == 0x2000000000000000'; do
		run_ktraced -q -o all -b 4M -e tp:raw_syscalls:sys_enter -- \
			"$KTRACED" -q --backend=dev -o some --filter "$e" \
			-e 'tp:raw_syscalls:sys_enter{id >= 31000 && id < 31010}' -- \
			"$PROGS/dev_filter" strange
		[ "$status" = 0 ]
		[ "$("$KTRACE" grep -c 'id >= 31000 && id < 31010' all)" = 20 ]
		"$KTRACE" grep "id >= 31000 && id < 31010 && ($e)" all | sed 's/.*raw_sys/raw_sys/' >wanted
		"$KTRACE" list some | sed 's/.*raw_sys/raw_sys/' >got
		[ -s wanted ]
		[ "$(wc -l <wanted)" -lt 20 ]
		diff wanted got
	done
}

@test "what a filter of a tracepoint keeps out takes no room and is not lost" {
	run_ktraced -b 16K -o t -e 'tp:raw_syscalls:sys_enter{id == 31009}' -- "$PROGS/dev_filter" strange
	[ "$status" = 0 ]
	[[ $stderr == *"ktraced: 0 events, 0 lost, "* ]]
}

@test "filters over texts of tracepoints, and of several items any may want an event" {
	cp /bin/true zebra
	cp /bin/true yak
	record -e 'tp:sched:sched_process_exec{filename ~ "*/zebra"},tp:sched:sched_process_e[xy]it{comm == yak || comm == none},tp:sched:sched_process_exit{comm == zebra && prio > 1000},sched:exec' \
		-- sh -c './zebra; ./yak; /bin/true; exec ./zebra'
	[ "$(events 'event == "sched:sched_process_exec" && filename == "./zebra"' | wc -l)" = 2 ]
	[ "$(events 'event == "sched:sched_process_exec"' | wc -l)" = 2 ]
	[ "$(events 'event == "sched:sched_process_exit" && field.comm == yak' | wc -l)" = 1 ]
	[ "$(events 'event == "sched:sched_process_exit"' | wc -l)" = 1 ]
	[ "$(events 'event == "sched:exec"' | wc -l)" -ge 4 ]
}

@test "filters over what probes read" {
	requires_probes
	record -e "$PROBE dfd=\$arg1:s32 file=+0($ARG2):ustring{file == \"/etc/passwd\" && dfd == -100},kretprobe:do_sys_openat2 ret=\$retval:s32{ret < 0}" \
		-- cat /etc/passwd /nonexistent || true
	[ "$(events 'event == "kprobe:do_sys_openat2" && field.file == "/etc/passwd"' | wc -l)" = 1 ]
	[ "$(events 'event == "kprobe:do_sys_openat2"' | wc -l)" = 1 ]
	[ "$(events 'event == "kretprobe:do_sys_openat2" && ret == -2' | wc -l)" -ge 1 ]
	[ "$(events 'event == "kretprobe:do_sys_openat2" && ret >= 0' | wc -l)" = 0 ]
	no_probes
}

@test "a filter over what a tracepoint or probe does not have is refused with its place" {
	requires_probes
	refused 24 'tp:sched:sched_switch{ prev_pri < 100}'
	refused 23 'tp:sched:sched_switch{time > 1s}'
	refused 29 "$PROBE a=$ARG1{b == 1}"
	run_ktraced -o t2 -e "$PROBE a=$ARG1,sched:switch" --filter 'cpu == 1 && b == 1' -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--filter: column 13: none of these events has a field 'b'"* ]]
	[ ! -e t2 ]
	run_ktraced -o t2 -e 'tp:nosuch:*{a == 1},sched:exec' -- true
	[[ $stderr == *"-e tp:nosuch:*: the kernel has no such tracepoint"* ]]
}

@test "filters of tracepoints are changed while they are recorded" {
	cp /bin/true zebra
	cp /bin/true yak
	start_ktraced --all -o t -e 'tp:sched:sched_process_exit{comm == zebra},log'
	retry 0.02 has ktraced.err tracing
	./zebra; ./yak					# 1 zebra
	run_ktrace level -e 'tp:sched:sched_process_exit{comm == yak},tp:sched:sched_process_exec{filename == ./yak}' "$pid"
	[ "$status" = 0 ]
	./zebra; ./yak; ./yak				# 2 yaks, twice
	run_ktrace level -e 'tp:sched:sched_process_exit{com == yak}' "$pid"
	[ "$status" = 1 ]
	[[ $stderr == *"-e: column 29: none of these events has a field 'com'"* ]]
	./zebra; ./yak					# 1 yak, twice
	run_ktrace level --filter 'comm == zebra && cpu < 4096' "$pid"
	[ "$status" = 0 ]
	./zebra; ./yak
	run_ktrace level -e 'tp:sched:sched_process_exit' "$pid"
	[ "$status" = 0 ]
	./zebra; ./yak					# 1 zebra
	run_ktrace level --filter '' -e 'log' "$pid"
	[ "$status" = 0 ]
	./zebra; ./yak
	run_ktrace level -e 'tp:sched:sched_process_exit' "$pid"
	[ "$status" = 0 ]
	./zebra; ./yak					# 1 zebra, 1 yak, others
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$(events 'event == "sched:sched_process_exec"' | wc -l)" = 3 ]
	[ "$(events 'event == "sched:sched_process_exit" && field.comm == zebra' | wc -l)" = 3 ]
	[ "$(events 'event == "sched:sched_process_exit" && field.comm == yak' | wc -l)" = 4 ]
	run_ktrace info t
	[[ $output == *'where comm == zebra && cpu < 4096'* ]]
	valid_trace t
}

@test "tracepoints that are not there are said, and the session goes on" {
	record --optional -e 'tp:nosuch:*,tp:sched:nosuch,tp:a/b:c,tp:sched:sched_process_exec' -- /bin/true
	[[ $stderr == *"tp:nosuch:*: the kernel has no such tracepoint"* ]]
	[[ $stderr == *"tp:sched:nosuch: the kernel has no such tracepoint"* ]]
	[[ $stderr == *"tp:a/b:c: the kernel has no such tracepoint"* ]]
	[[ $stderr != *"no event matches"* ]]
	[ "$(events 'event == "sched:sched_process_exec"' | wc -l)" = 1 ]
}

@test "traces that call other events by the same number are merged" {
	record -e 'tp:sched:sched_process_exit' -- /bin/true
	mv t a
	record -e 'tp:sched:sched_process_exec' -- /bin/true
	[ "$("$KTRACE" events --json a | jq 'select(.id >= 1024).id')" = 1024 ]
	[ "$("$KTRACE" events --json t | jq 'select(.id >= 1024).id')" = 1024 ]
	run_ktrace merge -o m a t
	[ "$status" = 0 ]
	[ "$("$KTRACE" grep -c 'event == "sched:sched_process_exit" && field.comm == "true"' m)" = 1 ]
	[ "$("$KTRACE" grep -c 'event == "sched:sched_process_exec" && field.filename == "/bin/true"' m)" = 1 ]
}

# said PATTERN: the number of functions that ktraced says a pattern means
said()
{
	sed -n "s/^ktraced: $1: \([0-9]*\) functions\{0,1\}.*/\1/p" <<<"$stderr"
}

# bats test_tags=long
@test "probes on all functions that a pattern means, whose number is said first" {
	requires_probes
	# Of all that it matches, those that several functions are called like are left out.
	grep -oE '^vfs_[a-z0-9_]*e( |$)' "$TRACING/available_filter_functions" | sort | uniq -u >functions
	run_ktraced -o t -e 'kprobe:vfs_*e,sched:exec' -- sh -c \
		'cat /etc/passwd >copy; mkdir here; ls "$0/events" >/dev/null
		 grep -c ":ktrace_" "$0/kprobe_events" >made' "$TRACING"
	[ "$status" = 0 ]
	[ "$(said 'kprobe:vfs_\*e')" -ge 5 ]
	[ "$(grep -n 'functions' <<<"$stderr" | cut -d: -f1)" = 1 ]
	[ "$(cat made)" -ge 5 ]
	[ "$(cat made)" -le "$(said 'kprobe:vfs_\*e')" ]
	[ "$(events 'event == kprobe:vfs_write' | wc -l)" -ge 1 ]
	events 'event.family == kprobe' | jq -r .event | sort -u | sed 's/kprobe://' >met
	fails grep -vxFf <(tr -d ' ' <functions) met
	no_probes
}

@test "options of a pattern are for each of its functions: arguments, filters, returns" {
	requires_probes
	record -e 'kprobe:vfs_[rw]* count='$ARG3':u64{count == 4321},kretprobe:vfs_[rw]* ret=$retval:s64{ret == ENOSPC}' -- \
		sh -c 'dd if=/dev/zero bs=4321 count=1 of=copy; dd if=/dev/zero of=/dev/full bs=10 count=1; true'
	[ "$(events 'event == kprobe:vfs_write' | wc -l)" -ge 1 ]
	[ "$(events 'event == kprobe:vfs_write && count != 4321' | wc -l)" = 0 ]
	[ "$(events 'event == kretprobe:vfs_write' | wc -l)" = 1 ]
	[ "$(events 'ret == -ENOSPC' | wc -l)" = 1 ]
	no_probes
}

@test "a pattern with one of its functions beside it: the expression of either is enough" {
	requires_probes
	record -e 'kprobe:vfs_wri?e count='$ARG3':u64{count == 7},kprobe:vfs_write count='$ARG3':u64{count == 9}' -- \
		sh -c 'printf 1234567 >a; printf 123456789 >b; printf 12 >c'
	[ "$(events 'event == kprobe:vfs_write' | jq -c .fields.count | sort | tr '\n' ' ')" = '7 9 ' ]
}

@test "a pattern that means too many functions, or none, is refused with the number" {
	requires_probes
	run_ktraced -o t2 -e 'kprobe:*' -- touch started
	[ "$status" = 125 ]
	[[ $stderr =~ 'kprobe:*: the pattern matches '[0-9]{4,}' functions, but the limit is 512' ]]
	[ ! -e t2 ]
	[ ! -e started ]
	run_ktraced -o t2 -e 'kprobe:no_such_*_here' -- touch started
	[ "$status" = 125 ]
	[[ $stderr == *"kprobe:no_such_*_here: no function matches"* ]]
	[ ! -e t2 ]
	[ ! -e started ]
	run_ktraced -o t2 -e 'kprobe:vfs_rea*{nothing == 1}' -- touch started
	[ "$status" = 125 ]
	[[ $stderr == *"none of these events has a field 'nothing'"* ]]
	[ ! -e t2 ]
	[ ! -e started ]
	no_probes
}

@test "functions of a pattern that cannot be probed are counted and told" {
	requires_probes
	local name pattern
	mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
	# One that the kernel bars, and that is no part of another
	name=$(cut -f 2 /sys/kernel/debug/kprobes/blacklist | grep -xE '[a-z]+_[a-z_]+' |
		grep -xFf - <(cut -d ' ' -f 3 /proc/kallsyms) | sort | uniq -u | head -n 1)
	[ -n "$name" ]
	pattern=${name%?}?
	run_ktraced -o t2 -e "kprobe:$pattern" -- touch started
	[[ $stderr == *"more cannot be probed, e.g. "* ]]
	no_probes
}

@test "a pattern is chosen while it is recorded" {
	requires_probes
	start_ktraced --all -o t -e 'kprobe:vfs_wri?e,log'
	retry 0.02 has ktraced.err tracing
	run_ktrace level -e 'kprobe:vfs_mkdi?' "$pid"
	[ "$status" = 0 ]
	mkdir here
	run_ktrace level -e 'kprobe:no_such_*_here' "$pid"
	[ "$status" = 1 ]
	[[ $stderr == *"no function matches"* ]]
	mkdir there
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$(events 'event == kprobe:vfs_mkdir' | wc -l)" -ge 2 ]
	no_probes
}

@test "a probe with a control character is refused, and shows none" {
	requires_probes
	run_ktraced -o t2 -e "$PROBE a=$ARG1"$'\n'"p:evil do_exit" -- true
	[ "$status" = 125 ]
	[[ $stderr == *"a probe must not have control characters: column 28"* ]]
	run_ktraced -o t2 -e "$PROBE a"$'\e'"=$ARG1" -- true
	[ "$status" = 125 ]
	[[ $stderr != *$'\e'* ]]
	no_probes
}

@test "what a killed ktraced left is removed by who recovers its recording" {
	requires_probes
	start_ktraced -o t -e "$PROBE"
	retry 0.02 has ktraced.err tracing
	kill -KILL "$pid"
	wait "$pid" || true
	has "$TRACING/kprobe_events" ':ktrace_'
	run_ktraced --recover
	[ "$status" = 0 ]
	no_probes
}

@test "what a killed ktraced left is removed by the next one" {
	requires_probes
	start_ktraced -o t -e "$PROBE"
	retry 0.02 has ktraced.err tracing
	has "$TRACING/kprobe_events" ':ktrace_'
	kill -KILL "$pid"
	wait "$pid" || true
	has "$TRACING/kprobe_events" ':ktrace_'
	run_ktraced -o t2 -- true
	[ "$status" = 0 ]
	no_probes
}

@test "the probe of a recording that runs stays when another one begins or ends" {
	requires_probes
	start_ktraced -o t -e "$PROBE"
	retry 0.02 has ktraced.err tracing
	run_ktraced -o t2 -e "$PROBE" -- true
	[ "$status" = 0 ]
	[ "$(grep -c ':ktrace_' "$TRACING/kprobe_events")" = 1 ]
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	no_probes
}

@test "a live recording can be told to record a tracepoint" {
	start_ktraced --all -o t -e log
	retry 0.02 has ktraced.err tracing
	run_ktrace level -e 'log,tp:sched:sched_process_exec' "$pid"
	[ "$status" = 0 ]
	/bin/true
	run_ktrace level -e log "$pid"
	[ "$status" = 0 ]
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$(events 'event == "sched:sched_process_exec" && field.filename == "/bin/true"' | wc -l)" = 1 ]
	valid_trace t
}

@test "a CPU that goes and comes has its tracepoints again" {
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip "has no CPU that can go offline"
	start_ktraced --all -o t -e tp:sched:sched_process_exec
	retry 0.02 has ktraced.err tracing
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	retry 0.02 seen_on_cpu1
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
}

# seen_on_cpu1: the recording has what ran there just now
seen_on_cpu1()
{
	cp /bin/true "probe$((++times))"
	taskset -c 1 "./probe$times"
	retry 0.02 grew
	[ "$("$KTRACE" grep -e "cpu == 1 && field.filename == \"./probe$times\"" t | wc -l)" = 1 ]
}

# grew: the file has more than when this was asked last
grew()
{
	local now
	now=$(stat -c %s t)
	[ "$now" -gt "${size:-0}" ] && size=$now
}

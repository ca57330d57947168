#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# kernel_filter.bats - filters that the kernel evaluates
load helpers

GROUP=/sys/fs/cgroup/zoo

setup()
{
	requires_dev
	setup_test
}

teardown()
{
	[ ! -d $GROUP ] || retry 0.1 rmdir $GROUP
	teardown_test
}

@test "a filter is refused for each reason that is documented" {
	"$PROGS/dev_filter" errors
}

@test "what a filter keeps out takes no room and is not lost, and nothing else is missed" {
	"$PROGS/dev_filter" room
}

# exits EXPRESSION COMMAND...: of the threads that exit while the command runs, what is recorded
exits()
{
	run_ktraced -q --all -o t -e "sched:exit{$1}" -- "${@:2}"
	[ "$status" = 0 ]
	"$KTRACE" list t >list
	cat list
}

# three NAME [COMMAND...]: run a program of that name three times, and another
three()
{
	cp /bin/true "$1"
	for _ in 1 2 3; do
		"${@:2}" "./$1"
		/bin/true
	done
}
export -f three

@test "comm: of a program of that name, and no other" {
	exits 'comm == zebra' bash -c 'three zebra'
	[ "$(grep -c 'comm="zebra"' list)" = 3 ]
	[ "$(wc -l <list)" = 3 ]
	exits 'comm ~ "z[a-f]bra*" && field.comm != true' bash -c 'three zebra'
	[ "$(grep -c 'comm="zebra"' list)" = 3 ]
	[ "$(wc -l <list)" = 3 ]
}

@test "uid: of that user's programs, and no other" {
	requires_root
	chmod 755 .
	exits 'uid == 12345' bash -c 'three zebra setpriv --reuid 12345 --clear-groups'
	[ "$(grep -c 'comm="zebra"' list)" = 3 ]
	[ "$(wc -l <list)" = 3 ]
}

@test "cgroup: of what is in it, by path and by number" {
	requires_root
	grep -q cgroup2 /proc/filesystems || skip "this kernel has no cgroups"
	findmnt -t cgroup2 /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	mkdir $GROUP
	for e in 'cgroup == /zoo && uid = 0' "cgroup = $(stat -c %i $GROUP)"; do
		exits "$e" bash -c 'three zebra sh -c "echo 0 >'$GROUP'/cgroup.procs && exec \$0"'
		[ "$(grep -c 'comm="zebra"' list)" = 3 ]
		[ "$(wc -l <list)" = 3 ]
	done
}

@test "pid, tid and cpu: of that process, thread, CPU, and no other" {
	start_ktraced --all -o t \
		-e "syscall:enter{pid == $BASHPID},syscall:exit{tid == $BASHPID},sched:switch{cpu == 1}"
	retry 0.1 grep -q tracing ktraced.err
	taskset -c 1 /bin/true
	/bin/true
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	for e in "event == syscall:enter && tid == $BASHPID" "event == syscall:exit && tid == $BASHPID" \
		'event == sched:switch && cpu == 1'; do
		"$KTRACE" grep "$e" t >>wanted
		grep -q "$(cut -d ' ' -f 3 <<<"$e")" wanted
	done
	[ "$("$KTRACE" list t | wc -l)" = "$(wc -l <wanted)" ]
}

@test "fields of payloads with && || ! and ^: the kernel records what grep finds" {
	for e in 'args[0] == 2 || !(ret < -3.5 || args[0] < 3) && nr != 31000' \
		'args[1] > 0x7fffffffffffffff ^ nr = 31003 || args == 0x2000000000000000'; do
		run_ktraced -q -o all -e 'syscall{nr >= 31000 && nr < 31010}' -- \
			"$KTRACED" -q --backend=dev -o some -e 'syscall{nr >= 31000 && nr < 31010}' \
			--filter "$e" -- "$PROGS/dev_filter" strange
		[ "$status" = 0 ]
		[ "$("$KTRACE" list all | wc -l)" = 40 ]
		"$KTRACE" grep "$e" all | sed 's/.*syscall:/syscall:/' >wanted
		"$KTRACE" list some | sed 's/.*syscall:/syscall:/' >got
		[ -s wanted ]
		diff wanted got
	done
}

# A line for each kind of value that is shown as a name: events, and an expression with names
names()
{
	cat <<-'END'
		sched:switch prev_state == SLEEP || prev_state ~ "D[A-I]*"
		softirq vec == TIMER || vec ~ "R*"
		signal:generate sig == SIGUSR1 && result != IGNORED
		signal:deliver sig != SIGUSR2
		syscall:enter nr == getppid || nr ~ "[mo]*"
		syscall:exit ret == ENOENT || ret == -EBADF
		fault:user access == WRITE
		memory:rss kind == ANON
		futex:enter op == WAKE
		futex:exit op != WAKE && result != EAGAIN
		block:issue op == READ
		block:complete op ~ "W*" && error != EIO
		sched:wakeup prio != ENOENT && target_cpu == 0
	END
}

# busy_with_names: does what all these events need, with values of these names and with others
busy_with_names()
{
	modprobe -q virtio_blk || true
	python3 - <<-'END'
	import os, signal, threading, mmap
	for number in (signal.SIGUSR1, signal.SIGUSR2):
	    signal.signal(number, lambda *args: None)
	    os.kill(os.getpid(), number)
	signal.signal(signal.SIGUSR1, signal.SIG_IGN)
	os.kill(os.getpid(), signal.SIGUSR1)
	for name in ('/nonexistent', '/'):
	    try: os.stat(name)
	    except OSError: pass
	try: os.close(999)
	except OSError: pass
	os.getppid()
	lock = threading.Barrier(3)
	threads = [threading.Thread(target=lambda: [lock.wait() for _ in range(50)]) for _ in range(3)]
	for t in threads: t.start()
	for t in threads: t.join()
	m = mmap.mmap(-1, 1 << 20)
	for i in range(0, 1 << 20, 4096):
	    x = m[i]
	    m[i] = 1
	if os.path.exists('/dev/vda'):
	    fd = os.open('/dev/vda', os.O_RDWR)
	    os.write(fd, bytes(1 << 16))
	    os.fsync(fd)
	    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
	    os.read(fd, 1 << 16)
	    os.close(fd)
	END
}
export -f busy_with_names

# record_names FORMAT FILE: each of these events, by an expression that FORMAT makes of its own
record_names()
{
	local list='' event expr
	while read -r event expr; do
		# shellcheck disable=SC2059 # the format is the argument
		list+=,$event{$(printf "$1" "$expr")}
	done < <(names)
	run_ktraced -q --all -b 16M -o "$2" -e "${list#,}" -- bash -c busy_with_names
	[ "$status" = 0 ]
}

# bats test_tags=long
@test "each name: of all events, the kernel takes those of which the reader says so, and no others" {
	local event expr
	record_names '%s' taken
	record_names '!(%s)' left
	while read -r event expr; do
		echo "$event: $expr"
		"$KTRACE" list -e "$event" taken >of_taken
		"$KTRACE" list -e "$event" left >of_left
		wc -l of_taken of_left
		[ -s of_left ]
		[ -s of_taken ]
		"$KTRACE" grep --event "$event" "$expr" taken | diff of_taken -
		"$KTRACE" grep --event "$event" "!($expr)" left | diff of_left -
	done < <(names)
}

# between FILE [OPTION...]: what a thread did from its first call of getppid on
between()
{
	"$KTRACE" list "${@:2}" "$1" | sed -n '/nr=getppid/,$s/.*syscall:/syscall:/p'
}

@test "calls by name: both events of these calls, and what -e means on reading" {
	local list
	for list in 'syscall:openat,syscall:close' 'syscall:ex*' 'syscall:exit' \
		'syscall:open*{ret == ENOENT || args[1] > 0},syscall:read'; do
		run_ktraced -q -o all -b 4M -e syscall -- \
			"$KTRACED" -q --backend=dev -o some -e "syscall:getppid,$list" -- \
			dash -c 'read -r x </etc/hostname; [ ! -e /no ]'
		[ "$status" = 0 ]
		between some >got
		pid=$("$KTRACE" list --json some | jq -s '[.[] | select(.fields.nr == "getppid")][0].tid')
		echo "$list: thread $pid"
		between all --filter "tid == $pid" >calls
		if [[ $list == *{* ]]; then
			"$KTRACE" list -e 'syscall:getppid,syscall:read,syscall:open*' --filter \
				"tid == $pid && (!(nr ~ 'open*') || ret == ENOENT || args[1] > 0)" all >all.txt
			sed -n '/nr=getppid/,$s/.*syscall:/syscall:/p' all.txt >wanted
		else
			between all --filter "tid == $pid" -e "syscall:getppid,$list" >wanted
		fi
		diff wanted got
		[ "$(wc -l <got)" -gt 2 ]
		[ "$(wc -l <got)" -lt "$(wc -l <calls)" ]
		[[ $list != syscall:openat* ]] || [ "$(grep -c 'syscall:exit nr=openat' got)" -ge 1 ]
		[[ $list != syscall:exit ]] || [ "$(grep -c 'syscall:enter' got)" = 1 ]
	done
}

@test "calls by name are chosen while it records; one that does not exist is refused" {
	start_ktraced --all -o t -e 'syscall:getppid'
	retry 0.1 grep -q tracing ktraced.err
	run_ktrace level "$pid" -e syscall:opnat
	[ "$status" != 0 ]
	[[ $stderr == *"-e: column 9: there is no system call 'opnat' (did you mean 'openat'?)"* ]]
	dash -c 'exit 0'
	run_ktrace level "$pid" -e 'syscall:exit_gr*'
	[ "$status" = 0 ]
	dash -c 'exit 0'
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$("$KTRACE" grep -c 'nr == getppid && event == syscall:exit' t)" -ge 1 ]
	[ "$("$KTRACE" grep -c 'nr == exit_group && event == syscall:enter' t)" -ge 1 ]
	[ "$("$KTRACE" grep -c 'nr != getppid && nr != exit_group' t)" = 0 ]
	"$KTRACE" info t | grep 'events syscall:exit_gr\*'
}

@test "what is filtered out takes no room, and is not lost" {
	run_ktraced -b 16K -o t -e 'syscall{nr == 31009}' -- "$PROGS/dev_filter" strange
	[ "$status" = 0 ]
	[[ $stderr == *"ktraced: 0 events, 0 lost, "* ]]
}

@test "of several patterns any may want an event, and --filter must" {
	run_ktraced -q -o t -e 'syscall:e*{nr == 31001},syscall:enter{nr == 31002 && args[0] == 1},syscall:exit' \
		--filter 'nr > 31000 && nr < 31003' -- "$PROGS/dev_filter" strange
	[ "$status" = 0 ]
	"$KTRACE" hist t >hist
	cat hist
	# 31001 each, 31002 once; the exits of both
	[ "$("$KTRACE" grep 'event == syscall:enter' t | wc -l)" = 6 ]
	[ "$("$KTRACE" grep 'event == syscall:exit' t | wc -l)" = 10 ]
}

@test "a filter is changed while it records" {
	cp /bin/true zebra
	cp /bin/true yak
	start_ktraced --all -o t -e 'sched:exit{comm == zebra}'
	retry 0.1 grep -q tracing ktraced.err
	./zebra
	./yak
	run_ktrace level "$pid" -e 'sched:exit{comm ~ "yak"}'
	[ "$status" = 0 ]
	./zebra
	./yak
	./yak
	run_ktrace level "$pid" -e 'sched:exit{comm ~ }'
	[ "$status" != 0 ]
	[[ $stderr == *"-e: column 19: expected a value, found the end"* ]]
	./yak
	run_ktrace level "$pid" --filter 'comm == zebra'
	[ "$status" = 0 ]
	./yak
	run_ktrace level "$pid" --filter 'comm == '
	[ "$status" != 0 ]
	[[ $stderr == *"--filter: column 9: expected a value, found the end"* ]]
	run_ktrace level "$pid" --filter '' -e log
	[ "$status" = 0 ]
	./yak
	# The filters are gone with the choice that they belong to.
	run_ktrace level "$pid" -e sched:exit
	[ "$status" = 0 ]
	./zebra
	./yak
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	"$KTRACE" list t >list
	cat list
	[ "$(grep -c 'comm="zebra"' list)" = 2 ]
	[ "$(grep -c 'comm="yak"' list)" = 4 ]
	"$KTRACE" info t | grep 'events sched:exit, of them sched:exit{comm ~ "yak"}'
	"$KTRACE" info t | grep 'where comm == zebra'
}

@test "eight sessions of a user filter no longer than one; others are not held up" {
	echo 1 >/sys/module/ktrace/parameters/group_kernel
	run "$PROGS/dev_filter" share
	echo 0 >/sys/module/ktrace/parameters/group_kernel
	[ "$status" = 0 ]
}

@test "a filter that takes too long for an event: it is recorded, and it is told" {
	local name
	name=$(printf 'a%.0s' {1..200})
	cp /bin/true "$name"
	# In a text of such length the end of the pattern is tried at each place.
	run_ktraced --all -o t -e 'tp:sched:sched_process_exec{filename ~ "*a*ab"}' -- \
		sh -c "for i in 1 2 3; do ./$name; done; /bin/true"
	[ "$status" = 0 ]
	[[ $stderr == *"ktraced: 3 events are recorded unfiltered: their filter exceeded its time limit"* ]]
	run_ktrace list -c --filter "filename ~ '*$name'" t
	[ "$output" = 3 ]
	[ "$("$KTRACE" list -c -e sched:sched_process_exec t)" = 3 ]
	run_ktraced --all --json -o t -e 'tp:sched:sched_process_exec{filename ~ "*a*ab"}' -- "./$name"
	grep '^{' <<<"$stderr" | jq -e .undecided==1
	# What is known before the work is done is known.
	run_ktraced --all -o t -e 'tp:sched:sched_process_exec{filename ~ "b*"}' -- "./$name"
	[[ $stderr != *"unfiltered"* ]]
}

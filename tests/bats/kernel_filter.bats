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
		-e "syscall:enter{pid == $$},syscall:exit{tid == $$},sched:switch{cpu == 1}"
	retry 0.1 grep -q tracing ktraced.err
	taskset -c 1 /bin/true
	/bin/true
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" = 0 ]
	for e in "event == syscall:enter && tid == $$" "event == syscall:exit && tid == $$" \
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
			--where "$e" -- "$PROGS/dev_filter" strange
		[ "$status" = 0 ]
		[ "$("$KTRACE" list all | wc -l)" = 40 ]
		"$KTRACE" grep "$e" all | sed 's/.*syscall:/syscall:/' >wanted
		"$KTRACE" list some | sed 's/.*syscall:/syscall:/' >got
		[ -s wanted ]
		diff wanted got
	done
}

@test "what is filtered out takes no room, and is not lost" {
	run_ktraced -b 16K -o t -e 'syscall{nr == 31009}' -- "$PROGS/dev_filter" strange
	[ "$status" = 0 ]
	[[ $stderr == *"ktraced: 0 events, 0 lost, "* ]]
}

@test "of several patterns any may want an event, and --where must" {
	run_ktraced -q -o t -e 'syscall:e*{nr == 31001},syscall:enter{nr == 31002 && args[0] == 1},syscall:exit' \
		--where 'nr > 31000 && nr < 31003' -- "$PROGS/dev_filter" strange
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
	run_ktrace level "$pid" --where 'comm == zebra'
	[ "$status" = 0 ]
	./yak
	run_ktrace level "$pid" --where 'comm == '
	[ "$status" != 0 ]
	[[ $stderr == *"--where: column 9: expected a value, found the end"* ]]
	run_ktrace level "$pid" --where '' -e log
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

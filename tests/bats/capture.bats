#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# capture.bats - what gets from the rings into the file: all of it, exactly once
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

flood()
{
	run_ktraced -e flood "${@:1:$#-1}" -o t -- "$PROGS/flood" ${!#}
	[ "$status" -eq 0 ]
	ledger
}

@test "no events: a valid file" {
	run_ktraced -e flood -o t -- true
	[ "$(summary events)" = 0 ]
	valid_trace t
}

@test "all events of one thread" {
	flood '-n 1000'
	[ "$(summary events)" = 1000 ]
	valid_trace t
}

@test "all events of many threads in many processes" {
	flood '-p 4 -t 8 -n 500'
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

@test "fewer events than half a block, then _exit: they are there" {
	run_ktraced -e flood -o t -- sh -c "exec '$PROGS/flood' -n 3"
	[ "$(summary events)" = 3 ]
}

@test "the viewer lists each event once" {
	flood '-p 2 -t 2 -n 2000'
	[ "$(summary lost)" = 0 ]
	run_ktrace list t
	[ "$status" -eq 0 ]
	[ "$(grep -c 'flood:item' <<<"$output")" = 8000 ]
	# (process, thread, seq) is unique
	[ "$(grep -o 'process=.*' <<<"$output" | sort -u | wc -l)" = 8000 ]
}

@test "buffer and block sizes from the smallest on" {
	for sizes in '-b 16K' '-b 16K --block-size 4K' '-b 64K --block-size 16K' \
		'-b 8M --block-size 1M'; do
		# shellcheck disable=SC2086 # options and values
		flood $sizes "-t 2 -n $(n 3000) -u 1"
	done
	valid_trace t
}

@test "a grandchild that outlives the command is waited for, by name" {
	start_ktraced -e flood -o t -- "$PROGS/flood" -p 2 -n 400 -d 1300
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary events)" = 800 ]
	[[ $stderr == *"waiting for "*" traced process"* ]]
	valid_trace t
}

# bats test_tags=shm
@test "descendants that do not hold the buffer are not waited for" {
	start_ktraced -o t -- sh -c 'sleep 30 </dev/null >/dev/null 2>&1 & echo $!; exit 5'
	retry 0.05 is_gone "$pid"
	wait_for "$pid"
	[ "$status" -eq 5 ]
	kill "$output"
}

# bats test_tags=alike
@test "ctrl-C ends the waiting" {
	start_ktraced -e flood -o t -- "$PROGS/flood" -p 1 -n 1000000000 -u 1000 -d 1
	retry 0.05 has ktraced.err 'waiting for'
	child=$(child_of "$pid")
	kill -INT "$pid"
	wait_for "$pid"
	kill -KILL "$child"
	[ "$status" -eq 0 ]
	valid_trace t
}

@test "two ktraced at once do not see each other's events" {
	start one "$KTRACED" "--backend=$KTRACE_BACKEND" -e flood -o t1 -- \
		"$PROGS/flood" -t 2 -n 3000 -u 10
	local first=$pid
	run_ktraced -e flood -o t2 -- "$PROGS/flood" -t 2 -n 2000 -u 10
	[ "$(summary events)" = 4000 ]
	wait "$first"
	stderr=$(cat one.err)
	[ "$(summary events)" = 6000 ]
	valid_trace t1 && valid_trace t2
}

@test "a file that is being written can be read" {
	start_ktraced -e flood -o t -- "$PROGS/flood" -n 1000000000 -u 500
	retry 0.1 lists_events t
	kill_tree "$(child_of "$pid")"
	wait_for "$pid"
	valid_trace t
}

lists_events()
{
	"$KTRACE" list "$1" 2>/dev/null | grep -q flood:item
}

# bats test_tags=alike
@test "a limit of the file's size: said once, counted, valid" {
	# shellcheck disable=SC2016 # for the inner shell
	capture bash -c 'ulimit -f 12288; exec "$@"' bash "$KTRACED" \
		"--backend=$KTRACE_BACKEND" -e flood -b 64K --policy=block -o t -- \
		"$PROGS/flood" -n 1000000
	show ktraced
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary unwritten)" -gt 0 ]
	[ "$(grep -c 'cannot write to t: File too large; events' <<<"$stderr")" = 1 ]
	[ "$(stat -c %s t)" -le $((12288 * 1024)) ]
	valid_trace t
}

# bats test_tags=alike
@test "a disk that is full from the start: the command is not run, and no file is left" {
	# No header, and a header alone
	for at in 1 2; do
		LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=$at DIE_HOW=fail run_ktraced -o t -- echo was run
		[ "$status" = 125 ]
		[ -z "$output" ]
		[[ $stderr == *"t: No space left on device"* ]]
		[ ! -e t ]
	done
}

# bats test_tags=alike
@test "a full disk: goes on when there is room again" {
	requires_root
	mkdir disk
	mount -t tmpfs -o size=1M tmpfs disk
	start_ktraced -e flood -b 64K --policy=block --min-free=0 -o disk/t -- \
		"$PROGS/flood" -t 2 -n 30000 -u 1
	retry 0.05 has ktraced.err 'No space left on device' || ok=no
	mount -o remount,size=64M disk
	wait_for "$pid"
	cp disk/t t
	umount disk
	[ "${ok:-yes}" = yes ]
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary unwritten)" -gt 0 ]
	[[ $stderr == *"writing to "*" works again"* ]]
	[ "$(summary bytes)" -gt 1048576 ]
	valid_trace t
}

# bats test_tags=alike
@test "a full disk: more names than can wait: some are given up, those of events are there" {
	requires_root
	mkdir disk
	mount -t tmpfs -o size=64K tmpfs disk
	start_ktraced -o disk/t -- sh -c "'$PROGS/hostile' register 3500 1000
		until [ -e over ]; do '$PROGS/flood' -n 100; sleep 0.02; done"
	retry 0.05 has ktraced.err 'names .* that cannot be written are dropped' || ok=no
	mount -o remount,size=64M disk
	retry 0.05 has ktraced.err 'writing to .* works again' || ok=no
	touch over
	wait_for "$pid"
	cp disk/t t
	umount disk
	[ "${ok:-yes}" = yes ]
	[ "$status" -eq 0 ]
	[ "$(grep -c 'that cannot be written are dropped' <<<"$stderr")" = 1 ]
	[ "$("$KTRACE" list -e flood:item t | wc -l)" -gt 0 ]
}

# bats test_tags=alike
@test "the output's directory is removed: tracing goes on" {
	mkdir gone
	start_ktraced -e flood -o gone/t -- "$PROGS/flood" -n 2000 -u 500
	retry 0.05 test -s gone/t
	rm -r gone
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 2000 ]
}

# has_listed REGEX: a line of the trace t, which may still be growing, matches
has_listed()
{
	"$KTRACE" list t 2>/dev/null | grep -Eq "$1"
}

listed()
{
	run_ktrace list t
	[ "$status" -eq 0 ]
	grep -qE "$1" <<<"$output"
}

# bats test_tags=dev
@test "kernel events of the command: all of its life" {
	run_ktraced -o t -- sh -c '/bin/true; exit 0'
	[ "$status" -eq 0 ]
	listed 'sched:exec .*filename=.*/sh'
	listed 'sched:fork '
	listed 'sched:exec .*filename="/bin/true"'
	listed 'sched:exit '
	listed 'sched:switch '
}

# bats test_tags=dev
@test "-e chooses kernel events by family and by name" {
	run_ktraced -e sched:ex* -o t -- sh -c '/bin/true; exit 0'
	listed 'sched:exec '
	listed 'sched:exit '
	if listed 'sched:(fork|switch|wakeup)'; then false; fi
	run_ktraced -e syscall -o t -- /bin/true
	listed 'syscall:enter '
	listed 'syscall:exit '
	if listed 'sched:'; then false; fi
}

# bats test_tags=dev
@test "without sched:exec the command has its own name, too" {
	run_ktraced -e syscall -o t -- sleep 0.3
	listed '/[0-9]+ sleep +syscall:exit nr=clock_nanosleep'
	run_ktraced -e syscall -o t -- true
	listed '/[0-9]+ true +syscall:exit nr=execve'
	listed '/[0-9]+ true +syscall:enter nr=exit_group'
}

# bats test_tags=dev
@test "kernel and user events of a program are in one file" {
	run_ktraced -e sched,flood -o t -- "$PROGS/flood" -n 1000
	listed 'flood:item '
	listed 'sched:exec .*/flood"'
	[ "$(grep -c flood:item <<<"$output")" = 1000 ]
}

# bats test_tags=dev
@test "-p: a running process and its children, until it ends" {
	start loop sh -c 'while :; do sleep 0.05; done'
	local loop=$pid
	start_ktraced -p "$loop" -o t
	retry 0.05 has ktraced.err KTRACE_SESSION
	retry 0.1 has_listed 'sched:exec .*/sleep"'
	kill -KILL "$loop"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	listed "sched:fork .*parent_pid=$loop"
	listed 'sched:exec .*/sleep"'
}

# bats test_tags=dev
@test "-p of a process that is not there" {
	run_ktraced -p 4194000 -o t
	[ "$status" -eq 125 ]
	[[ $stderr == *"process 4194000: No such process"* ]]
	[ ! -e t ]
}

# bats test_tags=dev
@test "--all: everybody" {
	start loop sh -c 'while :; do sleep 0.05; done'
	run_ktraced --all --duration=500ms -o t
	[ "$status" -eq 0 ]
	listed 'sched:exec .*/sleep"'
	listed 'sched:switch .*swapper'
}

# bats test_tags=dev
@test "policy block: kernel events are dropped instead, and it says so" {
	local each
	each=$(n 20000)
	run_ktraced --policy=block -b 64K -e sched,syscall,flood -o t -- \
		"$PROGS/flood" -t 2 -n "$each"
	[[ $stderr == *"dropped, not blocked"* ]]
	listed 'flood:item '
	[ "$(grep -c flood:item <<<"$output")" = $((2 * each)) ]
}

# bats test_tags=dev
@test "without privilege: user events, and it says why not more" {
	requires_root
	chgrp 999 /dev/ktrace
	chmod 660 /dev/ktrace
	dir=$(mktemp -d /tmp/ktrace-test-XXXXXX)
	chmod 777 "$dir"
	capture setpriv --reuid=65534 --regid=65534 --groups=999 \
		"$KTRACED" --backend=dev -o "$dir/t" -- "$PROGS/flood" -n 100
	show ktraced
	mv "$dir/t" t
	rmdir "$dir"
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 100 ]
	[[ $stderr == *"no kernel events: Operation not permitted; they need CAP_PERFMON"* ]]
}

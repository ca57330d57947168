#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktraced --pthread: programs that know nothing of it do what they do without it, and the
# trace tells of each call. The programs are in tests/progs/pthread; tests/checkers/pthread/replay judges a trace
# by its own logic: nesting of calls, owners of mutexes.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

CALLS=$ROOT/userspace/lib/base/pthread_calls.h

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# alike COMMAND...: the same output and exit status with --pthread; the trace is in t
alike()
{
	local before
	capture "$@"
	before="$status $output"
	run_ktraced --pthread --policy block -o t -- "$@"
	[ "$status $output" = "$before" ] || { echo "without it: $before"; return 1; }
	[ "$(summary lost)" = 0 ]
}

# sound [--calls]: what is in t makes sense
sound()
{
	"$KTRACE" list --json t >t.json
	"$ROOT/tests/checkers/pthread/replay" "$@" <t.json
}

# events: the names of pthread's events in t, each once
events()
{
	"$KTRACE" list --json t | grep -o '"event":"pthread:[a-z_0-9]*' | sed 's/.*pthread://' | sort -u
}

# events_of TID: in order
events_of()
{
	"$KTRACE" list --json t | grep "\"tid\":$1," | grep -o '"event":"pthread:[a-z_0-9]*' |
		sed 's/.*pthread://'
}

# shown PATTERN: in the listing
shown()
{
	"$KTRACE" list t | grep -E "pthread:$1"
}

# ends NUMBER: so many threads began, and each has ended
ends()
{
	"$KTRACE" list --event 'pthread:thread_start,pthread:thread_end' t >threads
	[ "$(grep -c thread_start threads)" = "$1" ]
	[ "$(grep -c thread_end threads)" = "$1" ]
}

@test "each function is recorded, and the program does not notice" {
	alike "$PROGS/pthread_calls"
	[ "$status" = 3 ]
	sound
	events >names
	# No row of the table without its event
	sed -nE 's/^CALL\(([A-Z]+)[^,]*(\([a-z_]*\))?, [^,]*, ([a-z_0-9]+), ([a-z_]+), .*/\3 \4/p' "$CALLS" >rows
	[ "$(wc -l <rows)" = "$(grep -c '^CALL(' "$CALLS")" ]
	while read -r function stem; do
		grep -qE "^$stem(|_in|_out)\$" names || { echo "$function is missing"; return 1; }
	done <rows
}

@test "arguments and results are shown as text and as JSON" {
	alike "$PROGS/pthread_calls"
	shown 'mutex_lock mutex=0x[0-9a-f]+ count=1 result=OK caller=0x[0-9a-f]+$'
	shown 'mutex_trylock mutex=0x[0-9a-f]+ count=0 result=EBUSY caller=0x[0-9a-f]+$'
	shown 'mutex_clocklock_out mutex=0x[0-9a-f]+ count=0 result=ETIMEDOUT$'
	shown 'thread_setname_in thread=0x[0-9a-f]+ name="sleeper" caller=0x[0-9a-f]+$'
	shown 'barrier_init_in barrier=0x[0-9a-f]+ count=2 caller=0x[0-9a-f]+$'
	shown 'sem_open_in name="/ktrace-test-[0-9]+" flags=0xc0 value=3 caller=0x[0-9a-f]+$'
	shown 'sem_unlink_out result=ENOENT$'
	shown 'mtx_trylock mutex=0x[0-9a-f]+ count=0 result=busy caller=0x[0-9a-f]+$'
	"$KTRACE" list --json t | grep -E '"event":"pthread:sem_trywait","fields":\{"sem":"0x[0-9a-f]+","result":"EAGAIN","caller":"0x[0-9a-f]+"\}'
}

@test "a free lock is one event, one that is waited for has wait and wake" {
	local main thread
	alike "$PROGS/pthread_contended"
	sound
	main=$("$KTRACE" list --json t | grep -m1 mutex_init_in | grep -o '"tid":[0-9]*' | cut -d: -f2)
	thread=$("$KTRACE" list --json t | grep -m1 thread_start | grep -o '"tid":[0-9]*' | cut -d: -f2)
	[ "$(events_of "$main" | sed -n '/^mutex_lock/,$p' | head -n 8 | paste -sd ' ')" = \
		"mutex_lock mutex_unlock mutex_lock thread_create_in thread_create_out mutex_unlock thread_join_in thread_join_out" ]
	[ "$(events_of "$thread" | paste -sd ' ')" = \
		"thread_start mutex_lock_in mutex_lock_out mutex_unlock thread_end" ]
	shown "mutex_lock_in mutex=0x[0-9a-f]+ owner=$main caller=0x[0-9a-f]+\$"
	# Each thing that can be waited for has been waited for once, by somebody else.
	for name in mutex_lock_in mtx_lock_in rwlock_rdlock_in rwlock_wrlock_in sem_wait_in; do
		"$KTRACE" list t | grep "pthread:$name " >waits
		[ "$(wc -l <waits)" = "$([ $name = mutex_lock_in ] && echo 2 || echo 1)" ]
		fails grep "/$main " waits
	done
}

@test "a program whose name has lines" {
	cp "$PROGS/pthread_contended" $'na\nme'
	capture timeout 60 "$KTRACED" "--backend=$KTRACE_BACKEND" --pthread -o t -- $'./na\nme'
	show "$KTRACED"
	[ "$status" = 0 ]
	[ "$(grep -c mutex <<<"$output")" = 1 ]
	shown 'mutex_lock_in '
}

@test "who is alone in its process waits for another process" {
	alike "$PROGS/pthread_shared"
	sound
	[ "$(shown 'mutex_lock ' | wc -l)" = 2 ]
	[ "$(shown 'mutex_lock_in mutex=0x[0-9a-f]+ owner=[0-9]+ caller=' | wc -l)" = 1 ]
	[ "$(shown 'mutex_lock_out mutex=0x[0-9a-f]+ count=1 result=OK$' | wc -l)" = 1 ]
}

@test "mutexes of all kinds" {
	alike "$PROGS/pthread_kinds"
	sound
	shown 'mutex_trylock mutex=0x[0-9a-f]+ count=2 result=OK caller='
	shown 'mutex_lock mutex=0x[0-9a-f]+ count=3 result=OK caller='
	shown 'mutex_lock mutex=0x[0-9a-f]+ count=0 result=EDEADLK caller='
	shown 'mutex_unlock_out mutex=0x[0-9a-f]+ count=0 result=EPERM$'
	shown 'mutex_lock(_out)? mutex=0x[0-9a-f]+ count=1 result=EOWNERDEAD'
}

@test "cancellation" {
	alike "$PROGS/pthread_cancel"
	sound
	# That the thread ends is recorded, that the call does is not.
	shown 'cond_wait_in '
	fails shown 'cond_wait_out '
	shown 'thread_(start|end) ' | head -n 8 | awk '{ print $5 }' >ends
	[ "$(grep -c end ends)" = 4 ]
}

@test "asynchronous cancellation unwinds through an event, and every thread has its end" {
	local before tunables
	capture "$PROGS/pthread_unwind"
	before="$status $output"
	# In rings of threads, too, none of which is left over; there an event is lost if it is cut off
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables run_ktraced --pthread --policy block --thread-rings 4 -o t -- \
			"$PROGS/pthread_unwind"
		[ "$status $output" = "$before" ]
		ends 30
		fails grep 'lost (' <<<"${stderr//(nested/}"
	done
}

@test "constructors, plug-ins, fork and exec" {
	alike "$PROGS/pthread_processes" "$PROGS/pthread_plugin.so"
	[ "$status" = 5 ]
	sound
	# Two of the constructors and the plug-in, two of the program; the child's and its exec's
	[ "$(shown 'thread_start ' | wc -l)" = 5 ]
	[ "$("$KTRACE" list --json t | grep thread_start | grep -o '"pid":[0-9]*' | sort | uniq -c |
		awk '{ print $1 }' | sort | paste -sd ' ')" = "2 3" ]
}

# states: of the threads at the end of t
states()
{
	"$KTRACE" objects --all --json t | python3 -c '
import json, sys
for t in json.load(sys.stdin)["threads"]:
    print("first" if t["tid"] == t["pid"] else "other", t["state"])' | sort | paste -sd ' '
}

@test "the first thread ends before others" {
	alike "$PROGS/pthread_leave" </dev/null
	sound
	[ "$(states)" = "first joined other zombie" ]
	[ "$("$KTRACE" pthread -r -e THREAD_STATE_DEAD t | wc -l)" = 2 ]
	[ "$(shown 'thread_end ' | wc -l)" = 2 ]
}

# is_on NAME...: those levels have been chosen; for retry
is_on()
{
	"$KTRACE" level "$@" >/dev/null 2>&1
}

@test "threads that begin while nothing is recorded: their end is" {
	mkfifo in
	start_ktraced --pthread -l none -o t -- sh -c 'exec "$0" <in' "$PROGS/pthread_leave"
	exec 4>in
	retry 0.02 has ktraced.out '^begun'
	retry 0.02 is_on "$pid" thread
	exec 4>&-
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$(states)" = "first joined other zombie" ]
	[ "$(shown 'thread_end ' | wc -l)" = 2 ]
}

@test "signal handlers" {
	alike "$PROGS/pthread_signals"
	sound
	[ "$(shown 'sem_post_in ' | wc -l)" = 300 ]
	[ "$(shown 'sem_post_out ' | wc -l)" = 300 ]
}

@test "a malloc that begins with pthread calls, before all constructors" {
	alike "$PROGS/pthread_malloc"
	[ "$status" = 0 ]
	sound
	shown 'thread_start '
}

@test "C++, OpenMP, condition variables of the first version" {
	# Threads that spin would keep a single CPU from those that they wait for.
	export OMP_WAIT_POLICY=passive
	for program in cxx openmp versions; do
		alike "$PROGS/pthread_$program"
		sound --calls
	done
	shown 'cond_wait_out cond=0x[0-9a-f]+ mutex=0x[0-9a-f]+ result=OK$' >waits
	[ "$(wc -l <waits)" = 2 ]
}

@test "with a sanitizer or without a dynamic linker, it says so and steps aside" {
	alike "$PROGS/pthread_asan"
	grep 'pthread_asan has a sanitizer' <<<"$stderr"
	alike "$PROGS/pthread_static"
	grep 'pthread_static is statically linked' <<<"$stderr"
	# One that another program starts
	alike env "$PROGS/pthread_asan"
	grep '^libktrace-pthread: this program has a sanitizer' <<<"$stderr"
	fails shown mutex
}

@test "a program for another kind of machine is named, for which there is no library" {
	cp /bin/true foreign
	# e_machine: RISC-V
	printf '\xf3' | dd of=foreign bs=1 seek=18 conv=notrunc status=none
	run_ktraced --pthread -o t -- ./foreign
	[ "$status" -ne 0 ]
	[[ $stderr == *"./foreign is a program for another kind of machine"* ]]
}

@test "what the user preloads stays, and sees what it would have seen" {
	export LD_PRELOAD=$PROGS/pthread_hook.so
	capture "$PROGS/pthread_contended"
	before=$(grep hook <<<"$output")
	capture "$KTRACED" --backend="$KTRACE_BACKEND" --pthread -o t -- "$PROGS/pthread_contended"
	unset LD_PRELOAD
	[ "$(grep hook <<<"$output" | head -n 1)" = "$before" ]
	shown 'mutex_lock mutex='
	# A function with two versions in the C library, and none in what is preloaded
	capture env LD_PRELOAD="$PROGS/pthread_hook.so" "$PROGS/pthread_calls"
	before=$(grep '^hook: [0-9]* [1-9]' <<<"$output")
	capture env LD_PRELOAD="$PROGS/pthread_hook.so" "$KTRACED" --backend="$KTRACE_BACKEND" \
		--pthread -o t -- "$PROGS/pthread_calls"
	[ "$(grep '^hook:' <<<"$output" | head -n 1)" = "$before" ]
}

@test "-e chooses among the events" {
	run_ktraced --pthread -e 'pthread:barrier_*' -o t -- "$PROGS/pthread_calls"
	[ "$status" = 3 ]
	[ "$(events | paste -sd ' ')" = "barrier_destroy_in barrier_destroy_out barrier_init_in barrier_init_out barrier_wait_in barrier_wait_out" ]
	run_ktraced --pthread -o t
	[ "$status" = 125 ]
	grep 'needs a COMMAND' <<<"$stderr"
}

@test "xz, python3: the same result" {
	head -c 3000000 /dev/zero >file
	seq 100000 >>file
	alike sh -c 'xz -0 -T2 --block-size=1MiB -c file | cksum'
	sound --calls
	shown 'thread_start '
	alike python3 -c '
import queue, threading
q, results = queue.Queue(4), []
def work():
    while (n := q.get()) is not None:
        results.append(n * n)
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[q.put(n) for n in list(range(500)) + [None] * 3]
[t.join() for t in threads]
print(sum(results), len(results))'
	sound --calls
}

# bats test_tags=native
@test "who runs the Open POSIX Test Suite sees a difference" {
	# A program that fails without --pthread, which is none, and one that fails with it
	mkdir -p suite/include suite/conformance/interfaces/pthread_a suite/functional/semaphores
	touch suite/include/posixtest.h
	echo 'int main(void) { return 1; }' >suite/conformance/interfaces/pthread_a/1-1.c
	run env BUILD="$BUILD" "$ROOT/tests/checkers/pthread/opts" suite
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = "1 programs (0 not built), 0 differ; without: 1 FAIL" ]
	echo '#include <stdlib.h>
int main(void) { return getenv("KTRACE_SESSION") ? 2 : 0; }' >suite/functional/semaphores/b.c
	run env BUILD="$BUILD" "$ROOT/tests/checkers/pthread/opts" suite
	echo "$output"
	[ "$status" = 1 ]
	[[ $output =~ ^functional/semaphores/b:\ PASS,.*\ with\ --pthread\ UNRESOLVED, ]]
	run env BUILD="$BUILD" "$ROOT/tests/checkers/pthread/opts" .
	[ "$status" = 2 ]
}

# bats test_tags=native
@test "a library that takes a mutex in each function by which libktrace attaches" {
	gcc -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -pthread "$ROOT/tests/progs/pthread/inlet.c" -o inlet.so -ldl
	gcc -x c -pthread - -o locks <<-'EOF'
		#include <pthread.h>
		static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		int main(void)
		{
			for (int i = 0; i < 1000; i++) {
				pthread_mutex_lock(&mutex);
				pthread_mutex_unlock(&mutex);
			}
			return 0;
		}
	EOF
	local tunables most
	for tunables in "" glibc.pthread.rseq=0; do
		LD_PRELOAD=./inlet.so GLIBC_TUNABLES=$tunables run_ktraced --pthread -o t -- ./locks
		[ "$status" = 0 ]
		most=$("$KTRACE" list --json -e pthread:mutex_lock t | jq -s \
			'[.[] | select(.comm == "locks")] | group_by(.fields.mutex) | map(length) | max')
		[ "$most" = 1000 ]
	done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# race_checkers.bats - helgrind and DRD find no race in libktrace, and still find those of the program
# runs: host

load helpers

WHOSE=$ROOT/tests/sanitize/whose
SUPPRESSIONS=$ROOT/packaging/valgrind/libktrace-pthread.supp

setup()
{
	setup_test
	command -v valgrind >/dev/null || skip "no valgrind"
}

teardown()
{
	teardown_test
}

# under TOOL [OPTION...] -- ARG...: a recording of a program with this tool, whose reports are in TOOL.PID
under()
{
	local tool=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "$tool".[0-9]*
	run_ktraced -o t --policy=block "${RECORDED[@]}" -- valgrind "--tool=$tool" --fair-sched=try \
		--trace-children=yes --xml=yes "--xml-file=$tool.%p" "${options[@]}" "$@"
}

@test "threads and children that record events" {
	local program tool
	RECORDED=()
	# Without debugging information nothing says what has been inlined.
	strip -g -o stripped "$PROGS/user_flood"
	for program in "$PROGS/user_flood" ./stripped; do
		for tool in helgrind drd; do
			LD_LIBRARY_PATH=$BUILD/lib under "$tool" -- "$program" -t 3 -n 200 -s 0:300 -f 1
			[ "$status" = 0 ]
			run "$WHOSE" "$tool".[0-9]*
			echo "$output"
			[ "$output" = "0 races, 0 of libktrace" ]
			"$KTRACE" check t
		done
	done
}

@test "a race of the program itself is reported" {
	local tool
	RECORDED=()
	cat >racy.c <<-'END'
		#include <pthread.h>
		#include <ktrace/ktrace.h>
		KTRACE_EVENT(racy, turn, ktrace_u32(count));
		static volatile unsigned int count;
		static void *work(void *arg)
		{
			for (int i = 0; i < 10; i++)
				ktrace(racy, turn, ++count);
			return arg;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, work, NULL);
			work(NULL);
			return pthread_join(thread, NULL);
		}
	END
	gcc -g -I"$ROOT/userspace/include" racy.c -o racy -L"$BUILD/lib" "-Wl,-rpath,$BUILD/lib" -lktrace -pthread
	for tool in helgrind drd; do
		under "$tool" -- ./racy
		[ "$status" = 0 ]
		run "$WHOSE" "$tool".[0-9]*
		echo "$output"
		[[ $output =~ ^[1-9][0-9]*' races, 0 of libktrace'$ ]]
	done
}

@test "--pthread: all kinds of locks, two processes" {
	local tool
	RECORDED=(--pthread)
	for tool in helgrind drd; do
		under "$tool" "--suppressions=$SUPPRESSIONS" -- "$PROGS/pthread_orderly"
		[ "$status" = 0 ]
		run "$WHOSE" "$tool".[0-9]*
		echo "$output"
		[ "$output" = "0 races, 0 of libktrace" ]
	done
	# The suppressions are needed
	under helgrind -- "$PROGS/pthread_orderly"
	fails "$WHOSE" helgrind.[0-9]*
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# A program that takes system calls from itself is not killed for those of recording: filters of
# seccomp(2), its strict mode, PR_SET_TSC. What calls are left is what libktrace(3) lists.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# each COMMAND...: with the buffers of CPUs and of threads
each()
{
	local tunables
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables "$@" || return 1
	done
}

# recorded HOW EVENTS LOST
recorded()
{
	run_ktraced --policy block -b 64K -o t -- "$PROGS/confined" "$1"
	[ "$(grep -c '^recorded' <<<"$output")" = 1 ] || return 1
	[ "$(summary lost)" = "$3" ] || return 1
	[ "$("$KTRACE" list --event confined t | wc -l)" = "$2" ] || return 1
	valid_trace t
}

locked()
{
	run_ktraced --pthread -o t -- "$PROGS/pthread_confined"
	[ "$status" = 0 ] || return 1
	grep -x 400000 <<<"$output" || return 1
	[ "$(summary lost)" = 0 ] || return 1
	[ "$("$KTRACE" list --event pthread:thread_start t | wc -l)" = 4 ] || return 1
	valid_trace t
}

@test "--pthread: threads behind a filter run, and each lock is recorded" {
	each locked
}

@test "events behind a filter: of the first thread, new ones, a fork, with full buffers" {
	each recorded filter 40003 0
}

@test "in the strict mode and without the clock a thread goes on; its events are counted as lost" {
	each recorded strict 1 4
	[ "$(uname -m)" = x86_64 ] || return 0
	each recorded clock 2 1
}

posix_recorded()
{
	capture "$PROGS/posix_confined"
	[ "$status" = 0 ] && [ "$output" = recorded ]
}

@test "<trace.h> and S.Ha.R.K.'s tracer behind a filter" {
	each posix_recorded
	run_ktraced -o t -- "$PROGS/shark_confined"
	[ "$status" = 0 ]
	grep -x recorded <<<"$output"
	[ "$(summary events)" = 3000 ]
}

# calls_of FILE: what strace(1) saw from the mark on, each name once
calls_of()
{
	sed -nE '/"mark"/,$ s/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$1" | sort -u
}

# more_than_listed PROGRAM OPTION...: the calls of a recorded program that it does not make alone
more_than_listed()
{
	local program=$1
	shift
	strace -f -o alone "$program" open >/dev/null
	run_ktraced --policy block -b 64K -o t "$@" -- strace -f -o with "$program" open
	[ "$status" = 0 ] || return 1
	comm -13 <(calls_of alone) <(calls_of with) >more
	cat more
	[ -s more ] || return 1
	sed -n '/calls: from here/,/calls: to here/s/^\.It Ql //p' "$ROOT/Documentation/man/libktrace.3" |
		tr -d ,\  | sort >listed
	[ -z "$(comm -23 more listed)" ]
}

@test "recording makes no system calls but those that libktrace(3) lists" {
	command -v strace >/dev/null || skip "no strace"
	each more_than_listed "$PROGS/confined"
	each more_than_listed "$PROGS/pthread_confined" --pthread
}

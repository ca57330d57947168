#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# An event takes at most 1 KiB of stack, on arm64 64 bytes more, whoever writes it, and also if it is a thread's first.
# Programs paint a signal stack and see how far down it was written: tests/progs/painted.h.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

# On arm64 each frame has a frame pointer, and is a multiple of 16.
STACK_MAX=1024
[ "$HOSTTYPE" != aarch64 ] || STACK_MAX=1088

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# deep PROGRAM: into the buffers of the CPUs and of threads, with two policies
deep()
{
	local tunables policy
	for tunables in "" glibc.pthread.rseq=0; do
		for policy in drop overwrite; do
			GLIBC_TUNABLES=$tunables run_ktraced -b 64K --policy "$policy" -o t -- "$1"

			[ "$status" = 0 ] || [ "$status" = 4 ] || return 1
			# A busy machine may have no more time than for the newest ones.
			[ "$(summary events)" -gt 0 ] || return 1
			[ $(($(summary events) + $(summary lost))) -gt 1000 ] || return 1
		done
	done
}

@test "events of libktrace: every kind, the first of a thread, and of a child" {
	deep "$PROGS/stack"
}

@test "events of S.Ha.R.K.'s tracer, into a chunk and into a session" {
	capture "$PROGS/shark_stack"
	show shark_stack
	[ "$status" = 0 ]
	deep "$PROGS/shark_stack"
}

@test "posix_trace_event(), into one stream and into three" {
	local tunables
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables capture "$PROGS/posix_stack"
		show posix_stack
		[ "$status" = 0 ]
	done
}

@test "--pthread: a call takes 1 KiB more than alone" {
	"$PROGS/pthread_stack" >alone
	local tunables name more
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables run_ktraced --pthread -o t -- "$PROGS/pthread_stack"
		[ "$status" = 0 ]
		[ "$(summary events)" -gt 30000 ]
		while read -r name more; do
			awk -v name="$name" -v more="$more" -v max="$STACK_MAX" '$1 == name { print name, more - $2
				exit !(more - $2 <= max) }' alone
		done < <(grep -E '^[a-z_]+ [0-9]+$' <<<"$output")
	done
}

@test "--pthread: threads with the smallest stack, nearly all of it used" {
	local used=16384
	ulimit -c 0
	until "$PROGS/pthread_smallest" "$used" >alone 2>/dev/null; do
		used=$((used - 64))
	done
	run_ktraced --pthread -o t -- "$PROGS/pthread_smallest" $((used - 1088))
	[ "$status" = 0 ]
	grep -x "$(cat alone)" <<<"$output"
	[ "$(summary lost)" = 0 ]
	for used in $((used / 2)) 1; do
		run_ktraced --pthread -o t -- "$PROGS/pthread_smallest" "$used"
		[ "$status" = 0 ]
	done
}

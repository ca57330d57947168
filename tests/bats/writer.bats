#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# The writer in the traced program: each event of each thread is read once, in order,
# with the bytes it was written with, or it is counted as lost. Every test runs with
# per-CPU rings (rseq) and with thread rings (glibc's registration switched off).

# shellcheck disable=SC2154 # capture sets status and output

load helpers

FLOOD=$PROGS/user_flood

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# account ARG...: run user_ledger, which checks every number, with both kinds of rings
account()
{
	local tunables
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables capture "$PROGS/user_ledger" "$@"
		show user_ledger "$@" "(GLIBC_TUNABLES=$tunables)"
		[ "$status" = 0 ] || return 1
		grep -q '^ledger ok' <<<"$output" || return 1
	done
}

# lacks PATTERN: in $output
lacks()
{
	! grep -e "$1" <<<"$output"
}

# account_all ARG...: and nothing is lost
account_all()
{
	account -p block "$@" && lacks '^lost'
}

@test "drop: what is not read is counted" {
	account -p drop -r 65536 -b 4096 -d 2000 "$FLOOD" -t 4 -n 50000
	grep '^lost full [1-9]' <<<"$output"
	account -p drop "$FLOOD" -t 2 -n 1000
	lacks '^lost'
}

@test "drop: with records of all sizes" {
	account -p drop -r 65536 -b 4096 "$FLOOD" -t 4 -n "$(n 20000)" -s 0:300
}

@test "block: a writer waits and nothing is lost" {
	account_all -r 65536 -b 4096 -d 1000 "$FLOOD" -t 4 -n "$(n 20000)" -s 0:40
}

# bats test_tags=alike
@test "block: a writer waits no longer than it may" {
	account -p block -T 1 -r 16384 -b 4096 -d 300000 "$FLOOD" -t 1 -n 2000 -s 100:100
	grep '^lost timeout [1-9]' <<<"$output"
}

@test "stop: nothing follows a gap until all is read" {
	account -p stop -r 65536 -b 4096 -d 2000 "$FLOOD" -t 2 -n 50000
	grep '^lost stopped [1-9]' <<<"$output"
}

@test "overwrite: what was overwritten is counted" {
	account -p overwrite -r 65536 -b 4096 -d 5000 "$FLOOD" -t 2 -n "$(n 50000)"
	grep '^lost overwritten [1-9]' <<<"$output"
}

# bats test_tags=alike
@test "events longer than a record come in one piece" {
	account_all -r 131072 -b 4096 "$FLOOD" -t 2 -n 500 -s 0:20000
	account_all -r 4194304 -b 65536 "$FLOOD" -t 2 -n 20 -s 60000:1000000
}

@test "events in signal handlers, while events are recorded" {
	account_all "$FLOOD" -t 4 -n "$(n 50000)" -S
	account_all "$FLOOD" -t 4 -n "$(n 50000)" -S -s 0:100
	account_all -b 4096 -r 65536 "$FLOOD" -t 2 -n 500 -S -s 0:20000
}

# In a thread ring the event that was being stored is counted.
# bats test_tags=alike
@test "threads cancelled asynchronously in the middle of events" {
	account -p block "$FLOOD" -t 4 -n 10 -c 50
	lacks '^lost [^n]'
}

@test "more threads than thread rings: counted" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 capture "$PROGS/user_ledger" -t 2 "$FLOOD" -t 8 -n 1000 -u 10
	show user_ledger
	[ "$status" = 0 ]
	grep '^lost noring [1-9]' <<<"$output"
}

# bats test_tags=alike
@test "a handler that leaves an event by siglongjmp" {
	account -p block "$PROGS/user_life" longjmp
}

@test "errno is what it was" {
	account_all "$PROGS/user_life" errno
	lacks BAD
}

@test "events off by filter are not recorded" {
	account -f 'life:*,no:[a-b]*' "$PROGS/user_life" text
	grep '^event life:text 3' <<<"$output"
	grep '^event trace:TR_LIFE_2 0' <<<"$output"
	account -f '*:t?[w-y]t' "$PROGS/user_life" text
	grep '^event life:text 3' <<<"$output"
	account -f '*:t?[!w-y]t' "$PROGS/user_life" text
	grep '^event life:text 0' <<<"$output"
}

@test "a program's words for its threads stand in front of the library's" {
	# Otherwise each of its events would ask the library, see <ktrace/writer.h>.
	capture nm -D "$FLOOD"
	[[ $output =~ \ [VW]\ ktrace_thread ]]
}

# bats test_tags=alike
@test "under valgrind" {
	command -v valgrind || skip "no valgrind"
	capture "$PROGS/user_ledger" -p block valgrind -q --error-exitcode=9 \
		"$PROGS/user_flood" -t 2 -n 500 -s 0:3000
	show valgrind
	[ "$status" = 0 ]
	lacks '^lost'
	lacks '^status'
}

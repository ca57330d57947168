#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# The headers in uapi/linux/ are enough to write a second writer: what tests/spec/write.c
# records, which knows nothing else, is read by ktraced and ktrace.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

WRITE=$PROGS/spec_write

setup() { setup_test; }
teardown() { teardown_test; }

# expected THREAD EVENTS: what one thread writes
expected()
{
	awk -v t="$1" -v n="$2" 'BEGIN {
		for (i = 0; i < n; i++) {
			printf "spec:count thread=%d nr=%d\n", t, i
			if (i % 16)
				continue
			text = sprintf("%*s", i / 16 % 256, "")
			gsub(" ", sprintf("%c", 97 + i / 16 % 26), text)
			printf "spec:text thread=%d nr=%d text=\"%s\"\n", t, i, text
		}
	}'
}

# writes OPTION... EVENTS THREADS: all that the writer tries to write is accounted for
writes()
{
	run_ktraced -e 'spec:*' -o t "${@:1:$#-2}" -- "$WRITE" "${@: -2}"
	[ "$status" -eq 0 ]
	ledger
	valid_trace t
}

# lost_by REASON: something was, for no other reason, and as much as the writer says
lost_by()
{
	[ "$(summary "$1")" -gt 0 ]
	[ "$(summary "$1")" = "$(summary lost)" ]
	[ "$(awk '/^written/ { n += $5 } END { print n }' <<<"$output")" = "$(summary lost)" ]
}

@test "each event once, in order, with its values" {
	local thread
	writes --policy=block -b 16K 5000 3
	[ "$(summary lost)" = 0 ]
	"$KTRACE" list t >list
	for thread in 0 1 2; do
		grep -o "spec:.* thread=$thread .*" list | sed 's/  */ /g' >got
		expected $thread 5000 | diff - got
	done
	[ "$(grep -c ' write  *spec:' list)" = "$(wc -l <list)" ]
}

@test "drop: the ledger is exact" {
	writes --policy=drop -b 16K 20000 3
	lost_by full
}

@test "stop: the ledger is exact" {
	writes --policy=stop -b 16K 20000 3
	lost_by stopped
}

@test "overwrite: the ledger is exact" {
	writes --policy=overwrite -b 16K 20000 3
	[ "$(summary overwritten)" -gt 0 ]
	[ "$(summary overwritten)" = "$(summary lost)" ]
}

@test "block: a writer waits no longer than there is a reader" {
	local writer session
	start_ktraced --policy=block -b 16K -e 'spec:*' -o t -- "$WRITE" "$(n 3000000)"
	retry 0.01 pgrep -P "$pid" spec_write
	writer=$(child_of "$pid")
	session=$(session_of "$pid")
	kill -KILL "$pid"
	retry 0.02 is_gone "$writer"
	"$KTRACED" -q --recover --discard "$session"
}

@test "more threads than rings: the ledger is exact" {
	writes --policy=block --thread-rings 0 -b 16K 200 3
	lost_by noring
	[ "$(summary events)" = 0 ]
}

@test "without a session the program runs on" {
	KTRACE_SESSION=shm:/dev/null capture "$WRITE" 10 2
	[ "$status" -eq 0 ]
	[ "$output" = "written 0 0 lost 0" ]
	capture "$WRITE" 10 2
	[ "$output" = "written 0 0 lost 0" ]
}

@test "an event that is off writes nothing" {
	run_ktraced -e spec:text -o t -- "$WRITE" 1600 2
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 200 ]
	grep '^written 200 200 lost 0$' <<<"$output"
	run_ktrace list t
	fails grep spec:count <<<"$output"
}

@test "an event that is switched on is written from then on" {
	capture "$PROGS/user_ledger" -p block -f none:none -e spec:count "$WRITE" -w 1000 2
	show user_ledger
	[ "$status" -eq 0 ]
	grep '^event spec:count 2000$' <<<"$output"
	grep '^event spec:text 0$' <<<"$output"
}

@test "parent and child of a fork" {
	run_ktraced -e 'spec:*' -o t -- "$WRITE" -f 160 2
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary events)" = 680 ]
	run_ktrace list t
	[ "$(awk '{ print $3 }' <<<"$output" | sort -u | wc -l)" = 4 ]
	[ "$(awk '{ sub("/.*", "", $3); print $3 }' <<<"$output" | sort -u | wc -l)" = 2 ]
}

# Writes until it gets the ring of the program that was killed.
@test "killed in the middle of a record: what was written before is read, its ring goes on" {
	run_ktraced -e 'spec:*' --thread-rings 1 -o t -- bash -c \
		"'$WRITE' -k 500 1000; for ((i = 0; i < 500; i++)); do
			'$WRITE' 1 >>written; tail -n1 written | grep -q 'lost 0' && exit; sleep 0.02; done; exit 1"
	[ "$status" -eq 0 ]
	output=$(cat written; echo written 499 499)
	ledger
	[ "$(summary events)" = 501 ]
	[ "$(summary noring)" = "$(summary lost)" ]
	valid_trace t
}

# The ring of thread 0 is libktrace's in between, which keeps more words of it.
@test "a ring passes from hand to hand between this writer and libktrace" {
	local policy
	for policy in block overwrite; do
		run_ktraced "--policy=$policy" -b 16K --thread-rings 1 -e spec,flood -o t -- sh -c \
			"'$WRITE' 2000 && GLIBC_TUNABLES=glibc.pthread.rseq=0 '$PROGS/flood' -t 1 -n 2000 &&
			'$WRITE' 2000"
		[ "$status" -eq 0 ]
		ledger
		valid_trace t
		[ "$policy" = block ] || [ "$(summary overwritten)" = "$(summary lost)" ]
		[ "$policy" = overwrite ] || [ "$(summary events)" = 6250 ]
	done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# shark_library.bats - the S.Ha.R.K. tracer of programs, against a second one in Python
# (tests/checkers/shark/model.py), and what becomes of events and chunks under ktraced
# bats file_tags=shm

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# scripts PROGRAM ARG...: random calls, done by it and by the model
scripts()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/tests/checkers/shark/scripts.py" "$@"
}

@test "10000 random calls: after each, results, flags, links, losses and events are the model's" {
	scripts "$PROGS/shark_script" 1 40 250
}

# events FILE...: code, par1, par2 of the events of files
events()
{
	"$ROOT/tests/checkers/shark/shark" text "$@" | cut -d ' ' -f 2-
}

# manual: what the files of the manual's example hold, 0trace and then 1trace
manual()
{
	events 0trace | sed -E 's/^(trace_start 1) .*/\1 TICKS/; s/^(id 1) .*/\1 PID/' >a
	events 1trace >b
	cat a b
	[ "$(paste -sd , a)" = "filter_timer 1 0,trace_start 1 TICKS,id 1 PID,filter_timer 0 0" ]
	[ "$(paste -sd , b)" = "ipoint 6000 0,trace_stop 0 0" ]
	[ ! -e 2trace ]
}

@test "SHK-46: the manual's example, alone: start and ids in a, what comes behind next_chunk in b" {
	umask 000
	"$EXAMPLES/chunks"
	manual
	[ "$(stat -c %a 0trace)" = 600 ]
}

@test "SHK-46: the same under ktraced, which writes the files" {
	run_ktraced -q -o t -- "$EXAMPLES/chunks"
	[ "$status" = 0 ]
	manual
	[ "$(stat -c %a 0trace)" = 600 ]
	run_ktraced -q --mode 0640 -o t -- "$EXAMPLES/chunks"
	[ "$(stat -c %a 0trace t)" = "640
640" ]
}

@test "SHK-14: what ktraced wrote stays when the chunk is sent empty, and when ktraced is not there" {
	run_ktraced -q -o t -- "$PROGS/shark_again"
	[ "$status" = 0 ]
	events 0trace >sent
	cat sent
	[ "$(grep -c user_event_0 sent)" = 2 ]
}

@test "SHK-14: all chunks that threads send at once are where ktraced writes" {
	mkdir chunks
	run_ktraced -q --shark-files chunks/ -o t -- "$PROGS/shark_many"
	[ "$status" = 0 ]
	[ "$(find chunks -name '*trace' | wc -l)" = 256 ]
	[ -z "$(compgen -G '*trace')" ]
}

@test "what is logged is in the trace as log:event, whatever the filters say" {
	run_ktraced -q -o t -- "$EXAMPLES/chunks"
	run_ktrace list --json t
	jq -r 'select(.event == "log:event") | .fields.type' <<<"$output" >types
	cat types
	# Two times the timer's two, start, id, next_chunk, ipoint, stop; the filter's changes
	[ "$(wc -l <types)" = 11 ]
	[ "$(grep -c filter_timer types)" = 2 ]
	grep -qx ipoint types
	run_ktrace list --filter 'type = ipoint && par1 > 5000' t
	[[ $output == *"log:event type=ipoint par1=6000 par2=0 (number 6000)" ]]
	run_ktraced -q -e 'nothing:*' -o t -- "$EXAMPLES/chunks"
	run_ktrace list t
	[ -z "$output" ]
}

@test "SHK-11: without memory a chunk is neither compressed nor sent, and stays as it was" {
	"$PROGS/shark_nomem"
}

@test "SHK-11 SHK-12: a program that may have no such large files is not killed for its chunks" {
	(ulimit -c 0 -f 8 && "$PROGS/shark_limit")
}

# packets COMMAND...: what shark_udp sends, run by it
packets()
{
	start receiver "$ROOT/tests/checkers/shark/shark" receive port received 126
	receiver=$pid
	retry 0.1 test -e port
	"$@" "$PROGS/shark_udp" "127.0.0.1:$(cat port)" 125
	wait "$receiver"
	[ "$(cat receiver.out)" = "1 2 3 4" ]
}

@test "SHK-15, SHK-42: under ktraced its packets are numbered, also behind an empty chunk" {
	packets "$KTRACED" -o t --
}

@test "SHK-15, SHK-42: alone, the program sends packets itself; their numbers go on" {
	packets env
	[ "$(stat -c %s received)" = $((126 * 16)) ]
	events received | awk '$1 != "user_event_0" || $2 != $3 || $3 != (NR - 1) % 125 { exit 1 }'
}

@test "SHK-17: a program built without the tracer has the code of one without trace points" {
	cat >with.c <<-'END'
		#include <ktrace/shark.h>
		int work(int x);
		int work(int x)
		{
			TRACER_LOGEVENT(FTrace_EVT_user_event_0, x, 1);
			FAST_TRACER_LOGEVENT(FTrace_EVT_ipoint, 7);
			TRACER_LOGCRITICAL(FTrace_EVT_ipoint, 7, x);
			return x + 1;
		}
	END
	grep -v LOG with.c >without.c
	for name in with without; do
		gcc -O2 -c -DKTRACE_NO_SHARK -I"$ROOT/uapi" -I"$ROOT/userspace/include" "$name.c"
		objdump -d "$name.o" | sed 1,3d >"$name.s"
	done
	cmp with.s without.s
	gcc -O2 -c -I"$ROOT/uapi" -I"$ROOT/userspace/include" with.c
	objdump -d with.o | grep -q call
}

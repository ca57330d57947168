#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# live.bats - ktrace live: events, and tables of them, while ktraced records
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# record ARG...: a flood that goes on until it is stopped
record()
{
	start_ktraced -q -e flood "$@" -- "$PROGS/flood" -n 0 -u 500
	recording=$pid
}

# begun: the recording has a first event by now
begun()
{
	[ "$("$KTRACE" list -c "$@" 2>/dev/null || true)" -gt 0 ] 2>/dev/null
}

# watch ARG...: ktrace live in the background, pid in $watching
watch()
{
	start live "$KTRACE" live "$@"
	watching=$pid
}

# waits_for_more: live has read all that there was and waits in poll() for 100 ms
waits_for_more()
{
	grep -qs '^7 0x[0-9a-f]* 0x1 0x64 ' "/proc/$watching/syscall"
}

# bytes_read: how many bytes live has read until now
bytes_read()
{
	sed -n 's/^rchar: //p' "/proc/$watching/io"
}

# has_read N: live has read N bytes, and waits for more
has_read()
{
	[ "$(bytes_read)" -ge "$1" ] && waits_for_more
}

# stop: ends the recording; live ends by itself then, with $status
stop()
{
	kill -TERM "$recording"
	wait "$recording" || true
	status=0
	wait "$watching" || status=$?
	cat live.err
	[ "$status" -eq 0 ]
}

# in_any_order FILE FILE: the same lines
in_any_order()
{
	diff <(sort "$1") <(sort "$2")
}

@test "of a recording that has ended it shows what list shows" {
	for options in "" --json "-e sched" "-p 100 --time raw" "--since 100ns --until 400ns" "-n 3"; do
		# shellcheck disable=SC2086 # several words
		diff <("$KTRACE" list $options "$SMALL") <("$KTRACE" live --all $options "$SMALL")
	done
	run_ktrace live "$SMALL"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "--until ends it at the first event behind, of a file that has no end yet" {
	"$PROGS/mktrace" t --no-end <<-'END'
		meta trace version=1 clock=monotonic hz=1000000000
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 block=4096
		meta event kind=user id=64 desc=app:x{u32%20n;}
		block 0
		rec 1000 64 7 u32:1
		rec 2000 64 7 u32:2
		rec 9000 64 7 u32:3
	END
	timeout 20 "$KTRACE" live --all --until 5us t >shown
	[ "$(grep -o 'n=.*' shown | tr '\n' ' ')" = "n=1 n=2 " ]
}

@test "a recording that has no event yet: windows and tables count from its first" {
	local option
	cat >head <<-'END'
		meta trace version=1 clock=monotonic hz=1000000000
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 block=4096
		meta event kind=user id=64 desc=app:x{u32%20n;}
	END
	printf '%s\n' 'block 0' 'rec 1000 64 7 u32:1' 'rec 2000 64 7 u32:2' 'rec 9000 64 7 u32:3' |
		cat head - | "$PROGS/mktrace" whole --no-end
	"$PROGS/mktrace" begin --no-end <head
	for option in "--since 500ns --until 5us" "--top --json --number 1 --interval 60s"; do
		cp begin t
		# shellcheck disable=SC2086 # several words
		watch --all $option t
		retry 0.05 waits_for_more
		before=$(bytes_read)
		tail -c "+$(($(stat -c %s begin) + 1))" whole >>t
		if [[ $option != --top* ]]; then
			wait "$watching"
			[ "$(grep -o 'n=.*' live.out | tr '\n' ' ')" = "n=2 " ]
			continue
		fi
		retry 0.05 has_read $((before + $(stat -c %s whole) - $(stat -c %s begin)))
		kill -TERM "$watching"
		wait "$watching"
		[ "$(jq '.from_ns, .duration_ns, .events' live.out | tr '\n' ' ')" = "0 8000 3 " ]
	done
}

@test "events appear while they are recorded, and at the end it has shown all" {
	record -o t.bin
	retry 0.05 begun t.bin
	watch --all --time raw t.bin
	retry 0.05 has live.out 'flood:item .*seq=200$'
	kill -0 "$recording"
	kill -0 "$watching"
	stop
	"$KTRACE" list --time raw t.bin >all
	in_any_order all live.out
}

@test "without --all what comes from now on" {
	record -o t.bin
	retry 0.05 begun t.bin
	first=$("$KTRACE" list --time raw -n 1 t.bin 2>/dev/null)
	watch --time raw t.bin
	retry 0.05 has live.out 'flood:item'
	stop
	fails grep -qxF "$first" live.out
	"$KTRACE" list --time raw t.bin | sort | comm -13 - <(sort live.out) >foreign
	[ ! -s foreign ]
	last=$("$KTRACE" list --time raw t.bin | tail -n 1)
	grep -qxF "$last" live.out
}

# more: a little more of file whole in grows; true if live shows thread 8 of process 7 by now
more()
{
	tail -c +$(($(stat -c %s grows) + 1)) whole | head -c 160 >>grows
	has live.out ' 7/8 child .* n='
}

@test "processes and names that earlier events told are known to -p and filters" {
	local option i
	{
		cat <<-'END'
			meta host boot=1 machine=x86_64
			meta clock raw=0 mono_ns=0 real_ns=1000 hz=1000000000
			meta event kind=kernel id=67 desc=sched:fork{u32%20parent_tid;u32%20parent_pid;u32%20child_tid;u32%20child_pid;char[16]%20comm;}
			meta event kind=user id=16 desc=t:e{u64%20n;}
			meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
			meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
			block 0
			rec 10 67 7 u32:7 u32:7 u32:8 u32:7 char16:child
		END
		for i in {1..300}; do
			printf 'block 1\nrec %u 16 8 u64:%u\n' $((1000 * i)) "$i"
		done
	} | "$PROGS/mktrace" whole --no-end
	for option in "-p 7" "--filter pid==7"; do
		head -c 8192 whole >grows
		# shellcheck disable=SC2086 # two words
		watch $option grows
		retry 0.05 more
		kill -TERM "$watching"
		wait "$watching"
		fails has live.out ' n=1$'
	done
}

@test "it goes on in the next part of a recording" {
	start_ktraced -q -e flood --split-time 200ms -o t.bin -- "$PROGS/flood" -n 0 -u 500
	recording=$pid
	retry 0.05 begun t.bin
	watch --all --time raw t.bin
	retry 0.05 test -s t.0003.bin
	stop
	"$KTRACE" list --time raw t.bin >all
	in_any_order all live.out
}

@test "no memory for the next part: it says so and ends" {
	run_ktraced -q -b 16K --policy block --split-size 4K -o t.bin -- "$PROGS/flood" -n 20000
	mkdir away
	mv t.*.bin away/
	mv away/t.0001.bin .
	LD_PRELOAD=$PROGS/bad_library.so BUG=memory watch --all t.bin
	retry 0.05 has live.out 'flood:item'
	mv away/t.0002.bin .
	retry 0.05 has live.err '^ktrace: Cannot allocate memory$'
	status=0
	wait "$watching" || status=$?
	[ "$status" = 1 ]
}

@test "tables: events by thread, type and CPU; at the end they are all there were" {
	record -o t.bin
	retry 0.05 begun t.bin
	watch --all --top --by process,thread,type,cpu --interval 0.1 --json t.bin
	retry 0.05 eval '[ "$(wc -l <live.out)" -ge 3 ]'
	stop
	all=$("$KTRACE" list -c t.bin)
	# Those of each time sum up to the last, which is about all.
	jq -se --argjson all "$all" '.[-1].events == $all and .[-1].total == $all and
		(.[:-1] | map(.events) | add) <= $all' live.out
	for by in process thread type cpu; do
		jq -se --arg by "$by" '.[-1] | .events ==
			([.rows[] | select(.by == $by) | .events] | add)' live.out
	done
	jq -se '.[-1].rows | map(select(.by == "type").name) == ["flood:item"]' live.out
	run_ktrace live --all --top t.bin
	[[ $output == *"$all events, $all in all"* ]]
	[[ $output == *"flood:item"* ]]
}

@test "tables: time on a CPU is that of ktrace sched" {
	# Two threads on one CPU: 3 ms of 10, and 5 ms.
	"$PROGS/mktrace" t.bin <<-'END'
		meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		meta host name=h kernel=6.1.0 machine=x86_64 cpus=1 boot=b
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;enum<u32>(RUNNABLE=0,SLEEP=1)%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta clock raw=10000000 mono_ns=10000000 real_ns=1700000000010000000
		block 0
		rec 1000000 64 0 u32:0 u32:11 u32:120 u32:120 u32:0 char16:swapper char16:a
		rec 4000000 64 11 u32:11 u32:12 u32:120 u32:120 u32:1 char16:a char16:b
		rec 9000000 64 12 u32:12 u32:0 u32:120 u32:120 u32:1 char16:b char16:swapper
		rec 11000000 64 0 u32:0 u32:11 u32:120 u32:120 u32:0 char16:swapper char16:a
	END
	run_ktrace live --all --top --json t.bin
	[ "$status" -eq 0 ]
	jq -e '[.rows[] | select(.by == "thread" and .run_ns > 0)] |
		map([.name, .run_ns]) == [["-/12 b", 5000000], ["-/11 a", 3000000]]' <<<"$output"
	jq -e '[.rows[] | select(.by == "cpu")] | map([.name, .run_ns]) == [["cpu 0", 8000000]]' <<<"$output"
	jq -e '.duration_ns == 10000000' <<<"$output"
}

@test "losses are shown where they were, and said at the end" {
	start_ktraced -q -e flood -b 16K --policy=drop -o t.bin -- "$PROGS/flood" -t 2 -n 200000
	recording=$pid
	retry 0.05 test -s t.bin
	watch --all --time raw t.bin
	wait "$recording"
	status=0
	wait "$watching" || status=$?
	[ "$status" -eq 0 ]
	lost=$("$KTRACE" info --json t.bin | jq '.lost | add')
	[ "$lost" -gt 0 ]
	"$KTRACE" list --time raw t.bin >all
	in_any_order all live.out
	grep -q " $lost events were lost" live.err
	run_ktrace live --all --top --json t.bin
	[ "$(jq '.lost | add' <<<"$output")" -eq "$lost" ]
	run_ktrace live --all --top t.bin
	[[ $output == *", $lost LOST ("* ]]
}

@test "SIGINT ends it, and tables of all are the last; what is wrong is said" {
	record -o t.bin
	retry 0.05 begun t.bin
	watch --all --top --interval 0.1 t.bin
	retry 0.05 has live.out '^tables from '
	kill -INT "$watching"
	status=0
	wait "$watching" || status=$?
	[ "$status" -eq 0 ]
	grep -q '^total from 0.000000000 ' live.out
	kill -TERM "$recording"
	wait "$recording" || true
	for wrong in "--by what" "--interval 0" "-n 0" "--filter x==" ""; do
		# shellcheck disable=SC2086 # several words
		run_ktrace live $wrong
		[ "$status" -eq 2 ]
		[ -n "$stderr" ]
	done
	run_ktrace live nothing.bin
	[ "$status" -eq 1 ]
	head -c 3000 "$SMALL" | sed 's/demo:work/DEMO:work/' >bad.bin
	run timeout 60 "$KTRACE" list bad.bin
	[ "$status" -eq 1 ]
}

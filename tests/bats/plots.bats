#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# --svg of hist, sched, syscalls and contention: the figures in the picture are those of --json

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	ORACLE=$ROOT/tests/checkers/oracle/analyse.py
}

teardown()
{
	teardown_test
}

# draws COMMAND FILE OPTION... [-- NOTE...]: a picture that has the figures of --json, and NOTEs
draws()
{
	local command=$1 file=$2 options=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	run_ktrace "$command" --svg picture.svg "${options[@]}" "$file"
	[ "$status" = 0 ]
	[ -z "$output" ]
	"$KTRACE" "$command" --json "${options[@]}" "$file" >told.json
	"$ROOT/tests/checkers/export/svg" "$command" picture.svg told.json "$@"
}

@test "pictures of hist have all events and losses in their bins" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	draws hist t --bins 7 -- "22 events were LOST here, the picture is incomplete: full 10"
	draws hist t --width 100ns --until 2us
	python3 "$ORACLE" make 5 3000 | "$PROGS/mktrace" t
	draws hist t --bins 50 -- "others"
}

@test "pictures of sched and syscalls have times and how they are distributed" {
	python3 "$ORACLE" make 5 3000 | "$PROGS/mktrace" t
	draws sched t -- "time on CPUs" "from wake-up to running"
	draws sched t -n 3 -- "more are not shown"
	draws syscalls t
	draws syscalls t --threads
}

@test "pictures of contention have the objects that were waited for" {
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_contended"
	draws contention t -- "No events were lost."
}

@test "pictures say what is to be known of clocks; names are no markup" {
	"$PROGS/mktrace" 't<&"' <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000
meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;enum<u32>(R=0,S=1,D=2)%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
block 0
rec 1000 64 0 u32:0 u32:100 u32:0 u32:0 u32:0 char16:swapper/0 char16:<a&"'>
rec 1400 64 100 u32:100 u32:0 u32:0 u32:0 u32:1 char16:<a&"'> char16:swapper/0
END
	draws sched 't<&"' -- "coarse clock: a tick is 1000 ns" "<a&\"'>"
	draws hist 't<&"' --bins 3
}

@test "pictures of nothing, and what cannot be drawn" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	draws contention t -- "nothing to show"
	draws syscalls t --since 5
	run_ktrace hist --svg picture.svg --bins 2001 t
	[ "$status" = 2 ]
	[[ $stderr == *"more than 2000 bins"* ]]
	run_ktrace sched --svg t t
	[ "$status" = 1 ]
	[[ $stderr == *"is to be read"* ]]
	run_ktrace sched --svg - t
	[[ $output == "<svg "*"</svg>" ]]
}

@test "a scale of less than a double's steps, late in a long trace, ends" {
	"$PROGS/mktrace" t <<-'END'
		meta trace version=1 clock=monotonic hz=1000000000
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 block=4096
		meta event kind=user id=64 desc=app:x{u32%20n;}
		block 0
		rec 1000 64 7 u32:1
		rec 17280000000000000 64 7 u32:2
	END
	(ulimit -f 64
	run_ktrace hist --svg h.svg --since 17279999.000000001 --until 17279999.000000003 t
	[ "$status" = 0 ])
	[ "$(grep -c 'class="sm"' h.svg)" -lt 20 ]
}

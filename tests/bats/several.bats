#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# several.bats - several recordings of one process at a time
load helpers
load late

# record NAME ARG...: begins a recording NAME, its pid in ${recorder[NAME]}; NAME.err: its messages
declare -A recorder
record()
{
	local name=$1
	shift
	start "$name" "$KTRACED" "--backend=$KTRACE_BACKEND" -o "$name" --fail-on-loss "$@"
	recorder[$name]=$pid
}

# recording NAME [EVENT]: waits until it has events
recording()
{
	retry 0.02 records "${2:-late:tick}" 1 "$1"
}

# finish NAME...: ends recordings; each is whole, and nothing is lost
finish()
{
	local name status
	for name in "$@"; do
		kill -INT "${recorder[$name]}"
	done
	for name in "$@"; do
		status=0
		wait "${recorder[$name]}" || status=$?
		cat "$name.err"
		[ "$status" = 0 ]
		whole "$name" >"$name.count"
	done
}

# count EVENT FILE
count()
{
	"$KTRACE" list -c -e "$1" "$2"
}

# last EVENT FILE: the time of its last one, in seconds since the epoch
last()
{
	"$KTRACE" list --json -e "$1" "$2" | tail -n 1 | jq -r .time
}

# bats test_tags=alike
@test "several: eight at a time, each is whole; a ninth is refused" {
	local i
	late -t 3 -u 300
	for i in 1 2 3 4 5 6 7 8; do
		record "r$i" -p "$late"
		recording "r$i"
	done
	run_ktraced --duration 0.5 -o ninth -p "$late"
	[[ $stderr == *"8 recordings use it"* ]]
	[[ $stderr != *"too old"* ]]
	finish r1 r2 r3 r4 r5 r6 r7 r8
	for i in 1 2 3 4 5 6 7 8; do
		[ "$(cat "r$i.count")" -gt 0 ]
	done
	# It was in the first recording from before the second one until after the last one began.
	[ "$(cat r1.count)" -gt "$(cat r8.count)" ]
	attached -p "$late"
	stop_late
}

@test "several: each has its own events, policy, names and mappings" {
	local name
	late -t 2 -u 300 -f 50
	record ticks -p "$late" -e late:tick
	record children -p "$late" -e late:child --policy block
	record none -p "$late" -e late:image
	record ring -p "$late" --policy overwrite
	recording ticks
	recording children late:child
	sleep 0.5
	finish ticks children none ring
	[ "$(count late:tick ticks)" -gt 0 ]
	[ "$(count late:child ticks)" = 0 ]
	[ "$(count late:child children)" -gt 0 ]
	[ "$(count late:tick children)" = 0 ]
	[ "$("$KTRACE" list -c none)" = 0 ]
	[ "$(count late:tick ring)" -gt 0 ]
	[ "$(count late:child ring)" -gt 0 ]
	# Named together, what two of them have counts twice.
	run_ktrace list -c ticks children none
	[ -z "$stderr" ]
	for name in "list -c" stat info; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $name ticks children ring
		[ "$status" -eq 0 ]
		[[ $stderr == *"ktrace: ring: has events that ticks has, too, such as late:tick of thread "*": they count twice"* ]]
		[[ $stderr == *"ktrace: ring: has events that children has, too, such as late:child of thread "*": they count twice"* ]]
	done
	for name in ticks ring; do
		run_ktrace list -e late:tick "$name"
		[[ $output == *" late-0 "*"thread=0"* ]]
		[[ $output == *" late-1 "*"thread=1"* ]]
		grep -aq "exe=.*/late " "$name"
		grep -aq "path=.*/libc.so" "$name"
	done
	stop_late
}

# bats test_tags=alike
@test "several: one begins and ends at any time, the others miss nothing" {
	local i
	late -t 3 -u 100
	record first -p "$late"
	recording first
	record second -p "$late"
	recording second
	for i in 1 2 3; do
		attached -p "$late"
	done
	finish first
	for i in 1 2 3; do
		attached -p "$late" --policy block
	done
	finish second
	stop_late
}

@test "several: a recording that started the program, and others" {
	record first --duration 2 -- "$PROGS/late" -t 2 -u 200
	retry 0.05 has first.out '^ready'
	late=$(sed -n 's/^ready //p' first.out)
	record second -p "$late"
	recording second
	attached -p "$late"
	retry 0.05 has first.err ' events, '
	finish second
	whole first
	attached -p "$late"
	kill -TERM "$late"
}

@test "several: events are switched on and off in one of them" {
	late -u 300
	record a -p "$late" -e late:child
	record b -p "$late" -e late:child
	retry 0.05 has a.err tracing
	retry 0.05 has b.err tracing
	sleep 0.5
	[ "$(count late:tick a)" = 0 ]
	"$KTRACE" control "${recorder[a]}" enable late:tick
	recording a
	[ "$(count late:tick b)" = 0 ]
	"$KTRACE" control "${recorder[b]}" enable late:tick
	recording b
	"$KTRACE" control "${recorder[a]}" disable late:tick
	retry 0.05 records late:tick $(($(count late:tick b) + 100)) b
	# The last one in a, which ends later, is from before b ended.
	finish b
	finish a
	[[ $(last late:tick a) < $(last late:tick b) ]]
	stop_late
}

# bats test_tags=alike
@test "several: the next first one had none of a thread's events so far" {
	local forks
	for forks in '' '-f 20'; do
		# shellcheck disable=SC2086 # an option and its value
		late -t 2 -u 300 $forks
		record a -p "$late"
		record b -p "$late" -e late:image
		retry 0.05 has b.err tracing
		recording a
		sleep 0.3
		finish a
		sleep 0.2
		"$KTRACE" control "${recorder[b]}" enable late:tick,late:child
		recording b
		[ -z "$forks" ] || recording b late:child
		finish b
		stop_late
	done
}

@test "several: paused and resumed" {
	local n
	late -u 300
	record a -p "$late"
	record b -p "$late"
	recording a
	recording b
	"$KTRACE" control "${recorder[a]}" pause
	# Blocks that are not full get into the file once a second.
	sleep 1.5
	n=$(count late:tick a)
	sleep 1.5
	[ "$(count late:tick a)" = "$n" ]
	"$KTRACE" control "${recorder[a]}" resume
	retry 0.05 records late:tick $((n + 10)) a
	finish b
	kill -INT "${recorder[a]}"
	wait "${recorder[a]}"
	stop_late
}

@test "several: children, and programs that they execute, belong to all of them" {
	late -u 500 -f 50 -x
	record a -p "$late"
	record b -p "$late"
	retry 0.05 records late:image 20 a
	retry 0.05 records late:image 20 b
	finish a b
	[ "$(count late:child a)" -ge 20 ]
	[ "$(count late:child b)" -ge 20 ]
	stop_late
}

# bats test_tags=alike
@test "several: without restartable sequences" {
	export GLIBC_TUNABLES=glibc.pthread.rseq=0
	late -t 3 -u 200 -f 100
	record a -p "$late"
	record b -p "$late"
	recording a
	recording b
	attached -p "$late"
	finish a b
	stop_late
}

# bats test_tags=shm
@test "several: a recorder that is killed disturbs no other" {
	local i dir rounds=3
	[ -z "${KTRACE_LONG:-}" ] || rounds=200
	late -t 3 -u 50
	record first -p "$late"
	recording first
	for ((i = 0; i < rounds; i++)); do
		record killed -p "$late"
		retry 0.02 has killed.err tracing
		sleep "0.$((RANDOM % 3))"
		dir=$(session_dir "${recorder[killed]}")
		kill -KILL "${recorder[killed]}"
		wait "${recorder[killed]}" || true
		attached -p "$late"
		"$KTRACED" -q --recover "$dir"
		whole killed
	done
	finish first
	[ "$(cat first.count)" -gt 0 ]
	stop_late
}

@test "several: a program in a recording that cannot reach it is in no other; that is said" {
	record first
	retry 0.05 has first.err KTRACE_SESSION=
	KTRACE_SESSION=$(sed -n 's/.*KTRACE_SESSION=//p' first.err) late -u 300
	refused -p "$late"
	[ "$status" = 0 ]
	[[ $stderr == *"attach"*": a recording from outside of its namespaces"* ]]
	finish first
	[ "$(cat first.count)" -gt 0 ]
	stop_late
}

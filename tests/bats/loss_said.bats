#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Every command that shows, counts or exports events says what was lost, and what is to be known of
# clocks: on standard error, or, losses, in what it prints

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load commands

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# bad_files: t, whose events were lost, whose wall clock was set and whose ticks are long, and u of
# another boot
bad_files()
{
	{
		sed 's/hz=1000000000/hz=1000000/' "$ROOT/tests/data/golden/small-v1.script"
		echo meta clock raw=9000000 mono_ns=9000004000 real_ns=1700000014000000000
		echo meta clock raw=9500000 mono_ns=9500004000 real_ns=1700000014500000000
	} | "$PROGS/mktrace" t
	sed 's/boot=b00t/boot=other/' "$ROOT/tests/data/golden/small-v1.script" | "$PROGS/mktrace" u
}

@test "every command says losses" {
	local command
	bad_files
	every_command
	for command in "${commands[@]}"; do
		[ "${calls[$command]}" != - ] || continue
		# shellcheck disable=SC2086 # options, too
		run_ktrace ${calls[$command]} t
		[ "$status" -lt 2 ]
		grep -Eiq '\<22\>.*lost|lost.*\<(22|12)\>|lost +[^0-9]*full' <<<"$output$stderr"
	done
}

@test "every command says what is to be known of clocks" {
	local command
	bad_files
	for command in "${!calls[@]}"; do
		[ "${calls[$command]}" != - ] || continue
		# shellcheck disable=SC2086 # options, too
		run_ktrace ${calls[$command]} t
		[[ $output$stderr == *"t: coarse clock: a tick is 1000 ns"* ]]
		[[ $output$stderr == *"t: the wall clock was set while recording, 1 times, by 4.999"* ]]
	done
	run_ktrace list u
	[[ $stderr != *clock* ]]
}

@test "times that follow the wall clock when it is set: it is not said that they do not" {
	bad_files
	for command in "list --time wall" "grep --time wall tid==100" "list --time wall --json"; do
		# shellcheck disable=SC2086 # options, too
		run_ktrace $command t
		[[ $stderr == *"the wall clock was set while recording, 1 times, by "* ]]
		case $command in
		*json) [[ $stderr == *"; times do not follow it"* ]] ;;
		*) [[ $stderr == *"s at most: dates follow it"* && $stderr != *"do not follow"* ]] ;;
		esac
	done
	for time in rel raw delta; do
		run_ktrace list --time "$time" t
		[[ $stderr == *"; times do not follow it"* ]]
	done
}

@test "every export says losses and clocks, of several hosts, too" {
	local format
	bad_files
	for format in $("$KTRACE" export --help |
		sed -n '/--to FORMAT/,/--output/s/.* \([a-z-]*\): .*/\1/p' | sort -u); do
		rm -rf new
		case $format in
		shark | shark-text)
			run_ktrace export --to "$format" -o new t
			;;
		*)
			run_ktrace export --to "$format" -o new t u
			[[ $stderr == *"no message and no synchronised clock ties this host to the others"* ]]
			;;
		esac
		[[ $stderr == *"events were lost in this range"* ]]
		[[ $stderr == *"t: the wall clock was set while recording"* ]]
	done
	run_ktrace export --to sqlite -o t.db t u
	[ "$(python3 -c '
import sqlite3
for row in sqlite3.connect("t.db").execute("SELECT * FROM quality"):
    print(*row)')" = "0 coarse clock: a tick is 1000 ns
0 the wall clock was set while recording, 1 times, by 4.999501 s at most; times do not follow it
1 no message and no synchronised clock ties this host to the others: order and distance between their \
events are those of their wall clocks" ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# A disk that does not answer: events stay in the buffer, and all but the file goes on.

# shellcheck disable=SC2154 # start, late and capture set pid, late, status, stderr

load helpers
load late

teardown()
{
	[ ! -d frozen ] || { fsfreeze -u frozen; umount -l frozen; } 2>/dev/null || :
	teardown_test
	"$PROGS/board" remove
}

# hang: from now on no write to the trace begins; returns when one waits
hang()
{
	touch hang
	retry 0.02 test -e hang.hangs
}

# hanging_ktraced ARG...: a ktraced whose writes wait while there is the file hang; its pid in $pid
hanging_ktraced()
{
	HANG=$PWD/hang LD_PRELOAD=$PROGS/bad_disk.so start_ktraced "$@"
}

# says KEY TEXT: the JSON of the recording $recording has it; for retry
says()
{
	"$KTRACE" control --json "$recording" 2>/dev/null | jq -e --arg key "$1" --arg text "$2" \
		'.[$key] | tostring | contains($text)' >/dev/null
}

# clocks: number of readings of the clocks that t has
clocks() { "$KTRACE" info t 2>/dev/null | sed -n 's/^  clock .* \([0-9]*\) readings$/\1/p'; }

# bats test_tags=alike
@test "a disk that hangs: nothing is lost, programs join, requests are answered, clocks are read" {
	late -t 2 -u 4000
	hanging_ktraced -o t --fail-on-loss
	recording=$pid
	retry 0.02 records late:tick 1
	hang
	retry 0.05 says error 'the disk does not answer; events wait in the buffer'
	retry 0.05 has ktraced.err 't: the disk has not answered for 2 s; events stay in the buffer'
	before=$(clocks)
	run_ktrace control "$recording" pause
	[ "$status" = 0 ]
	run_ktrace control "$recording" resume
	[ "$status" = 0 ]
	first=$late
	late -t 1 -u 4000
	# The module counts programs differently.
	[ "$KTRACE_BACKEND" = dev ] || retry 0.05 says programs 2
	sleep 4.5
	[ "$(clocks)" = "$before" ]
	ended=$(date +%s.%N)
	rm hang
	retry 0.05 has ktraced.err 't: writing goes on after [0-9]+ s'
	retry 0.05 says error null
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
	valid_trace t
	[ "$(clocks)" -ge $((before + 4)) ]
	joined=$("$KTRACE" list --json -e late:tick t |
		jq -s -r --argjson pid "$late" '[.[] | select(.pid == $pid)][0].time')
	[[ $joined < $ended || $KTRACE_BACKEND = dev ]]
	stop_late
	late=$first
	stop_late
}

@test "a disk that hangs: the end of a recording waits for it, which is said" {
	hanging_ktraced -o t --duration 1
	retry 0.02 has ktraced.err tracing
	touch hang
	retry 0.05 has ktraced.err 'waiting for the disk: t'
	kill -0 "$pid"
	rm hang
	wait_for "$pid"
	[ "$status" = 0 ]
	valid_trace t
}

# said N TEXT: ktraced has said it so often; for retry
said() { [ "$(grep -c "$2" ktraced.err)" = "$1" ]; }

@test "a disk that hangs: a part does not end, which is said; then it does" {
	late -u 4000
	hanging_ktraced -o t --fail-on-loss --split-size 1G
	recording=$pid
	retry 0.02 records late:tick 1 t.0001
	hang
	run_ktrace control "$recording" rotate
	[ "$status" = 1 ]
	[[ $stderr == *"refused: the disk does not answer"* ]]
	# It begins to hang in the middle of that, too.
	kill -USR1 "$recording"
	sleep 0.3
	[ ! -e t.0002 ]
	rm hang
	retry 0.05 test -e t.0002
	valid_trace t.0001
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
	valid_trace t.0002
	stop_late
}

# bats test_tags=alike
@test "a disk that hangs now and then, parts that come and go: nothing is lost" {
	hanging_ktraced -o t -b 8M --policy block --split-size 300K --keep 3 --context ustack -- \
		"$PROGS/flood" -t 2 -n 40000 -u 20
	recording=$pid
	for _ in 1 2 3 4; do
		retry 0.02 test -e t.0001 -o -e t.0002
		touch hang
		sleep 0.3
		rm -f hang
		sleep 0.1
	done
	wait_for "$recording"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	valid_trace t.00*
	[ "$("$KTRACE" list t.00* | awk '/flood:item/' | wc -l)" -gt 0 ]
	run_ktrace check t.00*
	[ "$status" = 0 ]
}

# files: a folder with an ext4 file system of its own, which can be frozen
files()
{
	requires_root
	truncate -s 64M files.img
	mkfs.ext4 -q files.img
	mkdir frozen
	mount -o loop files.img frozen 2>mount.err || skip "no loop device: $(cat mount.err)"
}

# bats test_tags=shm
@test "a file system that is frozen for some seconds: nothing is lost, all parts are whole" {
	files
	late -t 2 -u 4000
	start_ktraced -o frozen/t -b 1M --fail-on-loss --split-size 16K --keep 4 -p "$late"
	recording=$pid
	retry 0.02 test -e frozen/t.0003
	for i in 1 2; do
		fsfreeze -f frozen
		retry 0.1 said "$i" 'frozen/t.[0-9]*: the disk has not answered for 2 s'
		"$KTRACE" control --json "$recording" | jq -e '.answers and .fill > 0' >/dev/null
		fsfreeze -u frozen
		retry 0.1 said "$i" 'writing goes on after'
	done
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
	[ "$(whole frozen/t.*)" -gt 0 ]
	[ "$(find frozen -name 't.*' | wc -l)" = 4 ]
	stop_late
}

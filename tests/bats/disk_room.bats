#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# disk_room.bats - what a recording, and what is made of one, leaves free of its file system
load helpers

setup()
{
	setup_test
	mkdir small
}

teardown()
{
	! mountpoint -q small || umount -l small
	teardown_test
}

# on_small SIZE: small is a file system of that size
on_small()
{
	requires_root
	mount -t tmpfs -o size="$1" tmpfs small
}

# left: bytes that are free there
left() { echo $(($(stat -f -c '%a * %S' small))); }

# parts: bytes of all parts
parts() { cat small/t.*.bin | wc -c; }

@test "by default 5 % stay free; it is said, counted, and goes on when there is room again" {
	on_small 2M
	start_ktraced -e flood -b 256K --policy=block -o small/t -- "$PROGS/flood" -t 2 -n 60000 -u 1
	retry 0.05 has ktraced.err 'cannot write to small/t: less than --min-free '
	[ "$(left)" -ge $((2 * 1024 * 1024 / 20)) ]
	mount -o remount,size=256M small
	retry 0.05 has ktraced.err 'writing to small/t works again'
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary unwritten)" -gt 0 ]
	[ "$(summary unwritten)" = "$(summary lost)" ]
	valid_trace small/t
	run_ktrace check small/t
	[[ $output$stderr == *"$(summary lost) lost"* || $output$stderr == *lost* ]]
}

@test "--min-free sets what stays free, also by the environment; 0: nothing does" {
	on_small 8M
	run_ktraced -e flood --policy=block --min-free=6M -o small/t -- "$PROGS/flood" -n 100000
	[ "$(left)" -ge $((6 * 1024 * 1024 - 65536)) ]
	[ "$(summary unwritten)" -gt 0 ]
	rm small/t
	KTRACE_MIN_FREE=6M run_ktraced -e flood --policy=block -o small/t -- "$PROGS/flood" -n 100000
	[ "$(left)" -ge $((6 * 1024 * 1024 - 65536)) ]
	[ "$(summary unwritten)" -gt 0 ]
	rm small/t
	run_ktraced -e flood --policy=block --min-free=0 -o small/t -- "$PROGS/flood" -n 400000
	[ "$(left)" -lt 65536 ]
	[[ $stderr == *"cannot write to small/t: No space left on device"* ]]
}

@test "too little is free from the start: the command is not run, and no file is left" {
	on_small 8M
	head -c 8100000 /dev/zero >small/other
	run_ktraced -o small/t -- touch was_run
	[ "$status" -eq 125 ]
	[[ $stderr == *"small/t: less than --min-free (default: 5 %, at most 1 GiB) would stay free" ]]
	[ ! -e was_run ]
	[ ! -e small/t ]
	# What is replaced makes room.
	mv small/other small/t
	run_ktraced -e flood --policy=block -o small/t -- "$PROGS/flood" -n 1000
	[ "$status" -eq 0 ]
	[ "$(summary lost)" = 0 ]
}

@test "--max-size: what comes later is lost, and counted" {
	run_ktraced -e flood --policy=block --max-size=300K -o t -- "$PROGS/flood" -n 50000
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary unwritten)" -gt 0 ]
	[ "$(summary events)" -gt 0 ]
	[[ $stderr == *"cannot write to t: the recording has reached --max-size; events are lost until writing works again"* ]]
	# Index, end and the last losses come on top.
	[ "$(stat -c %s t)" -le $((310 * 1024)) ]
	valid_trace t
}

@test "--max-size counts all parts, and with --keep older ones go first" {
	run_ktraced -e flood --policy=block --max-size=400K --split-size=100K -o t.bin -- "$PROGS/flood" -n 50000
	[ "$(summary unwritten)" -gt 0 ]
	[ "$(cat t.*.bin | wc -c)" -le $((420 * 1024)) ]
	valid_trace t.bin
	run_ktraced -e flood --policy=block --max-size=600K --split-size=100K --keep=100 -o u.bin -- \
		"$PROGS/flood" -n 50000
	[ "$status" -eq 0 ]
	[ "$(summary lost)" = 0 ]
	[ "$(cat u.*.bin | wc -c)" -le $((620 * 1024)) ]
	[[ $stderr == *" older parts removed (--keep 100; --max-size, --min-free): "* ]]
	ledger
	[ ! -e u.0001.bin ]
	run_ktrace info u.bin
	[ "$status" -eq 0 ]
	[[ $output == *removed* ]]
	[[ $output != *missing* ]]
	run_ktrace check u.bin
	[ "$status" -eq 0 ]
	# A part that would not end before is ended.
	run_ktraced -e flood --policy=block --max-size=600K --split-time=1h --keep=2 -o v.bin -- \
		"$PROGS/flood" -n 50000
	[ "$(summary lost)" = 0 ]
	[ "$(cat v.*.bin | wc -c)" -le $((620 * 1024)) ]
}

@test "with --keep older parts make room for others on the disk" {
	on_small 4M
	run_ktraced -e flood --policy=block --split-size=200K --keep=1000 -o small/t.bin -- \
		"$PROGS/flood" -n 200000
	[ "$status" -eq 0 ]
	[ "$(summary lost)" = 0 ]
	[ "$(left)" -ge $((4 * 1024 * 1024 / 20 - 65536)) ]
	[[ $stderr == *"older parts are removed to make room"* ]]
	run_ktrace check small/t.bin
	[ "$status" -eq 0 ]
}

# keeps_old TO ARG...: ktrace ARG... into small/TO fails, and what was there stays
keeps_old()
{
	echo old >"small/$1"
	run_ktrace "${@:2}" -o "small/$1"
	[ "$status" -eq 1 ]
	[[ $stderr == *"small/$1: No space left on device, except what --min-free keeps free" ]]
	[ "$(cat "small/$1")" = old ]
	[ "$(find small -type f | wc -l)" = "$((nr++))" ]
	[ "$(left)" -ge $((2 * 1024 * 1024 / 20)) ]
	rm "small/$1"
	nr=$((nr - 1))
}

@test "export, cut and import leave as much free, and what was there" {
	run_ktraced -e flood --policy=block -o t -- "$PROGS/flood" -n 100000
	"$KTRACE" export --to perfetto -o t.pftrace t
	on_small 2M
	nr=1
	for to in csv chrome perfetto sqlite; do
		keeps_old "$to" export --to "$to" t
	done
	keeps_old cut cut t
	keeps_old import import t.pftrace
	run_ktrace cut -o small/t --min-free=x t
	[ "$status" -eq 2 ]
	[[ $stderr == *"--min-free needs a size such as 0, 512M or 1.5G, not 'x'"* ]]
	run_ktrace export --to ctf -o small/ctf t
	[ "$status" -eq 1 ]
	[ "$(left)" -ge $((2 * 1024 * 1024 / 20)) ]
	[ ! -e small/ctf ]
}

@test "html leaves as much free, in the folder of temporary files, too" {
	run_ktraced -e flood --policy=block -o t -- "$PROGS/flood" -n 100000
	on_small 256K
	echo old >small/t.html
	run_ktrace html -o small/t.html t
	[ "$status" -eq 1 ]
	[[ $stderr == *"small/t.html: No space left on device, except what --min-free keeps free" ]]
	[ "$(cat small/t.html)" = old ]
	head -c 232000 /dev/zero >small/other
	TMPDIR=$PWD/small run_ktrace html -o t.html t
	[ "$status" -eq 1 ]
	[[ $stderr == *"small: No space left on device, except what --min-free keeps free" ]]
	[ "$(left)" -ge $((256 * 1024 / 20)) ]
	[ ! -e t.html ]
}

@test "a log of <trace.h> leaves as much free" {
	on_small 1M
	head -c 900000 /dev/zero >small/other
	run "$PROGS/mklog" append 100000 small/log
	[ "$status" -ne 0 ]
	[ "$output" = "mklog: small/log: No space left on device" ]
	[ "$(left)" -ge $((1024 * 1024 / 20)) ]
}

@test "--max-size and --min-free: what makes no sense is refused" {
	for bad in --max-size=x --min-free=-1 --min-free=0.0001K --max-size=; do
		run_ktraced "$bad" -o t -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"${bad%%=*} needs a size"* ]]
	done
	run_ktraced --recover --max-size=1M
	[ "$status" -eq 125 ]
	[[ $stderr == *"--max-size applies only to a recording"* ]]
}

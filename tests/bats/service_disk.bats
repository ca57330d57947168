#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_disk.bats - ktraced --service: files on disks that are slow, full, or stuck
# runs: host
load helpers
load service

setup() { setup_test; }
teardown()
{
	! mountpoint -q small || umount -l small
	! mountpoint -q mount || umount -l mount
	teardown_test
}

# start_held_service: its disk does not answer until the case opens the gate
start_held_service()
{
	mkfifo gate
	LD_PRELOAD=$PROGS/bad_disk.so HOLD=$PWD/gate start_service
}

@test "a disk that is stuck holds up its session alone" { start_held_service && cases disk stuck; }
@test "its consumer goes: the file is written to the end" { start_held_service && cases disk stuck_and_freed; }
@test "a clone has what is on its way into the file" { start_held_service && cases disk stuck_and_cloned; }
@test "files that wait are bounded" { start_held_service && cases disk too_many_files; }
@test "calls behind EnableTracing wait for the file" { start_service && cases disk pipelined; }
@test "a session that is refused late takes its file away" { start_service && cases disk refused_late; }

@test "fflush_post_write: each part is on the disk before the next, or only the end" {
	LD_PRELOAD=$PROGS/bad_disk.so SYNCED=$PWD/synced start_service
	cases disk synced
}

@test "a hundred thousand packets, and none" { start_service && cases disk many && rm t && cases disk nothing; }

# bats test_tags=long
@test "a million packets" { start_service && cases disk million; }

@test "the service is stopped while the disk is stuck: it waits for it" {
	start_held_service
	python3 "$ROOT/tests/service/cases_disk.py" stopped_while_stuck
	wait "$service"
}

@test "the service is stopped: files are complete" {
	start_service
	python3 "$ROOT/tests/service/cases_disk.py" stopped
	wait "$service"
}

@test "the service is killed: files end with a whole packet, or with one that is cut" {
	start_service
	python3 "$ROOT/tests/service/cases_disk.py" killed
}

@test "a file system that does not answer at all" {
	requires_root
	[ -w /dev/fuse ] || skip "needs FUSE"
	start_service
	cases disk stuck_file_system
}

@test "descriptors of a file system that does not answer when they are closed" {
	requires_root
	[ -w /dev/fuse ] || skip "needs FUSE"
	start_service
	cases disk stuck_descriptors
}

@test "a full disk: the session ends with a whole packet, and says how many are lost" {
	requires_root
	mkdir small
	mount -t tmpfs -o size=1m none small
	start_service
	cases disk full
	has service.err 'No space left on device, except what --min-free keeps free; lost packets'
	rm small/t
	cases disk full_at_the_end
}

@test "a full disk: packets that are compressed are counted one by one" {
	requires_root
	mkdir small
	mount -t tmpfs -o size=1m none small
	start_service
	cases disk full_of_compressed
}

@test "a file is made with the groups of its user" {
	requires_root
	let_others_in
	start_service
	cases disk in_groups
}

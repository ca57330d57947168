#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# hostile.bats - programs of a session, and other users, that mean harm
#
# What has to hold: ktraced and the machine are unharmed, the damage is counted, files can
# be read, other programs and other sessions record as if nothing had happened.
load helpers

setup() { setup_test; }
teardown()
{
	rm -rf /dev/shm/ktrace-"$(id -u)"-decoy*
	teardown_test
}

# decoy FILE: what a session leaves whose owner has died
decoy()
{
	python3 - "$1" <<-'END'
	import struct, sys
	page = bytearray(4096)
	struct.pack_into("<II", page, 0, 0x4b54434c, 1)
	struct.pack_into("<I", page, 216, 0x40000000)
	open(sys.argv[1], "wb").write(page)
	END
}

@test "a FIFO that has the name of a session's file holds nobody up" {
	requires_shm
	mkdir "/dev/shm/ktrace-$(id -u)-decoy"
	mkfifo "/dev/shm/ktrace-$(id -u)-decoy/user"
	run_ktraced -o t -- true
	[ "$status" -eq 0 ]
}

@test "what another user calls our session is not looked at, and names are not obeyed" {
	requires_shm
	requires_root
	local dir
	dir=/dev/shm/ktrace-0-decoy$'\e[2J'
	setpriv --reuid 12345 --regid 12345 --clear-groups mkdir "$dir"
	decoy "$dir/user"
	chown 12345:12345 "$dir/user"
	run_ktraced -o t -- true
	[ "$status" -eq 0 ]
	[[ $stderr != *"left behind"* ]]
	chown 0:0 "$dir" "$dir/user"
	run_ktraced -o t -- true
	[[ $stderr != *decoy* && $stderr != *$'\e'* ]]
	run_ktraced --recover --list
	[[ $output != *decoy* ]]
}

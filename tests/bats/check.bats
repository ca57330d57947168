#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# check.bats - ktrace check finds what is wrong with a file
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# make_trace SECOND: two blocks of a stream; SECOND lies between them in the script
make_trace()
{
	"$PROGS/mktrace" t <<-END
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:e{u64%20n;}
	block 1
	rec 10 16 7 u64:1
	rec 20 16 7 u64:2
	$1
	block 1
	rec 30 16 7 u64:3
	END
}

# finds TEXT: status 1, and a line with it
finds()
{
	run_ktrace check t
	[ "$status" -eq 1 ]
	grep -qF "$1" <<<"$output"
}

# change OFFSET HEX: bytes of the file, and the checksum of section number SECTION made right
change()
{
	python3 - "$@" <<-'END'
	import struct, sys
	offset, data, section = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
	t = bytearray(open('t', 'rb').read())
	at = 64
	for _ in range(section):
	    at += 64 + (struct.unpack_from('<Q', t, at + 16)[0] + 7 & ~7)
	t[at + offset:at + offset + len(data)] = data
	struct.pack_into('<I', t, at + 12, 0)
	crc = 0xffffffff
	for b in t[at:at + 64 + struct.unpack_from('<Q', t, at + 16)[0]]:
	    crc ^= b
	    for _ in range(8):
	        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
	struct.pack_into('<I', t, at + 12, crc ^ 0xffffffff)
	open('t', 'wb').write(t)
	END
}

@test "whole files are ok, closed or not" {
	run_ktrace check "$SMALL"
	[ "$status" -eq 0 ]
	[[ $output == *": ok: "*" 20 records, 22 lost, closed"* ]]
	make_trace ''
	run_ktrace check t
	[ "$status" -eq 0 ]
	[[ $output == *"ok: 3 events, read again from 3 times and positions; 3 states"* ]]
	truncate -s -100 t
	run_ktrace check t "$SMALL"
	[ "$status" -eq 0 ]
	[[ $output == *"not closed"* ]]
}

@test "a file of events whose fragments are on two streams is not damaged" {
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta stream id=2 kind=user cpu=1 ring=65536 block=4096 policy=drop
	meta event kind=user id=16 desc=t:big{u8[]%20bytes;}
	meta event kind=user id=17 desc=t:small{u32%20n;}
	block 1
	rec 100 16 7:2 u32:2004 u32:2000 zeros:1000
	rec 110 17 8 u32:1
	block 1
	rec 200 17 8 u32:7
	block 2
	rec 105 17 9 u32:2
	rec 190 16 7:4 zeros:1000
	rec 195 17 7 u32:3
	END
	run_ktrace check t
	[ "$status" -eq 0 ]
	[[ $output == *"positions (not times: fragments are scattered); no states, as fragments "* ]]
}

# make_busy: "t", a file of threads that run, call and are interrupted
make_busy()
{
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 3 1000 | "$PROGS/mktrace" t
}

@test "states, statistics and moves agree with reading" {
	make_busy
	run_ktrace check t
	[ "$status" -eq 0 ]
	[[ $output == *" times and positions; 63 states, statistics of 4 parts, 8 moves" ]]
	run_ktrace check --json t
	jq -es '.[-1] | .states == 63 and .parts == 4 and .moves == 8' <<<"$output"
	run_ktrace check "$SMALL"
	[[ $output == *"no states, as stamps go back" ]]
}

@test "a library that is wrong about states, statistics or moves is found out" {
	local bug
	make_busy
	for bug in 'state:a seek leads to another state' 'count:statistics have 999 events' \
		'window:statistics of parts do not add up' 'sum:statistics do not sum up' \
		'forward:forward by' 'back:and back leads elsewhere'; do
		LD_PRELOAD=$PROGS/bad_library.so BUG=${bug%%:*} run_ktrace check t
		[ "$status" -eq 1 ]
		grep -qF "${bug#*:}" <<<"$output"
	done
	LD_PRELOAD=$PROGS/bad_library.so BUG=none run_ktrace check t
	[ "$status" -eq 0 ]
}

@test "every byte that is turned over is noticed, but for those that nobody reads" {
	make_trace ''
	run python3 - "$KTRACE" <<-'END'
	import subprocess, sys
	whole = open('t', 'rb').read()
	missed = []
	for i in range(64, len(whole), 11):
	    t = bytearray(whole)
	    t[i] ^= 0x10
	    open('u', 'wb').write(t)
	    r = subprocess.run([sys.argv[1], 'check', 'u'], capture_output=True)
	    assert r.returncode in (0, 1), (i, r)
	    if r.returncode == 0:
	        missed.append((i, whole[i]))
	# Padding behind a section's body
	assert len(missed) <= 3 and not any(b for _, b in missed), missed
	END
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a header that says something else than its block" {
	make_trace ''
	change 48 05000000 1
	finds 'header has a wrong number of records'
	make_trace ''
	change 32 0b00000000000000 1
	finds 'last stamp in the header is too small'
}

@test "data that are missing, and no loss is told" {
	make_trace ''
	change 40 0030000000000000 2
	finds 'no loss is recorded'
	make_trace 'lost 1 25 3'
	run_ktrace check t
	[ "$status" -eq 0 ]
}

@test "counts of losses that go down, an index that is wrong, data behind the end" {
	make_trace $'lost 1 21 5\nlost 1 22 3'
	finds 'counts of lost records decrease'
	make_trace ''
	# The index is the section before the last, after the counts.
	change 64 4800000000000000 4
	finds 'index'
	make_trace ''
	echo 12345678 >>t
	finds 'data after the end mark'
}

@test "damage is said with its place, as JSON too; what is no tracefile is refused" {
	make_trace ''
	python3 -c "
f = open('t', 'r+b'); t = f.read(); i = t.index(b'KBTK'); f.seek(i + 60); f.write(b'xxxx')"
	run_ktrace check --json t
	[ "$status" -eq 1 ]
	jq -es '.[0].file == "t" and .[0].offset > 0 and (.[0].damage | length) > 0' <<<"$output"
	jq -es '.[-1].damaged > 0' <<<"$output"
	echo nonsense >u
	run_ktrace check u
	[ "$status" -eq 1 ]
	[[ $output == *"not a ktrace tracefile"* ]]
	run_ktrace check nosuch
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ "$stderr" = "ktrace: nosuch: No such file or directory" ]
}

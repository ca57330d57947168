#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# The headers in uapi/linux specify the tracefile: tests/spec/read.py, which knows what they
# say and no more, reads line by line what ktrace reads.
# runs: host

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SPEC=$ROOT/tests/spec
export PYTHONDONTWRITEBYTECODE=1

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# record "OPTION..." COMMAND...: into t
record()
{
	# shellcheck disable=SC2086 # $1 are words
	run_ktraced -q $1 -o t -- "${@:2}"
	[ "$status" -eq 0 ]
}

# same FILE...: both readers list the same events, left in the file list, and return the
# same status; what is damaged they say in words of their own
same()
{
	local expected=0 got=0
	"$KTRACE" list --json "$@" >list 2>list.err || expected=$?
	python3 "$SPEC/read.py" "$@" >read 2>read.err || got=$?
	echo "status $expected and $got"
	head -n 5 list.err read.err
	diff -u list read && [ "$got" -eq "$expected" ]
}

# lists COUNT PATTERN: so many lines of list have it
lists()
{
	[ "$(grep -c -e "$2" list)" -eq "$1" ]
}

# forge CHANGE...: t, changed, becomes f
forge()
{
	python3 "$SPEC/forge.py" t "$@" >f
}

# mktrace: makes t of a script
mktrace()
{
	"$PROGS/mktrace" t
}

@test "events of several threads" {
	record "" "$PROGS/flood" -p 2 -t 4 -n 200
	same t
	lists 1600 flood:item
	record "" "$EXAMPLES/hello"
	same t
	lists 40 hello:item_end
}

@test "events of threads that have rings of their own" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 record "" "$PROGS/flood" -t 4 -n 200
	same t
	lists 800 flood:item
	lists 0 '"cpu"'
}

@test "every kind of field" {
	gcc -I"$ROOT/userspace/include" -I"$ROOT/uapi" "$ROOT"/tests/progs/user/{every,elsewhere}.c \
		-L"$BUILD/lib" -lktrace -o every
	LD_LIBRARY_PATH=$BUILD/lib record "" ./every
	same t
	lists 2 every:kind
	lists 2 '"state":"GONE"'
}

@test "every type at its ends, what is no text, payloads that are short" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=all:signed{s8%20a;s16%20b;s32%20c;s64%20d;}
		meta event kind=user id=17 desc=all:unsigned{u8%20a;u16%20b;u32%20c;u64%20d;}
		meta event kind=user id=18 desc=all:hex{x8%20a;x16%20b;x32%20c;x64%20d;ptr%20e;}
		meta event kind=user id=19 desc=all:float{f32[]%20a;f64[2]%20b;}
		meta event kind=user id=20 desc=all:text{char[4]%20a;char%20b;char[]%20c;string%20d;}
		meta event kind=user id=21 desc=all:enum{enum<s8>(A-1=-1,B.2=0x7f)%20a;enum<x16>(C=1,D=3)%20b;}
		block 0
		rec 1001 16 7 hex:ffffffffffffffffffffffffffffff
		rec 1002 17 7 hex:ffffffffffffffffffffffffffffff
		rec 1003 18 7 hex:ffffffffffffff zeros:16
		rec 1004 19 7 u32:5 u32:0x3dcccccd u32:0x7f800000 u32:0xffc00000 u32:1 u32:0x4b800000 u64:0x3fb999999999999a u64:0x8000000000000000
		rec 1005 20 7 hex:4100424300 u32:3 hex:c3a4ff hex:e282ac22095c7fc285f09f9880fe00
		rec 1006 21 7 hex:ff0100
		rec 1007 21 7 hex:7f0200
		rec 1008 17 7 hex:010203
		rec 1009 19 7 u32:100 u32:0
		rec 1010 20 7 hex:41420000 hex:43
		rec 1011 20 7 hex:414243440000000000 s:whole
		rec 1012 20 7 hex:4142434400000000006162
		rec 1013 18 7
		rec 1014 99 7 hex:00ff
	END
	same t
	lists 14 '"tid":7'
	lists 1 '"A-1","b":"C"'
	lists 1 user:99
}

@test "losses" {
	record "-b 16K" "$PROGS/flood" -t 2 -n 20000
	same t
	grep -q 'ktrace:lost.*"full"' list
	record "-b 16K --policy=overwrite" "$PROGS/flood" -t 2 -n 20000
	same t
	grep -q 'ktrace:lost.*"overwritten"' list
	record "-b 16K --policy=stop" "$PROGS/flood" -t 2 -n 20000
	same t
	grep -q 'ktrace:lost.*"stopped"' list
}

@test "losses told twice, by writers and by the reader" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 0
		lostrec 1001 1 2 3 4 5 6 7 8
		rec 1002 16 7
		lostrec 1003 1 2 3
		lost 0 1004 1 2 3 4 5 6 7 8
		block 0
		lostrec 1005 0 3
		rec 1006 5 7 hex:0102
		rec 1007 16 7
		lost 0 1008 2 3 3 4 5 6 7 8
	END
	same t
	lists 10 ktrace:lost
}

@test "long events, in fragments" {
	record "-b 16M --block-size=4K" "$PROGS/user_flood" -t 2 -n 20 -s 0:20000
	same t
	lists 40 flood:sized
	record "-b 16K" "$PROGS/user_flood" -t 2 -n 100 -s 0:6000
	same t
}

@test "fragments of several threads and streams, and some that are missing" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta stream id=1 kind=user cpu=1 ring=65536 block=4096 policy=drop
		meta stream id=2 kind=kernel cpu=1 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:text{u32%20n;string%20text;}
		block 0
		rec 1001 16 7:2 u32:10 u32:1 hex:6162
		rec 1002 16 8:2 u32:9 u32:2 hex:6162
		rec 1004 16 8:4 hex:616263
		rec 1005 16 7:4 hex:6300
		rec 1006 16 7:4 hex:6300
		rec 1007 16 7:2 u32:9 u32:3 hex:6162
		rec 1008 17 7
		rec 1009 16 7:4 hex:6300
		rec 1010 16 7:2 u32:9 u32:4 hex:6162
		rec 1011 16 7:2 u32:99 u32:5 hex:6162
		rec 1012 17 7:4 hex:61
		rec 1013 16 9:2 u32:9 u32:6 hex:6162
		block 1
		rec 1003 16 7:4 hex:6364
		rec 1100 16 8 u32:7 s:end
		block 2
		rec 1003 16 7 hex:01
	END
	same t
	lists 1 '"n":1,"text":"abcdc"'
	lists 1 '"n":2,"text":"ababc"'
	lists 7 incomplete
	lists 3 no-start
}

@test "fragments on both sides of blocks that are missing" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta stream id=1 kind=user cpu=1 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:text{string%20text;}
		block 0
		rec 1001 16 7:2 u32:8 s:one
		rec 1002 16 8:2 u32:7 s:two
		more 0
		rec 1004 16 7:4 s:one
		rec 1007 16 7:2 u32:8 s:four
		block 0
		rec 1009 16 7:4 s:four
		rec 1010 16 10:2 u32:5 hex:66
		block 0
		rec 1011 16 10:4 s:ive
		block 1
		rec 1003 16 8:4 hex:666f00
	END
	same t
	lists 0 incomplete
	sed -i 's/four/fuor/' t
	same t
	lists 4 incomplete
	lists 1 '"text":"five"}'
}

@test "stamps that are equal, and stamps that go back" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=1 kind=user cpu=1 ring=65536 block=4096 policy=drop
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		block 1
		rec 1005 16 1
		rec 1001 16 2
		rec 1002 16 3
		rec 1006 16 4:18
		block 0
		rec 1005 16 5
		rec 1005 16 6
		rec 990 16 7
		rec 995 16 8
	END
	same t
	lists 2 backwards
}

@test "names of threads" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta process pid=7 ppid=1 ts=1010 comm=main exe=/bin/main
		meta thread tid=8 pid=7 ts=1010 comm=two%20words%0a%25
		meta thread tid=8 pid=7 ts=1020 comm=%c3%a4%ff
		meta news of=tomorrow
		meta thread tid=9 pid=7 ts=1010 comm=nine colour=red
		block 0
		rec 1001 16 7
		rec 1002 16 8
		rec 1020 16 8
		rec 1021 16 9
		rec 1022 16 10
		rec 1023 16 0
		meta thread tid=8 pid=9 ts=1015 comm=later
		block 0
		rec 1016 16 8
		meta process pid=7 ppid=1 ts=1024 comm=other exe=/bin/other
		block 0
		rec 1024 16 7
	END
	same t
	lists 1 '"pid":9,"tid":8,"comm":"later"'
	lists 1 '"tid":7,"comm":"other"'
}

@test "clocks: several readings, other rates, a wall clock that is set" {
	mktrace <<-'END'
		meta clock raw=1000000 mono_ns=5000000 real_ns=1700000000000000000 boot_ns=5000000 hz=7
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:b{}
		meta clock raw=2000000 mono_ns=5333333 real_ns=1800000000000000000 boot_ns=5333333 hz=1
		meta clock raw=3000007 mono_ns=9999999 real_ns=1600000000000000000 boot_ns=9999999 hz=1
		block 0
		rec 0 16 7
		rec 999998 16 7
		rec 1000000 16 7
		rec 1000001 16 7
		rec 1999999 16 7
		rec 2000000 16 7
		rec 2000001 16 7
		rec 2999999 16 7
		rec 3000006 16 7
		rec 3000007 16 7
		rec 9999999 16 7
	END
	same t
	lists 11 a:b
}

@test "clocks: a machine that slept" {
	mktrace <<-'END'
		meta clock raw=1000000000 mono_ns=1000000000 real_ns=1700000000000000000 boot_ns=1000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:b{}
		meta clock raw=2000000000 mono_ns=1500000000 real_ns=1700000000500000000 boot_ns=1500000000 hz=1000000000
		meta clock raw=9000000000 mono_ns=2000000000 real_ns=1700000003500000000 boot_ns=5000000000 hz=1000000000
		meta clock raw=9500000000 mono_ns=2500000000 real_ns=1700000009500000000 boot_ns=9000000000 hz=1000000000
		block 0
		rec 1500000000 16 7
		rec 2500000000 16 7
		rec 3000000000 16 7
		rec 3000000001 16 7
		rec 8999999999 16 7
		rec 9000000000 16 7
		rec 9400000000 16 7
		rec 9900000000 16 7
	END
	same t
	lists 1 '"ns":749999999,'
	lists 2 '"ns":746003194,'
}

@test "traces of one boot have one clock" {
	local n
	for n in 1 2; do
		"$PROGS/mktrace" "t$n" <<-END
			meta host name=here boot=b00t
			meta clock raw=${n}000 mono_ns=${n}000 real_ns=170000000000000${n}00$n hz=1000000000
			meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
			block 0
			rec ${n}001 16 7
			rec 2002 16 8
		END
	done
	same t1 t2
	another t2 t3
	same t2 t1 t3
}

@test "a file without its index, and cut off anywhere" {
	local size n
	record "-b 16K" "$PROGS/flood" -t 2 -n 200
	same t
	mv list whole
	mv t closed
	size=$(stat -c %s closed)
	head -c $((size - 64)) closed >t
	same t
	diff whole list
	for ((n = size - 65; n > 0; n -= size / 17)); do
		head -c "$n" closed >t
		same t
	done
}

@test "damage at any place" {
	local size at n
	record "-b 16K" "$PROGS/flood" -t 2 -n 100
	size=$(stat -c %s t)
	cp t closed
	for ((n = 0; n < 12; n++)); do
		at=$(((n * size / 12 + n * 5) % size))
		{
			head -c "$at" closed
			printf '\xa5\x5a\xa5'
			tail -c +$((at + 4)) closed
		} >t
		same t
		head -c $((size - 64)) t >open
		same open
	done
}

@test "names, keys and flags that are not known" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000 of=ptp
		meta stream id=0 kind=remote cpu=0 ring=65536 block=4096 policy=spill chunk=4096
		meta stream id=1 kind=user cpu=1 ring=65536 block=4096 policy=drop
		meta event kind=remote id=16 desc=what?
		meta event kind=user id=16 desc=a:b{u32%20n;} unit=ms
		block 0
		rec 1001 16 7 u32:1
		block 1
		rec 1002 16 7:e0 u32:2 hex:ff
	END
	same t
	[ -z "$(grep offset list.err)" ]
	lists 1 '"event":"unknown:16","bytes":"01000000"'
	lists 1 '"event":"a:b","fields":{"n":2}'
}

@test "a type of field that is not known" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:b{u128%20n;}
		block 0
		rec 1001 16 7 u64:1 u64:2
	END
	same t
	grep -q offset list.err
	lists 1 '"event":"user:16","bytes":'
}

@test "reserved fields that are not 0" {
	record "" "$EXAMPLES/hello"
	same t
	mv list whole
	forge reserved closed
	same f
	diff whole list
}

@test "a section inside of another one" {
	record "" "$EXAMPLES/hello"
	same t
	mv list whole
	forge inside closed
	same f
	diff whole list
	[ "$(grep -c 'damaged section, skipped' list.err)" -eq 1 ]
}

@test "losses of reasons that are not known" {
	local end
	record "" "$EXAMPLES/hello"
	for end in open closed; do
		forge lost 0 0 0 0 0 0 0 2 0 $end
		same f
		[ -z "$(grep offset list.err)" ]
		lists 1 '"reason":"unwritten","count":2'
		forge lost 0 0 0 0 0 0 0 2 3 $end
		same f
		grep -q offset list.err
		lists 1 '"reason":"unwritten","count":2'
	done
}

@test "an unknown section that may be ignored" {
	local end
	record "" "$EXAMPLES/hello"
	same t
	mv list whole
	for end in open closed listed; do
		forge section 77 1 "$end"
		same f
		diff whole list
	done
}

@test "an unknown section that must not be ignored" {
	local end
	record "" "$EXAMPLES/hello"
	for end in open closed; do
		forge section 77 0 "$end"
		same f
		grep -q offset list.err
		[ "$(wc -l <list)" -lt 82 ]
	done
}

# What has the flag of ZSTD and is no frame is as bad.
@test "an unknown flag" {
	local end flags
	record "" "$EXAMPLES/hello"
	for end in open closed; do
		for flags in 2 4; do
			forge flags "$flags" "$end"
			same f
			grep -q offset list.err
			[ "$(wc -l <list)" -lt 82 ]
		done
	done
}

# storage LEVEL: t with three blocks, the second one stored at this level, a loss and a gap
storage()
{
	{
		cat <<-'END'
			meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
			meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
			meta event kind=user id=16 desc=a:b{u8%20x;string%20s;}
		END
		for block in 1 2 3; do
			echo "compress $(((block == 2) * $1))"
			echo "block 0"
			[ "$block" != 2 ] || echo "lostrec 2000 3"
			for i in {10..80}; do
				echo "rec ${block}0$i 16 7 u8:$i s:name_$i"
			done
			echo "lost 0 ${block}900 3 0 0 0 0 $block"
		done
	} | mktrace
}

@test "compressed blocks among others" {
	local level
	storage 0
	same t
	lists 213 a:b
	mv list plain
	mv t raw
	for level in 1 -5 19; do
		storage "$level"
		[ "$(wc -c <t)" -lt "$(wc -c <raw)" ]
		same t
		diff plain list
	done
}

@test "a compressed block that is damaged under a right checksum" {
	local change
	storage 1
	for change in "raw 1" "raw -1" "raw 8000000" "cut 1" "cut -1" "cut 60"; do
		# shellcheck disable=SC2086 # words
		forge frame $change closed
		same f
		grep -q offset list.err
		lists 142 a:b
	done
}

@test "an event that two programs have registered at the same time: two ids, one name" {
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:b{u8%20x;}
		meta event kind=user id=17 desc=a:b{u8%20x;}
		block 0
		rec 1001 16 7 u8:1
		rec 1002 17 8 u8:2
	END
	same t
	lists 2 '"event":"a:b"'
	run_ktrace list -n 9 --event a:b t
	[ "$(wc -l <<<"$output")" -eq 2 ]
	run_ktrace info t
	grep -Eq '^ +2 a:b$' <<<"$output"
}

@test "a NUL in META costs its line, and that is said" {
	local end
	mktrace <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:first{} colour=red
		meta event kind=user id=17 desc=a:second{}
		block 0
		rec 1001 16 7
		rec 1002 17 7
	END
	same t
	lists 1 a:first
	for end in open closed; do
		forge meta red '\0ed' "$end"
		same f
		lists 0 a:first
		lists 1 a:second
		grep -q 'META line is invalid' list.err
		forge meta red %00 "$end"
		same f
		lists 0 a:first
		lists 1 a:second
	done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# damage.bats - damaged and hostile files: said where, the rest is shown, status 1
# runs: host
load helpers

setup()
{
	setup_test
	GOLDEN=$ROOT/tests/data/golden
	cp "$GOLDEN/small-v1.bin" t
	ALL=$("$KTRACE" list t)
}

teardown() { teardown_test; }

# offset_of TEXT: where it is in t
offset_of()
{
	grep -abo -m1 -e "$1" t | head -n1 | cut -d: -f1
}

# poke OFFSET HEX: overwrites bytes of t
poke()
{
	printf "$(sed 's/../\\x&/g' <<<"$2")" | dd of=t bs=1 seek="$1" conv=notrunc status=none
}

# rest_is_shown N: status 1, a message with file and offset, N lines, each one of $ALL
rest_is_shown()
{
	[ "$status" -eq 1 ]
	grep -qE '^ktrace: t: offset [0-9]+: ' <<<"$stderr"
	[ "$(grep -c . <<<"$output")" -eq "$1" ]
	[ -z "$(grep -vxF -e "$ALL" <<<"$output")" ]
}

@test "a damaged block is left out" {
	poke "$(offset_of renamed)" 00
	run_ktrace list t
	rest_is_shown 21
	run_ktrace info t
	[ "$status" -eq 1 ]
	[[ "$output" = *"bytes, closed"* ]]
}

@test "the offset is that of the section" {
	local at
	at=$(("$(offset_of hello)" - 64 - 64 - 16 - 4))
	poke "$(offset_of hello)" 00
	run_ktrace list t
	[[ "$stderr" = "ktrace: t: offset $at: damaged section, skipped" ]]
}

@test "without end mark and index, damage costs one block as well" {
	"$PROGS/mktrace" t --no-end <"$GOLDEN/small-v1.script"
	poke "$(($(offset_of hello) - 64 - 64 - 16 - 4))" ff
	run_ktrace list t
	[ "$status" -eq 1 ]
	grep -q 'item=10' <<<"$output"
	fails grep -q 'item=7' <<<"$output"
	[ -z "$(grep -vE 'ktrace:lost|demo:big' <<<"$output" | grep -vxF -e "$ALL")" ]
}

@test "a damaged end mark: the index is made again" {
	poke "$(($(stat -c %s t) - 10))" ff
	run_ktrace list t
	rest_is_shown 25
}

@test "every length: never more than there was, never a crash" {
	local size n lines
	size=$(stat -c %s t)
	for ((n = 0; n < size; n += 61)); do
		head -c "$n" "$GOLDEN/small-v1.bin" >t
		capture "$KTRACE" list t
		[ "$status" -le 1 ]
		if [ "$n" -lt 64 ]; then
			[ "$status" -eq 1 ]
			[[ "$stderr" = *"not a ktrace tracefile"* ]]
		fi
	done
}

@test "not a trace: status 1 and a message" {
	local f
	echo "hello" >text
	: >empty
	mkdir dir
	mkfifo fifo
	for f in text empty dir fifo /dev/null nothing; do
		run_ktrace list "$f"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ "$stderr" = "ktrace: $f: "* ]]
	done
}

@test "another version, another byte order: refused with a message" {
	poke 8 02
	run_ktrace list t
	[ "$status" -eq 1 ]
	[[ "$stderr" = *version* ]]
	poke 8 01
	poke 12 01020304
	run_ktrace list t
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"byte order"* ]]
}

@test "one bad file among good ones: the good ones are shown" {
	echo "hello" >text
	run_ktrace list text t
	[ "$status" -eq 1 ]
	[ "$output" = "$ALL" ]
	[[ "$stderr" = "ktrace: text: "* ]]
}

@test "META that makes no sense is reported, the rest is used" {
	"$PROGS/mktrace" t <<-'END'
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta clock raw=x mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
	meta stream id=nothing
	meta event kind=user id=16 desc=broken{
	meta event kind=user id=17 desc=a:b{u8%20x;}
	meta unknown key=value
	block 1
	rec 1 16 5 u8:1
	rec 2 17 5 u8:2
	END
	run_ktrace list t
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"META line is invalid"* ]]
	[[ "$output" = *"user:16 bytes=01"*"a:b x=2"* ]]
}

@test "a kernel's description that cannot be read is named, its events are bytes" {
	local odd=$'a\e[31m:b'
	"$PROGS/mktrace" t <<-END
	meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000
	meta stream id=1 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
	meta format id=1024 name=sys:none text=name:%20x%0AID:%207%0Aformat:%0A%09int%0A
	meta format id=1025 name=sys:one text=name:%20x%0AID:%207%0Aformat:%0A%0A%09field:__rel_loc%20u16%20a[];%09offset:0;%09size:4;%09signed:0;%0A
	meta format id=1026 name=$odd text=name:
	block 1
	rec 1 1024 5 u32:1
	rec 2 1025 5 u32:131072 u16:7
	END
	run_ktrace list t
	[ "$status" -eq 1 ]
	[[ "$stderr" = *"cannot parse the kernel's description of sys:none: line 4, column 1: expected 'field:' here"* ]]
	[[ "$stderr" = *"cannot parse the kernel's description of a?[31m:b: line 1, column 1: "* ]]
	[[ "$output" = *"kernel:1024 bytes=01000000"*"sys:one a={7}"* ]]
}

@test "a thousand damaged places: a few are named, all are counted" {
	{
		echo "meta clock raw=0 mono_ns=0 real_ns=1 hz=1000000000"
		echo "meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop"
		for i in {1..200}; do
			echo "block 1"
			echo "rec $i 16 5 s:PLACE"
		done
	} | "$PROGS/mktrace" t
	LC_ALL=C sed -i 's/PLACE/BROKE/g' t
	run_ktrace list t
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" = *"200 damages in all" ]]
	[ "$(wc -l <<<"$stderr")" -eq 21 ]
}

# The second block has the end of one event and the beginning of the next, of the same size.
@test "fragments on both sides of a damaged block are not put together" {
	"$PROGS/mktrace" t <<-'END'
		meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta stream id=1 kind=user cpu=1 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=a:text{string%20text;}
		block 0
		rec 1001 16 7:2 u32:8 s:one
		rec 1002 16 8:2 u32:7 s:two
		rec 1003 16 9:2 u32:8 s:six
		block 0
		rec 1004 16 7:4 s:one
		rec 1005 16 9:4 s:six
		rec 1006 16 9:2 u32:8 s:ten
		rec 1007 16 7:2 u32:8 s:four
		block 0
		rec 1009 16 7:4 s:four
		rec 1010 16 10:2 u32:5 hex:66
		rec 1011 16 10:4 s:ive
		block 1
		rec 1003 16 8:4 hex:666f00
		rec 1008 16 9:4 s:ten
	END
	run_ktrace list t
	[ "$status" -eq 0 ]
	poke "$(offset_of four)" 00
	run_ktrace list t
	[ "$status" -eq 1 ]
	[ "$(grep -c 'incomplete.*no-start' <<<"$output")" -eq 2 ]
	[ "$(grep -v no-start <<<"$output" | grep -c incomplete)" -eq 2 ]
	grep -v incomplete <<<"$output" | grep 'text="five"$'
}

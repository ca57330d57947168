#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# compress.bats - compressed blocks: recorded, rewritten, and read like all others
# runs: host
load helpers

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# storage FILE: compressed blocks, then whether they are fewer bytes than they were
storage()
{
	"$KTRACE" info --json "$1" |
		jq -r '.files[0] | "\(.compressed_blocks) \(.stored_bytes < .ring_bytes)"'
}

# make_blocks FILE [LEVEL]: two streams with some blocks, with losses and a long event
make_blocks()
{
	{
		cat <<-END
			meta host name=box boot=b1 cpus=2
			meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
			meta stream id=1 kind=user cpu=0 ring=65536 block=4096 policy=drop
			meta stream id=2 kind=user cpu=1 ring=65536 block=4096 policy=drop
			meta event kind=user id=16 desc=t:e{u32%20n;string%20s;}
			compress ${2:-0}
		END
		for i in {100..300}; do
			((i % 50)) || echo "block $((1 + i % 100 / 50))"
			[ "$i" != 250 ] || echo "lostrec 2500 7"
			echo "rec ${i}0 16 7 u32:$i s:word_$((i % 7))_of_many"
		done
		echo "block 1"
		echo "rec 3001 16 8:2 u32:3004 u32:3000 zeros:1900"
		echo "block 2"
		echo "rec 3002 16 8:4 zeros:1100"
		echo "lost 2 3100 7 0 0 0 0 9"
	} | "$PROGS/mktrace" "$1"
}

@test "the compressed golden file is listed as the plain one" {
	packed=$ROOT/tests/data/golden/small-v1-zstd.bin
	[ "$(storage "$packed")" = "5 true" ]
	diff "${SMALL%.bin}.list" <(TZ=UTC "$KTRACE" list "$packed")
	diff "${SMALL%.bin}.json" <("$KTRACE" list --json "$packed")
	run_ktrace check "$packed"
	[ "$status" -eq 0 ]
}

@test "ktraced --compress: the same events in less room" {
	run_ktraced --backend shm -b 64M --compress -o t -- "$PROGS/flood" -n 20000
	[ "$status" -eq 0 ]
	valid_trace t
	[ "$("$KTRACE" list --event flood:item t | wc -l)" -eq 20000 ]
	[[ $(storage t) =~ ^[1-9][0-9]*' true'$ ]]
	[ "$(wc -c <t)" -lt $((20000 * 16)) ]
	run_ktrace info t
	grep -Eq '^  storage   [1-9][0-9]* blocks compressed, [0-9]+ of [0-9]+ bytes \([0-9.]+ %\)$' <<<"$output"
	for level in 0 none; do
		run_ktraced --backend shm -b 64M --compress="$level" -o t -- "$PROGS/flood" -n 2000
		[ "$status" -eq 0 ]
		[ "$(storage t)" = "0 false" ]
	done
}

@test "rings that fill up are written as they are, and nothing is lost for it" {
	run_ktraced --backend shm -b 16K --policy block --compress=19 -o t -- "$PROGS/flood" -n 20000
	[ "$status" -eq 0 ]
	valid_trace t
	[ "$("$KTRACE" list --event flood:item t | wc -l)" -eq 20000 ]
	[ "$(storage t | cut -d ' ' -f 1)" -lt "$("$KTRACE" info --json t | jq '.files[0].blocks')" ]
}

@test "levels that there are not" {
	for level in 20 -51 x 1x '' +1 0x1 ' 1'; do
		run_ktraced "--compress=$level" -o t -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"--compress needs a level from -50 to 19, or none"* ]]
		[ ! -e t ]
		run_ktrace cut "--compress=$level" -o t "$SMALL"
		[ "$status" -eq 2 ]
		[[ $stderr == *"--compress: not a level from -50 to 19, or none"* ]]
		run_ktrace merge "--compress=$level" -o t "$SMALL"
		[ "$status" -eq 2 ]
		[ ! -e t ]
	done
}

@test "cut stores all of a file otherwise, and back" {
	make_blocks plain
	"$KTRACE" list --json plain >expected
	for level in 1 -50 19; do
		"$KTRACE" cut --compress="$level" -o packed plain
		valid_trace packed
		diff expected <("$KTRACE" list --json packed)
		[[ $(storage packed) =~ ^[1-9]' true'$ ]]
		for none in "" --compress=0 --compress=none; do
			"$KTRACE" cut ${none:+"$none"} -o again packed
			[ "$(storage again)" = "0 false" ]
			diff expected <("$KTRACE" list --json again)
		done
	done
}

@test "merge compresses, too" {
	make_blocks a 1
	make_blocks b
	run_ktrace merge -o plain a b
	run_ktrace merge --compress -o packed a b
	[ "$status" -eq 0 ]
	valid_trace packed
	diff <("$KTRACE" list --json plain) <("$KTRACE" list --json packed)
	[[ $(storage packed) == *true ]]
}

@test "every command says the same of a compressed file" {
	make_blocks plain
	make_blocks packed 1
	[[ $(storage packed) == *true ]]
	mkdir p c
	mv plain p/f
	mv packed c/f
	for arguments in "list --json" "list --since 1us --until 2us" "list -n 20" "grep n>150" "stat --json" \
		"hist --json" "check"; do
		for folder in p c; do
			# shellcheck disable=SC2086 # words
			(cd "$folder" && "$KTRACE" $arguments f >../out.$folder)
		done
		[ -s out.p ]
		diff <(sed 's/[0-9]* bytes//' out.p) <(sed 's/[0-9]* bytes//' out.c)
	done
}

@test "a compressed file that is cut off, at any place" {
	make_blocks t 1
	"$KTRACE" list --time raw t >expected
	size=$(wc -c <t)
	for ((at = 800; at < size; at += 211)); do
		head -c "$at" t >part
		run_ktrace list --time raw part
		[ "$status" -eq 0 ]
		# What is there is there in the end; fragments without their end come as such.
		[ -z "$(grep -v ktrace:lost <<<"$output" | grep word_ | grep -vxFf expected)" ]
	done
}

@test "damage in a compressed block costs that block, and is said" {
	make_blocks t 1
	"$KTRACE" list t >expected
	python3 - "$ROOT/tests/spec" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		sys.dont_write_bytecode = True
		from read import BLOCK, Trace
		trace = Trace("t")
		section = [s for s in trace.sections() if s.type == BLOCK][1]
		data = bytearray(trace.data)
		data[section.offset + 64 + section.size // 2] ^= 1
		open("f", "wb").write(data)
		print(section.offset, section.records, file=open("where", "w"))
	END
	read -r offset records <where
	run_ktrace list f
	[ "$status" -eq 1 ]
	[[ $stderr == *"offset $offset: damaged section, skipped"* ]]
	[ "$(wc -l <<<"$output")" -eq $(($(wc -l <expected) - records)) ]
	run_ktrace check f
	[ "$status" -eq 1 ]
	[[ $output$stderr == *"$offset: checksum is wrong"* ]]
}

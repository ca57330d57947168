#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to ctf: what babeltrace2 reads is what ktrace list says, event by event

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	load_odd
}

teardown()
{
	teardown_test
}

# load_odd: a file with names and values that formats have to take care of, as odd
load_odd()
{
	"$PROGS/mktrace" odd <"$ROOT/tests/checkers/export/odd.script"
}

# is_whole NR OPTION... FILE...: babeltrace2 reads these events, NR or, if that is empty, some
is_whole()
{
	local wanted=$1 nr
	shift
	rm -rf folder
	run_ktrace export --to ctf -o folder "$@"
	[ "$status" = 0 ]
	"$KTRACE" list --json "$@" >events.json
	nr=$("$ROOT/tests/checkers/export/ctf" folder events.json)
	[ "$nr" = "$(wc -l <events.json)" ]
	[ "${wanted:-$nr}" = "$nr" ]
	[ "$nr" -gt 0 ] || [ "$wanted" = 0 ]
}

@test "ctf: all events of a file, those that were lost, and those out of order" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	is_whole "" t
	[[ $stderr == *"22 events were lost"* ]]
	grep -q $'^\tlost = 22;' folder/metadata
	grep -q $'^\tclock = "tsc";' folder/metadata
	grep -q $'^\thostname = "golden";' folder/metadata
}

@test "ctf: names, text and numbers at their limits" {
	is_whole 23 odd
}

# tell FILE EVENT RECORD...: a file with one type of events
tell()
{
	local file=$1 event=$2
	shift 2
	{
		echo "meta trace version=1 start_ns=5 backend=dev clock=tsc cmd=x"
		echo "meta clock raw=5 mono_ns=5 real_ns=5 hz=1000000000"
		echo "meta stream id=2 kind=user cpu=0 ring=65536 block=4096 policy=drop"
		echo "meta event kind=user id=16 desc=$event"
		echo "block 2"
		printf 'rec %s\n' "$@"
	} | "$PROGS/mktrace" "$file"
}

@test "ctf: names that are alike are numbered, those of lengths, too" {
	tell t 'a:b{u32%20_x_length;u8[]%20x;}' '5 16 7 u32:1 u32:2 u8:3 u8:4'
	run_ktrace export --to ctf -o x t
	[ "$status" = 0 ]
	[[ $(babeltrace2 x) == *"{ _x_length = 1, "*" x__2 = [ [0] = 3, [1] = 4 ] }" ]]
	tell t 'a:b{u8%20a.b;u8%20a_b__2;u8%20a_b;}' '5 16 7 u8:1 u8:2 u8:3'
	run_ktrace export --to ctf -o y t
	[ "$status" = 0 ]
	[[ $(babeltrace2 y) == *"{ a_b = 1, a_b__2 = 2, a_b__3 = 3 }" ]]
}

@test "ctf: times that readers do not have" {
	tell t 'a:b{u8%20a;}' '5 16 7 u8:1' '18446744073709551615 16 7 u8:2' \
		'18446744073709551615 16 7 u8:3'
	is_whole 3 t
}

@test "ctf: no event, one event, several files" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	is_whole 0 --since 5 t
	is_whole 1 -e b:big --since 0.0000008 odd
	is_whole "" t odd
	grep -q $'^\ttrace_1_hostname = ' folder/metadata
}

@test "ctf: recordings of programs" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	is_whole "" t
	run_ktraced --pthread --policy block -o u -- "$PROGS/pthread_contended"
	is_whole "" -e 'pthread:mutex*' u
	is_whole "" t u
}

@test "ctf: packets end, and begin where the last one ended" {
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 2 -n 4000
	is_whole 8000 t
	[ "$(stat -c %s folder/stream_* | sort -n | tail -1)" -gt 131072 ]
}

@test "ctf: the folder is new or empty, and there when it is whole" {
	run_ktrace export --to ctf odd
	[ "$status" = 2 ]
	mkdir empty full
	echo kept >full/file
	run_ktrace export --to ctf -o empty odd
	[ "$status" = 0 ]
	[ -e empty/metadata ]
	run_ktrace export --to ctf -o full odd
	[ "$status" = 1 ]
	[[ $stderr == *"full: exists and is not an empty folder"* ]]
	[ "$(ls full)" = file ]
	run_ktrace export --to ctf -o odd odd
	[ "$status" = 1 ]
	run_ktrace export --to ctf -o none/out odd
	[ "$status" = 1 ]
	# A full disk, then a signal
	ulimit -c 0
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 1 -n 1000
	(trap '' XFSZ && ulimit -f 1 && run_ktrace export --to ctf -o out t && [ "$status" = 1 ])
	(ulimit -f 1 && run_ktrace export --to ctf -o out t && [ "$status" = 153 ])
	[ -z "$(find . -name 'out*')" ]
}

@test "ctf: a link leads to the folder" {
	mkdir other
	ln -s other link
	run_ktrace export --to ctf -o link odd
	[ "$status" = 0 ]
	[ -L link ]
	[ -e other/metadata ]
	ln -s nowhere dangling
	run_ktrace export --to ctf -o dangling odd
	[ "$status" = 1 ]
	[[ $stderr == *"dangling: No such file or directory"* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to csv: each cell of each event, read by another program

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# is_whole FILE [OPTION...]: the table has what ktrace list --json has, with columns and without
is_whole()
{
	local file=$1 nr
	shift
	"$KTRACE" list --json "$@" "$file" >events.json
	for columns in '' --columns; do
		run_ktrace export --to csv ${columns:+"$columns"} "$@" -o table.csv "$file"
		[ "$status" = 0 ]
		nr=$("$ROOT/tests/checkers/export/csv" table.csv events.json)
		[ "$nr" = "$(wc -l <events.json)" ]
		[ "$nr" -gt 0 ]
	done
}

@test "csv: all events of a file with everything in it" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	is_whole t
	[[ $stderr == *"22 events were lost"* ]]
}

@test "csv: a recording of a program" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	is_whole t
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_contended"
	is_whole t -e 'pthread:mutex*'
}

@test "csv: text that would end a cell or a line" {
	"$PROGS/mktrace" t <<'END'
meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=2 kind=user cpu=0 ring=65536 block=4096 policy=drop
meta event kind=user id=16 desc=a:text{string%20time;char[16]%20comm;char%20c;}
meta event kind=user id=17 desc=b:text{u32[]%20time;}
meta process pid=100 ppid=1 ts=900 comm=a,"b"%0ac exe=/bin/demo
block 2
rec 1100 16 100 s:a,b char16:"x" hex:2c
rec 1200 16 100 hex:0d0a2200 char16:, hex:22
rec 1300 16 100 hex:c3a4ff80eda08000 char16:= hex:00
rec 1400 17 100 u32:2 u32:1 u32:4000000000
rec 1500 17 100 u32:0
END
	is_whole t
	[ "$(python3 -c 'import csv; print(len(list(csv.reader(open("table.csv", newline="")))))')" = 6 ]
}

@test "csv: an empty window has the names of columns only" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	run_ktrace export --to csv --since 5 -o table.csv t
	[ "$status" = 0 ]
	[ "$(wc -l <table.csv)" = 1 ]
}

@test "csv: losses are there whatever is asked for" {
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	"$KTRACE" export --to csv -e demo:big -o table.csv t
	[ "$(grep -c ,ktrace:lost, table.csv)" = "$("$KTRACE" list -e ktrace:lost t | wc -l)" ]
}

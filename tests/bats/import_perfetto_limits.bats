#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto of traces that have very many or very large things: neither time
# nor memory goes to the bad, what cannot be is said with its place, and what else there is comes

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# many KIND: such a trace, imported with 150 MB of memory for data, within a minute
many()
{
	python3 "$SERVICE/mkmany.py" "$1" trace
	# shellcheck disable=SC2016 # the shell that is started expands them
	capture timeout 60 bash -c 'ulimit -d 150000; exec "$@"' - \
		"$KTRACE" import --from perfetto trace -o t
	show "import of $1"
}

# last_is_there: the packet behind it all was converted
last_is_there()
{
	[ "$("$KTRACE" list -e c:last t | wc -l)" = 1 ]
}

@test "import perfetto: a packet that would be too large unpacked is left out, with its place" {
	many bomb
	[ "$status" = 1 ]
	says 'trace: 1 compressed packets cannot be read completely; the first is at byte [0-9]*: unpacked, it is too large'
	last_is_there
}

@test "import perfetto: the same with zstd, and packets that are too large all together" {
	many zstd_bomb
	[ "$status" = 1 ]
	says 'trace: 1 compressed packets cannot be read completely; the first is at byte [0-9]*: unpacked, it is too large'
	last_is_there
	many total
	[ "$status" = 1 ]
	says 'trace: 2 compressed packets cannot be read completely; the first is at byte [0-9]*: unpacked, it is too large'
	last_is_there
}

@test "import perfetto: a long text that is named many times is cut" {
	many texts
	[ "$status" = 1 ]
	says 'trace: 6 texts are truncated: too long in all'
	last_is_there
	[ "$("$KTRACE" list --json -e c:long t | jq '[.fields[] | length] | add')" -le $((16 << 20)) ]
}

@test "import perfetto: many threads' snapshots of clocks are kept" {
	many writers
	[ "$status" = 0 ]
	[ "$("$KTRACE" list --json -e c:of_clock t | jq .raw)" = 3000 ]
}

@test "import perfetto: more snapshots of clocks than are kept" {
	many snapshots
	[ "$status" = 1 ]
	says '[0-9]* clock snapshots are more than can be kept'
	last_is_there
}

@test "import perfetto: what is no trace leaves no file, and the one that is there as it is" {
	echo "These are the words of somebody else." >trace
	import trace
	[ "$status" = 1 ]
	says 'trace: not a Perfetto trace: no packet in it'
	[ ! -e t ]
	echo mine >t
	import trace
	[ "$status" = 1 ]
	[ "$(cat t)" = mine ]
}

@test "import perfetto: a compressed packet that is cut, with its place" {
	many cut
	[ "$status" = 1 ]
	says 'the first is at byte [0-9]*: it is damaged'
	last_is_there
	[ "$("$KTRACE" list -e c:inside t | wc -l)" = 1 ]
}

@test "import perfetto: where a trace is cut is said" {
	{
		clocks '6 1000 3 1000 1 1000'
		stamp 3 1234 good
		stamp 3 1235 cut
	} | make_trace whole
	head -c -1 whole >trace
	import trace
	[ "$status" = 1 ]
	# Of the packet that is cut: a byte that says so, one its size
	says "trace: byte $(($(stat -c %s whole) - $(stamp 3 1235 cut | make_trace one; stat -c %s one))): truncated"
}

@test "import perfetto: many snapshots in any order, and many clocks" {
	many backwards
	[ "$status" = 0 ]
	last_is_there
	many clocks
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -e c:of_clock t | wc -l)" = 5000 ]
	# 10 + i is 5000 + i, so that each is 5010.
	[ "$("$KTRACE" list --json -e c:of_clock t | jq -s 'map(.raw - 5010) | unique | length')" = 5000 ]
}

@test "import perfetto: an event with too many fields is kept as text, and its packet with it" {
	many fields
	[ "$status" = 1 ]
	says '1 events have too many fields'
	last_is_there
	[ "$("$KTRACE" list --json -e foreign:text t | jq -r .fields.event)" = c:wide ]
	[ "$("$KTRACE" list --json -e foreign:text t | jq -r '.fields.text | fromjson | .annotation04999')" = 4999 ]
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: more kinds of events than a tracefile has numbers for" {
	many kinds
	[ "$status" = 1 ]
	says 'events have too many fields, or a type beyond the maximum number'
	[ "$("$KTRACE" list -e 'c:kind,foreign:text' t | wc -l)" = 66001 ]
	[ "$("$KTRACE" list -e foreign:text t | grep -c c:last)" = 1 ]
	# Of each kind is one, in the tree of counts, too, which takes no longer for that.
	[ "$(timeout 60 "$KTRACE" stat --types t | grep -c ' c:kind  *1$')" = 65518 ]
	"$KTRACE" list --json -e foreign:text t | jq -s -e 'any(.[]; .fields.text == "{\"n65999\":7}")'
}

@test "import perfetto: more events than memory has room for are in order" {
	many events
	[ "$status" = 0 ]
	last_is_there
	[ "$("$KTRACE" list --json -e c:event t | jq .raw | md5sum)" = \
		"$(seq $(((1 << 40) + 1)) $(((1 << 40) + 150000)) | md5sum)" ]
	"$KTRACE" export --to perfetto -o back t
	cmp trace back
}

@test "import perfetto: without room for a temporary file" {
	python3 "$SERVICE/mkmany.py" events trace
	TMPDIR=$PWD/none import trace
	[ "$status" = 1 ]
	says 'none: temporary file: No such file or directory'
	[ ! -e t ]
}

# mark: a packet as services write them now and then
mark()
{
	echo '{"hex":"1800a2021082477a76b28d42ba81dc33326d57a079"}'
}

# named NAME: a packet of a writer that gives a name the number 1
named()
{
	echo '{"trusted_packet_sequence_id":2,"sequence_flags":1,"interned_data":{
		"event_names":[{"iid":1,"name":"'"$1"'"}]}}' | tr -d '\n\t'
	echo
}

# needs: an event that is called by that number
needs()
{
	echo '{"timestamp":1300,"trusted_packet_sequence_id":2,"sequence_flags":2,"track_event":{
		"type":3,"categories":["c"],"name_iid":1}}' | tr -d '\n\t'
	echo
}

@test "import perfetto: behind damage it goes on at the next mark, and guesses no name" {
	{
		clocks '6 1000 3 1000 1 1000'
		named old
		needs
		mark
	} >first
	stamp 3 1234 lost >second
	{
		mark
		needs
		named new
		needs
		stamp 3 1400 good
	} >third
	cat first second third | make_trace whole
	begin=$(make_trace one <first; stat -c %s one)
	end=$(cat first second | make_trace one; stat -c %s one)
	cp whole trace
	printf '\xff\xff\xff\xff\xff\xff' | dd of=trace bs=1 seek="$begin" conv=notrunc 2>/dev/null
	import trace
	[ "$status" = 1 ]
	says "trace: 1 gaps; the first is from byte $begin to $end: damaged"
	[ "$("$KTRACE" list --json t | jq -r .event | grep -v '^perfetto:' | tr '\n' ' ')" = \
		'c:old ktrace:lost ktrace:lost c:new c:good ' ]
	# Of two traces in a row, the first cut, the second is there.
	{
		head -c -3 whole
		cat whole
	} >trace
	import trace
	[ "$status" = 1 ]
	[ "$("$KTRACE" list -e c:good t | wc -l)" = 1 ]
	# Marks that are none
	head -c $((begin - 5)) whole >trace
	import trace
	[ "$status" = 1 ]
	[ "$("$KTRACE" list -e c:old t | wc -l)" = 1 ]
}

# lost: the losses of t, sorted, a line each: stamp, CPU, reason, count
lost()
{
	"$KTRACE" list --json -e ktrace:lost t |
		jq -r '[.raw, .cpu, .fields.reason, .fields.count] | map(tostring) | join(" ")' | sort
}

@test "import perfetto: statistics state losses" {
	{
		clocks '6 1000 3 1000 1 5000'
		stamp 6 2000 one
		echo '{"ftrace_stats":{"phase":1,"cpu_stats":[{"cpu":0,"overrun":10},{"cpu":3}]}}'
		stamp 6 3000 two
		echo '{"ftrace_stats":{"phase":2,"cpu_stats":[{"cpu":0,"overrun":5010},' \
			'{"cpu":3,"overrun":1,"dropped_events":7,"commit_overrun":2}]}}'
		# Totals of a session grow; smaller ones are those of another session.
		for sum in 5 900 2; do
			echo "{\"trace_stats\":{\"buffer_stats\":[{\"chunks_overwritten\":$sum,\"chunks_discarded\":1," \
				'"trace_writer_packet_loss":3,"patches_failed":1},{"abi_violations":2}],"packets_lost":4}}'
		done
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says ' 5934 lost'
	valid_trace t
	[ "$(lost)" = "$(printf '%s\n' '1000 null overwritten 902' '3000 0 overwritten 5000' '3000 3 full 7' \
		'3000 3 nested 2' '3000 3 overwritten 1' '3000 null corrupt 6' '3000 null full 8' \
		'3000 null unwritten 8')" ]
	run_ktrace info t
	says '5903 overwritten'
}

@test "import perfetto: a loss that has a mark and is in statistics counts once" {
	local p='{"trusted_packet_sequence_id":3,"timestamp":'
	{
		clocks '6 1000 3 1000 1 5000'
		echo "${p}2000}"
		# Causes: overwritten, no room for the writer, damaged, unknown
		for mark in 65 257 5 1; do
			echo "${p}$((2000 + mark)),\"previous_packet_dropped\":$mark}"
		done
		echo '{"ftrace_events":{"cpu":2,"lost_events":true,"event":[{"timestamp":2300,"pid":1,"sched_wakeup":{}}]}}'
		echo '{"ftrace_stats":{"phase":2,"cpu_stats":[{"cpu":2,"overrun":11}]}}'
		echo '{"trace_stats":{"buffer_stats":[{"chunks_overwritten":10,"trace_writer_packet_loss":2,"patches_failed":1}]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	[ "$(lost)" = "$(printf '%s\n' '1000 null overwritten 9' '2001 null full 1' '2005 null corrupt 1' \
		'2065 null overwritten 1' '2257 null full 1' '2300 2 full 1' '2300 2 overwritten 10')" ]
	says ' 24 lost'
	# More marks than the statistics state
	{
		clocks '6 1000 3 1000 1 5000'
		echo "${p}2000}"
		echo "${p}2010,\"previous_packet_dropped\":1}"
		echo "${p}2020,\"previous_packet_dropped\":1}"
		echo '{"trace_stats":{"buffer_stats":[{"chunks_overwritten":1}]}}'
		# A count that only damage can make
		echo '{"ftrace_stats":{"phase":2,"cpu_stats":[{"cpu":4000000000,"overrun":18446744073709551615}]}}'
	} | make_trace trace
	import trace
	[ "$status" = 0 ]
	says ' 1099511627778 lost'
	valid_trace t
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto of traces that have very many or very large things: neither time
# nor memory goes to the bad, what cannot be is said with its place, and what else there is comes

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load perfetto

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

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
	says 'trace: 1 compressed packets cannot be read to their end; the first is at byte [0-9]*: unpacked, it is too large'
	last_is_there
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
	says "trace: byte $(($(stat -c %s whole) - $(stamp 3 1235 cut | make_trace one; stat -c %s one))): cut"
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
	says 'events have too many fields, or are of one kind too many'
	[ "$("$KTRACE" list -e 'c:kind,foreign:text' t | wc -l)" = 66001 ]
	[ "$("$KTRACE" list -e foreign:text t | grep -c c:last)" = 1 ]
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

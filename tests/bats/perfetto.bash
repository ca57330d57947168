# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# perfetto.bash - builds traces of Perfetto from text, and imports them

# shellcheck disable=SC2154 # capture sets status and output

SERVICE=$ROOT/tests/service

setup() { setup_test; }
teardown() { teardown_test; }

# sample: copies the trace of the SDK to the file sdk
sample()
{
	xzcat "$ROOT/tests/data/import/sdk.perfetto-trace.xz" >sdk
}

# make FILE: writes a trace of the packets on standard input
make_trace()
{
	python3 "$SERVICE/mktrace.py" "$1"
}

# import FILE [OPTION...]: imports it to the file t
import()
{
	run_ktrace import --from perfetto "$@" -o t
}

# events GLOB: prints matching events of t, a line each: time, name, fields
events()
{
	"$KTRACE" list --json -e "$1" t |
		jq -r '[.time, .event, (.fields | tojson)] | join(" ")'
}

# says PATTERN: true if standard output or standard error matches
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

# clocks SETS: prints a line for each packet with a snapshot; a set is "ID NS ID NS..."
clocks()
{
	local set
	for set; do
		jq -nc --arg set "$set" '{clock_snapshot: {clocks: [$set | split(" ") | map(tonumber)
			| _nwise(2) | {clock_id: .[0], timestamp: .[1]}]}}'
	done
}

# stamp CLOCK NS NAME: prints a packet with an instant
stamp()
{
	printf '{"timestamp":%s,"timestamp_clock_id":%s,"trusted_packet_sequence_id":9,' "$2" "$1"
	printf '"track_event":{"type":3,"name":"%s","categories":["c"]}}\n' "$3"
}

# raw_of NAME: the stamp that an event has in the tracefile
raw_of()
{
	"$KTRACE" list --json -e "c:$1" t | jq -r .raw
}

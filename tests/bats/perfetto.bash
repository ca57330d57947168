# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# perfetto.bash - traces of Perfetto that are put together here, and what they become

# shellcheck disable=SC2154 # capture sets status and output

SERVICE=$ROOT/tests/service

setup() { setup_test; }
teardown() { teardown_test; }

# sample: the trace of the SDK, as sdk
sample()
{
	xzcat "$ROOT/tests/data/import/sdk.perfetto-trace.xz" >sdk
}

# make FILE: of packets on standard input
make_trace()
{
	python3 "$SERVICE/mktrace.py" "$1"
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import --from perfetto "$@" -o t
}

# events GLOB: of t, a line each: time, name, fields
events()
{
	"$KTRACE" list --json -e "$1" t |
		jq -r '[.time, .event, (.fields | tojson)] | join(" ")'
}

# says PATTERN: on standard output or standard error
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

# clocks SETS: a line for each packet with a snapshot; a set is "ID NS ID NS..."
clocks()
{
	local set
	for set; do
		jq -nc --arg set "$set" '{clock_snapshot: {clocks: [$set | split(" ") | map(tonumber)
			| _nwise(2) | {clock_id: .[0], timestamp: .[1]}]}}'
	done
}

# stamp CLOCK NS NAME: a packet with an instant
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

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from perfetto: machines that relay to the one that records, whose clocks they
# exchange; and guests of trace-cmd, whose times are shifted to their host's

# shellcheck disable=SC2154 # capture sets status and output
load helpers
load perfetto

# relayed [OPTION]: makes the trace x of a recorder and two machines whose clocks are
# known, see make_relay; writes truth
relayed()
{
	"$ROOT/tests/checkers/import/make_relay" "$@" >truth.packets
	grep -v '^{"truth"' truth.packets | make_trace x
	sed -n 's/^{"truth":\(.*\)}$/\1/p' truth.packets >truth
}

# accurate: all hosts of $output have an error
accurate()
{
	jq -se 'map(.host // empty | select(.file)) | length == 3 and all(.error_ns != null)' <<<"$output"
}

# check_truth: events of one moment on different machines have times that differ by no more than
# their errors
check_truth()
{
	"$KTRACE" list --json -e 'c:*' t.*.bin 2>/dev/null >events
	jq -se '(map(select(.error_ns)) | length) > 0 and all(.error_ns != null)' events
	jq -se 'group_by(.event) | all(
		(map((.time | sub("\\."; "") | tonumber)) | max - min) as $apart |
		(map(.error_ns) | add) as $error | length == 3 and $apart <= $error + 1000)' events
}

@test "import perfetto: clocks that machines exchange tie them together, with an error" {
	relayed
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$(echo t*.bin)" = "t.0.bin t.7.bin t.9.bin" ]
	valid_trace t.0.bin
	valid_trace t.7.bin
	run_ktrace sync --json t.*.bin
	[ "$status" = 0 ]
	accurate
	# 30 exchanges of two machines: each is a ping in both directions
	jq -se 'last.sync | .pings == 120 and .pings_left_out == 0' <<<"$output"
	# Delays are some 100 us in each direction.
	jq -se 'map(.host // empty) | .[1:3] | all(.error_ns < 1000000 and .error_ns > 50000)' <<<"$output"
	check_truth
	run_ktrace info t.7.bin
	says 'pings  *30 to recorder, boot '
}

@test "import perfetto: drifts are followed, and delays may differ by direction" {
	relayed --drift 150 --delay 50 --back 900
	run_ktrace import --from perfetto -o t.bin x
	check_truth
}

@test "import perfetto: the recorder's stamps may be of another clock than those of the others" {
	relayed --boottime
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	run_ktrace sync --json t.*.bin
	accurate
	check_truth
}

@test "import perfetto: readings of clocks that tie nothing are counted" {
	relayed
	# Only readings without a second one
	jq -c 'if .remote_clock_sync then .remote_clock_sync.synced_clocks |= .[:1] else . end' \
		<(grep -v '^{"truth"' truth.packets) | make_trace x
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	says '^ktrace: x: 6 readings of clocks for machine 7 tie it to no other: an exchange has two'
	# No packet of the machine that recorded
	grep -v '^{"truth"' truth.packets | jq -c 'select(.machine_id)' | make_trace x
	rm t.*.bin
	run_ktrace import --from perfetto -o t.bin x
	says ': 65 readings of clocks for machine 7 .*: no other packet is of the machine that recorded'
	# No reading of the machine that recorded
	grep -v '^{"truth"' truth.packets | jq -c 'if .remote_clock_sync then
		.remote_clock_sync.synced_clocks |= map(del(.host_clocks)) else . end' | make_trace x
	rm t.*.bin
	run_ktrace import --from perfetto -o t.bin x
	[ "$status" = 0 ]
	says ': 65 readings of clocks for machine 7 tie it to no other: an exchange has two of each machine'
	# A clock that goes back
	grep -v '^{"truth"' truth.packets | jq -c 'if .remote_clock_sync then
		.remote_clock_sync.synced_clocks |= reverse else . end' | make_trace x
	rm t.*.bin
	run_ktrace import --from perfetto -o t.bin x
	says ': 65 readings of clocks for machine 9 '
}

@test "import perfetto: of two imports of one trace the machines are the same" {
	relayed
	run_ktrace import --from perfetto -o t.bin x
	run_ktrace import --from perfetto -o u.bin x
	run_ktrace sync --json t.0.bin t.7.bin u.7.bin
	jq -se 'map(.host.file // empty) == ["t.0.bin", "t.7.bin"]' <<<"$output"
	# Those of another trace are others.
	relayed --uuid 2
	run_ktrace import --from perfetto -o v.bin x
	run_ktrace sync --json t.0.bin v.7.bin
	jq -se 'last.sync | .pings == 0 and .pings_left_out == 60' <<<"$output"
}

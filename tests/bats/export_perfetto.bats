#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to perfetto: packets that say what ktrace list says, event by event

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	"$PROGS/mktrace" odd <"$ROOT/tests/checkers/export/odd.script"
	"$PROGS/mktrace" small <"$ROOT/tests/data/golden/small-v1.script"
}

teardown()
{
	teardown_test
}

# is_whole OPTION... FILE...: the file is right; in told, how many events, and how many in bundles
is_whole()
{
	run_ktrace export --to perfetto -o trace.pf "$@"
	[ "$status" = 0 ]
	"$KTRACE" list --json "$@" >events.json
	told=$("$ROOT/tests/checkers/export/perfetto" trace.pf events.json)
	[ "${told%% *}" = "$(wc -l <events.json)" ]
	# The other reader knows each field, too.
	protoc --proto_path="$ROOT/userspace/proto" --decode=perfetto.protos.Trace perfetto.proto \
		<trace.pf >decoded
	fails grep -E '^ *[0-9]+:' decoded
}

@test "perfetto: all events of files, in bundles of CPUs and on tracks" {
	is_whole small
	[[ $stderr == *"22 events were lost"* ]]
	[ "$told" = "25 5" ]
	grep -q 'previous_packet_dropped: 1' decoded
	grep -q 'primary_trace_clock: 6' decoded
	grep -q 'release: "6.1.0"' decoded
}

@test "perfetto: names, text and numbers at their limits" {
	is_whole odd
	grep -q 'uint_value: 18446744073709551615' decoded
	is_whole --since 5 odd
	[ "$told" = "0 0" ]
	is_whole odd small
	grep -q 'machine_id: 1' decoded
}

@test "perfetto: recordings of programs" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	is_whole t
	grep -q 'type: TYPE_SLICE_BEGIN' decoded
	grep -q 'thread_name: "hello"' decoded
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_contended"
	is_whole t
}

@test "perfetto: a path of a control group that is long" {
	{
		echo "meta trace version=1 start_ns=5 backend=dev clock=tsc cmd=x"
		echo "meta clock raw=5 mono_ns=5 real_ns=5 hz=1000000000"
		echo "meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop"
		echo "meta event kind=kernel id=900 desc=a:b{u8%20a;}"
		echo "meta cgroup id=5 path=$(printf '%%01%.0s' {1..40000})"
		echo "block 0"
		# Flag KTRACE_REC_CONTEXT; one item, the group
		echo "rec 10 900 7:20 u8:1 u64:0x0300000000000005 u16:1"
		echo "rec 11 900 7 u8:2"
	} | "$PROGS/mktrace" t
	is_whole t
}

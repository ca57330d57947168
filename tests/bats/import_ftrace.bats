#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from trace-dat: a file of trace-cmd from a guest with Linux 6.12, and its report

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import COMPARE=$ROOT/tests/checkers/import/compare

setup()
{
	setup_test
	xzcat "$SAMPLES/ftrace.dat.xz" >trace.dat
}

teardown()
{
	teardown_test
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import --from trace-dat "$@" -o t
}

# says PATTERN: on standard output or standard error
says()
{
	grep -q -e "$1" <<<"$output"$'\n'"$stderr"
}

@test "import trace-dat: events are those that trace-cmd reports" {
	import trace.dat
	[ "$status" = 0 ]
	[[ $output == "t: 1705 events, "* ]]
	valid_trace t
	xzcat "$SAMPLES/ftrace.report.xz" >report
	"$KTRACE" list --json t >t.json
	[ "$("$COMPARE" trace-dat report t.json)" = 1705 ]
}

@test "import trace-dat: kernel events are ours, so that analyses know them" {
	import trace.dat
	run_ktrace sched t
	[ "$status" = 0 ]
	says '/[0-9]* sleep '
	run_ktrace syscalls t
	says '^clock_nanosleep  *1 '
	run_ktrace state --at 1s t
	[ "$status" = 0 ]
	run_ktrace list -e kmem:mm_page_alloc t
	says 'kmem:mm_page_alloc pfn=[0-9]* order=0 '
}

@test "import trace-dat: an interrupt is one, a host has a clock" {
	import trace.dat
	run_ktrace list -e irq:enter t
	says 'irq:enter irq=[0-9]* name="virtio.*(irq)'
	# With --date, times are of the wall clock.
	[ "$("$KTRACE" list --json t | head -n 1 | jq -r '.time | split(".")[0]')" = 1795383215 ]
}

@test "import trace-dat: damage is said" {
	head -c 4000 trace.dat >short
	import short
	[ "$status" = 1 ]
	says 'short: damaged, or not a file of trace-cmd'
	[ ! -e t ]
	import missing
	[ "$status" = 1 ]
	says 'missing: No such file'
	import /dev/null
	[ "$status" = 1 ]
	[ ! -e t ]
}

@test "import trace-dat: 15 files with some bits turned over crash nothing" {
	cat >turn.py <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		data = bytearray(open('trace.dat', 'rb').read())
		for _ in range(random.randint(1, 8)):
		    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
		open('bad', 'wb').write(data)
	END
	for seed in {1..15}; do
		rm -f t
		python3 -I turn.py "$seed"
		capture timeout 20 "$KTRACE" import --from trace-dat -o t bad
		[ "$status" -le 1 ] || show "$seed"
		[ "$status" -le 1 ]
		[ "$status" = 0 ] || [ -n "$stderr" ]
		[ ! -e t ] || "$KTRACE" list t >/dev/null
	done
}

@test "import trace-dat: memory is read where it is written, and freed" {
	run_valgrind import --from trace-dat -o t trace.dat
	[ "$status" = 0 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import: compressed files and pipes give the same events as the file itself; the format is
# found by the content

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SAMPLES=$ROOT/tests/data/import

setup()
{
	setup_test
	xzcat "$SAMPLES/ftrace.dat.xz" >trace.dat
	xzcat "$SAMPLES/perf.txt.xz" >perf.txt
	xzcat "$SAMPLES/sdk.perfetto-trace.xz" >sdk.pftrace
	python3 - <<'END'
import json
events = [{'ph': 'X', 'cat': 'a', 'name': f'n{i % 50}', 'pid': 7, 'tid': 8, 'ts': i, 'dur': 1} for i in range(5000)]
json.dump({'traceEvents': events}, open('chrome.json', 'w'))
with open('ftrace.txt', 'w') as f:
    print('# tracer: nop', file=f)
    for i in range(5000):
        print(f'            bash-{100 + i % 9}     [001] d..1. {10 + i // 1000}.{i % 1000:03}000: my_event: number={i}', file=f)
END
}

teardown()
{
	teardown_test
}

# import FILE [OPTION...]: to t
import()
{
	run_ktrace import "$@" -o t
}

# events FILE [OPTION...]: the events that the file gives, in t.list
events()
{
	import "$@"
	[ "$status" = 0 ]
	"$KTRACE" list t >t.list
	[ -s t.list ]
}

@test "import: a file compressed by gzip, zstd or xz gives the events of the file" {
	local file

	for file in trace.dat perf.txt sdk.pftrace chrome.json ftrace.txt; do
		events "$file"
		mv t.list expected
		gzip -c "$file" >a
		zstd -qc "$file" >b
		xz -c "$file" >c
		gzip -c b >d
		{ gzip -c <(head -c 30000 "$file"); gzip -c <(tail -c +30001 "$file"); } >e
		for packed in a b c d e; do
			events "$packed"
			cmp expected t.list
		done
	done
}

@test "import: standard input and pipes" {
	local file

	for file in trace.dat perf.txt sdk.pftrace chrome.json ftrace.txt; do
		events "$file"
		mv t.list expected
		events - <"$file"
		cmp expected t.list
		zstd -qc "$file" >packed
		capture "$KTRACE" import -o t - < <(cat packed)
		[ "$status" = 0 ]
		"$KTRACE" list t | cmp expected
		mkfifo pipe
		xz -c "$file" >pipe &
		capture "$KTRACE" import -o t pipe
		[ "$status" = 0 ]
		"$KTRACE" list t | cmp expected
		rm pipe
	done
}

@test "import: what precedes a damage of a compressed file is imported, and the place is told" {
	local packer

	for packer in 'gzip -c' 'zstd -qc' 'xz -c'; do
		$packer ftrace.txt >whole
		head -c $(($(stat -c %s whole) * 2 / 3)) whole >part
		import part
		[ "$status" = 1 ]
		says 'part: compressed by [a-z]*, damaged at byte [0-9]*: truncated'
		! says '/proc/'
		valid_trace t
	done
	gzip -c ftrace.txt >whole
	head -c $(($(stat -c %s whole) / 2)) whole >part
	import part
	[[ $output =~ ^t:\ ([0-9]*)\ events ]]
	((BASH_REMATCH[1] > 100 && BASH_REMATCH[1] < 5000))
	{ cat whole; echo more; } >longer
	import longer
	[ "$status" = 1 ]
	says 'longer: compressed by gzip, damaged .*: followed by other bytes'
	says '^t: 5000 events'
}

@test "import: mutated compressed files neither crash nor hang" {
	for packer in gzip zstd xz; do
		$packer -qc ftrace.txt >whole
		python3 - <<'END'
import random
random.seed(5)
whole = open('whole', 'rb').read()
for i in range(25):
    data = bytearray(whole)
    for _ in range(random.randrange(1, 5)):
        data[random.randrange(len(data))] = random.randrange(256)
    open(f'bad{i}', 'wb').write(data[:random.randrange(len(data))] if i % 3 == 0 else data)
END
		for file in bad*; do
			capture timeout 20 "$KTRACE" import --from systrace -o t "$file"
			((status <= 1))
		done
	done
}

@test "import: devices are refused at once" {
	local format

	for format in chrome perfetto shark systrace trace-dat; do
		capture timeout 20 "$KTRACE" import --from "$format" --raw-ticks -o t /dev/zero
		[ "$status" != 0 ]
		[ "$status" != 124 ]
		capture timeout 20 "$KTRACE" import --from "$format" -o t - </dev/zero
		[ "$status" != 0 ]
		[ "$status" != 124 ]
		[ ! -e t ]
	done
}

@test "import: other compressions and archives are named" {
	printf 'BZh91AY&SY' >a.bz2
	import --from perf a.bz2
	[ "$status" = 1 ]
	says 'a.bz2: compressed by bzip2, which ktrace cannot unpack'
	mkdir folder
	echo x >folder/metadata
	tar czf folder.tar.gz folder
	import --from ctf folder.tar.gz
	[ "$status" = 1 ]
	says 'folder.tar.gz: an archive of tar: unpack it, and import the file or folder in it'
	[ ! -e t ]
}

@test "import: contents are bounded, and a small file system fills no further than allowed" {
	head -c 300M /dev/zero | zstd -qc >bomb
	[ "$(stat -c %s bomb)" -lt 50000 ]
	KTRACE_MIN_FREE=1000000G import --from systrace bomb
	[ "$status" = 1 ]
	says 'temporary file: '
	import --from systrace bomb
	[ "$status" = 1 ]
	says 'contents too large'
}

@test "import: the format is found by the content" {
	head -c 200 /dev/urandom >unknown
	import unknown
	[ "$status" = 2 ]
	says 'Looked for a folder (ctf)'
	python3 - <<'END'
import struct
slots = [(0x10, 0, 0, 1, 1000), (0x60, 1, 0, 2, 77), (0x15, 1, 0, 3, 0), (0, 0, 0, 0, 0)]
open('shark', 'wb').write(b''.join(struct.pack('<HHIII', *s) for s in slots))
END
	zstd -q shark
	import shark.zst
	[ "$status" = 0 ]
	says '^t: 3 events'
	for name in shark:shark chrome:chrome.json systrace:ftrace.txt trace-dat:trace.dat perf:perf.txt \
		perfetto:sdk.pftrace; do
		import "${name#*:}"
		[ "$status" = 0 ]
		"$KTRACE" list t >found
		import --from "${name%%:*}" "${name#*:}"
		"$KTRACE" list t | cmp found
	done
	echo '[{"ph":"i","name":"x","ts":1,"pid":1,"tid":1}' >a
	import a
	says '^t: 1 events'
	echo ' bash 12/13 [000] 1.000000: sched:sched_wakeup: comm=x pid=1 prio=1 target_cpu=001' >a
	import a
	says '^t: 1 events'
	"$KTRACE" list t | grep -q 'sched:wakeup'
	printf 'sample:\n  event_type: cpu-clock\n  time: 5\n  thread_id: 9\n  thread_name: x\n' >a
	import a
	says '^t: 1 events'
	echo ' bash 12/13 [-01] 1.000000: cycles:' >a
	import a
	says '^t: 1 events'
	echo ' bash-12 [000] 1.000000: sched_wakeup: comm=x pid=1 prio=1 target_cpu=001' >a
	import a
	"$KTRACE" list t | grep -q 'sched:wakeup'
	printf '<!DOCTYPE html>\n<html><script class="trace-data" type="application/text">\n%s\n</script>' \
		' bash-12 [000] 1.000000: sched_wakeup: comm=x pid=1 prio=1 target_cpu=001' >a
	import a
	says '^t: 1 events'
	"$KTRACE" import -o t a
	import t
	[ "$status" = 2 ]
	says 'a tracefile of ktrace already'
}

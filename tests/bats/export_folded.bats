#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace export --to folded: time of threads as stacks, and events as ktrace stacks counts them

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	ORACLE=$ROOT/tests/checkers/oracle/analyse.py
}

teardown()
{
	teardown_test
}

@test "folded: who ran, in what, and why it did not" {
	local switch="u32:120 u32:120"
	{
		python3 "$ORACLE" make 1 1 | grep '^meta'
		cat <<-END
			block 0
			rec 1000 64 0 u32:0 u32:100 $switch u32:0 char16:swapper/0 char16:cl;ent
			rec 1100 96 100 u64:202 zeros:48
			rec 1200 64 100 u32:100 u32:0 $switch u32:1 char16:cl;ent char16:swapper/0
			rec 2000 65 0:8 u32:100 u32:120 u32:0 char16:cl;ent
			rec 2050 64 0 u32:0 u32:100 $switch u32:0 char16:swapper/0 char16:cl;ent
			rec 2100 97 100 u64:202 u64:0
			rec 2200 128 100:8 u32:5 char16:eth0
			rec 2230 129 100:8 u32:5 u32:1
			rec 3000 64 100 u32:100 u32:0 $switch u32:2 char16:cl;ent char16:swapper/0
			rec 3500 96 0 u64:0 zeros:48
		END
	} | "$PROGS/mktrace" t
	run_ktrace export --to folded t
	[ "$status" = 0 ]
	[ "$output" = "?;cl:ent (100);run;user 870
?;cl:ent (100);wait:sleep;syscall:futex 800
?;cl:ent (100);wait:disk 500
?;cl:ent (100);run;syscall:futex 150
?;cl:ent (100);run;unknown 100
?;cl:ent (100);wait-cpu:woken;syscall:futex 50
?;cl:ent (100);run;irq:eth0 30" ]
	run_ktrace export --to folded --since 1100ns --until 1250ns t
	[ "$output" = "?;cl:ent (100);run;user 120
?;cl:ent (100);run;irq:eth0 30" ]
	run_ktrace export --to folded --pid 7 t
	[ "$output" = "" ]
}

# agrees SEED: the time on CPUs of each thread is what ktrace sched says
agrees()
{
	python3 "$ORACLE" make "$1" 3000 | "$PROGS/mktrace" t
	run_ktrace export --to folded -o folded t
	[ "$status" = 0 ]
	"$KTRACE" sched --json t >sched.json 2>/dev/null
	python3 - <<-'END'
		import json, re
		own = {}
		for line in open('folded'):
		    m = re.fullmatch(r'[^;]+;[^;]*\((\d+)\);(run|exit)(?:;.*)? (\d+)\n', line)
		    if m:
		        own[int(m[1])] = own.get(int(m[1]), 0) + int(m[3])
		told = {}
		for t in json.load(open('sched.json'))['tasks']:
		    if t['run']['total_ns']:
		        told[t['tid']] = told.get(t['tid'], 0) + t['run']['total_ns']
		assert own == told and own, (own, told)
	END
}

@test "folded: time on CPUs is that of ktrace sched" {
	agrees 1
	agrees 2
}

@test "folded --by locks: who waited for locks of the kernel, nested, begun twice, not over, lost" {
	{
		python3 "$ORACLE" make 1 1 | grep '^meta'
		cat <<-END
			block 0
			rec 1000 288 100 u64:170 u64:33
			rec 1100 288 100:8 u64:187 u64:1
			rec 1130 289 100:8 u64:187 u64:0
			rec 1200 288 100 u64:170 u64:32
			rec 1500 289 100 u64:170 u64:0
			rec 1600 289 100 u64:170 u64:0
			rec 1700 288 101 u64:204 u64:2
			lostrec 1800 1
			rec 1900 289 101 u64:204 u64:0
			rec 2000 288 101 u64:221 u64:5
			rec 2400 289 102 u64:221 u64:0
			rec 2500 96 100 u64:202 zeros:48
		END
	} | "$PROGS/mktrace" t
	run_ktrace export --to folded --by locks t
	[ "$output" = "?;? (100);kernel-mutex 0xaa 500
?;? (101);kernel-rwlock 0xdd 500
?;? (100);kernel-spinlock 0xbb 30" ]
	run_ktrace export --to folded --by locks --since 250ns --until 1100ns t
	[ "$output" = "?;? (100);kernel-mutex 0xaa 250
?;? (101);kernel-rwlock 0xdd 100" ]
	run_ktrace export --to folded --by locks -p 101 t
	[ "$output" = "?;? (101);kernel-rwlock 0xdd 500" ]
}

@test "folded --by locks: waits of programs are those of ktrace contention" {
	run_ktraced --pthread -o t -- "$PROGS/pthread_contended"
	[ "$status" = 0 ]
	"$KTRACE" export --to folded --by locks --symbols -o folded t
	grep -Eq '^pthread_contend \([0-9]+\);pthread_contend \([0-9]+\);mutex 0x[0-9a-f]+;[a-z_]+ [0-9]+$' folded
	"$KTRACE" contention --json t >contention.json
	python3 - <<-'END'
		import json, re
		own = {}
		for line in open('folded'):
		    m = re.fullmatch(r'[^;]*;[^;]*\((\d+)\);.* (\d+)\n', line)
		    own[int(m[1])] = own.get(int(m[1]), 0) + int(m[2])
		told = {t['tid']: t['total_ns'] for t in json.load(open('contention.json'))['threads']}
		assert own == {t: ns for t, ns in told.items() if ns} and own, (own, told)
	END
}

@test "folded --by locks: without such events nothing is known, which is said" {
	run_ktraced -o t -- "$EXAMPLES/hello"
	run_ktrace export --to folded --by locks t
	[ "$status" = 0 ]
	[ "$output" = "" ]
	[[ $stderr == *"nothing is known of locks"* ]]
}

@test "folded --by events is ktrace stacks" {
	run_ktraced --policy block --context ustack -o t -- "$EXAMPLES/hello"
	run_ktrace export --to folded --by events t
	[ "$status" = 0 ]
	[ "$output" = "$("$KTRACE" stacks t)" ]
	fails "$KTRACE" export --to folded --by weight t
}

@test "folded: without events of the kernel nothing is known, which is said" {
	run_ktraced --policy block -o t -- "$EXAMPLES/hello"
	run_ktrace export --to folded t
	[ "$status" = 0 ]
	fails grep -v ';unknown [0-9]*$' <<<"$output"
	[[ $stderr == *"nothing is known of threads"* ]]
}

@test "exports refuse options that their format does not have" {
	local call
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	for call in "chrome --columns" "chrome --symbols" "csv --by events" "sqlite --sysroot /" \
		"folded --columns"; do
		# shellcheck disable=SC2086 # words
		run_ktrace export --to $call -o out t
		[ "$status" = 2 ]
		[[ $stderr == *"not with this format"* ]]
		[ ! -e out ]
	done
}

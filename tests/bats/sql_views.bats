#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace sql: slices, locks, samples and views have the numbers of other commands, on traces of all kinds

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load sql

setup()
{
	setup_test
	COMPARE=$ROOT/tests/checkers/sql/compare
	SAMPLES=$ROOT/tests/data/import
}

teardown()
{
	teardown_test
}

# import FILE
import()
{
	"$KTRACE" import -o t "$1" >/dev/null 2>err || [ $? = 1 ]
}

HEAD='meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc cmd=x
meta host name=h kernel=k machine=x86_64 cpus=2 boot=b
meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop'

@test "sql: percentile() is that of the analyses, for integers only" {
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 7 400 | "$PROGS/mktrace" t
	# 3 % too large at most, never above the largest one
	[ "$(sql "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)
		SELECT percentile(x, 0), percentile(x, 2), percentile(x, 50), percentile(x, 99.9), percentile(x, 100) FROM c")" = \
		'1|20|503|1000|1000' ]
	[ "$(sql 'SELECT percentile(NULL, 50) IS NULL, percentile(duration, 50) IS NULL FROM syscalls WHERE name = 0')" = '1|1' ]
	for wrong in 'percentile(1.5, 50)' 'percentile(-1, 50)' "percentile('x', 50)" 'percentile(1, 101)' \
		'percentile(1, -0.1)' 'percentile(1, NULL)' 'percentile(duration, cpu)' 'percentile(1)' \
		"percentile(1, 'abc')" 'percentile(1, "p95")' "percentile(1, x'3530')" "percentile(1, '50')" \
		'percentile(1, 99.9999)' 'percentile(1, 0.0005)' 'percentile(1, 99.99999999)'; do
		run_ktrace sql t "SELECT $wrong FROM syscalls"
		echo "$stderr"
		[ "$status" = 2 ]
		[[ $stderr == *percentile* ]]
	done
	[[ $stderr == *'at most three decimals'* ]]
	# Three decimals are good ones, with an error of the binary fraction, too.
	[ "$(sql 'WITH RECURSIVE c(p) AS (SELECT 0 UNION ALL SELECT p + 7 FROM c WHERE p <= 99993)
		SELECT count(x) FROM (SELECT percentile(7, p / 1000.0) AS x FROM c GROUP BY p)')" = 14286 ]
	[ "$(sql "SELECT percentile(7, 99.999), percentile(7, 0.1 + 0.2), percentile(7, 1.001)")" = '7|7|7' ]
}

@test "sql: slices nest by thread, and end with what is around them" {
	"$PROGS/mktrace" t <<-END
		$HEAD
		meta event kind=user id=16 desc=a:outer_begin{u32%20n;}
		meta event kind=user id=17 desc=a:outer_end{u32%20r;}
		meta event kind=user id=18 desc=a:inner_start{u32%20n;}
		meta event kind=user id=19 desc=a:inner_stop{}
		meta event kind=user id=20 desc=a:alone_begin{}
		block 0
		rec 1100 19 100
		rec 1200 16 100 u32:1
		rec 1250 16 101 u32:9
		rec 1300 18 100 u32:2
		rec 1310 20 100
		rec 1400 18 100 u32:3
		rec 1500 19 100
		rec 1600 17 100 u32:7
		rec 1700 19 100
		rec 1800 18 100 u32:4
	END
	# The end of the outer slice ends the one that is left open in it.
	[ "$(sql 'SELECT ns, end_ns, duration, tid, name, depth, slice, parent, fields, end_fields FROM slices')" = \
'300|400|100|100|a:inner|2|4|3|{"n":3}|{}
200|500|300|100|a:inner|1|3|1|{"n":2}|
100|500|400|100|a:outer|0|1||{"n":1}|{"r":7}
700||0|100|a:inner|0|5||{"n":4}|
150||550|101|a:outer|0|2||{"n":9}|' ]
	[ "$(sql 'SELECT count(*) FROM slices WHERE tid = 101')" = 1 ]
	[ "$(sql 'SELECT parent, name, slices, total_ns, self_ns, max_ns FROM span_tree ORDER BY 1, 2')" = \
'|a:inner|1|0|0|0
|a:outer|2|950|650|550
a:inner|a:inner|1|100|100|100
a:outer|a:inner|1|300|200|300' ]
	"$COMPARE" "$KTRACE" t
	# In a join each row begins again.
	[ "$(sql 'SELECT count(*) FROM (SELECT 1 UNION ALL SELECT 2) CROSS JOIN slices')" = 10 ]
}

# recursion DEPTH: a function that calls itself, then one that does not, in t; each level takes longer
recursion()
{
	{
		printf '%s\n' "$HEAD" 'meta event kind=user id=16 desc=a:x_begin{}' 'meta event kind=user id=17 desc=a:x_end{}' \
			'meta event kind=user id=18 desc=a:y_begin{}' 'meta event kind=user id=19 desc=a:y_end{}' 'block 0'
		awk -v depth="$1" 'BEGIN {
			for (i = 1; i <= 2 * depth; i++) {
				if (i % 100 == 0)
					print "block 0"
				printf "rec %u %u 100\n", 1000 + 10 * i, i <= depth ? 16 : 17
			}
			printf "block 0\nrec %u 18 100\nrec %u 19 100\n", 1020 + 20 * depth, 1025 + 20 * depth
		}'
	} | "$PROGS/mktrace" t
}

@test "slices: a function that calls itself has the times of each call, in tables, exports and pages" {
	local depth
	for depth in 1 64 65 70 1000; do
		recursion $depth
		[ "$(sql 'SELECT count(*), max(depth), min(duration), max(duration), count(end_fields) FROM slices')" = \
			"$((depth + 1))|$((depth - 1))|5|$((20 * depth - 10))|$((depth + 1))" ]
		"$COMPARE" "$KTRACE" t
		run_ktrace export --to chrome -o out.json t
		[ -z "$stderr" ]
		[ "$(grep -c '"ph":"B"' out.json)" = $((depth + 1)) ]
		[ "$(grep -c '"ph":"E"' out.json)" = $((depth + 1)) ]
		run_ktrace html -o t.html t
		[ "$status" = 0 ]
		if [ $depth -le 64 ]; then
			fails grep -q 'spans have no row' t.html
		else
			grep -q "\"$((depth - 64)) spans have no row: more than 64 others of their thread were open\"" t.html
		fi
	done
}

@test "slices: what is deeper than 4096 others is counted, and changes no other" {
	local format
	recursion 5000
	[ "$(sql 'SELECT count(*), max(depth), min(duration), max(duration) FROM slices' t 2>err)" = "4097|4095|5|99990" ]
	[ "$(<err)" = "ktrace: 904 slices are left out: more than 4096 others of their thread were open" ]
	for format in chrome perfetto; do
		run_ktrace export --to $format -o out t
		[ "$status" = 0 ]
		[ "$stderr" = "ktrace: 904 slices are left out: more than 4096 others of their thread were open" ]
	done
}

@test "sql: locks, holds and holders are those of ktrace contention" {
	local program
	for program in contended signals; do
		run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_$program"
		"$COMPARE" "$KTRACE" t
	done
	[ "$(sql "SELECT count(*) > 0 FROM lock_waits" t)" = 1 ]
	run_ktraced --pthread --policy block -o t -- "$EXAMPLES/cache"
	"$COMPARE" "$KTRACE" t
	[ "$(sql 'SELECT count(*) > 0, sum(total_ns) > 0 FROM lock_holders' t)" = "1|1" ]
	[ "$(sql 'SELECT count(*) FROM lock_holds WHERE tid <> holder_tid OR end_time IS NULL')" = 0 ]
	"$COMPARE" "$KTRACE" "$ROOT/tests/data/golden/pthread-v1.bin"
}

@test "sql: locks have the names that the program gave them" {
	run_ktraced --pthread --policy block -o t -- "$PROGS/names"
	[ "$(sql "SELECT DISTINCT name FROM lock_holds WHERE name IS NOT NULL ORDER BY 1")" = $'another\nqueue lock\nthe child\'s' ]
	[ "$(sql "SELECT count(*) > 0 FROM lock_holds WHERE name IS NULL")" = 1 ]
	"$COMPARE" "$KTRACE" t
}

@test "sql: what lasts at the end of a file is open" {
	"$PROGS/machine" 20000 t
	head -c 500000 t >part
	"$COMPARE" "$KTRACE" "$ROOT/tests/data/golden/kernel-v1.bin"
	[ "$(sql 'SELECT count(*) FROM slices WHERE end_time IS NULL' part 2>err)" -gt 0 ]
	[ "$(sql 'SELECT count(*) FROM slices WHERE duration < 0' part 2>err)" = 0 ]
}

@test "sql: the run queue is as long as there are threads in states" {
	"$PROGS/machine" 3000 t
	[ "$(sql "CREATE TEMP TABLE s AS SELECT * FROM states WHERE status = 'wait-cpu'; SELECT count(*) FROM run_queue q WHERE
		length <> (SELECT count(*) FROM s WHERE s.time <= q.time AND s.end_time > q.time)" t)" = 0 ]
	[ "$(sql 'SELECT max(length) > 0, min(length) FROM run_queue')" = "1|0" ]
}

@test "sql: imported traces of LTTng, perf, Perfetto and trace-cmd" {
	tar -xJf "$SAMPLES/lttng-ust.tar.xz"
	import lttng-ust
	"$COMPARE" "$KTRACE" t
	mkdir kernel
	tar -C kernel -xJf "$SAMPLES/lttng-kernel.tar.xz"
	import kernel/*
	"$COMPARE" "$KTRACE" t
	[ "$(sql 'SELECT count(*) > 0 FROM syscalls')" = 1 ]
	local sample
	for sample in perf.txt sdk.perfetto-trace ftrace.dat; do
		xzcat "$SAMPLES/$sample.xz" >"$sample"
		import "$sample"
		"$COMPARE" "$KTRACE" t
		[ "$(sql 'SELECT count(*) > 0 FROM slices')" = 1 ]
	done
}

@test "sql: samples of an imported profile" {
	cat >text <<-'END'
		     x  9 [003]  1.000008: PERF_RECORD_LOST lost 12
		     x  9 [003]  1.000009:     250000 cpu-clock:  7fbe f+0x10 (/bin/x)
		     x  9 [003]  1.000010:     250001 cycles:u:
			    7fbed0cb63e0 inner+0x270 (/bin/x)
			    7fbed0cb562a outer+0xa (/bin/x)

		     x  9 [003]  1.000012: sched:sched_wakeup_new: comm=7 pid=11 prio=120 target_cpu=002
	END
	import text
	[ "$(sql 'SELECT tid, comm, cpu, name, period FROM samples')" = $'9|x|3|perf:cpu-clock|250000\n9|x|3|perf:cycles_u|250001' ]
	[ "$(sql "SELECT s.name, f.frame, f.function FROM samples s JOIN stacks f ON f.time = s.time AND f.trace = s.trace AND
		f.stream = s.stream ORDER BY s.time, f.frame")" = $'perf:cpu-clock|0|f\nperf:cycles_u|0|inner\nperf:cycles_u|1|outer' ]
}

@test "sql: slices of three hosts have the errors of their times" {
	mkdir hosts
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --sched --app \
		--host 1,wall=0.3,drift=50 --host 2,wall=-0.7,drift=-80 hosts
	[ "$(sql 'SELECT host, count(*) > 0, count(error_ns) = count(*), min(error_ns) > 0 FROM slices GROUP BY host ORDER BY host' \
		hosts/h[012])" = $'client|1|1|0\nserver1|1|1|1\nserver2|1|1|1' ]
}

@test "sql: slices and locks of a file that grows" {
	"$PROGS/machine" 20000 whole
	head -c 300000 whole >t
	mkfifo in
	"$KTRACE" sql t <in >out 2>err &
	STARTED+=($!)
	exec 7>in
	printf '.mode list\n.headers off\nSELECT count(*) FROM slices;\n' >&7
	retry 0.05 test -s out
	tail -c +300001 whole >>t
	printf 'SELECT count(*) FROM slices;\nSELECT count(*) FROM lock_waits;\n.quit\n' >&7
	exec 7>&-
	wait "${STARTED[-1]}" || true
	[ "$(head -1 out)" -lt "$(sed -n 2p out)" ]
	[ "$(sed -n 2p out)" = "$(sql 'SELECT count(*) FROM slices' whole)" ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Benchmarks run and print samples. How fast anything is is not tested: see
# Documentation/performance.md.

bats_require_minimum_version 1.5.0
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

bench()
{
	( cd "$ROOT" && env BUILD="$BUILD" bench/run --quick --no-install "$@" )
}

# plant NAME LINES: a tree with one benchmark, which prints LINES
plant()
{
	mkdir -p tree/bench
	cp "$ROOT"/bench/{run,report.py,document.py,aims.tsv,figures.tsv} tree/bench
	# shellcheck disable=SC2016 # expanded when it runs
	printf '#!/bin/sh\nprintf '"'%s'"'\n[ -z "$FAIL" ]\n' "$2" >"tree/bench/$1"
	chmod +x "tree/bench/$1"
}

planted()
{
	BUILD=$PWD/tree/build tree/bench/run --quick --no-install "$@"
}

@test "the writer's benchmark prints samples" {
	run bench writer
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ writer\.[^\ ]+\ +clock\+store\ +ns\  ]]
}

@test "the daemon's benchmarks print samples" {
	run bench drain scale
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ drain\.cpu\.null\.1writer\ +ktrace\ +ns/byte\  ]]
	[[ $output =~ scale\.writer\.threads@8\ +ktrace\ +ns\  ]]
	[[ $output =~ scale\.daemon\.streams@512\ +ktrace\ +ns/event\  ]]
}

@test "the benchmark of --pthread prints samples" {
	run bench pthread
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ pthread\.pair\ +untraced\ +ns\  ]]
	[[ $output =~ pthread\.pair\ +ktrace\ +ns\  ]]
	[[ $output =~ pthread\.barrier\.2-one\ +ktrace\ +ns\  ]]
}

@test "all ways to read come by the same events, and a plain scan does walk them" {
	"$BUILD/bench/generate" -n 20000 -s 4 -b 8 -k t
	run --separate-stderr "$BUILD/bench/merge" t 1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(awk '$2 == 20000' <<<"$output" | wc -l)" -eq 6 ]
	# No processor takes ten records in a ns.
	awk '$1 == "scan" && $3 > 20000 * 0.1e-9 { found = 1 } END { exit !found }' <<<"$output"
	# One byte of a record's stamp differs: only who looks at checksums knows.
	python3 - t <<-'END'
		import sys
		with open(sys.argv[1], "r+b") as f:
		    data = bytearray(f.read())
		    data[len(data) // 2] ^= 1
		    f.seek(0)
		    f.write(data)
	END
	run "$BUILD/bench/merge" t 1 scan merge
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"merge: merge has "*" events whose stamps sum to "*", scan "* ]]
}

@test "what benchmarks start is built for them" {
	local program planned
	planned=$(make -n -C "$ROOT" BUILD=nowhere bench-programs)
	for program in $(grep -rhoE '"(bin|progs|bench)/[a-z_]+"' "$ROOT"/bench --include=*.py --include=drain \
			--include=scale --include=reader | tr -d '"' | sort -u); do
		[[ $planned == *"nowhere/$program"* ]] || { echo "$program"; return 1; }
	done
	[[ $planned == *nowhere/progs/pace* ]]
}

@test "the readers' benchmarks print samples" {
	run bench reader size
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ reader\.merge\.random\.64\ +ktrace\ +M/s\  ]]
	[[ $output =~ reader\.text\ +ktrace\ +M/s\  ]]
	[[ $output =~ reader\.first@1\ +ktrace\ +ms\  ]]
	[[ $output =~ size\.event\ +ktrace\ +bytes\  ]]
}

@test "the benchmark of SQL prints samples, and both ways find the same" {
	run bench sql
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ sql\.window@100000\ +rows\ +ms\  ]]
	[[ $output =~ sql\.scan@100000\ +ktrace\ +ns/event\  ]]
	[[ $output =~ sql\.first@100000\ +"export, sqlite3"\ +s\  ]]
}

@test "the service's benchmark prints samples" {
	run bench service
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ service\.commit@4088\ +ktrace\ +MB/s\  ]]
	[[ $output =~ service\.commit@4088\ +memcpy\ +MB/s\  ]]
	[[ $output =~ service\.read@292\ +ktrace\ +MB/s\  ]]
}

@test "the page's benchmark prints samples" {
	run bench html
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ html\.open\ +ktrace\ +ms\  ]]
	[[ $output =~ html\.frames@10000\ +ktrace\ +/s\  ]]
}

@test "what needs a VM says so, the rest is measured" {
	run bench --no-vm effect kernel scale_vm writer_vm
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ effect\.work\.1000\ +ktrace\ +ns\  ]]
	[[ $output =~ effect\.cpu\.100\ +no\ event\ +ns\  ]]
	[[ $output =~ "effect: programs was skipped: no VM is wanted" ]]
	[[ $output =~ "kernel: ktrace was skipped: no VM is wanted" ]]
	[[ $output =~ "scale_vm: ktrace was skipped: no VM is wanted" ]]
	[[ $output =~ "writer_vm: ktrace-dev was skipped: no VM is wanted" ]]
}

@test "samples become a table and are kept" {
	plant good 'f.a\tours\tns\t3\nf.a\ttheirs\tns\t6\nf.a\tours\tns\t5\n'
	printf 'f.a\tours\t<=\t0.6\ttheirs\there\nf.a\ttheirs\t>=\t7\t-\there\n' >tree/bench/aims.tsv
	run planted
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ f\.a\ +ours\ +ns\ +2\ +3\ +4\ +5\ +0\.667\ +\<=\ 0\.6\ x\ theirs\ +NO ]]
	[[ $output =~ f\.a\ +theirs\ +ns\ +1\ +6\ +6\ +6\ +\>=\ 7\ +NO ]]
	grep -q '"values":\[3.0,5.0\]' tree/build/bench/quick/results/*.json
}

@test "an aim may be about one point or the growth of a curve" {
	plant curve 'c\tours\tns\t2\t1\nc\tours\tns\t4\t2\nc\tours\tns\t8\t4\n'
	printf 'c\tours\t<=\t1.01\tslope\there\nc@2\tours\t<=\t4\t-\there\n' >tree/bench/aims.tsv
	run planted
	echo "$output"
	[[ $output =~ c@4\ .*\ 1\.000\ +\<=\ 1\.01\ as\ exponent\ +yes ]]
	[[ $output =~ c@2\ .*\ \<=\ 4\ +yes ]]
	[[ $output =~ "2 aims reached, 0 missed" ]]
}

@test "what can be compared is drawn" {
	type -P gnuplot || skip "no gnuplot"
	plant draw 'c-1.x\tours\tns\t2\t1\nc-1.x\tours\tns\t4\t2\nc-1.x\tours\tns\t8\t4\n'
	plant bars 'b+1\tours\tns\t2\nb+1\ttheirs, new\tns\t4\nb+1\tnone\tns\t1\n'
	run planted
	echo "$output"
	[ "$status" -eq 0 ]
	grep -q '</svg>' tree/build/bench/quick/plots/c-1.x.svg
	grep -q 'theirs, new' tree/build/bench/quick/plots/b+1.svg
}

@test "the latest results become a chapter of the page, and a table of the README" {
	plant readme 'writer.payload\tktrace\tns\t15.12\t16\nwriter.payload\tlttng-ust\tns\t125.4\t16
effect.getppid\tno module\ts\t1e-06\neffect.getppid\tktrace\ts\t1.7e-06\n'
	plant page 'f.a\tours\tns\t3\nf.a\ttheirs\tns\t6\nc\tours\tms\t1\t1\nc\tours\tms\t8\t4\nf.s\tours\ts\t1.2e-06\nf.s\ttheirs\ts\t7e-07\n'
	printf 'f.a\tours\t<=\t0.6\ttheirs\there\nc\tours\t<=\t1\tslope\there\n' >tree/bench/aims.tsv
	printf 'other\tours\t<=\t1\t-\there\n' >>tree/bench/aims.tsv
	printf 'f\\.(.)\tan event, \\1\nc\ta file\tevents\n' >tree/bench/figures.tsv
	mkdir tree/Documentation
	printf 'before\n<!-- results: begin -->\nold\n<!-- results: end -->\nbehind\n' \
		>tree/Documentation/performance.md
	printf 'before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbehind\n' >tree/README.md
	planted
	run planted --document
	echo "$output"
	[ "$status" -eq 0 ]
	cat tree/Documentation/performance.md
	grep -qF '| an event, a (ours) | 3 ns | theirs: 6 ns | 0.500 | ≤ 0.6 × theirs | yes |' \
		tree/Documentation/performance.md
	grep -qF '| a file, against events (ours) | 1 ms at 1 to 8 ms at 4 |  | x^1.50 | at most x^1 | **no** |' \
		tree/Documentation/performance.md
	grep -qF '| other (ours) |  |  |  | ≤ 1 | not measured |' tree/Documentation/performance.md
	grep -qF '| an event, a | ns | 3 | 6 |' tree/Documentation/performance.md
	grep -qF '| an event, s | us | 1.2 | 0.7 |' tree/Documentation/performance.md
	[ "$(sed -n '1p;$p' tree/Documentation/performance.md)" = "$(printf 'before\nbehind')" ]
	fails grep -q old tree/Documentation/performance.md
	cat tree/README.md
	grep -qF '| an event of a program, 16 bytes | 15.1 ns | 125 ns |  |  |' tree/README.md
	grep -qF '| a recorded system call (untraced: 1) | 1.7 × |  |  |  |' tree/README.md
	[ "$(sed -n '1p;$p' tree/README.md)" = "$(printf 'before\nbehind')" ]
	fails grep -q old tree/README.md
}

@test "a peer that is not there is named" {
	plant lonely 'f\tours\tns\t3\n# skip theirs: not installed\n'
	run planted
	[ "$status" -eq 0 ]
	[[ $output =~ "lonely: theirs was skipped: not installed" ]]
}

@test "what is no sample fails the run" {
	local line
	for line in 'hello\n' 'f\tours\tns\n' 'f\tours\tns\tfast\n' 'f f\tours\tns\t1\n' \
		'f\tours\tns\t1\t2\t3\n' ''; do
		plant bad "$line"
		run planted
		echo "$line: $output"
		[ "$status" -eq 1 ]
	done
}

@test "a benchmark that fails fails the run" {
	plant failing 'f\tours\tns\t3\n'
	FAIL=1 run planted
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output =~ "failing failed: status 1" ]]
}

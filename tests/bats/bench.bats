#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Benchmarks run and print samples. How fast anything is is not tested: see
# Documentation/performance.md.

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
	cp "$ROOT"/bench/run "$ROOT"/bench/report.py "$ROOT"/bench/aims.tsv tree/bench
	# shellcheck disable=SC2016 # expanded when it runs
	printf '#!/bin/sh\nprintf '"'%s'"'\n[ -z "$FAIL" ]\n' "$2" >"tree/bench/$1"
	chmod +x "tree/bench/$1"
}

planted()
{
	BUILD=$PWD/tree/build tree/bench/run --quick --no-install
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

@test "the readers' benchmarks print samples" {
	run bench reader size
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ reader\.merge\.random\.64\ +ktrace\ +M/s\  ]]
	[[ $output =~ reader\.text\ +ktrace\ +M/s\  ]]
	[[ $output =~ reader\.first@10\ +ktrace\ +ms\  ]]
	[[ $output =~ size\.event\ +ktrace\ +bytes\  ]]
}

@test "samples become a table and are kept" {
	plant good 'f.a\tours\tns\t3\nf.a\ttheirs\tns\t6\nf.a\tours\tns\t5\n'
	printf 'f.a\tours\t<=\t0.6\ttheirs\there\nf.a\ttheirs\t>=\t7\t-\there\n' >tree/bench/aims.tsv
	run planted
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output =~ f\.a\ +ours\ +ns\ +2\ +3\ +4\ +5\ +0\.667\ +\<=\ 0\.6\ x\ theirs\ +NO ]]
	[[ $output =~ f\.a\ +theirs\ +ns\ +1\ +6\ +6\ +6\ +\>=\ 7\ +NO ]]
	grep -q '"values":\[3.0,5.0\]' tree/build/bench/results/*.json
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
	grep -q '</svg>' tree/build/bench/plots/c-1.x.svg
	grep -q 'theirs, new' tree/build/bench/plots/b+1.svg
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

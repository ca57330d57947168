#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# Documentation/sql-questions.md: the queries have the answers of the page

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	QUESTIONS=$ROOT/tests/checkers/sql/questions
	PAGE=$ROOT/Documentation/sql-questions.md
	PATH=${KTRACE%/*}:$PATH
}

teardown()
{
	teardown_test
}

# files: those of the page
files()
{
	local golden=$ROOT/tests/data/golden samples=$ROOT/tests/data/import
	cp "$golden/user-dev-v1.bin" hello.bin
	cp "$golden/kernel-v1.bin" calls.bin
	cp "$golden/context-v1.bin" stacks.bin
	cp "$golden/small-v1.bin" small.bin
	"$ROOT/tests/checkers/pthread/trace" "$PROGS/mktrace" locks.bin <"$ROOT/tests/data/sql/locks.script"
	xzcat "$samples/perf.txt.xz" >perf.txt
	ktrace import -o perf.bin perf.txt
	tar -xJf "$samples/lttng-ust.tar.xz"
	ktrace import -o lttng.bin lttng-ust
	xzcat "$samples/sdk.perfetto-trace.xz" >sdk.perfetto-trace
	ktrace import -o perfetto.bin sdk.perfetto-trace
	"$PROGS/mkhosts" --hosts 3 --seconds 1 --rate 50 --sched --app --host 1,wall=0.3,drift=50 .
}

@test "questions: the answers are those of the page" {
	files
	[ "$("$QUESTIONS" "$PAGE")" = 25 ]
}

@test "questions: each runs on a file that is being written, too" {
	files
	head -c 24000 hello.bin >part
	mv part hello.bin
	# The answers differ; all commands succeed.
	cp "$PAGE" page.md
	"$QUESTIONS" page.md --update 2>err
	fails grep -q '^tells, status [^0]' err
	grep -q '^tells, status 0:' err
}

@test "questions: what a thread waited for is what ktrace critical-path says" {
	files
	sed -n '/^\$ ktrace sql --param tid=195/,/^END/p' "$PAGE" | sed '1d;$d' >query.sql
	# An exit is a run there, and times without any state are unknown.
	ktrace sql --json --param tid=195 -f query.sql hello.bin |
		jq -r '[.tid, (if .status == "exit" then "run" else .status end), .ns] | @tsv' |
		awk '{ ns[$1 " " $2] += $3 } END { for (k in ns) print k, ns[k] }' | sort >one
	ktrace critical-path --json --pid 195 hello.bin |
		jq -r '.shares[] | select(.what != "unknown") | [.tid, (.what | split(" ")[0]), .ns] | @tsv' |
		awk '{ ns[$1 " " $2] += $3 } END { for (k in ns) print k, ns[k] }' | sort >two
	[ -s one ]
	diff one two
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# odd_names.bats - names of any bytes, of files, threads, events, fields: none reaches a terminal
# runs: host
load helpers

setup()
{
	setup_test
	ODD=$'o\e[31mdd\n\x9bt'
	"$PROGS/mktrace" "$ODD" <"$ROOT/tests/checkers/export/names.script"
	: >said
}

teardown()
{
	teardown_test
}

# tell ARG...: the viewer; what it says goes to said
tell()
{
	local status=0
	"$KTRACE" "$@" >out 2>err || status=$?
	show_status "$status" "$*"
	[ "$status" -le 2 ]
	printf '== %q\n' "$*" | cat - out err >>said
}

# show_status STATUS COMMAND: for who looks at a failure
show_status()
{
	printf 'ktrace %q: status %s\n' "$2" "$1"
}

# nothing_obeyed: there is no control character, nor what is no UTF-8, in what was said
nothing_obeyed()
{
	python3 - <<-'END'
		import sys
		command = ""
		for line in open("said", "rb").read().split(b"\n"):
		    if line.startswith(b"== "):
		        command = line
		    try:
		        bad = [c for c in line.decode() if ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0]
		    except UnicodeDecodeError as error:
		        bad = str(error)
		    if bad:
		        sys.exit("%r: %r in %r" % (command, bad, line))
	END
}

@test "no command obeys names of any bytes, nor shows them as they are" {
	local command
	for command in list info events hist check stat state flow resources sched syscalls irq io \
		ipoints 'critical-path --pid 100' stacks pthread objects contention lock-order; do
		# shellcheck disable=SC2086 # command and options
		tell $command "$ODD"
		# shellcheck disable=SC2086
		tell $command --json "$ODD"
	done
	tell grep 'item == 7' "$ODD"
	tell diff "$ODD" "$ODD"
	tell seq "$ODD"
	tell list --stacks --time wall "$ODD"
	tell stat --types "$ODD"
	tell merge -o "merged$ODD" "$ODD"
	tell cut -o "cut$ODD" "$ODD"
	tell html -o "html$ODD" "$ODD"
	nothing_obeyed
}

@test "nor does one that refuses what it is told" {
	local format
	for format in perf perfetto ctf trace-dat shark; do
		tell import --from "$format" -o imported "$ODD"
	done
	tell list "no$ODD"
	tell list --alias "$ODD" "$ODD"
	tell list -e "$ODD:*" "$ODD"
	tell list --filter "$ODD" "$ODD"
	tell list --since "$ODD" "$ODD"
	tell list -p "$ODD" "$ODD"
	tell level "$ODD"
	tell "$ODD"
	tell "no$ODD"
	nothing_obeyed
}

# both ARG...: the viewer says the same of names with newlines as of such with another character
both()
{
	local name
	for name in newline other; do
		(cd "$name" && "$KTRACE" "$@" t 2>&1) | sed 's/\\x01\|\\u0001/\\n/g' >"$name.said" || true
	done
	diff -a newline.said other.said || { echo "ktrace $*: a name makes lines"; return 1; }
	[ -s other.said ]
}

@test "a newline in a name is shown as any other control character: it makes no row" {
	local command
	mkdir newline other
	"$PROGS/mktrace" newline/t <"$ROOT/tests/checkers/export/names.script"
	sed 's/%0a/%01/g; /^rec/s/0a/01/g' "$ROOT/tests/checkers/export/names.script" |
		"$PROGS/mktrace" other/t
	fails cmp -s newline/t other/t
	for command in list info events hist check state flow resources sched syscalls irq io stat \
		ipoints 'critical-path --pid 100' stacks pthread objects contention lock-order seq \
		'list --stacks' 'list --json' 'stat --types' 'grep item==7' 'syscalls --threads' \
		'sched --histograms' 'flow --list' 'pthread --raw' 'live --all -n 9' \
		'live --all --top -n 1 --by process,thread,type' \
		'export --to folded' 'export --to folded --by events' 'export --to paje'; do
		# shellcheck disable=SC2086 # command and options
		both $command
	done
	both diff "$ROOT/tests/data/golden/kernel-v1.bin"
}

@test "exports and pages have such names as their formats write them" {
	local format
	for format in chrome csv folded perfetto ctf sqlite; do
		tell export --to "$format" -o "to$format" "$ODD"
	done
	nothing_obeyed
	jq -e '[.traceEvents[] | select(.name == "demo:work")] | length == 1' tochrome
	# A file has what there is; a terminal is told what it does not obey.
	[ "$(grep -ac $'\e' tocsv)" -ge 1 ]
	KTRACE_PAGER=cat TERM=xterm script -qec "'$KTRACE' export --to csv $(printf %q "$ODD")" /dev/null \
		</dev/null | tr -d '\r' >said
	[ "$(wc -l <said)" -ge 13 ]
	nothing_obeyed
	cp tofolded said
	nothing_obeyed
	python3 -c 'import sqlite3
rows = sqlite3.connect("tosqlite").execute("pragma integrity_check").fetchall()
assert rows == [("ok",)], rows'
}

@test "names in UTF-8 are names in tables, too" {
	local command
	cat >text <<-'END'
		# tracer: nop
		 été-8 [001] d..2 1.000001: sched_switch: prev_comm=été prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=äöü next_pid=9 next_prio=120
		 äöü-9 [001] d..2 1.000003: sched_switch: prev_comm=äöü prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=été next_pid=8 next_prio=120
	END
	"$KTRACE" import -o t text
	for command in list state stat sched flow; do
		run_ktrace $command t
		[ "$status" -eq 0 ]
		[[ $output == *été* && $output == *äöü* ]]
	done
}

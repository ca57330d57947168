#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# What -o of exports and pictures leaves behind when it is ended early, or the disk is full: what had
# the name before, and never a part of a file

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	ulimit -c 0
}

teardown()
{
	teardown_test
}

# is_begun: a file with a name for now is there, and has something in it
is_begun()
{
	[ -n "$(find . -name 'out.*' -size +0)" ]
}

# ended_by SIGNAL COMMAND...: which writes to out, and is ended in the middle of it
ended_by()
{
	local signal=$1
	shift
	echo kept >out
	start export "$KTRACE" "$@" t
	retry 0.01 is_begun
	kill -"$signal" "$pid"
	wait "$pid" || status=$?
	[ "$status" = $((128 + $(kill -l "$signal"))) ]
	[ "$(cat out)" = kept ]
	if [ "$signal" != KILL ]; then
		[ -z "$(find . -name 'out.*')" ]
	fi
	rm -f out.*
}

@test "exports that a signal ends leave no part of a file" {
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 2 -n 300000
	for signal in INT TERM KILL; do
		ended_by "$signal" export --to csv -o out
		ended_by "$signal" export --to sqlite -o out
	done
}

@test "exports and pictures for which there is no room leave no part of a file" {
	local call
	run_ktraced --policy block -o t -- "$PROGS/user_flood" -t 2 -n 3000
	"$KTRACE" export --to perfetto -o pf t
	"$KTRACE" export --to ctf -o ctf t
	printf 'a  1 [000] %d.0: a:b: c=1\n' {1..1000} >perf
	for call in "export --to csv -o out" "export --to csv --columns -o out" \
		"export --to sqlite -o out" "hist -b 2000 --svg out" "export --to chrome -o out" \
		"export --to perfetto -o out" "cut -o out" "merge -o out" "cut --compress -o out" \
		"export --to ctf -o out" "import --from perfetto -o out pf" "import --from ctf -o out ctf" \
		"import --from perf -o out perf"; do
		[[ $call == import* ]] || call+=' t'
		# shellcheck disable=SC2086 # words
		(trap '' XFSZ && ulimit -f 8 && run_ktrace $call && [ "$status" = 1 ] &&
			[[ $stderr == *"ktrace: out: "* ]])
		[ ! -e out ]
		[ -z "$(find . -name 'out.*')" ]
	done
}

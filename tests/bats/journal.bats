#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# journal.bats - messages have priorities if standard error is systemd's journal

# shellcheck disable=SC2154 # run_ktraced sets status and stderr

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

@test "messages have priorities if standard error is the journal, and only then" {
	run_ktraced -o t -- true
	[[ $stderr == "ktraced: no program attached"* ]]
	: >journal
	export JOURNAL_STREAM
	JOURNAL_STREAM=$(stat -c %d:%i journal)
	"$KTRACED" "--backend=$KTRACE_BACKEND" -o t -- true 2>>journal
	grep -q '^<5>ktraced: no program attached' journal
	fails grep -qv '^<[35]>ktraced: ' journal
	: >journal
	fails "$KTRACED" --keep x -- true 2>>journal
	[[ $(head -n 1 journal) == "<3>ktraced: --keep"* ]]
	: >journal
	fails "$KTRACE" info none 2>>journal
	[[ $(<journal) == "<4>ktrace: none: "* ]]
	: >journal
	fails "$KTRACE" ship --to nats://127.0.0.1:1 --wait 10ms t 2>>journal
	grep -q '^<6>ktrace ship: 0 files stored' journal
	# It is another file, or the variable is none.
	for stream in "$JOURNAL_STREAM"0 "$JOURNAL_STREAM " 1: x ''; do
		JOURNAL_STREAM=$stream "$KTRACED" "--backend=$KTRACE_BACKEND" -o t -- true 2>other
		grep -q '^ktraced: ' other
	done
}

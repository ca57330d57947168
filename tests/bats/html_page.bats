#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# html_page.bats - the page of ktrace html and ktrace serve, in headless Chromium
# runs: host
load helpers

HTML=$BATS_TEST_DIRNAME/../html

setup_file()
{
	# Not in the folder of a test: the made-up trace is made once.
	PLAYWRIGHT=$("$HTML/setup")
	export PLAYWRIGHT
	"$HTML/make_page.py" "$BATS_FILE_TMPDIR/made-up.html" "$BATS_FILE_TMPDIR/made-up.json"
}

setup()
{
	setup_test
	MADE_UP=("$BATS_FILE_TMPDIR/made-up.html" "$BATS_FILE_TMPDIR/made-up.json")
}

teardown() { teardown_test; }

@test "the page shows what a second writer has written" {
	run node "$HTML/data.mjs" "${MADE_UP[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 7 ]
}

@test "mouse, wheel, keys, boxes and buttons of the page do what the help says" {
	run node "$HTML/page.mjs" "${MADE_UP[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 15 ]
}

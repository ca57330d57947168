#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# The programs behind "make check": limits of its steps, and the report at its end

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# long NUMBER: a time to sleep that no other process of this machine sleeps
long()
{
	echo "$((100000 + BASHPID)).$1"
}

# runs SECONDS: true if a process sleeps so long
runs()
{
	pgrep -f "^sleep ${1/./\\.}\$" >/dev/null
}

# log STEP: standard input is what the step printed
log()
{
	cat >"$1.tap"
}

@test "limit: a step that hangs ends with all that it started, daemons, too" {
	local seconds times=("$(long 1)" "$(long 2)" "$(long 3)")
	run "$ROOT/tests/limit" 1 record hangs bash -c 'setsid -f sleep "$1"; (trap "" TERM; setsid sleep "$2") & sleep "$3"' \
		bash "${times[@]}"
	[ "$status" = 124 ]
	[[ $(<record) == hangs$'\t'*$'\tkilled\t'* ]]
	for seconds in "${times[@]}"; do
		grep "sleep $seconds" record
		[ "$(runs "$seconds" || echo ended)" = ended ]
	done
}

@test "limit: a step that ends leaves nothing running, and its status counts" {
	local seconds
	seconds=$(long 4)
	run "$ROOT/tests/limit" 60 record ends bash -c 'setsid -f sleep "$0"; exit 7' "$seconds"
	[ "$status" = 7 ]
	[[ $(<record) == ends$'\t'*$'\tstatus 7\t'*"sleep $seconds" ]]
	[ "$(runs "$seconds" || echo ended)" = ended ]
}

@test "limit: what is ignored outside is not ignored inside, and nothing can be read" {
	(
		trap '' INT QUIT HUP TERM CHLD PIPE
		"$ROOT/tests/limit" 60 record status grep -E '^Sig(Ign|Blk)' /proc/self/status >found
		yes | "$ROOT/tests/limit" 60 record reads cat >read
	)
	# Not 32 and 33, the C library's own: who starts a program by posix_spawn(), as make does, has them ignored.
	local name mask found_all=
	while read -r name mask; do
		[ "$((0x$mask & ~0x180000000))" = 0 ]
		found_all+="$name "
	done <found
	[ "$found_all" = "SigBlk: SigIgn: " ]
	[ ! -s read ]
}

@test "limit: an orphan that ends is gone at once" {
	run "$ROOT/tests/limit" 60 record orphan sh -c \
		'(sleep 0.1 & echo $! >number); sleep 1; [ ! -e "/proc/$(cat number)" ]'
	[ "$status" = 0 ]
}

@test "limit: a signal ends the step and all that it started" {
	local seconds
	seconds=$(long 5)
	"$ROOT/tests/limit" 60 record told bash -c 'setsid -f sleep "$0"; touch begun; sleep "$0"' "$seconds" &
	retry 0.1 test -e begun
	kill -TERM "$!"
	status=0
	wait "$!" || status=$?
	[ "$status" = 143 ]
	grep -P '^told\t.*\tsignal 15' record
	[ "$(runs "$seconds" || echo ended)" = ended ]
}

@test "report: results are counted, and what failed, was skipped or failed once is told" {
	log one <<-END
		1..5
		ok 1 quick in 12ms
		ok 2 slow, in two parts in 3456ms
		not ok 3 wrong in 5ms
		# (in test file x.bats, line 3)
		#   'false' failed
		ok 4 not here # skip no such device in 1ms
		# unsteady: shaky
		ok 5 shaky in 7ms
	END
	log two <<-END
		ok - all of it
	END
	printf 'builds\t30\t55\tended\none\t100\t42\tended\tsleep 5\ntwo\t7\t1\tended\n' >steps.tsv
	run "$ROOT/tests/report" . one two
	[ "$status" = 1 ]
	grep -E '^one +100 +42 +5  3 s slow, in two parts; 0 s ' <<<"$output"
	grep -E '^builds +30 +55 ' <<<"$output"
	grep -A2 '^FAILED: not ok 3 wrong' <<<"$output" | grep "'false' failed"
	grep '^SKIPPED: .*no such device' <<<"$output"
	grep '^FAILED ONCE: shaky' <<<"$output"
	grep '^LEFT BEHIND by one: sleep 5' <<<"$output"
	[ "${lines[-1]}" = "4 passed, 1 failed, 1 skipped" ]
}

@test "report: a step without a result, or that was killed, has failed" {
	log good <<<"ok - it"
	log hung <<<"ok - a part of it"
	printf 'hung\t3600\t1\tkilled\tsleep 9\n' >steps.tsv
	run "$ROOT/tests/report" . good hung silent
	[ "$status" = 1 ]
	grep '^FAILED: hung was killed after 3600 s' <<<"$output"
	grep '^FAILED: silent gave no result' <<<"$output"
	[ "${lines[-1]}" = "2 passed, 2 failed, 0 skipped" ]
	printf 'good\t5\t1\tstatus 3\n' >steps.tsv
	run "$ROOT/tests/report" . good
	[ "$status" = 1 ]
	grep '^FAILED: good ended with status 3' <<<"$output"
	rm steps.tsv
	run "$ROOT/tests/report" . good
	[ "$status" = 0 ]
}

# tree: a git tree in which two quick steps take the places of all others
tree()
{
	mkdir -p tree/tests/vm tree/scripts
	cp "$ROOT"/tests/{run,limit,report} tree/tests/
	cd tree || return
	printf '#!/bin/sh\n' | tee scripts/deps >tests/vm/vm
	chmod +x scripts/deps tests/vm/vm
	printf '%%: ;\n' >Makefile
	printf 'build\ncache\nran\n' >.gitignore
	# shellcheck disable=SC2016 # expanded by tests/run
	sed -i '/^# expand STEP/i \
STEPS=(model style) LONG_STEPS=() \
step_model() { echo "ok - part $KTRACE_PART"; echo "$STEP" >>ran; } \
step_style() { echo "not ok - always"; echo "$STEP" >>ran; }' tests/run
	git init -q .
	commit
}

commit()
{
	git add -A
	git -c user.name=test -c user.email=test@example.org commit -qm change
}

@test "make long: steps have parts, and what a part gave is kept for the tree" {
	unset KTRACE_LONG BUILD
	export KTRACE_CACHE=$PWD/cache
	tree
	run tests/run long
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "3 passed, 1 failed, 0 skipped" ]
	[ "$(sort ran | tr '\n' ' ')" = "model@1of3 model@2of3 model@3of3 style " ]

	# The same tree: the same results, nothing runs. Another tree, or one with changes: all of it
	run tests/run long
	[ "${lines[-1]}" = "3 passed, 1 failed, 0 skipped" ]
	grep 'model@2of3: results of an earlier run' <<<"$output"
	[ "$(wc -l <ran)" = 4 ]
	echo "# changed" >>Makefile
	tests/run long || true
	[ "$(wc -l <ran)" = 8 ]
	commit
	tests/run long || true
	[ "$(wc -l <ran)" = 12 ]
	tests/run long || true
	[ "$(wc -l <ran)" = 12 ]

	# Results of a part that did not end are not kept.
	sed -i 's/^step_style() { .*/step_style() { echo "ok - begun"; echo "$STEP" >>ran; kill -TERM $PPID; sleep 60; }/' tests/run
	commit
	tests/run long || true
	[ "$(wc -l <ran)" = 16 ]
	run tests/run long
	[ "$(wc -l <ran)" = 17 ]
	grep '^FAILED: style ended with signal 15' <<<"$output"
}

@test "run_bats: what it prints is what bats prints" {
	sed 's/^%/@/' >some.bats <<-'END'
		# bats file_tags=all
		setup_file() { export MADE=$BATS_FILE_TMPDIR/made; echo once >>"$MADE"; }
		teardown_file() { echo ended >>"$LOG"; }
		setup() { cd "$BATS_TEST_TMPDIR"; }
		teardown() { [ ! -e bad ] || return 1; echo "$BATS_TEST_DESCRIPTION, $BATS_TEST_COMPLETED" >>"$LOG"; }
		inner()
		{
		        false
		        true
		}
		%test "passes" { [ "$(cat "$MADE")" = once ]; [ -z "$(ls)" ]; }
		%test "fails in a {function} \"quoted\"" {
		        echo said
		        inner
		}
		%test 'a pipe, a negation, a condition' {
		        false | true
		        ! true
		        if inner; then true; fi
		        inner || true
		}
		# bats test_tags=long,other
		%test "left out" { false; }
		%test "skipped" { skip "no device"; false; }
		%test "run" {
		        run sh -c 'echo a; echo b >&2; exit 3'
		        [ "$status" = 3 ]
		        [ "${lines[1]}" = b ]
		        [ "$output" = c ]
		}
		%test "ends by itself" { exit 0; }
		%test "a teardown that fails" { touch bad; }
	END
	touch ours theirs
	export BATS_TEST_RETRIES=0
	unset BATS_TEST_TIMEOUT
	LOG=$PWD/theirs env -u MADE "$BATS_ROOT/bin/bats" --tap --filter-tags '!long' some.bats >bats.tap || true
	LOG=$PWD/ours "$ROOT/tests/run_bats" -x long some.bats >ours.tap || true
	diff theirs ours
	sed -Ei 's/ in [0-9]+ms//; s|bats/||' ours.tap
	diff <(grep -E '^(ok|not ok|1\.\.)' bats.tap) <(grep -E '^(ok|not ok|1\.\.)' ours.tap)
	# Since bats 1.11, tags are told.
	sed -i '/^# tags: /d' bats.tap
	grep -A5 '^not ok 2' bats.tap | tee where
	diff where <(grep -A5 '^not ok 2' ours.tap)
}

@test "run_bats: what takes too long is ended, what fails once is told, a file that fails has no results" {
	sed 's/^%/@/' >slow.bats <<-'END'
		BATS_TEST_TIMEOUT=1
		%test "hangs" { sleep 1000 | sleep 1000; }
		%test "hangs without a process" { while :; do :; done; }
		%test "fails once" {
		        mkdir "$BATS_FILE_TMPDIR/been" || return 0
		        false
		}
	END
	printf 'setup_file() { echo gone; false; }\n@test "one" { :; }\n@test "two" { :; }\n' >broken.bats
	unset KTRACE_LONG
	BATS_TEST_RETRIES=1 timeout 60 "$ROOT/tests/run_bats" slow.bats broken.bats >tap || true
	cat tap
	grep '^1\.\.5$' tap
	grep '^not ok 1 hangs in' tap
	grep '^not ok 2 hangs without a process in' tap
	grep '^# unsteady: fails once' tap
	grep '^ok 3 fails once in' tap
	grep -A1 '^not ok 4 one' tap | grep '^# gone'
	grep '^not ok 5 two' tap
	fails pgrep -f 'sleep 1000$' -s 0
}

@test "tags leave no test out of make check but those that are long" {
	local file
	cd "$ROOT/tests/bats"
	eval "$(grep '^KASAN_ONLY=' ../run)"
	for file in $(grep -l '^# runs: kasan$' ./*.bats) ${KASAN_ONLY// /.bats }.bats; do
		fails grep -HE '^# bats .*_tags=(.*,)?plain' "$file"
	done
	fails grep -HE '^# bats .*_tags=.*(dev.*(alike|shm)|(alike|shm).*dev)' ./*.bats
	grep -lE '^# runs: (guest|kasan)$' ./*.bats | while read -r file; do
		fails grep -HE '^# bats .*_tags=(.*,)?(alike|shm)' "$file"
	done
	grep -l '^# runs: host$' ./*.bats | while read -r file; do
		fails grep -HE '^# bats .*_tags=(.*,)?dev' "$file"
	done
}

@test "a repository that only root can reach is seen where all can" {
	local seen
	[ "$(id -u)" = 0 ] || skip "the caller is not root"
	unshare --mount true || skip "no mount namespaces"
	mkdir -p hidden/ktrace/tests
	chmod 0700 hidden
	cp "$ROOT/tests/reachable" hidden/ktrace/tests/
	fails setpriv --reuid=65534 --regid=65534 --clear-groups cat hidden/ktrace/tests/reachable
	run hidden/ktrace/tests/reachable bash -c 'pwd; setpriv --reuid=65534 --regid=65534 --clear-groups cat tests/reachable; exit 7'
	[ "$status" = 7 ]
	seen=${lines[0]}
	[[ $seen == /var/cache/ktrace-check-* ]]
	cmp <(tail -n +2 <<<"$output") "$ROOT/tests/reachable"
	# Only the command sees it.
	[ -z "$(ls "$seen")" ]
	rmdir "$seen"
	[ "$("$ROOT/tests/reachable" pwd)" = "$(realpath "$ROOT")" ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Programs of other kinds than the daemon: of 32 bits, and of musl, which registers no rseq; both
# with shared libraries and without. Each has a libktrace that was built as it was.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

KINDS=(musl)
! "$BUILD/m32/every-static" >/dev/null 2>&1 || KINDS+=(m32)

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# account ARG...: user_flood of every kind with these; each event is read once, in order, with the
# bytes it was written with, or counted as lost
account()
{
	local kind name
	for kind in "${KINDS[@]}"; do
		for name in user_flood user_flood-static; do
			capture "$PROGS/user_ledger" "${ledger[@]}" -- "$BUILD/$kind/$name" "$@"
			show "$kind/$name" "$@"
			[ "$status" = 0 ] || return 1
			grep -q '^ledger ok' <<<"$output" || return 1
			[ "$(sed -n 's/^ledger .*read=\([0-9]*\).*/\1/p' <<<"$output")" -gt 0 ] || return 1
		done
	done
}

# What can be tried is done before, but not in silence.
requires_both()
{
	[ "${#KINDS[@]}" = 2 ] || skip "this kernel runs no programs of 32 bits"
}

@test "kinds: every kind of field is read as programs of 64 bits have it" {
	local kind name
	# Addresses differ.
	run_ktraced -q -e every,trace -o t -- "$BUILD/musl/every"
	"$KTRACE" list --json t | jq -c '[.event, .fields]' | sed -E 's/"0x[0-9a-f]{6,}"/ADDRESS/g' >expected
	[ "$(wc -l <expected)" = 10 ]
	grep -c ADDRESS expected
	for kind in "${KINDS[@]}"; do
		for name in every every-static; do
			run_ktraced -q -e every,trace -o t -- "$BUILD/$kind/$name"
			[ "$status" = 0 ]
			grep -q '^calls 4' <<<"$output"
			"$KTRACE" list --json t | jq -c '[.event, .fields]' |
				sed -E 's/"0x[0-9a-f]{6,}"/ADDRESS/g' | diff expected -
			run_ktrace check t
			[ "$status" = 0 ]
		done
	done
	requires_both
}

@test "kinds: threads, processes, signals, payloads of many bytes" {
	ledger=(-p block)
	account -t 4 -n "$(n 2000)"
	account -t 2 -n "$(n 500)" -s 0:5000 -S
	account -t 2 -n "$(n 500)" -f 6
	requires_both
}

@test "kinds: a buffer that is full, in each policy" {
	local policy
	for policy in drop overwrite stop; do
		ledger=(-p "$policy" -r 65536 -b 4096)
		account -t 3 -n "$(n 10000)"
	done
	requires_both
}

@test "kinds: events of a program that is not run" {
	requires_both
	local kind
	for kind in "${KINDS[@]}"; do
		"$KTRACE" events "$BUILD/$kind/every" >"$kind"
	done
	[ "$(wc -l <m32)" = 5 ]
	cmp m32 musl
}

@test "kinds: what runs one after the other has times one after the other, whatever its kind" {
	requires_both
	local kind
	run_ktraced -q -e every,trace -o t -- sh -c "$(printf '%s; ' "$BUILD"/{m32,musl,m32,musl}/every)"
	[ "$status" = 0 ]
	"$KTRACE" list --json t | jq .pid | uniq | wc -l >runs
	[ "$(cat runs)" = 4 ]
	run_ktrace list --until 60 t		# seconds
	[ "$(wc -l <<<"$output")" = 40 ]
}

@test "kinds: --pthread is for the GNU C library: a program of musl runs without, which is said" {
	run_ktraced --pthread -e every,trace -o t -- "$BUILD/musl/every"
	[ "$status" = 0 ]
	[[ $stderr == *"--pthread: $BUILD/musl/every is for the C library musl: its threads and locks "* ]]
	[ "$("$KTRACE" list -c t)" = 10 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktraced --pthread as a tool: full buffers, the death of ktraced, the run to compare with

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# policy_of FILE: what its rings do when they are full
policy_of()
{
	"$KTRACE" info "$1" | sed -n 's/^  rings .*, //p'
}

# done_at: how many steps the steady program that reports to ktraced.out has made in all
done_at()
{
	awk '/^done / { print $2 }' ktraced.out
}

@test "--pthread blocks when a buffer is full, unless a policy is given" {
	run_ktraced --pthread -o t -- "$PROGS/pthread_steady" 1
	[ "$status" = 4 ]
	[ "$(policy_of t)" = block ]
	run_ktraced --pthread --policy drop -o t -- "$PROGS/pthread_steady" 1
	[ "$(policy_of t)" = drop ]
	run_ktraced -o t -- "$PROGS/pthread_steady" 1
	[ "$(policy_of t)" = "" ] || [ "$(policy_of t)" = drop ]
}

@test "a stopped ktraced stops the program, none is lost when it goes on" {
	start_ktraced --pthread -b 64K -o t -- "$PROGS/pthread_steady" 0
	retry 0.02 has ktraced.out '^at [1-9]'
	kill -STOP "$pid"
	retry 0.05 stands_still
	stood=$(last_at)
	kill -CONT "$pid"
	retry 0.05 moves_on "$((stood + 10000))"
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	[ "$status" = 4 ]
	[ "$(summary lost)" = 0 ]
	# Five events a step; sem_init; the thread's end
	[ "$(summary events)" -ge $((5 * $(done_at))) ]
	[ "$(summary events)" -le $((5 * $(done_at) + 8)) ]
	valid_trace t
}

# bats test_tags=shm
@test "a ktraced that is killed lets the program go on, and --recover says what was lost" {
	start_ktraced --pthread -b 64K -o t -- "$PROGS/pthread_steady" 0
	retry 0.02 has ktraced.out '^at [1-9]'
	command=$(child_of "$pid")
	session=$(session_of "$pid")
	kill -STOP "$pid"
	retry 0.05 stands_still
	stood=$(last_at)
	kill -KILL "$pid"
	wait "$pid" || true
	retry 0.05 moves_on "$((stood + 100000))"
	kill -TERM "$command"
	retry 0.05 has ktraced.out '^done '
	retry 0.05 is_gone "$command"
	capture "$KTRACED" --recover "$session"
	show ktraced --recover "$session"
	[ "$status" = 0 ]
	lost=$(sed -n 's/.* events recovered, \([0-9]*\) lost in all.*/\1/p' <<<"$stderr")
	[ "$lost" -gt 0 ]
	# Each event once, or counted as lost: 5 a step, and a few
	"$KTRACE" info t >info
	total=$(($(awk '/^events/ { print $2 }' info) + lost))
	[ "$total" -ge $((5 * $(done_at))) ]
	[ "$total" -le $((5 * $(done_at) + 8)) ]
	valid_trace t
}

@test "--baseline: nothing is recorded, the command's status is passed on" {
	unset LD_PRELOAD ASAN_OPTIONS
	# In the session of another ktraced, too
	run_ktraced -o outer -- "$KTRACED" --pthread -b 64K --baseline -o t -- \
		sh -c 'env; echo "args $*"; exit 5' sh a 'b c'
	[ "$status" = 5 ]
	[ ! -e t ]
	grep '^args a b c$' <<<"$output"
	fails grep -E '^(LD_PRELOAD|KTRACE_SESSION|ASAN_OPTIONS)=' <<<"$output"
	grep -E '^ktraced: the command took [0-9]+\.[0-9]{3} s, [0-9]+\.[0-9]{3} s user, [0-9]+\.[0-9]{3} s system$' <<<"$stderr"
	fails grep -q ' events, ' <(grep -v outer <<<"$stderr")
	# Without a file; quiet
	run_ktraced --baseline -q true
	[ "$status" = 0 ]
	[ "$stderr" = "" ]
}

@test "--baseline: signals, commands that are not there" {
	run_ktraced --baseline sh -c 'kill -KILL $$'
	[ "$status" = 137 ]
	run_ktraced --baseline ./nothing
	[ "$status" = 127 ]
	run_ktraced --baseline /
	[ "$status" = 126 ]
	run_ktraced --baseline -o t
	[ "$status" = 125 ]
	grep 'needs a COMMAND' <<<"$stderr"
	start_ktraced --baseline -- "$PROGS/pthread_steady" 0
	retry 0.02 has ktraced.out '^at [1-9]'
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" = 4 ]
	has ktraced.out '^done '
}

@test "with --pthread the command's time is said, as --baseline does" {
	run_ktraced --pthread -o t -- "$PROGS/pthread_steady" 1
	grep -E '^ktraced: the command took [0-9]+\.[0-9]{3} s, ' <<<"$stderr"
	run_ktraced -o t -- "$PROGS/pthread_steady" 1
	fails grep 'the command took' <<<"$stderr"
}

@test "the command's status is ktraced's, whatever is recorded and how" {
	printf '#!/nowhere\n' >script
	while read -r options; do
		for case in "exit 0:0" "exit 7:7" "kill -TERM \$\$:143"; do
			# shellcheck disable=SC2086 # several options
			run_ktraced $options -o t -- sh -c "${case%:*}"
			[ "$status" = "${case##*:}" ]
		done
		# shellcheck disable=SC2086
		run_ktraced $options -o t -- ./script
		[ "$status" = 126 ]
		# shellcheck disable=SC2086
		run_ktraced $options -o t -- ./nothing
		[ "$status" = 127 ]
	done <<-END
		--pthread
		--pthread -l none -q
		--pthread -l LEVEL_IO -b 64K --policy drop
		--pthread -l mutex,cond -e demo --compress
		--pthread --baseline -l all
	END
}

@test "each tool and each command says what it does, and its version" {
	for tool in "$KTRACED" "$KTRACE"; do
		for option in --help --version; do
			capture "$tool" "$option"
			[ "$status" = 0 ]
			[ -n "$output" ]
			[ "$stderr" = "" ]
		done
	done
	"$KTRACE" help | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p' >commands
	grep '^level$' commands
	"$KTRACED" --help >texts
	while read -r command; do
		[ "$command" != help ] || continue
		for option in --help --version; do
			run_ktrace "$command" "$option"
			[ "$status" = 0 ]
			[ -n "$output" ]
			[ "$stderr" = "" ]
		done
		"$KTRACE" "$command" --help >>texts
	done <commands
	# Defaults are marked in one way: (default: VALUE), or a value (default)
	grep -q '(default: 4M)$' texts
	fails grep -E '^  .*( \[[^]A-Z-][^]A-Z]*\]| \([0-9][^)]*\))$' texts
	sed 's/(default[:)]//' texts >others
	fails grep -w default others
	awk 'length > 80 { print; long = 1 } END { exit long }' texts
}

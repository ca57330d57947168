#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# pid_namespace.bats - ktraced in a PID namespace: no name of it goes to a thread of the kernel's events
# runs: guest
load helpers

setup()
{
	setup_test
	[ "$KTRACE_BACKEND" = dev ] || skip "the module gives kernel events"
}

teardown()
{
	[ -z "${BUSY:-}" ] || kill "${BUSY[@]}"
	teardown_test
}

# inside ARG...: ktraced in a namespace of 25 processes, called zebra, that sleep; $output, $stderr
inside()
{
	cp "$(type -P sleep)" zebra
	# shellcheck disable=SC2016 # for the shell within
	capture unshare -pf --mount-proc bash -c 'for i in {1..25}; do ./zebra 1000 & done; "$@"' \
		inside "$KTRACED" --backend=dev "$@"
	show ktraced "$@"
}

# named FILE: each name of a thread that lives in the first namespace is the one it has there
named()
{
	local tid comm there nr=0
	"$KTRACE" list --json "$1" | jq -r 'select(.tid) | "\(.tid) \(.comm)"' | sort -u >names
	while read -r tid comm; do
		[ -e "/proc/$tid/comm" ] || continue
		# Of a kworker /proc tells what it does, too.
		read -r there <"/proc/$tid/comm"
		nr=$((nr + 1))
		[ "$comm" = null ] || [[ $there == "$comm"* ]] || {
			echo "thread $tid is $there, not $comm"
			return 1
		}
	done <names
	[ "$nr" -ge 3 ]
}

# busy: programs of the first namespace from which the CPUs go to what is recorded
busy()
{
	local _
	for _ in {1..4}; do
		sh -c 'while :; do :; done' &
		BUSY+=("$!")
	done
}

@test "--all: threads of the kernel have their own names or none, not those of the namespace" {
	inside --all -e sched:switch,irq,softirq,timer,workqueue -o t -- sleep 0.1
	[ "$status" -eq 0 ]
	[[ $stderr == *"ktraced runs in a PID namespace: threads of kernel events have names only "* ]]
	named t
	inside --all -e irq,softirq,timer,workqueue -o u -- sleep 0.1
	[ "$status" -eq 0 ]
	named u
	fails grep -q zebra names
}

# bats test_tags=long
@test "a command and -p: the ids are the namespace's, the names in the file are not" {
	inside -e sched,syscall -p 2,3,4 --duration 300ms -o t
	[ "$status" -eq 0 ]
	busy
	inside -e sched,syscall -o t -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done; exec true'
	[ "$status" -eq 0 ]
	named t
	"$KTRACE" list -e sched:exec t | grep 'filename=".*/true"'
}

@test "user stacks: no code of another process" {
	inside --all -e sched:switch --context ustack -o t -- sleep 0.1
	[ "$status" -eq 0 ]
	[[ $stderr == *"functions of programs stay unnamed: ktraced runs in a PID namespace"* ]]
	fails grep -a '^map ' t
	"$KTRACE" list --stacks t >stacks
	fails grep -F zebra+ stacks
}

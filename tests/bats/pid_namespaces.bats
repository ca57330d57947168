#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# pid_namespaces.bats - programs in other PID namespaces than ktraced: told apart from all others
# runs: host guest
load helpers

setup()
{
	setup_test
	unshare -pf --mount-proc true 2>/dev/null || skip "PID namespaces cannot be made here"
	RUN="$PROGS/pthread_contended"
	[ -x "$RUN" ]
}

teardown() { teardown_test; }

# processes: how many processes have events about mutexes
processes()
{
	"$KTRACE" list --json -e 'pthread:mutex_*' t | jq -r .pid | sort -u | wc -l
}

# content: the file is whole, and what is told can have been
content()
{
	"$KTRACE" check t
	"$KTRACE" objects --all t >objects
	fails grep -E '^impossible' objects
}

@test "the same numbers in two namespaces at once: two processes" {
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- sh -c \
		'unshare -pf --mount-proc "$1" & unshare -pf --mount-proc "$1" & "$1"; wait' sh "$RUN"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	content
	[ "$(processes)" = 3 ]
	# What each owner of a mutex is called is a thread of the same process
	"$KTRACE" list --json -e pthread:mutex_lock_in t | jq -r '"\(.pid) \(.fields.owner) \(.tid)"' >owners
	"$KTRACE" list --json t | jq -r '"\(.pid) \(.tid)"' | sort -u >threads
	awk 'NR == FNR { known[$0]; next } $2 && !(($1 " " $2) in known) { print; bad = 1 } END { exit bad }' \
		threads owners
	# Which they are
	[ "$("$KTRACE" info t | grep -cE ' ids +[0-9]+ to [0-9]+: processes and threads 0 to 255 of pid namespace [0-9]+$')" = 2 ]
}

@test "one namespace: a process that executes a program stays what it was, and children are its own" {
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- unshare -pf --mount-proc sh -c '"$1"; "$1"; exec "$1"' sh "$RUN"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	content
	[ "$(processes)" = 3 ]
	[ "$("$KTRACE" info t | grep -c ' ids ')" = 1 ]
}

# bats test_tags=long
@test "without /proc, a namespace in a namespace" {
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- unshare -pfm sh -c 'mount -t tmpfs none /proc
		unshare -pf "$1" 2 2000 & "$1" 2 2000; wait' sh "$PROGS/pthread_locks"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	content
	[ "$(processes)" = 2 ]
}

@test "in the namespace of ktraced ids are the kernel's, and nothing is said of others" {
	run_ktraced --pthread -o t -- "$RUN"
	[ "$status" = 0 ]
	fails grep -a '^ids ' t
	[ "$("$KTRACE" list --json t | jq -s 'map(.tid) | max')" -lt 4194304 ]
}

@test "threads have rings of their own" {
	# shellcheck disable=SC2016 # for the shell within
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced --pthread -o t -- sh -c \
		'unshare -pf --mount-proc "$1" & unshare -pf --mount-proc "$1" & wait' sh "$RUN"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	content
	[ "$(processes)" = 2 ]
}

# left WHERE...: each of nine processes takes four of six rings, whose threads cannot give them back
left()
{
	# shellcheck disable=SC2016 # for the shell within
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced --pthread --thread-rings 6 -o t -- \
		"$@" sh -c 'for i in 1 2 3 4 5 6 7 8 9; do "$1"; done' sh "$PROGS/pthread_unjoined"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	"$KTRACE" check t
	[ "$("$KTRACE" list --json -e pthread:thread_start t | wc -l)" = 27 ]
}

@test "threads that end with their process leave their rings to others" {
	left env
	left unshare -pf --mount-proc
}

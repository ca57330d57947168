#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktraced --level: which events are recorded. What a level means is said here once more.

# shellcheck disable=SC2154 # capture sets status, output, stderr

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# events FILE: names of pthread's events, each once
events()
{
	"$KTRACE" list --json "$1" | grep -o '"event":"pthread:[a-z_0-9]*' | sed 's/.*pthread://' | sort -u
}

# stems: of names, without what tells one event from two
stems()
{
	sed -E 's/_(in|out)$//' | sort -u
}

# meaning LEVEL: its events, as an extended regular expression
meaning()
{
	case $1 in
	all) echo '' ;;
	none) echo '^$' ;;
	thread) echo '^(thread|thrd)_' ;;
	barrier | sem | rwlock | spin) echo "^$1_" ;;
	mutex) echo '^(mutex|mtx)_' ;;
	cond) echo '^(cond|cnd)_' ;;
	once) echo '^(once|call_once)(_in|_out)?$' ;;
	key) echo '^(key|tss)_' ;;
	esac
}

# chosen LEVEL NAMES: those of them that a level means
chosen()
{
	case $1 in
	io) grep -vE '^thread_(start|end)$' "$2" || true ;;
	*-io) grep -E "$(meaning "${1%-io}")" "$2" | grep -vE '^thread_(start|end)$' || true ;;
	*) grep -E "$(meaning "$1")" "$2" || true ;;
	esac
}

# levels: the names that the program knows, out of its message
levels()
{
	local name
	run_ktraced --pthread --level nonsense -o t -- true >/dev/null
	for name in $(sed -E "s/.*; levels are //; s/, each.*//; s/,? and / /; s/,/ /g" <<<"$stderr"); do
		echo "$name"
		[[ $name =~ ^(all|none|io)$ ]] || echo "$name-io"
	done
}

@test "each level has its events, all of them and no others" {
	run_ktraced --pthread -o all -- "$PROGS/pthread_calls"
	events all >names
	[ "$(wc -l <names)" -gt 120 ]
	levels >known
	[ "$(wc -l <known)" = 21 ]
	while read -r level; do
		run_ktraced --pthread --level "$level" -o t -- "$PROGS/pthread_calls" >log
		[ "$status" = 3 ]
		events t >got
		chosen "$level" got | diff - got
		diff <(chosen "$level" names | stems) <(stems <got)
		[ "$level" = none ] || [ -s got ]
	done <known
}

@test "a list is the union; names as the POSIX Threads Trace Toolkit has them" {
	run_ktraced --pthread -l mutex,sem-io,none -o t -- "$PROGS/pthread_calls"
	events t >union
	run_ktraced --pthread -l LEVEL_SEM_IO,Level_Mutex_All -o t -- "$PROGS/pthread_calls"
	diff <(events t | stems) <(stems <union)
	grep -q '^sem_wait' union
	grep -q '^mutex_lock' union
	fails grep -vE '^(mutex|mtx|sem)_' union
	run_ktraced --pthread -l LEVEL_NONE,LEVEL_IO -o t -- "$PROGS/pthread_calls"
	events t | grep '^thread_create_in$'
	fails grep -q thread_start <(events t)
	# Everything at once is everything once.
	run_ktraced --pthread -l "$(levels | paste -sd ,)" -o t -- "$PROGS/pthread_calls"
	events t | grep '^thread_start$'
}

@test "events of other providers are recorded as ever, with -e those it names" {
	cat >both <<-END
		"$PROGS/pthread_calls" >/dev/null
		exec "$PROGS/flood" -n 10
	END
	run_ktraced --pthread --level none -o t -- sh both
	[ "$status" = 0 ]
	"$KTRACE" info t >info
	grep -E '^ +10 flood:item$' info
	fails grep 'pthread:' info
	run_ktraced --pthread --level barrier -e 'demo,pthread:once*' -o t -- sh both
	"$KTRACE" info t >info
	fails grep flood info
	events t >got
	grep '^barrier_wait_in$' got
	grep '^once_in$' got
	fails grep -vE '^(barrier|once)' got
}

@test "what is no level is named, with those that are" {
	for list in mutx mutex,mutx mutx,mutex LEVEL_MUTX_ALL, level_ , mutex,, '' -all; do
		run_ktraced --pthread "--level=$list" -o t -- true
		[ "$status" = 125 ]
		grep -E "^ktraced: --level: unknown level '.*'; levels are none, all, io, and thread, .* each also with -io\$" <<<"$stderr"
	done
	run_ktraced --pthread --level=mutex,mutx,x -o t -- true
	grep "'mutx'" <<<"$stderr"
	run_ktraced --level mutex -o t -- true
	[ "$status" = 125 ]
	grep 'level needs --pthread' <<<"$stderr"
}

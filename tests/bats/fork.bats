#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# A process goes on being traced, and nothing that it has recorded is lost, whatever
# becomes of it: fork, exec, daemon, plug-ins, SIGKILL.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# account ARG...: with per-CPU rings and with thread rings; nothing may be lost
account()
{
	local tunables
	for tunables in "" glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables capture "$PROGS/user_ledger" -l -p block "$@"
		show user_ledger "$@" "(GLIBC_TUNABLES=$tunables)"
		[ "$status" = 0 ] || return 1
		grep -q '^ledger ok' <<<"$output" || return 1
		if grep '^lost' <<<"$output"; then return 1; fi
	done
}

life()
{
	account "$PROGS/user_life" "$@"
}

# plugin NAME CFLAG: $NAME.so
plugin()
{
	gcc -shared -fPIC "$2" "-DPLUGIN=$1" -I"$ROOT/userspace/lib" \
		"$ROOT/tests/progs/user/plugin.c" -L"$BUILD/lib" -lktrace -o "$1.so"
}

@test "before main, in threads of constructors, in atexit and in destructors" {
	life constructor
	grep '^event flood:life 5' <<<"$output"
}

@test "children of fork, with threads" {
	account "$PROGS/user_flood" -t 4 -n 1000 -f 12
	[ "$(grep -c '^process' <<<"$output")" = 13 ]
}

@test "every image of a chain of execs attaches by itself" {
	life exec
	[ "$(grep -c '^process .*comm=[a-z_]* exe=.*/user_life build=[0-9a-f]' <<<"$output")" = 6 ]
}

@test "all descriptors closed, then exec" {
	life closeall
}

@test "a daemon" {
	life daemon
}

@test "events in the child of vfork" {
	life vfork
}

@test "posix_spawn in one thread, events in another" {
	life spawn
}

@test "SIGKILL and a crash lose nothing" {
	life kill
	grep 'signal 9' <<<"$output"
	life crash
	grep 'signal 11' <<<"$output"
}

# bats test_tags=alike
@test "plug-ins loaded and unloaded again and again" {
	plugin one -O2
	plugin two -O0
	life plugin ./one.so ./two.so
	[ "$(grep -c '^event flood:one' <<<"$output")" = 1 ]
	account "$PROGS/user_life" plugin ./two.so ./one.so
}

# bats test_tags=alike
@test "a plug-in that brings the library with it" {
	plugin one -O2
	gcc "$ROOT/tests/progs/user/host.c" -o host -ldl -pthread
	LD_LIBRARY_PATH=$BUILD/lib account ./host ./one.so
}

@test "many processes that register the same events get the same ids" {
	local i
	for ((i = 0; i < 30; i++)); do
		echo "$PROGS/user_life text &"
	done >all.sh
	echo wait >>all.sh
	account bash all.sh
	grep '^event life:text 90' <<<"$output"
	[ "$(grep -c '^event life:text' <<<"$output")" = 1 ]
}

@test "a session that is not there, or not one, disturbs nobody" {
	local session
	head -c 65536 /dev/urandom >random
	head -c 65536 /dev/zero >zero
	ln -s random link
	for session in shm: shm:/nowhere shm:/dev/null "shm:$PWD" "shm:$PWD/random" "shm:$PWD/zero" \
		"shm:$PWD/link" dev: dev:zz dev:1 other:1 nonsense ""; do
		KTRACE_SESSION=$session capture "$PROGS/user_life" text
		show "KTRACE_SESSION=$session"
		[ "$status" = 0 ] && [ -z "$output$stderr" ]
	done
	KTRACE_DEBUG=1 KTRACE_SESSION=shm:/nowhere capture "$PROGS/user_life" text
	grep 'libktrace: .*No such file' <<<"$stderr"
}

@test "preloaded into a program that knows nothing of it" {
	LD_PRELOAD=$BUILD/lib/libktrace.so capture "$PROGS/user_ledger" -l /bin/sh -c '/bin/true; echo hi'
	show preload
	[ "$status" = 0 ]
	grep '^hi$' <<<"$output"
	grep '^process .*comm=true' <<<"$output"
}

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
	gcc -shared -fPIC "$2" "-DPLUGIN=$1" -I"$ROOT/userspace/include" \
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

# shared: a program that is not linked with libktrace, and its library that is
shared()
{
	gcc -shared -fPIC -O1 -I"$ROOT/userspace/include" "$ROOT/tests/progs/user/shared_lib.c" \
		-L"$BUILD/lib" -lktrace -o libshared.so
	gcc -O1 "$ROOT/tests/progs/user/shared.c" -L. -lshared -Wl,-rpath,. \
		-Wl,-rpath-link,"$BUILD/lib" -pthread -o shared
	export LD_LIBRARY_PATH=$BUILD/lib
}

# own_ids MODE [EVENTS]: each share:who is told of the thread that it names
own_ids()
{
	"$KTRACED" -q --backend="$KTRACE_BACKEND" --policy block -o t.bin -- ./shared "$@"
	"$KTRACE" check t.bin
	"$KTRACE" list --json -e share:who t.bin >t.json
	grep -c . t.json
	jq -s -e 'all(.[]; .tid == .fields.thread)' t.json
}

# bats test_tags=alike
@test "vfork and clone with CLONE_VM of a program that only a library of records" {
	shared
	account ./shared vfork
	account ./shared clone 5000
	own_ids vfork
	[ "$(jq .tid t.json | sort -u | wc -l)" = 202 ]
	own_ids clone 5000
	[ "$(jq .tid t.json | sort -u | wc -l)" = 2 ]
}

# The kernel tells both before the child runs.
told_by_kernel()
{
	run_ktraced --policy block -o t.bin -- ./shared unseen 1000
	[[ $stderr != *'noticed late'* ]]
	"$KTRACE" list -e flood:life --json t.bin | jq -s -e '[.[].tid] | unique | length == 2'
	account ./shared unseen-clone 2000
	own_ids unseen-clone 2000
	[ "$(jq .tid t.json | sort -u | wc -l)" = 2 ]
}

noticed_late()
{
	run_ktraced --policy block -o t.bin -- ./shared unseen 100000
	[[ $stderr == *": 1 time a child that shares its parent's memory was noticed late"* ]]
	"$KTRACE" list -e flood:life --json t.bin | jq -s -e '[.[].tid] | unique | length == 2'
	run_ktraced --json --fail-on-loss --policy block -o t.bin -- ./shared unseen 100000
	[ "$status" = 125 ]
	grep '^{' <<<"$stderr" | jq -e '.noticed_late == 1 and .lost == 0'
	run_ktraced --policy block -o t.bin -- ./shared vfork
	[[ $stderr != *'noticed late'* ]]
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced --policy block -o t.bin -- \
		./shared unseen 100000
	[[ $stderr == *'noticed late'* ]]
}

# bats test_tags=alike
@test "a child in its parent's memory that nobody has announced" {
	shared
	case $KTRACE_BACKEND in
	dev) told_by_kernel ;;
	shm) noticed_late ;;
	esac
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

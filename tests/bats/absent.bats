#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# absent.bats - ktraced --pthread: programs that could not take part are told, with the reason
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# lacks REASON NAMES COMMAND...: it runs as without, and the summary says that and why
lacks()
{
	run_ktraced --pthread -o t -- "${@:3}"
	[ "$status" -eq 0 ]
	[[ $stderr == *" could not take part, $1: "*"$2"* ]]
	[[ $stderr == *"ran for a short time may have been missed"* ]]
}

@test "the environment was cleared, or LD_PRELOAD replaced" {
	lacks "with an empty environment" sleep env -i sleep 0.5
	lacks "without KTRACE_SESSION in the environment" sleep env -i A=B sleep 0.5
	lacks "with an LD_PRELOAD of their own" sleep env LD_PRELOAD= sleep 0.5
	[[ $stderr == *"1 program could not take part"* ]]
}

@test "another user, root folder or /dev/shm" {
	requires_root
	let_others_in
	lacks "as another user" sleep setpriv --reuid=65534 --clear-groups sleep 0.5
	lacks "with another /dev/shm" sleep unshare -m sh -c 'mount -t tmpfs none /dev/shm; exec sleep 0.5'
	mkdir -p root/usr
	ln -s usr/bin usr/lib usr/lib64 root/
	mount --bind /usr root/usr
	lacks "with another root folder" sleep chroot root/ sleep 0.5 || ok=no
	umount -l root/usr
	[ -z "${ok:-}" ]
}

@test "a sandbox whose /dev/shm is read-only, of which nothing was said" {
	unshare -Urm true 2>/dev/null || skip "needs user namespaces"
	# A mount that takes part would have a file open there, for writing.
	lacks "with a read-only /dev/shm" sleep unshare -rm sh -c 'mount --bind /dev/shm /dev/shm
		env -u LD_PRELOAD mount -o remount,bind,ro /dev/shm; exec sleep 0.5'
}

@test "a program that takes a while to begin takes part after all, and is not told" {
	requires_root
	mkdir root
	# shellcheck disable=SC2016 # for the shell within
	LD_PRELOAD=$PROGS/slow_library.so SLOW=pthread_contended run_ktraced --pthread -o t -- unshare -m sh -c '
		for d in /*; do
			[ ! -d "$d" ] || [ -h "$d" ] || { mkdir "root$d" && mount --rbind "$d" "root$d"; }
			[ ! -h "$d" ] || cp -P "$d" root/
		done
		exec chroot root "$1" 1' sh "$(realpath "$PROGS/pthread_contended")"
	[ "$status" -eq 0 ]
	"$KTRACE" objects t | grep '^[0-9]*/[0-9]* pthread_contend'
	[[ $stderr != *"could not take part"* ]]
}

@test "a static program among others; each kind has a line with its number" {
	# shellcheck disable=SC2016
	lacks "that no library can be preloaded into (static, sanitizer, musl)" pthread_static sh -c \
		'env -i sleep 0.5 & env -i sleep 0.5 & "$0" 1 & wait' "$PROGS/pthread_static"
	[[ $stderr == *"2 programs could not take part, with an empty environment: sleep"* ]]
}

@test "too little address space" {
	# shellcheck disable=SC2016
	lacks "with too little address space (ulimit -v)" sleep sh -c 'ulimit -v 20000; exec sleep 0.5'
	run_ktraced --pthread -o t -- sh -c 'ulimit -v 2000000; exec sleep 0.5'
	[[ $stderr != *"could not take part"* ]]
}

@test "nothing is said of programs that take part, or do nothing with threads" {
	run_ktraced --pthread -o t -- sh -c "sleep 0.3; '$PROGS/pthread_shared'"
	[[ $stderr != *"could not take part"* ]]
}

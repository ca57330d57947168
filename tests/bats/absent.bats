#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host guest
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
	# The module tells of each.
	[[ $KTRACE_BACKEND == dev || $stderr == *"ran for a short time may have been missed"* ]]
	[[ $KTRACE_BACKEND == shm || $stderr != *"may have been missed"* ]]
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
	[ "$KTRACE_BACKEND" = dev ] ||
		lacks "as another user" sleep setpriv --reuid=65534 --clear-groups sleep 0.5
	[ "$KTRACE_BACKEND" = dev ] ||
		lacks "with another /dev/shm" sleep unshare -m sh -c 'mount -t tmpfs none /dev/shm; exec sleep 0.5'
	mkdir -p root/usr
	ln -s usr/bin usr/lib usr/lib64 root/
	mount --bind /usr root/usr
	mount -o remount,bind,ro root/usr	# in case that it stays there when this is removed
	lacks "with another root folder" sleep chroot root/ sleep 0.5 || ok=no
	umount -l root/usr
	[ -z "${ok:-}" ]
}

# bats test_tags=shm
@test "a sandbox whose /dev/shm is read-only, of which nothing was said" {
	unshare -Urm true 2>/dev/null || skip "needs user namespaces"
	# A mount that takes part would have a file open there, for writing.
	lacks "with a read-only /dev/shm" sleep unshare -rm sh -c 'mount --bind /dev/shm /dev/shm
		env -u LD_PRELOAD mount -o remount,bind,ro /dev/shm; exec sleep 0.5'
}

# bats test_tags=alike
@test "a command that ends before anybody looks at it" {
	local i
	for i in 1 2 3 4 5; do
		run_ktraced --pthread -o t -- env -i "$PROGS/pthread_contended"
		[[ $stderr == *"1 program could not take part, "*": pthread_contend"* ]]
		run_ktraced --pthread -o t -- env "$PROGS/pthread_contended"
		[[ $stderr != *"could not take part"* ]]
	done
	# It may have another name in the end.
	run_ktraced --pthread -o t -- sh -c 'printf other >/proc/self/comm; sleep 0.3; exit 3'
	[ "$status" -eq 3 ]
	[[ $stderr != *"could not take part"* ]]
}

# bats test_tags=shm
@test "children of a program that became another user take part, however short they run" {
	requires_root
	cat >short.py <<-'EOF'
		import os, time
		os.setgroups([])
		os.setresgid(65534, 65534, 65534)
		os.setresuid(65534, 65534, 65534)
		for i in range(600):
		    if not os.fork():
		        os._exit(0)
		    time.sleep(0.001)
		    if i % 10 == 9:
		        for _ in range(10):
		            os.wait()
	EOF
	run_ktraced --pthread -o t -- python3 short.py
	[ "$status" -eq 0 ]
	[[ $stderr != *"could not take part"* ]]
}

# bats test_tags=alike
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
	lacks "that cannot load the library (static, sanitizer, musl, 32 bits)" pthread_static sh -c \
		'env -i sleep 0.5 & env -i sleep 0.5 & "$0" 1 & wait' "$PROGS/pthread_static"
	[[ $stderr == *"2 programs could not take part, with an empty environment: sleep"* ]]
}

@test "the command itself is static: that is the reason, however short it runs" {
	local i
	run_ktraced --pthread -o t -- "$PROGS/pthread_static" 1
	[[ $stderr == *"could not take part, that cannot load the library (static, "*"): pthread_static"* ]]
	for i in 1 2 3; do
		run_ktraced --pthread -o t -- "$PROGS/pthread_static" 0
		[[ $stderr == *"could not take part, that cannot load the library (static, "*"): pthread_static"* ]]
		[[ $stderr != *"unknown reason"* ]]
	done
}

@test "the dynamic linker as the command is no static program" {
	local linker
	linker=$(readelf -l "$PROGS/pthread_shared" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	run_ktraced --pthread -o t -- "$linker" "$PROGS/pthread_shared"
	[ "$status" -eq 0 ]
	[[ $stderr != *static* && $stderr != *"could not take part"* ]]
	[ "$("$KTRACE" list -e 'pthread:*' t | wc -l)" -gt 0 ]
}

@test "a program with a set-user-ID bit" {
	requires_root
	let_others_in
	cp "$(type -P sleep)" lying
	chown nobody lying
	chmod 4755 lying
	lacks "with a set-user-ID bit or similar" lying ./lying 0.5
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

# has NUMBER REASON NAMES: the summary says that
has()
{
	[[ $stderr == *"$1 program"*" could not take part, $2: $3"$'\n'* ]] &&
		[[ $stderr =~ (^|[^0-9])"$1 program"s?" could not take part, $2: $3" ]]
}

# secure: a program of that name with a set-user-ID bit
secure()
{
	cp /bin/true secure
	chown 65534 secure
	chmod 4755 secure
}

# bats test_tags=dev
@test "programs that run for a moment: the module tells of each, with its reason" {
	secure
	mkdir root
	cp "$BUILD/musl/user_flood-static" root/flood
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- sh -c 'i=0
		while [ $i -lt 6 ]; do
			env -i true
			env -i A=B true
			env LD_PRELOAD= true
			setpriv --reuid=65534 --clear-groups true
			./secure
			chroot root /flood -t 1 -n 1 >/dev/null
			"$0" 1
			/bin/true
			i=$((i + 1))
		done
		ulimit -v 20000; exec true' "$PROGS/pthread_static"
	[ "$status" = 0 ]
	has 6 "with an empty environment" true
	has 6 "without KTRACE_SESSION in the environment" true
	has 6 "with an LD_PRELOAD of their own" true
	has 6 "with a set-user-ID bit or similar" secure
	has 6 "with another root folder" flood
	has 6 "that cannot load the library (static, sanitizer, musl, 32 bits)" pthread_static
	has 1 "with too little address space (ulimit -v)" true
	[[ $stderr != *missed* && $stderr != *"not known"* && $stderr != *user:* ]]
}

# bats test_tags=dev
@test "a user's recording: programs of others; nothing is told of what they have" {
	let_others_in
	cp "$(command -v setpriv)" become
	chmod 4755 become
	chmod 777 .
	capture setpriv --reuid=65534 --regid=65534 --groups="$(stat -c %g /dev/ktrace)" \
		"$KTRACED" --pthread -o t -- sh -c './become --reuid=0 --clear-groups env -i true'
	show ktraced as nobody
	[[ $stderr == *"2 programs could not take part, as another user: env, true"* ]]
	[[ $stderr == *"1 program could not take part, with a set-user-ID bit or similar: become"* ]]
	[[ $stderr != *"empty environment"* ]]
}

# bats test_tags=dev
@test "in another mount namespace, with and without the device" {
	run_ktraced --pthread -o t -- unshare -m "$PROGS/pthread_contended" 1
	[ "$status" = 0 ]
	[[ $stderr != *"could not take part"* ]]
	run_ktraced --pthread -o t -- unshare -m sh -c 'mount -t tmpfs none /dev; exec sleep 1'
	has 1 "without this /dev/ktrace" sleep
	# Programs that do nothing with threads, and run for a moment
	run_ktraced --pthread -o t -- unshare -m sh -c '/bin/true; /bin/true'
	[[ $stderr != *"could not take part"* ]]
	run_ktraced --pthread -o t -- unshare -m sh -c 'mount -t tmpfs none /dev; /bin/true; exec /bin/true'
	# Why is seen if one is looked at in time.
	has 2 "for an unknown reason" true || has 2 "without this /dev/ktrace" true ||
		{ has 1 "for an unknown reason" true && has 1 "without this /dev/ktrace" true; }
}

# bats test_tags=dev,long
@test "orphans, and more programs than there is room for until they are asked for" {
	run_ktraced --pthread -o t -- sh -c 'sh -c "(sleep 0.2; env -i true) &"; sleep 1'
	has 1 "with an empty environment" true
	[[ $stderr != *"not known"* ]]
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- sh -c 'kill -STOP $PPID; i=0
		while [ $i -lt 240 ]; do env -i true; i=$((i + 1)); done; kill -CONT $PPID'
	[[ $stderr =~ ([0-9]+)" programs could not take part, with an empty environment: true" ]]
	local told=${BASH_REMATCH[1]}
	[[ $stderr =~ "it is unknown whether "([0-9]+)" other programs could take part" ]]
	[ "$told" -lt 240 ] && [ $((told + BASH_REMATCH[1])) -gt 240 ]
}

# bats test_tags=dev
@test "a program of 32 bits, without the library for such" {
	"$BUILD/m32/dev_ioctl" unknown || skip "this machine has, or runs, no programs of 32 bits"
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- sh -c '"$0" unknown' "$BUILD/m32/dev_ioctl"
	[ "$status" = 0 ]
	has 1 "that cannot load the library (static, sanitizer, musl, 32 bits)" dev_ioctl
}

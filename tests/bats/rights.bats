#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# rights.bats - who may do what: Documentation/security.md, line by line
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# bats test_tags=dev,plain
@test "who may do what with /dev/ktrace: each cell of the table" {
	sed -n '/^<!-- rights -->$/,/^$/p' "$ROOT/Documentation/security.md" | grep '^|' >documented
	[ "$(wc -l <documented)" -gt 20 ]
	"$PROGS/dev_rights" >tried
	diff documented tried
}

# bats test_tags=dev,plain
@test "what a descriptor is worth to another user, or to one who has lost his rights: each cell" {
	requires_root
	sed -n '/^<!-- passed -->$/,/^$/p' "$ROOT/Documentation/security.md" | grep '^|' >documented
	[ "$(wc -l <documented)" -gt 20 ]
	"$PROGS/dev_passed" >tried
	diff documented tried
}

# bats test_tags=dev
@test "a session whose descriptor is only in a socket that nobody has any more ends" {
	requires_root
	"$PROGS/dev_passed" flight
}

# as_user COMMAND...: as somebody else
as_user()
{
	setpriv --reuid 12345 --regid 12345 --clear-groups "$@"
}

# other_place: a folder that everybody can use
other_place()
{
	PLACE=$(mktemp -d)
	chmod 755 "$PLACE"
}

# static_program FILE: a traced program that needs no library of ours at run time
static_program()
{
	gcc -D_GNU_SOURCE -pthread -I"$ROOT/userspace/include" -I"$ROOT/uapi" \
		"$ROOT/tests/progs/hostile.c" "$BUILD/lib/libktrace.a" -ldl -o "$1"
}

# bats test_tags=shm
@test "another user gets nothing of a session in shared memory" {
	requires_root
	start_ktraced -o t
	retry 0.05 has ktraced.err KTRACE_SESSION
	session=$(sed -n 's/.*KTRACE_SESSION=shm://p' ktraced.err)
	[ "$(stat -c %a "$session")" = 600 ]
	[ "$(stat -c %a "$(dirname "$session")")" = 700 ]
	fails as_user cat "$session"
	fails as_user ls "$(dirname "$session")"
	fails as_user rm -rf "$(dirname "$session")"
	fails as_user mv "$(dirname "$session")" /dev/shm/elsewhere
	[ -e "$session" ]
	other_place
	static_program "$PLACE/hostile"
	[ "$(KTRACE_SESSION=shm:$session as_user "$PLACE/hostile" names; echo "$?")" = "played
0" ]
	rm -rf "$PLACE"
	kill -INT "$pid"
	wait_for "$pid"
	[ "$(summary events)" = 0 ]
}

# bats test_tags=shm
@test "a umask that takes the owner's rights away: it is recorded all the same" {
	local mask
	requires_root
	other_place
	chmod 777 "$PLACE"
	for mask in 777 700 277; do
		capture as_user bash -c 'umask "$1" && shift && exec "$@"' mask "$mask" \
			"$KTRACED" --backend=shm -o "$PLACE/$mask" -- "$PROGS/hostile" names
		show "umask $mask"
		[ "$status" -eq 0 ]
		[ "$(summary events)" = 2 ]
	done
	rm -rf "$PLACE"
	[ -z "$(find /dev/shm -maxdepth 1 -name 'ktrace-12345-*')" ]
}

# bats test_tags=shm
@test "a set-user-ID program ignores KTRACE_SESSION, and so does one with capabilities" {
	requires_root
	other_place
	chmod 777 "$PLACE"
	static_program "$PLACE/hostile"
	for kind in plain setuid caps; do
		chown 0:0 "$PLACE/hostile"
		case $kind in
		setuid)	chown 4321 "$PLACE/hostile"; chmod 4755 "$PLACE/hostile" ;;
		caps)
			chmod 755 "$PLACE/hostile"
			python3 -c 'import os, struct, sys
os.setxattr(sys.argv[1], "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))' \
				"$PLACE/hostile"
			;;
		esac
		capture setpriv --reuid 12345 --regid 12345 --clear-groups \
			"$KTRACED" --backend=shm -o "$PLACE/$kind" -- "$PLACE/hostile" names
		show "$kind"
		[ "$status" -eq 0 ]
		[ "$(summary events)" = "$([ "$kind" = plain ] && echo 2 || echo 0)" ]
	done
	rm -rf "$PLACE"
}

# bats test_tags=shm
@test "a set-user-ID program with <trace.h> inside starts no keeper that its caller chose" {
	requires_root
	other_place
	mkdir -p "$PLACE/bin" "$PLACE/libexec/ktrace"
	cat >caller.c <<-END
		#include <fcntl.h>
		#include <sys/types.h>
		#include <trace.h>
		#include <unistd.h>
		int main(void)
		{
			trace_id_t trid;
			int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
			return fd < 0 ? 2 : !!posix_trace_create_withlog(getpid(), 0, fd, &trid);
		}
	END
	gcc -D_GNU_SOURCE -pthread -I"$ROOT/userspace/include" caller.c "$BUILD/lib/libktrace-posix.a" \
		"$BUILD"/lib/libktraceset.so.0 "$BUILD"/lib/libktrace.so.0 -Wl,-rpath,"$BUILD/lib" -o "$PLACE/caller"
	printf '%s\n' '#include <fcntl.h>' '#include <unistd.h>' \
		"int main(void) { return geteuid() == 4321 && open(\"$PLACE/chosen\", O_CREAT, 0600); }" >keeper.c
	gcc keeper.c -o "$PLACE/libexec/ktrace/posix-keeper"
	chown 4321 "$PLACE/caller"
	chmod 4755 "$PLACE/caller"
	chmod 777 "$PLACE"
	capture setpriv --reuid 12345 --regid 12345 --clear-groups \
		timeout 20 bash -c 'exec -a "$1/bin/x" "$1/caller"' - "$PLACE"
	show caller
	[ "$status" -le 1 ]
	[ ! -e "$PLACE/chosen" ]
	rm -rf "$PLACE"
}

# Without the module "dev" would keep it from tracing itself.
# bats test_tags=shm
@test "a set-user-ID program with <trace.h> inside ignores KTRACE_BACKEND" {
	requires_root
	[ ! -e /dev/ktrace ] || skip "the device is there"
	other_place
	printf '%s\n' '#include <sys/types.h>' '#include <trace.h>' '#include <unistd.h>' \
		'int main(void) { trace_id_t id; return posix_trace_create(getpid(), 0, &id) || posix_trace_shutdown(id); }' \
		>own.c
	gcc -D_GNU_SOURCE -pthread -I"$ROOT/userspace/include" own.c "$BUILD/lib/libktrace-posix.a" \
		"$BUILD"/lib/libktraceset.so.0 "$BUILD"/lib/libktrace.so.0 -Wl,-rpath,"$BUILD/lib" -o "$PLACE/own"
	KTRACE_BACKEND=dev capture setpriv --reuid 12345 --regid 12345 --clear-groups "$PLACE/own"
	[ "$status" -ne 0 ]
	chown 4321 "$PLACE/own"
	chmod 4755 "$PLACE/own"
	KTRACE_BACKEND=dev capture setpriv --reuid 12345 --regid 12345 --clear-groups "$PLACE/own"
	show own
	[ "$status" -eq 0 ]
	rm -rf "$PLACE"
}

# bats test_tags=shm
@test "KTRACE_SESSION names what is no session: the program runs untraced" {
	local what
	mkdir dir
	mkfifo fifo
	: >empty
	echo text >text
	truncate -s 1T sparse
	head -c 100000 /dev/urandom >random
	echo text >writable
	chmod 666 writable
	ln -s text link
	for what in dir fifo empty text sparse random writable link /dev/zero /dev/full /dev/tty \
		/proc/self/mem /proc/self/environ nothing ""; do
		case $what in
		/*) ;;
		*) what=$PWD/$what ;;
		esac
		KTRACE_SESSION=shm:$what KTRACE_DEBUG=1 capture "$PROGS/hostile" names
		show "$what"
		[ "$status" -eq 0 ]
		[ "$output" = played ]
		[[ $stderr != *attached* ]]
	done
	for what in "" shm dev: dev:zz dev:0 "dev:$(printf '1%.0s' {1..400})" nonsense:x; do
		KTRACE_SESSION=$what capture "$PROGS/hostile" names
		[ "$status" -eq 0 ]
		[ "$output" = played ]
	done
}

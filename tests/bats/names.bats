#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# names.bats - another user had the name first: nobody is kept from anything, nothing of his is used
#
# The table "Names" of security.md has a line for each.
# runs: host
load helpers

setup()
{
	setup_test
	requires_root
	let_others_in
}

teardown() { teardown_test; }

# as_nobody COMMAND...
as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
export -f as_nobody

# in_own_shm SCRIPT ARG...: with a /dev/shm of its own, that everybody may write to
in_own_shm()
{
	# shellcheck disable=SC2016 # for bash
	capture unshare -m bash -c 'mount -t tmpfs -o mode=1777 none /dev/shm && eval "$1"' - "$@"
	show "$1"
}

# What another user can make there, by the command of a shell
TRICKS=(': >"$name"' 'truncate -s 100M "$name"' 'mkdir "$name"' 'mkfifo "$name"' 'ln -s /etc/passwd "$name"' 'ln -s "$name" "$name"')

# make_controller: it traces itself, says what it has recorded, which names there are, and ends with its input
make_controller()
{
	cat >controller.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <trace.h>
		#include <unistd.h>
		int main(void)
		{
			struct posix_trace_event_info info;
			trace_event_id_t id;
			trace_id_t trid;
			char data[16];
			size_t size;
			int none, error = posix_trace_create(getpid(), NULL, &trid);

			if (error) {
				printf("create: %s\n", strerror(error));
				return 1;
			}
			posix_trace_eventid_open("said", &id);
			posix_trace_start(trid);
			posix_trace_event(id, "word", 5);
			posix_trace_stop(trid);
			while (!posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &size, &none) &&
			       !none)
				if (info.posix_event_id == id)
					printf("%s\n", data);
			fflush(stdout);
			system("ls /dev/shm");
			getchar();
			return posix_trace_shutdown(trid);
		}
	END
	gcc -I"$ROOT/userspace/lib/posix" -I"$ROOT/userspace/lib/ktrace" -I"$ROOT/uapi" -o controller \
		controller.c -L"$BUILD/lib" -lktrace-posix -Wl,-rpath,"$BUILD/lib"
}

# bats test_tags=shm
@test "/dev/shm/ktrace-posix-UID of another user keeps nobody from tracing, and is left alone" {
	local trick
	make_controller
	for trick in "${TRICKS[@]}"; do
		in_own_shm "name=/dev/shm/ktrace-posix-0; export name
			usual=\$(./controller </dev/null | grep ktrace-posix-0)
			name=/dev/shm/\$usual
			as_nobody sh -c '$trick'
			before=\$(stat -c %u:%s:%Y \$name)
			./controller </dev/null
			echo status \$?
			[ \"\$before\" = \"\$(stat -c %u:%s:%Y \$name)\" ] && echo untouched
			ls /dev/shm | wc -l"
		[[ $output == word* ]]
		grep -qxE 'ktrace-posix-0(-[0-9]+)?\.[0-9a-f]{16}' <<<"$output"
		# The board is gone with its last process; the other user's name is not.
		[[ $output == *$'status 0\nuntouched\n1' ]]
	done
}

# bats test_tags=shm
@test "a board with another name stays in use when the first name is free again" {
	make_controller
	# The usual name depends on the name space of processes.
	in_own_shm 'name=/dev/shm/$(./controller </dev/null | grep ktrace-posix-0)
		export name
		as_nobody touch "$name"
		mkfifo stop
		./controller <stop >first &
		exec 5>stop
		for i in $(seq 400); do grep -q word first && break; sleep 0.05; done
		as_nobody rm "$name"
		echo second
		./controller </dev/null
		exec 5>&-
		wait
		echo left $(ls /dev/shm | wc -l)'
	[ "$(sed '0,/^second/d' <<<"$output" | grep -c ktrace-posix)" = 1 ]
	[ "$(sed '0,/^second/d' <<<"$output" | grep -cx word)" = 1 ]
	[[ $output == *'left 0' ]]
}

@test "a socket of another user with the name of a recording in parts keeps nobody from it" {
	mkdir out
	cat >holder.py <<-'END'
		import os, socket, sys, time
		folder, name = sys.argv[1:3]
		h = 0xcbf29ce484222325
		for byte in name.encode():
		    h = (h ^ byte) * 0x100000001b3 % 2**64
		st = os.stat(folder)
		sockets = []
		for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
		    s = socket.socket(socket.AF_UNIX, kind)
		    s.bind("\0ktraced-parts-%x-%x-%x" % (st.st_dev, st.st_ino, h))
		    if kind == socket.SOCK_STREAM and sys.argv[3] == "listen":
		        s.listen(5)
		    sockets.append(s)
		print("held", flush=True)
		time.sleep(60)
	END
	for how in listen silent; do
		start holder setpriv --reuid=65534 --regid=65534 --clear-groups \
			/usr/bin/python3 holder.py out t.bin "$how"
		retry 0.05 has holder.out held
		run_ktraced -q --split-size 1M -o out/t.bin true
		[ "$status" -eq 0 ]
		[ -s out/t.0001.bin ]
		kill "$pid"
		wait "$pid" || true
	done
}

@test "a recording in parts still keeps another one from the same name" {
	mkdir out
	start_ktraced -q --split-size 1M -o out/t.bin sleep 30
	retry 0.05 test -s out/t.0001.bin
	run_ktraced -q --split-size 1M -o out/t.bin true
	[ "$status" -eq 125 ]
	[[ $stderr == *busy* || $stderr == *record* ]]
	kill -INT "$pid"
}

@test "sockets that another user calls recordings of root's keep nobody from naming his own" {
	cat >decoys.py <<-'END'
		import socket, time
		all = []
		for i in range(100):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		    s.bind("\0ktraced/0/1/%x" % (i + 0xdec0100000000000))
		    all.append(s)
		print("held", flush=True)
		time.sleep(60)
	END
	start decoys setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 decoys.py
	retry 0.05 has decoys.out held
	start_ktraced -q -o t sleep 30
	retry 0.05 test -s t
	capture timeout 5 "$KTRACE" level --json "$pid"
	show level
	[ "$status" -eq 0 ]
	[ "$(jq .pid <<<"$output")" = "$pid" ]
	# What answers for another user is not believed, so its words reach nobody.
	[[ $output != *dec0100000000* ]]
	kill -INT "$pid"
}

# bats test_tags=shm
@test "a session in shared memory, temporary files: their names cannot be known before" {
	local i
	command -v strace >/dev/null || skip "no strace"
	for i in 1 2; do
		# shellcheck disable=SC2016 # for sh
		run_ktraced -q -o t sh -c 'echo "$KTRACE_SESSION"'
		[ "$status" -eq 0 ]
		[[ $output == shm:/dev/shm/ktrace-0-????????????????/user ]]
		echo "$output" >>names
		# The file that is made beside the output until that is whole: new, and no link
		mkdir "out$i"
		strace -f -qq -e trace=openat -o calls "$KTRACE" cut -o "out$i/new" t
		grep 'out[12]/new[^"]*"' calls | head -n 1 | grep O_EXCL >>files
	done
	[ "$(sort -u names | wc -l)" = 2 ]
	[ "$(grep -o 'new\.[A-Za-z0-9]\{6\}"' files | sort -u | wc -l)" = 2 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# names.bats - another user had the name first: nobody is kept from anything, nothing of his is used
#
# The table "Names" of security.md has a line for each.
# runs: host
load helpers
load service

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
	gcc -I"$ROOT/userspace/include" -I"$ROOT/userspace/include/ktrace" -I"$ROOT/uapi" -o controller \
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
		# The registry is gone with its last process; the other user's name is not.
		[[ $output == *$'status 0\nuntouched\n1' ]]
	done
}

# bats test_tags=shm
@test "a registry with another name stays in use when the first name is free again" {
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

@test "another user's connections do not hide who records in parts" {
	mkdir out
	chmod 755 out
	start_ktraced -q --split-size 1M -o out/t.bin sleep 60
	retry 0.05 test -s out/t.0001.bin
	# Without its files, the name alone tells that it is being recorded.
	rm out/t.*
	cat >connect.py <<-'END'
		import re, socket, time
		name = re.search("@(ktraced-parts-.*)", open("/proc/net/unix").read()).group(1)
		kept = []
		for i in range(200):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		    s.setblocking(False)
		    try:
		        s.connect("\0" + name)
		    except BlockingIOError:
		        pass
		    kept.append(s)
		print("connected", flush=True)
		time.sleep(60)
	END
	recorder=$pid
	start connect setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 connect.py
	retry 0.05 has connect.out connected
	run_ktraced -q --split-size 1M -o out/t.bin true
	[ "$status" -eq 125 ]
	[[ $stderr == *busy* || $stderr == *record* ]]
	kill -INT "$recorder"
}

has_children()
{
	[ -n "$(children_of "$1")" ]
}

# without_descriptors PID: it can open no other one from now on
without_descriptors()
{
	local free=0
	while [ -e "/proc/$1/fd/$free" ]; do
		free=$((free + 1))
	done
	prlimit --pid "$1" --nofile="$free:"
}

# ticks PID: of a CPU that it has used
ticks()
{
	local stat
	read -r stat <"/proc/$1/stat"
	# shellcheck disable=SC2086 # words
	set -- ${stat##*) }
	echo $((${12} + ${13}))
}

# idles PID: it uses less of a CPU than a loop beside it
idles()
{
	local before busy used
	before=$(ticks "$1")
	bash -c 'while :; do :; done' 3>&- &
	busy=$!
	STARTED+=("$busy")
	while [ "$(ticks "$busy")" -lt 100 ]; do
		sleep 0.1
	done
	kill "$busy"
	used=$(($(ticks "$1") - before))
	echo "used $used"
	[ "$used" -lt 50 ]
}

# connects KIND NAME...: as nobody, and stays
connects()
{
	cat >connects.py <<-'END'
		import socket, sys, time
		kept = []
		for name in sys.argv[2:]:
		    s = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[1]))
		    s.connect(name.replace("@", "\0", 1))
		    kept.append(s)
		print("connected", flush=True)
		time.sleep(120)
	END
	rm -f connects.out
	start connects setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 connects.py "$@"
	retry 0.05 has connects.out connected
}

# answers PID: a recording answers; for retry
answers() { "$KTRACE" control --json "$1" | jq -e .answers >/dev/null; }

@test "who connects to a recorder that is out of descriptors does not keep it busy, and it says so once" {
	local recorder kind name
	mkdir out
	start_ktraced --split-size 1M -o out/t.bin sleep 120
	recorder=$pid
	retry 0.05 test -s out/t.0001.bin
	# It has all its own descriptors once it answers.
	retry 0.05 answers "$recorder"
	without_descriptors "$recorder"
	for kind in "SOCK_STREAM @ktraced-parts-.*-$(printf %x "$(stat -c %i out)")-" \
		"SOCK_SEQPACKET @ktraced-shark/.*$(session_dir "$recorder")"; do
		name=$(grep -o "${kind#* }.*" /proc/net/unix)
		connects "${kind% *}" "$name"
		retry 0.05 has ktraced.err 'this recording cannot accept connections for now'
		idles "$recorder"
	done
	[ "$(grep -c 'cannot accept connections' ktraced.err)" -eq 1 ]
	# It hears again as soon as it can.
	prlimit --pid "$recorder" --nofile=100:
	capture "$KTRACED" -q --backend=shm --split-size 1M -o out/t.bin true
	[ "$status" -eq 125 ]
	kill -INT "$recorder"
	wait_for "$recorder"
	[ "$status" -eq 0 ] || [ "$status" -eq 130 ]
}

@test "who connects to a service that is out of descriptors does not keep it busy, and it says so once" {
	start_service
	without_descriptors "$service"
	connects SOCK_STREAM "$PWD/producer.sock" "$PWD/producer.sock"
	retry 0.05 has service.err 'cannot accept connections for now'
	idles "$service"
	[ "$(grep -c 'cannot accept connections' service.err)" -eq 1 ]
}

# bats test_tags=long
@test "sockets that another user calls recordings of root's keep nobody from naming his own" {
	cat >decoys.py <<-'END'
		import socket, time
		all = []
		for i in range(400):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		    s.bind("\0ktraced/0/1/%x" % (i + 0xdec0100000000000))
		    all.append(s)
		print("held", flush=True)
		time.sleep(120)
	END
	start decoys setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 decoys.py
	retry 0.05 has decoys.out held
	start_ktraced -q -o t sleep 30
	retry 0.05 test -s t
	capture timeout 60 "$KTRACE" level --json "$pid"
	show level
	[ "$status" -eq 0 ]
	[ "$(jq .pid <<<"$output")" = "$pid" ]
	# What answers for another user is not believed, so its words reach nobody.
	[[ $output != *dec0100000000* ]]
	# Without a name all are asked: those that say nothing take ten seconds together, and hide nothing.
	capture timeout 60 "$KTRACE" level --json
	show level
	[ "$status" -eq 0 ]
	jq -s -e "any(.[]; .pid == $pid and .answers == 1)" <<<"$output"
	[ "$(jq -s 'map(select(.pid == 1 and .answers == 0)) | length' <<<"$output")" = 8 ]
	[[ $stderr == *'392 more do not answer'* ]]
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

# bats test_tags=shm,long
@test "names of parts that another user made first: none is used or followed, and nothing is lost" {
	local trick number=0 before
	mkdir -m 1777 shared
	echo precious >victim
	for trick in "${TRICKS[@]}" "ln -s $PWD/victim \"\$name\""; do
		number=$((number + 1))
		# The first one is refused, without any of a later one the recording goes on in the one before.
		export name=shared/t$number.0001.bin
		as_nobody sh -c "$trick"
		before=$(stat -c %u:%i:%s "$name")
		run_ktraced -q --split-size 1K -o "shared/t$number.bin" true
		[ "$status" -eq 125 ]
		[[ $stderr == *"$name"* ]]
		[ "$(stat -c %u:%i:%s "$name")" = "$before" ]
		rm -rf "$name"
		name=shared/t$number.0002.bin
		as_nobody sh -c "$trick"
		as_nobody sh -c "name=shared/t$number.0003.bin.new; $trick"
		before=$(stat -c %u:%i:%s "$name")
		rm -f stop
		start_ktraced -q --split-size 1K -o "shared/t$number.bin" \
			sh -c "until [ -e stop ]; do '$EXAMPLES/hello'; sleep 0.05; done"
		retry 0.05 has ktraced.err "$name: File exists; recording continues in shared/t$number.0001.bin"
		touch stop
		wait "$pid"
		[ "$(stat -c %u:%i:%s "$name")" = "$before" ]
		[ "$("$KTRACE" list -e hello:start "shared/t$number.0001.bin" | wc -l)" -ge 2 ]
	done
	[ "$(cat victim)" = precious ]
	# One that is being recorded cannot be replaced there, or read.
	start_ktraced -q --split-size 1M -o shared/t.bin sleep 30
	retry 0.05 test -s shared/t.0001.bin
	for trick in 'rm -f' 'mv -t /tmp' 'cat' 'truncate -s 0'; do
		# shellcheck disable=SC2086 # words
		run as_nobody $trick shared/t.0001.bin
		[ "$status" -ne 0 ]
	done
	[ -s shared/t.0001.bin ]
	kill -INT "$pid"
}

@test "/run/perfetto: another user cannot make it, or anything in it; his names in /tmp do not count then" {
	# shellcheck disable=SC2016 # for bash
	capture unshare -m bash -c '
		mount -t tmpfs -o mode=755 none /run && mount -t tmpfs -o mode=1777 none /tmp || exit 1
		unset PERFETTO_PRODUCER_SOCK_NAME PERFETTO_CONSUMER_SOCK_NAME
		as_nobody mkdir /run/perfetto && echo made
		mkdir /run/perfetto
		as_nobody touch /tmp/perfetto-producer /tmp/perfetto-consumer
		"$1" --service --no-producer 2>err &
		for i in $(seq 400); do grep -q "serving producers" err && break; sleep 0.05; done
		for name in producer consumer; do
			stat -c "%u %F" /run/perfetto/traced-$name.sock
			as_nobody rm -f /run/perfetto/traced-$name.sock && echo removed
			as_nobody mv /run/perfetto/traced-$name.sock /tmp && echo moved
		done
		as_nobody mkfifo /run/perfetto/other && echo made
		kill -INT $!
		wait
		cat err' - "$KTRACED"
	show service
	[ "$(grep -c '^0 socket$' <<<"$output")" = 2 ]
	[[ $output == *'/run/perfetto/traced-producer.sock'* ]]
	! grep -qxE 'made|removed|moved' <<<"$output"
}

@test "folders of ktrace session, memory of producers: other users get nowhere" {
	local folder fd found=0
	mkdir -m 1777 tmp
	as_nobody mkdir tmp/ktrace-session-AAAAAA
	start_service
	TMPDIR=$PWD/tmp start produce "$KTRACE" session produce -- sleep 60
	produce=$pid
	retry 0.05 eval '"$KTRACE" session list | grep -q " ktrace.user\$"'
	printf 'buffers { size_kb: 4096 }\ndata_sources { config { name: "ktrace.user" } }\n' >config
	start session "$KTRACE" session start -c config -o t
	retry 0.05 eval '[ "$(find tmp -user 0 -name "ktrace-session-*" | wc -l)" = 1 ]'
	folder=$(find tmp -user 0 -name 'ktrace-session-??????')
	[ "$(stat -c %a "$folder")" = 700 ]
	run as_nobody ls "$folder"
	[ "$status" -ne 0 ]
	run as_nobody mv "$folder" tmp/other
	[ "$status" -ne 0 ]
	# What has no name cannot be opened by way of the process that has it.
	for fd in "/proc/$service/fd"/*; do
		[[ $(readlink "$fd") == /memfd:* || $(readlink "$fd") == socket:* ]] || continue
		found=$((found + 1))
		run as_nobody cat "$fd"
		[[ $output == *'Permission denied'* ]]
	done
	[ "$found" -ge 3 ]
	kill -INT "$pid"
	wait "$pid" || true
	kill -INT "$produce"
	retry 0.05 eval '[ -z "$(find tmp -user 0 -name "ktrace-session-*")" ]'
	[ -d tmp/ktrace-session-AAAAAA ] && [ -z "$(ls tmp/ktrace-session-AAAAAA)" ]
}

# bats test_tags=shm
@test "files in TMPDIR are new, have random names that are gone at once, and are the user's alone" {
	local i
	command -v strace >/dev/null || skip "no strace"
	mkdir -m 1777 tmp
	run_ktraced -q -o t true
	for i in 1 2; do
		TMPDIR=$PWD/tmp strace -f -qq -e trace=openat,unlink -o calls "$KTRACE" html -o "x$i.html" t
		grep -o 'tmp/ktrace\.[A-Za-z0-9]\{6\}", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0600' calls |
			sort -u >made
		grep -o 'unlink(".*tmp/ktrace\.[A-Za-z0-9]\{6\}' calls | sort -u >removed
		[ -s made ]
		[ "$(wc -l <made)" = "$(wc -l <removed)" ]
		[ "$(grep -c 'openat.*tmp/ktrace\.' calls)" = "$(wc -l <made)" ]
		cat made >>all
	done
	[ -z "$(ls tmp)" ]
	[ "$(sort all | uniq -d | wc -l)" = 0 ]
}

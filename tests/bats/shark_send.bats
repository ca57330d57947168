#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# bats file_tags=shm
#
# ktraced as the sender of a program's chunks: files and packets

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SHARK=$ROOT/tests/checkers/shark/shark

setup()
{
	setup_test
	mkdir chunks
	"$SHARK" make 200:7 chunk
	"$SHARK" make 130:8 other
}

teardown()
{
	teardown_test
}

# sends ARG...: recorded programs of "shark send", each with the arguments of a line of
# standard input; answers in $answers
sends()
{
	local line
	while read -r line; do
		echo "'$SHARK' send $line"
	done >script
	run_ktraced -q -o chunks/t "$@" -- sh -e script
	answers=$(paste -sd , <<<"$output")
}

# listen N: a receiver of N events on a port of its own, which is in $port
listen()
{
	rm -f port
	start receiver "$SHARK" receive port received "$1"
	receiver=$pid
	retry 0.1 test -e port
	port=$(cat port)
}

# received: the numbers of the packets, when all have come
received()
{
	wait "$receiver"
	cat receiver.out
}

@test "SHK-12 SHK-14 SHK-41: each chunk has a file of its own, and it is there when the call returns" {
	sends <<-END
		disk 0 trace chunk
		disk 1 trace other
		disk 255 trace chunk
	END
	[ "$answers" = "0 200,0 130,0 200" ]
	cmp chunks/0trace chunk
	cmp chunks/1trace other
	cmp chunks/255trace chunk
	[ "$(find chunks -type f | wc -l)" = 4 ]
	# The program itself sees it.
	run_ktraced -q -o chunks/t -- sh -e -c "'$SHARK' send disk 7 trace other; cmp other chunks/7trace"
	[ "$status" = 0 ]
}

@test "SHK-14: a chunk that is sent again is appended; what was there before is replaced" {
	echo old >chunks/0trace
	sends <<-END
		disk 0 trace chunk
		disk 0 trace other
	END
	[ "$answers" = "0 200,0 130" ]
	cat chunk other | cmp chunks/0trace -
	sends <<<"disk 0 trace other"
	cmp chunks/0trace other
	# Somebody has taken the first away, and put another one there.
	run_ktraced -q -o chunks/t -- sh -e -c "'$SHARK' send disk 0 trace chunk; rm chunks/0trace
		'$SHARK' send disk 0 trace other; cmp other chunks/0trace; rm chunks/0trace
		echo mine >chunks/0trace; '$SHARK' send disk 0 trace chunk"
	[ "$(paste -sd , <<<"$output")" = "0 200,0 130,EEXIST 0" ]
	[ "$(cat chunks/0trace)" = mine ]
}

@test "SHK-40: empty slots are left out of files and packets" {
	(cat chunk && head -c 64 /dev/zero && cat other) >gaps
	cat chunk other >full
	listen 330
	sends <<-END
		disk 0 trace gaps
		udp 0 127.0.0.1:$port gaps
	END
	[ "$answers" = "0 330,0 330" ]
	cmp chunks/0trace full
	received
	cmp received full
	sends <<<"disk 0 trace /dev/null"
	[ "$answers" = "0 0" ]
	[ ! -s chunks/0trace ]
}

@test "SHK-11: a compressed chunk is written as it is, and its events go into packets" {
	cat chunk other >full
	zstd -q chunk -o packed
	zstd -q other -c >>packed
	listen 330
	sends <<-END
		disk 0 trace packed
		udp 0 127.0.0.1:$port packed
	END
	[ "$answers" = "0 0,0 330" ]
	cmp chunks/0trace packed
	received
	cmp received full
	run_ktrace import --from shark -o i chunks/0trace
	run_ktrace export --to shark -o out i
	cmp out full
	# Damage is no chunk.
	head -c 300 packed >damaged
	listen 1
	sends <<<"udp 0 127.0.0.1:$port damaged"
	[[ $answers == "EILSEQ "* ]]
}

@test "SHK-42: packets are full but the last, and their numbers go on over chunks" {
	listen 660
	sends <<-END
		udp 0 127.0.0.1:$port chunk
		udp 1 127.0.0.1:$port other
		udp 2 127.0.0.1:$port chunk
		udp 2 127.0.0.1:$port other
	END
	[ "$answers" = "0 200,0 130,0 200,0 130" ]
	# The reader has looked at each: name, size, at most 60 events, less than 1000 bytes.
	[ "$(received)" = "1 2 3 4 5 6 7 8 9 10 11 12 13 14" ]
	cat chunk other chunk other | cmp received -
}

@test "SHK-15: what the user says of the target holds, whatever programs say" {
	listen 330
	sends --shark-udp "127.0.0.1:$port" <<-END
		udp 0 127.0.0.1:1 chunk
		udp 0 not-an-address other
	END
	[ "$answers" = "0 200,0 130" ]
	[ "$(received)" = "1 2 3 4 5 6 7" ]
	run_ktraced --shark-udp 127.0.0.1:x -- true
	[ "$status" = 125 ]
}

@test "SHK-13: what the user says of the name holds, and a name is no path" {
	mkdir here
	sends --shark-files here/mine <<-END
		disk 0 trace chunk
		disk 0 ../trace other
	END
	[ "$answers" = "0 200,0 130" ]
	cat chunk other | cmp here/0mine -
	sends --shark-files here/ <<<"disk 4 trace chunk"
	cmp here/4trace chunk
	run_ktraced --shark-files here/ -o t -- true
	[ -e /dev/ktrace ] || [[ $stderr != *"chunks of the kernel"* ]]
	sends <<-END
		disk 0 ../trace chunk
		disk 0 /tmp/trace chunk
		disk 0 .trace chunk
	END
	[ "$answers" = "EINVAL 0,EINVAL 0,EINVAL 0" ]
	[[ $stderr == *"chunk 0 of process "*" could not be written: Invalid argument"* ]]
	for wrong in here/a,b here/.x ""; do
		run_ktraced --shark-files "$wrong" -- true
		[ "$status" = 125 ]
	done
	# A link is replaced, not followed.
	echo safe >victim
	ln -s ../victim chunks/0trace
	sends <<<"disk 0 trace chunk"
	[ "$(cat victim)" = safe ]
	cmp chunks/0trace chunk
}

@test "SHK-12: a bad request is refused, and the next one is served" {
	sends <<<"disk 0 trace chunk wrong"
	[ "$status" = 0 ]
	[ "$answers" = "0 200" ]
	cmp chunks/0trace chunk
}

@test "SHK-12: nobody at the target is an error" {
	# Of port 1 nobody makes use.
	sends <<<"udp 0 127.0.0.1:1 chunk"
	[[ $answers == "ECONNREFUSED "* ]]
}

@test "SHK-12: what does not fit on the disk is an error, and what was there stays" {
	"$SHARK" make 5000:3 large
	sends <<<"disk 0 trace chunk"
	cat >script <<-END
		prlimit --pid \$PPID --fsize=16384:
		'$SHARK' send disk 0 trace large
		'$SHARK' send disk 1 trace other
		'$SHARK' send disk 1 trace large
	END
	# ktraced, which is the parent, gets 16 KiB a file.
	run_ktraced -q -o chunks/t -- sh script
	[ "$(cut -d ' ' -f 1 <<<"$output" | paste -sd ,)" = EFBIG,0,EFBIG ]
	cmp chunks/0trace chunk
	cmp chunks/1trace other
	[ "$(find chunks -name '.*.new' | wc -l)" = 0 ]
}

@test "SHK-14: what was queued is written though the program was killed" {
	"$SHARK" make 20000:3 large
	sends <<<"disk 0 trace large die"
	cmp chunks/0trace large
}

# on_held_disk SCRIPT: ktraced records it; the disk takes no chunk until somebody opens the gate
on_held_disk()
{
	mkfifo gate
	echo "$1" >script
	LD_PRELOAD=$PROGS/bad_disk.so HOLD=$PWD/gate start_ktraced -o chunks/t -- sh script
	retry 0.1 test -e gate.held
}

@test "SHK-14: ktraced waits for a disk that is slow, though the program has ended" {
	on_held_disk "'$SHARK' send disk 0 trace chunk die || echo over"
	retry 0.1 has ktraced.out over
	exec 5<>gate
	wait_for "$pid"
	exec 5>&-
	[ "$status" = 0 ]
	[[ $stderr == *"chunks: 1 written, "* ]]
	cmp chunks/0trace chunk
}

# ends_by_term PID: it has been told to end, as often as it takes
ends_by_term()
{
	kill -TERM "$1" 2>/dev/null || true
	is_gone "$1"
}

@test "SHK-14: who is told to end ends, whatever the disk does, and says what is not there" {
	on_held_disk "'$SHARK' send disk 0 trace chunk die || '$SHARK' send disk 1 trace other die || echo over"
	retry 0.1 has ktraced.out over
	retry 0.2 ends_by_term "$pid"
	wait_for "$pid"
	[[ $stderr == *"a chunk is still being written or sent; ktraced does not wait for it"* ]]
	[ ! -e chunks/0trace ]
	[ ! -e chunks/1trace ]
	valid_trace chunks/t
}

@test "SHK-11: 4 GiB that were compressed are a chunk, and no slot more" {
	"$SHARK" zeros 4096 most
	head -c 16 /dev/zero | zstd -q | cat most - >more
	sends <<-END
		udp 0 127.0.0.1:1 most
		udp 0 127.0.0.1:1 more
		disk 0 trace more
	END
	[ "$answers" = "0 0,EFBIG 0,0 0" ]
	cmp chunks/0trace more
	[[ $stderr == *"could not be sent: File too large"* ]]
}

@test "SHK-12: a program of somebody else is not served" {
	requires_root
	sends <<<"disk 0 trace chunk other"
	[ "$answers" = closed ]
	[ ! -e chunks/0trace ]
}

@test "SHK-12: ktraced says what was sent, and what was not" {
	cat >script <<-END
		'$SHARK' send disk 0 trace chunk
		'$SHARK' send disk 0 .. chunk
	END
	run_ktraced -o chunks/t -- sh script
	[[ $stderr == *"chunks: 1 written, 0 sent in 0 packets, 1 failed"* ]]
}

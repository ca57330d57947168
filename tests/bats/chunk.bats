#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
# chunk.bats - the kernel's S.Ha.R.K. tracer: from another module to a sender

# shellcheck disable=SC2154 # capture sets status and output

load helpers

MODULES=$BUILD/kernel/$(uname -r)
SHARK=$ROOT/tests/checkers/shark/shark

setup()
{
	requires_dev
	setup_test
	rmmod ktrace
	insmod "$MODULES/ktrace.ko"
}

teardown()
{
	rmmod shark_example 2>/dev/null || true
	teardown_test
}

chunk()
{
	"$PROGS/dev_chunk" "$1" "$MODULES/shark_example.ko"
}

@test "SHK-46: the manual's example, sent to disk" {
	chunk disk
}

@test "SHK-15: the same, for the network" {
	chunk udp
}

@test "SHK-11: compressed, and decompressed by zstd" {
	chunk compress
}

# example ARG...: loads the example while ktraced records; both chunks have been sent
example()
{
	run_ktraced -q "${@:2}" -o t -- insmod "$MODULES/shark_example.ko" "$1"
	[ "$status" = 0 ]
	[ "$(cat /sys/module/shark_example/parameters/sent)" = 0,0 ]
	rmmod shark_example
}

# bats test_tags=plain
@test "SHK-46 SHK-41 SHK-42: the manual's example, sent by ktraced: as files and as packets" {
	local port receiver
	example disk=trace.dat
	"$SHARK" text 0trace.dat 1trace.dat >files
	[ "$(wc -l <files)" = 13 ]
	"$KTRACE" import --from shark -o imported 0trace.dat 1trace.dat
	capture "$KTRACE" list --filter 'event == log:event && par1 >= 1000' imported
	[ "$(wc -l <<<"$output")" = 6 ]
	start receiver "$SHARK" receive port received 13
	receiver=$pid
	retry 0.1 test -e port
	port=$(cat port)
	example udp=127.0.0.1 --shark-udp "127.0.0.1:$port"
	wait "$receiver"
	[ "$(paste -sd ' ' receiver.out)" = "1 2" ]
	"$SHARK" text received | wc -l | grep -x 13
}

@test "SHK-12: without a sender of that kind nothing is sent" {
	chunk no_sender
}

@test "SHK-12: who waits hears that the sender failed" {
	chunk failure
}

@test "SHK-12: who waits hears that the sender is gone" {
	chunk death
}

@test "SHK-12: who waits can be killed, and the sender hears of it" {
	chunk killed
}

# load_and_kill: the example, while ktraced has its first chunk in hand
load_and_kill()
{
	rm -f gate.held
	start loader insmod "$MODULES/shark_example.ko" disk=trace.dat
	retry 0.1 test -e gate.held
	kill -KILL "$pid"
	retry 0.1 is_gone "$pid"
	rmmod shark_example
	exec 5<>gate
	retry 0.1 taken_back $((++killed))
}

# taken_back N: so many chunks have been
taken_back()
{
	[ "$(grep -c 'chunk 0 of the kernel is removed again: the program that waited for it was killed' ktraced.err)" = "$1" ]
}

# bats test_tags=plain
@test "SHK-12: who waits is killed while ktraced writes: the file is as it was" {
	local ktraced killed=0
	mkfifo gate
	LD_PRELOAD=$PROGS/bad_disk.so HOLD=$PWD/gate start_ktraced --all -e log -o t
	ktraced=$pid
	retry 0.1 has ktraced.err tracing
	load_and_kill
	[ ! -e 0trace.dat ]
	[ -z "$(compgen -G '.*trace.dat*')" ]
	# What was there before stays.
	insmod "$MODULES/shark_example.ko" disk=trace.dat
	[ "$(cat /sys/module/shark_example/parameters/sent)" = 0,0 ]
	rmmod shark_example
	cp 0trace.dat before
	exec 5>&-
	load_and_kill
	cmp 0trace.dat before
	exec 5>&-
	kill -TERM "$ktraced"
	wait_for "$ktraced"
	[[ $stderr == *"chunks: 2 written, 0 sent in 0 packets, 2 failed"* ]]
}

@test "SHK-14: a chunk that is queued waits for a sender, and for the next one" {
	chunk later
}

@test "a job that the sender has no room for is not lost" {
	chunk nowhere
}

@test "a sender may read the chunk that it sends, and nothing else" {
	chunk mappings
}

@test "who may be sender, and what else he may ask for" {
	chunk rights
}

@test "unloading is refused while a module uses the tracer, and frees what it left" {
	insmod "$MODULES/shark_example.ko" disk=trace.dat
	[ "$(cat /sys/module/shark_example/parameters/sent)" = -1,-1 ]
	fails rmmod ktrace
	rmmod shark_example
	rmmod ktrace
	insmod "$MODULES/ktrace.ko"
}

@test "memory of chunks is limited" {
	echo 0 >/sys/module/ktrace/parameters/max_chunks_mb
	fails insmod "$MODULES/shark_example.ko" disk=trace.dat
	echo 1 >/sys/module/ktrace/parameters/max_chunks_mb
	insmod "$MODULES/shark_example.ko" disk=trace.dat
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace recv-shark: packets of S.Ha.R.K., with what the network does to them

# shellcheck disable=SC2154 # capture sets status and output

load helpers

SHARK=$ROOT/tests/checkers/shark/shark

setup()
{
	setup_test
	"$SHARK" make 1000:9 chunk	# 17 packets
}

teardown()
{
	teardown_test
}

# receive COUNT [OPTION...]: ktrace recv-shark, events to got, on a port of its own, in $port
receive()
{
	local count=$1
	shift
	start recv "$KTRACE" recv-shark -a 127.0.0.1:0 -o got --json -n "$count" "$@"
	receiver=$pid
	retry 0.1 has recv.err 'receiving at 127.0.0.1:'
	port=$(sed -n 's/.*receiving at 127.0.0.1://p' recv.err)
}

# send WHAT...: the chunk's packets to it, with damage; then what it says, in $output
send()
{
	"$SHARK" packets chunk "$port" 1 "$@"
	ended
}

# send_from FIRST CHUNK WHAT...: as send, numbers from FIRST on
send_from()
{
	"$SHARK" packets "$2" "$port" "$1" "${@:3}"
	ended
}

# ended: its exit status and what it says
ended()
{
	status=0
	wait "$receiver" || status=$?
	output=$(cat recv.out)
	show recv
}

# says MEMBER=VALUE...
says()
{
	local word
	for word in "$@"; do
		[[ $output == *"\"${word%%=*}\":${word#*=}"[,}]* ]] || return 1
	done
}

# has_bytes N: got has, for retry
has_bytes()
{
	[ "$(wc -c <got)" -ge "$1" ]
}

# without FIRST COUNT: the chunk, but for these packets
without()
{
	head -c $((($1 - 1) * 960)) chunk
	tail -c +$((($1 + $2 - 1) * 960 + 1)) chunk
}

@test "SHK-42: packets that all come in order are the chunk" {
	receive 17
	send
	[ "$status" = 0 ]
	says events=1000 packets=17 missing=0 duplicates=0 reordered=0 bad=0 foreign=0 runs=1 'ranges=[]'
	cmp got chunk
}

@test "where there is no room for the events, it says so and ends" {
	trap '' XFSZ
	ulimit -f 8
	receive 17
	# The rest finds nobody.
	"$SHARK" packets chunk "$port" 1 || true
	ended
	[ "$status" = 1 ]
	grep -q '^ktrace: got: File too large$' recv.err
}

@test "SHK-43: what is missing is noticed, wherever it is" {
	receive 12
	send drop=1 drop=7 drop=8 drop=9 drop=12
	[ "$status" = 1 ]
	says events=700 packets=12 missing=5 duplicates=0 reordered=0 'ranges=[[1,1],[7,9],[12,12]]'
	(tail -c +961 <(without 7 3) | head -c $((5 * 960)); tail -c +$((9 * 960 + 1)) chunk) >left
	(head -c $((7 * 960)) left; tail -c +$((8 * 960 + 1)) left) | cmp got -
}

@test "SHK-43: what comes twice is written once" {
	receive 20
	send twice=3 twice=17 twice=1
	[ "$status" = 0 ]
	says events=1000 packets=17 missing=0 duplicates=3 reordered=0 runs=1
	cmp got chunk
}

@test "SHK-43: what comes out of order is put in order" {
	receive 17
	send swap=1 swap=8 swap=16
	[ "$status" = 0 ]
	says events=1000 packets=17 missing=0 duplicates=0 reordered=3 runs=1
	cmp got chunk
}

@test "SHK-43: all of it together, and what is no packet" {
	receive 25
	send swap=10 drop=5 twice=13 garbage
	[ "$status" = 1 ]
	says events=940 packets=16 missing=1 duplicates=1 reordered=1 bad=8 'ranges=[[5,5]]'
	without 5 1 | cmp got -
}

@test "SHK-43: a packet that comes too late to be waited for is not lost" {
	for ((i = 0; i < 5; i++)); do cat chunk; done | head -c $((68 * 960)) >long
	receive 68
	"$SHARK" packets long "$port" 1 drop=2
	head -c 1920 chunk >two
	"$SHARK" packets two "$port" 1 drop=1
	ended
	[ "$status" = 0 ]
	says events=4080 packets=68 missing=0 reordered=1 'ranges=[[2,2]]'
	[ "$(wc -c <got)" = $((68 * 960)) ]
}

@test "SHK-43: what was sent before the packet that came first was never missing" {
	receive 17
	send_from 2000000 chunk swap=2000000
	[ "$status" = 0 ]
	says events=1000 packets=17 missing=0 reordered=1 runs=1 'ranges=[]'
	[ "$(wc -c <got)" = 16000 ]
}

@test "SHK-43: the number behind which there is no other is no packet's" {
	receive 2
	head -c 1920 chunk >two
	send_from 4294967294 two swap=4294967294
	[ "$status" = 0 ]
	says events=60 packets=1 missing=0 reordered=0 bad=1
}

@test "SHK-42: a sender that goes on, and one that begins anew" {
	receive 51
	"$SHARK" packets chunk "$port" 1
	"$SHARK" packets chunk "$port" 18
	"$SHARK" make 1000:10 other
	"$SHARK" packets other "$port" 1
	ended
	[ "$status" = 0 ]
	says events=3000 packets=51 missing=0 duplicates=0 runs=2
	cat chunk chunk other | cmp got -
}

@test "SHK-43: it ends by a signal, and says what has come by then" {
	receive 1000
	"$SHARK" packets chunk "$port" 1 drop=4
	# What has come in order is written at once.
	retry 0.1 has_bytes 2880
	kill -TERM "$receiver"
	ended
	[ "$status" = 1 ]
	says missing=1
}

@test "SHK-43: it ends when nothing comes any more" {
	receive 1000 --idle 5000ms
	send
	[ "$status" = 0 ]
	says events=1000 packets=17 missing=0
	cmp got chunk
}

@test "SHK-15: its command line says what is wrong with it" {
	for wrong in "file" "--idle 0" "--number x" "--idle 2h" "-o -"; do
		# shellcheck disable=SC2086 # several words
		run_ktrace recv-shark $wrong
		[ "$status" = 2 ]
	done
	run_ktrace recv-shark -a nowhere:x
	[ "$status" = 1 ]
	[[ $stderr == *"no address"* ]]
	run_ktrace recv-shark -a 127.0.0.1:0 -o missing/folder
	[ "$status" = 1 ]
}

@test "its old name works, and is reported as deprecated" {
	run_ktrace recv --version
	[[ $status = 0 && $stderr = "ktrace: recv is deprecated, use recv-shark" ]]
	run_ktrace help
	[[ $output == *recv-shark* && $output != *" recv "* ]]
}

# bats test_tags=shm
@test "SHK-42: what ktraced sends ktrace recv-shark receives, and import reads" {
	receive 17
	start_ktraced -o t -- "$SHARK" send udp 0 "127.0.0.1:$port" chunk
	ended
	cmp got chunk
	wait_for "${STARTED[1]}"
	[ "$(cat ktraced.out)" = "0 1000" ]
	run_ktrace import --from shark -o i got
	[ "$status" = 0 ]
}

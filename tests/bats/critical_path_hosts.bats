#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# critical-path over several hosts: packets are followed to what sent them. Requirements LTTV-80 to
# LTTV-84.

# shellcheck disable=SC2154 # capture sets status, output, stderr

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# begin_host NAME: a script of a host, with one CPU; all hosts have threads of the same number
begin_host()
{
	local net="ptr%20packet;u32%20len;u16%20protocol;s16%20result;char[16]%20dev;u8[16]%20ip_src;u8[16]%20ip_dst;u16%20src_port;u16%20dst_port;u32%20seq;u32%20ack;u32%20payload;x64%20data;u8%20transport;x8%20tcp_flags;u16%20ip_id;u16%20gso_size;u16%20gso_segs;"
	host=$1
	cat >"$host.script" <<-END
		meta host name=$host boot=boot-$host machine=x86_64
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;enum<u32>(RUNNABLE=0,SLEEP=1,DISK=2)%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=kernel id=65 desc=sched:wakeup{u32%20tid;s32%20prio;u32%20target_cpu;char[16]%20comm;}
		meta event kind=kernel id=160 desc=softirq:enter{u32%20vec;}
		meta event kind=kernel id=161 desc=softirq:exit{u32%20vec;}
		meta event kind=kernel id=384 desc=net:queue{$net}
		meta event kind=kernel id=386 desc=net:receive{$net}
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		block 0
	END
}

put()
{
	echo "rec $*" >>"$host.script"
}

# runs TIME [TID], sleeps TIME [TID]
runs()
{
	put "$1" 64 0 u32:0 u32:"${2:-100}" u32:120 u32:120 u32:0 char16:swapper char16:"$host"
}

sleeps()
{
	local tid=${2:-100}
	put "$1" 64 "$tid" u32:"$tid" u32:0 u32:120 u32:120 u32:1 char16:"$host" char16:swapper
}

# packet FROM TO FROM_PORT TO_PORT DATA: its fields; hosts have addresses by their letter
packet()
{
	local from to
	from=$(printf '%02x' "'$1") to=$(printf '%02x' "'$2")
	echo "u64:0 u32:58 u16:0x800 u16:0 char16:eth0 hex:00000000000000000000ffff0a0000$from" \
		"hex:00000000000000000000ffff0a0000$to u16:$3 u16:$4 u32:0 u32:0 u32:16 u64:$5" \
		"u8:17 u8:0 u16:1 u16:0 u16:0"
}

# sends TIME TO FROM_PORT TO_PORT DATA [TID[:FLAGS]]
sends()
{
	put "$1" 384 "${6:-100}" "$(packet "$host" "${@:2:1}" "${@:3:3}")"
}

receives()
{
	put "$1" 386 0:8 "$(packet "$2" "$host" "${@:3:3}")"
}

softirq()
{
	put "$1" 160 0:8 u32:3
}

softirq_ends()
{
	put "$1" 161 0:8 u32:3
}

wakes()
{
	put "$1" 65 "${3:-0:8}" u32:"${2:-100}" u32:120 u32:0 char16:"$host"
}

# is_woken TIME FROM FROM_PORT TO_PORT DATA: by a packet, received at that time
is_woken()
{
	softirq $(($1 - 100))
	receives "$@"
	wakes $(($1 + 100))
	softirq_ends $(($1 + 200))
	runs $(($1 + 300))
}

# pings OTHER FROM TO: two packets each way, 4 us long, from FROM to TO, which tie the clocks
pings()
{
	local at
	for at in "$2" "$3"; do
		if [[ $host < $1 ]]; then
			sends "$at" "$1" 7 7 "$at" 0:8
			softirq $((at + 14000))
			receives $((at + 14000)) "$1" 7 7 "$((at + 1))"
			softirq_ends $((at + 14000))
		else
			softirq $((at + 4000))
			receives $((at + 4000)) "$1" 7 7 "$at"
			softirq_ends $((at + 4000))
			sends $((at + 10000)) "$1" 7 7 "$((at + 1))" 0:8
		fi
	done
}

# three_hosts: a asks b, which asks c; all trips take 10.1 us, so the clocks are found to be equal
three_hosts()
{
	begin_host a
	pings b 100000 500000
	runs 1001000
	sends 1010000 b 5000 80 0x1111
	sleeps 1011000
	is_woken 1080100 b 80 5000 0x4444
	sleeps 1090000
	pings b 1600000 2000000
	begin_host b
	pings a 100000 500000
	pings c 200000 600000
	runs 1000500
	sleeps 1000600
	is_woken 1020100 a 5000 80 0x1111
	sends 1030000 c 6000 90 0x2222
	sleeps 1031000
	is_woken 1060100 c 90 6000 0x3333
	sends 1070000 a 80 5000 0x4444
	sleeps 1071000
	pings a 1600000 2000000
	pings c 1500000 1900000
	begin_host c
	pings b 200000 600000
	runs 1000700
	sleeps 1000800
	is_woken 1040100 b 6000 90 0x2222
	sends 1050000 b 90 6000 0x3333
	sleeps 1051000
	pings b 1500000 1900000
}

make_files()
{
	for host in "$@"; do
		{
			grep -v '^rec' "$host.script"
			grep '^rec' "$host.script" | sort -s -n -k 2,2
		} | "$PROGS/mktrace" "$host"
	done
}

# path: "FROM NS WHO WHAT" of each piece of $output
path()
{
	jq -r '.path[] | "\(.from_ns) \(.duration_ns) \(.host)\(if .to_host then ">" + .to_host else "" end) \(.what)"' <<<"$output"
}

@test "a request is followed over three hosts and back, with equal numbers of threads and CPUs" {
	three_hosts
	make_files a b c
	run_ktrace critical-path --clocks own --pid 100 --host a --json a b c
	[ "$status" -eq 0 ]
	diff - <(path) <<-END
		901000 10000 a run
		911000 9100 a>b network
		920100 100 b receive
		920200 200 b wait-cpu
		920400 10600 b run
		931000 9100 b>c network
		940100 100 c receive
		940200 200 c wait-cpu
		940400 9600 c run
		950000 10100 c>b network
		960100 100 b receive
		960200 200 b wait-cpu
		960400 9600 b run
		970000 10100 b>a network
		980100 100 a receive
		980200 200 a wait-cpu
		980400 9600 a run
		990000 924000 a wait sleep
	END
	jq -e '.packets | .followed == 4 and .without_error == 4 and .no_message == 0' <<<"$output"
	jq -e '[.path[] | select(.what == "network") | .trip_ns] | all(. == 10100)' <<<"$output"
	jq -e '([.shares[].ns] | add) == 1013000' <<<"$output"
}

@test "clocks a second and 200 ppm apart: every answer is followed, and the pieces have no gap" {
	"$PROGS/mkhosts" --hosts 3 --seconds 2 --rate 50 --sched --host 1,drift=200,wall=1 \
		--host 2,drift=-200,wall=-1 .
	run_ktrace critical-path --pid 1001 --json h0 h1 h2
	[ "$status" -eq 0 ]
	jq -e '.packets | .followed > 90 and .without_error == 0 and .no_message == 0 and
		.clocks == 0 and .ambiguous == 0 and .interrupt == 0' <<<"$output"
	jq -e '([.path[].duration_ns] | add) == ([.shares[].ns] | add)' <<<"$output"
	jq -e '.path as $p | [range(1; $p | length) | $p[.].from_ns ==
		$p[. - 1].from_ns + $p[. - 1].duration_ns] | all' <<<"$output"
}

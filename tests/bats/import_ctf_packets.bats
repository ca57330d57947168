#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from ctf: packets of LTTng become net:queue and net:receive, and messages between hosts

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	"$ROOT/tests/checkers/import/make_packets" folder
	run_ktrace import --from ctf folder -o t.bin
	[ "$status" = 0 ]
}

teardown()
{
	teardown_test
}

# fields FILE NAME...: of each event, in one line
fields()
{
	"$KTRACE" list --json "$1" |
		jq -r --arg names "${*:2}" '[.fields[($names | split(" "))[]] | tostring] | join(" ")'
}

@test "import ctf: headers of packets that LTTng recorded" {
	valid_trace t.a.bin
	valid_trace t.b.bin
	fields t.a.bin dev transport protocol src_port dst_port >ports
	printf '%s\n' 'eth0 TCP 0x800 4000 80' 'eth0 TCP 0x800 4000 80' 'eth0 TCP 0x86dd 4000 80' \
		'eth0 UDP 0x800 53 5353' 'eth0 UDP 0x800 0 0' 'eth0 0 0x0 0 0' ' TCP 0x0 0 0' >expected
	cmp expected ports
	fields t.a.bin seq ack payload tcp_flags ip_id len >numbers
	printf '%s\n' '4294967280 0 0 0x2 7 54' '4294967281 1 100 0x18 8 154' '5 0 100 0x3 0 174' '0 0 100 0x0 9 142' \
		'0 0 0 0x0 10 134' '0 0 0 0x0 0 42' '77 78 0 0x12 0 0' >expected
	cmp expected numbers
	run_ktrace list t.b.bin
	[ "$(grep -c 'net:receive .*ip_src=10.0.0.1 ip_dst=10.0.0.2' <<<"$output")" = 4 ]
	[ "$(grep -c 'net:receive .*ip_src=2001:db8::1 ip_dst=2001:db8::2' <<<"$output")" = 1 ]
	# What ktrace does not have is kept.
	says 'network_header.ipv4.ttl=64'
	says 'network_header.ipv6.transport_header.tcp.flags=0x103'
}

@test "import ctf: packets of two hosts are messages" {
	"$BUILD/progs/messages" t.a.bin t.b.bin >messages
	[ "$(grep -c '^tcp 0 1 -4999999000 ' messages)" = 4 ]
	[ "$(grep -c '^udp 0 1 -4999999000 bytes=100$' messages)" = 1 ]
	grep -q '^packets: sent=7 received=7 matched=10 waiting=0 given_up=0 without_addresses=2 other=2 local=0 ' messages
	# A host alone sends to nobody.
	[[ $("$BUILD/progs/messages" t.a.bin) == 'packets: sent=0 '* ]]
}

@test "import ctf: packets of LTTng without headers stay as they are" {
	sed -i 's/_network_header_type/_other_type/g' folder/a/metadata
	run_ktrace import --from ctf folder/a -o other
	[ "$status" = 0 ]
	run_ktrace list other
	says 'ctf:net_dev_queue '
	[[ $output != *net:queue*dev=\"eth0\"* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# packets.bats - what events of the family net tell of packets: addresses, ports, sequence numbers, compared with a
# packet socket's capture and with what the programs that exchange the packets know

# shellcheck disable=SC2154 # capture sets status, output and stderr

load helpers

PACKETS=(python3 "$ROOT/tests/checkers/packets.py")

setup()
{
	requires_dev
	requires_root
	setup_test
}

teardown() { teardown_test; }

# compare WHAT ARG...: records while packets.py does this in a network namespace of its own, and compares
compare()
{
	run_ktraced --all -b 16M -e net -o t -- unshare -n "${PACKETS[@]}" "$1" known "${@:2}"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	"$KTRACE" list --json t | grep '"event":"net:' >listed
	"${PACKETS[@]}" compare known <listed
}

@test "packets that the device splits: each has its event, with the numbers of the header" {
	compare exchange tso
}

@test "packets that the kernel splits, after their event" {
	compare exchange gso
}

@test "packets that are small from the beginning" {
	compare exchange none
}

@test "headers that contradict themselves or end early: what there is is told, and does no harm" {
	compare forge $RANDOM 2000
}

@test "net:xmit has no addresses; of other packets the kernel's filter knows them" {
	run_ktraced -q --all -e 'net{ip_dst == 127.0.0.1 && transport == UDP}' -o t -- \
		unshare -n "${PACKETS[@]}" exchange known none
	[ "$status" = 0 ]
	"$KTRACE" list t >listed
	[ "$(wc -l <listed)" -gt 4 ]
	fails grep -v ' ip_dst=127\.0\.0\.1 .* transport=UDP ' listed
	run_ktraced -q --all -e 'net:receive{ip_src != 127.0.0.1 && protocol == 0x800}' -o t -- \
		unshare -n "${PACKETS[@]}" exchange known none
	[ "$status" = 0 ]
	fails grep net: <("$KTRACE" list t)
	run_ktraced -q --all -e 'net:xmit' -o t -- unshare -n "${PACKETS[@]}" exchange known none
	[ "$status" = 0 ]
	run_ktrace list t
	[[ $output == *net:xmit*' dev="lo"'* && $output != *ip_src* ]]
}

@test "addresses that are none are refused, patterns are for readers" {
	run_ktraced --all -e 'net:queue{ip_src == 10.0.0.300}' -o t -- true
	[ "$status" = 125 ]
	[[ $stderr == *"column 21: expected an IP address such as 10.0.0.1 or fe80::1, found '10.0.0.300'"* ]]
	run_ktraced --all -e 'net:queue{ip_src == 10}' -o t -- true
	[ "$status" = 125 ]
	[[ $stderr == *'expected an IP address'* ]]
	run_ktraced --all -e 'net:queue{ip_src ~ "10.*"}' -o t -- true
	[ "$status" = 125 ]
	[[ $stderr == *'the kernel cannot compare an address with a pattern'* ]]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# demo_fleet.bats - scripts/demo-fleet: three hosts with clocks that differ, a broker, a store, ClickHouse, one page

load helpers

setup()
{
	command -v nats-server >/dev/null || skip "no nats-server"
	setup_test
	DEMO=$ROOT/scripts/demo-fleet
	mkdir out
}

teardown()
{
	teardown_test
}

requires_name_spaces()
{
	unshare -Urmnp --fork --mount-proc ip link add switch type bridge 2>/dev/null || skip "needs name spaces"
}

# left: prints the processes that have the folder of this test in their command
left()
{
	pgrep -f "network $PWD/out"
}

@test "demo-fleet: each event is stored once; each request is followed through three hosts, at the true time" {
	local check=("$ROOT/tests/checkers/fleet/requests.py" "$KTRACE" out 300)
	requires_name_spaces
	capture "$DEMO" run "$PWD/out"
	show demo
	[ "$status" -eq 0 ]
	[[ $stderr == *"3 recordings on 3 hosts answered"* ]]
	"${check[@]}"
	# By default, a request that took long is shown, on all hosts.
	[[ $output =~ 'store$ ktrace list --store traces --filter '\''id == '([0-9]+) ]]
	[ "$("$KTRACE" list -c --store out/traces --filter "id == ${BASH_REMATCH[1]}")" -eq 6 ]
	if command -v clickhouse-server >/dev/null; then
		[[ $output =~ 'client  tiers:ask '[\ ]+(29|300) ]]
	fi
	# The page has all hosts, and all events.
	python3 "$ROOT/tests/checkers/html/decode.py" head out/fleet.html >head
	for host in client front back; do
		grep -q "\"$host\"" head
	done
	[ "$(python3 "$ROOT/tests/checkers/html/decode.py" events out/fleet.html | grep -c tiers:)" -eq 1800 ]
	fails left
	# A clock that was wrong in another way is noticed, and so is an event that is missing.
	sed -i 's/^front 900 /front 901 /' out/skew
	fails "${check[@]}"
	rm out/traces/back/*/*.0002.bin
	fails "${check[@]}"
}

@test "demo-fleet: interrupted, it leaves no process, name space or name of a host" {
	requires_name_spaces
	start demo "$DEMO" run "$PWD/out"
	retry 0.1 test -e out/traces/client
	left
	kill -INT "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	retry 0.1 fails left
	fails grep -q /run/netns/front /proc/mounts
	fails grep -q 10.77.0 /etc/hosts
}

@test "demo-fleet: without name spaces it says what is missing, and that a command failed" {
	mkdir bin
	printf '#!/bin/sh\necho "unshare: Operation not permitted" >&2\nexit 1\n' >bin/unshare
	chmod +x bin/unshare
	PATH=$PWD/bin:$PATH capture "$DEMO" run "$PWD/out"
	[ "$status" -eq 1 ]
	[[ $stderr == *"Operation not permitted"*"demo-fleet: no name spaces can be made here"* ]]
	requires_name_spaces
	printf '#!/bin/sh\nexit 2\n' >bin/ip
	rm bin/unshare
	chmod +x bin/ip
	PATH=$PWD/bin:$PATH capture "$DEMO" run "$PWD/out"
	[ "$status" -eq 1 ]
	[[ $stderr == *"demo-fleet: a command failed; "*"demo-fleet: failed, or took longer than "* ]]
	fails left
}

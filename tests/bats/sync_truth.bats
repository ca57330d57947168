#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# sync_truth.bats - simulated hosts whose clocks differ: corrected times against the true ones
# runs: host
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# check_times: compares the times that the reader has for the hosts with the truth
check_times()
{
	"$KTRACE" list --json h? 2>/dev/null >listed
	capture "$ROOT/tests/checkers/sync/check.py" truth <listed
	echo "$output"
	[ "$status" -eq 0 ]
}

# hosts [OPTION...]: makes their files
hosts()
{
	"$PROGS/mkhosts" --seconds 20 "$@" .
}

# bats test_tags=shm
@test "the checker finds times outside of their intervals, and messages that go back" {
	hosts --host 1,wall=0.0001555
	"$KTRACE" list --clocks own --json h? >listed 2>/dev/null
	jq -c '.error_ns = .trace * 200000' listed >wide
	jq -c '.error_ns = .trace * 100000' listed >narrow
	run -1 "$ROOT/tests/checkers/sync/check.py" truth <wide
	[[ $output == *"server1: "*" events, 0 outside, "* ]]
	[[ $output == *[1-9]*" received before they were sent, by up to "* ]]
	run -1 "$ROOT/tests/checkers/sync/check.py" truth <narrow
	[[ $output == *"server1: "*" events, "[1-9]*" outside by up to 55"* ]]
}

# bats test_tags=shm
@test "drift, an hour apart, a wall clock that is set, segments that are joined, loss" {
	hosts --hosts 3 --sched --app --udp 10 --broadcast 5 --stranger 5 --loss 0.01 --tso --gro \
		--host 1,drift=50,wall=3600 --host 2,clock=monotonic,walk=10,wallstep=2/0.5
	check_times
}

# bats test_tags=shm
@test "a counter that jumps, by half a second and by half a millisecond" {
	hosts --host 1,drift=200,wall=0.7,step=7/0.5
	check_times
	hosts --host 0,step=12/0.3 --host 1,drift=-200
	check_times
	hosts --host 1,step=9/0.0005
	check_times
}

# bats test_tags=shm
@test "packets that overtake each other, heavy tails, one direction slower" {
	hosts --hosts 3 --loss 0.05 --reorder --gro --jitter 300,heavy --asymmetry 400 --host 2,sine=3/600
	check_times
	hosts --hosts 4 --jitter 2000,bimodal --host 3,drift=-100,ntp=20
	check_times
}

# bats test_tags=shm
@test "datagrams alone, of IPv6, and broadcasts" {
	hosts --rate 0 --udp 50 --ipv6 --host 1,drift=-30
	check_times
	hosts --rate 0 --broadcast 50 --host 1,drift=30,wall=-0.5
	check_times
}

# bats test_tags=shm
@test "a rate that changes faster than is assumed gives no interval, not a wrong one" {
	hosts --seconds 300 --rate 20 --host 1,sine=30/120
	"$KTRACE" list --json h? 2>/dev/null >listed
	capture "$ROOT/tests/checkers/sync/check.py" --unknown truth <listed
	echo "$output"
	[[ $output == *"server1: "*" events, 0 outside, "[1-9]*" unknown"* ]]
}

# memory SECONDS: most memory of ktrace sync for a recording of that length, in KiB
memory()
{
	"$PROGS/mkhosts" --compress --seconds "$1" --rate 250 --connections 2 --host 1,drift=20,walk=5 .
	python3 - "$KTRACE" sync --json h0 h1 <<-'END'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

# most CLOCKS: most memory of ktrace list for h0 and h1, in KiB
most()
{
	python3 - "$KTRACE" list --clocks "$1" h0 h1 <<-'END'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
			       stderr=subprocess.DEVNULL)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

# bats test_tags=shm
@test "eight hours: readings of the clocks and the index are in memory once" {
	local own found
	export KTRACE_CLOCKS_CACHE=
	"$PROGS/mkhosts" --seconds 28800 --rate 0.1 --host 1,drift=20 .
	own=$(most own)
	found=$(most messages)
	echo "$own KiB, $found KiB"
	[ "$found" -lt $((own + 6144)) ]
}

# bats test_tags=shm,long
@test "an hour of packets needs hardly more memory than ten minutes: what is kept is bounded" {
	local short long
	short=$(memory 600)
	long=$(memory 3600)
	echo "$short KiB, $long KiB"
	[ "$long" -lt $((short + 8192)) ]
}

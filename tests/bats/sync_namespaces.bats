#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# sync_namespaces.bats - hosts that are network name spaces of one kernel: its clock is the truth
# runs: guest
load helpers

setup()
{
	setup_test
	requires_dev
	ip netns add client
	ip netns add server
	ip link add veth0 netns client type veth peer name veth1 netns server
	ip -n client address add 10.9.0.1/24 dev veth0
	ip -n server address add 10.9.0.2/24 dev veth1
	ip -n client link set veth0 up
	ip -n server link set veth1 up
}

teardown()
{
	ip netns delete client
	ip netns delete server
	teardown_test
}

# offload tso|gso|gro on|off: at both ends
offload()
{
	ip netns exec client "$PROGS/exchange" offload veth0 "$@"
	ip netns exec server "$PROGS/exchange" offload veth1 "$@"
}

# record REQUESTS BYTES: into the file t; writes client.pid and server.pid
record()
{
	cat >run <<-END
		ip netns exec server sh -c 'echo \$\$ >server.pid; exec "$PROGS/exchange" server 7000' &
		ip netns exec client sh -c 'echo \$\$ >client.pid
			exec "$PROGS/exchange" client 10.9.0.2:7000 $1 $2 2000'
		wait
	END
	run_ktraced -e net,sched,softirq -o t -- sh run
	[ "$status" -eq 0 ]
}

# split CLIENT SERVER: how the clocks of the two differ; makes h0, h1 and truth
split()
{
	"$PROGS/split_hosts" t . "client,dev=veth0,pid=$(<client.pid)$1" "server,dev=veth1,pid=$(<server.pid)$2"
}

# check_times: the corrected times of h0 and h1 agree with the truth
check_times()
{
	"$KTRACE" list --json h0 h1 2>/dev/null | "$ROOT/tests/checkers/sync/check.py" truth
}

# largest queue|receive: the largest payload of packets of TCP
largest()
{
	"$KTRACE" list --json -e "net:$1" t | jq -s 'map(.fields | select(.transport == "TCP") | .payload) | max'
}

# bats test_tags=dev
@test "TSO and GRO off: offsets, drift, and a wall clock that is set" {
	offload tso off
	offload gso off
	offload gro off
	record "$(n 1000)" 20000
	# The kernel cuts after net:queue.
	[ "$(largest receive)" -le 1460 ]
	split ,drift=-120 ,drift=80,wall=0.9,wallstep=0.2/-0.4
	check_times
}

# bats test_tags=dev
@test "TSO and GRO on: segments are joined, and still matched" {
	offload tso on
	offload gso on
	offload gro on
	record "$(n 1000)" 200000
	[ "$(largest queue)" -gt 1460 ]
	[ "$(largest receive)" -gt 1460 ]
	split ,drift=200,wall=-1,sine=5/60 ,walk=50
	check_times
}

# bats test_tags=dev
@test "TSO on and GRO off: packets that the receiver gets as they were sent" {
	offload tso on
	offload gro off
	record "$(n 1000)" 100000
	split ,clock=monotonic,uptime=30 ,drift=-40,step=0.2/0.5
	check_times
}

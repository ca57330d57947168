#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# sync_vms.bats - three virtual machines whose clocks run apart and are set: a client and two servers
# runs: host
load helpers
load own_vm

setup() { setup_test; }

teardown()
{
	[ -z "${witness:-}" ] || kill "$witness" 2>/dev/null || true
	teardown_test
}

# guest NUMBER NAME CLOCK: starts it; what it records is the file NAME.run. CLOCK: as shared_clock has
# it. Received packets are of no process, so it records all of them.
guest()
{
	cat >"$2.sh" <<-END
		set -e
		hostname $2
		modprobe virtio_net
		insmod "$modules/ktrace.ko" clock=monotonic
		ip address add 10.8.0.$1/24 dev eth0
		ip link set eth0 up
		"$PROGS/shared_clock" guest $1 /mnt/out/$2.log $3 &
		# The clocks have been compared for some time before and after.
		sleep 2
		[ $1 != 1 ] || for server in 2 3; do
			until busybox nc -w 5 10.8.0.\$server 7001 </dev/null; do sleep 0.5; done
		done
		"$KTRACED" --backend=dev --all -e net,sched,softirq,app -o /mnt/out/$2.bin -- sh $2.run
		sleep 1
		kill %1
	END
	"$VM" run -k "$KERNEL" -c 1 -m 512 -t 600 -o "$PWD/out" -j "$1:$port:$PWD/shared" -- \
		bash "$PWD/$2.sh" >"$2.out" 2>&1 &
	guests+=($!)
}

# bats test_tags=long
@test "every request is followed between machines, and no message goes back in time" {
	local guests=() check one port=$((20000 + $$ % 20000)) witness
	modules_for_vm
	mkdir out
	truncate -s 1M shared
	"$PROGS/shared_clock" host shared 3 out/host.log &
	witness=$!
	for one in server1 server2; do
		echo "busybox nc -l -p 7001 </dev/null >/dev/null & exec '$PROGS/exchange' server 7000" >$one.run
	done
	echo "exec '$PROGS/exchange' client 10.8.0.2:7000 10.8.0.3:7000 300 10000 30000" >client.run
	guest 1 client ''
	guest 2 server1 '200 900'
	guest 3 server2 '-200 -700 10 500'
	for one in "${guests[@]}"; do
		wait "$one" || { tail -n 20 ./*.out; false; }
	done
	kill "$witness"
	run_ktrace sync --reference client out/client.bin out/server1.bin out/server2.bin
	[ "$status" -eq 0 ]
	[ "$(grep -c ': accurate, offset' <<<"$output")" -eq 2 ]
	"$KTRACE" list --json out/client.bin out/server1.bin out/server2.bin >events
	"$KTRACE" flow --json out/client.bin out/server1.bin out/server2.bin >flow
	check=("$ROOT/tests/checkers/sync/vms.py" events flow out/host.log out/{client,server1,server2}.log)
	run "${check[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	grep -qx 'requests: 300, 300 followed; messages: [0-9]*, 0 go back' <<<"$output"
	# A stated error that is too small is noticed.
	sed -i -E 's/"error_ns":([0-9]+)[0-9]{2}([,}])/"error_ns":\1\2/' events
	fails "${check[@]}"
}

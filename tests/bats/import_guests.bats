#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace import --from trace-dat: two machines that trace-cmd has recorded together, and its report.
# It reaches its agent by TCP: these machines have no vsock.

# shellcheck disable=SC2154 # capture sets status and output

load helpers
load own_vm

EVENTS="-e sched_switch -e net_dev_queue -e netif_receive_skb"

setup() { setup_test; }
teardown() { teardown_test; }

# machine NUMBER NAME: starts one, which runs NAME.sh
machine()
{
	cat >"$2.start" <<-END
		set -e
		hostname $2
		modprobe virtio_net
		ip link set lo up
		ip address add 10.8.0.$1/24 dev eth0
		ip link set eth0 up
		mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
		. "$PWD/$2.sh"
	END
	"$VM" run -k "$KERNEL" -c 1 -m 512 -t 900 -o "$PWD/out" -j "$1:$port:$PWD/shared" -- \
		bash "$PWD/$2.start" >"$2.out" 2>&1 &
	machines+=($!)
}

# stamps FILE: times, in ns, and names of events that trace-cmd reports
stamps()
{
	trace-cmd report -t "$1" 2>/dev/null | sed -nE 's/.* ([0-9]+)\.([0-9]{9}): ([a-z_]+):.*/\1\2 \3/p'
}

# bats test_tags=long
@test "import trace-dat: a guest that trace-cmd has recorded with its host" {
	local machines=() port=$((20000 + $$ % 20000)) one
	command -v trace-cmd >/dev/null || skip "no trace-cmd"
	mkdir out
	truncate -s 1M shared
	cat >guest.sh <<-'END'
		trace-cmd agent -N 10.8.0.1 -p 823 &
		until [ -e /mnt/out/done ]; do sleep 1; done
	END
	# To compare the clocks takes trace-cmd some 20 seconds before and after.
	cat >host.sh <<-END
		cd /mnt/out
		trap 'touch done' EXIT
		echo 10.8.0.2 guest >>/etc/hosts
		until busybox ping -c 1 -W 1 10.8.0.2 >/dev/null; do sleep 0.5; done
		sleep 3
		timeout 600 trace-cmd record -C mono --date $EVENTS --tsync-interval 0 -o t.dat \
			-A 10.8.0.2:823 --name guest -C mono $EVENTS busybox ping -c 5 10.8.0.2
	END
	machine 2 guest
	machine 1 host
	for one in "${machines[@]}"; do
		wait "$one" || { tail -n 20 ./*.out; false; }
	done
	# With two samples of the clocks, times are shifted by different amounts.
	[ "$(trace-cmd dump --options out/t-guest.dat | grep -c 'samples count for CPU 0')" = 1 ]
	run_ktrace import --from trace-dat out/t.dat out/t-guest.dat -o t
	[ "$status" = 0 ]
	says "t-guest.dat: its times are shifted to its host's clock, .*; how wrong they may be the file does not say"
	for one in t t-guest; do
		stamps "out/$one.dat" >"$one.theirs"
		[ -s "$one.theirs" ]
	done
	"$KTRACE" list --json t.guest | jq -r '"\(.time) \(.event)"' | sed 's/\.//; s/ sched:switch/ sched_switch/; s/ net:/ /' >ours
	diff t-guest.theirs ours
	"$KTRACE" list --json t.host | jq -r '"\(.time) \(.event)"' | sed 's/\.//; s/ sched:switch/ sched_switch/; s/ net:/ /' >ours
	diff t.theirs ours
	run_ktrace sync t.host t.guest
	says '^guest: absent'
}

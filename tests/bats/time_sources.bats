#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# time_sources.bats - what the kernel, chrony and ptp4l say about the clock of the host
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# alone COMMAND...: as root in name spaces of its own, with an empty /run and only a loopback interface
alone()
{
	requires_root
	unshare -mn true 2>/dev/null || skip "needs network name spaces"
	# shellcheck disable=SC2016 # for the shell within
	capture unshare -mn bash -ec 'mount -t tmpfs none /run; ip link set lo up; "$@"' - "$@"
	show alone
}

requires_chrony()
{
	[ -x /usr/bin/chronyc ] && [ -x /usr/sbin/chronyd ] || skip "needs chrony"
}

# with_chrony COMMAND...: where chronyd follows another one, which is its own reference. Neither sets the clock.
with_chrony()
{
	cat >server.conf <<-END
	local stratum 5
	port 11123
	bindaddress 127.0.0.1
	allow 127.0.0.1
	cmdport 0
	bindcmdaddress /run/chrony/server/chronyd.sock
	pidfile /run/chrony/server/chronyd.pid
	END
	cat >client.conf <<-END
	server 127.0.0.1 port 11123 minpoll -4 maxpoll -4 iburst
	port 0
	pidfile /run/chrony/chronyd.pid
	END
	cat >chrony.sh <<-'END'
	set -e
	mkdir -p /run/chrony/server
	chmod 750 /run/chrony /run/chrony/server
	chronyd -x -u root -d -f "$PWD/server.conf" >server.log 2>&1 & server=$!
	chronyd -x -u root -d -f "$PWD/client.conf" >client.log 2>&1 & client=$!
	for ((i = 0; i < 300; i++)); do
		[[ $(chronyc -c -n tracking) != *,Normal ]] || break
		sleep 0.1
	done
	chronyc -c -n tracking >before
	status=0
	"$@" || status=$?
	chronyc -c -n tracking >after
	kill $client $server
	wait || true
	exit $status
	END
	alone bash chrony.sh "$@"
}

@test "each reading of the clocks has the kernel's estimate, and CLOCK_MONOTONIC_RAW" {
	run_ktraced -o t -- sleep 1.5
	[ "$status" -eq 0 ]
	meta_lines t clock >clocks
	[ "$(wc -l <clocks)" -ge 3 ]
	python3 - <<-'END'
	import ctypes, time
	class Timex(ctypes.Structure):
	    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
	                ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("constant", ctypes.c_long), ("precision", ctypes.c_long),
	                ("tolerance", ctypes.c_long), ("time", ctypes.c_long * 2), ("tick", ctypes.c_long), ("rest", ctypes.c_char * 256)]
	now = Timex(0)
	state = ctypes.CDLL(None).adjtimex(ctypes.byref(now))
	synced = int(state != 5 and not now.status & 64)
	read = [dict(pair.split("=", 1) for pair in line.split()[1:]) for line in open("clocks")]
	for c in read:
	    assert len(c) <= 15, c		# a reader takes 16 pairs
	    assert int(c["max_error_ns"]) <= (now.maxerror + 1000) * 1000 or synced, c
	    assert int(c["synced"]) == synced and int(c["est_error_ns"]) >= 0, c
	    assert abs(int(c["freq_ppb"]) - (now.freq * 1000 / 65536 + (now.tick - 10000) * 100000)) < 1000, c
	a, b = read[0], read[-1]
	mono, raw = (int(b[k]) - int(a[k]) for k in ("mono_ns", "raw_mono_ns"))
	assert abs(mono - raw) < mono / 1000 + 1000, (mono, raw)
	END
	run_ktrace info t
	[[ $output == *"  error     wall clock at most "*" s off, as the kernel says; "* ]]
	run_ktrace info --json t
	[ "$(jq '.files[0] | .max_error_ns >= .est_error_ns and .unsynced_readings <= .readings' <<<"$output")" = true ]
	valid_trace t
}

# bats test_tags=shm
@test "chrony: what the file has is what chronyc says, in each part" {
	requires_chrony
	with_chrony "$KTRACED" --backend=shm -q --clock-sources chrony --split-time 700ms -o t.bin -- "$PROGS/flood" -n 20 -u 150000
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	parts=(t.*.bin)
	[ ${#parts[@]} -gt 2 ]
	for f in "${parts[@]}"; do
		[ "$(meta_lines "$f" timesource | wc -l)" -eq 1 ]
		[ "$("$KTRACE" info --json "$f" | jq -c '.files[0].time_sources[0] | [.source, .state, .reference, .answers]')" = \
			'["chrony","Normal","7F000001",1]' ]
		valid_trace "$f"
	done
	run_ktrace info --json "${parts[@]}"
	jq -e '.files[0].time_sources == [.files[0].time_sources[0]] and .files[0].time_sources[0].answers == 1' <<<"$output"
	jq -c '.files[0].time_sources[0]' <<<"$output" >said
	# Both answers around it are of the same order: a few microseconds, on one machine.
	python3 - <<-'END'
	import json
	said = json.load(open("said"))
	near = [[float(f) for f in open(name).read().split(",")[2:13]] for name in ("before", "after")]
	assert said["stratum"] == 6 and all(f[0] == 6 for f in near), near
	assert abs(said["offset_ns"]) < 1e6 and 0 <= said["dispersion_ns"] < 1e9, said
	assert 0 < said["delay_ns"] < 1e7, said
	# The client's clock is the server's: it is ahead exactly if chrony wants to slow it down.
	low, high = sorted(-f[2] * 1e9 for f in near)
	assert low - 1e5 <= said["offset_ns"] <= high + 1e5, (said, near)
	END
}

# bats test_tags=shm
@test "chrony answers other users, who may not look into its folder" {
	requires_chrony
	let_others_in
	mkdir out
	chown 12345 out
	# shellcheck disable=SC2016
	with_chrony setpriv --reuid 12345 --clear-groups "$KTRACED" --backend=shm -o out/t -- sleep 1
	[ "$status" -eq 0 ]
	[[ $(meta_lines out/t timesource) == "timesource ts="*" name=chrony state=Normal ref=7F000001 stratum=6 "* ]]
	[[ $stderr != *"is not recorded"* ]]
}

# bats test_tags=shm
@test "chrony is not asked if it does not run, or --clock-sources says so" {
	requires_chrony
	with_chrony "$KTRACED" --backend=shm --clock-sources none -o t -- sleep 1
	[ "$status" -eq 0 ]
	[ -z "$(meta_lines t timesource)" ]
	[[ $stderr != *chrony* ]]
	alone "$KTRACED" --backend=shm -o t -- sleep 0.3
	[ -z "$(meta_lines t timesource)" ]
	[[ $stderr != *chrony* && $stderr != *ptp4l* ]]
	alone "$KTRACED" --backend=shm --clock-sources chrony,ptp4l -o t -- sleep 0.3
	[ "$status" -eq 0 ]
	[ -z "$(meta_lines t timesource)" ]
	[[ $stderr == *"what chrony says about the clock is not recorded: /run/chrony/chronyd.sock does not exist"* ]]
	[[ $stderr == *"what ptp4l says about the clock is not recorded: /run/ptp4l does not exist"* ]]
}

# with_program SCRIPT COMMAND...: where chrony seems to run, and /usr/bin/chronyc is SCRIPT
with_program()
{
	printf '%s\n' '#!/bin/sh' "$1" >chronyc
	chmod 755 chronyc
	# shellcheck disable=SC2016
	alone bash -ec 'mkdir /run/chrony; : >/run/chrony/chronyd.sock; mount --bind chronyc /usr/bin/chronyc; "$@"' - "${@:2}"
}

# bats test_tags=shm
@test "a program that hangs is killed after 2 s, delays nothing, and the file says so" {
	requires_chrony
	with_program "echo \$\$ >'$PWD/pid'; exec sleep 600" "$KTRACED" --backend=shm --json -o t -- sleep 3
	[ "$status" -eq 0 ]
	[[ $stderr == *"what chrony says about the clock is not recorded: it did not answer in 2 s and was killed"* ]]
	[[ $(meta_lines t timesource) == "timesource ts="*" name=chrony state=no-answer" ]]
	[ ! -e "/proc/$(<pid)" ]
	# A shorter recording does not wait for it.
	with_program "echo \$\$ >'$PWD/pid'; exec sleep 600" "$KTRACED" --backend=shm --json -o t -- sleep 0.2
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 <<<"$stderr" | jq '.duration_ns < 2e9')" = true ]
	[ -z "$(meta_lines t timesource)" ]
	retry 0.1 is_gone "$(<pid)"
}

# bats test_tags=shm
@test "output that is not understood, too long or hostile is said, and goes nowhere" {
	requires_chrony
	for script in 'echo 506 Cannot talk to daemon' 'yes' 'printf "\0"' \
		"echo '7F000001,x,6,1.1,0.1,0.1,0.1,0.1,0.4,5.7,0.1,0.1,0.1,Normal
timesource ts=1 name=forged,'"; do
		with_program "$script" "$KTRACED" --backend=shm -o t -- sleep 0.5
		[ "$status" -eq 0 ]
		[[ $stderr == *"what chrony says about the clock is not recorded: it"* ]]
		[[ $(meta_lines t timesource) == "timesource ts="*" name=chrony state="*"-answer" ]]
		valid_trace t
	done
}

# bats test_tags=shm
@test "the program has a fixed environment, no input, and no descriptors of ktraced" {
	requires_chrony
	with_program "tr '\\0' '\\n' </proc/\$\$/environ >'$PWD/env'; ls -l /proc/\$\$/fd >'$PWD/fds'; exit" \
		env SECRET=1 LD_PRELOAD= "$KTRACED" --backend=shm -o t -- sleep 0.5
	[ "$(sort env)" = $'LC_ALL=C\nPATH=/usr/sbin:/usr/bin:/sbin:/bin' ]
	[ "$(grep -c ' 0 -> /dev/null$' fds)" -eq 1 ]
	[ "$(grep -c ' 2 -> /dev/null$' fds)" -eq 1 ]
	! grep -E 'ktrace-|eventpoll|timerfd|signalfd|/t$' fds || false
}

# bats test_tags=shm
@test "ptp4l: what the file has is what pmc says" {
	[ -x /usr/sbin/pmc ] && [ -x /usr/sbin/ptp4l ] || skip "needs linuxptp"
	printf '%s\n' '[global]' 'free_running 1' 'logSyncInterval -3' 'logAnnounceInterval -1' \
		'logMinDelayReqInterval -3' >common.conf
	{ cat common.conf; printf '%s\n' 'priority1 10' 'uds_address /run/ptp4l-master'; } >master.conf
	{ cat common.conf; echo 'slaveOnly 1'; } >slave.conf
	cat >ptp.sh <<-'END'
	set -e
	mkdir /run/netns
	ip netns add peer
	ip link add v0 type veth peer name v1 netns peer
	ip addr add 10.9.9.1/24 dev v0
	ip link set v0 up
	ip -n peer addr add 10.9.9.2/24 dev v1
	ip -n peer link set v1 up
	# Software time stamps; neither sets the clock.
	ip netns exec peer ptp4l -S -4 -E -i v1 -f master.conf -m >master.log 2>&1 & master=$!
	ptp4l -S -4 -E -i v0 -f slave.conf -m >slave.log 2>&1 & slave=$!
	for ((i = 0; i < 300; i++)); do
		pmc -u -b 0 'GET CURRENT_DATA_SET' 'GET TIME_STATUS_NP' 'GET PORT_DATA_SET' >said || true
		! grep -q 'gmPresent.*true' said || ! grep -qE 'meanPathDelay *[1-9]' said || break
		sleep 0.1
	done
	status=0
	"$@" || status=$?
	kill $slave $master
	wait || true
	exit $status
	END
	alone bash ptp.sh "$KTRACED" --backend=shm -q --clock-sources ptp4l -o t -- sleep 1
	[ "$status" -eq 0 ] || {
		grep -q veth slave.log && skip "no veth here"
		false
	}
	[ -z "$stderr" ]
	master=$(sed -n 's/^.*gmIdentity *//p' said)
	state=$(sed -n 's/^.*portState *//p' said)
	[ -n "$master" ]
	[[ $(meta_lines t timesource) == "timesource ts="*" name=ptp4l state="*" ref=$master stratum=1 offset_ns="*" delay_ns="* ]]
	run_ktrace info --json t
	jq -e --arg state "$state" '.files[0].time_sources[0] | .source == "ptp4l" and (.state == $state or .state == "SLAVE") and
		.delay_ns > 0 and .delay_ns < 1e8 and .offset_ns > -1e8 and .offset_ns < 1e8' <<<"$output"
}

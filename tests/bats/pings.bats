#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# pings.bats - ktraced --ping, --answer-pings: recorders of several hosts exchange time stamps
load helpers

setup()
{
	setup_test
	BOOT=11111111-2222-3333-4444-555566667777
	read -r OWN </proc/sys/kernel/random/boot_id
}

teardown() { teardown_test; }

# on_other_host COMMAND...: with another boot id and, 10^5 s ahead, another CLOCK_MONOTONIC; "exec" keeps its pid
on_other_host()
{
	echo "$BOOT" >boot_id
	printf '%s\n' unshare -mT --monotonic 100000 bash -ec \
		'mount --bind boot_id /proc/sys/kernel/random/boot_id; exec "$@"' - "$@" >other_host
	mapfile -t OTHER <other_host
}

requires_other_host()
{
	requires_root
	unshare -mT --monotonic 100000 true 2>/dev/null || skip "needs time name spaces"
	# Names of hosts are not looked up, and nothing else answers there.
	unshare -n true 2>/dev/null || skip "needs network name spaces"
}

# check_order FILE PEER OFFSET: prints the number of pings asked and answered; no packet of FILE came before it was sent,
# when the clock of PEER, in ns, is OFFSET ahead
check_order()
{
	meta_lines "$1" ping >pings
	meta_lines "$1" clock >clocks
	meta_lines "$2" clock >peer_clocks
	python3 - "$3" <<-'END'
	import sys
	def read(name):
	    return [dict(pair.split("=", 1) for pair in line.split()[1:]) for line in open(name)]
	def mono(raw, clocks):
	    a, b = clocks[0], clocks[-1]
	    a_raw, b_raw, a_ns, b_ns = (int(c[k]) for k in ("raw", "mono_ns") for c in (a, b))
	    return a_ns + (raw - a_raw) * (b_ns - a_ns) / (b_raw - a_raw)
	own, peer, offset = read("clocks"), read("peer_clocks"), int(sys.argv[1])
	asked = answered = 0
	for p in read("pings"):
	    sent, received = mono(int(p["sent"]), own), mono(int(p["received"]), own)
	    there = mono(int(p["received_there"]), peer) - offset
	    sent_there = mono(int(p["sent_there"]), peer) - offset
	    # 50 us: the clock lines and their straight line are not exact
	    assert there > sent - 5e4 and received > sent_there - 5e4, p
	    assert there - sent < 1e9 and received - sent_there < 1e9, p
	    # CLOCK_MONOTONIC there is read just after the stamp.
	    assert -5e4 < int(p["received_there_ns"]) - offset - there < 1e8, p
	    if int(p["sent"]) < int(p["received"]):
	        asked += 1
	        assert int(p["received_there"]) <= int(p["sent_there"]), p
	        assert int(p["ts"]) == int(p["received"]), p
	    else:
	        answered += 1
	        assert int(p["sent_there"]) <= int(p["received_there"]), p
	        assert int(p["ts"]) == int(p["sent"]), p
	print(asked, answered)
	END
}

# bats test_tags=shm
@test "both recorders have the four stamps of each ping, and no packet arrives before it was sent" {
	requires_other_host
	on_other_host "$KTRACED" --backend=shm -q --ping '[::1]:4000' --ping 127.0.0.1:4000 --ping-interval 100ms -o b -- sleep 2
	# shellcheck disable=SC2016 # for the shell in the name space
	capture unshare -n bash -ec 'ip link set lo up
		"$1" --backend=shm -q --answer-pings 4000 -o a -- sleep 600 & pid=$!
		"${@:2}"
		kill $pid
		wait $pid || true' - "$KTRACED" "${OTHER[@]}"
	show both
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	[[ $(meta_lines b host) == *" boot=$BOOT" ]]
	read -r asked none < <(check_order b a -100000000000000)
	[ "$asked" -gt 10 ]
	[ "$none" -eq 0 ]
	read -r none answered < <(check_order a b 100000000000000)
	[ "$none" -eq 0 ]
	# The last one has no further question that tells of it.
	[ "$answered" -gt 10 ] && [ "$answered" -le "$asked" ]
	run_ktrace info b
	[[ $output == *"  pings     "*" to [::1]:4000, boot $OWN, round trip 0.0"*" s or more"* ]]
	[[ $output == *"  pings     "*" to 127.0.0.1:4000, boot $OWN, round trip 0.0"* ]]
	run_ktrace info --json a
	[ "$(jq -r '.files[0].pings | map(select(.boot == "'"$BOOT"'" and .answered)) | map(.count) | add' <<<"$output")" -eq "$answered" ]
	[ "$(jq -r '[.files[0].pings[].peer] | sort | join(" ")' <<<"$output")" = "127.0.0.1 ::1" ]
	valid_trace a
	valid_trace b
}

# bats test_tags=shm
@test "parts have their own pings, and together all of them; an extract has them, too" {
	requires_other_host
	on_other_host "$KTRACED" --backend=shm -q --ping 127.0.0.1:4000 --ping-interval 100ms --split-time 700ms -o b.bin -- "$PROGS/flood" -n 20 -u 150000
	# shellcheck disable=SC2016
	capture unshare -n bash -ec 'ip link set lo up
		"$1" --backend=shm -q --answer-pings 127.0.0.1:4000 -o a -- sleep 600 & pid=$!
		"${@:2}"
		kill $pid
		wait $pid || true' - "$KTRACED" "${OTHER[@]}"
	show both
	[ "$status" -eq 0 ]
	sum=0
	for f in b.*.bin; do
		n=$("$KTRACE" info --json "$f" | jq '[.files[0].pings[]?.count] | add // 0')
		[ "$n" -eq "$(meta_lines "$f" ping | wc -l)" ]
		sum=$((sum + n))
	done
	[ "$(find . -name 'b.*.bin' | wc -l)" -gt 2 ]
	[ "$sum" -gt 10 ]
	[ "$("$KTRACE" info --json b.*.bin | jq '[.files[0].pings[]?.count] | add')" -eq "$sum" ]
	"$KTRACE" cut --since 1s -o new b.*.bin
	[ "$("$KTRACE" info --json new | jq '[.files[0].pings[]?.count] | add')" -eq "$sum" ]
}

# ask: asks the recorder at port 4000, in Python; prints what comes back
ask()
{
	cat >ask.py <<-'END'
	import socket, struct, sys, time
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.connect(("127.0.0.1", 4000))
	s.settimeout(0.3)
	boot = bytes.fromhex("0123456789abcdef0123456789abcdef")
	def question(nonce=7, kind=1, version=1, magic=b"KTPG", clock=2, zero=0, first=(1, 2), second=(0, 0), token=0, tail=bytes(32)):
	    return struct.pack(">4sBBBBQ16sQQQQQ", magic, version, kind, clock, zero, nonce, boot, *first, *second, token) + tail
	def answer():
	    try:
	        return s.recv(2048)
	    except socket.timeout:
	        return None
	END
	cat >>ask.py
	python3 ask.py
}

# bats test_tags=shm
@test "only a valid question has an answer, which is not larger, and the rest is counted" {
	start_ktraced --answer-pings 127.0.0.1:4000 -o a -- sh -c 'echo ready; exec sleep 60'
	retry 0.1 has ktraced.out ready
	ask <<-'END'
	good = question()
	bad = [b"", b"x", good[:-1], good + b"x", bytes(104), bytes(2000), question(version=2), question(version=0), question(magic=b"KTPH"),
	       question(kind=2), question(kind=0), question(clock=0), question(clock=3), question(zero=1), question(tail=b"k" * 32)]
	for data in bad:
	    s.send(data)
	assert answer() is None
	s.send(question(nonce=0x1122334455667788))
	data = answer()
	assert len(data) == len(good) == 104 and data[:7] == b"KTPG\1\2" + data[6:7] and data[8:16] == bytes.fromhex("1122334455667788")
	raw, ns, sent, sent_ns, token = struct.unpack(">QQQQQ", data[32:72])
	assert raw <= sent and ns <= sent_ns and token, data
	# Made-up times, with a token that is not the last one, and then with it, but impossible
	s.send(question(token=token ^ 1, second=(5, 5)))
	raw, ns, sent, sent_ns, token = struct.unpack(">QQQQQ", answer()[32:72])
	s.send(question(token=token, first=(9, 9), second=(0, 0)))
	raw, ns, sent, sent_ns, token = struct.unpack(">QQQQQ", answer()[32:72])
	# A whole second of questions: no more than 20 answers
	time.sleep(1.1)
	for i in range(1000):
	    s.send(good)
	nr = 0
	while answer():
	    nr += 1
	assert 0 < nr <= 40, nr		# a second may end meanwhile
	open("answered", "w").write(f"{nr + 3}\n")
	END
	kill -TERM "$pid"
	wait_for "$pid"
	read -r nr <answered
	# The kernel drops some of so many.
	[[ $stderr =~ "--answer-pings: $nr pings answered; ignored: 15 strange datagrams, "([0-9]+)" pings beyond the limits, 1 times of other answers, 1 impossible times; 0 answers could not be sent" ]]
	[ "${BASH_REMATCH[1]}" -gt 100 ] && [ "${BASH_REMATCH[1]}" -le $((1003 - nr)) ]
	[ "$(meta_lines a ping | wc -l)" -eq 0 ]
	valid_trace a
}

# bats test_tags=shm
@test "a question has an answer only from the peer that it went to, with its nonce" {
	cat >answer.py <<-'END'
	import socket, struct, sys
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.bind(("127.0.0.1", 4000))
	other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	print("ready", flush=True)
	def answer(nonce, boot, first, second, kind=2):
	    return struct.pack(">4sBBBBQ16sQQQQQ", b"KTPG", 1, kind, 2, 0, nonce, boot, *first, *second, 5) + bytes(32)
	boot = bytes.fromhex("0123456789abcdef0123456789abcdef")
	own = bytes.fromhex(sys.argv[1].replace("-", ""))
	for i in range(8):
	    data, addr = s.recvfrom(2048)
	    nonce, = struct.unpack(">Q", data[8:16])
	    if i == 0:
	        s.sendto(b"x", addr)
	        s.sendto(answer(nonce ^ 1, boot, (1, 1), (2, 2)), addr)
	        s.sendto(answer(nonce, boot, (1, 1), (2, 2), kind=1), addr)
	        other.sendto(answer(nonce, boot, (1, 1), (2, 2)), addr)
	    elif i == 1:		# sent before it was received
	        s.sendto(answer(nonce, boot, (2, 2), (1, 1)), addr)
	    elif i == 2:		# this host itself
	        s.sendto(answer(nonce, own, (1, 1), (2, 2)), addr)
	    elif i == 3:		# twice
	        s.sendto(answer(nonce, boot, (10, 11), (20, 21)), addr)
	        s.sendto(answer(nonce, boot, (10, 11), (20, 21)), addr)
	    elif i == 4:		# its stamp and the token of the answer come with the next question
	        second = struct.unpack(">QQQ", data[48:72])
	        assert second[0] and second[1] and second[2] == 5, second
	    elif i == 5:
	        assert data[48:72] == bytes(24)
	print("done", flush=True)
	END
	start answer python3 answer.py "$OWN"
	answerer=$pid
	retry 0.1 has answer.out ready
	start_ktraced --ping 127.0.0.1:4000 --ping-interval 100ms -o a -- sleep 60
	retry 0.1 has answer.out "done"
	kill -TERM "$pid"
	wait_for "$pid"
	[[ $stderr == *"--ping 127.0.0.1:4000: this is the same host, its answers are not recorded"* ]]
	[[ $stderr == *"--ping 127.0.0.1:4000: 3 of "*" pings answered; 4 datagrams ignored, 1 answers with impossible times"* ]]
	[[ $(meta_lines a ping) == "ping ts="*" peer_boot=01234567-89ab-cdef-0123-456789abcdef peer=127.0.0.1:4000 peer_clock=monotonic sent="*" received_there=10 sent_there=20 received="*" received_there_ns=11 sent_there_ns=21" ]]
	is_gone "$answerer" || wait "$answerer"
}

# bats test_tags=shm
@test "pings without an answer are said, and do no harm" {
	run_ktraced --ping 127.0.0.1:9 --ping-interval 100ms -o a -- sleep 0.5
	[ "$status" -eq 0 ]
	[[ $stderr == *"--ping 127.0.0.1:9: 0 of "*" pings answered; 0 datagrams ignored, 0 answers with impossible times; last error: Connection refused"* ]]
	valid_trace a
}

# refuses MESSAGE ARG...
refuses()
{
	run_ktraced "${@:2}" -o refused -- touch started
	[ "$status" -eq 125 ] && [[ $stderr == *"$1"* ]] && [ ! -e started ] && [ ! -e refused ]
}

# bats test_tags=shm
@test "wrong options, an unknown host and a port that is taken end ktraced before the command" {
	refuses "--ping needs HOST or HOST:PORT, not ':1'" --ping :1
	refuses "--ping-interval needs a time of 100ms or more, not '99ms'" --ping a --ping-interval 99ms
	refuses "--ping-interval needs --ping" --ping-interval 1s
	refuses "--answer-pings needs PORT or ADDRESS:PORT, not '127.0.0.1'" --answer-pings 127.0.0.1
	refuses "--answer-pings 192.0.2.1:4000: Cannot assign requested address" --answer-pings 192.0.2.1:4000
	refuses "--answer-pings localhost:4000: " --answer-pings localhost:4000
	refuses "--ping a..b: " --ping a..b
	refuses "--clock-sources needs none, or chrony, ptp4l or both, not 'ntpd'" --clock-sources ntpd
	refuses "too many hosts to ping, at 'a'" --ping={b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,b,a}
	capture "$KTRACED" --recover --list --answer-pings 1
	[ "$status" -eq 125 ]
	[[ $stderr == *"--ping, --answer-pings and --clock-sources apply only to a recording"* ]]
	start holder python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 4000))
print("ready", flush=True)
time.sleep(60)'
	retry 0.1 has holder.out ready
	refuses "--answer-pings 127.0.0.1:4000: Address already in use" --answer-pings 127.0.0.1:4000
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# hostile.bats - programs of a session, and other users, that mean harm
#
# What has to hold: ktraced and the machine are unharmed, the damage is counted, files can
# be read, other programs and other sessions record as if nothing had happened.
load helpers

setup() { setup_test; }
teardown()
{
	rm -rf "/dev/shm/ktrace-$(id -u)-decoy$$"
	teardown_test
}

# decoy FILE: what a session leaves whose owner has died
decoy()
{
	python3 - "$1" <<-'END'
	import struct, sys
	page = bytearray(4096)
	struct.pack_into("<II", page, 0, 0x4b54434c, 1)
	struct.pack_into("<I", page, 216, 0x40000000)
	open(sys.argv[1], "wb").write(page)
	END
}

# bats test_tags=shm
@test "a FIFO that has the name of a session's file holds nobody up" {
	mkdir "/dev/shm/ktrace-$(id -u)-decoy$$"
	mkfifo "/dev/shm/ktrace-$(id -u)-decoy$$/user"
	run_ktraced -o t -- true
	[ "$status" -eq 0 ]
}

# bats test_tags=shm
@test "what another user calls our session is not looked at, and names are not obeyed" {
	requires_root
	decoy decoy
	capture unshare -m bash -c '
		mount -t tmpfs none /dev/shm
		dir=/dev/shm/ktrace-0-decoy"$(printf "\033[2J")"
		mkdir "$dir"
		cp decoy "$dir/user"
		chown -R 12345:12345 "$dir"
		"$0" --backend=shm -o t -- true
		chown -R 0:0 "$dir"
		"$0" --backend=shm -o t -- true
		"$0" --recover --list' "$KTRACED"
	show "$KTRACED"
	[[ $stderr != *"left behind"* && $stderr != *decoy* && $stderr != *$'\e'* ]]
	[[ $output != *decoy* ]]
}

# bounded FILE: ktraced ended well, said nothing twice, and wrote a file of sane size that
# the viewer reads to its end; its JSON is JSON
bounded()
{
	local twice
	[[ $stderr == *" events, "* ]] || return
	twice=$(sed -n 's/[0-9]\{1,\}/N/g; /^ktraced: /p' <<<"$stderr" | sort | uniq -d)
	[ -z "$twice" ] || return
	[ "$(grep -c '^ktraced: ' <<<"$stderr")" -le 16 ] || return
	[ "$(stat -c %s "$1")" -lt $((64 << 20)) ] || return
	run_ktrace info "$1" || return
	[ "$status" -le 1 ] && [ -n "$output" ] || return
	capture "$KTRACE" list --json "$1"
	[ "$status" -le 1 ] || return
	python3 -c 'import json, sys
for line in sys.stdin.buffer.read().splitlines():
	if line: json.loads(line.decode())' <<<"$output"
}

# innocent SECONDS COMMAND...: must end by itself, with status 0
innocent()
{
	timeout -k 1 "$@" >innocent.out 2>&1 || {
		echo "innocent program: status $?"
		cat innocent.out
		return 1
	}
}

@test "scribbling of all kinds, all policies: ktraced and its file are unharmed" {
	local mode policy seed=0 modes="random ones zero plausible edges mixed"
	in_guest && [ -z "${KTRACE_LONG:-}" ] && modes="edges mixed"
	for mode in $modes; do
		for policy in drop overwrite block stop; do
			seed=$((seed + 1))
			run_ktraced -o t -b 64K "--policy=$policy" \
				-- "$PROGS/scribble" "$seed" 100 "$mode"
			[ "$status" -eq 0 ]
			bounded t
		done
	done
}

# bats test_tags=alike
@test "scribbling: programs of the same session neither crash nor hang" {
	local policy
	for policy in drop overwrite block stop; do
		start_ktraced -o t -b 64K "--policy=$policy"
		retry 0.05 has ktraced.err KTRACE_SESSION
		KTRACE_SESSION=$(sed -n 's/.*KTRACE_SESSION=//p' ktraced.err)
		export KTRACE_SESSION
		"$PROGS/scribble" "$RANDOM" 60000 mixed >scribble.out 2>&1 3>&- &
		STARTED+=($!)
		innocent 120 "$PROGS/user_flood" -t 2 -n "$(n 20000)"
		innocent 120 env GLIBC_TUNABLES=glibc.pthread.rseq=0 \
			"$PROGS/user_flood" -t 2 -S -n "$(n 20000)"
		innocent 120 "$PROGS/user_flood" -t 2 -s 0:9000 -n "$(n 500)" -f 3
		unset KTRACE_SESSION
		kill "$!" 2>/dev/null || true
		kill -INT "$pid"
		wait_for "$pid"
		[ "$status" -eq 0 ]
		bounded t
	done
}

@test "scribbling: another session loses nothing and knows it" {
	start_ktraced -o hostile -b 64K -- sh -c "'$PROGS/scribble' 5 20000 mixed & \
		'$PROGS/scribble' 6 20000 edges & wait"
	retry 0.05 test -s hostile
	capture "$KTRACED" "--backend=$KTRACE_BACKEND" -e flood -o t --policy=block -- \
		"$PROGS/flood" -p 2 -t 2 -n "$(n 50000)"
	show ktraced
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

# bats test_tags=shm
@test "what a scribbler forges about a process does not keep ktraced waiting" {
	for seed in 1 2 3 4 5; do
		run_ktraced -o t -b 64K -- "$PROGS/scribble" "$seed" 100 plausible
		[ "$status" -eq 0 ]
		[[ $stderr != *waiting* ]]
	done
}

# bats test_tags=shm
@test "the session's file cut, shortened, punched, replaced, renamed: ktraced goes on" {
	before=$(sessions)
	for trick in cut shorten punch chmod unlink replace; do
		run_ktraced -e flood,hostile -o t -- sh -c "'$PROGS/flood' -n 1000 >/dev/null
			sleep 0.5; exec '$PROGS/hostile' $trick"
		[ "$status" -eq 0 ]
		[ "$output" = played ]
		[ "$trick" != punch ] || [ "$(summary corrupt)" -gt 0 ]
		bounded t
		retry 0.1 none_left "$before"
	done
}

# bats test_tags=shm
@test "the session's file is cut: that is said and counted" {
	run_ktraced -o t -- "$PROGS/hostile" cut
	[[ $stderr = *"truncated the session's memory"* ]]
	[ "$(summary corrupt)" -gt 0 ]
	run_ktraced --fail-on-loss -o t -- "$PROGS/hostile" cut
	[ "$status" -eq 125 ]
}

# bats test_tags=shm
@test "the session's file is cut while the session is being made: ktraced goes on" {
	gcc -shared -fPIC -o cut.so "$ROOT/tests/progs/user/cut_session.c"
	LD_PRELOAD=$PWD/cut.so run_ktraced -o t -- echo played
	[ "$status" -eq 0 ]
	[ "$output" = played ]
	[[ $stderr = *"truncated the session's memory"* ]]
	run_ktrace list t
	[ "$status" -eq 0 ]
}

# bats test_tags=alike
@test "more events than there are ids: how many, once each" {
	# Of those that are on: 4080, and 12288 more in shared memory
	local most=4080
	[ "$KTRACE_BACKEND" = dev ] || most=16368
	run_ktraced -o t -- "$PROGS/hostile" register $((most + 120))
	[ "$status" -eq 0 ]
	[[ $stderr = *"no room for 122 entries"* ]]
	run_ktrace events t
	[ "$(wc -l <<<"$output")" -ge "$most" ]
	run_ktrace info t
	grep -q '^  registry .* 122 entries are missing' <<<"$output"
	[ "$("$KTRACE" info --json t | jq .files[0].registry.missing)" = 122 ]
}

# registry_is MIB: how large the registry is that $dir has
registry_is()
{
	[ "$(od -An -t u8 -j 104 -N 8 "$dir/user")" -eq $(($1 << 20)) ]
}

# bats test_tags=shm
@test "programs that say more of themselves than the registry holds at first: all is known" {
	local dir size runs=0
	start_ktraced -o t
	retry 0.05 has ktraced.err KTRACE_SESSION
	KTRACE_SESSION=$(sed -n 's/.*KTRACE_SESSION=//p' ktraced.err)
	export KTRACE_SESSION
	dir=$(session_dir "$pid")
	for size in 8 16 32; do
		while [ "$runs" -lt "$size" ]; do
			# Each has 100 events of 2 KB that no other one has.
			"$PROGS/hostile" register 100 $((2000 + runs))
			runs=$((runs + 1))
		done
		retry 0.05 registry_is "$size"
	done
	unset KTRACE_SESSION
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[[ $stderr != *"registry was full"* ]]
	[ "$(grep -ac 'many:e' t)" -eq 3200 ]
}

# bats test_tags=alike
@test "names and strings that a terminal would obey are shown as text" {
	run_ktraced -o t -- "$PROGS/hostile" names
	for command in list info events "list --json" "info --json" "events --json"; do
		# shellcheck disable=SC2086 # command and option
		run_ktrace $command t
		[ "$status" -eq 0 ]
		printf '%s\n' "$output" | python3 -c 'import sys
text = sys.stdin.buffer.read().decode()
bad = [c for c in text if ord(c) < 0x20 and c != "\n" or 0x7f <= ord(c) < 0xa0]
sys.exit("control characters %r in %r" % (bad, text) if bad else 0)'
	done
	run_ktrace list --json t
	python3 -c 'import json, sys
for line in sys.stdin: event = json.loads(line); print(event["event"], event.get("comm"))
' <<<"$output"
}

# bats test_tags=shm
@test "no room in /dev/shm, few descriptors: said, and nothing is left behind" {
	requires_root
	capture unshare -m bash -c '
		mount -t tmpfs -o size=2m none /dev/shm
		"$0" --backend=shm -o t -- true
		echo "status $?, left: $(ls /dev/shm)"' "$KTRACED"
	show "$KTRACED"
	[ "$output" = "status 125, left: " ]
	[[ $stderr = *"cannot create a session"* ]]
	for n in 4 5 6 7 8 9 10 12 16; do
		capture bash -c 'ulimit -n "$1"; "$0" --backend=shm -o t -- true' "$KTRACED" "$n"
		show "$n descriptors"
		[ "$status" -eq 0 ] || [ -n "$stderr" ]
	done
	[ "$status" -eq 0 ]
}

@test "hundreds of programs attach at once: the ledger is exact" {
	run_ktraced -e flood -o t --policy=block -- "$PROGS/flood" -p "$(n 800)" -n 20
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
}

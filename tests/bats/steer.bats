#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# ktrace level: live recordings are found, shown, and record something else from then on.
# Others trace on the same host: recordings are always named, unless in a network of their own.

# shellcheck disable=SC2154 # capture and start set status, output, stderr, pid

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# is_live NAME: for retry
is_live()
{
	"$KTRACE" level "$1" >/dev/null 2>&1
}

# level ARG...: it succeeds
level()
{
	run_ktrace level "$@"
	[ "$status" = 0 ]
}

# step_on STEPS: the steady program or flood has gone so far since the call
step_on()
{
	local from
	from=$(last_at)
	retry 0.02 moves_on "$((from + $1))"
}

# start_flood OPTION...: ktraced of a flood that says how far it is; 10,000 steps a second
start_flood()
{
	start_ktraced "$@" -o t -- "$PROGS/flood" -o -m -n 0 -u 100
	retry 0.02 is_live "$pid"
}

# end_flood: it ends; what it says it wrote while its event was on is what was recorded, but
# for one event that may have been switched on while it was being written
end_flood()
{
	local min max got
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	valid_trace t
	read -r min max < <(sed -n 's/^written //p' <<<"$output")
	got=$("$KTRACE" info t | awk '$2 == "flood:item" { print $1 }')
	echo "written $min to $max, got $got"
	[ "$got" -ge "$min" ] && [ "$got" -le $((max + 1)) ]
}

# Before a command: as somebody else
AS_USER=(setpriv --reuid 12345 --regid 12345 --clear-groups)

# descriptors PID NR: it has so many; for retry
descriptors()
{
	[ "$(find "/proc/$1/fd" -mindepth 1 | wc -l)" = "$2" ]
}

# bats test_tags=shm
@test "levels change while the program runs: what is off stops, the rest goes on" {
	start_ktraced --pthread -o t -- "$PROGS/pthread_steady" 0 100
	retry 0.02 is_live "$pid"
	step_on 50
	level "$pid" sem
	step_on 100
	level "$pid" LEVEL_MUTEX_IO
	step_on 100
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	[ "$status" = 4 ]
	"$KTRACE" list --json t | grep -o '"event":"pthread:[a-z]*' | sed 's/.*://' | uniq -c |
		awk '{ print ($1 > 10 ? "long" : "short"), $2 }' | uniq -c >runs
	cat runs
	# In turn; semaphores alone, mutexes alone: each once, in this order
	awk '$2 == "long" { print $3 }' runs | paste -sd ' ' >long
	[ "$(cat long)" = "sem mutex" ]
	[ "$(tail -n 1 runs | awk '{ print $2, $3 }')" = "long mutex" ]
	grep -q 'short mutex' runs
	# The file says so: the first choice was none.
	"$KTRACE" info t | grep '^  choice ' >choices
	[ "$(sed 's/.*, levels/levels/' choices | paste -sd ';')" = \
		"levels sem, events default;levels mutex-io, events default" ]
	"$KTRACE" info --json t | grep -E '"choices":\[\{"time":"[0-9.]+","levels":"sem"\},\{"time":"[0-9.]+","levels":"mutex-io"\}\]'
}

@test "events change: off, on again, each event that was recorded is one that was written" {
	start_flood -e flood
	step_on 50
	level -e nothing "$pid"
	[[ $("$KTRACE" level "$pid") == *" nothing "* ]]
	retry 0.05 stands_still
	level -e 'flood:*,other' "$pid"
	step_on 50
	end_flood
}

# bats test_tags=shm
@test "an event that was off at the start is switched on" {
	start_flood -e other
	retry 0.02 has ktraced.out '^at 0'
	retry 0.05 stands_still
	[ "$(last_at)" = 0 ]
	level -e flood "$pid"
	step_on 50
	level -e '' "$pid"
	step_on 50
	end_flood
}

# bats test_tags=shm
@test "programs that start later go by the new choice" {
	for choice in "other flood" "flood other"; do
		read -r first second <<<"$choice"
		rm -f go
		start_ktraced -e "$first" -o t -- sh -c \
			"until [ -e go ]; do sleep 0.02; done; '$PROGS/flood' -n 100; '$PROGS/flood' -n 100"
		retry 0.02 is_live "$pid"
		level -e "$second" "$pid"
		touch go
		wait_for "$pid"
		"$KTRACE" info t >info
		if [ "$second" = flood ]; then
			grep -E '^ +200 flood:item$' info
		else
			fails grep flood:item info
		fi
	done
}

# bats test_tags=shm
@test "a recording is shown, by each of its names" {
	start_ktraced -e 'flood,demo:*' -o t -- sh -c 'echo up; while :; do sleep 0.05; done' x 'y z'
	retry 0.02 is_live "$pid"
	session=$(session_of "$pid")
	for name in "$pid" "$(child_of "$pid")" "$session" "${session##*-}"; do
		level "$name"
		[ "$(wc -l <<<"$output")" = 2 ]
		grep -E "^$pid +- +flood,demo:\* +$PWD/t +sh -c .* x y z\$" <<<"$output"
	done
	level
	grep "^$pid " <<<"$output"
	level --json "$pid"
	[ "$(jq -c '[.pid, .answers, .events, .file, .levels]' <<<"$output")" = "[$pid,1,\"flood,demo:*\",\"$PWD/t\",null]" ]
	run_ktrace level --json "$pid" mutex
	[ "$status" = 2 ]
	grep -q "ktrace level: --json lists recordings, and changes none" <<<"$stderr"
	kill -TERM "$(child_of "$pid")"
	wait "$pid" || true
	run_ktrace level "$pid"
	[ "$status" = 1 ]
	grep "ktrace level: no live recording $pid" <<<"$stderr"
}

# bats test_tags=shm
@test "what cannot be is said" {
	start_ktraced -o one -- sleep 1000
	one=$pid
	start_ktraced -o two -- sleep 1000
	retry 0.02 is_live "$one"
	retry 0.02 is_live "$pid"
	run_ktrace level -e flood
	[ "$status" = 2 ]
	grep -E "live recordings, say which:.* $pid\b" <<<"$stderr"
	run_ktrace level -e , "$pid"
	[ "$status" = 1 ]
	grep 'refused: the list of events is empty' <<<"$stderr"
	run_ktrace level -e flood,sched:swich "$pid"
	[ "$status" = 1 ]
	grep "refused: sched:swich: the kernel has no such event (did you mean 'sched:switch'?)" <<<"$stderr"
	run_ktrace level "$pid" mutex
	[ "$status" = 1 ]
	grep 'refused: it was started without --pthread' <<<"$stderr"
	run_ktrace level "$pid" mutx
	[ "$status" = 2 ]
	grep "unknown level 'mutx'; levels are none, all, io, and thread" <<<"$stderr"
	run_ktrace level mutx
	[ "$status" = 2 ]
	run_ktrace level "$pid" mutex sem
	[ "$status" = 2 ]
	run_ktrace level -e "$(printf 'x%.0s,' {1..2000})" "$pid"
	[ "$status" = 1 ]
	grep 'the list is too long' <<<"$stderr"
	run_ktrace level -e "$(printf 'x%.0s' {1..9000})" "$pid"
	[ "$status" = 2 ]
}

# bats test_tags=shm
@test "a ktraced that was killed: nothing to talk to, and what to do is said" {
	start_ktraced -o t -- sleep 1000
	retry 0.02 is_live "$pid"
	command=$(child_of "$pid")
	session=$(session_of "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	run_ktrace level "$pid" none
	[ "$status" = 1 ]
	grep "no live recording $pid" <<<"$stderr"
	grep 'ktraced --recover saves' <<<"$stderr"
	kill -KILL "$command"
	"$KTRACED" -q --recover "$session"
}

# bats test_tags=shm
@test "in a network of its own: nothing recorded, one that need not be named" {
	unshare -n true || skip "needs a network name space"
	capture unshare -n "$KTRACE" level
	[ "$status" = 1 ]
	grep 'nothing is being recorded' <<<"$stderr"
	cat >inside <<-END
		"$KTRACED" -q --backend=shm --pthread --level mutex -o t -- sh -c 'until [ -e done ]; do sleep 0.02; done' &
		until "$KTRACE" level cond,sem 2>/dev/null; do sleep 0.02; done
		"$KTRACE" level
		touch done
		wait
	END
	capture unshare -n sh inside
	show inside
	[ "$status" = 0 ]
	grep -E '^[0-9]+ +cond,sem +default +' <<<"$output"
}

# bats test_tags=shm
@test "another user is told so and changes nothing" {
	requires_root
	"${AS_USER[@]}" "$KTRACE" --version && "${AS_USER[@]}" /usr/bin/python3 --version || skip "another user has no programs here"
	# Another one, which is none of its business either, made it crash.
	start_ktraced -e flood -o other -- sleep 1000
	retry 0.02 is_live "$pid"
	start_ktraced -e flood -o t -- sleep 1000
	retry 0.02 is_live "$pid"
	capture "${AS_USER[@]}" "$KTRACE" level -e x 1
	[ "$status" = 1 ]
	grep 'no live recording 1$' <<<"$stderr"
	capture "${AS_USER[@]}" "$KTRACE" level -e x "$pid"
	[ "$status" = 1 ]
	grep "$pid is another user's recording" <<<"$stderr"
	name=$(grep -o "ktraced/0/$pid/[0-9a-f]*" /proc/net/unix)
	cat >ask.py <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind('')
		s.sendto(b'set events=x', b'\0' + sys.argv[1].encode())
		print(s.recv(65536).decode())
	END
	capture "${AS_USER[@]}" /usr/bin/python3 - "$name" <ask.py
	[ "$output" = "refused reason=only%20the%20owner%20of%20the%20recording%20and%20root%20may%20do%20that" ]
	level "$pid"
	grep -E "^$pid +- +flood +" <<<"$output"
}

# bats test_tags=shm
@test "messages that make no sense are refused or passed over" {
	start_ktraced -e flood -o t -- sleep 1000
	retry 0.02 is_live "$pid"
	cat >ask.py <<-'END'
		import array, random, socket, sys
		name = b'\0' + sys.argv[1].encode()
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind('')
		def ask(text):
		    s.sendto(text, name)
		    return s.recv(65536)
		for text in (b'', b'x', b'set', b'shower', b'show\n', b'resume', b'rotate', b'enable', b'enable events=',
		             b'disable events=none', b'disable events=,,', b'stop now', b'set levels=mutex', b'set levels=%zz',
		             b'set levels=' + b'x' * 8000):
		    assert ask(text).startswith(b'refused reason='), text
		# Without an address, with a NUL, too long, with a descriptor: no answer, and no harm
		n = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		n.sendto(b'set events=x', name)
		for text in (b'show\0', b'set events=\0', b'show' + b' ' * 9000):
		    s.sendto(text, name)
		s.sendmsg([b'show'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0, 1, 2]))], 0, name)
		assert s.recv(65536).startswith(b'ok ')
		random.seed(7)
		for i in range(500):
		    text = bytes(random.choice(b'set show status enable levels= events=%0123,:*') for _ in range(random.randrange(40)))
		    assert ask(text)[:2] in (b'ok', b're')
	END
	before=$(find "/proc/$pid/fd" -mindepth 1 | wc -l)
	capture python3 ask.py "$(grep -o "ktraced/[0-9]*/$pid/[0-9a-f]*" /proc/net/unix)"
	show ask.py
	[ "$status" = 0 ]
	retry 0.05 descriptors "$pid" "$before"
	level -e flood "$pid"
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	valid_trace t
}

# bats test_tags=shm
@test "choices are in the files that are made of others, at their time" {
	start_ktraced -e 'a b,%,flood' -o one -- sleep 1000
	retry 0.02 is_live "$pid"
	level -e $'new\nline' "$pid"
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	run_ktraced -e other -o two -- true
	"$KTRACE" info one | grep '^  choice' >first
	[ "$(sed 's/.*, events //' first | paste -sd ';')" = 'a b,%,flood;new?line' ]
	"$KTRACE" cut -o cut one
	"$KTRACE" info cut | grep '^  choice' | diff first -
	"$KTRACE" merge -o both one two
	# To the microsecond: a file that is made of others has one clock.
	{ cat first; "$KTRACE" info two | grep '^  choice'; } | sed 's/...,/,/' >all
	"$KTRACE" info both | grep '^  choice' | sed 's/...,/,/' >got
	diff <(sed 's/.*, events //' all) <(sed 's/.*, events //' got)
	[ "$(wc -l <got)" = 3 ]
}

# bats test_tags=dev
@test "kernel events are switched, too" {
	start_flood -e flood,sched:fork
	step_on 50
	level -e flood,sched "$pid"
	step_on 50
	level -e flood "$pid"
	step_on 100
	# What was reported may be older than the choice.
	step_on 100
	end_flood
	"$KTRACE" list --json t | grep -oE '"event":"(flood|sched:switch)' | sed 's/.*"//' >kinds
	grep -q sched:switch kinds
	# Off at the end, and at the start
	[ "$(tail -n 50 kinds | sort -u)" = flood ]
	[ "$(head -n 20 kinds | sort -u)" = flood ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# kill.bats - whichever process dies, at any time: nothing hangs, files are valid, the ledger holds
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

ROUNDS=${KTRACE_ROUNDS:-$(n 20)}

random_ms()
{
	echo $((RANDOM % $1))
}

@test "SIGTERM: the command gets it, what it does then is recorded, its status counts" {
	start_ktraced -o t -- sh -c 'trap "echo told; exit 3" TERM; echo up; while :; do sleep 0.05; done'
	retry 0.05 has ktraced.out up
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" -eq 3 ]
	[[ $output == *told* ]]
	valid_trace t
}

# bats test_tags=alike
@test "SIGHUP too; SIGINT and SIGQUIT sent to ktraced alone too" {
	for sig in HUP INT QUIT; do
		start_ktraced -o t -- sh -c "trap 'exit 4' $sig; echo up; while :; do sleep 0.05; done"
		retry 0.05 has ktraced.out up
		kill -"$sig" "$pid"
		wait_for "$pid"
		[ "$status" -eq 4 ]
		valid_trace t
	done
}

# bats test_tags=alike
@test "signals reach a command that outlives the recording" {
	for sig in HUP INT QUIT TERM; do
		start_ktraced -o t --duration 10ms -- \
			sh -c "trap 'exit 4' $sig; echo up; while :; do sleep 0.05; done"
		retry 0.05 has ktraced.out up
		retry 0.05 has ktraced.err ' lost'
		kill -"$sig" "$pid"
		wait_for "$pid"
		[ "$status" -eq 4 ]
		valid_trace t
	done
}

# bats test_tags=alike
@test "a command that ignores it: the second signal ends tracing" {
	start_ktraced -e flood -o t -- sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done'
	retry 0.05 test -s ktraced.out
	kill -TERM "$pid"
	# Two that wait to be taken would be one.
	retry 0.02 has "/proc/$pid/status" '^ShdPnd:[[:space:]]*0*$'
	sleep 0.1
	[ -e "/proc/$pid" ]
	kill -TERM "$pid"
	wait_for "$pid"
	kill -KILL "$output"
	[ "$status" -eq 143 ]
	valid_trace t
}

# bats test_tags=alike
@test "without a command SIGINT, SIGQUIT, SIGTERM and SIGHUP end tracing with status 0" {
	for sig in INT QUIT TERM HUP; do
		start_ktraced -o t
		retry 0.05 has ktraced.err KTRACE_SESSION
		kill -"$sig" "$pid"
		wait_for "$pid"
		[ "$status" -eq 0 ]
		valid_trace t
	done
}

# bats test_tags=alike
@test "SIGQUIT from the terminal is left to the command, however often" {
	cat >command <<-'END'
	trap 'echo stacks $((++n))' QUIT
	echo up
	while [ "${n:-0}" -lt 3 ]; do sleep 0.02; done
	exit 5
	END
	capture python3 - "$KTRACED" "--backend=$KTRACE_BACKEND" -o t -- bash command <<-'END'
	import os, pty, signal, sys
	pid, terminal = pty.fork()
	if not pid:
	    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
	    os.execv(sys.argv[1], sys.argv[1:])
	for said in "up", "stacks 1", "stacks 2", "stacks 3":
	    got = b""
	    while said.encode() not in got:
	        got += os.read(terminal, 1000)
	    if said != "stacks 3":
	        os.write(terminal, b"\x1c")
	try:
	    while os.read(terminal, 1000):
	        pass
	except OSError:
	    pass
	sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
	END
	[ "$status" -eq 5 ]
	valid_trace t
}

# bats test_tags=alike
@test "nohup is respected" {
	start ktraced nohup "$KTRACED" "--backend=$KTRACE_BACKEND" -o t -- sh -c 'echo up; sleep 0.5'
	retry 0.05 has ktraced.out up
	kill -HUP "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
}

@test "SIGPIPE does not hurt ktraced: stderr is gone" {
	"$KTRACED" "--backend=$KTRACE_BACKEND" -o t -- sh -c 'sleep 0.2; exit 6' \
		2> >(exec true) || status=$?
	[ "$status" -eq 6 ]
	valid_trace t
}

@test "ktraced killed at random moments: what it had written can be read" {
	for ((i = 0; i < ROUNDS; i++)); do
		start_ktraced -e flood -b 64K -o "t$i" -- "$PROGS/flood" -t 2 -n 1000000000
		retry 0.02 test -s "t$i"
		sleep "0.$(printf %03d "$(random_ms 300)")"
		dir=$(session_dir "$pid")
		command=$(pgrep -P "$pid")
		kill -KILL "$pid"
		wait "$pid" || true
		for c in $command; do
			kill_tree "$c"
		done
		[ -z "$dir" ] || rm -rf "$dir"
		valid_trace "t$i"
	done
}

# bats test_tags=alike
@test "ktraced killed while writers are blocked: they go on" {
	start_ktraced --policy=block -e flood -b 64K -o t -- "$PROGS/flood" -m -n 1000000000
	retry 0.02 has ktraced.out '^at [1-9]'
	dir=$(session_dir "$pid")
	command=$(pgrep -P "$pid")
	kill -STOP "$pid"
	retry 0.05 stands_still
	# It may go to another CPU, whose ring has room: 2048 events of 32 bytes.
	most=$(($(last_at) + $(nproc) * 2048))
	sleep 0.3
	fails moves_on "$most"
	kill -KILL "$pid"
	wait "$pid" || true
	retry 0.1 moves_on "$((most + 100000))"
	kill_tree "$command"
	[ -z "$dir" ] || rm -rf "$dir"
	valid_trace t
}

@test "writers killed at random moments: the ledger holds to one event a thread" {
	for ((i = 0; i < ROUNDS; i++)); do
		run_ktraced -e flood -b 256K -o t -- \
			"$PROGS/flood" -p 2 -t 2 -n 1000000000 -k "$((1 + $(random_ms 100)))"
		[ "$status" -eq 0 ]
		ledger
		valid_trace t
	done
}

@test "writers killed while they wait for room: ktraced goes on" {
	start_ktraced --policy=block -e flood -b 64K -o t -- \
		"$PROGS/flood" -p 2 -t 2 -n 1000000000 -k 500
	retry 0.02 test -s t
	sleep 0.1
	kill -STOP "$pid"
	retry 0.1 has ktraced.out ^written
	kill -CONT "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	valid_trace t
}

# bats test_tags=alike
@test "thread rings of killed writers are used again" {
	for i in 1 2; do
		GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced -e flood --thread-rings 4 \
			-b 256K --policy=block -o t -- sh -c "
			'$PROGS/flood' -p 2 -t 2 -n 1000000000 -k 50
			sleep 2.2
			'$PROGS/flood' -t 4 -n 1000"
		[ "$status" -eq 0 ]
		ledger
		[ "$(summary noring)" = 0 ]
		valid_trace t
	done
}

@test "a writer is stopped and continued: nothing is lost" {
	start_ktraced -e flood -o t -- "$PROGS/flood" -m -t 2 -n 0 -u 1000
	retry 0.02 has ktraced.out '^at [1-9]'
	flood=$(child_of "$pid")
	writer=$(child_of "$flood")
	for ((i = 0; i < 5; i++)); do
		kill -STOP "$writer"
		sleep 0.05
		kill -CONT "$writer"
		retry 0.02 moves_on "$(last_at)"
	done
	kill -TERM "$flood"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
}

# bats test_tags=alike
@test "a program that scribbles over the session hurts itself only" {
	for seed in 1 2 3 4 5 6; do
		run_ktraced -o t -b 64K "--policy=$([ $((seed % 2)) = 0 ] && echo drop || echo overwrite)" \
			-- "$PROGS/scribble" "$seed" 300
		# The scribbler may crash over its own ring; ktraced must not.
		[[ $stderr == *" events, "* ]]
		valid_trace t || run_ktrace info t
		[ "$status" -le 1 ]
	done
}

# bats test_tags=alike
@test "the viewer killed at random moments disturbs nobody" {
	start_ktraced -e flood -b 1M -o t -- "$PROGS/flood" -m -t 2 -n 0 -u 1000
	retry 0.02 test -s t
	for ((i = 0; i < ROUNDS; i++)); do
		"$KTRACE" list t >listed 2>&1 &
		viewer=$!
		sleep "0.$(printf %03d "$(random_ms 100)")"
		kill -KILL "$viewer" 2>/dev/null || true
		wait "$viewer" 2>/dev/null || true
	done
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

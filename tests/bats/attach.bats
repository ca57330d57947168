#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# attach.bats - programs that run already are recorded, leave, and are recorded again
load helpers
load late

@test "attach: by pid, again and again, with names and symbols of what runs" {
	late -t 3 -u 200
	for _ in 1 2 3; do
		attached -p "$late"
		run_ktrace list t
		[[ $output == *"$late/"*" late-0 "*"late:tick thread=0"* ]]
		[[ $output == *" late-2 "*"late:tick thread=2"* ]]
		grep -aq "exe=.*/late " t
		grep -aq "start=.* path=.*/late" t
		grep -aq "start=.* path=.*/libc.so" t
	done
	stop_late
}

@test "attach: a process that has not yet begun with its program" {
	bash -c 'sleep 0.3; exec "$@"' - "$PROGS/late" -u 200 >late.out &
	late=$!
	STARTED+=("$late")
	attached -p "$late"
	[ "$("$KTRACE" list t | grep -c "late:tick")" -gt 0 ]
	stop_late
}

@test "attach: by name, by pattern, and all programs of the user" {
	late -u 200
	attached --comm late
	attached --comm 'other,la?e'
	attached
	run_ktraced --duration 0.2 -o t --comm nobody
	[ "$status" = 0 ]
	[[ $stderr == *"no running program matched"* ]]
	stop_late
}

@test "attach: events by name, also one that resembles the kernel's" {
	late -u 200
	attached -p "$late" -e late:tick
	run_ktraced --duration 0.2 -o t -p "$late" -e 'lake:*'
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c t)" = 0 ]
	stop_late
}

@test "attach: a program with no other events than TRACER_LOGEVENT()" {
	start late "$PROGS/shark_late"
	late=$pid
	retry 0.05 has late.out '^ready'
	for _ in 1 2; do
		recorded log:event 10 -p "$late"
	done
	kill -KILL "$late"
}

@test "attach: by control group" {
	local path
	late -u 200
	path=$(sed -n 's/^0:://p' "/proc/$late/cgroup")
	[ -n "$path" ] || skip "no version 2 of control groups"
	attached --cgroup "$path"
	run_ktraced --duration 0.2 -o t --cgroup /there/is/none
	[[ $stderr == *"no running program matched"* ]]
	stop_late
}

@test "attach: a program that starts during the recording, before its first event" {
	start_ktraced -o t --comm late
	recording=$pid
	retry 0.05 has ktraced.err tracing
	late -u 200
	retry 0.05 records late:tick 1
	stop_late
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
	[ "$(whole t)" -gt 0 ]
}

@test "attach: all programs, from the first event of one that starts during the recording" {
	start_ktraced -o t
	recording=$pid
	retry 0.05 has ktraced.err tracing
	"$PROGS/late" -1
	"$PROGS/late" -1
	kill -INT "$recording"
	wait_for "$recording"
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c -e late:image t)" = 20 ]
}

@test "attach: children and programs that they execute belong to it" {
	late -u 500 -f 50 -x
	recorded late:image 20 -p "$late"
	[ "$(whole t)" -gt 0 ]
	[ "$("$KTRACE" list -c -e late:child t)" -ge 20 ]
	stop_late
}

@test "attach: a thread without events, and a program that never has one" {
	late -t 2 -u 200 -s
	attached -p "$late"
	stop_late
	late -t 1 -s
	refused -p "$late"
	[ "$status" = 0 ]
	[[ $stderr == *"1 of 1 chosen programs had no event"* ]]
	# The result is the last line, whatever else there is to say.
	refused --json -p "$late"
	# With the module, there are kernel events of it.
	jq -e ".events == 0 or (.events > 0 and \"$KTRACE_BACKEND\" == \"dev\")" <<<"${stderr##*$'\n'}"
	stop_late
}

@test "attach and leave many times, under load, nothing lost without a count" {
	local i rounds=20
	! in_guest || rounds=5
	[ -z "${KTRACE_LONG:-}" ] || rounds=1000
	late -t 4 -u 20
	for ((i = 0; i < rounds; i++)); do
		attached -q -p "$late" --policy block
	done
	# Its memory does not grow with each recording.
	[ "$(awk '/^RssShmem|^RssAnon/ { n += $2 } END { print n }' "/proc/$late/status")" -lt 20000 ]
	[ "$(wc -l <"/proc/$late/maps")" -lt 100 ]
	stop_late
}

# bats test_tags=shm
@test "attach: a recorder that is killed holds nobody: the next one gets the program" {
	local i dir rounds=3
	[ -z "${KTRACE_LONG:-}" ] || rounds=200
	late -t 3 -u 50
	for ((i = 0; i < rounds; i++)); do
		start_ktraced -o killed -p "$late"
		recording=$pid
		retry 0.02 has ktraced.err tracing
		sleep "0.0$((RANDOM % 10))"
		dir=$(session_dir "$recording")
		kill -KILL "$recording"
		wait "$recording" || true
		attached -p "$late"
		"$KTRACED" -q --recover "$dir"
		whole killed
	done
	stop_late
}

@test "attach: a program that is killed meanwhile disturbs nobody" {
	local i other rounds=5
	[ -z "${KTRACE_LONG:-}" ] || rounds=200
	late -t 2 -u 100
	other=$late
	for ((i = 0; i < rounds; i++)); do
		late -t 3 -u 20
		rm -f t
		start_ktraced -o t
		recording=$pid
		retry 0.02 has ktraced.err tracing
		sleep "0.0$((RANDOM % 10))"
		kill -KILL "$late"
		wait "$late" || true
		retry 0.02 records late:tick 1
		kill -INT "$recording"
		wait_for "$recording"
		[ "$status" = 0 ]
		[ "$(whole t)" -gt 0 ]
	done
	late=$other
	stop_late
}

@test "a program that was started under a recording can be attached when that is over" {
	start_ktraced --duration 0.5 -o first -- "$PROGS/late" -u 200
	recording=$pid
	retry 0.05 has ktraced.out '^ready'
	late=$(sed -n 's/^ready //p' ktraced.out)
	retry 0.05 has ktraced.err ' events, '
	attached -p "$late"
	[ "$(whole first)" -gt 0 ]
	kill -TERM "$late"
	wait_for "$recording"
}

@test "attach: what cannot be attached is said" {
	local pid
	sleep 100 &
	pid=$!
	STARTED+=("$pid")
	run_ktraced --duration 0.2 -o t -p "$pid"
	[ "$status" = 125 ] || [ "$KTRACE_BACKEND" = dev ]
	[[ $stderr == *"process $pid"*"has no libktrace"*"ktraced --prepare"* ]]
	# It ends while ktraced waits for its libktrace, which it does without kernel events.
	sleep 0.3 &
	run_ktraced --duration 1 -o t -p $!
	if [ "$KTRACE_BACKEND" = shm ]; then
		[ "$status" = 125 ]
		[[ $stderr == *"it has ended"* ]]
	fi
	run_ktraced --duration 0.2 -o t -p 4000000
	[ "$status" = 125 ]
	[[ $stderr == *"process 4000000: No such process"* ]]
	KTRACE_BOARD=none late -u 200
	run_ktraced --duration 0.2 -o t -p "$late"
	[[ $stderr == *"process $late"*"not on this board"* ]]
	stop_late
	run_ktraced --prepare
	[[ $output == LD_PRELOAD=*libktrace-pthread.so.0:*libktrace.so.0 ]]
}

# bats test_tags=alike
@test "attach: while events get their ids, none is recorded without one" {
	local i rounds=10
	! in_guest || rounds=3
	late -t 4 -u 20
	for ((i = 0; i < rounds; i++)); do
		attached -p "$late" --policy block
	done
	stop_late
}

@test "attach: a server that forks workers while it is recorded" {
	late -u 500 -f 20
	refused -p "$late"
	[ "$status" = 0 ]
	[[ $stderr != *"did not attach"* ]]
	stop_late
}

@test "attach: after chroot, setuid and a filter of system calls: why not is said" {
	requires_root
	local rights why
	while read -r rights why; do
		# shellcheck disable=SC2086 # an option and its value
		late -u 200 ${rights/=/ }
		refused -p "$late"
		[[ $stderr == *"process $late could not be attached"*"$why"* ]] || [ "$KTRACE_BACKEND" = dev ]
		stop_late
	done <<-END
		-r=$PWD another root folder
		-i=65534 must not open the recording
	END
	late -u 200 -c
	for _ in 1 2; do
		refused -p "$late"
		[[ $stderr == *"process $late could not be attached: it restricts its system calls"* ]]
	done
	stop_late
}

@test "attach: a program that restricts its system calls while it is recorded" {
	local time=1
	! in_guest || time=4
	start_ktraced --duration "$time" -o first -- "$PROGS/late" -u 200 -c
	recording=$pid
	retry 0.05 has ktraced.out '^ready'
	late=$(sed -n 's/^ready //p' ktraced.out)
	retry 0.05 has ktraced.err ' events, '
	[ "$(whole first)" -gt 0 ]
	refused -p "$late"
	[[ $stderr == *"process $late could not be attached: it restricts its system calls"* ]]
	kill -TERM "$late"
	wait_for "$recording"
}

@test "attach: a Python server that was prepared, with locks it held before" {
	command -v python3 >/dev/null || skip "no python3"
	local prepare
	prepare=$("$KTRACED" --prepare)
	cat >server.py <<-END
		import threading, time
		lock = threading.Lock()
		def work():
		    while True:
		        with lock:
		            time.sleep(0.002)
		for i in range(3):
		    threading.Thread(target=work, daemon=True, name=f"worker-{i}").start()
		print("ready", flush=True)
		time.sleep(100)
	END
	start late env "$prepare" python3 server.py
	late=$pid
	retry 0.05 has late.out '^ready'
	for _ in 1 2; do
		recorded 'pthread:*' 100 -p "$late"
	done
	kill -KILL "$late"
}

@test "attach: locks that are held before, and given back in the recording" {
	start late env "$("$KTRACED" --prepare)" "$PROGS/late" -t 2 -u 200 -l
	late=$pid
	retry 0.05 has late.out '^ready'
	start_ktraced -o t -p "$late"
	recording=$pid
	retry 0.05 records late:tick 1
	stop_late
	wait_for "$recording"
	[ "$status" = 0 ]
	run_ktrace list -e pthread:mutex_unlock t
	[[ $output == *" late-0 "*mutex_unlock* ]]
	run_ktrace objects t
	[ "$status" = 0 ]
}

# bats test_tags=alike
@test "boards: full, forged, invalid, removed, open to others: no crash, and a message" {
	local i
	late -t 2 -u 200
	"$PROGS/board" fill
	refused -p "$late"
	[[ $stderr == *"process $late"*"board"* ]]
	KTRACE_DEBUG=1 "$PROGS/late" -1 2>err
	grep -q "the board is full" err
	for i in 1 2 3; do
		"$PROGS/board" forge "$i" &
		STARTED+=("$!")
		run_ktraced --duration 0.7 -o t --comm 'l*'
		[ "$status" -lt 126 ]
		"$PROGS/late" -1
		wait "${STARTED[-1]}"
	done
	stop_late
	"$PROGS/board" magic
	KTRACE_DEBUG=1 "$PROGS/late" -1 2>err
	grep -q "board is invalid" err
	run_ktraced --duration 0.2 -o t --comm late
	[ "$status" = 125 ]
	"$PROGS/board" remove
	"$PROGS/board" open
	KTRACE_DEBUG=1 "$PROGS/late" -1 2>err
	grep -q "others may write" err
	run_ktraced --duration 0.2 -o t --comm late
	[ "$status" = 125 ]
	"$PROGS/board" remove
	late -u 200
	"$PROGS/board" remove
	run_ktraced --duration 0.2 -o t -p "$late"
	[[ $stderr == *"process $late"*"not on this board"* ]]
	stop_late
}

@test "boards: a forged want joins nothing, and is cleared" {
	late -u 200
	for session in shm:/dev/null shm:/etc/passwd dev:zz dev:1 nonsense shm:"$PWD/late.out" ''; do
		"$PROGS/board" wanted "$late" "$session"
	done
	sleep 0.2
	attached -p "$late"
	stop_late
}

@test "attach: each PID namespace has a board of its own, also in one IPC namespace" {
	requires_root
	local inner
	start late unshare -pf --mount-proc "$PROGS/late" -u 200
	retry 0.05 has late.out '^ready 1$'
	inner=$(child_of "$pid")
	refused --comm late
	[[ $stderr == *"no running program matched"* ]]
	refused -p "$inner"
	[[ $stderr == *"process $inner"*"it is in another PID namespace"* ]]
	rm -f t
	nsenter -t "$inner" -p -m "$KTRACED" "--backend=$KTRACE_BACKEND" -o "$PWD/t" -p 1 &
	recording=$!
	retry 0.05 records late:tick 1
	kill -INT "$(child_of "$recording")"
	wait "$recording"
	[ "$(whole t)" -gt 0 ]
	kill -KILL "$inner"
}

@test "attach: root attaches to another user's program, who cannot attach to root's" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "needs the module's group"
	local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	let_others_in
	chmod 777 .
	start late "${nobody[@]}" "$PROGS/late" -u 200
	late=$pid
	retry 0.05 has late.out '^ready'
	attached -p "$late"
	late=$late stop_late
	start late "$PROGS/late" -u 200
	late=$pid
	retry 0.05 has late.out '^ready'
	capture "${nobody[@]}" "$KTRACED" --backend=shm --duration 0.2 -o u -p "$late"
	show ktraced
	[ "$status" = 125 ]
	[[ $stderr == *"belongs to another user"* ]]
	stop_late
	"${nobody[@]}" "$PROGS/board" remove
}

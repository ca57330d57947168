#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# daemon.bats - ktraced: options, exit status, messages, order of things
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# bats test_tags=alike
@test "exit status is the command's" {
	run_ktraced -o t -- true
	[ "$status" -eq 0 ]
	run_ktraced -o t -- false
	[ "$status" -eq 1 ]
	run_ktraced -o t -- sh -c 'exit 42'
	[ "$status" -eq 42 ]
	run_ktraced -o t sh -c 'exit 255'
	[ "$status" -eq 255 ]
}

# Python tells a status from a signal, a shell does not.
died_by()
{
	python3 - "$KTRACED" "--backend=$KTRACE_BACKEND" "$@" <<-'END'
	import subprocess, sys
	print(-subprocess.run(sys.argv[1:]).returncode)
	END
}

# bats test_tags=alike
@test "a command that dies by a signal: so does ktraced" {
	[ "$(died_by -o t -- sh -c 'kill -KILL $$')" = 9 ]
	[ "$(died_by -o t -- sh -c 'kill -SEGV $$')" = 11 ]
	[ "$(died_by -o t -- sh -c 'kill -TERM $$')" = 15 ]
	[ "$(died_by -o t -- sh -c 'kill -PIPE $$')" = 13 ]
	valid_trace t
}

# Then nobody says that a child has ended; the command has it as it was.
# bats test_tags=alike
@test "a parent that ignores SIGCHLD" {
	local ktraced=(timeout -s KILL 30 env --ignore-signal=CHLD "$KTRACED"
		"--backend=$KTRACE_BACKEND" -q -o t --)
	capture "${ktraced[@]}" sh -c 'exit 7'
	show "${ktraced[@]}"
	[ "$status" -eq 7 ]
	valid_trace t
	capture "${ktraced[@]}" cat /proc/self/status
	[ $((16#$(sed -n 's/^SigIgn:\t//p' <<<"$output") >> 16 & 1)) = 1 ]
}

# bats test_tags=alike
@test "not found is 127, not executable is 126, own failure is 125" {
	run_ktraced -o t -- ./nothing
	[ "$status" -eq 127 ]
	[[ $stderr == *"./nothing: No such file or directory"* ]]
	touch plain
	run_ktraced -o t -- ./plain
	[ "$status" -eq 126 ]
	[[ $stderr == *"./plain: Permission denied"* ]]
	run_ktraced -o nowhere/t -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"nowhere/t: No such file or directory"* ]]
}

# bats test_tags=alike
@test "a command that is not there leaves nothing behind, nor costs what is there" {
	local name
	printf '#!/nowhere\n' >script
	touch plain
	mkdir folder
	chmod +x script
	for name in nothing ./nothing ./plain ./folder ./script; do
		run_ktraced -o t -- "$name"
		[ "$status" -ge 126 ]
		[[ $stderr == *"ktraced: $name: "* && $stderr != *" events, "* ]]
		run_ktraced -o t --split-size 4K -- "$name"
		[ "$status" -ge 126 ]
		run_ktraced --json -o t --pthread -- "$name"
		[ "$status" -ge 126 ]
		[[ $stderr != *'{'* ]]
		run_ktraced -- "$name"
		[ "$status" -ge 126 ]
	done
	[ "$(echo *)" = "folder plain script" ]
	run_ktraced -o t -- true
	run_ktraced -o s.bin --split-size 4K -- true
	cp t before
	cp s.0001.bin part
	run_ktraced -o t -- nothing
	[ "$status" = 127 ]
	cmp t before
	run_ktraced -o s.bin --split-size 4K -- nothing
	cmp s.0001.bin part
	PATH=:$PATH run_ktraced -o t -- plain
	[ "$status" = 126 ]
	cmp t before
	# What looked well until it was executed
	ln -s real link
	run_ktraced -o link -- ./script
	[ "$status" = 127 ]
	[ -L link ]
}

@test "--help and --version" {
	run_ktraced --help
	[ "$status" -eq 0 ]
	[[ $output == usage:* && -z $stderr ]]
	for option in output buffer policy events all pid quiet duration backend block-size \
		thread-rings fail-on-loss help version; do
		[[ $output == *"--$option"* ]]
	done
	run_ktraced --version
	[ "$status" -eq 0 ]
	[[ $output == "ktraced "[0-9]* ]]
	# shellcheck disable=SC2016 # the inner shell's
	run bash -c '"$0" --help >/dev/full' "$KTRACED"
	[ "$status" -eq 125 ]
	[ "$output" = "ktraced: standard output: No space left on device" ]
}

refused()
{
	run_ktraced "$@"
	[ "$status" -eq 125 ] && [ -z "$output" ] && [[ $stderr == "ktraced: "* ]]
}

# bats test_tags=alike
@test "nonsense is refused and says what" {
	rm -f t
	refused -o t --nonsense -- true
	refused -o t --policy=maybe -- true
	[[ $stderr == *maybe* ]]
	refused -o t --duration=soon -- true
	refused -o t --duration=0 -- true
	refused -o t --duration=-1 -- true
	refused -o t --duration=2026-01-31 -- true
	refused -o t --backend=disk -- true
	refused -o t -p 0 -- true
	refused -o t -p 1,x -- true
	refused -o t --thread-rings=100000 -- true
	refused -o t --block-size=5000 -- true
	refused -o t --block-size=1M -b 2M -- true
	refused -o t -e "$(printf 'x%.0s' {1..3000})" -- true
	[ ! -e t ]
}

# bats test_tags=alike
@test "buffer sizes: what is accepted, rounded up, refused" {
	for size in 0 1 4095 4096 16383 17G 99999999999999999999G 4X -4K "" " 4M" 1e6 \
		15.999K 16384.5 1.5.5M .5M 1,5M 1.5KM 16.0000001G 16777216.1K; do
		refused -o t -b "$size" -- true
	done
	for size in 16K 16385 20000k 100K 16.0K 0.015625M 0.5m 0.0009765625g; do
		run_ktraced -o t -b "$size" -- true
		[ "$status" -eq 0 ]
	done
	# Exactly, as it must be a power of two
	run_ktraced -o t --block-size 0.0625M -- true
	[ "$status" -eq 0 ]
	refused -o t --block-size 0.0626M -- true
	refused -o t --thread-rings 1.5 -- true
	refused -o t -p 1.5 -- true
	refused -o t --keep 1.5 --split-size 1.5M -- true
	valid_trace t
}

@test "more memory than there is: an error, not a crash" {
	run_ktraced -o t -b 16G --thread-rings 1024 -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *memory* ]]
	[ ! -e t ]
}

# bats test_tags=alike
@test "output that is no regular file is refused" {
	mkfifo fifo
	refused -o fifo -- true
	refused -o /dev/full -- true
	refused -o /dev/stdout -- true
	refused -o . -- true
	refused -o - -- true
	[ ! -e - ]
	[ -p fifo ]
}

@test "to /dev/null everything is counted, and nothing kept" {
	run_ktraced -e flood -o /dev/null --policy=block -- "$PROGS/flood" -n "$(n 100000)"
	[ "$status" -eq 0 ]
	[ "$(summary events)" = "$(n 100000)" ]
	[ "$(summary lost)" = 0 ]
	[ "$(summary bytes)" -gt $((32 * $(n 100000))) ]
	# Several at a time, and what fails does not remove it
	run_ktraced -q -o /dev/null -- "$KTRACED" "--backend=$KTRACE_BACKEND" -q -o /dev/null -- true
	[ "$status" -eq 0 ]
	run_ktraced -o /dev/null -- ./nothing
	[ "$status" -eq 127 ]
	[ -c /dev/null ]
}

@test "a link to the file is not removed when nothing comes of the recording" {
	ln -s real link
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=2 DIE_HOW=fail run_ktraced -o link -- true
	[ "$status" -eq 125 ]
	[ -L link ]
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=2 DIE_HOW=fail run_ktraced -o plain -- true
	[ "$status" -eq 125 ]
	[ ! -e plain ]
}

# bats test_tags=alike
@test "the summary is one line; -q leaves it out" {
	run_ktraced -o t -- true
	[ "$(grep -c ' events, ' <<<"$stderr")" = 1 ]
	[[ $stderr == *" lost, "*" bytes, "*" s, t, $KTRACE_BACKEND"* ]]
	[ "$(summary bytes)" = "$(stat -c %s t)" ]
	run_ktraced -q -o t -- true
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "--json: the summary is an object, also with -q and whatever the file is called" {
	local name=$'o\e"d\x9bd.bin'
	run_ktraced --json -q -o "$name" -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(wc -l <<<"$stderr")" = 1 ]
	jq -e --arg backend "$KTRACE_BACKEND" --argjson bytes "$(stat -c %s "$name")" \
		--argjson events "$("$KTRACE" list -c "$name" 2>/dev/null)" \
		'.events == $events and .lost == 0 and .reasons == {} and .bytes == $bytes and
		.duration_ns > 0 and .file == "o\u001b\"d\ufffdd.bin" and .backend == $backend' <<<"$stderr"
	run_ktraced --json -q -b 16K --policy drop -e flood -o t -- "$PROGS/flood" -m -n "$(n 200000)"
	[ "$(jq '.lost == ([.reasons[]] | add // 0)' <<<"$stderr")" = true ]
	run_ktraced --json -q -b 16K --policy block --split-size 4K -o s.bin -- \
		"$PROGS/flood" -n "$(n 20000)"
	[ "$(jq -r .first <<<"$stderr")" = s.0001.bin ]
	[ -s "$(jq -r .file <<<"$stderr")" ]
	for wrong in --baseline --service --recover; do
		run_ktraced --json $wrong
		[ "$status" = 125 ]
		[[ $stderr == *"--json applies only to"* ]]
	done
}

# bats test_tags=shm
@test "says by itself which back end it took and why" {
	[ ! -e /dev/ktrace ] || skip "there is a device"
	capture "$KTRACED" -o t -- true
	[ "$status" -eq 0 ]
	[[ $stderr == *"shm (the module is not loaded, /dev/ktrace: No such file or directory)"* ]]
	capture "$KTRACED" --backend=dev -o t -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"/dev/ktrace: No such file or directory"* ]]
}

# bats test_tags=dev
@test "the device is taken when it is there" {
	capture "$KTRACED" -o t -- true
	[ "$status" -eq 0 ]
	[[ $stderr == *", t, dev" ]]
}

# bats test_tags=shm
@test "--all needs kernel events, and -p a program with libktrace" {
	run_ktraced --all -o t -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"kernel events"* ]]
	run_ktraced -p $BASHPID -o t
	[ "$status" -eq 125 ]
	[[ $stderr == *"has no libktrace"* ]]
	[ ! -e t ]
}

@test "the command's stdin, stdout, stderr and arguments are its own" {
	run_ktraced -q -o t -- sh -c 'cat; echo "$1" >&2' sh 'a  b' <<<"from stdin"
	[ "$output" = "from stdin" ]
	[ "$stderr" = "a  b" ]
}

@test "the command gets no descriptor, no signal setting and no mask of ktraced" {
	# Less signals 32 and 33, which the C library keeps for itself and resets with threads.
	cat >show <<-'END'
		ls /proc/self/fd
		grep 'Sig[BI]' /proc/self/status | while read -r name mask; do
			echo "$name $((0x$mask & ~0x180000000))"
		done
	END
	bash show >alone 3>&-
	"$KTRACED" "--backend=$KTRACE_BACKEND" -q -o t -- bash show >traced 3>&-
	diff alone traced
}

@test "the command is told its session, and only it" {
	run_ktraced -q -o t -- sh -c 'echo "$KTRACE_SESSION"'
	[[ $output == "$KTRACE_BACKEND:"?* ]]
}

@test "nothing the command does comes before the trace" {
	run_ktraced -q -o t -- sh -c 'test -s t'
	[ "$status" -eq 0 ]
}

# bats test_tags=shm
@test "nothing is left behind" {
	before=$(sessions)
	run_ktraced -o t -- true
	run_ktraced -o t -- sh -c 'kill -9 $$'
	run_ktraced -o t -- ./nothing
	retry 0.1 none_left "$before"
}

# bats test_tags=shm
@test "a session left by a dead ktraced is noticed and left alone" {
	start_ktraced -o t -- sleep 100
	retry 0.05 has /proc/"$pid"/maps ktrace-
	dir=$(grep -o '/dev/shm/ktrace-[^/]*' /proc/"$pid"/maps | head -n1)
	sleeper=$(child_of "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	kill "$sleeper"
	run_ktraced -o t2 -- sh -c 'echo said >&2'
	[ "$status" -eq 0 ]
	# One line, behind what the command says and before the summary
	[ "$(grep -c "left behind" <<<"$stderr")" = 1 ]
	[[ $stderr == *said*"left behind"*/dev/shm/ktrace-*" events, "* ]]
	run_ktrace doctor
	[[ $output == *"left "*" left behind by a ktraced that died: 'ktraced --recover --list'"* ]]
	# Not where nothing is recorded, nor to others
	run_ktraced --baseline -- true
	[[ $stderr != *"left behind"* ]]
	let_others_in
	capture setpriv --reuid=65534 --clear-groups "$KTRACED" --backend=shm -o /dev/null -- true
	[[ $stderr != *"left behind"* ]]
	[ -e "$dir/user" ]
	rm -r "$dir"
}

@test "--duration ends a recording without a command" {
	run_ktraced --duration=0.2 -o t
	[ "$status" -eq 0 ]
	[[ $stderr == *"KTRACE_SESSION=$KTRACE_BACKEND:"* ]]
	valid_trace t
}

@test "--duration: the longest there is" {
	run_ktraced --duration=18446744073 -o t -- sleep 0.2
	[ "$status" -eq 0 ]
	grep -aq 'reason=command' t
}

@test "--duration with a command: the file ends, the command does not" {
	start_ktraced --duration=100ms -o t -- sh -c 'while [ ! -e go ]; do sleep 0.05; done; exit 7'
	retry 0.05 has ktraced.err ' events, '
	[ -e "/proc/$pid" ]
	touch go
	wait_for "$pid"
	[ "$status" -eq 7 ]
	valid_trace t
}

@test "-e chooses user events" {
	run_ktraced -e 'flood' -o t -- "$PROGS/flood" -n 10
	[ "$(summary events)" = 10 ]
	run_ktraced -e 'nothing:*,flood:it*' -o t -- "$PROGS/flood" -n 10
	[ "$(summary events)" = 10 ]
	run_ktraced -e 'other' -o t -- "$PROGS/flood" -n 10
	[ "$(summary events)" = 0 ]
	[ "$(summary lost)" = 0 ]
	[[ $output == untraced* ]]
}

@test "--fail-on-loss: lost events are a failure" {
	run_ktraced --fail-on-loss -e flood -o t -- "$PROGS/flood" -n 10
	[ "$status" -eq 0 ]
	run_ktraced --fail-on-loss --policy=overwrite -b 16K -e flood -o t -- \
		"$PROGS/flood" -n 100000
	[ "$status" -eq 125 ]
	[ "$(summary lost)" -gt 0 ]
}

@test "programs that are already there attach by the session's name" {
	start_ktraced -e flood -o t
	retry 0.05 has ktraced.err KTRACE_SESSION=
	session=$(sed -n 's/.*KTRACE_SESSION=//p' ktraced.err)
	KTRACE_SESSION=$session "$PROGS/flood" -n 500 >flood.out
	kill -INT "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	output=$(cat flood.out)
	ledger
	[ "$(summary events)" = 500 ]
}

@test "a recording that has ended switches off programs that live on" {
	run_ktraced --duration 2s -o t -- sh -c "'$PROGS/enabled' >states & exec sleep 0.1"
	show cat states
	retry 0.05 grep -q off states
	[ "$(cat states)" = "on
off" ]
}

@test "what cannot be traced costs no older trace" {
	echo precious >t
	run_ktraced -p 4194000 -o t
	[ "$status" -eq 125 ]
	[ "$(cat t)" = precious ]
	run_ktraced -b 16G --policy=block --thread-rings 4096 -o t -- true
	[ "$status" -eq 125 ]
	[ "$(cat t)" = precious ]
}

@test "an empty list of events is an error" {
	for list in '' , ,,; do
		run_ktraced -e "$list" -o t -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"-e needs names"* ]]
	done
}

# bats test_tags=alike
@test "two recordings do not write one file" {
	start_ktraced -o t -- sleep 2
	retry 0.02 test -s t
	run_ktraced -o t -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"another recording is writing this file"* ]]
	wait_for "$pid"
	[ "$status" -eq 0 ]
	valid_trace t
}

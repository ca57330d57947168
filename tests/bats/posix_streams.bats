#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# posix_streams.bats - streams of other processes, of other users, and what is left when
# somebody is killed. The rules of <trace.h> themselves are tested by posix_suite.bats.
# runs: host guest
load helpers

WATCH=$EXAMPLES/watch
BEAT=$EXAMPLES/beat
OTHER=12345
AS_OTHER=(setpriv --reuid "$OTHER" --regid "$OTHER" --clear-groups)

setup()
{
	setup_test
	export KTRACE_BACKEND
	mkfifo in
	exec 7<>in
}

teardown()
{
	exec 7>&-
	# Who leaves last removes the registry, but not who is killed.
	"$BEAT" </dev/null
	rm -f "/dev/shm/ktrace-posix-$OTHER"*
	teardown_test
}

has()
{
	grep -q "$@"
}

# begin NAME COMMAND...: in the background, its output in NAME; sets PID
begin()
{
	local name=$1
	shift
	"$@" <&0 >"$name" 2>"$name.err" 7>&- &
	PID=$!
	STARTED+=("$PID")
}

# begin_beat N [COMMAND...]: a program that tells N events a line of its input, by COMMAND; sets beat
begin_beat()
{
	begin beat.out "${@:2}" "$BEAT" "$1" <in
	beat=$PID
	retry 0.05 has '^beat$' "/proc/$beat/comm"
}

# begin_watch NAME [ARGUMENT...]: a controller of beat, that watches; its output in NAME; sets watch
begin_watch()
{
	begin "$1" "$WATCH" "$beat" "${@:2}"
	watch=$PID
	retry 0.05 has watching "$1"
}

# pour N: beat has one more line, and has told N events in all
pour()
{
	echo >&7
	retry 0.05 has "$1" beat.out
}

end_beat()
{
	kill "$beat"
	wait "$beat" || true
}

# find_keeper: the process that writes the log; sets keeper
find_keeper()
{
	keeper=$(for p in /proc/[0-9]*; do
		[ "$(cat "$p/comm" 2>/dev/null)" != posix-keeper ] ||
			! cmp -s "$p/fd/5" log || basename "$p"
	done)
	[ -n "$keeper" ]
}

# as_root: what this needs
as_root()
{
	[ "$(id -u)" = 0 ] || skip "not root"
}

# stopped: log was completed
stopped()
{
	retry 0.05 sh -c '"$0" info log | grep -q "stopped by"' "$KTRACE"
}

# beats FILE: the numbers of the beats that watch has shown
beats()
{
	sed -n 's/.* beat //p' "$1" | tr '\n' ' '
}

# streams: folders of sessions in shared memory
streams()
{
	find /dev/shm -maxdepth 1 -name 'ktrace-[0-9]*' | wc -l
}

# bats test_tags=alike
@test "a program is watched that was there first" {
	begin_beat 3
	begin_watch seen
	pour 3
	pour 6
	kill "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 3 4 5 " ]
}

# bats test_tags=alike
@test "a stream may be there before the program: it is the pid's" {
	begin beat.out sh -c 'read -r line && exec "$0" 3' "$BEAT" <in
	beat=$PID
	begin_watch seen
	echo >&7
	pour 3
	kill "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 " ]
}

# bats test_tags=alike
@test "two streams of one program: each has all events" {
	begin_beat 4
	begin_watch first
	one=$watch
	begin_watch second log
	pour 4
	kill "$beat"
	wait "$one"
	wait "$watch"
	[ "$(beats first)" = "0 1 2 3 " ]
	[ "$("$KTRACE" list log | grep -c posix:beat)" = 4 ]
}

# bats test_tags=alike
@test "a controller without log is killed: the program goes on, and its memory is given back" {
	begin_beat 100000
	before=$(streams)
	begin_watch seen
	kill -9 "$watch"
	wait "$watch" || true
	pour 100000
	[ "$(streams)" = "$before" ]
	end_beat
}

# bats test_tags=alike
@test "a controller with log is killed: the log is complete" {
	begin_beat 50
	begin_watch seen log
	pour 50
	kill -9 "$watch"
	wait "$watch" || true
	stopped
	[ "$("$KTRACE" list log | grep -c posix:beat)" = 50 ]
	end_beat
}

# bats test_tags=alike
@test "a keeper is killed: its controller ends with an error, the program goes on" {
	begin_beat 5
	begin_watch seen log
	find_keeper
	kill -9 "$keeper"
	pour 5
	kill "$beat"
	status=0
	wait "$watch" || status=$?
	[ "$status" = 1 ]
	has posix_trace_shutdown seen.err
}

# flood COUNT: beat records COUNT events into a log, which watch's keeper writes; in its midst on
# return: sets beat, watch, keeper, and before, how many streams there were
flood()
{
	before=$(streams)
	rm -f log beat.out seen
	begin_beat "$1"
	begin_watch seen log
	find_keeper
	echo >&7
	retry 0.01 sh -c '[ "$(stat -c %s log)" -gt 10000 ]'
}

# over: the log is complete and valid, keeper and session are gone
over()
{
	retry 0.05 "$KTRACE" check log
	stopped
	[ "$("$KTRACE" list log | grep -c -m 100 posix:beat)" = 100 ]
	retry 0.05 sh -c '[ ! -e /proc/"$0" ]' "$keeper"
	[ "$(streams)" = "$before" ]
}

# bats test_tags=alike
@test "somebody is killed while events pour into the log: it is valid, nothing stays behind" {
	flood 1000000000
	kill -9 "$beat"
	wait "$watch"
	over

	flood 1000000
	kill -9 "$watch"
	wait "$watch" || true
	over
	retry 0.05 has 1000000 beat.out
	kill "$beat"

	flood 1000000
	kill -9 "$keeper"
	retry 0.05 has 1000000 beat.out
	kill "$beat"
	status=0
	wait "$watch" || status=$?
	[ "$status" = 1 ]
	[ "$("$KTRACE" list log 2>&1 | grep -c -m 100 posix:beat)" = 100 ]
	"$BEAT" </dev/null
	[ "$(streams)" = "$before" ]
}

# bats test_tags=alike
@test "somebody is stopped while events pour into the log: nobody waits, and it goes on" {
	flood 1000000000
	kill -STOP "$beat"
	kill "$watch"
	wait "$watch" || true
	over
	kill -9 "$beat"

	flood 1000000
	kill -STOP "$watch"
	retry 0.05 has 1000000 beat.out
	kill "$beat"
	kill -CONT "$watch"
	wait "$watch"
	over

	flood 1000000
	kill -STOP "$keeper"
	retry 0.05 has 1000000 beat.out
	kill "$beat"
	kill -CONT "$keeper"
	wait "$watch"
	over
}

# bats test_tags=alike
@test "a keeper is killed or stopped: its controller is told, or waits" {
	"$PROGS/posix_keeper" killed
	"$PROGS/posix_keeper" stopped
}

# bats test_tags=alike
@test "an event that comes while a reader looks elsewhere is read before what it has caused" {
	"$PROGS/posix_order"
}

# bats test_tags=alike
@test "an event that is on its way when somebody stops the stream is not lost" {
	"$PROGS/posix_late"
}

# bats test_tags=alike
@test "events of a program that has no descriptor for the rings are counted" {
	"$PROGS/posix_attach"
}

# bats test_tags=alike
@test "a controller may open few files, or start no processes: it is told so" {
	as_root
	"$PROGS/posix_keeper" few_descriptors
	let_others_in
	mkdir others
	chown "$OTHER" others
	cd others
	"${AS_OTHER[@]}" "$PROGS/posix_keeper" few_processes
}

# bats test_tags=alike
@test "root watches another user's program" {
	as_root
	begin_beat 3 "${AS_OTHER[@]}"
	begin_watch seen
	pour 3
	kill "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 " ]
}

# bats test_tags=alike
@test "root watches another user's program that is not dumpable" {
	as_root
	# Not one that only root may run
	python=$(PATH=/usr/bin:/bin command -v python3) || skip "no python3"
	begin beat.out "${AS_OTHER[@]}" "$python" -c '
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
beat, number = ctypes.c_uint(), ctypes.c_ulong(7)
ctypes.CDLL(None).prctl(4, 0)  # PR_SET_DUMPABLE
lib.posix_trace_eventid_open(b"beat", ctypes.byref(beat))
print("ready", flush=True)
sys.stdin.readline()
lib.posix_trace_event(beat, ctypes.byref(number), ctypes.c_size_t(8))
print("told", flush=True)
sys.stdin.readline()' "$BUILD/lib/libktrace-posix.so" <in
	beat=$PID
	retry 0.05 has ready beat.out
	begin_watch seen
	pour told
	echo >&7
	wait "$watch"
	[ "$(beats seen)" = "7 " ]
}

# bats test_tags=shm
@test "a umask that takes the owner's rights away is no hindrance" {
	as_root
	umask 777
	begin_beat 3 "${AS_OTHER[@]}"
	begin seen "${AS_OTHER[@]}" "$WATCH" "$beat"
	watch=$PID
	retry 0.05 has watching seen
	pour 3
	kill "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 " ]
}

# bats test_tags=shm
@test "the keeper of another user's program is killed: ktraced takes its memory away" {
	as_root
	begin_beat 3 "${AS_OTHER[@]}"
	begin_watch seen
	# It has a pidfd of its controller.
	keeper=$(grep -ls "^Pid:[[:space:]]*$watch\$" /proc/[0-9]*/fdinfo/4 | cut -d / -f 3)
	session=$(grep -om1 '/dev/shm/ktrace-0-[0-9a-f]*' "/proc/$keeper/maps")
	kill -9 "$keeper"
	wait "$watch" || true
	end_beat
	"${AS_OTHER[@]}" "$BEAT" </dev/null
	[ -d "$session" ]
	# Young ones may be about to be made.
	touch -d "1 minute ago" "$session/user"
	"$KTRACED" -q --recover "$session"
	[ ! -e "$session" ]
}

# bats test_tags=shm
@test "another user's program cuts off what it shares: the controller goes on" {
	as_root
	begin_beat 3 "${AS_OTHER[@]}"
	begin_watch seen
	pour 3
	"${AS_OTHER[@]}" truncate -s 0 "/dev/shm/ktrace-posix-$OTHER"*
	for f in /dev/shm/ktrace-0-*/user; do
		"${AS_OTHER[@]}" truncate -s 0 "$f" || true
	done
	kill -9 "$beat"
	wait "$watch"
	[ ! -s seen.err ]
}

@test "a killed program that its parent does not wait for does not keep the registry" {
	# shellcheck disable=SC2016 # for the inner shell
	sh -c '"$0" 3 <in >beat.out 7>&- & echo $! >beat_pid; exec sleep 100' "$BEAT" 7>&- &
	STARTED+=("$!")
	retry 0.05 test -s beat_pid
	beat=$(cat beat_pid)
	begin_watch seen
	pour 3
	kill -9 "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 " ]
	grep -q '^State:.*zombie' "/proc/$beat/status"
	retry 0.05 fails test -e "/dev/shm/ktrace-posix-$(id -u)"
}

# bats test_tags=shm
@test "a program that ends in another PID namespace leaves the streams of this one alone" {
	as_root
	begin_beat 3
	begin_watch seen
	pour 3
	unshare -pf --mount-proc "$BEAT" </dev/null
	pour 6
	# There, too, one watches another.
	# shellcheck disable=SC2016 # for the inner shell
	unshare -pf --mount-proc bash -c 'coproc "$0" 2
		"$1" "$COPROC_PID" >inner &
		until grep -q watching inner; do sleep 0.05; done
		echo >&"${COPROC[1]}"
		read -r -u "${COPROC[0]}"
		kill "$COPROC_PID"
		wait
		# The keeper leaves behind its last answer: with this shell it would be killed.
		registry=/dev/shm/ktrace-posix-0-$(stat -L -c %i /proc/self/ns/pid)
		for _ in {1..600}; do [ -e "$registry" ] && sleep 0.05; done' "$BEAT" "$WATCH" || true
	[ "$(beats inner)" = "0 1 " ]
	kill "$beat"
	wait "$watch"
	[ "$(beats seen)" = "0 1 2 3 4 5 " ]
	[ "$(find /dev/shm -name 'ktrace-posix-0-*')" = "" ]
}

# bats test_tags=shm
@test "--recover removes registries of namespaces that have ended, and none that is in use" {
	as_root
	# Other tests have sessions that are not to be recovered.
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m bash -c 'mount -t tmpfs none /dev/shm
		mkfifo lives dies
		unshare -pf --kill-child --mount-proc "$0" 3 <lives >out &
		lives=$!
		unshare -pf --kill-child --mount-proc "$0" 3 <dies >>out &
		dies=$!
		exec 5>lives 6>dies
		until [ "$(find /dev/shm -name "ktrace-posix-0-*" | wc -l)" = 2 ]; do sleep 0.05; done
		kill -KILL "$dies"
		wait "$dies"
		# It is still ending: its memory is given back last.
		for _ in {1..100}; do
			"$1" --recover && [ "$(find /dev/shm -name "ktrace-posix-0-*" | wc -l)" = 1 ] && break
			sleep 0.05
		done
		echo >&5
		until grep -q 3 out; do sleep 0.05; done
		head -c 4096 /dev/zero | setpriv --reuid "$2" --clear-groups \
			tee "/dev/shm/ktrace-posix-$2-1" >/dev/null
		"$1" --recover
		find /dev/shm -name "ktrace-posix-*" | wc -l
		"$1" --recover --all-users
		find /dev/shm -name "ktrace-posix-*" | wc -l
		kill "$lives"' "$BEAT" "$KTRACED" "$OTHER"
	printf '%s\n' "$output"
	[ "$(grep -cE 'removed 1 unused registry of <trace.h>, [0-9]+ bytes' <<<"$output")" = 2 ]
	[ "$(grep -xE '[0-9]' <<<"$output" | tr '\n' ' ')" = "2 1 " ]
}

# bats test_tags=alike
@test "another user's process may not be watched, nor one that there is not" {
	as_root
	begin_beat 3
	run "${AS_OTHER[@]}" "$WATCH" "$beat"
	[ "$status" = 1 ]
	[ "$output" = "watch: posix_trace_create: Operation not permitted" ]
	run "$WATCH" 4194304
	[ "$status" = 1 ]
	[ "$output" = "watch: posix_trace_create: No such process" ]
	end_beat
}

# bats test_tags=shm
@test "a limit on files kills nobody: a program is not traced, a controller is told" {
	begin_beat 3
	run bash -c 'ulimit -f 16; exec "$@"' bash "$WATCH" "$beat"
	[ "$status" = 1 ]
	[ "$output" = "watch: posix_trace_create: Cannot allocate memory" ]
	# Without a registry, which cannot be made
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m bash -c 'mount -t tmpfs none /dev/shm && ulimit -f 16 && exec "$@"' bash \
		"$BEAT" 3 <<<x
	[ "$status" = 0 ]
	[ "$output" = 3 ]
	end_beat
}

# bats test_tags=shm
@test "nothing is left in shared memory when the last process has ended" {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -t tmpfs none /dev/shm && echo | "$0" 5 >/dev/null && ls /dev/shm' \
		"$BEAT" >left
	[ ! -s left ]
}

# recovered: ktraced takes away what those left who were killed while they made a stream
recovered()
{
	"$KTRACED" --recover >recovered 2>&1
	[ -z "$(find /dev/shm -mindepth 1 -name 'ktrace-[0-9]*')" ]
}

# bats test_tags=shm
@test "controllers, programs and keepers are killed and stopped at any moment" {
	export KTRACED
	export -f retry recovered
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m bash -ec 'mount -t tmpfs none /dev/shm
		"$0" 5 "$1"
		retry 0.5 recovered
		# No events: these were no streams yet.
		[ -z "$(grep -vE " was empty$| discarded$|no session was left" recovered)" ]
		"$2" </dev/null
		ls /dev/shm' "$PROGS/posix_storm" "$RANDOM" "$BEAT" >left
	[ "$(sed 1d left)" = "" ]
}

# bats test_tags=shm
@test "a signal at the very beginning of a sleep ends the wait, unless it is to be restarted" {
	local stream wait
	for stream in own other log; do
		for wait in wait timed; do
			show "$stream $wait"
			[ "$(timeout 60 "$BUILD/progs/posix_interrupt" "$stream" "$wait")" = ok ]
		done
	done
}

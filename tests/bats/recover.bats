#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# recover.bats - ktraced --recover: nothing lost, nothing twice, nothing left behind
load helpers

setup() { setup_test; }
teardown()
{
	for s in "${LEFT[@]}"; do
		"$KTRACED" -q --recover --discard "$s" 2>/dev/null || true
	done
	[ -z "${command:-}" ] || kill_tree "$command"
	teardown_test
}
LEFT=()

# orphan ARG... -- COMMAND...: ktraced, killed when the command has begun to write and the
# file has something. $session: what it leaves
orphan()
{
	local pace=()
	# An emulated machine has other things to do than to read back a million events.
	# With at_full_speed the rings must be full all the same.
	! in_guest || [ -n "${at_full_speed:-}" ] || pace=(-u 20)
	start_ktraced "$@" "${pace[@]}"
	retry 0.02 has ktraced.out '^at [1-9]'
	kill_daemon
}

# kill_daemon [PID...]: at the same moment as these
kill_daemon()
{
	session=$(session_of "$pid")
	command=$(child_of "$pid")
	LEFT+=("$session")
	kill -KILL "$pid" "$@"
	wait "$pid" || true
	retry 0.02 is_stale "$session"
}

is_stale()
{
	"$KTRACED" --recover --list | grep -q "^$1 "
}

# writers_done: the command goes on when ktraced is gone, until it is told not to
writers_done()
{
	# Who has no children left ends by itself.
	[ -z "${command:-}" ] || kill -TERM "$command" 2>/dev/null || true
	command=
	retry 0.05 has ktraced.out ^written
}

recover()
{
	capture "$KTRACED" --recover "$@"
	show ktraced --recover "$@"
}

# exact FILE...: every event that was written is there or counted, none twice
exact()
{
	local min max sum
	check=$("$PROGS/check_flood" "$@") || { echo "$check"; return 1; }
	read -r min max < <(awk '/^written/ { print $2, $3 }' ktraced.out)
	sum=$(awk '/^read/ { print $2 + $4 }' <<<"$check")
	echo "written $min to $max, $check"
	[ "$sum" -ge "$min" ] && [ "$sum" -le "$max" ]
}

# bats test_tags=alike
@test "a ktraced that has been killed and is not gone yet is waited for" {
	local i
	for i in {1..4}; do
		# An older trace stays until the first section of the new one is written.
		rm -f t
		start_ktraced -e flood -b 16M -o t -- "$PROGS/flood" -m -n 0
		retry 0.02 has ktraced.out '^at [1-9]'
		session=$(session_of "$pid")
		command=$(child_of "$pid")
		LEFT+=("$session")
		kill -KILL "$pid"
		# At once: nobody waits for its end but this.
		"$KTRACED" --recover "$session" 2>said || { cat said; return 1; }
		grep ' events recovered, ' said
		"$KTRACE" check t >check
		kill_tree "$command"
		command=
		wait "$pid" || true
	done
}

# bats test_tags=alike
@test "the trace of a killed ktraced is completed in its place" {
	for policy in drop stop block overwrite; do
		# An older trace stays until the first section of the new one is written.
		rm -f t
		orphan "--policy=$policy" -e flood -b 64K -o t -- \
			"$PROGS/flood" -m -o -t 2 -n 0
		writers_done
		recover "$session"
		[ "$status" -eq 0 ]
		[[ $stderr == *" events recovered, "* ]]
		exact t
		valid_trace t
		run_ktrace info t
		[[ $output == *closed* ]]
		fails is_stale "$session"
		rm ktraced.out
	done
}

# has_compressed FILE: it has compressed blocks
has_compressed()
{
	"$KTRACE" info "$1" 2>/dev/null | grep -q '^  storage '
}

# bats test_tags=alike
@test "a trace that was being compressed" {
	start_ktraced --compress -e flood -o t -- "$PROGS/flood" -m -o -t 2 -n 0 -u 100
	retry 0.05 has_compressed t
	kill_daemon
	writers_done
	recover "$session"
	[ "$status" -eq 0 ]
	exact t
	valid_trace t
	has_compressed t
}

@test "programs that still run are stopped from recording, and go on" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -t 2 -n 0 -u 100
	recover "$session"
	[ "$status" -eq 0 ]
	before=$(wc -l <ktraced.out)
	retry 0.05 eval '[ "$(wc -l <ktraced.out)" -gt $((before + 2)) ]'
	kill_tree "$command"
	last=$(sed -n 's/^at //p' ktraced.out | tail -n 1)
	echo "written $((last - 2)) $last" >>ktraced.out
	exact t
}

# bats test_tags=alike
@test "-o makes a complete copy and leaves the file as it is" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	writers_done
	cp t before
	recover -o copy "$session"
	[ "$status" -eq 0 ]
	cmp t before
	exact copy
	fails is_stale "$session"
}

# bats test_tags=alike
@test "a file that is gone: the session stays, -o saves what is in the buffers" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	writers_done
	rm t
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"t: No such file"* ]]
	is_stale "$session"
	[ ! -e t ]
	recover -o rest "$session"
	[ "$status" -eq 0 ]
	[[ $stderr == *"is gone: its contents are missing in rest"* ]]
	"$PROGS/check_flood" rest
	run_ktrace info rest
	[[ $output == *"flood:item"* && $output == *"command   $PROGS/flood"* ]]
}

# bats test_tags=alike
@test "a file that another recording has replaced is not touched" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	writers_done
	"$KTRACED" "--backend=$KTRACE_BACKEND" -q -e flood -o t -- true
	cp t other
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"no longer belongs to session"*"-o"* ]]
	cmp t other
	recover -o rest "$session"
	[ "$status" -eq 0 ]
	cmp t other
	"$PROGS/check_flood" rest
}

# left_by_die_at: the session of a ktraced that bad_disk.c has killed, if it had one
left_by_die_at()
{
	if [ "$KTRACE_BACKEND" = shm ]; then
		session=$(cat session)
	else
		session=$("$KTRACED" --recover --list | awk '{ print $1 }')
	fi
	[ -z "$session" ] || LEFT+=("$session")
}

# die_at POLICY HOW WRITE: status 1 if ktraced did not come so far
die_at()
{
	rm -f t session
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=$3 DIE_HOW=$2 start_ktraced "--policy=$1" -e flood \
		-b 16K -o t -- env -u LD_PRELOAD "$PROGS/flood" -o -t 2 -n 1000
	wait "$pid" && return 1
	left_by_die_at
	echo "killed $2 write $3, policy $1: $session"
	# A command that was not let go has written nothing.
	retry 0.02 is_gone_or_done
}

is_gone_or_done()
{
	has ktraced.out ^written || ! pgrep -f "^$PROGS/flood -o -t 2 -n 1000\$" >/dev/null
}

@test "a file that has become a link is not followed, neither to complete nor to copy it" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	writers_done
	mv t real
	ln -s real t
	cp real before
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"/t no longer belongs to session $session"* ]]
	is_stale "$session"
	cmp real before
	recover -o copy "$session"
	[ "$status" -eq 0 ]
	[[ $stderr == *"/t is gone: its contents are missing in copy"* ]]
	cmp real before
}

# bats test_tags=alike
@test "a folder that is not there is no trace that is gone" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	writers_done
	recover -o nosuch/copy "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"ktraced: nosuch/copy: No such file or directory"* ]]
	[[ $stderr != *"is gone"* ]]
	recover "$session"
	[ "$status" -eq 0 ]
}

# bats test_tags=alike
@test "killed before, in the middle of, and after each write: still exact" {
	rounds=0
	policies=(block overwrite) hows=(before torn after) step=3
	if in_guest; then
		policies=(block) hows=(torn after) step=5
	fi
	for policy in "${policies[@]}"; do
		for how in "${hows[@]}"; do
			for ((at = 1; at < 60; at += step)); do
				die_at $policy $how $at || break
				recover "$session"
				[ "$status" -eq 0 ]
				fails is_stale "$session"
				[ ! -s ktraced.out ] || exact t
				rounds=$((rounds + 1))
			done
		done
	done
	[ "$rounds" -gt 4 ]
}

# bats test_tags=alike
@test "--recover killed at each of its own writes: the next one completes the rest" {
	for how in before torn after; do
		rm -f t
		orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -t 2 -n 0
		writers_done
		for ((at = 1; at < 40; at += $(in_guest && echo 15 || echo 3))); do
			LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=$at DIE_HOW=$how \
				"$KTRACED" --recover "$session" 3>&- && break
			is_stale "$session"
		done
		! is_stale "$session" || recover "$session"
		exact t
		rm t ktraced.out
	done
}

# bats test_tags=alike
@test "a copy that was killed half way is completed by the next --recover" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -t 2 -n 0
	writers_done
	LD_PRELOAD=$PROGS/bad_disk.so DIE_AT=6 DIE_HOW=after "$KTRACED" --recover -o copy \
		"$session" || true
	is_stale "$session"
	recover "$session"
	[ "$status" -eq 0 ]
	# Which of them it is depends on whether the copy was whole.
	exact "$(sed -n 's/.*events recovered.*, //p' <<<"$stderr")"
}

# recover_part BYTES: --recover on a disk that is full when the file has so many more
recover_part()
{
	local size
	size=$(stat -c %s t)
	capture sh -c "ulimit -f $(((size + $1 - 1) / 512 + 1)); '$KTRACED' --recover '$session'"
	show ktraced --recover
	[ "$status" -eq 125 ]
	[[ $stderr == *"File too large"* ]]
	is_stale "$session"
}

# bats test_tags=alike
@test "a full disk: the session stays, and is saved when there is room" {
	at_full_speed=1 orphan -e flood -b 256K -o t -- "$PROGS/flood" -m -o -t 2 -n 0
	writers_done
	recover_part 8192
	recover "$session"
	[ "$status" -eq 0 ]
	exact t
}

@test "saved in two parts: no loss is told before older events, and the end once" {
	at_full_speed=1 orphan -e flood -b 256K -o t -- "$PROGS/flood" -m -o -t 2 -n 0
	writers_done
	# Room for names and losses, but for no block.
	recover_part 8192
	run_ktrace info t
	fails grep ended <<<"$output"
	recover "$session"
	[ "$status" -eq 0 ]
	exact t
	run_ktrace info t
	[ "$(grep -c ended <<<"$output")" -eq 1 ]
}

@test "what the dead ktraced could not write is counted" {
	# Shared memory is a file as well.
	start ktraced sh -c "ulimit -f 10000; exec '$KTRACED' --backend=$KTRACE_BACKEND -e flood \
		--policy=block -b 16K --thread-rings 4 -o t -- \
		'$PROGS/flood' -m -o -t 2 -n 0"
	retry 0.02 has ktraced.err 'events are lost'
	kill_daemon
	writers_done
	recover "$session"
	[ "$status" -eq 0 ]
	exact t
	run_ktrace info t
	[[ $output == *unwritten* ]]
}

@test "two at once: one of them saves it" {
	orphan -e flood -b 256K -o t -- "$PROGS/flood" -m -o -t 2 -n 0
	writers_done
	"$KTRACED" --recover "$session" 3>&- &
	one=$!
	two=0
	"$KTRACED" --recover "$session" || two=$?
	wait "$one" && one=0 || one=$?
	echo "statuses $one and $two"
	[ "$one" = 0 ] || [ "$two" = 0 ]
	fails is_stale "$session"
	exact t
}

@test "--list, --discard, and what is said at the next start" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
	run_ktraced -o other -- true
	[[ $stderr == *"left behind"*"ktraced --recover saves what"* ]]
	recover --list
	[ "$status" -eq 0 ]
	grep -E "^$session [0-9]+ (-|[0-9]+)$" <<<"$output"
	recover --list --json
	[ "$status" -eq 0 ]
	jq -es --arg session "$session" 'any(.session == $session and .bytes > 0 and
		(.unfinished | not))' <<<"$output"
	cp t before
	recover --discard "$session"
	[ "$status" -eq 0 ]
	cmp t before
	fails is_stale "$session"
	[ ! -e "$session" ]
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"is not a session left behind"* ]]
	recover --json
	[ "$status" -eq 125 ]
	recover --list --discard
	[ "$status" -eq 125 ]
	run_ktraced --list -o t -- true
	[ "$status" -eq 125 ]
	writers_done
}

@test "a session is named by its id and by KTRACE_SESSION as well" {
	for name in id env; do
		rm -f t
		orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n 0
		writers_done
		if [ "$name" = id ]; then
			recover "$(sed 's/.*[-:]0*//' <<<"$session")"
		elif [ "$KTRACE_BACKEND" = shm ]; then
			recover "shm:$session/user"
		else
			recover "$session"
		fi
		[ "$status" -eq 0 ]
		fails is_stale "$session"
		exact t
		rm ktraced.out
	done
}

# bats test_tags=shm
@test "a ktraced that died while it made its session" {
	dir=/dev/shm/ktrace-$(id -u)-$(printf %016x $$)
	mkdir -m 700 "$dir"
	LEFT+=("$dir")
	truncate -s 1M "$dir/user"
	fails is_stale "$dir"
	touch -d '1 minute ago' "$dir" "$dir/user"
	"$KTRACED" --recover --list | grep -x "$dir .* - unfinished"
	run_ktraced -o t -- true
	[[ $stderr != *"e.g. $dir"* ]]
	recover "$dir"
	[ "$status" -eq 0 ]
	[ ! -e "$dir" ]
}

@test "programs that start, fork and attach while ktraced dies" {
	for ((i = 0; i < $(in_guest && echo 1 || echo 5); i++)); do
		start_ktraced -e flood -b 128K -o t -- sh -c "
			until [ -e stop ]; do '$PROGS/flood' -o -p 3 -n 20; done; echo over"
		retry 0.02 has ktraced.out ^written
		sleep "0.0$((RANDOM % 100))"
		kill_daemon
		lines=$(wc -l <ktraced.out)
		# Those that come later find no session, or one without a reader: they go on.
		retry 0.05 eval '[ "$(wc -l <ktraced.out)" -gt $((lines + 4)) ]'
		touch stop
		command=
		retry 0.05 has ktraced.out ^over
		recover "$session"
		[ "$status" -eq 0 ]
		run_ktrace info t
		[ "$status" -eq 0 ]
		awk '/^events/ { n += $2 } /^lost/ { n += $2 } END { print n }' <<<"$output" >sum
		awk -v sum="$(cat sum)" '/^written/ { min += $2; max += $3 } END {
			print "written", min, "to", max, "read and lost", sum
			exit !(max > 0 && sum >= min && sum <= max) }' ktraced.out
		rm t stop ktraced.out
	done
}

# KTRACE_ROUNDS: how often; with KTRACE_LONG 200 times
# bats test_tags=alike
@test "killed at random moments, alone or with the programs, any policy, ring and file: exact" {
	rounds=${KTRACE_ROUNDS:-$(in_guest && echo 2 || echo 4)}
	[ -z "${KTRACE_LONG:-}" ] || rounds=${KTRACE_ROUNDS:-200}
	policies=(drop stop block overwrite)
	tunables=("" glibc.pthread.rseq=0)
	files=("" --compress "--split-size=200K" "--compress --split-size=100K")
	for ((i = 0; i < rounds; i++)); do
		policy=${policies[RANDOM % 4]} kib=$((16 << RANDOM % 6)) ms=$((RANDOM % 300))
		file=${files[RANDOM % 4]} writers=()
		echo "round $i: $policy, ${kib}K, $file, killed after $ms ms"
		# shellcheck disable=SC2086 # no option or two
		GLIBC_TUNABLES=${tunables[RANDOM % 2]} start_ktraced "--policy=$policy" $file -e flood \
			-b "${kib}K" -o t.bin -- "$PROGS/flood" -m -o -p 2 -t 2 -n 0
		retry 0.02 has ktraced.out '^at'
		sleep "0.$(printf %03d $ms)"
		((RANDOM % 2)) || read -ra writers <<<"$(children_of "$(child_of "$pid")")"
		kill_daemon "${writers[@]}"
		# What is there is part of a section at most too short.
		run_ktrace check t*.bin
		[ "$status" -le 1 ]
		writers_done
		recover "$session"
		[ "$status" -eq 0 ]
		exact t*.bin
		run_ktrace check t*.bin
		[ "$status" -eq 0 ]
		rm t*.bin ktraced.out
	done
}

# bats test_tags=shm
@test "the session's file is cut while it is taken over: that is said, nobody is killed" {
	orphan -e flood -o t -- "$PROGS/flood" -m -o -t 1 -n 0
	writers_done
	gcc -shared -fPIC -o cut.so "$ROOT/tests/progs/user/cut_session.c"
	LD_PRELOAD=$PWD/cut.so recover "$session"
	[ "$status" -gt 0 ] && [ "$status" -lt 128 ]
	[[ $stderr = *"$session: Bad message"* ]]
}

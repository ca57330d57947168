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
	teardown_test
}
LEFT=()

# So many that they are not over when ktraced is killed. In /dev/ktrace they are off then.
MANY=$([ "$KTRACE_BACKEND" = shm ] && echo 3000000 || echo 30000000)

# orphan ARG... -- COMMAND...: ktraced, killed when the command has begun to write and the
# file has something. $session: what it leaves
orphan()
{
	start_ktraced "$@"
	retry 300 0.02 has ktraced.out '^at [1-9]'
	kill_daemon
}

kill_daemon()
{
	session=$(session_of "$pid")
	command=$(child_of "$pid")
	LEFT+=("$session")
	kill -KILL "$pid"
	wait "$pid" || true
	retry 100 0.02 is_stale "$session"
}

is_stale()
{
	"$KTRACED" --recover --list | grep -q "^$1 "
}

# Output goes on when ktraced is gone.
writers_done()
{
	retry 600 0.05 has ktraced.out ^written
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

@test "the trace of a killed ktraced is completed in its place" {
	for policy in drop stop block overwrite; do
		orphan "--policy=$policy" -e flood -b 64K -o t -- \
			"$PROGS/flood" -m -o -t 2 -n "$MANY"
		writers_done
		recover "$session"
		[ "$status" -eq 0 ]
		[[ $stderr == *" events recovered, "* ]]
		exact t
		valid_trace t
		run_ktrace info t
		[[ $output == *closed* ]]
		! is_stale "$session"
		rm ktraced.out
	done
}

@test "programs that still run are stopped from recording, and go on" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -t 2 -n 1000000000 -u 100
	recover "$session"
	[ "$status" -eq 0 ]
	before=$(wc -l <ktraced.out)
	retry 100 0.05 eval '[ "$(wc -l <ktraced.out)" -gt $((before + 2)) ]'
	kill_tree "$command"
	last=$(sed -n 's/^at //p' ktraced.out | tail -n 1)
	echo "written $((last - 2)) $last" >>ktraced.out
	exact t
}

@test "-o makes a complete copy and leaves the file as it is" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n "$MANY"
	writers_done
	cp t before
	recover -o copy "$session"
	[ "$status" -eq 0 ]
	cmp t before
	exact copy
	! is_stale "$session"
}

@test "a file that is gone: the session stays, -o saves what is in the buffers" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n "$MANY"
	writers_done
	rm t
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"t: No such file"* ]]
	is_stale "$session"
	[ ! -e t ]
	recover -o rest "$session"
	[ "$status" -eq 0 ]
	[[ $stderr == *"is gone: what it held is not in rest"* ]]
	"$PROGS/check_flood" rest
	run_ktrace info rest
	[[ $output == *"flood:item"* && $output == *"command   $PROGS/flood"* ]]
}

@test "a file that another recording has replaced is not touched" {
	orphan -e flood -b 64K -o t -- "$PROGS/flood" -m -o -n "$MANY"
	writers_done
	"$KTRACED" "--backend=$KTRACE_BACKEND" -q -e flood -o t -- true
	cp t other
	recover "$session"
	[ "$status" -eq 125 ]
	[[ $stderr == *"is not the file of session"*"-o"* ]]
	cmp t other
	recover -o rest "$session"
	[ "$status" -eq 0 ]
	cmp t other
	"$PROGS/check_flood" rest
}

# left_by_die_at: the session of a ktraced that die_at.c has killed, if it had one
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
	LD_PRELOAD=$PWD/die.so DIE_AT=$3 DIE_HOW=$2 start_ktraced "--policy=$1" -e flood \
		-b 16K -o t -- env -u LD_PRELOAD "$PROGS/flood" -o -t 2 -n 1000
	wait "$pid" && return 1
	left_by_die_at
	echo "killed $2 write $3, policy $1: $session"
	# A command that was not let go has written nothing.
	retry 100 0.02 is_gone_or_done
}

is_gone_or_done()
{
	has ktraced.out ^written || ! pgrep -f "^$PROGS/flood -o -t 2 -n 1000\$" >/dev/null
}

@test "killed before, in the middle of, and after each write: still exact" {
	gcc -shared -fPIC -o die.so "$ROOT/tests/progs/user/die_at.c"
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
				! is_stale "$session"
				[ ! -s ktraced.out ] || exact t
				rounds=$((rounds + 1))
			done
		done
	done
	[ "$rounds" -gt 4 ]
}

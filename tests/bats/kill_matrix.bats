#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# kill_matrix.bats - who is hit x by what x in which state: the table of all cells
#
# Who:   program (a process that writes), thread (one of its threads), shell (that started
#        ktraced), ktraced, viewer (on the growing file), module (an attempt to unload it)
# What:  KILL, STOP and then CONT, OOM (a real one, of a memory cgroup; in the VM)
# State: idle; flood, events as fast as they can; full, all rings are full and writers wait
#        for room; file, ktraced writes to a slow disk
#
# After each: the program goes on, unless it was hit itself or waits as it
# was told to; the ledger is exact, after --recover where ktraced was hit; the file can be
# read; no session, descriptor or memory is left; the kernel has not complained.
load helpers

setup() { setup_test; }
teardown()
{
	[ -z "${group:-}" ] || empty_group
	# Their parents may be gone.
	for p in "${ktraced:-}" "${flood:-}"; do
		[ -z "$p" ] || kill_tree "$p"
	done
	[ ! -d "${session:-}" ] || rm -rf "$session"
	teardown_test
}

# bats test_tags=alike
@test "program KILL idle" { cell; }
# bats test_tags=alike
@test "program KILL flood" { cell; }
@test "program KILL full" { cell; }
# bats test_tags=alike
@test "program KILL file" { cell; }
# bats test_tags=alike
@test "program STOP idle" { cell; }
# bats test_tags=alike
@test "program STOP flood" { cell; }
# bats test_tags=alike
@test "program STOP full" { cell; }
# bats test_tags=alike
@test "program STOP file" { cell; }
# bats test_tags=dev
@test "program OOM idle" { cell; }
# bats test_tags=dev,long
@test "program OOM flood" { cell; }
# bats test_tags=dev,long
@test "program OOM full" { cell; }
# bats test_tags=dev,long
@test "program OOM file" { cell; }
# bats test_tags=alike
@test "thread KILL idle" { cell; }
@test "thread KILL flood" { cell; }
# bats test_tags=alike
@test "thread KILL full" { cell; }
# bats test_tags=alike
@test "thread KILL file" { cell; }
# none: thread STOP *: a stop signal stops the whole process, which is program STOP
# none: thread OOM *: the OOM killer kills processes, which is program OOM
# bats test_tags=alike
@test "shell KILL idle" { cell; }
# bats test_tags=alike
@test "shell KILL flood" { cell; }
# bats test_tags=alike
@test "shell KILL full" { cell; }
# bats test_tags=alike
@test "shell KILL file" { cell; }
# bats test_tags=alike
@test "shell STOP idle" { cell; }
# bats test_tags=alike
@test "shell STOP flood" { cell; }
# bats test_tags=alike
@test "shell STOP full" { cell; }
# bats test_tags=alike
@test "shell STOP file" { cell; }
# bats test_tags=dev,long
@test "shell OOM idle" { cell; }
# bats test_tags=dev,long
@test "shell OOM flood" { cell; }
# bats test_tags=dev,long
@test "shell OOM full" { cell; }
# bats test_tags=dev,long
@test "shell OOM file" { cell; }
# bats test_tags=alike
@test "ktraced KILL idle" { cell; }
# bats test_tags=alike
@test "ktraced KILL flood" { cell; }
@test "ktraced KILL full" { cell; }
# bats test_tags=alike
@test "ktraced KILL file" { cell; }
# bats test_tags=alike
@test "ktraced STOP idle" { cell; }
# bats test_tags=alike
@test "ktraced STOP flood" { cell; }
@test "ktraced STOP full" { cell; }
# bats test_tags=alike
@test "ktraced STOP file" { cell; }
# bats test_tags=dev,long
@test "ktraced OOM idle" { cell; }
# bats test_tags=dev
@test "ktraced OOM flood" { cell; }
# bats test_tags=dev,long
@test "ktraced OOM full" { cell; }
# bats test_tags=dev,long
@test "ktraced OOM file" { cell; }
# bats test_tags=alike
@test "viewer KILL idle" { cell; }
# bats test_tags=alike
@test "viewer KILL flood" { cell; }
# bats test_tags=alike
@test "viewer KILL full" { cell; }
# bats test_tags=alike
@test "viewer KILL file" { cell; }
# bats test_tags=alike
@test "viewer STOP idle" { cell; }
# bats test_tags=alike
@test "viewer STOP flood" { cell; }
# bats test_tags=alike
@test "viewer STOP full" { cell; }
# bats test_tags=alike
@test "viewer STOP file" { cell; }
# bats test_tags=dev,long
@test "viewer OOM idle" { cell; }
# bats test_tags=dev,long
@test "viewer OOM flood" { cell; }
# bats test_tags=dev,long
@test "viewer OOM full" { cell; }
# bats test_tags=dev
@test "viewer OOM file" { cell; }
# bats test_tags=dev
@test "module KILL idle" { cell; }
# bats test_tags=dev
@test "module KILL flood" { cell; }
# bats test_tags=dev
@test "module KILL full" { cell; }
# bats test_tags=dev
@test "module KILL file" { cell; }
# none: module STOP *: rmmod either removes the module or does not, there is nothing to stop
# none: module OOM *: rmmod allocates nothing

# bats test_tags=alike
@test "the table has every cell, or a reason why there is none" {
	local who what state all=0
	for who in program thread shell ktraced viewer module; do
		for what in KILL STOP OOM; do
			for state in idle flood full file; do
				grep -qE "^(@test \"$who $what $state\"|# none: $who $what (\*|$state): .)" \
					"$BATS_TEST_FILENAME" || echo "no cell $who $what $state"
				all=$((all + 1))
			done
		done
	done >missing
	cat missing
	[ ! -s missing ]
}

CGROUPS=/sys/fs/cgroup

# ---- the stage ----

# set_group: a memory cgroup for what is to run out of memory
set_group()
{
	echo +memory >$CGROUPS/cgroup.subtree_control
	group=$CGROUPS/kill-$BATS_TEST_NUMBER
	mkdir "$group"
}

empty_group()
{
	local p
	for p in $(<"$group/cgroup.procs"); do
		echo "$p" >$CGROUPS/cgroup.procs || true
	done
	retry 0.05 rmdir "$group"
	group=
}

# only_in_group PID: the others go on outside
only_in_group()
{
	local p
	for p in $(<"$group/cgroup.procs"); do
		[ "$p" = "$1" ] || echo "$p" >$CGROUPS/cgroup.procs 2>/dev/null || true
	done
	[ "$(<"$group/cgroup.procs")" = "$1" ]
}

# set_stage STATE: shell -> ktraced -> flood -> writer, in that state
set_stage()
{
	local options=(-e flood -b 64K) events=(-p 2) preload=()
	# An emulated machine has other things to do than to read back a million events.
	! in_guest || events+=(-u 20)
	[ "$who" != thread ] || events+=(-p 1 -t 2)
	case $1 in
	idle) events+=(-u 2000) ;;
	full) options+=(--policy=block) ;;
	file)
		preload=(env "LD_PRELOAD=$PROGS/bad_disk.so" SLOW_US=20000)
		;;
	esac
	# shellcheck disable=SC2016
	start shell bash -c 'group=$1; shift
		[ -z "$group" ] || echo $$ >"$group/cgroup.procs"
		exec >ktraced.out 2>ktraced.err
		"$@" & echo $! >ktraced.pid; wait' shell "${group:-}" \
		"${preload[@]}" "$KTRACED" "--backend=$KTRACE_BACKEND" "${options[@]}" -o t -- \
		nice -n 19 "$PROGS/flood" "${events[@]}" -m -o -n 0 -x "${exit_by:-raw}"
	shell=$pid
	retry 0.02 has ktraced.out '^at [1-9]'
	retry 0.02 test -s ktraced.pid
	read -r ktraced <ktraced.pid
	flood=$(child_of "$ktraced")
	writer=$(child_of "$flood")
	session=$(session_of "$ktraced")
	if [ "$1" = full ]; then
		kill -STOP "$ktraced"
		retry 0.05 stands_still
	fi
}

has_events()
{
	[ "$("$KTRACE" list -n 20 t | wc -l)" = 20 ]
}

# start_viewer: reads what the file has by now, many times over, into a pipe that nobody empties
start_viewer()
{
	# Of a full ring nothing need be in the file yet.
	[ "$state" != full ] || kill -CONT "$ktraced"
	retry 0.05 has_events
	[ "$state" != full ] || kill -STOP "$ktraced"
	local copy
	head -c 64K t >part
	for copy in copy.{1..100}; do
		another part "$copy"
	done
	mkfifo pipe
	sh -c 'exec 3<>pipe; exec sleep 1000' &
	holder=$!
	STARTED+=("$holder")
	# shellcheck disable=SC2016
	sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"; shift; exec "$@" >pipe 2>/dev/null' \
		viewer "${group:-}" "$KTRACE" list copy.* &
	viewer=$!
	STARTED+=("$viewer")
	retry 0.02 has "/proc/$viewer/comm" '^ktrace$'
}

# goes_on: long before a writer that waits for room would give up, after half a minute
goes_on()
{
	within 200 0.05 moves_on "$(last_at)"
}

descriptors()
{
	local fds=("/proc/$1/fd"/*)
	echo "${#fds[@]}"
}

# ---- what happens ----

# hit PID WHAT
hit()
{
	case $2 in
	KILL) kill -KILL "$1" ;;
	STOP) kill -STOP "$1"; retry 0.02 is_state "$1" T ;;
	OOM)
		only_in_group "$1"
		echo 0 >"$group/memory.max"
		;;
	esac
	[ "$2" = STOP ] || retry 0.05 is_gone "$1"
}

is_state()
{
	[ "$(state_of "$1")" = "$2" ]
}

# after_full: the reader of full rings reads again
after_full()
{
	if [ "$state" = full ]; then
		kill -CONT "$ktraced"
	fi
}

hit_program()
{
	hit "$writer" "$what"
	if [ "$what" = STOP ]; then
		kill -CONT "$writer"
		after_full
		goes_on
	else
		after_full
	fi
}

# has_fewer NR: the writer has fewer threads than that
has_fewer()
{
	local threads=("/proc/$writer/task/"*)
	[ "${#threads[@]}" -lt "$1" ]
}

hit_thread()
{
	local threads=("/proc/$writer/task/"*)
	kill -USR1 "$writer"
	[ "$exit_by" = raw ] || after_full
	retry 0.02 has_fewer "${#threads[@]}"
	[ "$exit_by" != raw ] || after_full
	goes_on
}

hit_shell()
{
	hit "$shell" "$what"
	after_full
	goes_on
	[ "$what" != STOP ] || kill -CONT "$shell"
}

hit_ktraced()
{
	if [ "$what" = STOP ]; then
		hit "$ktraced" STOP
		# Who waits for room was told to; all others do not notice.
		[ "$state" = full ] || goes_on
		kill -CONT "$ktraced"
		goes_on
		return
	fi
	hit "$ktraced" "$what"
	[ "$KTRACE_BACKEND" = dev ] || goes_on
}

hit_viewer()
{
	start_viewer
	hit "$viewer" "$what"
	after_full
	goes_on
	[ "$what" != STOP ] || kill -KILL "$viewer"
}

hit_module()
{
	fails rmmod ktrace
	after_full
	goes_on
}

# ---- what is left ----

end_program()
{
	kill -TERM "$flood"
	retry 0.05 has ktraced.out ^written
	retry 0.05 is_gone "$flood"
	flood=
}

nothing_left()
{
	if [ "$KTRACE_BACKEND" = shm ]; then
		[ ! -e "$session" ]
	else
		[ "$("$PROGS/leftover")" = "sessions 0 kept 0" ]
		[ "$(</sys/module/ktrace/refcnt)" = 0 ]
	fi
}

exact()
{
	local written='^written ([0-9]+) ([0-9]+)$' min max sum line
	check=$("$PROGS/check_flood" t) || { echo "$check"; return 1; }
	[[ $check =~ (^|$'\n')read\ ([0-9]+)\ [a-z]+\ ([0-9]+) ]]
	sum=$((BASH_REMATCH[2] + BASH_REMATCH[3]))
	while read -r line; do
		[[ ! $line =~ $written ]] || { min=${BASH_REMATCH[1]}; max=${BASH_REMATCH[2]}; }
	done <ktraced.out
	echo "written $min to $max, $check"
	[ "$max" -gt 0 ] && [ "$sum" -ge "$min" ] && [ "$sum" -le "$max" ]
}

run_cell()
{
	local fds
	set_stage "$state"
	fds=$(descriptors "$ktraced")
	"hit_$who"
	if [ "$who" != ktraced ] || [ "$what" = STOP ]; then
		[ "$(descriptors "$ktraced")" = "$fds" ]
	fi
	end_program
	if [ "$who" = ktraced ] && [ "$what" != STOP ]; then
		"$KTRACED" --recover "$session"
	fi
	retry 0.05 is_gone "$ktraced"
	ktraced=
	cat ktraced.err
	exact
	"$KTRACE" info t
	nothing_left
}

# cell: the one that the test's name says
cell()
{
	read -r who what state <<<"$BATS_TEST_DESCRIPTION"
	[ "$what" != OOM ] || set_group
	[ "$who" != thread ] || exit_by=pthread
	run_cell
	[ "$who" = thread ] || [ "$what" = OOM ] || return 0
	rm -f t pipe ktraced.out ktraced.pid
	if [ "$what" = OOM ]; then
		# There is no other place to do this for shared memory. Of who is hit beside
		# ktraced and the program, the back end makes no difference.
		[ -n "${KTRACE_LONG:-}" ] || [ "$who" = ktraced ] || [ "$who" = program ] || return 0
		empty_group
		set_group
		KTRACE_BACKEND=shm run_cell
	else
		exit_by=raw
		GLIBC_TUNABLES=glibc.pthread.rseq=0 run_cell
	fi
}

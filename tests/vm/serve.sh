# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# A guest that stays and takes commands: start, exec, shell, stop.
#
# Its supervisor is this script again (serve), detached from the caller; it works
# like run, and serves until the guest ends.  The other commands use
# $CACHE/guests/<name>/:
#   pid, qemu_pid	supervisor and QEMU
#   work		link to the guest's work directory; absent until it takes commands
#   log, status		the supervisor's output and exit status
#   lock		taken by the command that talks to the guest
#   scanned		bytes of console.log that earlier commands have scanned
# Requests and answers go through the guest's second serial line, a pair of
# FIFOs in the work directory; commands and their output are files in the
# control share.  See guest/main.

guest_dir()
{
	[[ $name =~ ^[A-Za-z0-9_.-]+$ ]] || die "invalid name for a guest: '$name'"
	dir=$CACHE/guests/$name
}

is_alive()
{
	[ -s "$dir/pid" ] && kill -0 "$(cat "$dir/pid")" 2>/dev/null
}

need_guest()
{
	[ -e "$dir/work" ] && is_alive && return
	if [ -s "$dir/log" ]; then
		cat "$dir/log" >&2
		say "the guest '$name' has ended"
		exit "$STATUS_DEAD"
	fi
	die "no guest '$name'; start it with: vm start -n $name"
}

# Close inherited pipes, so that programs that wait for them to close do not
# wait for the supervisor.
close_inherited_files()
{
	local fd
	for fd in "/proc/$BASHPID/fd/"*; do
		fd=${fd##*/}
		if [ "$fd" -gt 2 ] && [ "$fd" -ne 255 ]; then
			eval "exec $fd>&-" 2>/dev/null || true
		fi
	done
}

cmd_serve()
{
	local default_seconds=3600 line part=

	close_inherited_files
	parse_options "$@"
	guest_dir
	serving=$dir
	echo $$ >"$dir/pid"
	cleanup_add "rm -f '$dir/work'"
	guest_prepare
	echo "$seconds" >"$work/control/idle"
	mkfifo "$work/agent.in" "$work/agent.out"
	qemu_extra+=(-chardev "pipe,id=agent,path=$work/agent")
	if [ "$GUEST_ARCH" = amd64 ]; then
		qemu_extra+=(-device "isa-serial,chardev=agent")
	else
		qemu_extra+=(-device "pci-serial,chardev=agent")
	fi
	guest_start
	echo "$qemu_pid" >"$dir/qemu_pid"
	exec 4<>"$work/agent.out"
	until agent_read && [ "$line" = ready ]; do
		kill -0 "$qemu_pid" 2>/dev/null || guest_verdict ''
	done
	exec 4>&-
	stat -c %s "$work/console.log" >"$dir/scanned"
	ln -s "$work" "$dir/work"
	wait "$qemu_pid" || true
	guest_verdict ''
}

cmd_start()
{
	local args=("$@")

	parse_options "$@"
	guest_dir
	! is_alive || die "the guest '$name' is running"
	guest_kernel "$flavour"
	rm -rf "$dir"
	mkdir -p "$dir"
	# KTRACE_VM_NAME and the options must reach the supervisor as they are.
	setsid bash "$VM_DIR/vm" serve "${args[@]}" </dev/null >"$dir/log" 2>&1 &
	pids+=($!)
	wait_for "$dir/work" $! || {
		cat "$dir/log" >&2
		die "the guest '$name' did not start"
	}
	# from here on the guest runs without this script
	pids=()
	disown
}

# Send a request to the guest, on a line of its own, because text typed after the end of
# a shell may precede it.  Opening a FIFO for writing only would wait for a reader, and
# QEMU may be gone.
agent_send()
{
	printf '\n%s\n' "$*" 1<>"$dir/work/agent.in"
}

# Read a line of the agent into $line within a second. An incomplete line stays in $part
# until its rest arrives.
agent_read()
{
	local status=0 more

	IFS= read -r -t 1 more <&4 || status=$?
	part+=$more
	[ "$status" -eq 0 ] || return "$status"
	line=$part
	part=
}

# Wait for the answer to a request in the background: its status goes to a file.
agent_wait()
{
	local id=$1 file=$2 line part='' deadline=$((SECONDS + seconds)) signal=TERM

	while kill -0 "$(cat "$dir/qemu_pid")" 2>/dev/null; do
		if agent_read && [ "${line% *}" = "$id" ]; then
			echo "${line#* }" >"$file"
			return
		fi
		[ "$SECONDS" -ge "$deadline" ] || continue
		# SIGTERM, then SIGKILL, then the whole guest, whose kernel
		# hangs
		: >"$file.timeout"
		case $signal in
		TERM)
			agent_send kill "$id" TERM
			signal=KILL
			;;
		KILL)
			agent_send kill "$id" KILL
			signal=GUEST
			;;
		GUEST)
			kill -KILL "$(cat "$dir/qemu_pid")"
			;;
		esac
		deadline=$((SECONDS + 30))
	done
}

# Print new complaints of the console; status 0 if there are any.
exec_complaints()
{
	local from to

	from=$(cat "$dir/scanned")
	to=$(stat -c %s "$dir/work/console.log")
	echo "$to" >"$dir/scanned"
	{
		echo "$SCAN_USER_SPACE"
		tail -c "+$((from + 1))" "$dir/work/console.log"
	} >"$control/$id.console"
	scan_logs "$control/$id.console" >&2
}

# The guest is gone: print the supervisor's log.
exec_dead()
{
	wait_for "$dir/status" "$(cat "$dir/pid")" || true
	cat "$dir/log" >&2
	exit "$STATUS_DEAD"
}

cmd_exec()
{
	local control id waiter status has_timed_out=

	parse_options "$@"
	guest_dir
	[ ${#operands[@]} -gt 0 ] || die "exec: no command given; see --help"
	need_guest
	exec 5>"$dir/lock"
	flock 5
	control=$(readlink "$dir/work")/control
	id=$$.$SRANDOM
	cleanup_add "rm -f '$control/$id'.*"
	guest_command "$control" "$id" "${operands[@]}"

	exec 4<>"$dir/work/agent.out"
	# end the command if the caller is interrupted
	cleanup_add "[ -e '$control/$id.done' ] || agent_send kill '$id' KILL"
	agent_send run "$id"
	agent_wait "$id" "$control/$id.done" &
	waiter=$!
	pids+=("$waiter")
	follow_output "$waiter" "$control/$id"
	wait "$waiter" "${follow_pids[@]}" || true

	[ ! -e "$control/$id.done.timeout" ] || has_timed_out=1
	if [ ! -e "$control/$id.done" ]; then
		[ -z "$has_timed_out" ] || say "no end after $seconds s, and the guest hangs"
		exec_dead
	fi
	status=$(cat "$control/$id.done")
	if exec_complaints; then
		say "the kernel complained (see above): status $STATUS_COMPLAINT;" \
			"the command's own was $status"
		exit "$STATUS_COMPLAINT"
	fi
	if [ -n "$has_timed_out" ]; then
		say "no end after $seconds s: status $STATUS_TIMEOUT"
		exit "$STATUS_TIMEOUT"
	fi
	exit "$status"
}

cmd_stop()
{
	local pid status=0

	parse_options "$@"
	guest_dir
	[ -e "$dir/log" ] || die "no guest '$name'"
	if is_alive; then
		pid=$(cat "$dir/pid")
		[ ! -e "$dir/work" ] || agent_send quit
		spawn sleep 60 &
		pids+=($!)
		while kill -0 "$pid" 2>/dev/null; do
			kill -0 "${pids[0]}" 2>/dev/null || kill -TERM "$pid"
			sleep 0.05
		done
	fi
	cat "$dir/log" >&2
	[ ! -e "$dir/status" ] || status=$(cat "$dir/status")
	rm -rf "$dir"
	exit "$status"
}

# Run a shell of the guest on the caller's terminal; start a guest if there is
# none.
cmd_shell()
{
	local control id saved rows cols args=("$@")

	parse_options "$@"
	guest_dir
	[ -t 0 ] || die "shell needs a terminal"
	if ! is_alive; then
		say "booting $flavour"
		bash "$VM_DIR/vm" start "${args[@]}"
		cleanup_add "bash '$VM_DIR/vm' stop -n '$name'"
	fi
	need_guest
	exec 5>"$dir/lock"
	flock 5
	control=$(readlink "$dir/work")/control
	operands=("${operands[@]:-bash}")
	[ "${operands[*]}" != bash ] || operands=(bash -i)
	id=$$.$SRANDOM
	cleanup_add "rm -f '$control/$id'.*"
	guest_command "$control" "$id" "${operands[@]}"

	read -r rows cols < <(stty size)
	saved=$(stty -g)
	cleanup_add "stty '$saved'"
	say "exit ends the shell; the guest's files are the host's, changes stay in the guest"
	stty raw -echo
	agent_send shell "$id" "$rows" "$cols"
	spawn cat 4<>"$dir/work/agent.out" <&4 &
	pids+=($!)
	spawn cat <&0 1<>"$dir/work/agent.in" &
	pids+=($!)
	while [ ! -e "$control/$id.done" ] && kill -0 "$(cat "$dir/qemu_pid")" 2>/dev/null; do
		sleep 0.1
	done
	sleep 0.1
}

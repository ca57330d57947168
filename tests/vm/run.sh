# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables are shared among the files that vm sources
#
# vm run: one guest for one command.

# Options of run and start; sets the variables below and `operands`.
parse_options()
{
	local option OPTIND=1

	flavour=6.1-cloud
	cpus=2
	memory=1024
	seconds=${default_seconds:-600}
	out=
	show_console=
	want_leaks=
	want_icount=
	name=${KTRACE_VM_NAME:-default}
	qemu_extra=()
	while getopts k:c:m:t:o:n:j:sli option; do
		case $option in
		k) flavour=$OPTARG ;;
		c) cpus=$OPTARG ;;
		m) memory=$OPTARG ;;
		t) seconds=$OPTARG ;;
		o) out=$OPTARG ;;
		n) name=$OPTARG ;;
		j) join_network "$OPTARG" ;;
		s) show_console=1 ;;
		l) want_leaks=1 ;;
		i) want_icount=1 ;;
		*) exit 2 ;;
		esac
	done
	if [ -n "$want_icount" ]; then
		cpus=1
		qemu_extra+=(-icount "shift=0,sleep=off")
	fi
	shift $((OPTIND - 1))
	operands=("$@")
}

# join_network NUMBER:PORT:MEMORY: a network card on a network of guests, which is a multicast group
# of this host's loopback, and a file that is memory of all of them
join_network()
{
	local number port memory_file

	IFS=: read -r number port memory_file <<<"$1"
	qemu_extra+=(-netdev "socket,id=net,mcast=230.0.0.1:$port,localaddr=127.0.0.1"
		-device "virtio-net-pci,netdev=net,mac=52:54:00:00:00:0$number"
		-object "memory-backend-file,id=shared,size=1M,share=on,mem-path=$memory_file"
		-device "ivshmem-plain,memdev=shared")
}

guest_prepare()
{
	[ "$(id -u)" = 0 ] || die "the guest's shares need root"
	"$DEPS" vm
	guest_kernel "$flavour"
	guest_initrd
	guest_work
	if [ -n "$out" ]; then
		mkdir -p "$out"
	else
		out=$work/out
		mkdir "$out"
	fi
	if [ -d "$GUEST_TREE/lib/modules/$GUEST_RELEASE" ]; then
		echo "$GUEST_TREE/lib/modules/$GUEST_RELEASE"
	fi >"$work/control/modules"
	if [ -n "$want_leaks" ]; then
		: >"$work/control/leaks"
		GUEST_APPEND+=" kmemleak=on"
	fi
}

# Start the guest; with KVM only if it reaches user space, because nested KVM
# may fail to.
guest_start()
{
	local deadline

	if [ -z "$want_icount" ] && has_kvm; then
		guest_shares
		guest_qemu kvm
		deadline=$((SECONDS + 20))
		until [ -e "$work/control/booted" ]; do
			if [ "$SECONDS" -ge "$deadline" ] || ! kill -0 "$qemu_pid" 2>/dev/null; then
				say "no boot with KVM, falling back to emulation"
				forget_kvm
				kill_all
				rm -f "$work"/*.sock
				break
			fi
			sleep 0.05
		done
		[ ! -e "$work/control/booted" ] || return 0
	fi
	guest_shares
	guest_qemu tcg
}

console_tail()
{
	say "end of the guest's console:"
	tail -n "$1" "$work/console.log" | tr -d '\r' >&2
	cat "$work/qemu.log" >&2
}

# Print the kernel's complaints; status 0 if there are any.
report_complaints()
{
	local report=$work/report

	scan_logs "$work/console.log" "$work/control/dmesg.log" >"$report" || return 1
	cat "$report" >&2
	say "the kernel complained (see above)"
}

# Print the verdict on a guest that has ended.
guest_verdict()
{
	local has_timed_out=$1 status=

	[ ! -e "$work/control/status" ] || status=$(cat "$work/control/status")

	if [ -n "$has_timed_out" ]; then
		report_complaints || true
		console_tail 30
		say "not finished after $seconds s: status $STATUS_TIMEOUT"
		exit "$STATUS_TIMEOUT"
	fi
	if [ -z "$status" ]; then
		report_complaints || true
		console_tail 60
		say "the guest ended without a status: status $STATUS_DEAD"
		exit "$STATUS_DEAD"
	fi
	if report_complaints; then
		say "status $STATUS_COMPLAINT; the command's own was $status"
		exit "$STATUS_COMPLAINT"
	fi
	exit "$status"
}

cmd_run()
{
	local ended watchdog has_timed_out=

	parse_options "$@"
	[ ${#operands[@]} -gt 0 ] || die "run: no command given; see --help"
	guest_prepare
	guest_command "$work/control" run "${operands[@]}"
	guest_start
	follow_output "$qemu_pid" "$work/control/run"
	if [ -n "$show_console" ]; then
		spawn tail -q -c +1 -f -s 0.1 --pid="$qemu_pid" "$work/console.log" >&2 &
		follow_pids+=($!)
		pids+=($!)
	fi
	spawn sleep "$seconds" &
	watchdog=$!
	pids+=("$watchdog")
	wait -n -p ended "$qemu_pid" "$watchdog" || true
	if [ "$ended" = "$watchdog" ]; then
		has_timed_out=1
		kill -KILL "$qemu_pid"
	fi
	wait "${follow_pids[@]}" || true
	guest_verdict "$has_timed_out"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# The test machinery itself: a guest boots, gives back what its command did,
# cannot change the host, and no bug in its kernel goes unnoticed.
# tests/vm/selftest plants the bugs.

# shellcheck disable=SC2016,SC2154 # the guest's shell expands; run sets stderr

bats_require_minimum_version 1.5.0
load helpers

setup_file()
{
	export VM="$BATS_TEST_DIRNAME/../vm/vm"
	export KTRACE_VM_NAME="bats-$$"

	build_plant 6.1-cloud
}

teardown_file()
{
	"$VM" stop 2>/dev/null || true
}

# A guest that a failed test has left
teardown()
{
	[ ! -e "${KTRACE_CACHE:-$HOME/.cache/ktrace}/guests/$KTRACE_VM_NAME" ] || "$VM" stop || true
}

# Build the bug planter for a kernel; it is then
# $BATS_FILE_TMPDIR/<kernel>/ktrace_plant.ko.
build_plant()
{
	local dir="$BATS_FILE_TMPDIR/$1"

	[ ! -e "$dir/ktrace_plant.ko" ] || return 0
	mkdir -p "$dir"
	cp "$BATS_TEST_DIRNAME"/../vm/selftest/* "$dir"
	make -s -C "$("$VM" kdir "$1")" M="$dir" modules >&2
}

# Plant one bug in a guest of its own.
plant()
{
	local kernel=$1 kind=$2
	shift 2

	build_plant "$kernel"
	run "$VM" run -k "$kernel" "$@" -- \
		insmod "$BATS_FILE_TMPDIR/$kernel/ktrace_plant.ko" kind="$kind"
}

# Debug kernels take long to build: they are tested where somebody has built
# them.
need_debug_kernel()
{
	compgen -G "${KTRACE_CACHE:-$HOME/.cache/ktrace}/kbuild/$1-*" >/dev/null ||
		skip "no $1 kernel; see vm build-kernel"
}

# Processes that still have this word in their arguments; it reaches grep by
# another way.
processes_with()
{
	grep -lsaF -f <(echo "$1") /proc/[0-9]*/cmdline || true
}

# uses DIR: a guest has its work directory there
uses()
{
	[ -n "$(processes_with "$1/ktrace-vm.")" ]
}

# is_unused DIR: no guest has, nor has one left anything there
is_unused()
{
	[ -z "$(processes_with "$1/ktrace-vm.")$(ls "$1")" ]
}

@test "run: output, status, what tests need; of the host only /mnt/out is written" {
	local dir="$BATS_TEST_TMPDIR"

	echo host >"$dir/file"
	mkdir "$dir/out"
	cd "$dir"
	KTRACE_KHZ=$("$BATS_TEST_DIRNAME/../vm/tsc-khz") || KTRACE_KHZ=
	export KTRACE_KHZ
	KTRACE_WORD='two words' run --separate-stderr "$VM" run -c 3 -o out -- bash -c '
		echo "$PWD|$HOME|$KTRACE_WORD|$(hostname)|$(nproc)|$(readlink /proc/self/fd/0)"
		getent group tracing >/dev/null && echo group
		for dir in /proc /sys /sys/kernel/tracing /sys/kernel/debug /dev/pts \
			/dev/shm /run; do
			mountpoint -q $dir || echo "no $dir"
		done
		# Of a busy host it would get a wrong idea.
		[ -z "$KTRACE_KHZ" ] || grep -q "tsc_early_khz=[1-9]" /proc/cmdline ||
			dmesg | grep -q "Hypervisor detected: KVM" || echo "it measures its clock"
		[ -w /tmp ] && tmp=$(mktemp) && [[ $tmp == /tmp/* ]] && echo tmp
		command -v insmod
		ls /sys/class/net
		echo guest >file && echo new >other && rm -rf /usr/bin/env && ! [ -e /usr/bin/env ] &&
			echo result >/mnt/out/result && cat file
		# around the overlay
		mkdir /run/host && mount -t virtiofs root /run/host &&
			! touch /run/host/etc/ktrace-vm-was-here && echo kept out
		echo err >&2
		exit 7'
	[ "$status" -eq 7 ]
	[ "${lines[0]}" = "$PWD|/root|two words|ktrace-vm|3|/dev/null" ]
	[ "${lines[1]}" = group ]
	[ "${lines[2]}" = tmp ]
	[[ "${lines[3]}" == */sbin/insmod ]]
	[ "${lines[4]}" = lo ]
	[ "${lines[5]}" = guest ]
	[ "${lines[6]}" = "kept out" ]
	[ "${#lines[@]}" = 7 ]
	[[ $stderr == *err* ]]
	[ "$(cat file)" = host ]
	[ ! -e other ]
	[ -x /usr/bin/env ]
	[ ! -e /etc/ktrace-vm-was-here ]
	[ "$(cat out/result)" = result ]
}

# build_stale: the programs stale1 to stale8
build_stale()
{
	local id

	mkdir "$BATS_TEST_TMPDIR/stale"
	for id in 1 2 3 4 5 6 7 8; do
		gcc -O1 -no-pie -DID="$id" "$BATS_TEST_DIRNAME/../vm/selftest/stale.c" \
			-o "$BATS_TEST_TMPDIR/stale/stale$id"
	done
}

# run_stale ROUNDS: in a guest, emulated or not, whose parameters end with KTRACE_VM_APPEND
run_stale()
{
	run "$VM" run -- sh "$BATS_TEST_DIRNAME/../vm/selftest/stale.sh" "$BATS_TEST_TMPDIR/stale" "$1"
}

@test "run: programs run the code that lies in memory" {
	build_stale
	run_stale 10
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "0 of 80 runs were bad" ]
	# What that test would find; which pages a program gets is chance.
	export KTRACE_VM_ACCEL=tcg KTRACE_VM_APPEND=init_on_alloc=0
	for _ in 1 2 3 4 5; do
		run_stale 5
		[ "$status" -eq 0 ] || break
	done
	[ "$status" -eq 1 ]
	[[ $output == *"256 pages ran other code than lies in memory, 0 had another's"* ]]
}

@test "run -i: the cycle counter counts instructions" {
	local ticks="$PROGS/ticks"

	run "$VM" run -i -- sh -c "nproc && $ticks && $ticks"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 1 ]
	[[ ${lines[1]} == 1000? ]]	# reading it is some instructions, too
	[ "${lines[1]}" = "${lines[2]}" ]
}

@test "run: a warning of the kernel is caught" {
	plant 6.1-cloud warn
	[ "$status" -eq 124 ]
	[[ $output == *"WARNING:"*plant_warn* ]]
}

@test "run: an oops ends the guest at once" {
	plant 6.1-cloud oops
	[ "$status" -eq 125 ]
	[[ $output == *"BUG: kernel NULL pointer dereference"* ]]
}

@test "run: time-out ends the guest" {
	run "$VM" run -t 5 -- sleep 1000
	[ "$status" -eq 123 ]
	[[ $output == *"not finished after 5 s"* ]]
}

@test "run: nothing is left after a signal or a killed parent" {
	local dir="$BATS_TEST_TMPDIR/tmp" signal pid

	mkdir "$dir"
	for signal in TERM INT HUP PARENT; do
		if [ "$signal" = PARENT ]; then
			TMPDIR=$dir bash -c '"$1" run -- sleep 1000; true' - "$VM" 3>&- &
		else
			# a background job of a shell ignores INT, and under nohup HUP,
			# unless it asks not to
			TMPDIR=$dir env --default-signal=HUP,INT "$VM" run -- sleep 1000 3>&- &
		fi
		pid=$!
		retry 0.1 uses "$dir"
		sleep 1
		if [ "$signal" = PARENT ]; then
			kill -KILL "$pid"
		else
			kill "-$signal" "$pid"
		fi
		wait "$pid" || true
		retry 0.1 is_unused "$dir"
	done
}

# bats test_tags=long
@test "run: two guests do not meet" {
	local who='echo $0 >/run/who; sleep 2; cat /run/who'

	"$VM" run -m 512 -c 1 -- sh -c "$who" a >"$BATS_TEST_TMPDIR/a" 3>&- &
	"$VM" run -m 512 -c 1 -- sh -c "$who" b >"$BATS_TEST_TMPDIR/b" 3>&-
	wait $!
	[ "$(cat "$BATS_TEST_TMPDIR/a")" = a ]
	[ "$(cat "$BATS_TEST_TMPDIR/b")" = b ]
}

@test "an answer of the guest that comes in two parts is one answer" {
	local line='' part=''

	source "$BATS_TEST_DIRNAME/../vm/serve.sh"
	mkfifo "$BATS_TEST_TMPDIR/agent"
	exec 4<>"$BATS_TEST_TMPDIR/agent"
	printf '17.4 1' >&4
	fails agent_read
	printf '23\n17.5 0\n' >&4
	agent_read
	[ "$line" = "17.4 123" ]
	agent_read
	[ "$line" = "17.5 0" ]
}

@test "start, exec, stop: one guest for many commands" {
	"$VM" start
	run --separate-stderr "$VM" exec -- \
		sh -c 'echo kept >/run/kept; echo out; echo err >&2; exit 5'
	[ "$status" -eq 5 ]
	[ "$output" = out ]
	[ "$stderr" = err ]
	run "$VM" exec -- cat /run/kept
	[ "$status" -eq 0 ]
	[ "$output" = kept ]
	run "$VM" start
	[ "$status" -eq 1 ]
	"$VM" stop
	run "$VM" exec -- true
	[ "$status" -eq 1 ]
}

# bats test_tags=long
@test "exec: files replaced on the host are seen" {
	cd "$BATS_TEST_TMPDIR"
	echo old >edited
	echo old >replaced
	"$VM" start
	run "$VM" exec -- cat edited replaced
	[ "$output" = $'old\nold' ]
	echo longer >edited
	echo longer >new
	mv new replaced
	run "$VM" exec -- cat edited replaced
	[ "$output" = $'longer\nlonger' ]
	"$VM" stop
}

# is_over PROGRAM: the guest has no process of it any more
is_over()
{
	run "$VM" exec -- pgrep -x "$1"
	[ "$status" -eq 1 ]
}

@test "exec: complaints, time-out and panic are told apart" {
	local plant="$BATS_FILE_TMPDIR/6.1-cloud/ktrace_plant.ko"

	"$VM" start
	run "$VM" exec -- sh -c "insmod $plant kind=none && rmmod ktrace_plant"
	[ "$status" -eq 0 ]
	run "$VM" exec -- sh -c "echo ktrace-test: of a warning >/dev/kmsg
		insmod $plant kind=warn && rmmod ktrace_plant"
	[ "$status" -eq 124 ]
	[[ $output == *"ktrace-test: of a warning"*"WARNING:"*plant_warn* ]]
	run "$VM" exec -- true
	[ "$status" -eq 0 ]
	run "$VM" exec -t 2 -- sleep 1000
	[ "$status" -eq 123 ]
	# A process that was killed takes its time.
	retry 0.5 is_over sleep
	run "$VM" exec -- insmod "$plant" kind=panic
	[ "$status" -eq 125 ]
	[[ $output == *"Kernel panic - not syncing: planted"* ]]
	run "$VM" stop
	[ "$status" -eq 125 ]
}

# bats test_tags=long
@test "shell: a terminal of the guest, which goes on afterwards" {
	"$VM" start
	run timeout 120 script -qec "'$VM' shell -- tty" /dev/null </dev/null
	[[ $output == */dev/ttyS1* ]]
	run timeout 120 script -qec "'$VM' shell -- tty" /dev/null </dev/null
	[[ $output == */dev/ttyS1* ]]
	run "$VM" exec -- echo still here
	[ "$output" = "still here" ]
	"$VM" stop
}

# planted KIND: what the guest that was started says of it
planted()
{
	run "$VM" exec -- sh -c "insmod '$BATS_FILE_TMPDIR/$kernel/ktrace_plant.ko' kind=$1 &&
		rmmod ktrace_plant"
}

# The first report of KASAN switches lockdep off.
@test "kasan: memory, locking and sleeping bugs are caught" {
	kernel=kasan
	need_debug_kernel kasan
	build_plant kasan
	"$VM" start -k kasan
	planted none
	[ "$status" -eq 0 ]
	planted deadlock
	[ "$status" -eq 124 ]
	[[ $output == *"possible circular locking dependency"* ]]
	planted overrun
	[ "$status" -eq 124 ]
	[[ $output == *"BUG: KASAN: slab-out-of-bounds in plant_overrun"* ]]
	planted sleep
	[ "$status" -eq 124 ]
	[[ $output == *"scheduling while atomic"* ]]
	"$VM" stop || true
}

# The step that looks for leaks is one of the long ones.
# bats test_tags=long
@test "kasan: a leak is caught when the guest ends" {
	need_debug_kernel kasan
	plant kasan leak -l
	[ "$status" -eq 124 ]
	[[ $output == *"unreferenced object"*plant_leak* ]]
}

@test "kcsan: a module's race is caught, the kernel's own are not" {
	kernel=kcsan
	need_debug_kernel kcsan
	build_plant kcsan
	"$VM" start -k kcsan
	planted none
	[ "$status" -eq 0 ]
	planted race
	[ "$status" -eq 124 ]
	[[ $output == *"BUG: KCSAN: data-race in"*ktrace_plant* ]]
	"$VM" stop || true
}

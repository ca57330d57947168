#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# Where recording is not as usual: clocks that change, machines without /dev/shm, containers, little room, names with
# any bytes.

# shellcheck disable=SC2154 # run_ktraced sets status, output and stderr

load helpers

# Bytes that are no text, end lines, and mean something to terminals, shells and JSON
ODD=$'od\nd \x01\x1b[31m\xff"\\'

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# apart SCRIPT: bash with mounts of its own runs it; $1 there is ktraced, $2 a program
apart()
{
	capture unshare -m bash -c "$1" apart "$KTRACED" "$EXAMPLES/hello"
	show apart "$1"
}

# Without a counter that all CPUs share, each thread has a buffer of its own.
has_cpu_buffers()
{
	grep -q tsc /sys/devices/system/clocksource/clocksource0/current_clocksource
}

refused_in_shm()
{
	[ "$status" = 125 ] || return 1
	[[ $stderr == *"cannot create a session: /dev/shm/ktrace-"*": $1; "*"mount -t tmpfs -o mode=1777 tmpfs /dev/shm" ]] ||
		return 1
	# The program has not run.
	[ -z "$output" ]
}

@test "recording: no /dev/shm, one that is read-only, one of others: said with what helps" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	apart 'mount -t tmpfs none /dev && "$1" --backend shm -o t -- "$2"'
	refused_in_shm 'No such file or directory'
	apart 'mount -t tmpfs -o ro none /dev/shm && "$1" --backend shm -o t -- "$2"'
	refused_in_shm 'Read-only file system'
	apart 'mount -t tmpfs -o mode=0700 none /dev/shm && setpriv --reuid 65534 --clear-groups \
		"$1" --backend shm -o /dev/null -- "$2"'
	refused_in_shm 'Permission denied'
	[ ! -e t ]
}

@test "recording: programs without the device, with less address space than a session takes: told at the end" {
	requires_root
	requires_dev
	run_ktraced --pthread -o t -- unshare -m sh -c 'mount -t tmpfs none /dev; exec sleep 0.5'
	[[ $stderr == *"1 program could not take part, without this /dev/ktrace: sleep"* ]]
	run_ktraced --pthread -o t -- sh -c 'ulimit -v 20000; exec sleep 0.5'
	[[ $stderr == *"1 program could not take part, with too little address space (ulimit -v): sleep"* ]]
	run_ktraced --pthread -o t -- unshare -m sh -c 'mount -t tmpfs none /dev/shm; exec sleep 0.5'
	[[ $stderr != *"could not take part"* ]]
}

@test "recording: a limit to the size of files: said with what helps" {
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	capture bash -c 'ulimit -f 9000; "$1" -o t -- "$2"' - "$KTRACED" "$EXAMPLES/hello"
	[ "$status" = 125 ]
	[[ $stderr == *"File too large; 'ulimit -f' allows no larger file: use a smaller -b or --thread-rings" ]]
	[ -z "$output" ]
	capture bash -c 'ulimit -f 9000; "$1" -b 64K --thread-rings 2 -o t -- "$2"' - "$KTRACED" "$EXAMPLES/hello"
	[ "$status" = 0 ]
}

@test "recording: a /dev/shm that is full" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	apart 'mount -t tmpfs -o size=1M none /dev/shm && "$1" -o t -- "$2"; s=$?; ls /dev/shm; exit $s'
	[ "$status" = 125 ]
	[[ $stderr == *"No space left on device; use a smaller -b or --thread-rings" ]]
	[ -z "$output" ]
	apart 'mount -t tmpfs -o size=8M none /dev/shm && "$1" -b 64K --thread-rings 8 -o t -- "$2"; s=$?
		ls /dev/shm; exit $s'
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	[ "$output" = "hello, world" ]
}

@test "recording: a container without rights and without the device" {
	unshare -Urm true 2>/dev/null || skip "needs user namespaces"
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	capture unshare -Urmpf --mount-proc "$KTRACED" -o t -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	# Numbers are those that programs of the container have.
	"$KTRACE" list --json t | jq -s -e 'all(.pid < 100 and .tid < 100)'
	# Seen from outside the program has another number, and number 1 is somebody else.
	run_ktraced -o outside -- unshare -Urpf --mount-proc "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	capture unshare -Urm "$KTRACED" -o t --all -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--all needs kernel events, which cannot be recorded: "* ]]
}

# in_container COMMAND...: as an unprivileged user of the group, root in name spaces of its own, with
# few devices, of which /dev/ktrace is one
in_container()
{
	# shellcheck disable=SC2016 # for the shell that is started
	capture setpriv --reuid 12345 --regid 12345 --groups "$(stat -c %g /dev/ktrace)" \
		unshare -Urmpif --mount-proc bash -ec 'mount -t tmpfs none dev
			for name in null ktrace; do : >dev/$name; mount --bind /dev/$name dev/$name; done
			mount --rbind dev /dev; exec "$@"' - "$@"
	show in_container "$@"
}

# bats test_tags=dev
@test "recording: a container without rights, but with the device" {
	let_others_in
	chmod 777 .
	mkdir dev
	in_container "$KTRACED" --backend=dev -o t -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	# Numbers are those that programs of the container have; names are theirs.
	"$KTRACE" list --json t | jq -s -e 'all(.pid < 100 and .tid < 100 and .comm == "hello")'
	# Being root there is no right to see the kernel here.
	in_container "$KTRACED" --backend=dev --all -o u -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--all needs kernel events, which cannot be recorded: "* ]]
	# From outside the program has ids that no kernel gives, and the recording ends with it.
	run_ktraced -e hello -o v -- unshare -pf --mount-proc "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	"$KTRACE" list --json v | jq -s -e 'all(.pid > 4194303 and .comm == "hello")'
	run_ktraced -e hello,sched:switch -o w -- unshare -pf --mount-proc "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$("$KTRACE" list -c -e 'hello:*' w)" = 82 ]
}

@test "recording: a home that is read-only, and none" {
	requires_root
	apart 'mkdir home && mount -t tmpfs -o ro none home && HOME=$PWD/home XDG_RUNTIME_DIR= "$1" -o t -- "$2"'
	[ "$status" = 0 ]
	capture env -i "$KTRACED" --backend "$KTRACE_BACKEND" -e hello -o t -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	apart 'cd home && mount -t tmpfs -o ro none . && cd "$PWD" && "$1" -o t -- "$2"'
	[ "$status" = 125 ]
	[[ $stderr == *"ktraced: t: Read-only file system"* ]]
}

@test "recording: little memory: said, nothing left behind" {
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	capture bash -c 'ulimit -v 60000; "$1" -b 64M -o t -- "$2"' little "$KTRACED" "$EXAMPLES/hello"
	[ "$status" = 125 ]
	[[ $stderr == *"Cannot allocate memory; use a smaller -b or --thread-rings" ]]
	capture bash -c 'ulimit -v 60000; "$1" -b 64K --thread-rings 8 -o t -- "$2"' little "$KTRACED" "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
}

# with_limit BYTES OPTION...: ktraced in a control group of which 25 MB are used, and 5 MB cache files
with_limit()
{
	apart "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory
		for file in memory.max memory/memory.limit_in_bytes; do echo $1 >/sys/fs/cgroup/\$file; done
		for file in memory.current memory/memory.usage_in_bytes; do echo 30000000 >/sys/fs/cgroup/\$file; done
		echo inactive_file 5000000 >/sys/fs/cgroup/memory.stat
		echo total_active_file 5000000 >/sys/fs/cgroup/memory/memory.stat
		\"\$1\" ${*:2} -o t -- \"\$2\""
}

@test "recording: a control group with little memory: said, nobody is killed" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	grep -Eq '^([0-9]+:memory|0:):' /proc/self/cgroup || skip "no control groups"
	local options="-b 1M --thread-rings 8" mib
	with_limit 26000000 "$options"
	[ "$status" = 125 ]
	[[ $stderr =~ ([0-9]+)\ MiB\ of\ shared.*"Cannot allocate memory; use a smaller -b or --thread-rings"$ ]]
	mib=${BASH_REMATCH[1]}
	# What they leave must do for ktraced.
	with_limit $((25000000 + ((mib + 1) << 20))) "$options"
	[ "$status" = 125 ]
	with_limit $((25000000 + ((mib + 4) << 20))) "$options"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	with_limit max "$options"
	[ "$status" = 0 ]
}

# in_group COMMAND...: in the control group
in_group()
{
	# shellcheck disable=SC2016 # for the shell that is started
	capture sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' - "$group" "$@"
	show in_group "$@"
}

# bats test_tags=dev
@test "recording: a control group with a limit to its memory: said, nobody is killed" {
	local group=/sys/fs/cgroup/places backend
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir "$group"
	echo 48M >"$group/memory.max"
	for backend in dev shm; do
		in_group "$KTRACED" "--backend=$backend" -b 64M -o t -- "$EXAMPLES/hello"
		[ "$status" = 125 ]
		[[ $stderr == *"Cannot allocate memory; use a smaller -b or --thread-rings" ]]
	done
	in_group "$KTRACED" --backend=dev -b 1M -o t -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	in_group "$KTRACE" stat t
	[ "$status" = 0 ]
	grep -x 'oom_kill 0' "$group/memory.events"
	rmdir "$group"
}

# bats test_tags=dev
@test "recording: a control group that has just the memory of a session: nobody is killed" {
	local group=/sys/fs/cgroup/places peak less
	local command=("$KTRACED" --backend=dev -b 1M -e sched:switch -o t)
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	"${command[@]}" -- true
	mkdir "$group"
	in_group "${command[@]}" -- true
	peak=$(<"$group/memory.peak")
	for less in {0..8}; do
		echo $((peak - less * 98304)) >"$group/memory.max"
		in_group "${command[@]}" -- true
		[ "$status" = 125 ]
		[[ $stderr == *"channel: Cannot allocate memory; use a smaller -b"* ]]
	done
	echo $((peak + (3 << 20))) >"$group/memory.max"
	in_group "${command[@]}" -- true
	[ "$status" = 0 ]
	# Stacks need room of their own, and names of functions, which are not recorded if there is none.
	in_group "${command[@]}" --context sched:switch=kstack -- true
	[ "$status" = 125 ]
	[[ $stderr == *"--context: Cannot allocate memory; it needs 4.3 MB: use a smaller -b" ]]
	for less in 8 9 16; do
		echo $((peak + (less << 20))) >"$group/memory.max"
		in_group "${command[@]}" --context sched:switch=kstack -- true
		[ "$status" = 0 ]
		[[ $stderr == *"names of kernel functions are unknown: "*"Cannot allocate memory"* ]]
	done
	grep -x 'oom_kill 0' "$group/memory.events"
	rmdir "$group"
}

@test "recording: 256 CPUs: a buffer for each" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	# What the machine says it could have; two of them are there.
	apart 'mount -t tmpfs none /sys/devices/system/cpu && cd /sys/devices/system/cpu &&
		for i in {0..255}; do mkdir cpu$i; done
		echo 0-255 | tee possible >present; echo 0-1 >online; cd "$OLDPWD"
		"$1" -b 64K -o t -- "$2"'
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	"$KTRACE" info t | grep -q '^  host .*, 256 cpus$'
}

@test "recording: CPUs that a virtual machine could get take no memory" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	# Of two there are 28 MiB; on others, if there are, programs use thread rings.
	apart 'mount -t tmpfs none /sys/devices/system/cpu && mount -t tmpfs -o size=64M none /dev/shm
		echo 0-255 >/sys/devices/system/cpu/possible
		echo 0-1 | tee /sys/devices/system/cpu/online >/sys/devices/system/cpu/present
		"$1" -o t -- "$2"'
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	[ "$(summary lost)" = 0 ]
}

@test "recording: numbers of CPUs with gaps: a buffer for each number" {
	requires_root
	[ "$KTRACE_BACKEND" = shm ] || skip "is about shared memory"
	has_cpu_buffers || skip "has no buffers of CPUs: the clock source is not the TSC"
	local last
	last=$(sed -En 's/^Cpus_allowed_list:.*[-,\t]//p' /proc/self/status)
	run_ktraced -o t -- taskset -c "$last" "$EXAMPLES/hello"
	grep -ao '^stream .* kind=user .*' t >expected
	# The machine may have this one only.
	apart "mount -t tmpfs none /sys/devices/system/cpu && mkdir /sys/devices/system/cpu/cpu$last
		echo $last | tee /sys/devices/system/cpu/{possible,present} >/sys/devices/system/cpu/online
		\"\$1\" -o t -- taskset -c $last \"\$2\""
	[ "$status" = 0 ]
	[ "$(summary events)" = 82 ]
	grep -ao '^stream .* kind=user .*' t | diff expected -
}

@test "recording: locales and time zones change neither numbers nor messages" {
	local zone
	run_ktraced -q -o t -- "$EXAMPLES/hello"
	"$KTRACE" sched --json t >expected
	for zone in Asia/Kathmandu XYZ-14:45 :/etc/passwd ''; do
		LC_ALL=de_DE.UTF-8 LANG=tr_TR TZ=$zone "$KTRACE" sched --json t | cmp expected -
	done
	LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu run_ktraced -e hello -o u -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	[[ $stderr =~ ktraced:\ 82\ events,\ 0\ lost,\ [0-9]+\ bytes,\ [0-9]+\.[0-9]{3}\ s, ]]
	# The same moment, a quarter of an hour apart from full hours
	[ "$(TZ=Asia/Kathmandu "$KTRACE" list -n 1 --time wall u | cut -c15-16)" != \
		"$(TZ=UTC "$KTRACE" list -n 1 --time wall u | cut -c15-16)" ]
	[ "$(TZ=UTC "$KTRACE" list -n 1 --json u)" = "$(TZ=Asia/Kathmandu "$KTRACE" list -n 1 --json u)" ]
}

# odd_trace: records threads of a program whose name, path and argument have any bytes
odd_trace()
{
	mkdir bin
	ln -s "$BUILD/lib" lib
	cp "$PROGS/names" "bin/$ODD"
	run_ktraced --pthread -o "$ODD" -- "bin/$ODD"
	[ -s "$ODD" ]
}

# one_object_a_line: standard input is JSON in UTF-8, an object a line, and nothing else
one_object_a_line()
{
	python3 -c '
import json, sys
def refuse(constant):
    raise ValueError(constant)
lines = sys.stdin.buffer.read().decode("utf-8").splitlines(True)
assert lines and lines[-1].endswith("\n"), lines
for line in lines:
    assert isinstance(json.loads(line, parse_constant=refuse), dict), line'
}

# bats test_tags=alike
@test "recording: names with any bytes: lines stay lines, JSON stays JSON, in every command" {
	local command commands=0 args
	odd_trace
	run_ktrace info "$ODD"
	[ "$status" = 0 ]
	fails grep -q '[^[:print:][:space:]]' <<<"$output"
	for command in $("$KTRACE" help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | grep -vx help); do
		"$KTRACE" "$command" --help | grep -q '^ *--json' || continue
		case $command in
		cut | merge) args=(-o "$command" "$ODD") ;;
		diff) args=("$ODD" "$ODD") ;;
		grep) args=('event ~ *' "$ODD") ;;
		doctor) args=() ;;
		sql) args=("$ODD" 'SELECT * FROM events') ;;
		critical-path) args=(--pid "$("$KTRACE" list -n 1 --json "$ODD" | jq .tid)" "$ODD") ;;
		# Of other files, packets, stacks, a service, what goes on: in tests of their own
		import | recv-shark | session | stacks | live | control | level | fleet) continue ;;
		*) args=("$ODD") ;;
		esac
		echo "$command"
		# It may well find something.
		"$KTRACE" "$command" --json "${args[@]}" >said 2>complaint || [ "$command" = doctor ]
		one_object_a_line <said
		fails grep -q '[^[:print:][:space:]]' complaint
		commands=$((commands + 1))
	done
	echo "$commands"
	[ "$commands" -gt 20 ]
	run_ktrace list "no such $ODD"
	[ "$(wc -l <<<"$stderr")" = 1 ]
}

@test "recording: the clock source changes meanwhile, and is another from the start" {
	requires_dev
	local sources=/sys/devices/system/clocksource/clocksource0 was name
	was=$(cat $sources/current_clocksource)
	[ "$(wc -w <$sources/available_clocksource)" -gt 1 ] || skip "there is one clock source"
	run_ktraced -b 1M --policy block --all -e sched,flood -o t -- bash -c "
		for name in \$(cat $sources/available_clocksource) $was; do
			echo \$name >$sources/current_clocksource
			'$PROGS/flood' -n 200
		done"
	[ "$status" = 0 ]
	[ "$(summary lost)" = 0 ]
	run_ktrace check t
	[ "$status" = 0 ]
	# Each follows the one before, and nothing takes longer than the recording has.
	"$KTRACE" list --json -e flood t |
		jq -s -e '[.[].ns] as $n | ($n | length) >= 400 and $n == ($n | sort) and $n[-1] - $n[0] < 60e9'
	for name in $(cat $sources/available_clocksource); do
		echo "$name" >$sources/current_clocksource
		run_ktraced -o t -- "$PROGS/flood" -n 100
		[ "$status" = 0 ]
		[ "$(summary events)" -ge 100 ]
		run_ktrace check t
		[ "$status" = 0 ]
	done
	echo "$was" >$sources/current_clocksource
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# edges.bats - reading where there is much of one thing and little of another: 256 CPUs, little
# memory, no home to write to, any zone of time
# runs: host
load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# many_cpus NS: on each of 256 CPUs a thread runs, and is interrupted, from that time on
many_cpus()
{
	local i
	cat <<-END
		meta trace version=1 start_ns=$1 clock=monotonic
		meta host name=large kernel=6.1.0 machine=x86_64 cpus=256 boot=b00t
		meta clock raw=1000 mono_ns=1000 real_ns=$1 hz=1000000000
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;enum<u32>(R=0,S=1,D=2)%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=kernel id=128 desc=irq:enter{u32%20irq;char[16]%20name;}
		meta event kind=kernel id=129 desc=irq:exit{u32%20irq;u32%20handled;}
	END
	for i in {0..255}; do
		cat <<-END
			meta stream id=$i kind=kernel cpu=$i ring=65536 block=4096 policy=drop
			block $i
			rec $((i + 1000)) 64 0 u32:0 u32:$((i + 5000)) u32:120 u32:120 u32:0 char16:swapper/$i char16:work$i
			rec $((i + 2000)) 128 $((i + 5000)) u32:$i char16:line$i
			rec $((i + 2500)) 129 $((i + 5000)) u32:$i u32:1
			rec $((i + 3000)) 64 $((i + 5000)) u32:$((i + 5000)) u32:0 u32:120 u32:120 u32:1 char16:work$i char16:swapper/$i
		END
	done
}

# count COMMAND... PATTERN: lines of what the viewer says that have it
count()
{
	"$KTRACE" "${@:1:$#-1}" | grep -c -- "${*: -1}"
}

@test "256 CPUs" {
	many_cpus 1700000000000000000 | "$PROGS/mktrace" t
	valid_trace t
	[ "$(count list t '^ ')" = 1024 ]
	[ "$(count list t '\[255\]')" = 4 ]
	[ "$(count state t '^cpu ')" = 256 ]
	[ "$(count state --at 1us t 'busy .*work255')" = 1 ]
	[ "$(count sched t 'work[0-9]')" = 256 ]
	[ "$(count irq t '^irq .*line[0-9]')" = 256 ]
	[ "$(count stat --depth cpu t '^ *cpu [0-9]')" = 256 ]
	"$KTRACE" html -o t.html t
	"$KTRACE" sched --svg t.svg t >/dev/null
	"$KTRACE" export --to perfetto -o t.pf t
	"$KTRACE" import --from perfetto -o again t.pf
	[ "$(count state again '^cpu ')" = 256 ]
}

@test "little memory, and a home and a cache that nobody can write to" {
	local command
	"$PROGS/machine" 300000 t
	mkdir home
	chmod 500 home
	for command in list stat state sched irq syscalls 'list -c' info hist; do
		# 40 MB for data; of addresses also libraries and what is mapped of the file
		# shellcheck disable=SC2016,SC2086 # for the shell that is started; words
		capture env HOME="$PWD/home" XDG_CACHE_HOME="$PWD/home" \
			bash -c 'ulimit -v 400000; ulimit -d 40000; exec "$@"' - "$KTRACE" $command t
		show "$command"
		[ "$status" = 0 ]
		[ -z "$stderr" ]
	done
	[ -z "$(ls -A home)" ]
}

@test "no memory for the list of threads: an error, not a list that is shorter" {
	"$PROGS/machine" 1000 t
	LD_PRELOAD=$PROGS/bad_library.so BUG=memory run_ktrace state t
	[ "$status" = 1 ]
	[[ $output != *resource* ]]
	[[ $stderr == *"ktrace: Cannot allocate memory"* ]]
}

@test "zones of time: three quarters of an hour, and an hour that comes twice" {
	[ -e /usr/share/zoneinfo/Pacific/Chatham ] || skip "no tzdata"
	many_cpus 1700000000000000000 | "$PROGS/mktrace" t
	[[ $(TZ=Pacific/Chatham "$KTRACE" list --time wall -n 1 t) = 2023-11-15T11:58:20.000000000* ]]
	[ "$(TZ=Pacific/Chatham "$KTRACE" list -c --since 2023-11-15T11:58:20.000002 t)" = 256 ]
	# At 3:00 it is 2:00 again: 2023-10-29T01:00Z, 2 us behind the first event.
	many_cpus 1698541199999998000 | "$PROGS/mktrace" t
	[[ $(TZ=Europe/Berlin "$KTRACE" list --time wall -n 1 t) = 2023-10-29T02:59:59.999998000* ]]
	TZ=Europe/Berlin "$KTRACE" list --time wall t | tail -n 1 | grep -q '^2023-10-29T02:00:00.000000255 '
	[ "$("$KTRACE" list -c --since 2023-10-29T01:00:00Z t)" = 256 ]
	[ "$(TZ=Europe/Berlin "$KTRACE" list -c --since 2023-10-29T03:00:00 t)" = 0 ]
}

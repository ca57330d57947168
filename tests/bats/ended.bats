#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# ended.bats - processes that have ended, and programs that were replaced, have nothing that runs
# runs: host
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# make < LINES: a trace t of one thread ring, with what is added
make()
{
	cat - >script
	{
		cat <<-'END'
			meta trace version=1 clock=monotonic
			meta host name=h boot=b
			meta clock raw=0 mono_ns=0 real_ns=1000000000 hz=1000000000
			meta event kind=user id=16 desc=pthread:mutex_lock{ptr%20mutex;u32%20count;s32%20result;}
			meta event kind=user id=17 desc=pthread:mutex_lock_in{ptr%20mutex;u32%20owner;}
			meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=block
			meta process pid=10 ppid=1 ts=1 comm=a maps=own
			meta process pid=20 ppid=10 ts=90 comm=b maps=parent
			meta thread tid=21 pid=20 ts=90 comm=b
		END
		sed -n '/^meta/p' script
		echo 'block 0'
		cat <<-'END'
			rec 100 16 10 u64:0x100 u32:1 u32:0
			rec 110 16 20 u64:0x200 u32:1 u32:0
			rec 120 17 21 u64:0x200 u32:20
		END
		sed '/^meta/d' script
	} | "$PROGS/mktrace" t
}

# threads ARG...: "TID STATE" of each thread in ktrace objects
threads()
{
	"$KTRACE" objects --json "$@" t | jq -r '.threads[] | "\(.tid) \(.state)"' | paste -sd,
}

@test "a process that has ended has no threads and no objects any more" {
	make <<-'END'
		meta exit pid=20 ts=500
		rec 700 16 10 u64:0x108 u32:1 u32:0
	END
	[ "$(threads)" = "10 running" ]
	[ "$(threads --all)" = "10 running,20 dead,21 dead" ]
	[ "$("$KTRACE" objects --json t | jq -r '.objects[] | .pid' | paste -sd,)" = "10,10" ]
	# As long as it was there, it was
	[ "$(threads --at 0.000000350)" = "10 running,20 running,21 waiting" ]
	# The wait ends with the process
	[ "$("$KTRACE" contention --json t | jq -c '.threads[] | [.tid, .total_ns]')" = "[21,380]" ]
	"$KTRACE" check t
	# In Paje, too
	"$KTRACE" export -t paje -o paje t
	[ "$(grep -cE '^8 0.000000600 ST T[0-9]+ VT5' paje)" = 2 ]
}

@test "after the last event of all" {
	make <<-'END'
		meta exit pid=20 ts=500
		meta exit pid=10 ts=600
	END
	# Who has locked what, when a program that hung was killed, is what people ask
	[ "$(threads)" = "10 running,20 running,21 waiting" ]
	# The window ends with the last event, and so do what is waited for and held then
	[ "$("$KTRACE" contention --json t | jq -c '.threads | map([.tid, .total_ns])')" = "[[21,0]]" ]
	[ "$("$KTRACE" contention --json --hold-times t | jq -c '.held | map([.pid, .total_ns])')" = "[[10,20],[20,10]]" ]
	[ "$(threads --at 0.000000450)" = "10 running" ]
	[ "$(threads --at 0.000000650)" = "" ]
	[ "$(threads --at 0.000000650 --all)" = "10 dead,20 dead,21 dead" ]
}

@test "another program that makes no call" {
	make <<-'END'
		meta process pid=20 ppid=10 ts=500 comm=c maps=own
		rec 700 16 10 u64:0x108 u32:1 u32:0
	END
	[ "$(threads)" = "10 running" ]
	# Its number goes to another process, which is new
	make <<-'END'
		meta exit pid=20 ts=500
		meta process pid=20 ppid=10 ts=600 comm=c maps=parent
		rec 700 16 20 u64:0x200 u32:1 u32:0
	END
	[ "$(threads)" = "10 running,20 running" ]
}

@test "recorded: children that have ended, were killed, run a program without calls; who comes later is there" {
	# shellcheck disable=SC2016 # for the shell within
	run_ktraced --pthread -o t -- sh -c \
		'"$1"; "$1" & kill -9 $!; "$1" 1; sleep 0.3; exec "$1"' sh "$PROGS/pthread_renamed"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	last=$("$KTRACE" list --json t | tail -1 | jq -r .pid)
	[ "$("$KTRACE" objects --json t | jq -r '.threads[].pid' | sort -u)" = "$last" ]
	[ "$("$KTRACE" objects --json --all t | jq -r ".threads[] | select(.pid != $last).state" | sort -u | paste -sd,)" = dead,joined ]
}

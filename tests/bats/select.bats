#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# select.bats - ktrace pthread: objects, windows by number and by time, files by process and thread

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

types()
{
	cat <<-'END'
		meta trace version=1 clock=monotonic
		meta host name=h boot=b
		meta clock raw=0 mono_ns=0 real_ns=1000000000 hz=1000000000
		meta event kind=user id=16 desc=name:object{ptr%20object;string%20name;}
		meta event kind=user id=18 desc=pthread:mutex_lock{ptr%20mutex;u32%20count;s32%20result;}
		meta event kind=user id=19 desc=pthread:cond_wait_in{ptr%20cond;ptr%20mutex;}
		meta event kind=user id=20 desc=pthread:thread_cancel_in{x64%20thread;}
		meta event kind=user id=21 desc=pthread:sem_unlink_in{string%20name;}
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=block
	END
}

# make < SCRIPT: a trace t of lines TIME TID lock|wait|cancel|name ARGUMENT..., and META lines
make()
{
	cat >script
	{
		types
		grep '^meta' script || true
		echo 'block 0'
		sed -E '/^meta/d
			s/^([0-9]+) ([0-9]+) name (\S+) (\S+)/rec \1 16 \2 u64:\3 s:\4/
			s/^([0-9]+) ([0-9]+) lock (\S+)/rec \1 18 \2 u64:\3 u32:1 u32:0/
			s/^([0-9]+) ([0-9]+) wait (\S+) (\S+)/rec \1 19 \2 u64:\3 u64:\4/
			s/^([0-9]+) ([0-9]+) cancel (\S+)/rec \1 20 \2 u64:\3/
			s/^([0-9]+) ([0-9]+) unlink (\S+)/rec \1 21 \2 s:\3/' script
	} | "$PROGS/mktrace" t
}

# shows FILE OPTION...: what ktrace pthread -r prints with these options is what is in FILE
shows()
{
	local file=$1
	shift
	run_ktrace pthread -r "$@" t
	[ "$status" = 0 ] && [ "$output" = "$(cat "$file")" ]
}

# refused MESSAGE OPTION...: is wrong usage
refused()
{
	local message=$1
	shift
	run_ktrace pthread "$@" t
	[ "$status" = 2 ] && [ -z "$output" ] && [[ $stderr == *"$message"* ]]
}

# some: a trace of two processes and three objects; all its lines are in all, with numbers
some()
{
	make <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta process pid=20 ppid=1 ts=2 comm=b
		meta thread tid=11 pid=10 ts=1 comm=a
		1000 10 lock 0x100
		2000 11 lock 0x108
		2999 20 name 0x100 queue[3]
		3000 20 lock 0x100
		3001 20 wait 0x200 0x108
		4000 11 cancel 0x7000
		5000 10 name 0x108 done
		5001 10 wait 0x208 0x108
		5999 20 unlink /x
		6000 10 lock 0x100
	END
	"$KTRACE" pthread -r t >all
}

@test "-z: numbers of events, the first included, the last not" {
	local n window start end
	some
	n=$(wc -l <all)
	[ "$n" -gt 20 ]
	for window in 0:0 0:1 0: : ":$n" "$n:" "$((n - 1)):" ":$((n + 5))" "$((n + 1)):" 3:6 4:5 5:5 \
		7:12 "6:$n" 0:18446744073709551615; do
		start=${window%:*}
		end=${window#*:}
		awk -v s="${start:-0}" -v e="${end:-99999}" 'NR > s && NR <= e' all >wanted
		shows wanted -z "$window"
	done
	# Windows that meet are as one.
	for ((i = 0; i <= n; i += 5)); do
		{
			"$KTRACE" pthread -r -z ":$i" t
			"$KTRACE" pthread -r -z "$i:" t
		} >halves
		cmp halves all
	done
	# Numbers are those of all events, whatever else is asked for.
	sed -n 3,16p all | awk '$3 == 10' >wanted
	shows wanted -z 2:16 -p 10
	sed -n 3,16p all | grep MUTEX_ >wanted
	shows wanted -z 2:16 -e MUTEX_
	for window in 6:3 3 '' x: :x 3:4:5 -1:2 1:-2 ' 1:2' 1.5:2 18446744073709551616: ; do
		refused '-z: not numbers START:END' -z "$window"
	done
}

@test "-Z: microseconds since the first event, the first included, the last not" {
	local window start end
	some
	for window in 0:0 0:1 :1 1:2 1:3 2:3 2: 2:2 : 0: 5: 6: :5 :99 4:5 0:18446744073709551615; do
		start=${window%:*}
		end=${window#*:}
		awk -v s="${start:-0}" -v e="${end:-99999}" \
			'{ t = int($1 * 1e9 + 0.5) } t >= s * 1000 && t < e * 1000' all >wanted
		shows wanted -Z "$window"
	done
	[ "$("$KTRACE" pthread -r -Z 1:2 t | awk '{ print $1 * 1e9, $4 }' | sort -u)" = "1000 11" ]
	for window in 3:2 3 x: 1:2us 0x1:2 18446744073709552:; do
		refused '-Z: not microseconds START:END' -Z "$window"
	done
}

@test "-n: objects by address, name or glob" {
	some
	# as they are called in the raw lines
	sed -n '/0x100/p' all >wanted
	shows wanted -n 0x100
	grep ' 20 20 .*=0x100' all >wanted
	grep -q ':"queue\[3\]"' wanted
	shows wanted -n 'queue[3]'
	shows wanted -n 'que*'
	shows wanted -n 0x100 -p 20
	# An event about two objects is shown for each, whole.
	grep -E ' COND_| 0.000002001 | 0.000004001 ' all >waits
	awk '$1 == "0.000002001" || $1 == "0.000004001" || / 11 .*0x108/' all >wanted
	shows wanted -n 0x108
	awk '$1 == "0.000004001"' all >wanted
	shows wanted -n done
	shows wanted -n 0x208
	awk '$1 == "0.000002001" || $1 == "0.000004001"' all >wanted
	shows wanted -n 0x200,0x208
	shows wanted -n 0x200 -n 0x208
	shows wanted -n 0x200,done
	grep THREAD_CANCEL_IN all >wanted
	shows wanted -n 0x7000
	: >wanted
	shows wanted -n 0x101
	shows wanted -n nobody
	# Names of a file count, too.
	echo '10 0x100 mine' >names
	run_ktrace pthread -r -a names -n mine t
	[ "$(sed 's/:"mine"//' <<<"$output")" = "$(grep ' 10 10 .*=0x100' all)" ]
	for name in '' 0x 0x100g 0x-1 , 'a,,b' 0x1ffffffffffffffff; do
		refused '-n: neither an address' -n "$name"
	done
	# What it is in terms of ktrace list
	[ "$("$KTRACE" grep -c 'mutex == 0x108 || cond == 0x108' t)" = 3 ]
}

@test "-a: names in sentences, columns and JSON" {
	some
	printf '%s\n' '10 0x100 a "b" c' >names
	run_ktrace pthread -a names -z :1 t
	[[ $output == *'calls pthread_mutex_lock with mutex 0x100:"a \"b\" c"' ]]
	run_ktrace pthread -r -a names -z :1 t
	[[ $output == *' MUTEX_LOCK_IN mutex=0x100:"a\040\"b\"\040c" - - - -' ]]
	run_ktrace pthread --json -a names -z :1 t
	[[ $output == *'"fields":{"mutex":"0x100"},"names":{"mutex":"a \"b\" c"}}' ]]
	# The number of columns stays.
	[ "$("$KTRACE" pthread -r -a names t | awk '{ print NF }' | sort -u)" = "$(awk '{ print NF }' all | sort -u)" ]
	echo x >names
	refused 'names:1: neither a process id' -a names
}

@test "-s pid, tid: the files have all lines, each once" {
	some
	for by in pid tid; do
		run_ktrace pthread -r -s $by -o "by$by" t
		[ "$status" = 0 ] && [ -z "$output" ]
		cat by$by-* | sort | cmp - <(sort all)
	done
	[ "$(echo bypid-*)" = "bypid-10 bypid-20" ]
	[ "$(echo bytid-*)" = "bytid-10-10 bytid-10-11 bytid-20-20" ]
	awk '$3 == 10' all | cmp - bypid-10
	awk '$4 == 11' all | cmp - bytid-10-11
	# What was there is replaced; other options hold.
	"$KTRACE" pthread -r -s pid -o bypid -z 0:2 t
	head -n 2 all | cmp - bypid-10
	refused "-s: there is no 'cpu', but pid, pidx and tid" -s cpu -o x
	refused '-s: needs -o BASE' -s pid
	refused '-s: needs -o BASE' -s pid -o -
	refused '-s: a device is no BASE' -s pid -o /dev/null
	# A file that is read is not written to.
	ln t x-10
	run_ktrace pthread -s pid -o x t
	[ "$status" = 1 ]
	[[ $stderr == *"x-10: is to be read"* ]]
	cmp t x-10
	mv t p.0001.bin
	run_ktrace pthread -s pid -o x p.bin
	[ "$status" = 1 ]
	[[ $stderr == *"x-10: is to be read"* ]]
	cmp p.0001.bin x-10
	mv p.0001.bin t
	run_ktrace pthread -s pid -o nowhere/x t
	[ "$status" = 1 ]
	[[ $stderr == *"nowhere/x-10: No such file"* ]]
}

@test "-s pidx: a child's file begins with what its parent's had when it forked" {
	make <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta process pid=20 ppid=10 ts=1001 comm=a maps=parent
		meta process pid=21 ppid=20 ts=1004 comm=a maps=parent
		meta process pid=22 ppid=20 ts=1006 comm=a maps=parent
		meta process pid=23 ppid=22 ts=1006 comm=a maps=parent
		meta process pid=24 ppid=10 ts=999 comm=a maps=parent
		meta process pid=21 ppid=20 ts=1010 comm=b
		meta process pid=30 ppid=20 ts=1012 comm=c
		1000 10 lock 0x100
		1001 10 lock 0x101
		1002 10 lock 0x102
		1003 20 lock 0x103
		1005 21 lock 0x104
		1006 20 lock 0x105
		1007 23 lock 0x106
		1008 24 lock 0x107
		1011 21 lock 0x108
		1013 30 lock 0x109
		1014 20 lock 0x10a
	END
	"$KTRACE" pthread -r t >all
	"$KTRACE" pthread -r -s pidx -o x t
	# has FILE OBJECT...: locks of these, in this order
	has()
	{
		local file=$1
		shift
		[ "$(sed -nE 's/.* MUTEX_LOCK_IN mutex=0x10(.).*/\1/p' "$file" | paste -sd ' ')" = "$*" ]
	}
	has x-10 0 1 2
	has x-20 0 1 3 5 a
	has x-21 0 1 3 4 8
	has x-23 0 1 3 5 6
	has x-24 7
	has x-30 9
	[ "$(echo x-*)" = "x-10 x-20 x-21 x-23 x-24 x-30" ]
	# Behind the history there is what -s pid has.
	"$KTRACE" pthread -r -s pid -o p t
	for pid in 10 20 21 23 24 30; do
		tail -c "$(stat -c %s p-$pid)" x-$pid | cmp - p-$pid
	done
}

@test "-s: many threads need no more descriptors than one" {
	{
		types
		echo 'meta process pid=10 ppid=1 ts=1 comm=a'
		seq 1001 1400 | sed 's/.*/meta thread tid=& pid=10 ts=1 comm=a/'
		seq 1001 1400 | sed 's/.*/rec & 18 & u64:0x100 u32:1 u32:0/; 1~50i block 0'
	} | "$PROGS/mktrace" t
	(
		ulimit -n 64
		run_ktrace pthread -r -s tid -o x t
		[ "$status" = 0 ]
	)
	find . -name 'x-10-*' | wc -l | grep -x 400
	find . -name 'x-10-*' -exec cat {} + | sort | cmp - <("$KTRACE" pthread -r t | sort)
}

@test "a real program: files by process and thread, and their histories" {
	local main child n
	run_ktraced --pthread --policy block -o t -- "$PROGS/names"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	"$KTRACE" pthread -r t >all
	for by in pid tid; do
		"$KTRACE" pthread -r -s $by -o $by t
		cat $by-* | sort | cmp - <(sort all)
	done
	"$KTRACE" pthread -r -s pidx -o pidx t
	main=$(head -n 1 all | awk '{ print $3 }')
	child=$(awk -v main="$main" '$3 != main { print $3; exit }' all)
	cmp pid-"$main" pidx-"$main"
	# The child was made behind the join of the thread, and before its parent's next lock.
	n=$(grep -n 'THREAD_JOIN_OUT' pid-"$main" | tail -n 1 | cut -d: -f1)
	cmp pidx-"$child" <(
		head -n "$n" pid-"$main"
		cat pid-"$child"
	)
	[ "$(grep -c ':"queue\\040lock"' pidx-"$child")" -gt 0 ]
}

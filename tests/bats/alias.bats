#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# alias.bats - readable names of addresses and threads: whose they are, when they begin and end

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

# types: META lines of what make() makes use of
types()
{
	cat <<-'END'
		meta trace version=1 clock=monotonic
		meta host name=h boot=b
		meta clock raw=0 mono_ns=0 real_ns=1000000000 hz=1000000000
		meta event kind=user id=16 desc=name:object{ptr%20object;string%20name;}
		meta event kind=user id=17 desc=name:thread{string%20name;}
		meta event kind=user id=18 desc=pthread:mutex_init_in{ptr%20mutex;}
		meta event kind=user id=19 desc=pthread:mutex_init_out{ptr%20mutex;s32%20result;}
		meta event kind=user id=20 desc=pthread:mutex_lock{ptr%20mutex;u32%20count;s32%20result;}
		meta event kind=user id=21 desc=pthread:mutex_destroy_out{ptr%20mutex;s32%20result;}
		meta event kind=user id=22 desc=pthread:thread_start{x64%20thread;u32%20number;}
		meta event kind=user id=23 desc=pthread:thread_end{x64%20thread;}
		meta event kind=user id=24 desc=pthread:thread_join_out{x64%20thread;s32%20result;}
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=block
	END
}

# make < SCRIPT: a trace t. Lines: "at TIME TID WHAT ARGUMENT", or what mktrace knows
make()
{
	{
		types
		sed -nE '/^meta/p' script
		echo 'block 0'
		sed -E '/^meta/d
			s/^([0-9]+) ([0-9]+) name (\S+) (\S+)/rec \1 16 \2 u64:\3 s:\4/
			s/^([0-9]+) ([0-9]+) thread (\S+)/rec \1 17 \2 s:\3/
			s/^([0-9]+) ([0-9]+) init (\S+)/rec \1 18 \2 u64:\3/
			s/^([0-9]+) ([0-9]+) made (\S+)/rec \1 19 \2 u64:\3 u32:0/
			s/^([0-9]+) ([0-9]+) use (\S+)/rec \1 20 \2 u64:\3 u32:1 u32:0/
			s/^([0-9]+) ([0-9]+) gone (\S+) (\S+)/rec \1 21 \2 u64:\3 u32:\4/
			s/^([0-9]+) ([0-9]+) start (\S+)/rec \1 22 \2 u64:\3 u32:1/
			s/^([0-9]+) ([0-9]+) end (\S+)/rec \1 23 \2 u64:\3/
			s/^([0-9]+) ([0-9]+) joined (\S+)/rec \1 24 \2 u64:\3 u32:0/' script
	} | "$PROGS/mktrace" t
}

# called: what addresses and threads are called, in order: "TIME NAME" of what has a name at TIME
called()
{
	"$KTRACE" list --time raw "$@" t | grep -v ' name:' |
		sed -nE 's/^([0-9]+) .*=0x[0-9a-f]+:"(([^"\\]|\\.)*)".*/\1 \2/p' | paste -sd,
}

@test "a name holds until the object is destroyed, or made anew" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		100 10 use 0x100
		101 10 name 0x100 one
		102 10 use 0x100
		103 10 use 0x108
		104 10 gone 0x100 16
		105 10 use 0x100
		106 10 gone 0x100 0
		107 10 use 0x100
		108 10 name 0x100 two
		109 10 init 0x100
		110 10 made 0x100
		111 10 use 0x100
		112 10 init 0x100
		113 10 use 0x100
		114 10 name 0x100 three
		115 10 use 0x100
		116 10 name 0x100 four
		117 10 init 0x100
		118 10 name 0x100 
		119 10 use 0x100
	END
	sed -i 's/^118 .*/rec 118 16 10 u64:0x100 s:/' script
	make
	[ "$(called)" = "102 one,104 one,105 one,106 one,109 two,110 two,111 two,115 three,117 four" ]
	run_ktrace list --time raw t
	grep '^108 .* object=0x100:"two" name="two"$' <<<"$output"
	# The address is not lost
	[ "$(grep -c 'mutex=0x100[: ]' <<<"$output")" = 13 ]
	fails grep 'mutex=0x108:' <<<"$output"
}

@test "a name is one process's; a fork hands it down, exec ends it" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta process pid=20 ppid=1 ts=2 comm=b
		meta process pid=30 ppid=10 ts=104 comm=a maps=parent
		meta process pid=31 ppid=30 ts=109 comm=a maps=parent
		meta process pid=32 ppid=31 ts=110 comm=a maps=parent
		meta process pid=30 ppid=10 ts=115 comm=c
		100 20 use 0x100
		101 10 name 0x100 one
		102 20 use 0x100
		103 10 use 0x100
		104 10 name 0x108 two
		105 10 name 0x108 three
		106 30 use 0x108
		107 10 gone 0x100 0
		108 30 use 0x100
		109 30 name 0x110 four
		111 32 use 0x110
		112 32 gone 0x108 0
		113 31 use 0x108
		114 32 use 0x108
		116 30 use 0x100
		117 31 use 0x100
		118 30 name 0x100 five
		119 31 init 0x100
		120 31 use 0x100
		121 32 use 0x100
		122 30 use 0x100
		123 10 use 0x100
	END
	make
	[ "$(called)" = "103 one,106 two,107 one,108 one,111 four,112 two,113 two,117 one,121 one,122 five" ]
}

@test "threads: by what identifies them, and by themselves" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta thread tid=11 pid=10 ts=100 comm=a
		meta thread tid=12 pid=10 ts=100 comm=a
		100 10 name 0x7000 worker
		101 11 start 0x7000
		102 11 thread collector
		103 11 use 0x100
		104 11 end 0x7000
		105 10 joined 0x7000
		106 12 start 0x7000
		107 12 end 0x7000
		108 10 name 0x7000 last
		109 11 start 0x7000
		110 11 use 0x100
		111 11 end 0x7000
		112 12 start 0x7000
	END
	make
	[ "$(called)" = "101 worker,104 worker,105 worker,109 last,111 last" ]
	[ "$("$KTRACE" list --json t | sed -nE 's/.*"raw":([0-9]+),.*"names":\{(.*)\}\}/\1 \2/p' |
		grep tid | paste -sd ' ')" = \
		'102 "tid":"collector" 103 "tid":"collector" 104 "thread":"worker","tid":"collector"' ]
}

@test "a file names addresses, of one process or of all" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta process pid=20 ppid=1 ts=2 comm=b
		meta process pid=21 ppid=20 ts=102 comm=b maps=parent
		100 10 use 0x100
		101 20 use 0x100
		102 20 use 0x108
		103 21 use 0x108
		104 10 use 0x108
		105 10 gone 0x100 0
		106 10 use 0x100
		107 20 use 0x100
		108 20 name 0x100 told
		109 20 use 0x100
	END
	make
	printf '%s\n' '# all' '' '0x100 every lock  ' '  20 0x108	"its" own' >names
	run_ktrace list --time raw -a names t
	[ "$status" = 0 ]
	[ "$(called -a names)" = '100 every lock,101 every lock,102 \"its\" own,103 \"its\" own,105 every lock,107 every lock,109 told' ]
	[ "$(grep -cF '0x108:"\"its\" own"' <<<"$output")" = 2 ]
	run_ktrace grep -a names 'mutex == 0x108 && pid == 21' t
	[ "$(wc -l <<<"$output")" = 1 ]
	grep -F ':"\"its\" own"' <<<"$output"
	run_ktrace list --json -a names t
	grep '"fields":{"mutex":"0x108","count":1,"result":0},"names":{"mutex":"\\"its\\" own"}}$' <<<"$output"
}

@test "what is wrong with a file is said, with its line" {
	local line message
	cat >script <<-'END'
		100 10 use 0x100
	END
	make
	while IFS='|' read -r line message; do
		printf '# names\n0x1 one\n%s\n' "$line" >names
		run_ktrace list -a names t
		[ "$status" = 2 ] && [ -z "$output" ]
		[[ $stderr == *"names:3: $message"* ]]
	done <<-'END'
		lock 0x100|neither a process id
		0x100|no name
		5 0x100  |no name
		5 100 lock|not an address
		5 lock|not an address
		0x lock|not an address
		0x100g lock|not an address
		0x10000000000000000 lock|not an address
		99999999 0x100 lock|neither a process id
		0 0x100 lock|neither a process id
		-5 0x100 lock|neither a process id
	END
	run_ktrace list -a none t
	[ "$status" = 2 ]
	[[ $stderr == *"none: No such file"* ]]
}

@test "names are known in a window, behind a position, and in parts of many lines" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		100 10 name 0x100 one
		101 10 name 0x108 two
		102 10 use 0x100
		103 10 gone 0x108 0
		104 10 use 0x108
		105 10 use 0x100
	END
	make
	[ "$(called --since 5ns)" = "105 one" ]
	run_ktrace list -n 4 --print-position t
	[ "$(called --from-position "$(tail -n 1 <<<"$output" | cut -d' ' -f2)")" = "105 one" ]
	for cores in 1 2; do
		[ "$(KTRACE_CORES=$cores called)" = "102 one,103 two,105 one" ]
	done
}

@test "ktrace objects: what things are called at the time shown" {
	cat >script <<-'END'
		meta process pid=10 ppid=1 ts=1 comm=a
		meta process pid=20 ppid=1 ts=2 comm=b
		100 10 name 0x100 one
		101 10 thread collector
		102 10 use 0x100
		103 20 use 0x100
		104 10 name 0x100 two
		105 10 use 0x108
	END
	make
	printf '20 0x100 from a file\n' >names
	run_ktrace objects -a names t
	[ "$status" = 0 ]
	grep -E '^10 +mutex +0x100 .*  "two"$' <<<"$output"
	grep -E '^20 +mutex +0x100 .*  "from a file"$' <<<"$output"
	grep -E '^10 +mutex +0x108 .*[^"]$' <<<"$output"
	grep -E '^10/10 a .*  "collector"$' <<<"$output"
	run_ktrace objects --at 4ns --json t
	grep '"address":"0x100"[^}]*"name":"one"}' <<<"$output"
	[ "$(grep -o '"name":' <<<"$output" | wc -l)" = 2 ]
}

@test "a program names its objects and threads, through fork and exec" {
	local address
	run_ktraced --pthread --policy block -o t -- "$PROGS/names"
	[ "$status" = 0 ] && [ "$(summary lost)" = 0 ]
	address=$output
	called | tr , '\n' | cut -d' ' -f2- | sort | uniq -c | sed 's/^ *//' >names
	[ "$(grep -v worker names | paste -sd,)" = "2 another,10 queue lock,2 the child's" ]
	# When the thread begins it may not have been named yet; when it is joined it has.
	[ "$("$KTRACE" list t | grep -c 'pthread:thread_join_.* thread=0x[0-9a-f]*:"worker"')" = 2 ]
	# 9 pairs of lock and unlock, init and destroy, with or without a name
	[ "$("$KTRACE" list t | grep -c "mutex=${address}[: ]")" -ge 22 ]
	[ "$("$KTRACE" list --json t | grep -c '"tid":"collector of \\"things\\""')" -ge 3 ]
	"$KTRACE" list -e pthread:mutex_lock t | grep -qF ' names:"collector of \"things\"" '
	"$KTRACE" export -t paje -o paje t
	grep -qF ' "mutex '"$address"' queue lock"' paje
	grep -qE ' T P[0-9]+ "[0-9]+/[0-9]+ names collector of .*things' paje
	# Without --pthread they are recorded, too
	run_ktraced -o t -- "$PROGS/names"
	[ "$("$KTRACE" list t | grep -c ' name:object ')" = 5 ]
	# Run alone, the program does what it does
	[ "$("$PROGS/names" | wc -l)" = 1 ]
}

@test "waits of named threads: by themselves, or by their pthread_t" {
	cat >script <<-'END'
		meta event kind=user id=25 desc=pthread:mutex_lock_in{ptr%20mutex;u32%20owner;}
		meta event kind=user id=26 desc=pthread:mutex_lock_out{ptr%20mutex;u32%20count;s32%20result;}
		meta process pid=10 ppid=1 ts=1 comm=a
		meta thread tid=11 pid=10 ts=1 comm=a
		meta thread tid=12 pid=10 ts=1 comm=a
		100 11 start 0x200
		101 12 start 0x300
		102 11 thread collector
		103 10 name 0x300 worker
		104 10 name 0x100 queue
		rec 105 25 11 u64:0x100 u32:10
		rec 107 26 11 u64:0x100 u32:1 u32:0
		rec 108 25 12 u64:0x100 u32:11
		rec 109 26 12 u64:0x100 u32:1 u32:0
		110 11 end 0x200
		111 12 end 0x300
	END
	make
	[ "$("$KTRACE" contention t | grep -c '10/11 a  "collector"')" = 2 ]
	"$KTRACE" contention t | grep -q '10/12 a  "worker"'
	"$KTRACE" contention t | grep -q '10 mutex 0x100:"queue"'
	"$KTRACE" contention --json t | grep -q '"comm":"a","thread_name":"worker"'
	"$KTRACE" export -t paje -o paje t
	[ "$(grep -cE '"10/1[12] a (collector|worker)"$|"mutex 0x100 queue"$' paje)" = 3 ]
}

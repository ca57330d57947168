#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# context.bats - what is recorded with kernel events beside their payloads: ktraced --context
load helpers

MODULES=$BUILD/kernel/$(uname -r)
GROUP=/sys/fs/cgroup/ktrace-context
CPU1=/sys/devices/system/cpu/cpu1/online

setup()
{
	setup_test
}

teardown()
{
	# The chain lives until its input ends.
	exec 5>&-
	! grep -qsx 0 $CPU1 || echo 1 >$CPU1
	[ ! -d $GROUP ] || retry 0.1 rmdir $GROUP
	teardown_test
}

# refuses COLUMN TEXT LIST: and says where
refuses()
{
	run_ktraced --context "$3" true
	[ "$status" -eq 125 ]
	[ "$output" = "" ]
	[[ $stderr == "ktraced: --context: column $1: '$2' is "* ]]
}

@test "a wrong --context is refused, and its column told" {
	refuses 1 kstak kstak
	refuses 1 "" ""
	refuses 8 "" kstack,
	refuses 8 "" "kstack;"
	refuses 1 shed shed=kstack
	refuses 7 stack sched=stack
	refuses 24 perf:cycle "irq=kstack;sched=nspid,perf:cycle"
	refuses 14 sched:swich sched:switch,sched:swich=kstack
	refuses 1 "" =kstack
}

@test "--context without kernel events says that there are none" {
	run_ktraced --backend=shm -o t.bin --context kstack true
	[ "$status" -eq 0 ]
	[[ $stderr == *"--context has no effect: no kernel events are recorded"* ]]
}

# calls OPTION...: those that the chain makes itself
CALL='comm == chain && event == syscall:enter && nr == getppid'
calls()
{
	"$KTRACE" grep -e "$CALL" "$@" t.bin
}

# folded N OPTION...: all N calls of the chain have one stack, which has all its functions
folded()
{
	local n=$1
	shift
	"$KTRACE" stacks --symbols --filter "$CALL" "$@" t.bin \
		>stacks.txt 2>stacks.err || return
	grep -Eq "^chain;(.*;)?main;chain_outer;chain_middle;chain_inner(;.*)? $n\$" stacks.txt
}

# record_chain N OPTION...: ktraced is recording, and the chain, having called N times, waits
record_chain()
{
	local n=$1
	shift
	mkfifo gate
	start_ktraced -o t.bin -e syscall,sched:comm "$@" -- \
		sh -c 'exec "$0" "$1" <gate' "$PROGS/chain" "$n"
	# Not for writing alone: that would wait for the chain, if ktraced has ended already.
	exec 5<>gate
	retry 0.1 grep -q done ktraced.out
}

# bats test_tags=dev
@test "stacks of kernel and program have the functions that were called, and are stored once" {
	record_chain 300 --context 'syscall:enter=kstack,ustack'
	retry 0.2 folded 300
	cat stacks.txt
	exec 5>&-
	wait_for "$pid"
	folded 300
	grep -Eq "chain_inner;.*${IN_SYSCALL}_\[k\].* 300\$" stacks.txt
	folded 300 --user
	fails grep -q _ stacks.err
	[ "$(cut -d' ' -f2 stacks.txt)" = 300 ]
	"$KTRACE" stacks --json --symbols --filter "$CALL" --user t.bin >stacks.json
	jq -r '"\(.stack | join(";")) \(.events)"' stacks.json | diff stacks.txt -
	# One number for all of them, and one line that says what it means.
	calls --json | grep -o '"ustack":"[^"]*"' | sort -u >numbers
	[ "$(wc -l <numbers)" -eq 1 ]
	[ "$(calls -c)" -eq 300 ]
	run_ktrace list --stacks --symbols -n 1 --filter "$CALL" t.bin
	[[ $output == *" {kstack=0x"*" ustack=0x"*"}"$'\n\tk '*$'\n\tu chain_inner+0x'*$'\n\tu main+0x'* ]]
	run_ktrace list --stacks --json -n 1 --filter "$CALL" t.bin
	[[ $output == *'"context":{"kstack":"0x'*'"stacks":{"kstack":["'* ]]
	"$KTRACE" check t.bin
}

# bats test_tags=dev
@test "programs that end at once have names for their code, and the build ids of all are told" {
	run_ktraced -o t.bin -e syscall,sched:comm --context 'syscall:enter=kstack,ustack' -- \
		sh -c 'for i in 1 2 3; do "$0" 5; done' "$PROGS/chain" </dev/null
	[ "$status" -eq 0 ]
	"$KTRACE" stacks --symbols --user --filter "$CALL" t.bin >stacks.txt
	[ "$(grep -c 'main;chain_outer;chain_middle;chain_inner 15$' stacks.txt)" -eq 1 ]
	tr '\0' '\n' <t.bin | grep -a '^map \|^origin \|^image ' >told
	id=$(readelf -n "$PROGS/chain" | sed -n 's/.*Build ID: //p')
	[ "$(grep -c " build=$id path=.*/chain\$" told)" -eq 3 ]
	[ "$(grep -c '^origin .* maps=own$' told)" -ge 4 ]
	id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' |
		sed 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/')
	grep -q "^image name=vmlinux build=$id\$" told
}

# bats test_tags=dev
@test "code whose file is not in memory has its build id told" {
	local id program
	# None that tests/hot_files has had copied to the guest's memory
	program=$(readlink -f /usr/bin/fold)
	# The kernel, asked when it is mapped, knows the build id of no file that has to be read.
	echo 1 >/proc/sys/vm/drop_caches
	[ "$(fincore -nr -o PAGES "$program")" -eq 0 ]
	run_ktraced -o t.bin -e syscall --context syscall:enter=ustack -- python3 -c '
import mmap, os, sys
mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, mmap.MAP_PRIVATE, mmap.PROT_EXEC)' "$program"
	[ "$status" -eq 0 ]
	id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ]
	tr '\0' '\n' <t.bin | grep -a "^map .* build=$id path=$program\$"
}

# hold_and_record OPTION... -- SCRIPT: it waits at each "read" until let_go; chain N calls N times
hold_and_record()
{
	mkfifo gate
	start_ktraced -o t.bin -e 'sched:comm,syscall:enter{comm == chain}' \
		--context 'syscall:enter=ustack' "${@:1:$#-1}" bash -c "exec <$PWD/gate
		chain() { '$PROGS/chain' \"\$1\" </dev/null; }
		chain_on() { taskset -c \"\$1\" '$PROGS/chain' \"\$2\" </dev/null; }
		echo begun
		${*: -1}"
	exec 5<>gate
	# Not before does it go on without ktraced.
	retry 0.1 has ktraced.out begun
}

let_go()
{
	echo >&5
}

# watches N: of N CPUs ktraced hears what code is mapped
watches()
{
	[ "$(find "/proc/$pid/fd" -lname 'anon_inode:\[perf_event\]' | wc -l)" = "$1" ]
}

# turn 0|1: CPU 1 off or on, and ktraced knows
turn()
{
	echo "$1" >$CPU1
	retry 0.1 watches "$(nproc --all | awk -v off=$((1 - $1)) '{ print $1 - off }')"
}

# bats test_tags=dev
@test "programs on a CPU that comes later, and once more, have names for their code" {
	[ -e $CPU1 ] || skip "has no CPU that can go offline"
	echo 0 >$CPU1
	hold_and_record -- 'read; chain_on 1 5; read; chain_on 1 6'
	turn 0
	turn 1
	let_go
	retry 0.1 has ktraced.out done
	turn 0
	turn 1
	let_go
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[[ $stderr == *"--context: CPUs came online 2 times; code mapped there in the first moments "* ]]
	folded 11 --user
}

# bats test_tags=dev
@test "news of mapped code that there is no room for are counted, and later programs have names" {
	# No program, so nobody looks for its build id; a long name, so few of them fill the ring.
	local name
	printf -v name '%0240d' 0
	echo code >"$name"
	cat >mapper <<-END
	import mmap
	with open("$name", "rb") as f:
	    for i in range(1500):
	        mmap.mmap(f.fileno(), 5, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	END
	hold_and_record -- 'read; taskset -c 0 python3 mapper; echo mapped; read; chain 7'
	retry 0.1 watches "$(nproc)"
	kill -STOP "$pid"
	let_go
	retry 0.1 has ktraced.out mapped
	kill -CONT "$pid"
	# Now there is room again.
	retry 0.1 has t.bin "$name"
	let_go
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[[ $stderr =~ --context:\ the\ kernel\ lost\ [1-9][0-9]*\ reports\ of\ mapped\ code ]]
	folded 7 --user
}

# bats test_tags=dev,long
@test "however much code is mapped by programs that come and go, later ones have names for theirs" {
	# Lines of 3 KB, as many as can be told in a second, until it is more than 16 MiB in all
	local name=$PWD i
	for i in {1..14}; do
		printf -v name '%s/%0200d' "$name" "$i"
		mkdir "$name"
	done
	echo code >"$name/code"
	cat >mapper <<-END
	import mmap, time
	with open("$name/code", "rb") as f:
	    for i in range(40):
	        for j in range(10):
	            mmap.mmap(f.fileno(), 5, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	        time.sleep(0.025)
	END
	hold_and_record --split-size 64K -- 'for i in {1..20}; do python3 mapper; done; chain 7'
	let_go
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[[ $stderr != *"no room for more reports of mapped code"* ]]
	[ "$(cat t.*bin | tr '\0' '\n' | grep -ac "^map .*/code$")" -gt 6000 ]
	folded 7 --user
}

# bats test_tags=dev
@test "Python knows contexts as JSON has them" {
	run_ktraced -o t.bin -e syscall,sched:comm --context 'kstack,ustack,nspid,cgroup,perf:page-faults' -- \
		"$PROGS/chain" 20 </dev/null
	"$KTRACE" list --json --stacks t.bin >list
	IN_SYSCALL=$IN_SYSCALL PYTHONPATH=$ROOT/userspace/python LD_LIBRARY_PATH=$BUILD/lib python3 - <<-'END'
	import json, os
	from ktrace import Traceset
	chains = 0
	with Traceset("t.bin") as s:
	    for e, line in zip(s, open("list"), strict=True):
	        l = json.loads(line)
	        got = dict(e.context)
	        assert got.keys() >= l.get("context", {}).keys(), (got, l)
	        for name, value in l.get("context", {}).items():
	            assert got[name] == (int(value, 16) if name.endswith("stack") else value), (got, l)
	        for name, frames in l.get("stacks", {}).items():
	            assert len(e.stack(name)) == len(frames), (e.stack(name), frames)
	            for (_, function), frame in zip(e.stack(name), frames):
	                assert function is None or frame.startswith(function), (function, frame)
	        chains += os.environ["IN_SYSCALL"] in [f for _, f in e.stack("kstack")]
	assert chains >= 20, chains
	END
}

# bats test_tags=dev
@test "functions of a module have lines, by its file and build id" {
	rmmod logevent 2>/dev/null || true
	insmod "$MODULES/logevent.ko" count=1000000 rate=200
	run_ktraced -o t.bin -e sched:switch --context 'sched:switch=kstack' --all -- sleep 0.3
	rmmod logevent
	line=$(grep -n usleep_range "$ROOT/examples/logevent/logevent.c" | cut -d: -f1)
	"$KTRACE" list --stacks --symbols --debug-dir "$MODULES" t.bin >list
	grep 'run_thread \[logevent\]' list | sort | uniq -c
	grep -Eq "^	k run_thread \\[logevent\\]\+0x[0-9a-f]+ at logevent\.c:$line\$" list
	mkdir none
	"$KTRACE" list --stacks --symbols --debug-dir none t.bin >list
	grep -Eq '^	k run_thread \[logevent\]\+0x[0-9a-f]+$' list
}

# bats test_tags=dev
@test "ids are those of the process's own pid namespace" {
	run_ktraced -o t.bin -e syscall,sched:comm --context syscall=nspid -- \
		unshare -pf "$PROGS/chain" 5 </dev/null
	[ "$(calls -c -e 'context.nspid == 1 && context.nstid == 1 && tid != 1')" -eq 5 ]
	run_ktrace grep -n 1 'context.nspid == 1' t.bin
	[[ $output == *" {nspid=1 nstid=1}"* ]]
}

# bats test_tags=dev
@test "the control group is told by its path" {
	grep -q cgroup2 /proc/filesystems || skip "needs cgroups"
	mkdir $GROUP
	run_ktraced -o t.bin -e syscall,sched:comm --context cgroup -- \
		sh -c "echo \$\$ >$GROUP/cgroup.procs && exec \"\$0\" 5 </dev/null" "$PROGS/chain"
	[ "$(calls -c -e 'context.cgroup == /ktrace-context')" -eq 5 ]
}

# bats test_tags=dev
@test "a counter goes up, and one that the machine lacks is told" {
	run_ktraced -o t.bin -e syscall,sched:comm --context 'syscall:enter=perf:page-faults,perf:cycles' -- \
		sh -c 'true; (true)'
	[ "$status" -eq 0 ]
	local said=$stderr
	run_ktrace list --json -e syscall:enter t.bin
	[[ $said == *"--context: no counter perf:cycles: "* || $output == *'"cycles":'* ]]
	grep -o '"cpu":[0-9]*\|"page-faults":[0-9]*' <<<"$output" | paste - - | tr : '\t' |
		awk '$4 + 0 < last[$2] { exit 1 } { last[$2] = $4 + 0; n++; seen[$4]++ }
			END { for (v in seen) d++; exit n < 10 || d < 3 }'
}

# bats test_tags=dev
@test "events that are not meant have no context, nor has a recording without it" {
	run_ktraced -o t.bin -e syscall,sched:comm --context syscall:exit=nspid -- "$PROGS/chain" 5 </dev/null
	[ "$(calls -c -e 'context.nspid > 0')" -eq 0 ]
	[ "$("$KTRACE" grep -c 'event == syscall:exit && context.nspid > 0' t.bin)" -gt 5 ]
	run_ktraced -o t.bin -e syscall,sched:comm -- "$PROGS/chain" 5 </dev/null
	run_ktrace list --json t.bin
	[[ $output != *'"context"'* ]]
}

# bats test_tags=dev
@test "tracepoints and probes that come while it records have their context" {
	local one='event == sched:sched_process_exec && context.nspid > 0'
	start_ktraced --all -o t.bin -e log --context 'tp:sched:*=kstack,nspid'
	retry 0.02 has ktraced.err tracing
	run_ktrace level -e 'tp:sched:sched_process_exec,kprobe:do_exit' "$pid"
	[ "$status" -eq 0 ]
	/bin/true
	# Of what is on, it stays as it is.
	run_ktrace level -e 'tp:sched:sched_process_e[xy]*' "$pid"
	[ "$status" -eq 0 ]
	/bin/true
	kill -TERM "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[ "$("$KTRACE" grep -c "$one && context.kstack > 0" t.bin)" -ge 2 ]
	[ "$("$KTRACE" grep -c 'event == sched:sched_process_exit && context.nspid > 0' t.bin)" -ge 1 ]
	[ "$("$KTRACE" grep -c 'event == kprobe:do_exit' t.bin)" -ge 1 ]
	[ "$("$KTRACE" grep -c 'event == kprobe:do_exit && context.nspid > 0' t.bin)" -eq 0 ]
	"$KTRACE" check t.bin
}

# bats test_tags=dev
@test "events that the kernel describes itself can have a context, too" {
	run_ktraced -o t.bin -e 'tp:sched:sched_process_exec,kprobe:do_exit' \
		--context 'tp:sched:*=kstack,nspid;kprobe:*=kstack' -- "$PROGS/chain" 5 </dev/null
	[ "$status" -eq 0 ]
	"$KTRACE" stacks -e sched:sched_process_exec t.bin | grep -q "${IN_SYSCALL}_\[k\].* 1\$"
	"$KTRACE" stacks -e kprobe:do_exit t.bin >stacks.txt
	# arm64's probes are breakpoints: at the first instruction there is no frame yet.
	if [ "$HOSTTYPE" = aarch64 ]; then
		grep -q ';__arm64_sys_exit_group_\[k\];' stacks.txt
	else
		grep -q ';do_exit_\[k\]\|do_group_exit_\[k\]' stacks.txt
	fi
	[ "$("$KTRACE" grep -c 'context.nspid > 0' t.bin)" -eq 1 ]
}

# bats test_tags=dev
@test "each part of a split recording knows the stacks of its events" {
	run_ktraced -b 64K --block-size 4K --split-size 64K -o p.bin -e syscall \
		--context syscall=kstack -- "$PROGS/chain" 3000 </dev/null
	[ "$status" -eq 0 ]
	[ "$(ls p.*.bin | wc -l)" -gt 2 ]
	for part in p.*.bin; do
		"$KTRACE" stacks "$part" >stacks.txt
		fails grep -F '[unknown]' stacks.txt
	done
}

# code_in PART: paths of code that it knows
code_in()
{
	tr '\0' '\n' <"p.000$1.bin" | sed -n 's/^map .* path=//p'
}

# bats test_tags=dev
@test "a part knows the code of processes that are there, and not of those that are gone" {
	start_ktraced -o p.bin --split-time 1h -e syscall:enter --context syscall:enter=ustack -- sh -c '
		for i in 1 2 3; do "$0" 1 </dev/null; done
		echo >ready; until [ -e over ]; do sleep 0.1; done' "$PROGS/chain"
	retry 0.1 test -e ready
	sleep 2		# all of it is read by then, and who has ended is known
	# What is read only when a part ends goes into the beginning of the next one.
	for part in 2 3; do
		kill -USR1 "$pid"
		retry 0.1 test -e "p.000$part.bin"
	done
	touch over
	wait_for "$pid"
	[ "$status" -eq 0 ]
	[ "$(code_in 1 | grep -c '/chain$')" -eq 3 ]
	fails grep '/chain$' <<<"$(code_in 3)"
	grep "$(readlink -f /bin/sh)\$" <<<"$(code_in 3)"
	"$KTRACE" check p.bin
}

# bats test_tags=dev
@test "who recovers a recording recovers its stacks" {
	record_chain 10 --context kstack
	kill -KILL "$pid"
	wait_for "$pid"
	exec 5>&-
	retry 0.1 "$KTRACED" -q --recover
	[ "$(calls -c)" -eq 10 ]
	"$KTRACE" stacks --filter "$CALL" t.bin >stacks.txt
	grep -Eq "${IN_SYSCALL}_\[k\]" stacks.txt
	fails grep -F '[unknown]' stacks.txt
}

# bats test_tags=dev
@test "a part that is cut out, and files put together, keep contexts" {
	run_ktraced -o t.bin -e syscall,sched:comm --context syscall=kstack,nspid -- "$PROGS/chain" 5 </dev/null
	mv t.bin a.bin
	run_ktraced -o b.bin -e syscall,sched:comm --context syscall=kstack,nspid -- "$PROGS/chain" 5 </dev/null
	"$KTRACE" cut -e syscall:enter -o t.bin a.bin
	[ "$(calls -c -e 'context.nspid > 0 && context.kstack > 0')" -eq 5 ]
	rm t.bin
	"$KTRACE" merge -o t.bin a.bin b.bin
	[ "$(calls -c -e 'context.nspid > 0 && context.kstack > 0')" -eq 10 ]
	"$KTRACE" stacks --filter "$CALL" t.bin >stacks.txt
	fails grep -F '[unknown]' stacks.txt
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# abi_viewer.bats - what the viewer makes of system calls of several ABIs

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
	make_trace x32=1
}

teardown() { teardown_test; }

# make_trace [x32=1]: a thread's calls, as t; enter NR ABI, exit NR ABI RESULT
make_trace()
{
	local abi='enum<u32>(native=0,i386=1,x32=2,arm=3,compat=4)%20abi' ts=1000 what nr table ret
	{
		echo meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		echo "meta host name=h kernel=6.12 machine=x86_64 ${1:-} cpus=1 boot=b"
		echo meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		echo meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		echo "meta event kind=kernel id=96 desc=syscall:enter{s32%20nr;$abi;x64[6]%20args;}"
		echo "meta event kind=kernel id=97 desc=syscall:exit{s32%20nr;$abi;s64%20ret;}"
		echo "meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;u32%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}"
		echo meta process pid=100 ppid=1 ts=900 comm=c exe=/c
		echo block 0
		echo rec 1000 64 0 u32:0 u32:100 u32:120 u32:120 u32:0 char16:swapper char16:c
		while read -r what nr table ret; do
			ts=$((ts + 100))
			if [ "$what" = enter ]; then
				echo "rec $ts 96 100 u32:$((nr & 0xffffffff)) u32:$table u64:1 u64:2 u64:3 u64:4 u64:5 u64:6"
			else
				echo "rec $ts 97 100 u32:$((nr & 0xffffffff)) u32:$table u64:$ret"
			fi
		done
	} <<-END | "$PROGS/mktrace" t
	enter 5 0
	exit 5 0 0
	enter 5 1
	exit 5 1 3
	enter 295 1
	exit 295 1 0xfffffffffffffffe
	enter $((0x40000000 | 257)) 2
	exit $((0x40000000 | 257)) 2 3
	enter 1000 1
	exit 1000 1 0xffffffffffffffda
	enter 173 1
	exit -1 1 0
	enter 15 0
	exit -1 0 0
	enter 59 0
	exit 11 1 0
	enter 0 0
	exit 5 1 0
	enter -1 0
	exit -1 0 0xffffffffffffffda
	enter 3 1
	END
}

@test "abi: list, JSON and filters" {
	run_ktrace list --event 'syscall:*' t
	[ "$(grep -o 'syscall:.*' <<<"$output" | sed 's/ args=.*//; s/ ret=.*//')" = "\
syscall:enter nr=fstat abi=native
syscall:exit nr=fstat abi=native
syscall:enter nr=open abi=i386
syscall:exit nr=open abi=i386
syscall:enter nr=openat abi=i386
syscall:exit nr=openat abi=i386
syscall:enter nr=openat abi=x32
syscall:exit nr=openat abi=x32
syscall:enter nr=1000 abi=i386
syscall:exit nr=1000 abi=i386
syscall:enter nr=rt_sigreturn abi=i386
syscall:exit nr=-1 abi=i386
syscall:enter nr=rt_sigreturn abi=native
syscall:exit nr=-1 abi=native
syscall:enter nr=execve abi=native
syscall:exit nr=execve abi=i386
syscall:enter nr=read abi=native
syscall:exit nr=open abi=i386
syscall:enter nr=-1 abi=native
syscall:exit nr=-1 abi=native
syscall:enter nr=read abi=i386" ]
	run_ktrace list --json --filter 'nr == openat && abi == x32' t
	[ "$(grep -c '"fields":{"nr":"openat","abi":"x32",' <<<"$output")" = 2 ]
	run_ktrace list --json --filter 'nr == -1' t
	[ "$(grep -c '"fields":{"nr":-1,"abi":"' <<<"$output")" = 4 ]
	run_ktrace grep -c 'nr == 5' t
	[ "$output" = 5 ]
	run_ktrace grep -c 'nr == openat' t
	[ "$output" = 4 ]
	run_ktrace grep -c 'nr ~ "open*" && abi == i386' t
	[ "$output" = 5 ]
	run_ktrace grep -c 'nr != openat' t
	[ "$output" = 17 ]
}

@test "abi: a number of x32 is no call where the kernel has none" {
	make_trace
	run_ktrace list --filter 'abi == x32' t
	[ "$(grep -c 'nr=1073742081 abi=x32' <<<"$output")" = 2 ]
	run_ktrace syscalls t
	grep -q '^x32:syscall 1073742081 ' <<<"$output"
}

@test "abi: statistics, states and stacks go by ABI and number" {
	run_ktrace syscalls --json t
	[ "$(python3 -c '
import json, sys
for c in sorted(json.load(sys.stdin)["syscalls"], key=lambda c: (c["abi"], c["number"])):
    print(c["abi"], c["number"], c["name"], c["nr"], c["errors"])' <<<"$output")" = "\
i386 5 open 1 0
i386 173 rt_sigreturn 1 0
i386 295 openat 1 1
i386 1000 syscall 1000 1 1
native -1 syscall -1 1 1
native 5 fstat 1 0
native 15 rt_sigreturn 1 0
native 59 execve 1 0
x32 1073742081 openat 1 0" ]
	run_ktrace syscalls t
	for name in i386:open i386:openat x32:openat i386:rt_sigreturn rt_sigreturn fstat \
		'i386:syscall 1000' 'syscall -1'; do
		grep -q "^$name  *1 " <<<"$output"
	done
	run_ktrace state --at 10s t
	grep -q 'user+syscall i386:read' <<<"$output"
	run_ktrace flow --list t
	grep -q 'syscall x32:openat$' <<<"$output"
	grep -q 'syscall i386:1000$' <<<"$output"
	grep -q 'syscall -1$' <<<"$output"
	run_ktrace flow --list --json t
	grep -q '"sub":5,"abi":"i386","sub_name":"open"}' <<<"$output"
	run_ktrace stat --depth sub t
	grep -q ' i386:openat ' <<<"$output"
	run_ktrace grep -c 'state.execution_submode == openat && event == syscall:enter' t
	[ "$output" = 2 ]
	run_ktrace grep -c 'state.submode_number == 5 && event == syscall:enter' t
	[ "$output" = 2 ]
	run_ktrace export --to folded -o f t
	grep -q ';syscall:i386:openat 100$' f
	grep -q ';syscall:openat 100$' f && false
	true
}

@test "abi: exports" {
	run_ktrace export --to csv -o c --event 'syscall:*' t
	grep -q 'nr=1000' c || grep -q 'i386' c
	if [ -x "$ROOT/build/libexec/ktrace/export-sqlite" ] && command -v sqlite3; then
		run_ktrace export --to sqlite -o db t
		[ "$status" = 0 ]
		[ "$(sqlite3 db 'SELECT group_concat(DISTINCT what) FROM states WHERE mode = "syscall"' |
			tr , '\n' | grep -c '^i386:openat$')" = 1 ]
	fi
	run_ktrace export --to chrome -o j t
	python3 -c '
import json
names = [e["name"] for e in json.load(open("j"))["traceEvents"]]
assert "syscall:i386:open" in names and "syscall:x32:openat" in names and "syscall:fstat" in names, names'
	run_ktrace export --to ctf -o folder t
	[ "$status" = 0 ]
	run_ktrace import --from ctf folder -o again
	[ "$status" = 0 ]
	for f in t again; do
		"$KTRACE" list --json --event 'syscall:*' "$f" | grep -o '"fields":.*' >$f.json
	done
	diff t.json again.json
	run_ktrace export --to perfetto -o p t
	[ "$status" = 0 ]
	[ "$(grep -ao 'syscall:i386:open' p | sort -u)" = syscall:i386:open ]
	run_ktrace import --from perfetto p -o back
	[ "$status" = 0 ]
	"$KTRACE" list --event 'syscall:*' back >list
	[ "$(grep -c 'nr=fstat' list)" = 2 ]
	grep 'nr="\?open"\?' list | grep -v i386 && false
	run_ktrace html -o h t
	[ "$status" = 0 ]
	# A type for each table of names
	[ "$(grep -o '"name":"syscall:enter"' h | wc -l)" = 3 ]
	for first in 0,"read" 0,"restart_syscall" 1073741824,"read"; do
		grep -qF "\"enums\":[[${first%,*},\"${first#*,}\"]" h
	done
}

@test "abi: LTTng's calls of 32-bit programs" {
	{
		echo meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		echo meta host name=h kernel=6.12 machine=x86_64 cpus=1 boot=b
		echo meta clock raw=1000 mono_ns=5000 real_ns=1700000000000000000 hz=1000000000
		echo meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		echo 'meta event kind=kernel id=1000 desc=lttng:compat_syscall_entry_open{x64%20filename;s32%20flags;u16%20mode;}'
		echo 'meta event kind=kernel id=1001 desc=lttng:compat_syscall_exit_open{s64%20ret;x64%20filename;}'
		echo 'meta event kind=kernel id=1002 desc=lttng:syscall_entry_fstat{u32%20fd;}'
		echo 'meta event kind=kernel id=1003 desc=lttng:sys_enter{s64%20id;x64[6]%20args;}'
		echo block 0
		echo rec 1100 1000 100 u64:0x1000 u32:2 u16:0
		echo rec 1200 1001 100 u64:3 u64:0x1000
		echo rec 1300 1002 100 u32:3
		echo "rec 1400 1003 100 u64:$((0x40000000 | 39)) u64:1 u64:2 u64:3 u64:4 u64:5 u64:6"
		echo rec 1500 1003 100 u64:0xffffffffffffffff u64:1 u64:2 u64:3 u64:4 u64:5 u64:6
	} | "$PROGS/mktrace" t
	run_ktrace export --to ctf -o folder t
	run_ktrace import --from ctf folder -o again
	[ "$status" = 0 ]
	run_ktrace list again
	grep -q 'syscall:enter nr=open abi=i386 args={0x1000, 0x2, ' <<<"$output"
	grep -q 'syscall:exit nr=open abi=i386 ret=3' <<<"$output"
	grep -q 'syscall:enter nr=fstat abi=native args={0x3, ' <<<"$output"
	grep -q 'syscall:enter nr=1073741863 args={0x1, ' <<<"$output"
	grep -q 'syscall:enter nr=-1 args={0x1, ' <<<"$output"
}

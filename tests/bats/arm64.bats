#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: arm64
# arm64.bats - what is different on arm64: the writer of programs, stacks with signed addresses, 32-bit programs, events
# that its kernels do not have
load helpers

setup()
{
	[ "$(uname -m)" = aarch64 ] || skip "not on arm64"
	requires_dev
	setup_test
}

teardown()
{
	[ "$(uname -m)" != aarch64 ] || teardown_test
}

@test "programs write to the rings of CPUs, by restartable sequences" {
	run_ktraced -e flood --thread-rings 0 --policy=block -o t -- "$PROGS/flood" -t 4 -n 2000
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
	# The test above cannot fail otherwise: without them all events are lost.
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced -e flood --thread-rings 0 -o t -- "$PROGS/flood" -n 100
	[ "$(summary noring)" = 100 ]
}

@test "stamps are the architecture's counter, and times are right" {
	local ns
	run_ktraced -e sched:switch -o t -- sleep 0.5
	[ "$status" -eq 0 ]
	"$KTRACE" info --json t >info.json
	jq -e '.files[0].clock != "monotonic"' info.json
	ns=$("$KTRACE" list --json t | jq -s '(.[-1].ns - .[0].ns)')
	[ "$ns" -gt 400000000 ]
	[ "$ns" -lt 60000000000 ]
}

@test "user stacks have no signatures of pointer authentication" {
	local chain='comm == chain && event == syscall:enter && nr == getppid'
	grep -qw paca /proc/cpuinfo || skip "the processor has no pointer authentication"
	objdump -d "$PROGS/chain" | grep -q paciasp
	run_ktraced -o t -e syscall,sched:comm --context 'syscall:enter=ustack' -- "$PROGS/chain" 20
	[ "$status" -eq 0 ]
	"$KTRACE" stacks --symbols --filter "$chain" t >stacks.txt
	grep -E "^chain;(.*;)?main;chain_outer;chain_middle;chain_inner(;.*)? 20\$" stacks.txt
}

# A program of one page: getpid(), exit(0)
make_arm32()
{
	python3 - "$1" <<-'END'
	import struct, sys
	code = struct.pack("<6I", 0xe3a07014, 0xef000000, 0xe3a07001, 0xe3a00000, 0xef000000, 0)
	at, size = 0x10000, 84 + len(code)
	head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH",
		2, 40, 1, at + 84, 52, 0, 0x05000000, 52, 32, 1, 0, 0, 0)
	load = struct.pack("<8I", 1, 0, at, at, size, size, 5, 0x10000)
	open(sys.argv[1], "wb").write(head + load + code)
	END
	chmod +x "$1"
}

@test "32-bit programs: their own table of system calls, the instruction pointer as their stack" {
	make_arm32 arm32
	./arm32 || skip "this kernel runs no 32-bit programs"
	run_ktraced -o t -e syscall,sched:comm --context 'syscall:enter=ustack' -- ./arm32
	[ "$status" -eq 0 ]
	"$KTRACE" grep --json 'comm == arm32 && event == syscall:enter' t >calls.json
	[ "$(jq -s 'map(select(.fields.abi == "arm" and .fields.nr == 20)) | length' calls.json)" = 1 ]
	[ "$(jq -s 'map(select(.fields.abi == "arm" and .fields.nr == 1)) | length' calls.json)" = 1 ]
}

@test "page faults: the kernel has no such events, and ktraced says so" {
	run_ktraced -o t -e fault:user -- true
	[ "$status" -ne 0 ]
	[[ $stderr == *fault:user* ]]
	run_ktraced -o t -e sched -- true
	[ "$status" -eq 0 ]
}

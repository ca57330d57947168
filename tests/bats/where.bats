#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# where.bats - filters for the kernel on ktraced's command line: what is refused, and where
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# refused COLUMN MESSAGE ARG...: not accepted, and the mark is below that column of the last one
refused()
{
	local mark
	run_ktraced -o t "${@:3}" -- true
	[ "$status" = 125 ]
	[ ! -e t ]
	[[ $stderr == *": column $1: $2"* ]]
	mark=$(tail -n 1 <<<"$stderr")
	[ "${#mark}" = $((11 + $1)) ]
	[[ $mark == *" ^" ]]
	[ "$(tail -n 2 <<<"$stderr" | head -n 1)" = "ktraced:   ${!#}" ]
}

@test "what is wrong with an expression is shown where it is" {
	refused 26 "expected a value, found the end" -e 'sched:switch{next_prio < }'
	refused 29 "the closing } is missing" -e 'sched:switch{next_prio < 100'
	refused 16 "expected , or the end after }" -e 'syscall{nr == 1}x'
	refused 15 "expected ==, !=, <, <=, >, >= or ~, found 'b'" --filter 'pid == 1 && a b'
	refused 13 "there is no field 'state.nothing' here" --filter 'cpu == 1 && state.nothing = 1'
	refused 8 "expected a number" --filter 'cpu == one'
	refused 12 "expected a value, found the end" -e 'tp:a:b{c < }'
	refused 17 "the closing } is missing" -e 'kprobe:f a{c < 1'
}

@test "what the kernel does not know can be filtered on reading, which is said" {
	refused 13 "the kernel cannot filter by state.pid; filter when reading the trace" \
		--filter 'cpu == 1 && state.pid == 2'
	refused 8 "the kernel cannot filter by time; filter when reading the trace" -e 'sched{ time > 1s}'
	refused 1 "the kernel can filter only by the flags irq and truncated" --filter 'flags == critical'
	refused 6 "this filter applies to no kernel event" -e 'demo{item == 1}'
	refused 1 "there is no cgroup '/no/such/one'" --filter 'cgroup == /no/such/one'
}

@test "a field that none of the events has is refused" {
	refused 14 "none of these events has a field 'next_pri' (did you mean 'next_prio'?)" -e 'sched:switch{next_pri < 100}'
	refused 12 "none of these events has a field 'nothing'" -e 'syscall' --filter 'cpu == 1 ||nothing == 1'
	# What may have been meant is what the kernel knows.
	while read -r typo meant; do
		refused 1 "none of these events has a field '$typo'${meant:+ $meant}" --filter "$typo == 1"
		[[ -n $meant || $stderr != *"did you mean"* ]]
	done <<-'END'
		coom (did you mean 'comm'?)
		udi (did you mean 'uid'?)
		cgruop (did you mean 'cgroup'?)
		evennt (did you mean 'event'?)
		tmie
		streeam
		losst
		stat.pid
	END
	refused 1 "there is no field 'event.namex' here (did you mean 'event.name'?)" --filter 'event.namex == x'
	for typo in state.pidd trace.namex; do
		refused 1 "there is no field '$typo' here" --filter "$typo == 1"
		[[ $stderr != *"did you mean"* ]] || return 1
	done
}

@test "a name that no value has is refused, and the nearest is told" {
	refused 15 "there is no system call 'getppidd' (did you mean 'getppid'?)" -e 'syscall{nr == getppidd}'
	refused 14 "there is no system call 'opn*'" -e 'syscall{nr ~ opn*}'
	refused 28 "no value of 'prev_state' is called 'DSIK' (did you mean 'DISK'?)" -e 'sched:switch{prev_state == DSIK}'
	refused 21 "no value of 'ret' is called 'EONENT' (did you mean 'ENOENT'?)" -e 'syscall:exit{ret == EONENT}'
	refused 26 "expected a number: no value of 'prev_tid' is called 'make'" -e 'sched:switch{prev_tid == make}'
	refused 16 "none of these events is called 'sched:swich' (did you mean 'sched:switch'?)" -e 'sched{event == sched:swich}'
	refused 20 "no value of 'vec' is called 'TIMERR' (did you mean 'TIMER'?)" -e softirq,irq \
		--filter 'cpu == 1 || vec == TIMERR'
	# Of one of several events it is the name.
	run_ktraced -o t -e 'futex,block' --filter 'op == WAIT || op == WRITE' -- true
	[[ $stderr != *column* ]]
}

@test "calls by name: what does not exist is refused" {
	refused 9 "there is no system call 'opnat' (did you mean 'openat'?)" -e 'syscall:opnat'
	refused 30 "there is no system call 'zz*'" -e 'sched,syscall:openat,syscall:zz*{nr == 1}'
	refused 27 "expected a value, found the end" -e 'syscall:openat{args[0] == }'
	refused 23 "expected &&, || or ^, found ')'" -e 'syscall:openat{nr == 1) || (nr == 2}'
	refused 16 "none of these events has a field 'nothing'" -e 'syscall:openat{nothing == 2}'
	for list in syscall:openat 'syscall:open*,syscall:close{ret == EBADF}' 'syscall:ex*' 'syscall:e*'; do
		run_ktraced -o t -e "$list" -- true
		[[ $stderr != *column* && $stderr != *"no event matches"* ]] || return 1
	done
}

@test "braces and commas in quotes are the expression's" {
	run_ktraced --optional -o t -e 'sched:switch{next_comm == "a,b}c" || next_comm ~ '"'{*}'"'},syscall' -- true
	[ "$status" = 0 ]
	[[ $stderr != *column* ]]
}

# bats test_tags=shm
@test "filters of the kernel's events do not touch those of programs" {
	run_ktraced -q --optional -o t -e 'demo,sched{prio < 3}' --filter 'pid == 1' -- "$EXAMPLES/hello"
	[ "$status" = 0 ]
	"$KTRACE" info t | grep 'events demo,sched, of them sched{prio < 3}, where pid == 1'
}

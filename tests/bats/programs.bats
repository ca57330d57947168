#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: guest
#
# Real programs: their system calls and context switches, each exactly once. The judge is
# the kernel's own tracer, which records the same run.

load helpers

T=/sys/kernel/tracing

setup()
{
	setup_test
	echo 0 >$T/tracing_on
	echo 16384 >$T/buffer_size_kb
	echo 1 >$T/options/event-fork
	echo 1 >$T/events/raw_syscalls/sys_enter/enable
	echo 1 >$T/events/sched/sched_switch/enable
}

teardown()
{
	echo 0 >$T/tracing_on
	echo 0 >$T/events/enable
	echo >$T/set_event_pid
	echo 4 >$T/buffer_size_kb
	teardown_test
}

# both COMMAND: run it as a child of a shell that both tracers follow. Left behind: what
# each saw of the command's threads, "tid call" and "tid switch", sorted. Without the last switch
# of each, away from the dead: the shell goes on, and ends ftrace's recording, before that.
both()
{
	echo >$T/trace
	run_ktraced -b 16M -e sched,syscall -o t -- bash -c "
		echo \$\$ >$T/set_event_pid
		echo 1 >$T/tracing_on
		$1 >/dev/null
		echo \$? >result
		echo 0 >$T/tracing_on
		echo \$\$ >shell"
	[ "$status" = 0 ]
	[ "$(cat result)" = 0 ]
	[ "$(summary lost)" = 0 ]
	[ "$(cat $T/per_cpu/cpu*/stats | grep -c '^overrun: 0$')" = "$(nproc)" ]
	# The shell itself begins and ends in the middle; its children are there whole.
	sed -nE 's/.*-([0-9]+) +\[[0-9]+\].* sys_enter: NR ([0-9]+) .*/\1 \2/p;
		/prev_state=[XZ]/d
		s/.*: sched_switch: .*prev_pid=([0-9]+) .*/\1 switch/p' $T/trace |
		awk -v sh="$(cat shell)" '$1 != sh && $1 != 0' >all.ftrace
	awk '$2 != "switch" { print $1 }' all.ftrace | sort -u >tids
	"$KTRACE" list --json --event syscall:enter,sched:switch t | python3 -c '
import json, re, sys
unistd = open("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read()
number = dict(re.findall(r"__NR_(\w+) (\d+)", unistd))
for line in sys.stdin:
    e = json.loads(line)
    if e["event"] == "syscall:enter":
        print(e["tid"], number.get(e["fields"]["nr"], e["fields"]["nr"]))
    elif e["fields"]["prev_state"] != "DEAD":
        print(e["fields"]["prev_tid"], "switch")' >all.ktrace
	for who in ftrace ktrace; do
		awk 'NR == FNR { mine[$1] = 1; next } $1 in mine' tids all.$who | sort >of.$who
	done
	wc -l of.ftrace of.ktrace
	[ "$(wc -l <of.ftrace)" -gt 20 ]
	diff of.ftrace of.ktrace
}

# bats test_tags=long
@test "xz -T2: every system call and switch once" {
	cp /bin/bash file
	both "xz -0 -T2 -k file"
}

# bats test_tags=long
@test "sort --parallel=2: every system call and switch once" {
	seq 20000 | sort -R >numbers
	both "sort --parallel=2 -S 1M numbers"
}

@test "git log: every system call and switch once" {
	both "git -C '$ROOT' -c safe.directory='*' --no-pager log --stat -n 30"
}

@test "the example: every event once, kernel events beside them" {
	both "'$EXAMPLES/hello'"
	run_ktraced -e sched,hello -o t -- "$EXAMPLES/hello"
	run_ktrace list --event hello t
	[ "$(grep -c item_begin <<<"$output")" = 40 ]
	[ "$(grep -c item_end <<<"$output")" = 40 ]
	[ "$(grep -o 'item_begin item=[0-9]*' <<<"$output" | sort -u | wc -l)" = 40 ]
	run_ktrace list --event sched t
	grep -q 'sched:switch' <<<"$output"
}

@test "who is not followed is not said to run" {
	run_ktraced -e sched -o t -- sh -c 'sleep 0.1; sleep 0.1; :'
	[ "$status" = 0 ]
	run_ktrace sched --json t
	[ "$(jq '[.tasks[] | select(.run.nr > 0) | .comm] | sort | join(" ")' <<<"$output")" = '"sh sleep sleep"' ]
	run_ktrace flow --json --pid 0 t
	[ "$(jq -s '[.[].status // empty] | unique | join(" ")' <<<"$output")" = '"unnamed"' ]
	run_ktraced --all -e sched -o t -- sleep 0.1
	run_ktrace sched --json t
	jq -e '[.tasks[] | select(.run.nr > 0)] | length > 3' <<<"$output"
}

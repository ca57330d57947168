#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
# hints.bats - what is said to people who are new: what happened, where, what to do
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

@test "a program that is not linked with the library: said" {
	run_ktraced -o t -- true
	[ "$status" -eq 0 ]
	[[ $stderr == *"no program attached: is it linked with libktrace?"*KTRACE_DEBUG=1* ]]
	[[ $stderr == *"for programs without libktrace, --pthread records threads and locks, and -e sched,syscall "*"'ktrace doctor'"* ]]
	run_ktraced --pthread -o t -- "$PROGS/pthread_static"
	[[ $stderr != *"--pthread records"* ]]
	run_ktraced -o t -- "$PROGS/flood" -n 1
	[[ $stderr != *"no program attached"* ]]
	run_ktraced -q -o t -- true
	[ -z "$stderr" ]
	run_ktraced -o t -- ./nothing
	[[ $stderr != *"no program attached"* ]]
}

@test "patterns of -e that no event matches are named, others are not" {
	run_ktraced --optional -e 'fl[o]od:it*,shced,flood:tiem,,log,[x]*' -o t -- "$PROGS/flood" -n 1
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 1 ]
	[[ $stderr == *"no event matches shced,flood:tiem,[x]* (did you mean 'sched'?);"* ]]
	run_ktraced --optional -e 'workqueue:qeue,timer:[x]*,hrtimer,mem*,futex:e*,softirq:raise,flood' -o t -- \
		"$PROGS/flood" -n 1
	[[ $stderr == *"no event matches workqueue:qeue,timer:[x]* (did you mean 'workqueue:queue'?);"* ]]
	run_ktraced -e 'flood:tiem' -o t -- "$PROGS/flood" -n 1
	[[ $stderr == *"no event matches flood:tiem (did you mean 'flood:item'?);"* ]]
	run_ktraced --optional -e 'sched:sw*,flood' -o t -- "$PROGS/flood" -n 1
	[[ $stderr != *"no event matches"* ]]
}

@test "words of --context that there are not: what may have been meant" {
	local row
	for row in "ustakc ustack" "perf:cylces perf:cycles" "shced=kstack sched" "sched:swtich=kstack sched:switch"; do
		run_ktraced --context "${row% *}" -o t -- true
		[ "$status" = 125 ]
		[[ $stderr == "ktraced: --context: column "*" (did you mean '${row#* }'?)" ]]
	done
}

@test "-o FOLDER: how the trace gets into it" {
	mkdir folder
	run_ktraced -o folder -- true
	[ "$status" = 125 ]
	# Others may have left sessions behind, which is said first.
	[ "${stderr##*$'\n'}" = "ktraced: folder is a folder: append a / to create a new file in it" ]
}

# not_begun ARG...: what -e names cannot be recorded: the command is not started, no file is left
not_begun()
{
	run_ktraced -o t "$@" -- touch ran
	[ "$status" -eq 125 ]
	[ ! -e ran ] && [ ! -e t ]
	[[ $stderr == *"; --optional records the rest" ]]
}

@test "kernel events that -e names and that cannot be had: the command is not started" {
	local entry
	[ "$KTRACE_BACKEND" = shm ] || skip "shared memory has no kernel events"
	for entry in sched sched:switch 'sched:sw*' ' sched' flood,syscall 'tp:sched:*' 'kprobe:do_exit' \
		'kretprobe:do_exit $retval' 'sched{cpu == 0}' flood:item,irq,log; do
		not_begun -e "$entry"
		[[ $stderr == *"ktraced: -e "*": no kernel events: the shared memory backend cannot record them; "* ]]
	done
	not_begun -e flood,irq,tp:ext4:x,log,fla*
	[[ $stderr == *"ktraced: -e irq,tp:ext4:x,log: no kernel"* ]]
}

@test "kernel events that -e names and that cannot be had: with --optional the rest is recorded" {
	[ "$KTRACE_BACKEND" = shm ] || skip "shared memory has no kernel events"
	run_ktraced --optional -e 'sched,flood,tp:a:b,kprobe:c' -o t -- "$PROGS/flood" -n 1
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 1 ]
	[[ $stderr == *"ktraced: -e sched,tp:a:b,kprobe:c: no kernel events: the shared memory backend cannot record them; left out"* ]]
	run_ktraced --optional --all -o t -- "$PROGS/flood" -n 1
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 1 ]
	[[ $stderr == *"no kernel events: the shared memory backend cannot record them"* ]]
}

@test "kernel events that nobody has named are not demanded" {
	local list
	for list in '*' '*:*' '[a-z]*' 's*' '?og:*'; do
		run_ktraced -e "$list,flood" -o t -- "$PROGS/flood" -n 1
		[ "$status" -eq 0 ]
		[ "$(summary events)" = 1 ]
	done
	run_ktraced --filter 'cpu == 0' -o t -- "$PROGS/flood" -n 1
	[ "$status" -eq 0 ]
	[ "$KTRACE_BACKEND" != shm ] || [[ $stderr == *"no kernel events: the shared memory backend cannot record them"* ]]
	run_ktraced -e flood -o t -- "$PROGS/flood" -n 1
	[[ $stderr != *"no kernel events"* ]]
	run_ktraced -o t -- "$PROGS/flood" -n 1
	[[ $stderr != *"no kernel events"* ]]
}

@test "names that no kernel event has: said with the nearest, before the command starts" {
	local wrong right
	while read -r wrong right; do
		not_begun -e "$wrong"
		[[ $stderr == *"ktraced: -e $wrong: the kernel has no such event (did you mean '$right'?); "* ]]
	done <<-'END'
		shced sched
		sched:swich sched:switch
		sched:swich* sched:switch
		syscal syscall
		syscalls:enter syscall:enter
		workqueue:qeue workqueue:queue
		hrtimr:* hrtimer
	END
	not_begun -e 'flood,shced,timer:nothing_like_it'
	[[ $stderr == *"ktraced: -e shced: the kernel has no such event (did you mean 'sched'?); "* ]]
	[[ $stderr == *"ktraced: -e timer:nothing_like_it: the kernel has no such event; "* ]]
	run_ktraced --optional -e shced,flood -o t -- "$PROGS/flood" -n 1
	[ "$status" -eq 0 ]
	[ "$(summary events)" = 1 ]
	[[ $stderr == *"ktraced: -e shced: the kernel has no such event (did you mean 'sched'?); left out"* ]]
}

@test "names of tracepoints without tp:, and names that are similar to ones of ours" {
	local event
	tracepoints() { unshare -m bash -c '{ mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing; } && exec "$@"' - "$@"; }
	tracepoints true || skip "cannot mount tracefs"
	event=$(tracepoints bash -c 'cd /sys/kernel/tracing/events && ls -d filemap/mm_*' | head -n 1)
	for names in "syscalls:enter syscall:enter" "${event/\//:} tp:${event/\//:}" "filemap:nothing_like_it tp:filemap:*"; do
		capture tracepoints "$KTRACED" -o t -e "${names% *}" -- true
		show ktraced "$names"
		[[ $stderr == *"-e ${names% *}: the kernel has no such event (did you mean "*"'${names#* }'?)"* ]]
	done
}

@test "--all and -p: names that no kernel event has are an error, with the nearest" {
	local scope
	for scope in --all -p1; do
		not_begun "$scope" -e 'clock'
		[[ $stderr == *"-e clock: the kernel has no such event (did you mean 'block'?), but ${scope%1} needs"* ]]
		not_begun "$scope" -e flood
		[[ $stderr == *"-e flood: the kernel has no such event, but ${scope%1} needs kernel events"* ]]
		not_begun "$scope" -e 'sch,xx*'
		[[ $stderr == *"-e sch: the kernel has no such event"*"-e xx*: the kernel has no such event"* ]]
		not_begun "$scope" -e sched,clock
		[[ $stderr == *"-e clock: the kernel has no such event (did you mean 'block'?); "* ]]
	done
}

@test "names of programs that differ little from the kernel's: recorded, or a failure in the end" {
	# The command's file tells.
	printf '#!/bin/sh\n# shced:tick\nexec "%s" -n 1\n' "$PROGS/flood" >script
	chmod +x script
	not_begun -e flod:tick,shced:tick
	run_ktraced -e shced:tick,flood -o t -- ./script
	[ "$status" -eq 125 ]
	[[ $stderr == *"-e shced:tick: the kernel has no such event"*"; assuming that it is a program's event"* ]]
	[[ $stderr == *"-e: no event matches shced:tick"* ]]
	[ "$(summary events)" = 1 ]
	run_ktraced -q -e clock -o t -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"-e: no event matches clock (did you mean 'block'?)"* ]]
	# What the command says of itself comes first.
	run_ktraced -q -e clock -o t -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	run_ktraced -q --optional -e clock -o t -- true
	[ "$status" -eq 0 ]
}

@test "without the module: --all says who knows what to do" {
	[ ! -e /dev/ktrace ] || skip "the module is loaded"
	capture "$KTRACED" --all -o t -- true
	[ "$status" = 125 ]
	[[ $stderr == *"which cannot be recorded: "*"; 'ktrace doctor' says what to do" ]]
}

@test "neither a trace nor what is made of one is written over a program" {
	local small=$ROOT/tests/data/golden/small-v1.bin command
	cp /bin/true app
	printf '#!/bin/sh\n' >script
	for file in app script; do
		run_ktraced -o "$file"
		[ "$status" -eq 125 ]
		[[ $stderr == *"$file is a program"* ]]
		for command in html "export -t csv" cut; do
			# shellcheck disable=SC2086 # a command and its option
			run_ktrace $command -o "$file" "$small"
			[ "$status" -eq 1 ]
			[[ $stderr == "ktrace: $file: is a program: the option names the file to write" ]]
		done
	done
	cmp app /bin/true
	[ -s script ]
}

@test "a file that is gone at the end: said" {
	run_ktraced -o t -- rm t
	[ "$status" -eq 0 ]
	[[ $stderr == *"t is gone: it was moved or removed"* ]]
}

@test "KTRACE_DEBUG: programs say whether they have attached, or why not" {
	KTRACE_DEBUG=1 capture "$PROGS/flood" -n 1
	[ "$stderr" = "libktrace: KTRACE_SESSION: not set, not attached
libktrace: board: KTRACE_BOARD is none" ]
	KTRACE_DEBUG=1 KTRACE_SESSION=shm:/nowhere capture "$PROGS/flood" -n 1
	[[ $stderr == "libktrace: shm:/nowhere: No such file or directory"* ]]
	KTRACE_DEBUG=1 run_ktraced -q -o t -- "$PROGS/flood" -n 1
	[[ $stderr == "libktrace: "*": attached"* ]]
	KTRACE_BOARD=hints KTRACE_DEBUG=1 capture "$PROGS/flood" -n 1
	[ "$stderr" = "libktrace: KTRACE_SESSION: not set, not attached" ]
	KTRACE_BOARD=hints "$PROGS/board" remove
}

@test "the viewer: a file instead of a command" {
	run_ktraced -q -o t -- true
	run_ktrace t
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktrace: 't' is a file: ktrace COMMAND t. Try 'ktrace help'." ]
	run_ktrace lsit t
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktrace: unknown command 'lsit' (did you mean 'list'?). Try 'ktrace help'." ]
}

@test "the viewer: options that are not there" {
	run_ktrace list --nonsense t
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktrace list: unrecognized option '--nonsense'
Try 'ktrace list --help'." ]
	run_ktrace list --sicne=3 t
	[ "$status" -eq 2 ]
	[ "$stderr" = "ktrace list: unrecognized option '--sicne=3'
ktrace list: did you mean '--since'?
Try 'ktrace list --help'." ]
	run_ktrace list --since
	[ "$stderr" = "ktrace list: option '--since' requires an argument
Try 'ktrace list --help'." ]
}

@test "-h is --help, of every command, and fits a terminal" {
	local command help commands=0
	for command in $("$KTRACE" help | sed -n 's/^  \([a-z-][a-z-]*\) .*/\1/p' | grep -vx help); do
		help=$("$KTRACE" "$command" --help)
		[ "$("$KTRACE" "$command" -h)" = "$help" ]
		[ "$(wc -L <<<"$help")" -le 80 ]
		commands=$((commands + 1))
	done
	[ "$commands" -gt 30 ]
	[ "$("$KTRACE" -h)" = "$("$KTRACE" help)" ]
	[ "$("$KTRACED" -h)" = "$("$KTRACED" --help)" ]
	[ "$({ "$KTRACE" -h && "$KTRACED" -h; } | wc -L)" -le 80 ]
}

@test "a deprecated name of an option works, and the program says so" {
	local said="--where is deprecated, use --filter"
	run_ktraced -o t --where 'cpu ==' -- true
	[ "$status" -eq 125 ]
	[[ $stderr == "ktraced: $said"$'\n'*"--filter: column 7: "* ]]
	run_ktrace level --where 'cpu ==' 999999999
	[[ $stderr == "ktrace level: $said"$'\n'* ]]
	run_ktraced -o t --filter 'cpu ==' -- true
	[[ $stderr != *deprecated* ]]
}

@test "ktrace help COMMAND is the manual page; without man(1), the options" {
	command -v man >/dev/null || skip "man(1) is not installed"
	local command
	for command in list serve; do
		run_ktrace help "$command"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		grep -q '^NAME$' <<<"$output"
		grep -q "ktrace-$command" <<<"$output"
		capture env PATH=/nowhere "$KTRACE" help "$command"
		[ "$status" -eq 0 ]
		[ "$stderr" = "ktrace: man: No such file or directory; only the options follow" ]
		[ "$output" = "$("$KTRACE" "$command" --help)" ]
	done
}

@test "the daemon: options that are not there" {
	run_ktraced --ouput t -- true
	[ "$status" -eq 125 ]
	[ "$stderr" = "ktraced: unrecognized option '--ouput'
ktraced: did you mean '--output'?
ktraced: try 'ktraced --help'" ]
	run_ktraced --bufer=4M -o t -- true
	[[ $stderr == *"did you mean '--buffer'?"* ]]
}

@test "the viewer: patterns that no event matches are named, others are not" {
	run_ktraced -q -o t -- "$PROGS/flood" -n 3
	run_ktrace list -e 'flod,flood:i*' t
	[ "$status" -eq 0 ]
	[ "$(wc -l <<<"$output")" = 3 ]
	[ "$stderr" = "ktrace: -e 'flod': no such event (did you mean 'flood'?); 'ktrace events FILE' lists them" ]
	run_ktrace list -e 'flood,ktrace:lost,ktrace,*:lost,kernel:17,user' t
	[ -z "$stderr" ]
	run_ktrace list -e 'flod:*' --filter 'workres == 1 || tdi == 1' t
	[[ $stderr == "ktrace: -e 'flod:*': no such event (did you mean 'flood:*'?);"* ]]
	[[ $stderr == *"no event has a field 'workres';"* ]]
	[[ $stderr == *"no event has a field 'tdi' (did you mean 'tid'?);"* ]]
	run_ktrace grep 'stat.pid == 1' t
	[[ $stderr == *"no event has a field 'stat.pid' (did you mean 'state.pid'?);"* ]]
	run_ktrace list -e 'k,users,kern:17' t
	[ "$(wc -l <<<"$stderr")" = 3 ]
	# A star at the beginning is no reason for silence.
	run_ktrace list -e '*_item,*:nosuch,user:x*' t
	[ "$(wc -l <<<"$stderr")" = 3 ]
	run_ktrace list -e '*,*:*,k*,*r:[0-9]*,*:l*' t
	[ -z "$stderr" ]
}

@test "the viewer: what a table is made of was not recorded: said, and how it is" {
	local golden=$ROOT/tests/data/golden row
	for row in 'sched sched pthread' 'syscalls syscall pthread' 'io syscall,block context' \
		'irq irq,softirq context' 'ipoints log kernel' 'contention pthread kernel' \
		'pthread pthread context'; do
		set -- $row
		run_ktrace "$1" "$golden/$3-v1.bin"
		[ "$status" -eq 0 ]
		[[ $stderr == *"no event of family $2 is there, of which this is made; 'ktraced -"*"' records them"* ]]
	done
	run_ktrace syscalls "$golden/kernel-v1.bin"
	[[ $stderr != *"no event of family"* ]]
	# Of what nobody has looked at, nothing is said.
	run_ktrace sched --until 0.000001 "$golden/pthread-v1.bin"
	[[ $stderr != *"no event of family"* ]]
	run_ktrace pthread --until 0.000001 "$golden/context-v1.bin"
	[[ $stderr != *"no event of family"* ]]
	run_ktrace objects "$golden/pthread-v1.bin"
	[[ $stderr != *"no event of family"* ]]
	run_ktrace stacks "$golden/small-v1.bin"
	[[ $stderr == *" events had no stack: 'ktraced --context kstack,ustack' records them"* ]]
}

@test "the viewer: what is no text goes into a file that has a name" {
	local call trace=$ROOT/tests/data/golden/small-v1.bin
	for call in cut merge "import --from perfetto"; do
		# shellcheck disable=SC2086 # words
		run_ktrace $call -o - "$trace"
		[ "$status" -eq 1 ]
		[ "$stderr" = "ktrace: -: is standard output or error: this needs a file of its own" ]
		[ ! -e - ]
	done
}

@test "the viewer: a word of an option that there is not: which may have been meant, or which there are" {
	local row
	while IFS=% read -r row said; do
		# shellcheck disable=SC2086 # words
		run_ktrace $row t
		[ "$status" -eq 2 ]
		[ "${stderr%%$'\n'*}" = "ktrace ${row%% *}: $said" ]
	done <<-'END'
		list --time rle%--time: there is no 'rle' (did you mean 'rel'?)
		grep --time x%--time: there is no 'x', but rel, wall, raw and delta
		live --by type,thraed%--by: there is no 'thraed' (did you mean 'thread'?)
		live --by x%--by: there is no 'x', but process, thread, type and cpu
		live --interval 99ms%--interval: not a time such as 5 or 500ms, from 100ms to 1h
		stat --depth traec%--depth: there is no 'traec' (did you mean 'trace'?)
		stat --depth x%--depth: there is no 'x', but traceset, trace, cpu, thread, mode and sub
		export --to folded --by lokcs%--by: there is no 'lokcs' (did you mean 'locks'?)
		import --from shrak%--from: there is no 'shrak' (did you mean 'shark'?)
		pthread -o x -s pids%-s: there is no 'pids' (did you mean 'pid'?)
		session x%action: there is no 'x', but start, stop, list, status, snapshot, clone, flush, read, attach, detach, produce and trigger
		cut%-o FILE is missing
		merge%-o FILE is missing
		import --from ctf%-o FILE is missing
		html%-o FILE is missing
		hist --width 5x%--width: not a time such as 1s or 10ms
	END
}

@test "the viewer: empty files, folders, files of another version" {
	: >empty
	mkdir folder
	cp "$ROOT/tests/data/golden/small-v1.bin" newer
	printf '\7' | dd of=newer bs=1 seek=8 conv=notrunc status=none
	run_ktrace list empty folder newer
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktrace: empty: empty, not a ktrace tracefile
ktrace: folder: not a regular file
ktrace: newer: tracefile of format version 7: another ktrace is needed, this one reads version 1" ]
}

@test "the viewer: a trace of another tool: how it is imported" {
	printf '\n\4abcd\n\2xy' >perfetto
	printf '\x17\x08Dtracing6' >trace-dat
	printf 'PERFILE2' >perf
	mkdir ctf
	: >ctf/metadata
	for format in perfetto trace-dat perf ctf; do
		run_ktrace list $format
		[ "$status" -eq 1 ]
		[[ $stderr == *"ktrace: $format: looks like one of another tool: 'ktrace import --from $format -o NEW'"* ]]
	done
	printf '\nno trace of any tool\n' >text
	run_ktrace list text
	[ "$stderr" = "ktrace: text: not a ktrace tracefile" ]
	run_ktrace import -o new text
	[ "$status" -eq 2 ]
	[[ $stderr == "ktrace import: --from FORMAT is missing: "* ]]
	"$PROGS/mktrace" t <"$ROOT/tests/data/golden/small-v1.script"
	run_ktrace import -o new t
	[ "$status" -eq 2 ]
	[[ $stderr == "ktrace import: the file is a tracefile of ktrace already"* ]]
	run_ktrace import -o new missing
	[ "$status" -eq 1 ]
	[ "$stderr" = "ktrace: missing: No such file or directory" ]
	"$KTRACE" export --to perfetto -o packets "$ROOT/tests/data/golden/small-v1.bin"
	run_ktrace import -o new packets
	[ "$status" -eq 0 ]
	run_ktrace import --from perfetto -o same packets
	cmp <("$KTRACE" list new) <("$KTRACE" list same)
}

@test "the viewer: a file that was cut off is listed, and said to be" {
	run_ktraced -q -o t -- "$PROGS/flood" -n 3
	run_ktrace list t
	[ -z "$stderr" ]
	head -c -32 t >cut
	run_ktrace list cut
	[ "$status" -eq 0 ]
	[ "$(grep -c flood:item <<<"$output")" -eq 3 ]
	[ "$stderr" = "ktrace: cut: not closed: still being written, or truncated" ]
}

@test "the reason is there, however long the name" {
	long=$(printf 'a/%.0s' {1..3000})
	for file in "$long" "$(printf 'a%.0s' {1..300})"; do
		run_ktraced -o "$file" -- true
		[ "$status" -eq 125 ]
		[[ $stderr == *"ktraced: a"*": File name too long" ]]
		run_ktrace list "$file"
		[ "$status" -eq 1 ]
		[[ $stderr == "ktrace: a"*": File name too long" ]]
	done
}

@test "empty words, and sessions that are not there" {
	run_ktraced -o '' -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"-o FILE is missing"* ]]
	run_ktraced -o t ''
	[ "$status" -eq 125 ]
	[[ $stderr == *"COMMAND is empty"* ]]
	run_ktraced --recover nonsense
	[ "$status" -eq 125 ]
	[[ $stderr == *"nonsense is not a session left behind; --recover --list"* ]]
	run_ktraced -q -o t -b 4m -- true
	[ "$status" -eq 0 ]
}

@test "buffers that are too large: what would help" {
	run_ktraced -o t -b 16G --thread-rings 1024 -- true
	[ "$status" -eq 125 ]
	[[ $stderr == *"MiB of shared memory for the buffers: "*"; use a smaller -b or --thread-rings"* ]]
}

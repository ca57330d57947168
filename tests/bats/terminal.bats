#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace on a terminal: pager, colours, progress; and that there are none elsewhere.

# shellcheck disable=SC2154 # capture sets status, output and stderr

load helpers

# As a pattern
RED=$'\033\\[31m'

setup()
{
	setup_test
	unset PAGER KTRACE_PAGER NO_COLOR KTRACE_COLOR LESS
	run_ktraced -q --policy drop -b 64K -o t -- "$PROGS/flood" -n 50000
	"$KTRACE" list t >plain 2>complaint
	grep -q ktrace:lost plain
}

teardown()
{
	teardown_test
}

# on_terminal COMMAND...: with a terminal of its own; what that shows is in file typed, and in the end in screen
on_terminal()
{
	local quoted
	printf -v quoted '%q ' "$@"
	capture script -qefc "$quoted" typed </dev/null
	tr -d '\r' <<<"$output" >screen
	echo "# on a terminal: $quoted: status $status"
	head -n 5 screen
}

@test "terminal: a pager gets all, and what it shows is what is seen" {
	KTRACE_PAGER='sed s/^/paged:/' PAGER=false on_terminal "$KTRACE" --color=never list t
	[ "$status" = 0 ]
	diff <(sed 's/^/paged:/' plain) <(grep '^paged: ' screen)
	PAGER='tee seen >/dev/null' on_terminal "$KTRACE" --color=never sched t
	[ "$status" = 0 ]
	"$KTRACE" sched t | cmp - seen
	PAGER='tee seen >/dev/null' on_terminal "$KTRACE" list --help
	"$KTRACE" list --help | cmp - seen
	PAGER='tee seen >/dev/null' on_terminal "$KTRACE" help
	"$KTRACE" help | cmp - seen
}

@test "terminal: the exit status is the command's, also when the pager is left early" {
	PAGER='head -n 1' on_terminal "$KTRACE" --color=never list t
	[ "$status" = 0 ]
	[ "$(cat screen)" = "$(head -n 1 plain)" ]
	dd if=/dev/zero of=t bs=1 seek=5000 count=100 conv=notrunc status=none
	PAGER='head -n 1' on_terminal "$KTRACE" list t
	[ "$status" = 1 ]
	PAGER=/nowhere/pager on_terminal "$KTRACE" list t
	grep -q '/nowhere/pager: not found' screen
}

@test "terminal: no pager where none is wanted, or none could be" {
	PAGER='sed s/^/paged:/' on_terminal "$KTRACE" --no-pager --color=never list t
	diff plain <(grep -v '^ktrace: ' screen)
	KTRACE_PAGER='' PAGER='sed s/^/paged:/' on_terminal "$KTRACE" --color=never list t
	fails grep paged: screen
	PAGER='sed s/^/paged:/' run_ktrace list t
	cmp plain - <<<"$output"
	PAGER='sed s/^/paged:/' on_terminal "$KTRACE" live --all t
	fails grep paged: screen
}

@test "terminal: colours there, unless NO_COLOR, TERM or an option says no; else only if asked for" {
	PAGER=cat TERM=xterm on_terminal "$KTRACE" list t
	[ "$(grep -c "^${RED}.*ktrace:lost" screen)" = "$(grep -c ktrace:lost plain)" ]
	NO_COLOR=1 PAGER=cat TERM=xterm on_terminal "$KTRACE" list t
	fails grep -q $'\033' screen
	PAGER=cat TERM=dumb on_terminal "$KTRACE" list t
	fails grep -q $'\033' screen
	PAGER=cat TERM=xterm on_terminal "$KTRACE" --color=never list t
	fails grep -q $'\033' screen
	TERM=xterm "$KTRACE" list t | cmp plain -
	NO_COLOR=1 TERM=dumb "$KTRACE" --color=always list t | grep -q "^${RED}.*ktrace:lost"
	"$KTRACE" --color=always list t | sed 's/\x1b\[[0-9]*m//g' >stripped
	diff plain <(sed '/^$/d' stripped)
	[ "$("$KTRACE" --color=always list --json t)" = "$("$KTRACE" list --json t)" ]
	run_ktrace --color=blue list t
	[ "$status" = 2 ]
}

# read_slowly PATTERN: reads its input slowly until the terminal has shown such a line, or all has been read
read_slowly()
{
	local i
	for ((i = 0; i < 200; i++)); do
		! grep -qaE "$1" typed || break
		head -c 20000
		sleep 0.1
	done
	cat
}

@test "terminal: long work shows how far it is: done, rate, time left; unless it is not to" {
	local line='\[#* *\] [0-9.]+k? events, [0-9.]+[kM]?/s, [0-9]+:[0-9][0-9] left'
	run_ktraced -q --policy block -o all -- "$PROGS/flood" -n 16000
	mkfifo pipe
	# The buffer and the pipe are full meanwhile.
	: >typed
	read_slowly "[1-9][0-9]?% $line" <pipe >long &
	TERM=xterm on_terminal sh -c "'$KTRACE' list all >pipe"
	wait $!
	[ "$status" = 0 ]
	grep -qE "[1-9][0-9]?% $line" screen
	[[ $(cat screen) == *$'\033[K' ]]
	# For longer than it takes until something is shown
	(sleep 0.7; cat) <pipe >long &
	TERM=xterm on_terminal sh -c "'$KTRACE' --progress=never list all >pipe"
	wait $!
	fails grep -q % screen
}

@test "terminal: progress elsewhere, if it is asked for" {
	"$KTRACE" --progress=always stat t 2>said >table
	grep -qE '^.  0% \[ *\] 1 events' said
	"$KTRACE" stat t 2>said | cmp - table
	fails grep -q % said
	run_ktrace --progress=maybe stat t
	[ "$status" = 2 ]
	[ "$stderr" = "ktrace: --progress=auto, always or never" ]
	run_ktrace --progess=never stat t
	[ "$status" = 2 ]
	[[ $stderr == *"unknown option '--progess' before the command (did you mean '--progress'?)"* ]]
}

@test "terminal: each reading of the files shows how far it is" {
	"$KTRACE" --progress=always check t 2>said >told
	[ "$(tr '\r' '\n' <said | grep -c '^  0% ')" = 3 ]
	# What is shown goes, and comes again from the beginning.
	[[ $(cat said) == *$'\033[K' ]]
	"$KTRACE" --progress=always export --to paje -o p t 2>said
	[ "$(tr '\r' '\n' <said | grep -c '^  0% ')" = 2 ]
}

@test "terminal: who interrupts finds an empty line" {
	run_ktraced -q --policy block -o all -- "$PROGS/flood" -n 16000
	mkfifo pipe
	exec 8<>pipe
	# The buffer and the pipe are full, and stay so.
	# shellcheck disable=SC2016 # for sh
	start bar sh -c 'exec "$0" --progress=always list all >pipe 8>&-' "$KTRACE"
	retry 0.02 has bar.err %
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	exec 8>&-
	[ "$status" = 130 ]
	[[ $(cat bar.err) == *%*$'\r\033[K' ]]
}

@test "terminal: pictures are as wide as it is" {
	local columns command
	for columns in 80 151; do
		for command in flow resources; do
			on_terminal sh -c "stty cols $columns && exec '$KTRACE' --no-pager $command '$ROOT/tests/data/golden/kernel-v1.bin'"
			[ "$(grep -c '|.*|.* %' screen)" -gt 1 ]
			[ -z "$(grep '|.*|.* %' screen | grep -vxE ".{$columns}")" ]
			[ "$(wc -L <screen)" = "$columns" ]
		done
	done
	PAGER='tee seen >/dev/null' on_terminal sh -c "stty cols 80 && exec '$KTRACE' resources '$ROOT/tests/data/golden/kernel-v1.bin'"
	[ "$(wc -L <seen)" = 80 ]
}

@test "terminal: tables are no wider than it is, and say what they leave out" {
	local file="$ROOT/tests/data/golden/kernel-v1.bin" columns table
	for columns in 70 80 100; do
		for table in stat sched syscalls io irq 'syscalls --threads' 'stat --types'; do
			on_terminal sh -c "stty cols $columns && exec '$KTRACE' --no-pager $table '$file'"
			[ "$(wc -L <screen)" -le "$columns" ]
		done
	done
	on_terminal sh -c "stty cols 80 && exec '$KTRACE' --no-pager sched '$file'"
	grep -q 'runs .*wakeups .*max$' screen
	[ "$(tail -n 1 screen)" = 'No room for: %, preempted' ]
	cp screen narrow
	PAGER='tee seen >/dev/null' on_terminal sh -c "stty cols 80 && exec '$KTRACE' sched '$file'"
	diff narrow seen
	# All of it
	"$KTRACE" sched "$file" >all
	[ "$(wc -L <all)" = 106 ]
	on_terminal sh -c "stty cols 106 && exec '$KTRACE' --no-pager sched '$file'"
	diff all screen
}

@test "terminal: a signal ends the command once the pager has ended" {
	# The shell of the pager tells who started it.
	capture env PAGER='kill -INT $PPID; sleep 0.5; echo over >over; cat >/dev/null' \
		script -qec "$KTRACE list t; echo status \$?; ls over" /dev/null </dev/null
	grep -q 'status 130' <<<"$output"
	grep -q '^over' <<<"$output"
}

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# commands.bash - the commands of ktrace, for tests of all of them

# How to call each command on a file; - = it shows no events
declare -gA calls=(
	[list]="list" [info]="info" [grep]="grep tid==100" [hist]="hist" [check]="check"
	[cut]="cut -o new" [merge]="merge -o new" [diff]="diff t" [stat]="stat" [state]="state"
	[flow]="flow" [resources]="resources" [sched]="sched" [syscalls]="syscalls" [irq]="irq"
	[io]="io" [ipoints]="ipoints" [critical-path]="critical-path --pid 100" [stacks]="stacks"
	[export]="export --to csv" [pthread]="pthread" [objects]="objects"
	[contention]="contention" [lock-order]="lock-order"
	[html]="html -o new"
	# Screens and servers show it there
	[tui]=- [live]=- [serve]=-
	# What it is asked
	[sql]=-
	# Folders of them
	[ship]=- [store]=- [load]=- [fleet]=-
	# Types of events; beginnings of files; clocks
	[events]=- [seq]=- [sync]=-
	# What they read is no tracefile
	[import]=- [recv-shark]=- [control]=- [level]=- [doctor]=- [session]=-
)

# every_command: sets $commands to all of them but help
every_command()
{
	local command
	mapfile -t commands < <("$KTRACE" help | awk '/^  [a-z]/ && $1 != "help" { print $1 }')
	[ ${#commands[@]} -gt 30 ]
	for command in "${commands[@]}"; do
		# A new command belongs above.
		[ -n "${calls[$command]:-}" ] || return 1
	done
}

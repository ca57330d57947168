#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# tui.bats - ktrace tui, in a terminal of tmux: what it shows is what other commands print
# runs: host
load helpers
load terminal

setup()
{
	setup_test
	SMALL=$ROOT/tests/data/golden/small-v1.bin
	terminal_setup
}

teardown()
{
	terminal_teardown
	teardown_test
}

# tui ARG...: in a terminal
tui()
{
	in_terminal "env LC_ALL=C.UTF-8 TZ=UTC $SETTING '$KTRACE' tui $*"
}

# The lines of events on the screen
rows() { screen | grep -E '^ *[0-9]+\.[0-9]{9} (#[0-9]+ )?\['; }

# is_coloured: the letter of events is, as one of 8 or of 256 colours
is_coloured() { tmux capture-pane -p -e | grep -qE $'\e\\[(34|38;5;33)m\\+'; }

are_rows() { diff <(rows) - <<<"$1" >differences; }

# page TEXT: the events on the screen are these
page()
{
	retry 0.02 are_rows "$1" || { cat differences; screen; return 1; }
}

# lines FIRST: a page of the list of all, in a terminal of 30 lines where only the list is shown
lines() { sed -n "$1,$(($1 + 26))p" all; }

# now LINE: the event with this line is the current one
now()
{
	shows "^now $(awk '{ print $1 }' <<<"$1" | sed 's/\./\\./') "
}

# selects LINE: it is the selected one
is_selected() { tmux capture-pane -p -e | grep -qF $'\e[7m'"$1"; }
selects()
{
	retry 0.02 is_selected "$1" || { screen; return 1; }
}

# flood THREADS EVENTS: t.bin, and the list of it
flood()
{
	run_ktraced -q -e flood -o t.bin -- "$PROGS/user_flood" -t "$1" -n "$2"
	[ "$status" -eq 0 ]
	"$KTRACE" list t.bin >all
}

# switches: two threads on one CPU
switches()
{
	"$PROGS/mktrace" t.bin <<-'END'
		meta trace version=1 start_ns=1700000000000000000 backend=dev clock=tsc
		meta host name=h kernel=6.1.0 machine=x86_64 cpus=1 boot=b
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=kernel cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=kernel id=64 desc=sched:switch{u32%20prev_tid;u32%20next_tid;s32%20prev_prio;s32%20next_prio;enum<u32>(RUNNABLE=0,SLEEP=1)%20prev_state;char[16]%20prev_comm;char[16]%20next_comm;}
		meta event kind=kernel id=96 desc=syscall:enter{u64%20nr;x64[6]%20args;}
		meta event kind=kernel id=97 desc=syscall:exit{u64%20nr;s64%20ret;}
		meta clock raw=10000000 mono_ns=10000000 real_ns=1700000000010000000
		block 0
		rec 1000000 64 0 u32:0 u32:11 u32:120 u32:120 u32:0 char16:swapper char16:a
		rec 2000000 96 11 u64:0 u64:3 u64:0 u64:512 u64:0 u64:0 u64:0
		rec 3000000 97 11 u64:0 u64:7
		rec 4000000 64 11 u32:11 u32:12 u32:120 u32:120 u32:1 char16:a char16:b
		rec 9000000 64 12 u32:12 u32:0 u32:120 u32:120 u32:1 char16:b char16:swapper
		rec 11000000 64 0 u32:0 u32:11 u32:120 u32:120 u32:0 char16:swapper char16:a
	END
	"$KTRACE" list t.bin >all
}

@test "every event in order: page by page to the end and back, line by line" {
	flood 3 90
	tui t.bin
	shows 'q quit'
	keys v
	page "$(lines 1)"
	for ((i = 28; i <= 244; i += 27)); do
		keys NPage
		page "$(lines "$i")"
	done
	keys NPage
	now "$(tail -n 1 all)"
	page "$(lines 244)"
	keys Home
	page "$(lines 1)"
	keys End
	now "$(tail -n 1 all)"
	page "$(lines 244)"
	keys Up
	now "$(sed -n 269p all)"
	keys End
	for ((i = 217; i >= 1; i -= 27)); do
		keys PPage
		page "$(lines "$i")"
	done
	keys PPage g
	now "$(head -n 1 all)"
	keys -N 30 Down
	now "$(sed -n 31p all)"
	page "$(lines 5)"
}

@test "search: forth and back, and what there is not" {
	flood 3 90
	tui t.bin
	shows 'q quit'
	keys /
	text 'seq=77'
	for hit in 1 2 3; do
		now "$(grep 'seq=77$' all | sed -n "${hit}p")"
		keys n
	done
	shows 'not found after here: seq=77'
	keys N
	now "$(grep 'seq=77$' all | sed -n 2p)"
	keys N N
	shows 'not found before here: seq=77'
	now "$(grep 'seq=77$' all | sed -n 1p)"
	keys / Escape G
	now "$(tail -n 1 all)"
}

@test "filter: the grammar of ktrace grep; a wrong one is refused with its column" {
	flood 3 90
	tui t.bin
	shows 'q quit'
	keys f
	text 'writer == 1 && seq < 7'
	page "$("$KTRACE" grep 'writer == 1 && seq < 7' t.bin)"
	shows 'filter writer == 1 && seq < 7$'
	keys f C-u
	text 'seq >'
	shows '^filter: column 6: '
	keys C-u
	text 'seqq > 1'
	shows "^filter: column 1: .*seqq"
	keys Escape
	page "$("$KTRACE" grep 'writer == 1 && seq < 7' t.bin)"
	keys f C-u
	text 'seq > 1000'
	shows 'no event passes the filter'
	keys End Up NPage PPage
	keys f C-u Enter
	shows '^lost 0 in window  clock [a-z]+$'
	keys g v
	page "$(lines 1)"
	# Of the state, which must also be right where reading starts over, and goes back.
	tui "$SMALL"
	shows 'q quit'
	keys f
	text 'state.execution_mode == syscall'
	expected=$("$KTRACE" grep 'state.execution_mode == syscall' "$SMALL")
	page "$expected"
	keys G
	now "$(tail -n 1 <<<"$expected")"
	keys PPage
	page "$expected"
}

@test "the picture has the letters of ktrace flow, and one current time with the list" {
	switches
	tui t.bin
	shows 'threads  '
	"$KTRACE" flow --width 171 t.bin | grep -o '[-0-9]*/1[12] .*|' | sed 's/  *|/ |/' | sort >flow
	retry 0.02 eval 'screen | grep -o "^[0-9-]*/1[12].*|" | sed "s/  *|/ |/" | sort | diff - flow >differences' ||
		{ cat differences; screen; return 1; }
	# Of these the meaning, and of no others, also where there is little room
	shows '^  threads +R run U user S syscall \. sleep *$'
	tmux resize-window -x 80 -y 24
	shows '^  threads +R run U user S syscall \. sleep *$'
	tmux resize-window -x 200 -y 30
	shows '\|.{171}\|'
	# By a column the current time moves, and the list to the first event there.
	keys Tab Right
	shows '^now 0\.00005848'
	selects "$("$KTRACE" list --since 58480ns -n 1 t.bin)"
	keys -N 40 Right
	selects "$("$KTRACE" list --since 2.4ms -n 1 t.bin)"
	keys -N 20 Left
	selects "$("$KTRACE" list --since 1.3ms -n 1 t.bin)"
	keys Tab End
	now "$(tail -n 1 all)"
	# What a thread does at a time is what ktrace state says.
	keys t
	text 1.5ms
	shows '^now 0\.001500000 '
	[ "$("$KTRACE" state --at 1.5ms --json t.bin | jq -r '.threads[] | select(.tid == 11).modes[-1].mode')" = syscall ]
	keys -N 10 +
	shows '^[-/]+11 a +\|S+\|'
	# Of the other one nothing is known then.
	fails is_on_screen '^-/12 b'
}

@test "zoom, fit, go to a time, move the window" {
	switches
	tui t.bin
	shows '^now 0\.000000000  window 0\.000000000 to 0\.010000001 of 0\.010000000 s'
	keys t
	text 4ms
	shows '^now 0\.004000000 '
	keys +
	shows '^now 0\.004000000  window 0\.002000000 to 0\.007000000 '
	keys '>'
	shows ' window 0\.004500000 to 0\.009500000 '
	keys '<'
	shows ' window 0\.002000000 to 0\.007000000 '
	keys - -
	shows ' window 0\.000000000 to 0\.010000001 '
	keys + + + 0
	shows ' window 0\.000000000 to 0\.010000001 '
	keys t
	text nonsense
	shows 'no time such as'
	keys C-u
	text 2023-11-14T22:13:20.009Z
	shows '^now 0\.008000000 '
	selects "$("$KTRACE" list --since 8ms -n 1 t.bin)"
}

@test "bookmarks, all of an event, losses and clock, help" {
	tui "$SMALL"
	shows 'LOST 22 in window  clock tsc'
	shows '^events LOST +\| *!.*\|$'
	keys L
	shows '^  full +[0-9]+'
	shows '1000000000 Hz, 2 readings'
	keys q
	keys Down Down m
	shows 'a letter'
	keys x
	shows 'bookmark x is set'
	now "$(sed -n 3p <("$KTRACE" list "$SMALL"))"
	keys G "'"
	shows 'its letter'
	keys x
	now "$(sed -n 3p <("$KTRACE" list "$SMALL"))"
	keys b
	shows '^x +0\.0'
	keys q "'" y
	shows 'no such bookmark'
	keys /
	text 'item=9'
	now "$("$KTRACE" list "$SMALL" | grep item=9)"
	keys Enter
	shows '^event +demo:work'
	shows '^  item +9$'
	shows '^recorded in +main.c'
	# What is longer than the screen is wide goes on below.
	tmux resize-window -x 50 -y 40
	row="  $("$KTRACE" list "$SMALL" | grep item=9)"
	[ "${#row}" -gt 50 ]
	row=${row:$((${#row} / 50 * 50))}
	retry 0.02 is_line "$row"
	tmux resize-window -x 200 -y 30
	shows '^recorded in +main.c'
	keys q '?'
	shows 'Up k +the event'
	keys NPage NPage
	shows 'pale blue system call'
	keys q
	shows 'LOST 22 in window'
}

@test "resized, it fills the terminal; on a very small one it goes on" {
	flood 3 90
	tui t.bin
	shows 'q quit'
	keys v
	page "$(lines 1)"
	tmux resize-window -x 120 -y 15
	page "$(sed -n 1,12p all)"
	tmux resize-window -x 25 -y 9
	shows "^ *0\\.000000000 \\[(00[0-9]|---)\\] "
	tmux resize-window -x 8 -y 2
	keys Down v v + + v Tab ? q
	tmux resize-window -x 200 -y 30
	keys Tab g
	shows 'q quit'
	while ! is_on_screen "^ *0.000000000 "; do keys v; sleep 0.05; done
	now "$(head -n 1 all)"
}

@test "at its end, and by a signal, the terminal is as before" {
	tui "$SMALL"
	shows 'q quit'
	[ "$(tmux display -p '#{alternate_on}')" -eq 1 ]
	keys q
	shows '^status 0'
	shows ' echo '
	shows ' icanon '
	[ "$(tmux display -p '#{alternate_on}')" -eq 0 ]
	for signal in TERM INT HUP; do
		tui "$SMALL"
		shows 'q quit'
		kill "-$signal" "$(child_of "$(tmux display -p '#{pane_pid}')")"
		shows "^status $((128 + $(kill -l "$signal")))"
		shows ' icanon '
		shows ' echo '
		[ "$(tmux display -p '#{alternate_on}')" -eq 0 ]
	done
}

@test "no events; a damaged file; no terminal" {
	"$PROGS/mktrace" t.bin <<-'END'
		meta trace version=1 start_ns=1700000000000000000 backend=shm clock=tsc
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
	END
	tui t.bin
	shows 'no events'
	keys G g Down Up NPage PPage + - 0 '<' '>' Tab Left Right Enter m n / Escape t
	text 5
	keys q
	shows '^status 0'
	# A damaged block: the rest is shown, that it is damaged, and what is wrong.
	flood 1 3000
	size=$(stat -c %s t.bin)
	dd if=/dev/zero of=t.bin bs=1 seek=$((size / 2)) count=400 conv=notrunc status=none
	run_ktrace list t.bin
	[ "$status" -eq 1 ]
	damage=$(head -n 1 <<<"$stderr")
	tui t.bin
	shows '  DAMAGED'
	page "$(head -n "$(rows | wc -l)" <<<"$output")"
	keys G
	now "$(tail -n 1 <<<"$output")"
	keys L
	shows "^$(sed 's/[][.*()]/./g' <<<"${damage:0:100}")"
	keys q q
	shows '^status 1'
	shows "^$(sed 's/[][.*()]/./g' <<<"${damage:0:100}")"
	run_ktrace tui t.bin </dev/null
	[ "$status" -eq 2 ]
	[[ $stderr == *"no terminal"* ]]
	run_ktrace tui
	[ "$status" -eq 2 ]
	run_ktrace tui nothing.bin
	[ "$status" -eq 1 ]
}

@test "names with odd bytes; letters without colours" {
	"$PROGS/mktrace" t.bin <<-'END'
		meta trace version=1 start_ns=1700000000000000000 backend=shm clock=tsc
		meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000
		meta stream id=0 kind=user cpu=0 ring=65536 block=4096 policy=drop
		meta event kind=user id=16 desc=odd:name{u32%20x;string%20s;}
		meta process pid=7 ppid=1 ts=0 comm=%1b[31m%c3%a4%ff
		block 0
		rec 100 16 7 u32:1 hex:e282ac1b5b324a00
		rec 10100 16 7 u32:2 s:plain
	END
	tui t.bin
	shows '7/7 \?\[31mä\? +odd:name x=1 s="€\\x1b\[2J"$|7/7 \?\[31mä\? +odd:name x=1 s="€\\[^ ]*\[2J"$'
	shows '^7/7 \?\[31mä\? +\|\+ +\+\|$'
	is_coloured
	SETTING=NO_COLOR=1 tui t.bin
	shows '\|\+ +\+\|$'
	fails is_coloured
}

@test "a file that grows is followed to its end" {
	start_ktraced -q -e flood -o t.bin -- "$PROGS/flood" -n 0 -u 500
	retry 0.05 eval '[ "$("$KTRACE" list -c t.bin 2>/dev/null || echo 0)" -gt 0 ]'
	tui -F t.bin
	shows '  following'
	shows 'seq=[0-9]{3,}$'
	kill -TERM "$pid"
	wait "$pid" || true
	shows '^lost 0 in window  clock [a-z]+$'
	last=$("$KTRACE" list --time raw t.bin | tail -n 1)
	keys T T G
	shows "^${last%% \[*} "
}

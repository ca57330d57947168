#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# sql_shell.bats - ktrace sql on a terminal: lines are edited, completed and kept
# runs: host
load helpers
load terminal

setup()
{
	setup_test
	terminal_setup
	cp "$ROOT/tests/data/golden/small-v1.bin" t
	mkdir home
}

teardown()
{
	terminal_teardown
	teardown_test
}

# shell SETTING...: on file t
shell()
{
	in_terminal "env -u XDG_STATE_HOME -u KTRACE_SQL_HISTORY HOME='$PWD/home' LC_ALL=C.UTF-8 $* '$KTRACE' sql t"
	shows '^ktrace> *$'
}

# line TEXT: the last line of the screen that is not empty
is_last() { [ "$(screen | sed '/^ *$/d' | tail -n 1)" = "$1" ]; }
line()
{
	retry 0.02 is_last "$1" || { screen; return 1; }
}

# completes TEXT LINE: the line of the prompt once Tab is pressed after TEXT
completes()
{
	keys C-a C-k
	line 'ktrace>'
	typed "$1"
	keys Tab
	line "ktrace> $2"
}

FILE=home/.local/state/ktrace/sql_history

@test "sql: lines of a terminal are edited" {
	shell
	# Written at the end, mended at the beginning
	typed 'ELECT 7 * 6 AS x;'
	keys C-a
	text S
	shows '^ *42$'
	# Several lines are a statement.
	text 'SELECT 5 AS'
	shows '^   \.\.\.>'
	text ' five;'
	shows '^five$'
	# Characters of several bytes are one each, in any locale
	text "SELECT 'größe' AS x;"
	shows '^größe$'
	typed "SELECT 'äé' AS y;"
	keys C-b C-b C-b C-b C-b C-b C-b BSpace
	line "ktrace> SELECT 'ä' AS y;"
	keys Enter
	shows '^ä$'
	# An error ends only the statement.
	text 'SELECT nosuch;'
	shows 'no such column: nosuch'
	text .quit
	shows '^status 0$'
	shows ' icanon '
	shows ' echo '
	# So does the end of the input.
	shell LC_ALL=C
	text "SELECT 'größer' AS x;"
	shows '^größer$'
	keys C-d
	shows '^status 0$'
}

@test "sql: lines of a terminal are kept, for their owner only" {
	shell
	text 'SELECT 1 + 10;'
	shows '^ *11$'
	text .quit
	shows '^status 0$'
	[ "$(stat -c %a "$FILE" "${FILE%/*}" | paste -sd ' ')" = '600 700' ]
	[ "$(cat "$FILE")" = $'SELECT 1 + 10;\n.quit' ]
	# The next shell has them; an equal one is no new one.
	shell
	keys Up Up
	line 'ktrace> SELECT 1 + 10;'
	keys Enter
	shows '^ *11$'
	keys C-r
	typed 10
	shows 'bck:10'
	keys Enter
	shows '^ *11$'
	keys C-d
	shows '^status 0$'
	# $XDG_STATE_HOME, a file of one's own, none
	mkdir state
	shell XDG_STATE_HOME="'$PWD/state'"
	text .tables
	retry 0.1 grep -qx .tables state/ktrace/sql_history
	shell XDG_STATE_HOME="'$PWD/new/state'"
	text .help
	retry 0.1 grep -qx .help new/state/ktrace/sql_history
	[ "$(stat -c %a new new/state new/state/ktrace | paste -sd ' ')" = '700 700 700' ]
	shell XDG_STATE_HOME=relative
	[ ! -e relative ]
	shell KTRACE_SQL_HISTORY="'$PWD/own'"
	text .help
	retry 0.1 grep -qx .help own
	cp -r home before
	shell KTRACE_SQL_HISTORY=
	text 'SELECT 12345 + 1;'
	shows '^ *12346$'
	text .quit
	shows '^status 0$'
	diff -r home before
	# What others could read is made private; what is no file is left alone.
	chmod 644 "$FILE"
	shell
	[ "$(stat -c %a "$FILE")" = 600 ]
	ln -s "$PWD/elsewhere" link
	shell KTRACE_SQL_HISTORY="'$PWD/link'"
	shows 'link: .*lines are not kept'
	text 'SELECT 12345 + 1;'
	shows '^ *12346$'
	[ ! -e elsewhere ]
	mkfifo fifo
	shell KTRACE_SQL_HISTORY="'$PWD/fifo'"
	shows 'fifo: .*lines are not kept'
}

# has_lines N: as many are kept
has_lines() { [ "$(wc -l <"$FILE")" = "$1" ]; }

@test "sql: a line that equals the one before, of another shell, too, is no new one" {
	mkdir -p "${FILE%/*}"
	printf 'SELECT 1;\nSELECT 2;\n' >"$FILE"
	shell
	text 'SELECT 2;'
	shows '^ *2$'
	keys Up Up
	line 'ktrace> SELECT 1;'
}

@test "sql: shells that share a history wait for each other" {
	mkdir -p "${FILE%/*}"
	seq 1 2000 | sed 's/^/SELECT /; s/$/;/' >"$FILE"
	# The terminal must not have the lock's descriptor.
	in_terminal true
	shows '^status 0$'
	exec {lock}<"$FILE"
	flock "$lock"
	in_terminal "env -u XDG_STATE_HOME -u KTRACE_SQL_HISTORY HOME='$PWD/home' '$KTRACE' sql t"
	fails within 10 0.1 is_on_screen '^ktrace> *$'
	has_lines 2000
	flock -u "$lock"
	shows '^ktrace> *$'
	has_lines 1000
	flock "$lock"
	text 'SELECT 3 + 4;'
	fails within 10 0.1 is_on_screen '^ *7$'
	has_lines 1000
	flock -u "$lock"
	exec {lock}<&-
	shows '^ *7$'
	[ "$(tail -n 1 "$FILE")" = 'SELECT 3 + 4;' ]
}

@test "sql: a history for which there is no room is told" {
	mkdir -p "${FILE%/*}"
	seq 1 2000 | sed 's/^/SELECT /; s/$/;/' >"$FILE"
	shell bash -c "'ulimit -f 1; trap \"\" XFSZ; exec \"\$@\"'" x
	shows 'sql_history: File too large: lines are lost'
	text 'SELECT 3 + 4;'
	shows '^ *7$'
	shows 'the history: File too large: lines are no longer kept'
}

@test "sql: a long history is cut" {
	mkdir -p "${FILE%/*}"
	seq 1 1999 | sed 's/^/SELECT /; s/$/;/' >"$FILE"
	shell
	[ "$(wc -l <"$FILE")" = 1999 ]
	keys Up
	line 'ktrace> SELECT 1999;'
	keys C-a C-k
	text 'SELECT 2000;'
	retry 0.1 grep -qx 'SELECT 2000;' "$FILE"
	shell
	retry 0.1 has_lines 1000
	[ "$(head -n 1 "$FILE")" = 'SELECT 1001;' ]
	keys Up
	line 'ktrace> SELECT 2000;'
}

@test "sql: Tab completes keywords, tables, columns, commands" {
	shell
	completes 'SELE' 'SELECT'
	completes 'sele' 'select'
	completes 'SELECT * FROM sysc' 'SELECT * FROM syscall'
	# Ambiguous: all are listed, the line stays.
	keys Tab
	shows '^syscall:enter +syscall:exit +syscall_stats +syscalls$'
	line 'ktrace> SELECT * FROM syscall'
	completes 'SELECT * FROM demo:w' 'SELECT * FROM "demo:work"'
	completes 'SELECT * FROM "demo:w' 'SELECT * FROM "demo:work"'
	# After FROM no column and no keyword
	completes 'SELECT 1 FROM wak' 'SELECT 1 FROM wakeup'
	keys Tab
	shows '^wakeup_latency +wakeups$'
	# Columns are those of the tables that the statement has.
	completes 'SELECT ite' 'SELECT ite'
	completes 'SELECT * FROM "demo:work" WHERE ite' 'SELECT * FROM "demo:work" WHERE item'
	completes 'SELECT l.own FROM locks l WHERE l.max_h' 'SELECT l.own FROM locks l WHERE l.max_hold_ns'
	completes '.sch' '.schema'
	completes '.schema span_t' '.schema span_tree'
	completes '.mode js' '.mode json'
	# Of a statement of several lines
	keys C-a C-k
	text 'SELECT * FROM "demo:work"'
	shows '^   \.\.\.>'
	typed 'WHERE ite'
	keys Tab
	line '   ...> WHERE item'
	# Nothing begins so.
	keys C-a C-k
	typed 'zzzz'
	keys Tab
	typed 'y'
	line '   ...> zzzzy'
}

@test "sql: a tab in pasted text is a blank" {
	shell
	typed $'SELECT\tcount(*)\tAS\tsele\tFROM\tsyscalls\tWHERE\tdurat;'
	line 'ktrace> SELECT count(*) AS sele FROM syscalls WHERE durat;'
	keys BSpace Tab
	line 'ktrace> SELECT count(*) AS sele FROM syscalls WHERE duration'
}

@test "sql: a terminal that cannot edit, and no terminal" {
	in_terminal "env HOME='$PWD/home' TERM=dumb '$KTRACE' sql t"
	shows '^ktrace> *$'
	text 'SELECT 12345 + 1;'
	shows '^ *12346$'
	keys C-d
	shows 'status 0$'
	[ "$(HOME=$PWD/home "$KTRACE" sql t <<<'SELECT 7 AS x;')" = $'x\n7' ]
	[ -z "$(find home -type f)" ]
}

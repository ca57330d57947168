#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# grep.bats - the filter language: ktrace grep, ktrace list --filter
# runs: host
load helpers

setup()
{
	setup_test
	export TZ=UTC
	SMALL=$ROOT/tests/data/golden/small-v1.bin
}

teardown() { teardown_test; }

# selects EXPRESSION PATTERN: grep shows what grep(1) -E finds in the list of all
selects()
{
	run_ktrace grep "$1" "$SMALL"
	[ "$status" -eq 0 ]
	diff -u <("$KTRACE" list "$SMALL" | grep -E "$2") - < <(printf '%s' "${output:+$output
}")
}

# refused EXPRESSION MESSAGE: is wrong usage, for this reason
refused()
{
	run_ktrace grep "$1" "$SMALL"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"$2"* ]]
}

@test "expressions mean what an oracle of their own says" {
	run timeout 100 python3 "$ROOT/tests/checkers/oracle/filter.py" "$PROGS/mktrace" "$PROGS/match" 1 1000
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "fields of all events" {
	selects 'event == demo:work' ' demo:work '
	selects 'event.family = sched || event.subname == big' ' sched:| demo:big'
	selects 'comm == demo-2' ' demo-2 '
	selects 'cpu = 1 && tid != 102' '\[001\] 100/101'
	selects 'pid == 100 && tid == 101' ' 100/101 '
	selects 'flags == irq' '\(irq\)'
	selects 'flags != irq && event == sched:fork' 'nothing'
	selects 'flags = backwards || flags = truncated' '\(backwards\)|\(truncated\)'
	selects 'lost > 5' 'count=7'
	selects 'lost.reason == full' 'reason=full'
	selects 'event == kernel:77' ' kernel:77 '
	selects 'trace.index == 0 && trace.name ~ "*small-v1.bin" && event.id == 77' ' kernel:77 '
	selects 'stream.kind == kernel && event.size < 3' ' kernel:77 '
}

@test "times are those of --since" {
	local t
	for t in 150ns 0.00000015 0.15us @1700000000.00000025 2023-11-14T22:13:20.00000025Z; do
		run_ktrace grep "time >= $t" "$SMALL"
		[ "$status" -eq 0 ]
		diff -u <("$KTRACE" list --since "$t" "$SMALL") - <<<"$output"
	done
	selects 'time == 150ns' 'item=8'
}

@test "fields have the names that they had in LTTV, too" {
	selects 'event.time == 150ns && event.field.item = 8' 'item=8'
	selects 'event.field."key"[0] = 10' 'item=11'
	diff -u <("$KTRACE" grep 'raw > 1100' "$SMALL") <("$KTRACE" grep 'event.tsc > 1100' "$SMALL")
	refused 'event.fields.item = 8' "column 1: there is no field 'event.fields.item' here"
	refused 'event.time == soon' 'column 15: expected a time'
}

@test "fields of payloads: integers, floats, names, strings, arrays" {
	selects 'item >= 8 && item < 0xa' 'item=8|item=9'
	selects 'ret < 0' 'ret=-14'
	selects 'f = 1.5 && g == A && a < 0' 'demo:types'
	selects 'e == -9223372036854775808 && p > 0xffff000000000000' 'demo:types'
	selects 'nr == read' 'nr=read'
	selects 'nr ~ "wri*" || nr == 999' 'nr=write|nr=999'
	selects 'label == "hello"' 'label="hello"'
	selects "label ~ '*\\n*'" 'item=9'
	selects 'label == "\xe2\x82\xac\n\xff"' 'item=9'
	selects 'samples == -1' 'item=7'
	selects 'samples[1] = -1 && key[3] == 4 && !(samples[3] = 0)' 'item=7'
	selects 'prev_comm == demo' 'prev_comm="demo"'
	selects 'field.tid == 102' 'sched:comm'
	selects 'field."key"[0] = 10' 'item=11'
}

@test "what is not there makes a comparison false, and no more" {
	local all
	all=$("$KTRACE" list "$SMALL" | wc -l)
	run_ktrace grep -c 'nothing == 1 || nothing != 1 || nothing ~ "*"' "$SMALL"
	[ "$output" = 0 ]
	run_ktrace grep -c '!(nothing == 1)' "$SMALL"
	[ "$output" = "$all" ]
	selects 'item != 7' 'item=([89]|1[0-9])'
	selects 'label < 5 || label[0] == 5' 'nothing'
}

# unknown EXPRESSION COLUMN MESSAGE: read, and then said to be wrong for any file
unknown()
{
	run_ktrace grep -c "$1" "$KERNEL"
	[ "$status" -eq 2 ]
	[ "$output" = 0 ]
	[[ $stderr == *"ktrace: filter: column $2: $3"* ]]
}

@test "a name that no value has is an error, with its place and the nearest" {
	KERNEL=$ROOT/tests/data/golden/kernel-v1.bin
	unknown 'nr == getppidd' 7 "there is no system call 'getppidd' (did you mean 'getppid'?)"
	unknown 'nr ~ "*nosuch*"' 7 "there is no system call '*nosuch*'"
	unknown 'cpu == 7 && prev_state == DISKK' 27 \
		"no value of 'prev_state' is called 'DISKK' (did you mean 'DISK'?)"
	unknown 'ret == EONENT' 8 "no value of 'ret' is called 'EONENT' (did you mean 'ENOENT'?)"
	unknown 'prev_tid == make' 13 "expected a number: no value of 'prev_tid' is called 'make'"
	unknown 'field.ret == "5"' 15 "expected a number or an error such as ENOENT"
	# Of one of several events it is the name.
	run_ktrace grep -c 'op == WAIT || op == WRITE' "$KERNEL"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run_ktrace stat --filter 'nr == getppidd' "$KERNEL"
	[ "$status" -eq 2 ]
}

@test "names mean what is shown: calls, states, errors, with != also what has no name" {
	local all
	KERNEL=$ROOT/tests/data/golden/kernel-v1.bin
	"$KTRACE" list "$KERNEL" >all
	same()
	{
		run_ktrace grep "$1" "$KERNEL"
		[ "$status" -eq 0 ]
		grep -E "$2" all | diff - <(printf '%s\n' "$output")
	}
	same 'nr == openat' 'nr=openat '
	same 'nr ~ "open*" || nr = "write"' 'nr=(open[a-z0-9_]*|write) '
	same 'nr == openat && ret == -ENOENT || ret == ENOTTY' 'nr=openat ret=-2$|ret=-25$'
	same 'ret ~ "E*"' ' ret=-'
	same 'prev_state == SLEEP' 'prev_state=SLEEP'
	same '!(prev_state == SLEEP) && event == sched:switch' 'prev_state=[A-RT-Z]'
	all=$(grep -c 'syscall:' all)
	[ "$("$KTRACE" grep -c 'nr != read' "$KERNEL")" = $((all - $(grep -c 'nr=read ' all))) ]
}

@test "operators bind as documented" {
	selects 'item = 7 || item = 8 && label = nothing' 'item=7'
	selects '(item = 7 || item = 8) && label ~ "l*"' 'item=8'
	selects 'item >= 8 ^ item >= 10 && item < 12' 'item=(8|9|12|13)'
	selects 'item = 7 || item >= 8 ^ item > 9' 'item=[789]'
	selects '!item < 12 && event ~ demo:work' 'item=1[23]'
	selects '!!(item = 7)' 'item=7'
}

@test "what is wrong is said with its place" {
	refused '' 'column 1: expected a field, found the end'
	refused 'item' 'column 5: expected ==, !=, <, <=, >, >= or ~, found the end'
	refused 'item == ' 'column 9: expected a value'
	refused 'item == 1 & tid = 2' "column 11: expected &&, || or ^, found '&'"
	refused '(item == 1' 'column 11: expected &&, ||, ^ or ), found the end'
	refused 'item == "x' 'column 9: the closing " is missing'
	refused 'item == "\q"' 'column 10: no such escape'
	refused 'comm < x' 'column 6: text has no order'
	refused 'tid == demo' 'column 8: expected a number'
	refused 'item < demo' 'column 8: expected a number'
	refused 'time > soon' 'column 8: expected a time'
	refused 'flags == big' 'column 10: expected irq'
	refused 'flags > irq' 'column 7: flags have no order'
	refused 'cpu ~ 1' 'column 5: ~ is for text'
	refused 'event.nothing == 1' "column 1: there is no field 'event.nothing' here"
	refused 'state.mode == user' "column 1: there is no field 'state.mode' here"
	refused 'state.proces_status == run' \
		"column 1: there is no field 'state.proces_status' here (did you mean 'state.process_status'?)"
	refused 'cpu = 1 && state.process_status == waiting' \
		'column 36: expected run, wait-cpu, wait, wait-fork, exit, zombie, dead or unnamed'
	refused 'state.execution_mode != kernel' 'column 25: expected user, syscall, trap, irq,'
	refused 'state.cpu == first' 'column 14: expected a number'
	refused 'state.creation_time > now' 'column 23: expected a time'
	refused 'state.process_status > run' 'column 22: text has no order'
	refused 'item[x] == 1' 'column 5: expected the number of an element'
	refused '5 == item' "column 1: expected the name of a field, found '5'"
	printf 'item == 1 &&\n  comm <\n' >filter
	run_ktrace grep -f filter "$SMALL"
	[ "$status" -eq 2 ]
	[[ $stderr == *'line 2, column 8: text has no order'* ]]
}

@test "a field that no event has is said with its place" {
	run_ktrace grep -c 'item = 7 || itme = 8' "$SMALL"
	[ "$status" -eq 0 ]
	[ "$output" = 1 ]
	[[ $stderr == *"filter: column 13: no event has a field 'itme' (did you mean 'item'?); 'ktrace grep -l FILE' "* ]]
	printf 'item == 1 &&\n  field."a b" == 2' >filter
	run_ktrace hist --filter-file filter "$SMALL"
	[[ $stderr == *"filter: line 2, column 3: no event has a field 'a b'"* ]]
	run_ktrace cut --filter 'itme = 8' -o new "$SMALL"
	[[ $stderr == *"column 1: no event has a field 'itme'"* ]]
	run_ktrace diff --filter 'itme = 8' "$SMALL" "$SMALL"
	[[ $stderr == *"column 1: no event has a field 'itme'"* ]]
	run_ktrace stat --filter 'itme = 8' "$SMALL"
	[[ $stderr == *"column 1: no event has a field 'itme'"* ]]
	run_ktrace grep -c 'item = 7 || tid = 5 || count > 0 || reason = full' "$SMALL"
	[[ $stderr != *'no event has'* ]]
	# One of the two files has the field.
	"$PROGS/mktrace" other <<<'meta clock raw=0 mono_ns=0 real_ns=1700000000000000000 hz=1000000000'
	run_ktrace diff --filter 'item = 8' other "$SMALL"
	[[ $stderr != *'no event has'* ]]
}

@test "an event that there is not is said with its place" {
	run_ktrace grep -c 'item = 7 || event = work' "$SMALL"
	[ "$status" -eq 0 ]
	[ "$output" = 1 ]
	[[ $stderr == *"filter: column 21: no event is called 'work' (did you mean 'demo:work'?); 'ktrace events FILE' lists them"* ]]
	run_ktrace list --filter 'event.family != dmeo && event.subname ~ "nosuch*"' "$SMALL"
	[[ $stderr == *"no event is called 'dmeo' (did you mean 'demo'?);"*"no event is called 'nosuch"* ]]
	run_ktrace grep -c 'event ~ "*:w?rk" || event = kernel:7 || event.family = user || event.subname = lost ||
		event.subname = 17 || event ~ "kernel:*" || event.name = ktrace:lost' "$SMALL"
	[[ $stderr != *'no event is called'* ]]
}

# make_busy: "busy", a file of threads that run, call and are interrupted
make_busy()
{
	python3 "$ROOT/tests/checkers/oracle/analyse.py" make 7 1200 | "$PROGS/mktrace" busy
}

@test "the state of threads is what an oracle of its own says, from the start and from a time" {
	run timeout 100 python3 "$ROOT/tests/checkers/oracle/state_filter.py" "$PROGS/mktrace" "$PROGS/match" 1 80
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every command with a filter knows the state, and knows it in the middle" {
	local filter='state.execution_mode == syscall && state.cpu != 1' nr
	make_busy
	"$KTRACE" grep "$filter" busy >all
	nr=$(wc -l <all)
	[ "$nr" -gt 50 ]
	[ "$("$KTRACE" list -c busy)" -gt "$((2 * nr))" ]
	diff -u all <("$KTRACE" list --filter "$filter" busy)
	"$KTRACE" grep --since 10ms --until 20ms "$filter" busy >part
	diff -u <(awk '$1 >= 0.01 && $1 < 0.02' all) part
	[ "$(wc -l <part)" -gt 10 ]
	[ "$("$KTRACE" hist --json --filter "$filter" busy | jq '[.bins[][0]] | add')" = "$nr" ]
	[ "$("$KTRACE" stat --json --filter "$filter" busy | jq '.events, .tree.events' | uniq)" = "$nr" ]
	run_ktrace cut --filter "$filter" -o new busy
	diff -u <(awk '{ $1 = ""; print }' all) <("$KTRACE" list new | awk '{ $1 = ""; print }')
	run_ktrace diff --json --filter "$filter" busy busy
	[ "$(jq -c .events <<<"$output")" = "[$nr,$nr]" ]
}

@test "page by page, the state goes on where it was" {
	local position='' filter='state.process_status == wait-cpu || state.execution_mode == irq'
	make_busy
	"$KTRACE" grep "$filter" busy >all
	for _ in 1 2 3; do
		"$KTRACE" grep ${position:+--from-position "$position"} -n 30 --print-position \
			"$filter" busy >page
		position=$(sed -n 's/^position //p' page)
		grep -v '^position ' page >>pages
	done
	"$KTRACE" grep --from-position "$position" "$filter" busy >>pages
	[ "$(wc -l <all)" -gt 100 ]
	diff -u all pages
}

@test "expressions that are too large or too deep are refused" {
	refused "$(printf '(%.0s' {1..64})item = 1" 'nested too deeply'
	run_ktrace grep -c "$(printf '(%.0s' {1..63})item = 7$(printf ')%.0s' {1..63})" "$SMALL"
	[ "$output" = 1 ]
	python3 -c 'print(" || ".join(["a=1"] * 4097))' >many
	run_ktrace grep -f many "$SMALL"
	[[ $stderr == *'too many comparisons'* ]]
	python3 -c 'print(" ^ ".join(["item=7"] * 4095))' >odd
	run_ktrace grep -cf odd "$SMALL"
	[ "$output" = 1 ]
	python3 -c 'print("item = 7" + " " * 65536)' >long
	run_ktrace grep -f long "$SMALL"
	[[ $stderr == *'too long'* ]]
}

@test "an expression comes from an operand, from -e, from a file with comments; all must be true" {
	printf '# slow ones\nitem >= 8 &&   # from the eighth\n\titem < 10\n' >filter
	run_ktrace grep -f filter "$SMALL"
	diff -u <("$KTRACE" grep 'item = 8 || item = 9' "$SMALL") - <<<"$output"
	run_ktrace grep -f filter -e 'item > 8' "$SMALL"
	[[ $output == *item=9* && $output != *item=8* ]]
	run_ktrace list --filter 'item > 8' --filter-file filter "$SMALL"
	[[ $output == *item=9* && $output != *item=8* ]]
	run_ktrace grep -f nosuch "$SMALL"
	[ "$status" -eq 2 ]
	run_ktrace grep 'item = 8'
	[ "$status" -eq 2 ]
	run_ktrace grep
	[ "$status" -eq 2 ]
}

@test "grep has the options of list, and says what was lost" {
	run_ktrace grep --json --since 100ns -p 101 'event.family == demo' "$SMALL"
	[ "$status" -eq 0 ]
	diff -u <("$KTRACE" list --json --since 100ns -p 101 -e demo "$SMALL") - <<<"$output"
	[[ $stderr == *"22 events were lost in this range"* ]]
	run_ktrace grep -n 1 'item = 8' --until 200ns "$SMALL"
	[ -z "$stderr" ]
	run_ktrace list -c "$SMALL"
	[ "$output" = "$("$KTRACE" list "$SMALL" | wc -l)" ]
}

@test "--fields lists fields, those of files too" {
	run_ktrace grep -l
	[ "$status" -eq 0 ]
	grep -q '^event.family ' <<<"$output"
	grep -q '^state.execution_submode ' <<<"$output"
	run_ktrace grep -l "$SMALL"
	grep -q '^field.prev_tid  *sched:switch$' <<<"$output"
	grep -q '^field.label  *demo:work$' <<<"$output"
}

@test "a filter over several files knows which is which" {
	another "$SMALL" again
	run_ktrace grep -c 'trace.index = 1' "$SMALL" again
	[ "$output" = "$("$KTRACE" list "$SMALL" | wc -l)" ]
}

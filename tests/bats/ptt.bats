#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace pthread: what ktraced --pthread recorded, in terms of the POSIX Threads Trace Toolkit.
# tests/data/ptt has a trace with one of each way in which an event of ours stands for PTT's, and how
# it is shown; nest there matches calls and returns.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

PTT=$ROOT/tests/data/ptt NEST=$ROOT/tests/checkers/ptt/nest

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# forms: the trace of tests/data/ptt in t
forms()
{
	"$PROGS/mktrace" t <"$PTT/forms.script"
}

# record PROGRAM: with nothing lost; the trace is in t
record()
{
	run_ktraced --pthread --policy block -o t -- "$PROGS/pthread_$1"
	[ "$(summary lost)" = 0 ]
}

# the 22 functions and the states of PTT, from requirement A.6
ptt_names()
{
	local function
	for function in THREAD_{CREATE,JOIN,CANCEL} MUTEX_{INIT,LOCK,UNLOCK,DESTROY} \
		BARRIER_{INIT,WAIT,DESTROY} COND_{INIT,WAIT,SIGNAL,BROADCAST,DESTROY} \
		SEM_{INIT,OPEN,UNLINK,POST,WAIT,TRYWAIT,DESTROY}; do
		echo "${function}_IN"
		echo "${function}_OUT"
	done
	printf '%s\n' THREAD_INIT THREAD_DETACH THREAD_STATE_{WAIT,WAKE,DEAD} \
		THREAD_STATE_{WAIT,WAKE}_BARRIER MUTEX_STATE_{REQUIRE,TAKEN,FREE} MUTEX_COUNT_{INC,DEC} \
		MUTEX_OWNER BARRIER_INIT BARRIER_LOCK_{REQUIRE,TAKEN,FREE} BARRIER_LEFT_{DEC,INC}
}

@test "-l lists PTT's types of events and ours" {
	run_ktrace pthread -l
	[ "$status" = 0 ]
	[ "$(awk '$2 == "PTT" { print $1 }' <<<"$output" | sort)" = "$(ptt_names | sort)" ]
	[ "$(awk '$2 == "ktrace" && $3 == "call" { print $1 }' <<<"$output" | sort)" = \
		"$(sed -nE 's/^CALL\([A-Z]+[^,]*(\([a-z_]*\))?, [^,]*, [a-z_0-9]+, ([a-z_]+), .*/\2/p' \
			"$ROOT/userspace/lib/base/pthread_calls.h" | tr a-z A-Z | sed 's/.*/&_IN\n&_OUT/' |
			grep -vE '^THR(EA)?D_EXIT_OUT$' | grep -vxFf <(ptt_names) | sort)" ]
}

@test "raw lines have ten columns, none of them empty" {
	record calls
	run_ktrace pthread -r t
	[ "$status" = 0 ]
	[ "$(awk '{ print NF }' <<<"$output" | sort -u)" = 10 ]
	grep -E ' THREAD_SETNAME_IN thread=0x[0-9a-f]+ name="a\\040name\\040that' <<<"$output"
	grep -E ' MUTEX_TRYLOCK_OUT mutex=0x[0-9a-f]+ - - - EBUSY$' <<<"$output"
}

@test "text, raw and JSON are as ever" {
	forms
	for form in text raw json; do
		run_ktrace pthread "--$form" t
		[ "$status" = 0 ]
		diff -u "$PTT/forms.$form" - <<<"$output"
		[ "$stderr" = "ktrace: 7 events were lost in this range" ]
	done
	run_ktrace pthread t
	diff -u "$PTT/forms.text" - <<<"$output"
	# All arguments of raw lines are in the sentences, and the same in JSON.
	python3 - "$PTT"/forms.{raw,text,json} <<-'END'
		import json, sys
		raw, text, objects = (open(f).read().splitlines() for f in sys.argv[1:])
		assert len(raw) == len(text) == len(objects)
		for r, t, j in zip(raw, text, map(json.loads, objects)):
		    time, cpu, pid, tid, name, *args, result = r.split()
		    args = dict(a.split('=', 1) for a in args if a != '-')
		    args.update({'result': result} if result != '-' else {})
		    args = {k: v.replace('\\040', ' ') for k, v in args.items()}
		    assert all(f'{k} {v}' in t or f'{k}={v}' in t for k, v in args.items()), (r, t)
		    assert name == j['event'] and {k: json.dumps(v).strip('"') for k, v in j['fields'].items()} == \
		        {k: v.strip('"') for k, v in args.items()}, (r, j)
	END
}

# fitting AWK: the raw lines of the whole trace for which that is true
fitting()
{
	awk "$1" "$PTT/forms.raw"
}

# shows AWK OPTION...: those lines are printed
shows()
{
	local awk=$1
	shift
	run_ktrace pthread -r "$@" t
	[ "$status" = 0 ]
	[ "$output" = "$(fitting "$awk")" ]
	[ -n "$output" ]
}

@test "-e and -E choose names: comma is or, repeated is and" {
	forms
	shows '$5 ~ /^MUTEX_/' -e MUTEX_
	shows '$5 ~ /^MUTEX_/' --begins MUTEX_
	shows '$5 ~ /^(MUTEX_|COND)/' -e MUTEX_,COND
	shows '$5 ~ /^MUTEX_LOCK/' -e MUTEX_,COND -e BARRIER,MUTEX_LOCK
	shows '$5 ~ /_IN$/' -E _IN
	shows '$5 ~ /_IN$/' --ends _IN
	shows '$5 ~ /(_IN|_OUT)$/' -E _IN,_OUT
	shows '$5 ~ /(INIT|UNLOCK)_IN$/' -E _IN -E INIT_IN,UNLOCK_IN,INIT_OUT
	shows '$5 ~ /^(MUTEX|SEM).*(_OUT|TAKEN)$/' -e MUTEX,SEM -E _OUT,TAKEN
	shows '$5 == "MUTEX_STATE_TAKEN"' -e MUTEX_STATE_TAKEN
	# All four of two conditions, for each of the two options
	for one in MUTEX THREAD; do
		for two in _IN _WAIT; do
			fitting "\$5 ~ /^$one/ && \$5 ~ /$two\$/" >expected
			run_ktrace pthread -r -e "$one" -E "$two" t
			[ "$output" = "$(<expected)" ]
		done
	done
	run_ktrace pthread -l -e BARRIER_ -E _DEC,_INC
	[ "$(awk '{ print $1 }' <<<"$output" | paste -sd ' ')" = "BARRIER_LEFT_DEC BARRIER_LEFT_INC" ]
	for wrong in -eMUTEXES -E_in '-eMUTEX_*' -e -eMUTEX, -E,_IN; do
		run_ktrace pthread "$wrong" t
		[ "$status" = 2 ]
		[ -z "$output" ]
	done
}

@test "what is chosen are lines of the whole" {
	forms
	shows '$1 >= 0.00000031 && $1 < 0.00000038' --since 310ns --until 380ns
	shows '$1 >= 0.00000031' --since 310ns
	shows '$1 < 0.00000038' --until 380ns
	shows '$4 == 101 || $5 == "LOST"' -p 101
	shows '$3 == 200 || $5 == "LOST"' -p 200
	shows '/barrier=0x5000/ && $3 == 100' --event 'pthread:barrier_*' --filter 'barrier == 0x5000 && pid == 100' -p 100
	shows '$4 == 101 && $1 >= 0.00000031 && /_BARRIER /' -p 101 --since 310ns -E _BARRIER
}

@test "-o prints into a file, not into one that is read" {
	forms
	run_ktrace pthread -r -o out t
	[ "$status" = 0 ]
	[ -z "$output" ]
	cmp out "$PTT/forms.raw"
	run_ktrace pthread -e SEM -r -o out t
	diff -u <(fitting '$5 ~ /^SEM/') out
	run_ktrace pthread -r -o - t
	[ "$output" = "$(<"$PTT/forms.raw")" ]
	cp t same
	ln t link
	run_ktrace pthread -o link t
	[ "$status" = 1 ]
	cmp t same
	run_ktrace pthread -o /dev/full t
	[ "$status" = 1 ]
	grep '^ktrace: /dev/full: ' <<<"$stderr"
	run_ktrace pthread -o nowhere/out t
	[ "$status" = 1 ]
}

@test "of two files, lines say which" {
	forms
	run_ktrace pthread -r t "$ROOT/tests/data/golden/small-v1.bin"
	[ "$(awk '{ print NF, $NF }' <<<"$output" | sort -u)" = "11 #0
11 #1" ]
	[ "$(awk '$NF == "#1" { print $5 }' <<<"$output" | sort -u)" = LOST ]
	run_ktrace pthread t "$ROOT/tests/data/golden/small-v1.bin"
	grep -E '#0 thread 100/101 begins as thread 0x7f01, number=1$' <<<"$output"
}

@test "each call has its return, and all of PTT's are there" {
	for program in calls contended kinds cancel signals versions; do
		record "$program"
		"$KTRACE" pthread -r t >"$program.raw"
		"$NEST" <"$program.raw"
	done
	record cxx
	"$KTRACE" pthread -r t | "$NEST" --thrown
	"$KTRACE" pthread -l | awk '$3 == "call" { print $1 }' | sort >there
	awk '{ print $5 }' calls.raw | grep -E '_(IN|OUT)$' | sort -u >seen
	diff -u there seen
	# One that is not matched is found.
	fails "$NEST" < <(grep -v MUTEX_LOCK_OUT kinds.raw)
	fails "$NEST" < <(grep -v MUTEX_LOCK_IN kinds.raw)
	fails "$NEST" < <(grep -v THREAD_STATE_WAIT contended.raw)
}

# between TID NAME: events of the thread's first call of that name, in a row
between()
{
	"$KTRACE" pthread -r t | awk -v tid="$1" -v name="$2" '
		$4 == tid && $5 == name "_IN" { inside = 1 }
		$4 == tid && inside { printf "%s%s", sep, $5; sep = " " }
		$4 == tid && $5 == name "_OUT" { exit }'
}

@test "a free mutex is taken without a wait, one that is taken is waited for" {
	local main thread
	record contended
	"$KTRACE" pthread -r t >raw
	main=$(awk '$5 == "MUTEX_INIT_IN" { print $4; exit }' raw)
	thread=$(awk '$5 == "THREAD_INIT" { print $4; exit }' raw)
	[ "$(between "$main" MUTEX_LOCK)" = \
		"MUTEX_LOCK_IN MUTEX_STATE_REQUIRE MUTEX_STATE_TAKEN MUTEX_OWNER MUTEX_LOCK_OUT" ]
	[ "$(between "$thread" MUTEX_LOCK)" = \
		"MUTEX_LOCK_IN MUTEX_STATE_REQUIRE THREAD_STATE_WAIT THREAD_STATE_WAKE MUTEX_STATE_TAKEN MUTEX_OWNER MUTEX_LOCK_OUT" ]
	grep -E " $thread THREAD_STATE_WAIT mutex=0x[0-9a-f]+ owner=$main " raw
	# The main thread frees it meanwhile.
	[ "$(awk -v main="$main" -v thread="$thread" '
		$4 == thread && $5 == "THREAD_STATE_WAIT" { waits = 1 }
		$4 == thread && $5 == "THREAD_STATE_WAKE" { print freed; exit }
		waits && $4 == main && $5 == "MUTEX_STATE_FREE" { freed++ }' raw)" = 1 ]
}

@test "who comes back from a condition without the mutex does not take it" {
	local result
	for result in 0 110 130 1 131; do
		"$ROOT/tests/checkers/pthread/trace" "$PROGS/mktrace" t <<-END
			process 10 10 11
			100 11 mutex_lock mutex=0xa count=1 result=0
			200 11 cond_wait_in cond=0xc mutex=0xa
			300 11 cond_wait_out cond=0xc mutex=0xa result=$result
		END
		run_ktrace pthread -r --since 200ns t
		awk '{ print $5 }' <<<"$output" | paste -sd ' ' >names
		case $result in
		1 | 131) echo "THREAD_STATE_WAKE COND_WAIT_OUT" ;;
		*) echo "THREAD_STATE_WAKE MUTEX_STATE_TAKEN MUTEX_OWNER COND_WAIT_OUT" ;;
		esac | diff - names
	done
}

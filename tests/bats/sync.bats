#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace objects and ktrace contention: the model of threads and objects, on traces that are
# made and on those of the programs in tests/progs/pthread.

# shellcheck disable=SC2154 # capture sets status and output

load helpers

setup()
{
	setup_test
}

teardown()
{
	teardown_test
}

# trace: makes t of the script on standard input, see tests/checkers/pthread/trace
trace()
{
	"$ROOT/tests/checkers/pthread/trace" "$PROGS/mktrace" t
}

# json EXPRESSION: it is true of the object o in $output
json()
{
	python3 -c '
import json, sys
o = json.load(sys.stdin)
if not eval("(" + sys.argv[1] + ")"):
    sys.exit("not true: " + sys.argv[1])
' "$1" <<<"$output"
}

# troubles: what is impossible in t, and what is undefined, a text each
troubles()
{
	capture "$KTRACE" objects --json t
	python3 -c '
import json, sys
for t in json.load(sys.stdin)["troubles"]:
    print("undefined" if t["misuse"] else "impossible", t["tid"], t["event"], t["text"], sep=": ")
' <<<"$output"
}

# finds KIND TEXT: t, of the script on standard input, has this trouble and no other
finds()
{
	trace
	troubles >found
	cat found
	[ "$(wc -l <found)" = 1 ]
	grep "^$1: .*: $2" found
}

# finds_nothing: t, of the script on standard input, is all right
finds_nothing()
{
	trace
	[ -z "$(troubles)" ]
}

record()
{
	run_ktraced --pthread -o t -- "$@"
	[ "$(summary lost)" = 0 ]
}

@test "states at the end are those that the program prints of itself" {
	record "$PROGS/pthread_states"
	sort <<<"$output" >printed
	run_ktrace objects --all --json t
	python3 -c '
import json, sys
o = json.load(sys.stdin)
for t in o["threads"]:
    print("thread", t["tid"], t["state"], *([t["object"]] if "object" in t else []))
for x in o["objects"]:
    extra = [w for k in ("owner", "count", "waiters", "readers", "value", "left")
             if k in x and (x[k] or k == "value") and x["state"] not in ("gone", "done")
             and not (k == "count" and x[k] == 1) and not (k == "left" and x["state"] == "free")
             for w in (k, x[k])]
    print(x["kind"], x["address"], x["state"], *extra)
' <<<"$output" | sort >derived
	diff printed derived
}

@test "no real run has an impossible transition, and mutexes are those of replay" {
	local program
	for program in calls contended kinds cancel processes signals versions cxx openmp states; do
		capture "$KTRACED" --backend="$KTRACE_BACKEND" --pthread -o t -- \
			"$PROGS/pthread_$program" "$PROGS/pthread_plugin.so"
		run_ktrace objects --json t
		json 'o["threads"] and o["objects"] is not None'
		json 'not [t for t in o["troubles"] if not t["misuse"]]'
	done
	for program in calls contended kinds signals states; do
		capture "$KTRACED" --backend="$KTRACE_BACKEND" --pthread -o t -- "$PROGS/pthread_$program"
		"$KTRACE" list --json t | "$ROOT/tests/checkers/pthread/replay" --taken | sort >replayed
		run_ktrace objects --json t
		python3 -c '
import json, sys
for x in json.load(sys.stdin)["objects"]:
    if x["kind"] == "mutex" and x["state"] == "taken":
        print("taken", x["pid"], x["address"], x["owner"], x["count"])
' <<<"$output" | sort >derived
		diff <(grep ^taken replayed) derived
	done
}

@test "each impossible transition is found" {
	finds impossible 'acquired, but thread 10 holds it' <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
	END
	finds impossible 'acquired 3 times, but 1 before' <<-END
		process 10 10
		100000 10 mutex_lock mutex=0xa count=1
		200000 10 mutex_lock mutex=0xa count=3
	END
	finds impossible 'released, locked 2 times still, but was locked 2 times' <<-END
		process 10 10
		100000 10 mutex_lock mutex=0xa count=1
		110000 10 mutex_lock mutex=0xa count=2
		200000 10 mutex_unlock mutex=0xa count=2
	END
	finds impossible 'released, but thread 10 holds it' <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		110000 10 mutex_lock mutex=0xa count=2
		200000@1 11 mutex_unlock mutex=0xa
	END
	finds impossible 'acquired, but thread 11 holds it' <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		110000 10 cond_wait_in cond=0xc mutex=0xa
		120000 11 mutex_lock mutex=0xa count=1
		130000 10 cond_wait_out cond=0xc mutex=0xa
	END
	finds impossible 'acquired, but thread 10 holds it for writing' <<-END
		process 10 10 11
		100000 10 rwlock_wrlock rwlock=0xa
		200000@1 11 rwlock_rdlock rwlock=0xa
	END
	finds impossible 'acquired for writing, but readers hold it: 1' <<-END
		process 10 10 11
		90000 10 rwlock_init_in rwlock=0xa
		95000 10 rwlock_init_out rwlock=0xa result=0
		100000 10 rwlock_rdlock rwlock=0xa
		200000@1 11 rwlock_wrlock rwlock=0xa
	END
	finds impossible 'acquired, but thread 10 holds it' <<-END
		process 10 10 11
		100000 10 spin_lock spin=0xa
		200000@1 11 spin_trylock spin=0xa
	END
	finds impossible 'acquired, but its value was 0' <<-END
		process 10 10
		100000 10 sem_init_in sem=0xa value=1 pshared=0
		100100 10 sem_init_out sem=0xa result=0
		100200 10 sem_wait sem=0xa
		200000 10 sem_wait sem=0xa
	END
	finds impossible 'left by thread 1 of a round, when 1 are missing' <<-END
		process 10 10 11
		100000 10 barrier_init_in barrier=0xa count=2 pshared=0
		100100 10 barrier_init_out barrier=0xa result=0
		100200 10 barrier_wait_in barrier=0xa
		200000 10 barrier_wait_out barrier=0xa result=0
	END
	finds impossible 'left by a second thread as the last of its round' <<-END
		process 10 10 11
		100000 10 barrier_init_in barrier=0xa count=2 pshared=0
		100100 10 barrier_init_out barrier=0xa result=0
		100200 10 barrier_wait_in barrier=0xa
		100300 11 barrier_wait_in barrier=0xa
		200000 10 barrier_wait_out barrier=0xa result=-1
		200100 11 barrier_wait_out barrier=0xa result=-1
	END
	finds impossible 'no such call is under way' <<-END
		process 10 10 11
		100000 11 thread_start thread=0x77 number=1
		200000 11 mutex_lock_out mutex=0xa count=1
	END
	finds impossible 'by a thread that was joined' <<-END
		process 10 10 11
		100000 11 thread_start thread=0x77 number=1
		110000 10 thread_join_in thread=0x77
		120000 11 thread_end thread=0x77
		130000 10 thread_join_out thread=0x77 result=0
		200000 11 mutex_lock mutex=0xa count=1
	END
	finds undefined 'released by a thread that does not hold it' <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_unlock mutex=0xa
	END
	run_ktrace check t
	[ "$status" = 0 ]
}

@test "check tells impossible transitions, with their place" {
	trace <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
	END
	run_ktrace check t
	[ "$status" = 1 ]
	grep '^t: event mutex_lock of 10/11, @0.000200000, mutex 0xa: acquired, but thread 10 holds it' <<<"$output"
}

@test "what may be is not called impossible" {
	# A loss hides a release; it is told behind what was recorded on another CPU meanwhile.
	finds_nothing <<-END
		process 10 10 11
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
		250000 lost 3
		300000 10 mutex_unlock mutex=0xa
	END
	# Stamps of two CPUs that differ by less than a microsecond
	finds_nothing <<-END
		process 10 10 11
		90000 10 rwlock_wrlock rwlock=0xb
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
		200100 10 mutex_unlock mutex=0xa
		200200@1 11 rwlock_rdlock rwlock=0xb
		200300 10 rwlock_unlock rwlock=0xb
		210000@1 11 mutex_unlock mutex=0xa
		220000@1 11 rwlock_unlock rwlock=0xb
		230000 10 rwlock_wrlock rwlock=0xb
	END
	# Another program after exec, another process after fork, another object after destroy
	finds_nothing <<-END
		process 10 10
		process 10 @150000
		process 12 12
		100000 10 mutex_lock mutex=0xa count=1
		110000 12 mutex_lock mutex=0xa count=1
		200000 10 mutex_lock mutex=0xa count=1
		210000 10 mutex_destroy_in mutex=0xa
		220000 10 mutex_destroy_out mutex=0xa result=0
		230000 10 mutex_lock mutex=0xa count=1
	END
	# Begun in the middle; a cancelled thread has the mutex again; a handler's calls
	finds_nothing <<-END
		process 10 10 11 12
		100000 10 mutex_lock_out mutex=0xa count=2
		110000 10 cond_wait_in cond=0xc mutex=0xa
		120000 10 sem_post_in sem=0xd
		130000 10 sem_post_out sem=0xd result=0
		140000 10 mutex_unlock mutex=0xa count=1
		150000 10 mutex_unlock mutex=0xa
		160000 11 mutex_lock mutex=0xa count=1
		170000 12 barrier_wait_out barrier=0xe result=0
		180000 12 sem_wait sem=0xd
	END
	# Shared with other processes
	finds_nothing <<-END
		process 10 10 11
		100000 10 barrier_init_in barrier=0xa count=2 pshared=1
		100100 10 barrier_init_out barrier=0xa result=0
		100200 10 barrier_wait_in barrier=0xa
		200000 10 barrier_wait_out barrier=0xa result=0
		300000 10 sem_init_in sem=0xb value=0 pshared=1
		300100 10 sem_init_out sem=0xb result=0
		300200 10 sem_wait sem=0xb
	END
	# Who left last destroys it, and another is made there, before the others say that they left
	finds_nothing <<-END
		process 10 10 11
		100000 10 barrier_init_in barrier=0xa count=2 pshared=0
		100100 10 barrier_init_out barrier=0xa result=0
		100200 10 barrier_wait_in barrier=0xa
		100300@1 11 barrier_wait_in barrier=0xa
		100400@1 11 barrier_wait_out barrier=0xa result=-1
		110000@1 11 barrier_destroy_in barrier=0xa
		110100@1 11 barrier_destroy_out barrier=0xa result=0
		110200@1 11 barrier_init_in barrier=0xa count=3 pshared=0
		110300@1 11 barrier_init_out barrier=0xa result=0
		110400 10 barrier_wait_out barrier=0xa result=0
	END
}

@test "what is not recorded makes states unknown" {
	finds_nothing <<-END
		process 10 10 11
		choice ts=0 events=pthread:mutex_lock*
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
		300000@1 11 mutex_unlock mutex=0xb
	END
	run_ktrace objects --json t
	json '[x["state"] for x in o["objects"]] == ["unknown", "unknown"]'
	# All of them, but not all the time
	finds_nothing <<-END
		process 10 10 11
		choice ts=0
		choice ts=120000 events=pthread:sem_*
		choice ts=180000
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
	END
	finds impossible 'acquired, but thread 10' <<-END
		process 10 10 11
		choice ts=0 events=pthread:mutex_*,pthread:mtx_*,pthread:cond_*
		100000 10 mutex_lock mutex=0xa count=1
		200000@1 11 mutex_lock mutex=0xa count=1
		300000@1 11 mutex_unlock mutex=0xb
	END
}

# two_waits: file t. 11 waits 3500 ns for the mutex that 10 has, 12 1000 ns for the semaphore,
# 10 2000 ns for 11, in which 12 waits again, 600 ns; from 1000 to 9000.
two_waits()
{
	trace <<-END
		process 10 10 11 12
		1000 10 mutex_lock mutex=0xa count=1
		2000@1 11 mutex_lock_in mutex=0xa owner=10 caller=0x111
		3000 12 sem_wait_in sem=0xb caller=0x222
		4000 12 sem_wait_out sem=0xb result=0
		5000 10 mutex_unlock mutex=0xa
		5500@1 11 mutex_lock_out mutex=0xa count=1
		6000@1 11 mutex_unlock mutex=0xa
		7000 10 thread_join_in thread=0x77 caller=0x333
		7200 12 sem_wait_in sem=0xb caller=0x222
		7800 12 sem_wait_out sem=0xb result=0
		9000 10 thread_join_out thread=0x77
	END
}

@test "waits and their sums" {
	two_waits
	run_ktrace contention --json -c t
	[ "$status" = 0 ]
	json '(o["elapsed_ns"], o["waits"], o["thread_ns"], o["object_ns"]) == (8000, 4, 7100, 5100)'
	json '[(t["tid"], t["nr"], t["total_ns"], t["max_ns"]) for t in o["threads"]] ==
		[(11, 1, 3500, 3500), (10, 1, 2000, 2000), (12, 2, 1600, 1000)]'
	json '[(x["kind"], x["address"], x["nr"], x["total_ns"]) for x in o["objects"]] ==
		[("mutex", "0xa", 1, 3500), ("sem", "0xb", 2, 1600)]'
	json '[(x["tid"], x.get("address"), x["total_ns"]) for x in o["pairs"]] ==
		[(11, "0xa", 3500), (10, None, 2000), (12, "0xb", 1600)]'
	json '[(x["caller"], x["total_ns"]) for x in o["places"]] ==
		[("0x111", 3500), ("0x333", 2000), ("0x222", 1600)]'
	json '[(x["from_ns"], x["ns"], x["tid"], x["holder"], x["call"]) for x in o["longest"]] ==
		[(1000, 3500, 11, 10, "mutex_lock"), (6000, 2000, 10, 0, "thread_join"),
		 (2000, 1000, 12, 0, "sem_wait"), (6200, 600, 12, 0, "sem_wait")]'
	run_ktrace contention t
	grep -E '^ +1 +3.50 us +43.8 +3.50 us +3.50 us +3.50 us +10/11 prog$' <<<"$output"
	grep -E '3.50 us +10/11 prog +mutex_lock 10 mutex 0xa +held by 10 +at 0x111$' <<<"$output"
	# Each table says what its rows are, and there is none without rows
	[ "$(sed -n 's/.* longest  //p' <<<"$output" | paste -sd ' ')" = "kind thread object place" ]
	run_ktrace contention --since 6us --until 6100ns t
	[ "$(sed -n 's/.* longest  //p' <<<"$output" | paste -sd ' ')" = "kind thread place" ]
}

@test "waits for objects that have names" {
	two_waits
	echo '0xa queue lock' >names
	run_ktrace contention --alias names -c t
	grep -E ' 10 mutex 0xa:"queue lock"$' <<<"$output"
	grep -E ' 10/11 prog  10 mutex 0xa:"queue lock"$' <<<"$output"
	grep -E ' mutex_lock 10 mutex 0xa:"queue lock"  held by 10 ' <<<"$output"
	grep -E ' 10 sem 0xb$' <<<"$output"
	run_ktrace contention --alias names -c --json t
	json '[x.get("name") for x in o["objects"]] == ["queue lock", None]'
	json '[x.get("name") for x in o["pairs"]] == ["queue lock", None, None]'
	json 'o["longest"][0]["name"] == "queue lock"'
	echo 'queue lock' >names
	run_ktrace contention --alias names t
	[ "$status" = 2 ]
	[[ $stderr == *"names:1:"* ]]
}

@test "waits in a window, of a process, of the longest" {
	two_waits
	run_ktrace contention --json --since 2us --until 6500ns t
	json '(o["elapsed_ns"], o["waits"], o["thread_ns"]) == (4500, 4, 4300)'
	json '[(t["tid"], t["total_ns"]) for t in o["threads"]] == [(11, 2500), (12, 1300), (10, 500)]'
	run_ktrace contention --json -p 12 -n 1 t
	json '(o["waits"], o["thread_ns"], len(o["threads"]), len(o["longest"])) == (2, 1600, 1, 1)'
	run_ktrace contention -n 0 t
	fails grep prog <<<"$output"
}

@test "a join waits for no object; a wait that is not over; a wait in a wait" {
	trace <<-END
		process 10 10 11
		500 11 thread_start thread=0x77 number=1
		1000 10 thread_join_in thread=0x77
		4000 10 thread_join_out thread=0x77
	END
	run_ktrace contention t
	grep -E ' thread_join 0x77  which is 11$' <<<"$output"
	run_ktrace contention --json t
	json '(o["thread_ns"], o["object_ns"], o["objects"]) == (3000, 0, [])'
	trace <<-END
		process 10 10 11 12
		1000 10 sem_wait_in sem=0xa
		2000 10 mutex_lock_in mutex=0xb owner=11
		2500 10 mutex_lock_out mutex=0xb count=1
		2600 11 sem_wait_in sem=0xa
		4000 10 sem_wait_out sem=0xa
		4600 12 thread_start thread=0x77 number=1
		4700 12 cond_wait_in cond=0xc mutex=0xb
		5000 12 mutex_unlock mutex=0xb
		5500 12 thread_end thread=0x77
		5600 10 mutex_unlock mutex=0xb
	END
	run_ktrace contention --json t
	json '{t["tid"]: t["total_ns"] for t in o["threads"]} == {10: 3000, 11: 3000, 12: 300}'
	json '{x["address"]: x["total_ns"] for x in o["objects"]} == {"0xa": 5500, "0xb": 500, "0xc": 300}'
	json '[(x["tid"], x["cut"]) for x in o["longest"]] == [(11, 1), (10, 0), (10, 0), (12, 1)]'
}

@test "waits by kind, and of one kind alone" {
	two_waits
	run_ktrace contention --json t
	json '[(x["kind"], x["nr"], x["total_ns"]) for x in o["kinds"]] ==
		[("mutex", 1, 3500), ("join", 1, 2000), ("sem", 2, 1600)]'
	run_ktrace contention --json -c --kind mutex t
	json '(o["waits"], o["thread_ns"], o["object_ns"]) == (1, 3500, 3500)'
	json '[len(o[t]) for t in ("kinds", "threads", "objects", "pairs", "places", "longest")] == [1] * 6'
	run_ktrace contention --json --kind sem,join t
	json '(o["waits"], [x["tid"] for x in o["threads"]]) == (3, [10, 12])'
	run_ktrace contention --kind mutx t
	[ "$status" = 2 ]
	[[ $stderr == *"--kind: there is no 'mutx' (did you mean 'mutex'?)"* ]]
	run_ktrace contention --kind , t
	[ "$status" = 2 ]
	# What waits inside of a wait is taken off it though it is not shown.
	trace <<-END
		process 10 10
		1000 10 mutex_lock_in mutex=0xb owner=11
		2000 10 sem_wait_in sem=0xa
		4000 10 sem_wait_out sem=0xa
		6000 10 mutex_lock_out mutex=0xb count=1
	END
	run_ktrace contention --json --kind mutex t
	json 'o["thread_ns"] == 3000'
}

@test "how long locks were held, and where they were taken" {
	two_waits
	run_ktrace contention --json --hold-times t
	json '(o["holds"], o["held_ns"], o["holds_lost"]) == (2, 4500, 0)'
	json '[(x["address"], x["nr"], x["total_ns"], x["max_ns"]) for x in o["held"]] ==
		[("0xa", 2, 4500, 4000)]'
	json '[(x.get("caller"), x["total_ns"]) for x in o["held_places"]] == [(None, 4000), ("0x111", 500)]'
	json '[(x["from_ns"], x["ns"], x["tid"], x["cut"]) for x in o["longest_held"]] ==
		[(0, 4000, 10, 0), (4500, 500, 11, 0)]'
	run_ktrace contention --hold-times t
	grep -E '^ +1 +4.00 us .* \(not recorded\)$' <<<"$output"
	grep -E '4.00 us +10/10 prog +10 mutex 0xa$' <<<"$output"
	run_ktrace contention --json t
	json '"held" not in o and "holds" not in o'
	run_ktrace contention --json --hold-times --kind sem t
	json '(o["holds"], o["held"]) == (0, [])'
	run_ktrace contention --json --hold-times --since 2us --until 4700ns t
	json '[x["total_ns"] for x in o["held"]] == [2200]'
	# The place is known of a lock that was free, too; not in a trace of 0.1.0.
	trace <<-END
		process 10 10
		1000 10 mutex_lock mutex=0xa count=1 result=0 caller=0x333
		1300 10 mutex_unlock mutex=0xa
		1400 10 mutex_trylock mutex=0xa count=1 result=0 caller=0x555
		1900 10 mutex_unlock mutex=0xa
		2000 10 rwlock_rdlock rwlock=0xb result=0 caller=0x333
		2100 10 rwlock_unlock rwlock=0xb
		3000 10 spin_lock spin=0xc result=0
		3010 10 spin_unlock spin=0xc
	END
	run_ktrace contention --json --hold-times t
	json '[(x.get("caller"), x["nr"], x["total_ns"], x["max_ns"]) for x in o["held_places"]] ==
		[("0x555", 1, 500, 500), ("0x333", 2, 400, 300), (None, 1, 10, 10)]'
	# A recursive mutex up to its last release; a wait for a condition gives the mutex away;
	# readers each; one that is not given back.
	trace <<-END
		process 10 10 11
		1000 10 mutex_lock mutex=0xa count=1
		2000 10 mutex_lock mutex=0xa count=2
		3000 10 mutex_unlock mutex=0xa count=1
		4000 10 mutex_unlock mutex=0xa count=0
		5000 10 mutex_lock mutex=0xb count=1
		5400 10 cond_wait_in cond=0xc mutex=0xb caller=0x444
		7000 10 cond_wait_out cond=0xc mutex=0xb
		7050 10 mutex_unlock mutex=0xb
		8000 10 rwlock_init_in rwlock=0xd
		8001 10 rwlock_init_out rwlock=0xd
		8100 10 rwlock_rdlock rwlock=0xd
		8200 11 rwlock_rdlock rwlock=0xd
		8300 10 rwlock_unlock rwlock=0xd
		8500 11 rwlock_unlock rwlock=0xd
		9000 11 spin_lock spin=0xe
		9900 11 mutex_trylock mutex=0xa count=1
		10000 11 mutex_unlock mutex=0xa
	END
	run_ktrace contention --json --hold-times t
	json '{x["address"]: (x["nr"], x["total_ns"]) for x in o["held"]} == {"0xa": (2, 3100),
		"0xb": (2, 450), "0xd": (2, 500), "0xe": (1, 1000)}'
	json '[(x["address"], x["cut"]) for x in o["longest_held"]][:2] == [("0xa", 0), ("0xe", 1)]'
	json '[x["total_ns"] for x in o["held_places"] if x.get("caller") == "0x444"] == [50]'
	# A loss hides the end.
	trace <<-END
		process 10 10
		1000 10 mutex_lock mutex=0xa count=1
		3000@1 lost 7
		4000 10 mutex_unlock mutex=0xa
		5000 10 mutex_lock mutex=0xa count=1
		6000 10 mutex_unlock mutex=0xa
	END
	run_ktrace contention --json --hold-times t
	json '(o["holds"], o["held_ns"], o["holds_lost"]) == (1, 1000, 1)'
	run_ktrace contention --hold-times t
	grep '^1 holds are not counted: when they ended is not known$' <<<"$output"
}

@test "who held up whom, while it waited" {
	two_waits
	run_ktrace contention --json --holders t
	json '[(x["tid"], x["by"]["tid"], x["address"], x["total_ns"]) for x in o["held_up"]] ==
		[(11, 10, "0xa", 3000)]'
	json 'o["held_up_ns"] == 3000'
	run_ktrace contention --holders t
	grep -E '3.00 us  10/11 prog  by 10/10 prog  10 mutex 0xa$' <<<"$output"
	# The lock changes hands while 12 waits; 13 gives up before 11 gives it back.
	trace <<-END
		process 10 10 11 12 13
		1000 10 mutex_lock mutex=0xa count=1
		2000@1 11 mutex_lock_in mutex=0xa owner=10
		3000 12 mutex_lock_in mutex=0xa owner=10
		4000 10 mutex_unlock mutex=0xa
		4500@1 11 mutex_lock_out mutex=0xa count=1
		5000 13 mutex_timedlock_in mutex=0xa owner=11
		6000 13 mutex_timedlock_out mutex=0xa count=0 result=110
		7000@1 11 mutex_unlock mutex=0xa
		7200 12 mutex_lock_out mutex=0xa count=1
		8000 12 mutex_unlock mutex=0xa
		8100 12 mutex_lock mutex=0xa count=1
		8200 11 mutex_lock_in mutex=0xa owner=12
		9000 10 sem_post_in sem=0xf
	END
	run_ktrace contention --json --holders t
	json '{(x["tid"], x["by"]["tid"]): x["total_ns"] for x in o["held_up"]} == {
		(11, 10): 2000, (12, 10): 1000, (12, 11): 2500, (13, 11): 1000, (11, 12): 800}'
	run_ktrace contention --json --holders -p 13 t
	json '[x["tid"] for x in o["held_up"]] == [13]'
	run_ktrace contention --json --holders --kind cond t
	json 'o["held_up"] == []'
}

@test "the threads of a real program hold each other up for no longer than they wait" {
	record "$PROGS/pthread_contended"
	run_ktrace contention --json --holders --hold-times --kind mutex t
	[ "$status" = 0 ]
	json '0 < o["held_up_ns"] <= o["thread_ns"] and o["holds_lost"] == 0'
	json 'all(x["tid"] != x["by"]["tid"] for x in o["held_up"])'
	json 'sum(x["nr"] for x in o["held"]) == o["holds"] == sum(x["nr"] for x in o["held_places"])'
}

@test "losses are said, and waits across them not counted" {
	trace <<-END
		process 10 10 11
		1000 10 sem_wait_in sem=0xa
		3000 10 sem_wait_out sem=0xa
		4000 10 sem_wait_in sem=0xa
		5000@1 lost 7
		6000 10 sem_wait_out sem=0xa
	END
	run_ktrace contention --json t
	json '(o["waits"], o["thread_ns"], o["waits_lost"], o["lost"]) == (1, 2000, 1, {"full": 7})'
	run_ktrace contention t
	grep '7 events were LOST here' <<<"$output"
	grep '^1 waits are not counted' <<<"$output"
}

@test "waits of a real run lie between what the program measured" {
	local times lower upper
	record "$PROGS/pthread_measured"
	read -r times lower upper <<<"$output"
	run_ktrace contention --json t
	# The clock of the trace may go wrong by much less than a tenth.
	json "[(x['nr'], $lower * 0.9 <= x['total_ns'] <= $upper * 1.1) for x in o['objects']] == [($times, True)]"
}

@test "events that no object of their kind can have are passed over" {
	finds_nothing <<-END
		process 10 10 11
		1000 10 cond_wait_in cond=0xa mutex=0xb
		1100 11 cond_lock cond=0xa
		1200 11 cond_once_in cond=0xa
		1300 10 barrier_wait_in barrier=0xc
		1400 11 barrier_unlock barrier=0xc count=1
		1500 11 barrier_once_in barrier=0xc
		1600 10 sem_init_out sem=0xd value=0 result=0
		1700 11 sem_once_in sem=0xd
	END
	run_ktrace check t
	[ "$status" = 0 ]
}

@test "of very many locks that a thread has the latest have an order" {
	{
		echo "process 10 10"
		for i in {1..70}; do
			echo "$((1000 + i)) 10 mutex_lock mutex=$((i * 16)) count=1"
		done
	} | trace
	run_ktrace lock-order --json -n 9999 t
	# The first 64 have all that came before, the last six the latest 64.
	json 'len(o["edges"]) == 64 * 63 // 2 + 6 * 64'
	json '{e["held"]["address"] for e in o["edges"] if e["taken"]["address"] == hex(70 * 16)} ==
		{hex(i * 16) for i in range(6, 70)}'
}

@test "the order of locks has a cycle only where threads can wait for each other" {
	local take_ab="1000 10 mutex_lock mutex=0xa count=1
		1100 10 mutex_lock mutex=0xb count=1
		1200 10 mutex_unlock mutex=0xb
		1300 10 mutex_unlock mutex=0xa"
	local take_ba="2000 11 mutex_lock mutex=0xb count=1
		2100 11 mutex_lock mutex=0xa count=1
		2200 11 mutex_unlock mutex=0xa
		2300 11 mutex_unlock mutex=0xb"
	trace <<<"process 10 10 11
		$take_ab
		$take_ba"
	run_ktrace lock-order --json t
	json '[[(e["tid"], e["held"]["address"], e["taken"]["address"]) for e in c] for c in o["cycles"]] ==
		[[(10, "0xa", "0xb"), (11, "0xb", "0xa")]]'
	json '[(e["times"], e["first_ns"], e["tid"]) for e in o["edges"]] == [(1, 100, 10), (1, 1100, 11)]'
	run_ktrace lock-order t
	grep '^cycles' <<<"$output"
	run_ktrace lock-order --dot t
	[ "$(grep -c '"10 mutex 0xa" -> "10 mutex 0xb" \[label="1"\];' <<<"$output")" = 1 ]
	[ "$(sed -n '1p;$p' <<<"$output" | paste -sd ' ')" = "digraph locks { }" ]
	# One thread alone; what is only tried; the same order; under a third lock
	trace <<<"process 10 10 11
		$take_ab
		${take_ba// 11 / 10 }"
	run_ktrace lock-order --json t
	json 'o["cycles"] == [] and len(o["edges"]) == 2'
	trace <<<"process 10 10 11
		$take_ab
		${take_ba/2100 11 mutex_lock/2100 11 mutex_trylock}"
	run_ktrace lock-order --json t
	json 'o["cycles"] == [] and len(o["edges"]) == 1'
	trace <<<"process 10 10 11
		$take_ab
		2000 11 mutex_lock mutex=0xa count=1
		2100 11 mutex_lock mutex=0xb count=1"
	run_ktrace lock-order --json t
	json 'o["cycles"] == [] and [e["times"] for e in o["edges"]] == [2]'
	trace <<<"process 10 10 11
		900 10 mutex_lock mutex=0xc count=1
		$take_ab
		1400 10 mutex_unlock mutex=0xc
		1900 11 mutex_lock mutex=0xc count=1
		$take_ba"
	run_ktrace lock-order --json t
	json 'o["cycles"] == [] and len(o["edges"]) == 4'
	# Who reads does not keep others out
	trace <<<"process 10 10 11
		900 10 rwlock_rdlock rwlock=0xc
		$take_ab
		1400 10 rwlock_unlock rwlock=0xc
		1900 11 rwlock_rdlock rwlock=0xc
		$take_ba"
	run_ktrace lock-order --json t
	json '[{e["taken"]["address"] for e in c} for c in o["cycles"]] == [{"0xa", "0xb"}]'
	# A cycle of two that is one thread's alone does not hide that of three
	trace <<<"process 10 10 11 12
		$take_ab
		${take_ba// 11 / 10 }
		3000 11 mutex_lock mutex=0xb count=1
		3100 11 mutex_lock mutex=0xc count=1
		3200 11 mutex_unlock mutex=0xc
		3300 11 mutex_unlock mutex=0xb
		4000 12 mutex_lock mutex=0xc count=1
		4100 12 mutex_lock mutex=0xa count=1"
	run_ktrace lock-order --json t
	json '[{e["taken"]["address"] for e in c} for c in o["cycles"]] == [{"0xa", "0xb", "0xc"}]'
	# From one cycle to another there is a way, but none back
	trace <<<"process 10 10 11
		$take_ab
		$take_ba
		3000 10 mutex_lock mutex=0xb count=1
		3100 10 mutex_lock mutex=0xc count=1
		3200 10 mutex_unlock mutex=0xc
		3300 10 mutex_unlock mutex=0xb
		4000 10 mutex_lock mutex=0xc count=1
		4100 10 mutex_lock mutex=0xd count=1
		4200 10 mutex_unlock mutex=0xd
		4300 10 mutex_unlock mutex=0xc
		5000 11 mutex_lock mutex=0xd count=1
		5100 11 mutex_lock mutex=0xc count=1"
	run_ktrace lock-order --json t
	json '[{e["taken"]["address"] for e in c} for c in o["cycles"]] == [{"0xa", "0xb"}, {"0xc", "0xd"}]'
	# Three locks, and a thread that waits for ever
	trace <<<"process 10 10 11 12
		$take_ab
		2000 11 mutex_lock mutex=0xb count=1
		2100 11 rwlock_wrlock rwlock=0xc
		2200 12 mutex_lock_in mutex=0xb owner=11
		2300 10 rwlock_rdlock_in rwlock=0xc
		2400 11 rwlock_unlock rwlock=0xc
		2450 10 rwlock_rdlock_out rwlock=0xc
		2500 10 mutex_lock_in mutex=0xa owner=0"
	run_ktrace lock-order --json t
	json '[[e["taken"]["address"] for e in c] for c in o["cycles"]] == [["0xb", "0xc", "0xa"]]'
}

@test "a program that could be deadlocked has a cycle, one with an order has none" {
	local ab
	record "$PROGS/pthread_contended"
	run_ktrace lock-order --json t
	json '(o["cycles"], o["edges"]) == ([], [])'
	# From where, once a thread had to wait, also if it never got it
	trace <<<"process 10 10 11
		1000 10 mutex_lock mutex=0xa count=1
		1100 11 mutex_lock mutex=0xb count=1
		1200@1 10 mutex_lock_in mutex=0xb owner=11 caller=0x111
		1300 11 mutex_unlock mutex=0xb
		1400@1 10 mutex_lock_out mutex=0xb count=1
		1500 11 mutex_lock mutex=0xc count=1
		1600 11 mutex_lock_in mutex=0xa owner=10 caller=0x222"
	run_ktrace lock-order --json t
	json '[(e["taken"]["address"], e["caller"]) for e in o["edges"]] == [("0xb", "0x111"), ("0xa", "0x222")]'
	run_ktrace lock-order --symbols t
	grep -q ' 10 mutex 0xa -> 10 mutex 0xb from 0x111$' <<<"$output"
	grep -q ' 10 mutex 0xc -> 10 mutex 0xa from 0x222$' <<<"$output"
	record "$PROGS/pthread_abba"
	ab=$output
	run_ktrace lock-order --json t
	json "[[(e['held']['address'], e['taken']['address']) for e in c] for c in o['cycles']] ==
		[[tuple('$ab'.split()), tuple('$ab'.split()[::-1])]]"
}

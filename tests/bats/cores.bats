#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# cores.bats - ktrace with one thread and with a second one: the same output
# runs: host
load helpers

setup()
{
	setup_test
	KTRACE=${KTRACE_UNDER_TEST:-$KTRACE}
	export TZ=UTC
	cp "$ROOT/tests/data/golden/small-v1.bin" small
}

teardown() { teardown_test; }

# make_large: a file "large" of some hundred blocks, four streams of which take turns
make_large()
{
	awk 'BEGIN {
		print "meta host boot=1 machine=x86_64"
		print "meta clock raw=0 mono_ns=0 real_ns=1000 hz=1000000000"
		print "meta event kind=user id=16 desc=t:e{u64%20n;}"
		for (s = 0; s < 4; s++)
			print "meta stream id=" s " kind=user cpu=" s " ring=65536 block=4096 policy=drop"
		print "meta stream id=4 kind=kernel cpu=0 ring=65536 block=4096 policy=drop"
		for (i = 0; i < 400; i++) {
			# A long event, in fragments of one thread
			for (n = 0; i == 200 && n < 40; n++)
				print "block 0\nrec 2000 17 99:" (n ? 4 : 2) (n ? "" : " u32:156000") " zeros:3900"
			# A thread gets its name, or another one, when it has written events already
			if (i % 40 == 20)
				print "block 4\nrec " 10 * i " 70 1 u32:" 100 + i % 7 " u32:100 char16:name" i
			print "block " i % 4
			if (i % 50 == 49)
				print "lostrec " 10 * i, i
			for (n = 0; n < 20; n++)
				print "rec " 10 * i + 13 * n " 16 " 100 + i % 7 " u64:" 1000 * i + n
		}
	}' | "$PROGS/mktrace" large
}

# same ARG...: output, messages and status of ktrace are the same with one thread and with two
same()
{
	local status=0
	KTRACE_CORES=1 "$KTRACE" "$@" >one 2>one.err || status=$?
	echo "status $status" >>one.err
	status=0
	KTRACE_CORES=2 "$KTRACE" "$@" >two 2>two.err || status=$?
	echo "status $status" >>two.err
	cmp one two
	diff one.err two.err
}

# same_all FILE...: for what commands do with files
same_all()
{
	same list "$@"
	same list --json "$@"
	same list --time delta "$@"
	same list --time delta --since 1us -n 500 --print-position "$@"
	same list -p 101 "$@"
	same stat "$@"
	same hist "$@"
	same check "$@"
	[ -s one ]
}

@test "the golden file is the same, alone and with others" {
	make_large
	same_all small
	same_all large
	another small other
	same_all small large other
}

@test "a damaged file is the same, damages as well" {
	local at
	make_large
	for at in 4000 40000 200000 200100 300003; do
		printf '\377\0\377' | dd of=large bs=1 seek="$at" conv=notrunc status=none
	done
	same_all large
	same list large
	grep -q "damaged section" one.err
	truncate -s -3000 large
	same_all large small
	: >large
	same list large
	same list large small
}

@test "who has seen enough can go" {
	make_large
	another large again
	another large third
	KTRACE_CORES=2 "$KTRACE" list large again third >all
	KTRACE_CORES=2 run bash -c '"$1" list large again third | head -n 1; echo "${PIPESTATUS[0]}"' - "$KTRACE"
	[ "$output" = "$(head -n 1 all; echo 0)" ]
	KTRACE_CORES=2 run "$KTRACE" list -n 3 large
	[ "$output" = "$(head -n 3 <("$KTRACE" list large))" ]
}

@test "where nothing can be written any more, it says so" {
	make_large
	another large again
	another large third
	KTRACE_CORES=2 run bash -c '"$0" list large again third >/dev/full' "$KTRACE"
	[ "$status" -eq 1 ]
	[ "$output" = "ktrace: standard output: No space left on device" ]
}

@test "clocks of several hosts are found by as many threads" {
	"$PROGS/mkhosts" --seconds 1 .
	KTRACE_CORES=1 strace -f -e trace=clone,clone3 -o one "$KTRACE" sync h0 h1
	KTRACE_CORES=2 strace -f -e trace=clone,clone3 -o two "$KTRACE" sync h0 h1
	fails grep clone one
	grep clone two
	same sync --json h0 h1
}

@test "it can be ended" {
	local status=0
	make_large
	another large again
	another large third
	mkfifo pipe
	exec 9<>pipe
	KTRACE_CORES=2 "$KTRACE" list large again third >pipe 9>&- &
	STARTED+=("$!")
	# Not before it is itself: a shell that has just forked may drop the signal.
	read -r -N 1 <&9
	kill "$!"
	wait "$!" || status=$?
	[ "$status" -eq 143 ]
	exec 9>&-
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# runs: host
#
# ktrace pthread: what ktraced --pthread recorded, in terms of the POSIX Threads Trace Toolkit

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
			"$ROOT/userspace/lib/pthread/calls.h" | tr a-z A-Z | sed 's/.*/&_IN\n&_OUT/' |
			grep -vE '^THR(EA)?D_EXIT_OUT$' | grep -vxFf <(ptt_names) | sort)" ]
}

@test "raw lines have nine columns, none of them empty" {
	record calls
	run_ktrace pthread -r t
	[ "$status" = 0 ]
	[ "$(awk '{ print NF }' <<<"$output" | sort -u)" = 9 ]
	grep -E ' THREAD_SETNAME_IN thread=0x[0-9a-f]+ name="a\\040name\\040that' <<<"$output"
	grep -E ' MUTEX_TRYLOCK_OUT mutex=0x[0-9a-f]+ - - EBUSY$' <<<"$output"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# policy.bats - a full buffer, in each policy: written = read + lost, exactly
load helpers

setup() { setup_test; }
teardown() { teardown_test; }

# Records that fit at least into one ring with -b 64K: a thread's 16K, less block headers.
ONE_RING=500

faster_reader()
{
	run_ktraced "--policy=$1" -e flood -b 1M -o t -- "$PROGS/flood" -t 2 -n 1500 -u 200
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

equal_reader()
{
	run_ktraced "--policy=$1" -e flood -b 64K -o t -- "$PROGS/flood" -p 2 -t 2 -n "$(n 100000)"
	[ "$status" -eq 0 ]
	ledger
	valid_trace t
}

@test "drop: reader faster" { faster_reader drop; }
# bats test_tags=alike
@test "drop: reader about equal" { equal_reader drop; }
@test "stop: reader faster" { faster_reader stop; }
# bats test_tags=alike
@test "stop: reader about equal" { equal_reader stop; }
@test "block: reader faster" { faster_reader block; }
@test "overwrite: room for all" { faster_reader overwrite; }

@test "overwrite: the newest are kept" {
	equal_reader overwrite
	[ "$(summary overwritten)" -gt 0 ]
	[ "$(summary events)" -gt 0 ]
}

# stopped_reader POLICY: the reader is stopped from the first event to the last
stopped_reader()
{
	start_ktraced "--policy=$1" -e flood -b 64K -o t -- sh -c \
		"echo ready; until [ -e go ]; do sleep 0.02; done; exec '$PROGS/flood' -t 2 -n $(n 50000)"
	retry 0.02 has ktraced.out ready
	kill -STOP "$pid"
	touch go
	retry 0.1 has ktraced.out ^written
	kill -CONT "$pid"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	valid_trace t
}

@test "drop: reader stopped: the oldest are kept, the rest is counted" {
	stopped_reader drop
	[ "$(summary full)" -gt 0 ]
	[ "$(summary full)" = "$(summary lost)" ]
	[ "$(summary events)" -ge "$ONE_RING" ]
}

@test "stop: reader stopped: suspended until drained" {
	stopped_reader stop
	[ "$(summary stopped)" -gt 0 ]
	[ "$(summary stopped)" = "$(summary lost)" ]
}

@test "overwrite: reader stopped: nobody notices" {
	stopped_reader overwrite
	[ "$(summary overwritten)" -gt 0 ]
}

@test "block: a busy writer loses nothing" {
	equal_reader block
	[ "$(summary lost)" = 0 ]
	[ "$(summary events)" = "$(n 400000)" ]
}

@test "block: SIGSTOP of the reader stops the writer, SIGCONT lets it go on, none lost" {
	start_ktraced --policy=block -e flood -b 64K -o t -- "$PROGS/flood" -m -n 0
	retry 0.02 has ktraced.out '^at [1-9]'
	kill -STOP "$pid"
	retry 0.05 stands_still
	stood=$(last_at)
	kill -CONT "$pid"
	retry 0.05 moves_on "$((stood + 100000))"
	kill -TERM "$(child_of "$pid")"
	wait_for "$pid"
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

@test "without thread rings, events of threads that need one are counted" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced -e flood --thread-rings 0 -o t -- \
		"$PROGS/flood" -n 100
	ledger
	[ "$(summary noring)" = 100 ]
	[[ $stderr == *"threads found no free buffer (noring): if more than 0 record at the same time, use a larger --thread-rings"* ]]
}

@test "thread rings: every thread its own, taken and given back" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced -e flood -b 64K --policy=block -o t -- \
		"$PROGS/flood" -p 3 -t 8 -n 5000
	[ "$status" -eq 0 ]
	ledger
	[ "$(summary lost)" = 0 ]
	valid_trace t
}

@test "more threads than thread rings: what finds no ring is counted" {
	GLIBC_TUNABLES=glibc.pthread.rseq=0 run_ktraced -e flood --thread-rings 2 -o t -- \
		"$PROGS/flood" -t 8 -n 2000
	ledger
	valid_trace t
}

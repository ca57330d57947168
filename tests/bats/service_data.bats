#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_data.bats - ktraced --service: from a chunk to what is read
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "no two producers share memory" { cases data memories_apart; }
@test "numbers of another producer's writer and chunk reach neither" { cases data same_numbers; }
@test "in a request chunks are before patches, and both before the acknowledgement" { cases data order_in_a_request; }
@test "what a writer says is lost is told beside what the service has lost" { cases data told_by_writer; }
@test "a buffer with little in it does not wait for one with much" { cases data buffers_in_turn; }
@test "a copy of what nobody has read has all from its start" { cases data copied_from_the_start; }
@test "chunks come as bytes in messages" { cases data inline; }
@test "a flush takes what is not committed, and nothing comes twice" { cases data scraped_at_flush; }
@test "the end of a session takes what is not committed" { cases data scraped_at_end; }
@test "a writer's number that was given back is that of another one" { cases data unregistered_writer; }
@test "marks to go on at come again and again" { cases data marks; }
@test "events of a session are in their order, with their time" { cases data own_events; }
@test "a trace has the identity that its configuration gives it" { cases data given_uuid; }
@test "sources are chosen by machine" { cases data machines; }
@test "what a filter does not allow is left out, and counted" { cases data filtered; }
@test "packets that there is no memory for are counted, and the next ones tell it" {
	cases data no_memory
	retry 0.1 has service.err "session 1: out of memory; lost packets: 2"
	[ "$(grep -c 'out of memory' service.err)" -eq 1 ]
}
@test "while there is no memory for packets, others have their turn" { cases data no_memory_for_many; }
@test "into a file one packet in 10 ms is lost for want of memory, at most" { cases data no_memory_for_file; }
@test "while very many packets are found to be invalid, others have their turn" { cases data invalid_turns; }
@test "producers, sources, sessions and buffers are counted" { cases data counted; }
@test "a ring that goes round loses the names of events; none is taken for another" {
	cases data interned_ring
	run_ktrace import --from perfetto ring.pftrace -o t
	show import
	[[ $output$stderr == *"packets left out: they refer to lost ones"* ]]
	"$KTRACE" list --json -e 'c:*' t >events
	[ "$(wc -l <events)" -gt 50 ]
	jq -s -e 'all(.[]; .event == "c:name\(.fields.turn)")' events
}
@test "periodic flushes of all sessions are at the same times" { cases data aligned; }

#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service.bats - ktraced --service: the life of sessions
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "a producer alone: nothing is set up" { cases session nothing_without_session; }
@test "setup, start, data, stop, read, free" { cases session whole_life; }
@test "what the service itself writes, and its order" { cases session own_packets; }
@test "each can be left out" { cases session without_own_packets; }
@test "exactly those of the configuration, by index and by name" { cases session buffers_in_order; }
@test "one that registers later joins; one that leaves drops out" { cases session late_producer; }
@test "one that registers before a deferred start is set up, and starts with the others" { cases session late_start_is_late; }
@test "producers chosen by name and by expression; later more of them" { cases session names_filter; }
@test "shared memory is handed over once, for all sources and sessions" { cases session memory_once; }
@test "the configuration's, the producer's, or else the default" { cases session sizes_of_memory; }
@test "memory of the producer's own is taken, and not sent back" { cases session own_memory; }
@test "starting waits for sources that say so; then the consumer is told, once" { cases session acknowledged_start; }
@test "stopping waits for sources that say so; what they write until then is there" { cases session acknowledged_stop; }
@test "one that does not acknowledge is waited for only so long" { cases session deaf_stop; }
@test "nor is one that goes away" { cases session gone_while_stopping; }
@test "two readings while it runs: everything once" { cases session read_in_parts; }
@test "packets longer than a chunk, a frame, and most of the buffer" { cases session large_packets; }
@test "the consumer goes: the session is freed, its sources stop" { cases session consumer_gone; }
@test "a source that is taken back stops, and is not there for later sessions" { cases session unregistered; }
@test "an id is there once; an update needs it and does not rename" { cases session registered_twice; }
@test "what comes before GetAsyncCommand is not lost, nor out of order" { cases session commands_wait; }
@test "parts of a source's configuration that the service does not know reach the producer" { cases session unknown_fields; }
@test "the methods have the numbers of the protocol" { cases session methods_in_order; }
@test "calls that need a session, or a connection that is initialized" { cases session calls_without_session; }
@test "a second EnableTracing of a connection is refused until FreeBuffers" { cases session two_enable; }
@test "each socket has its own port only" { cases session other_port; }

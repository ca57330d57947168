#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_trigger.bats - ktraced --service: triggers, clones, queries
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "START_TRACING: nothing until the trigger, then its delay" { cases trigger starts; }
@test "without a trigger it ends empty" { cases trigger starts_never; }
@test "several triggers for several sessions" { cases trigger starts_several; }
@test "STOP_TRACING: it traces at once, and is empty until the trigger" { cases trigger stops; }
@test "after the time-out it is still empty; but a clone has everything" { cases trigger stops_never; }
@test "CLONE_SNAPSHOT: the session goes on, the consumer is told, again and again" { cases trigger snapshots; }
@test "use_clone_snapshot_if_available makes a stop trigger a clone trigger" { cases trigger clone_instead_of_stop; }
@test "producer_name_regex: all of the name" { cases trigger chosen_by_producer; }
@test "a session that begins later does not hear it" { cases trigger later_session; }
@test "of two that start a session the first one's delay counts" { cases trigger first_of_two; }
@test "max_per_24_h and skip_probability" { cases trigger seldom; }
@test "max_per_24_h holds for those who fire at once, too" { cases trigger at_once; }
@test "a producer that fires without end is heard in bounds" { cases trigger flood; }
@test "a clone has what there was; the original all it had, and goes on" { cases trigger cloned; }
@test "the bytes of perfetto --notify-fd and --clone" { cases trigger as_perfetto_does; }
@test "a clone of very much: others are answered meanwhile, and it is of one moment" { cases trigger dear_clone; }
@test "clones of very much, and who goes meanwhile" { cases trigger dear_clones_end; }
@test "what cannot be cloned, and by whom" { cases trigger clone_refused; }
@test "the original goes while it is being cloned" { cases trigger clone_of_a_dying_session; }
@test "a session that has ended is cloned" { cases trigger clone_of_what_is_over; }
@test "the one who clones goes before the flush is over" { cases trigger cloner_goes; }
@test "transfer_on_clone hands a buffer over, clear_before_clone empties it first" { cases trigger handed_over; }
@test "the clone of a session that writes into a file: the file so far, then the buffers" { cases trigger clone_of_a_file; }
@test "a clone is not detached" { cases trigger clone_stays; }
@test "a clone has no clocks if the configuration leaves them out" { cases trigger clone_without_clocks; }
@test "a clone goes into a regular file only" { cases trigger clone_into_pipe; }
@test "a clone of a file that has more in it than the trace" { cases trigger clone_of_a_part; }
@test "events come only to those who asked, until they ask for none" { cases trigger observed; }
@test "all that QueryServiceState tells" { cases trigger queried; }
@test "an answer that is longer than a frame comes in parts" { cases trigger many_sources; }
@test "producers that describe a lot do not cut off who asks" { cases trigger long_answer; }
@test "counts of the service and of the session" { cases trigger statistics; }
@test "statistics of thousands of writers, in a frame and in a trace" { cases trigger many_writers; }
@test "packets that are compressed are the same ones" { cases trigger compressed; }

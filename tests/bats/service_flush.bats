#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_flush.bats - ktraced --service: flushes, files, detached sessions
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "a flush is true when all have acknowledged" { cases flush acknowledged; }
@test "without producers it is true, without a session not" { cases flush nobody_to_flush; }
@test "one that stops within a chunk: false after the time-out; all that is whole is there" { cases flush deaf_producer; }
@test "acknowledging one acknowledges those before it" { cases flush several_pending; }
@test "a thousand may be under way, not more" { cases flush too_many_pending; }
@test "one that goes away is not waited for, and what it wrote is taken" { cases flush producer_gone; }
@test "what one has committed before it went is taken, though it was told something first" { cases flush committed_and_gone; }
@test "without scraping it is not" { cases flush not_scraped; }
@test "sources that have nothing to flush are not asked" { cases flush no_flush; }
@test "flushes and cleared states by themselves" { cases flush periodic; }
@test "duration_ms: a flush, then the end, by itself" { cases flush timed; }
@test "the same with a deaf producer: it ends, and says so" { cases flush timed_and_deaf; }
@test "the service writes the file; ReadBuffers gives nothing" { cases flush into_file; }
@test "the same into a descriptor; what is in the file before stays" { cases flush into_descriptor; }
@test "at max_file_size_bytes the last packet is whole, statistics follow, and the session ends" { cases flush full_file; }
@test "a file that the last packets fill has its statistics" { cases flush full_at_the_end; }
@test "statistics do not exceed max_file_size_bytes" { cases flush full_with_many; }
@test "so it is with packets that are compressed" { cases flush compressed_full_file; }
@test "a file is written every 100 ms at most" { cases flush seldom_written; }
@test "what was overwritten between two writes is told in the file" { cases flush overwritten_meanwhile; }
@test "a file of packets that are filtered and compressed" { cases flush compressed_file; }
@test "write_flush_mode ENABLED: a flush before each write" { cases flush flush_before_write; }
@test "flush_period_ms counts beside the writes of a file" { cases flush flush_beside_writes; }
@test "a session outlives its consumer; attached again it is stopped" { cases flush detached; }
@test "a session in memory is not detached: nobody could read it" { cases flush detach_needs_file; }
@test "a detached session with a duration ends by itself, with its file complete" { cases flush detached_ends; }
@test "a detached session waits for its sources as others do" { cases flush detached_waits; }
@test "a detached session's file tells that all sources have started" { cases flush detached_starts; }
@test "a detached session whose file is full leaves its place to others" { cases flush detached_is_full; }
# bats test_tags=long
@test "one that is over when it is detached is kept for a minute" { cases flush over_and_forgotten; }
@test "who attaches to a session that is over is told so" { cases flush attached_too_late; }

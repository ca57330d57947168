#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_refuse.bats - ktraced --service: what EnableTracing refuses
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "a session for too long, and one that just passes" { cases refuse durations; }
@test "triggers: time-outs, modes, durations, names" { cases refuse trigger_rules; }
@test "a name that could lead somewhere else" { cases refuse report_name; }
@test "unsupervised sessions: sizes, deferred start, twice in five minutes" { cases refuse guardrails; }
@test "buffers: how many, names, sizes" { cases refuse buffer_rules; }
@test "buffers that sources name" { cases refuse targets; }
@test "an exclusive session ends others, and is in the way of those that are not above it" { cases refuse exclusive; }
@test "a detached session that an exclusive one ends: the log says why" {
	cases refuse exclusive_and_detached
	[ "$(grep -c "session 1: Aborted due to .* exclusive session" service.err)" = 1 ]
}
@test "an exclusive session that has ended is in nobody's way" { cases refuse exclusive_is_over; }
@test "a session of a name that is there; its clones do not count" { cases refuse unique_names; }
@test "as many sessions as all of them allow" { cases refuse semaphores; }
@test "regular expressions whose stack, memory or time has no bound" { cases refuse patterns; }
@test "more triggers, semaphores and data sources than anybody needs" { cases refuse counts; }
@test "five of a user" { cases refuse too_many_of_a_user; }
@test "a filter that does not load refuses the session: nothing goes unfiltered" { cases refuse filters; }
@test "a priority that there is not" { cases refuse boosts; }
@test "a file: one, new, and one that nobody has to read" { cases refuse files; }
@test "a session that is refused late leaves no file, and no source has heard of it" { cases refuse nothing_left; }

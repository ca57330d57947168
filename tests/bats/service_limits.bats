#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_limits.bats - ktraced --service: as much as there may be, and not more
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "five clones of a user, beside his sessions" { cases limits many_clones; }
@test "root clones the session of another user: the copy is root's" {
	requires_root
	let_others_in
	cases limits clones_of_root
}
@test "a thousand connections and 40 descriptors: the service waits for one, and does not spin" { cases limits seldom_descriptors; }
@test "the connections of one user leave room for others" {
	requires_root
	let_others_in
	cases limits one_users_flood
}
@test "the sources that a user's producers describe have a bound" { cases limits much_described; }
@test "those that take few bytes each have it, too" { cases limits described_shortly; }
@test "those that have very many small parts have it, too" { cases limits described_in_pieces; }
@test "what all connections of a user make the service hold has a bound; others do not notice" {
	requires_root
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] ||
		skip "needs 4096 descriptors"
	let_others_in
	cases limits held_by_user
}
@test "the memory that the producers of a user share has a bound: told, logged and counted; others have theirs" {
	requires_root
	let_others_in
	cases limits shared_by_user
	[ "$(grep -c 'user 1001: no memory.*262144 KiB (--producer-memory)' service.err)" = 1 ]
}
@test "memory that a producer never wrote to is not made by looking into it" { cases limits holes_stay; }
@test "a packet of more than 16 MiB is dropped, told, logged and counted; the others come" {
	cases limits too_large_packets
	retry 0.05 has service.err 'larger than 16 MiB or in more than 65536 chunks: 1'
}
@test "--producer-memory: another bound, with --service only, and no nonsense" {
	local bad
	for bad in 0 1K 2048G many -1; do
		capture "$KTRACED" --service --producer-memory "$bad"
		[ "$status" -eq 125 ]
		grep -q -e '--producer-memory must be from 256K to 1024G' <<<"$stderr"
	done
	capture "$KTRACED" --producer-memory 1M true
	[ "$status" -eq 125 ]
	grep -q -e '--producer-memory needs --service' <<<"$stderr"
}
@test "a consumer that goes while its session looks at very many sources: the session goes, too" { cases limits gone_while_it_waits; }
@test "descriptors that take an hour to close: four threads do, and all of them are closed then" { cases limits few_closers; }
@test "connections that are refused, and cannot be closed, have a bound; consumers can come then" {
	requires_root
	let_others_in
	cases limits refused_in_bounds
}
@test "the highest priority that a session asks for, an exclusive one's as well" {
	requires_root
	chrt -f 1 true || skip "needs real-time priorities"
	cases limits boosted
}
@test "a service with a nice value of its own has it again when no session boosts it" {
	requires_root
	chrt -f 1 true || skip "needs real-time priorities"
	kill -KILL "$service"
	wait "$service" || true
	in_front="nice -n 7" start_service
	cases limits boosted
}

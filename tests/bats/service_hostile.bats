#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# service_hostile.bats - ktraced --service: peers that mean no good, and many of them
# runs: host
load helpers
load service

setup() { setup_test && start_service; }
teardown() { teardown_test; }

@test "frames too long, cut, split, empty, and of garbage: the connection goes, the service stays" { cases hostile bad_frames; }
@test "bytes by chance, as frames and as arguments of every method (seed printed on failure)" { cases hostile random_bytes; }
@test "a producer writes into a buffer that is not its own, or that there is not" { cases hostile foreign_buffer; }
@test "one that offers nothing, or whose session is over, writes nowhere" { cases hostile not_of_the_session; }
@test "a registered writer keeps to its buffer" { cases hostile other_writers_buffer; }
@test "pages and chunks that there are not, or that are not complete" { cases hostile bad_chunks; }
@test "patches of a wrong size, writer, buffer, or by the thousand" { cases hostile bad_patches; }
@test "a packet that is patched later comes out whole, and not before" { cases hostile patched; }
@test "memory that is forged while patches are pending" { cases hostile forged_while_patched; }
@test "packets that say who wrote them, or do not parse, are thrown away and counted" { cases hostile forged_identity; }
@test "a producer acknowledges what is not its own" { cases hostile other_instance; }
@test "a producer acknowledges a flush that others were asked for" { cases hostile other_flush; }
@test "a producer acknowledges a flush that nobody asked for" { cases hostile unasked_flush; }
@test "memory that can shrink is not taken; that which is, cannot" { cases hostile cut_memory; }
@test "memory that is changed while the service looks at it: nothing worse than lost packets" { cases hostile changing_memory; }
@test "a producer that never reads its commands is dropped; others are served" { cases hostile deaf_producer; }
@test "a consumer that asks and never reads: reading waits for it, questions end it" { cases hostile deaf_consumer; }
@test "one that floods the service: the others have their turn" { cases hostile floods; }
@test "calls that take long do not follow one another" { cases hostile dear_calls; }
@test "names of triggers that are dear to look up: others are answered between them" { cases hostile dear_names; }
@test "a session that looks at many sources does not wait for names of triggers that are dear" { cases hostile dear_names_and_many_sources; }
@test "filters that are dear: others are served meanwhile" { cases hostile dear_filters; }
@test "a flush of very much memory, and its end: others are answered meanwhile" { cases hostile dear_flush; }
@test "producers with very much memory go: others are answered meanwhile" { cases hostile dear_ends; }
@test "descriptors that nobody asked for are closed" { cases hostile many_descriptors; }
@test "descriptors that take an hour to close do so elsewhere" { cases hostile lingering_descriptors; }
@test "sessions and producers that come and go leave no memory and no descriptor" { cases hostile nothing_left; }
@test "a thousand producers in one session; all of them are flushed" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] ||
		skip "needs 4096 descriptors"
	cases hostile thousand_producers
}
@test "fifteen sessions of three users, and not one more" {
	requires_root
	let_others_in
	cases hostile fifteen_sessions
}
@test "another user sees, clones and attaches nothing" {
	requires_root
	let_others_in
	cases hostile two_users
}
@test "packets have the user that the kernel knows" {
	requires_root
	let_others_in
	cases hostile user_is_stamped
}
@test "lockdown: only producers of the service's own user, until it is lifted" {
	requires_root
	let_others_in
	cases hostile locked
}
@test "a file is made with the rights of the user who asks for it, and is his" {
	requires_root
	let_others_in
	cases hostile files_of_users
}
@test "anybody may be a producer, a consumer only the owner and the group" {
	requires_root
	let_others_in
	cases hostile who_may_consume
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * publish.pml - a record is whole when head says so, its place is free when tail says so
 *
 * Two places of two words; the writer waits for a free one. OFF: 1 publish:A, 2 peek:A,
 * 3 advance:A, 4 open:A of Documentation/memory-ordering.md.
 */
#define PLACES 2
#define RECORDS 5
#define WORDS 5
#define HEAD 0
#define A(n) (1 + 2 * ((n) % PLACES))
#define B(n) (2 + 2 * ((n) % PLACES))
#include "weak.pml"

byte tail = 0;	/* stored in order by the reader, see below */

active proctype writer()
{
	byte n = 0;

	do
	:: n < RECORDS ->
		if
		:: tail + PLACES > n -> store(A(n), n + 1); store(B(n), n + 1)
		:: OFF == 4 && tail + PLACES == n ->	/* the loading of tail comes late */
			store(A(n), n + 1);
			tail + PLACES > n;
			store(B(n), n + 1)
		fi;
		order_stores(1);
		store(HEAD, n + 1);
		n++
	:: else -> break
	od
}

active proctype reader()
{
	byte n = 0, a, b;
	bool has_head, has_a, has_b, has_advanced;

	do
	:: n < RECORDS ->
		has_head = false; has_a = false; has_b = false; has_advanced = false;
		do
		:: !has_head && memory[HEAD] > n -> has_head = true
		:: !has_a && (has_head || OFF == 2) -> atomic { a = memory[A(n)]; has_a = true }
		:: !has_b && (has_head || OFF == 2) -> atomic { b = memory[B(n)]; has_b = true }
		:: has_head && !has_advanced && (has_a && has_b || OFF == 3) ->
			atomic { tail = n + 1; has_advanced = true }
		:: has_a && has_b && has_advanced -> break
		od;
		assert(a == n + 1 && b == n + 1);
		n++
	:: else -> break
	od
}

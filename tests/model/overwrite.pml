/* SPDX-License-Identifier: GPL-2.0 */
/*
 * overwrite.pml - what has been copied is whole if head, looked at again, says so
 *
 * Three blocks of two words, a record each. With head h the writer may be storing to the
 * block of record h - BLOCKS, so the oldest that can be read is the one behind it. An
 * inner writer may store to the second word as soon as the block is handed out. OFF: 1
 * publish:A, 2 peek:A, 3 give_up_block:A, 4 still_valid:A, 5 give_up_block:A is there
 * but comes after the block has been handed out.
 */
#define BLOCKS 3
#define RECORDS 6
#define WORDS 7
#define HEAD 0
#define A(n) (1 + 2 * ((n) % BLOCKS))
#define B(n) (2 + 2 * ((n) % BLOCKS))
#define OLDEST(h) ((h) >= BLOCKS -> (h) - BLOCKS + 1 : 0)
#include "weak.pml"

active proctype writer()
{
	byte n = 0;

	do
	:: n < RECORDS ->
		if
		:: OFF == 5 -> store(B(n), n + 1); order_stores(0); store(A(n), n + 1)
		:: OFF != 5 -> order_stores(3); store(A(n), n + 1); store(B(n), n + 1)
		:: OFF != 5 -> order_stores(3); store(B(n), n + 1); store(A(n), n + 1)
		fi;
		order_stores(1);
		store(HEAD, n + 1);
		n++
	:: else -> break
	od
}

active proctype reader()
{
	byte r, h, again, a, b;
	bool has_head, has_a, has_b, has_again;

	select (r : 0 .. RECORDS - 1);
	has_head = false; has_a = false; has_b = false; has_again = false;
	do
	:: !has_head -> atomic {
		h = memory[HEAD];
		if
		:: r < h && r >= OLDEST(h) -> has_head = true
		:: else -> goto done	/* it is another execution that reads this one */
		fi
	}
	:: !has_a && (has_head || OFF == 2) -> atomic { a = memory[A(r)]; has_a = true }
	:: !has_b && (has_head || OFF == 2) -> atomic { b = memory[B(r)]; has_b = true }
	:: has_head && !has_again && (has_a && has_b || OFF == 4) ->
		atomic { again = memory[HEAD]; has_again = true }
	:: has_a && has_b && has_again -> break
	od;
	assert(r < OLDEST(again) || (a == r + 1 && b == r + 1));
done:
	skip
}

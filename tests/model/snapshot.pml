/* SPDX-License-Identifier: GPL-2.0 */
/*
 * snapshot.pml - a flight recorder is read while it records: read and overwritten add up
 *
 * As overwrite.pml; the first word of a block is its header, with the number of records
 * before it. A reader that has been overtaken goes on at the oldest block and counts by
 * that number. OFF: 1 publish:A, 2 give_up_block:A, 3 still_valid:A when the header has
 * been copied, 4 still_valid:A when the record has been copied.
 */
#define BLOCKS 3
#define RECORDS 7
#define WORDS 7
#define HEAD 0
#define NUMBER(n) (1 + 2 * ((n) % BLOCKS))
#define RECORD(n) (2 + 2 * ((n) % BLOCKS))
#define OLDEST(h) ((h) >= BLOCKS -> (h) - BLOCKS + 1 : 0)
#include "weak.pml"

active proctype writer()
{
	byte n = 0;

	do
	:: n < RECORDS ->
		order_stores(2);
		store(NUMBER(n), n);
		store(RECORD(n), n + 1);
		order_stores(1);
		store(HEAD, n + 1);
		n++
	:: else -> break
	od
}

/* Copy a word, then look at head: the other way round where nothing orders them. */
inline copy(from, into, n)
{
	if
	:: into = memory[from]; again = memory[HEAD]
	:: OFF == n -> again = memory[HEAD]; into = memory[from]
	fi
}

active proctype reader()
{
	byte pos = 0, got = 0, lost = 0, oldest, h, again, value;

	do
	:: pos < RECORDS ->
		memory[HEAD] > pos;
		h = memory[HEAD];
		if
		:: pos < OLDEST(h) ->
			oldest = OLDEST(h);
			copy(NUMBER(oldest), value, 3);
			if
			:: oldest >= OLDEST(again) ->
				lost = lost + value - pos;
				pos = oldest
			:: else -> skip
			fi
		:: else ->
			copy(RECORD(pos), value, 4);
			if
			:: pos >= OLDEST(again) -> assert(value == pos + 1); got++; pos++
			:: else -> skip
			fi
		fi
	:: else -> break
	od;
	assert(got + lost == RECORDS)
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * weak.pml - memory of a weakly ordered machine
 *
 * A store waits in a buffer, one place a word, and gets to memory at any later time, in
 * any order. A store fence, and the release of a store-release, let nobody pass before
 * all earlier stores of the processor are in memory. Loads are done where they stand;
 * where nothing keeps two of them in order, the model itself does them in either.
 *
 * OFF is the number of the ordering that is missing; 0: none.
 */
#ifndef OFF
#define OFF 0
#endif

byte memory[WORDS];
byte buffer[WORDS];
bool waits[WORDS];
byte waiting = 0;	/* stores of the writer */

inline store(word, value)
{
	atomic { !waits[word] -> buffer[word] = value; waits[word] = true; waiting++ }
}

/* ordering @n of the writer: what was stored before is seen before what follows */
inline order_stores(n)
{
	if
	:: OFF == n -> skip
	:: else -> waiting == 0
	fi
}

active proctype write_back()
{
	byte i;
end:
	do
	:: atomic {
		waiting > 0;
		select (i : 0 .. WORDS - 1);
		if
		:: waits[i] -> memory[i] = buffer[i]; waits[i] = false; waiting--
		:: else -> skip
		fi
	}
	od
}

// SPDX-License-Identifier: GPL-2.0
/* PTRC-59 */
#include "suite.h"

#define PAGE "XSH posix_trace_eventset_ismember"

#define IDS 24
#define STEPS 3000

static trace_event_id_t ids[IDS];

/* wrong - how many members a set has that bits do not say, and the other way round */
static int wrong(trace_event_set_t set, uint32_t bits)
{
	int member, n = 0;

	for (int i = 0; i < IDS; i++) {
		need(posix_trace_eventset_ismember(ids[i], &set, &member));
		n += !!member != (bits >> i & 1);
	}
	return n;
}

/* A set beside bits that should say the same */
static void at_random(void)
{
	trace_event_set_t set, copy;
	uint32_t bits = 0, kept = 0;
	unsigned int seed = 1;
	int bad = 0, bad_copies = 0;

	need(posix_trace_eventset_empty(&set));
	copy = set;
	for (int step = 0; step < STEPS; step++) {
		int what = rand_r(&seed) % 8, i = rand_r(&seed) % IDS;

		if (what < 4) {
			need(posix_trace_eventset_add(ids[i], &set));
			bits |= 1u << i;
		} else if (what < 7) {
			need(posix_trace_eventset_del(ids[i], &set));
			bits &= ~(1u << i);
		} else {
			copy = set;
			kept = bits;
		}
		bad += wrong(set, bits);
		bad_copies += wrong(copy, kept);
	}
	same(DESCRIPTION, bad, 0, "%d changes: the set has what it should have", STEPS);
	same("XSH 2.11 and <sys/types.h>", bad_copies, 0, "a copy by assignment is apart");
}

int main(void)
{
	trace_event_set_t set;
	char name[32];
	int member = 77;

	for (int i = 0; i < IDS; i++) {
		snprintf(name, sizeof(name), "member %d", i);
		ids[i] = i < 8 ? POSIX_TRACE_START + i : event(name);
	}
	need(posix_trace_eventset_empty(&set));
	same(RETURNS, posix_trace_eventset_ismember(ids[9], &set, &member), 0, "of an empty set");
	same(DESCRIPTION, member, 0, "it is not");
	need(posix_trace_eventset_add(ids[9], &set));
	same(RETURNS, posix_trace_eventset_ismember(ids[9], &set, &member), 0,
	     "of one that has it");
	check(DESCRIPTION, member != 0, "it is");
	at_random();
	choice(ERRORS, posix_trace_eventset_ismember((trace_event_id_t)-1, &set, &member) == EINVAL,
	       "no event: EINVAL");
	return done();
}

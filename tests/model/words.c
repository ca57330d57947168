// SPDX-License-Identifier: GPL-2.0
/* words.c - see words.h */
#include "words.h"

#include <stdio.h>

static const char *word_name(unsigned int w)
{
	static const char *const ring[] = { "head", "reserve", "suspend", "records", "owner",
					    "generation" };
	static const char *const tail[] = { "tail", "pos 0", "unwritten 0", "corrupt 0",
					    "pos 1", "unwritten 1", "corrupt 1" };
	static char text[32];

	if (w < sizeof(ring) / sizeof(ring[0]))
		return ring[w];
	if (w >= TAIL_WORD && w - TAIL_WORD < sizeof(tail) / sizeof(tail[0]))
		return tail[w - TAIL_WORD];
	snprintf(text, sizeof(text), w < DATA_WORD ? "lost+%u" : "data+%u",
		 8 * (w < DATA_WORD ? w - 8 : w - (unsigned int)DATA_WORD));
	return text;
}

/** trace_access - show an access, if anybody wants to see it */
void trace_access(const char *what, unsigned int w, __u64 value)
{
	if (!machine.is_verbose || machine.actor == ACTOR_SETUP)
		return;
	printf("# %*s%s%u %s %s %#llx\n", machine.actor == ACTOR_READER ? 40 : 4 * machine.level,
	       "", machine.actor == ACTOR_READER ? "reader" : "writer", machine.level, what,
	       word_name(w), (unsigned long long)value);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* shark.h - events of S.Ha.R.K. as the viewer has them */
#ifndef VIEWER_EVENTS_SHARK_H
#define VIEWER_EVENTS_SHARK_H

#include <stdbool.h>

#include <ktrace/traceset.h>
#include <linux/ktrace_shark.h>

#define SHARK_SLOT 16u		/* bytes of an event in a chunk */
#define SHARK_EVENT "log:event"	/* name of an event in a tracefile */

/**
 * struct shark_event - one event
 * @tsc:	stamp
 * @par2:	second parameter
 * @par1:	first parameter
 * @code:	its type; 0 = an empty slot
 */
struct shark_event {
	__u64 tsc;
	__u32 par2;
	__u16 par1;
	__u16 code;
};

/* Decode and encode the 16 bytes of a slot; all numbers in them are little endian. */
void shark_get(const unsigned char slot[SHARK_SLOT], struct shark_event *e);
void shark_put(unsigned char slot[SHARK_SLOT], const struct shark_event *e);

/* True if @event is one of S.Ha.R.K.; then decodes it into @e. */
bool shark_event_of(const struct ktrace_trace_event *event, struct shark_event *e);

/* Returns the code without the bit that tells which function has logged it. */
static inline unsigned int shark_code(const struct shark_event *e)
{
	return e->code & ~KTRACE_SHARK_FAST;
}

/* Returns the ticks per millisecond if this event tells them; else 0. */
__u32 shark_ticks(const struct shark_event *e);

/**
 * struct shark_params - names of the parameters of a code
 * @code:	the code
 * @par1:	name of the first, NULL = it has none
 * @par2:	name of the second, NULL = it has none
 */
struct shark_params {
	__u16 code;
	const char *par1;
	const char *par2;
};

/* Returns NULL if the parameters of this code have no names. */
const struct shark_params *shark_params(unsigned int code);

#endif

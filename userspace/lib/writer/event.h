/* SPDX-License-Identifier: LGPL-2.1 */
/* event.h - the events of all objects of this process */
#ifndef KTRACE_WRITER_EVENT_H
#define KTRACE_WRITER_EVENT_H

#include <linux/types.h>

#include "own.h"

/* By number of an event: its id in each channel, 0 = none. NULL until there are several. */
extern __u16 (*event_ids)[OWN_CHANNELS];

/**
 * event_id - the id of an event in a channel while there are several, 0 = it has none
 *
 * Events without a number have one in the first channel.
 */
static inline __u32 event_id(const struct ktrace_event *ev, const struct channel *ch)
{
	if (kt_likely(ev->number))
		return kt_load(&event_ids[ev->number][ch->index]);
	return ch == own_channel ? (__u16)kt_load(&ev->header) : 0;
}

void events_rest(void);
void events_enter(void);
int events_enter_more(struct channel *ch);
void events_change_first(struct channel *first);
void events_look(void);

#endif

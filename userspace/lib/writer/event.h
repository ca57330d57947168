/* SPDX-License-Identifier: LGPL-2.1 */
/* event.h - the events of all objects of this process */
#ifndef KTRACE_WRITER_EVENT_H
#define KTRACE_WRITER_EVENT_H

#include <linux/types.h>

struct channel;
struct ktrace_event;

__u32 event_id(const struct ktrace_event *ev, const struct channel *ch);
void events_rest(void);
void events_enter(void);
int events_enter_more(const struct channel *ch);
void events_change_first(const struct channel *first);
void events_look(void);

#endif

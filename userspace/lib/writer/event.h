/* SPDX-License-Identifier: LGPL-2.1 */
/* event.h - the events of all objects of this process */
#ifndef KTRACE_WRITER_EVENT_H
#define KTRACE_WRITER_EVENT_H

struct channel;

void events_point_at(const struct channel *ch);
void events_rest(void);

#endif

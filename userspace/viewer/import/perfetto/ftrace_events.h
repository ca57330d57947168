/* SPDX-License-Identifier: GPL-2.0 */
/* ftrace_events.h - events of the kernel's tracer that only descriptions name, see schema.h */
#ifndef VIEWER_IMPORT_PERFETTO_FTRACE_EVENTS_H
#define VIEWER_IMPORT_PERFETTO_FTRACE_EVENTS_H

#include "perfetto.pb-c.h"

#include <linux/types.h>

struct conversion;
struct packet;
struct schema_field;

/* Learns the events that a bundle describes. Return: 0, -ENOMEM. */
int ftrace_describe(struct conversion *c, const struct packet *bundle);
/* Tells how many places of the kernel's buffer the recorder could not read. */
__u64 ftrace_errors(const struct packet *bundle);
/* Returns the description of an event; NULL: it has none */
const struct schema_field *ftrace_event_field(struct conversion *c,
					      const Perfetto__Protos__FtraceEvent *e);
/* Puts the fields of such an event into the current event. */
void ftrace_event_content(struct conversion *c, const Perfetto__Protos__FtraceEvent *e);

#endif

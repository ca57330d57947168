// SPDX-License-Identifier: LGPL-2.1
/*
 * event.c - give ids to the events of a program, library or plug-in
 *
 * Events need not be unregistered: once the code of an object is unmapped, no code is left to test
 * whether its events are on.
 */
#define KTRACE_LIBRARY
#include <ktrace/writer.h>

#include "attach.h"
#include "channel.h"
#include "front.h"
#include "registry.h"
#include "system.h"

static void register_event(struct ktrace_event *ev)
{
	__u16 id;

	/*
	 * Each source file of an object registers all of the object's events: one refusal is
	 * enough.
	 */
	if (kt_load(&ev->enabled) != &ev->off || ev->is_refused)
		return;
	id = registry_event(ev->desc);
	ev->is_refused = !id;
	if (!id)
		return;
	ev->header |= id;
	/* ORD(event_switch_on:A) pairs ORD(event_is_on:A): the id is stored before the switch */
	kt_store_release(&ev->enabled, &channel.enable[id]);
}

void ktrace_events_register(struct ktrace_event *const *begin, struct ktrace_event *const *end)
{
	int saved = errno;

	/*
	 * False if attaching itself led to this call: the constructor of these events still
	 * follows.
	 */
	if (attach_once() && channel_is_attached()) {
		front_place();
		for (; begin < end; begin++)
			register_event(*begin);
	}
	errno = saved;
}

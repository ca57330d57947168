// SPDX-License-Identifier: LGPL-2.1
/*
 * selection.c - which user events are on, also if that changes while programs run
 *
 * A writer compares the name of an event with the filter when it registers it, and gets an id from
 * the range of those that are initially on or off. Once the filter has been changed, ids no longer
 * tell: the owner compares the names of all events that it has read from the registry, and of each
 * that it reads later.
 *
 * The filter's text is changed in place. A writer that reads it meanwhile may see a mixture, within
 * bounds, and decide wrongly; the owner corrects that when it reads the entry.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob_list.h"

/* selection_starts_on - whether events with this id are enabled when the session starts */
bool selection_starts_on(__u32 id)
{
	return id < KTRACE_ID_OFF || (id >= KTRACE_ID_MORE && id < KTRACE_ID_MORE_OFF);
}

static void choose(struct ktrace_session *s, __u32 id)
{
	const char *name = s->names[id];

	s->wanted[id] = name ? glob_list_matches(s->filter, sizeof(s->filter), name, strlen(name)) :
			       selection_starts_on(id);
}

/* selection_learn - remember the name of a new EVENT entry; without memory its id decides */
void selection_learn(struct ktrace_session *s, const struct ktrace_entry_copy *entry)
{
	size_t len = strcspn(entry->text, "{");

	if (entry->id >= KTRACE_ID_ALL)
		return;
	free(s->names[entry->id]);
	s->names[entry->id] = strndup(entry->text, len < EVENT_NAME_MAX ? len : EVENT_NAME_MAX);
	if (!s->is_selected)
		return;
	choose(s, entry->id);
	s->must_poke |= session_show_event(s, entry->id);
}

void selection_exit(struct ktrace_session *s)
{
	for (__u32 id = 0; id < KTRACE_ID_ALL; id++)
		free(s->names[id]);
}

int ktrace_session_select(struct ktrace_session *s, const char *filter)
{
	const struct ktrace_control *c = &s->user.control;

	if (!s->user.map)
		return -ENOENT;
	if (!filter)
		filter = "";
	if (strlen(filter) >= sizeof(s->filter) || strlen(filter) >= c->filter_size)
		return -EINVAL;
	strcpy(s->filter, filter);
	s->is_selected = true;
	memcpy(s->user.map + c->filter_off, filter, strlen(filter) + 1);
	for (__u32 id = KTRACE_ID_FIRST; id < KTRACE_ID_ALL; id++)
		choose(s, id);
	session_show_events(s);
	return 0;
}

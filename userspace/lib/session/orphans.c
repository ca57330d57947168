// SPDX-License-Identifier: LGPL-2.1
/*
 * orphans.c - sessions whose owner died: find them, take them over, remove them
 *
 * Also the note, which describes a session and names the file it is written to. The owner writes it
 * once, before the session runs.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct session_backend *const backends[] = {
	&session_backend_dev,
	&session_backend_shm,
};

static const struct session_backend *backend_of(const struct ktrace_stale *which)
{
	return which->backend == KTRACE_BACKEND_DEV ? &session_backend_dev : &session_backend_shm;
}

size_t ktrace_session_list_stale(struct ktrace_stale *list, size_t max)
{
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++)
		backends[i]->list(list, max, &nr);
	return nr;
}

int ktrace_session_adopt(const struct ktrace_stale *which, struct ktrace_session **out,
			 char *reason)
{
	struct ktrace_session *s = session_alloc();
	int error;

	*out = s;
	if (!s)
		return -ENOMEM;
	s->backend = backend_of(which);
	error = s->backend->adopt(s, which);
	if (!error)
		error = registry_init(&s->registry, &s->user);
	if (!error) {
		session_show_events(s);
		return 0;
	}
	s->backend->leave(s);
	if (reason)
		memcpy(reason, s->reason, KTRACE_REASON_SIZE);
	*out = NULL;
	free(s);
	return error;
}

int ktrace_session_discard(const struct ktrace_stale *which)
{
	return backend_of(which)->discard(which);
}

int ktrace_session_set_note(struct ktrace_session *s, const char *text)
{
	const struct ktrace_control *c = &s->user.control;
	size_t size = strlen(text) + 1;

	if (!s->user.map || size > c->note_size)
		return -E2BIG;
	memcpy(s->user.map + c->note_off, text, size);
	return 0;
}

char *ktrace_session_note(const struct ktrace_session *s)
{
	const struct ktrace_control *c = &s->user.control;
	size_t size = s->user.map ? c->note_size : 0;
	char *copy = malloc(size + 1);

	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, s->user.map + c->note_off, size);
	copy[size] = '\0';
	return copy;
}

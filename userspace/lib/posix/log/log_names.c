// SPDX-License-Identifier: LGPL-2.1
/*
 * log_names.c - event types and threads of a log
 *
 * Ids in a file are those of the event types, unless a file is extended: then an existing name
 * keeps its id, and a new name gets a free id.
 */
#include "log_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const struct log_name *find_name(const struct posix_log *log, const char *name)
{
	for (size_t i = 0; i < log->name_nr; i++)
		if (!strcmp(log->names[i].name, name))
			return &log->names[i];
	return NULL;
}

static bool is_taken(const struct posix_log *log, __u32 id)
{
	for (size_t i = 0; i < log->name_nr; i++)
		if (log->names[i].id == id)
			return true;
	return false;
}

/* Notes that the file has type @id with name @name. Returns 0 or ENOMEM. */
int ktrace_posix_log_take_name(struct posix_log *log, __u32 id, const char *name)
{
	char *copy = strdup(name);

	if (!copy || !LIST_RESIZE(log->names, log->name_nr + 1)) {
		free(copy);
		return ENOMEM;
	}
	log->names[log->name_nr++] = (struct log_name){ id, copy };
	return 0;
}

/* Returns a free id, if possible the type's own; 0 = none is left. */
static __u32 free_id(const struct posix_log *log, trace_event_id_t event)
{
	const __u32 first = POSIX_ID_BASE + POSIX_TRACE_UNNAMED_USEREVENT + 1;
	__u32 id = POSIX_ID_BASE + event;

	for (__u32 tries = 0; tries < POSIX_ID_NR; tries++) {
		if (!is_taken(log, id))
			return id;
		id = id + 1 < POSIX_ID_BASE + POSIX_ID_NR ? id + 1 : first;
	}
	return 0;
}

bool ktrace_posix_log_has_name(const struct posix_log *log, trace_event_id_t event)
{
	return event < POSIX_ID_NR && log->ids[event];
}

int ktrace_posix_log_name(struct posix_log *log, trace_event_id_t event, const char *name)
{
	const struct log_name *known = find_name(log, name);
	__u32 id;
	int ret;

	if (event <= POSIX_TRACE_UNNAMED_USEREVENT || event >= POSIX_ID_NR ||
	    strlen(name) > TRACE_EVENT_NAME_MAX)
		return EINVAL;
	if (ktrace_posix_log_has_name(log, event))
		return 0;
	id = known ? known->id : free_id(log, event);
	if (known || !id) {
		/* A type without an id is recorded as unnamed. */
		log->ids[event] = (__u16)(id ? id : POSIX_ID_BASE + POSIX_TRACE_UNNAMED_USEREVENT);
		return 0;
	}
	ret = ktrace_posix_log_take_name(log, id, name);
	if (ret)
		return ret;
	log->ids[event] = (__u16)id;
	ktrace_posix_meta_event(&log->text, id, name);
	return 0;
}

/* Maps a set of types to their ids in the file. */
void ktrace_posix_log_map_set(const struct posix_log *log, trace_event_set_t *set)
{
	const trace_event_set_t from = *set;
	__u32 id;

	*set = (trace_event_set_t){ { 0 } };
	for (trace_event_id_t event = 0; event < POSIX_ID_NR; event++) {
		if (!(from.__word[event / 64] >> event % 64 & 1))
			continue;
		id = log->ids[event] ? log->ids[event] : POSIX_ID_BASE + event;
		/* The id of an unnamed type may be another type's here. */
		if (!log->ids[event] && is_taken(log, id))
			continue;
		id -= POSIX_ID_BASE;
		set->__word[id / 64] |= 1ull << id % 64;
	}
}

/* Writes all names again because the file lost them. Returns 0 or -ENOMEM. */
int ktrace_posix_log_say_names(struct posix_log *log)
{
	for (size_t i = 0; i < log->name_nr; i++)
		ktrace_posix_meta_event(&log->text, log->names[i].id, log->names[i].name);
	log->seen_nr = 0;
	memset(log->seen, 0, sizeof(log->seen));
	return log->text.error;
}

/* True if the thread is new. The table has no deletion; once it is nearly full, none is new. */
static bool is_new_thread(struct posix_log *log, __u32 tid)
{
	size_t i = tid * 2654435761u % LOG_THREADS;

	for (; log->seen[i]; i = (i + 1) % LOG_THREADS)
		if (log->seen[i] == tid)
			return false;
	if (log->seen_nr >= LOG_THREADS / 4 * 3)
		return false;
	log->seen[i] = tid;
	log->seen_nr++;
	return true;
}

/* Writes the names of an event's process and thread, once each. */
void ktrace_posix_log_meet(struct posix_log *log, __u32 pid, __u32 tid, __u64 ts)
{
	if (pid && is_new_thread(log, pid))
		ktrace_text_process(&log->text, pid, ts);
	if (pid && tid && tid != pid && is_new_thread(log, tid))
		ktrace_text_thread(&log->text, pid, tid, ts);
}

void ktrace_posix_log_free_names(struct posix_log *log)
{
	for (size_t i = 0; i < log->name_nr; i++)
		free(log->names[i].name);
	free(log->names);
}

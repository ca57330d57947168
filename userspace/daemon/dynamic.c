// SPDX-License-Identifier: GPL-2.0
/*
 * dynamic.c - events of the kernel's own that -e names: tracepoints and dynamic probes
 *
 * tracefs says which there are, what their numbers are, and what their records look like. The
 * session gives each number an event id; the description goes into the file as it is.
 * A probe is an event like others once it is made.
 */
#include "dynamic.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/decode.h>

#include "entries.h"
#include "log.h"
#include "tracefs.h"

bool dynamic_is(const char *item)
{
	return kprobe_is(item) || (!strncmp(item, "tp:", 3) && strchr(item + 3, ':'));
}

/* The next item of a list, without the blanks around it; NULL = there is none. */
static char *next_item(char **rest)
{
	char *item, *end;

	while ((item = strsep(rest, ","))) {
		item += strspn(item, " ");
		for (end = item + strlen(item); end > item && end[-1] == ' '; end--)
			end[-1] = '\0';
		if (*item)
			break;
	}
	return item;
}

bool dynamic_wants(const char *events)
{
	char list[KTRACE_FILTER_SIZE], *rest = list, *item;

	entries_strip(events ? events : "", list, sizeof(list));
	while ((item = next_item(&rest)))
		if (dynamic_is(item))
			return true;
	return false;
}

static void free_event(struct dynamic_event *e)
{
	free(e->name);
	free(e->item);
	free(e->path);
	free(e->format);
}

/* ---- one event ---- */

static char *read_event_file(const char *path, const char *file)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "events/%s/%s", path, file);
	return tracefs_read(name);
}

static int number_of(const char *path, __u32 *number)
{
	char *text = read_event_file(path, "id");
	int error = text ? 0 : -ENOENT;

	if (text)
		*number = (__u32)strtoul(text, NULL, 10);
	free(text);
	return error;
}

/* Even root gets EPERM, for functions that recording itself would hit. */
static const char *hint_of(int error)
{
	return (error == -EPERM || error == -EACCES) && geteuid() ? "; it takes CAP_PERFMON" : "";
}

/* With a pattern, events that cannot be recorded are skipped. */
static void note_refused(struct dynamic *d, const char *name, int error)
{
	if (!d->skipped++)
		snprintf(d->refused, sizeof(d->refused), "%s: %s%s", name, strerror(-error),
			 hint_of(error));
}

/* Says so if the description cannot be read: the events are recorded, and remain bytes. */
static int check_format(const struct dynamic_event *e)
{
	struct ktrace_format_error wrong;
	struct ktrace_event_type *type = NULL;
	int error = ktrace_event_type_read_format(e->name, e->format, &type, &wrong);

	if (error == -EINVAL)
		log_note("%s: the kernel's description of its fields cannot be read, line %u, "
			 "column %u: %s; its events are shown as bytes", e->name, wrong.line,
			 wrong.column, wrong.message);
	ktrace_event_type_free(type);
	return error == -EINVAL ? 0 : error;
}

static int add(struct dynamic *d, struct ktrace_session *s, struct dynamic_event *e)
{
	struct dynamic_event *events = realloc(d->events, (d->nr + 1) * sizeof(*events));
	__u32 number = 0;
	int error;

	if (!events)
		return -ENOMEM;
	d->events = events;
	if (!e->name || !e->path)
		return -ENOMEM;
	error = number_of(e->path, &number);
	if (!error)
		error = ktrace_session_tracepoint(s, number, &e->id);
	if (error)
		return error;
	e->format = read_event_file(e->path, "format");
	if (!e->format)
		return -ENOENT;
	error = check_format(e);
	if (!error)
		d->events[d->nr++] = *e;
	return error;
}

/* ---- tracepoints ---- */

static struct dynamic_event *find_path(const struct dynamic *d, const char *path)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(d->events[i].path, path))
			return &d->events[i];
	return NULL;
}

/* @path: "SYSTEM/EVENT" */
static int want_path(struct dynamic *d, struct ktrace_session *s, const char *path)
{
	struct dynamic_event e = { .is_wanted = true }, *known = find_path(d, path);
	int error;

	if (known) {
		known->is_wanted = true;
		return 0;
	}
	e.path = strdup(path);
	e.name = strdup(path);
	if (e.name)
		*strchr(e.name, '/') = ':';
	error = add(d, s, &e);
	if (error && error != -ENOMEM)
		note_refused(d, e.name, error);
	if (error)
		free_event(&e);
	return error == -ENOMEM ? error : 0;
}

/* The events that "SYSTEM:EVENT" matches, other recordings' probes left out. */
static int want_tracepoints(struct dynamic *d, struct ktrace_session *s, const char *item)
{
	const char *dir = tracefs_dir(), *colon = strchr(item, ':');
	char pattern[PATH_MAX];
	size_t head;
	glob_t found;
	int error = 0;

	if (strchr(item, '/')) {
		log_note("-e: no tracepoint is called %s", item);
		return 0;
	}
	head = (size_t)snprintf(pattern, sizeof(pattern), "%s/events/", dir);
	snprintf(pattern + head, sizeof(pattern) - head, "%.*s/%s/id", (int)(colon - item), item,
		 colon + 1);
	if (glob(pattern, 0, NULL, &found)) {
		log_note("-e: no tracepoint is called %s; those there are: %s/events", item, dir);
		return 0;
	}
	for (size_t i = 0; i < found.gl_pathc && !error; i++) {
		char *path = found.gl_pathv[i] + head;

		path[strlen(path) - strlen("/id")] = '\0';
		if (strncmp(path, "ktrace_", 7))
			error = want_path(d, s, path);
	}
	globfree(&found);
	return error;
}

/* ---- probes ---- */

static int want_probe(struct dynamic *d, struct ktrace_session *s, const char *item, char *reason)
{
	struct dynamic_event e = { .is_wanted = true };
	char path[128];
	int error;

	for (size_t i = 0; i < d->nr; i++)
		if (d->events[i].item && !strcmp(d->events[i].item, item)) {
			d->events[i].is_wanted = true;
			return 0;
		}
	error = kprobe_make(&d->probes, item, path, sizeof(path), reason);
	if (error)
		return error;
	e.path = strdup(path);
	e.item = strdup(item);
	e.name = kprobe_name(item);
	error = add(d, s, &e);
	if (error) {
		snprintf(reason, KPROBE_REASON_MAX, "%s: %s%s", item, strerror(-error),
			 hint_of(error));
		free_event(&e);
	}
	return error;
}

/* ---- all of them ---- */

static int want_all(struct dynamic *d, struct ktrace_session *s, const char *events, char *reason)
{
	char list[KTRACE_FILTER_SIZE], *rest = list, *item;
	int error = 0;

	entries_strip(events, list, sizeof(list));
	while (!error && (item = next_item(&rest))) {
		if (!dynamic_is(item))
			continue;
		if (!tracefs_dir()) {
			log_note("-e %s: tracefs cannot be read: is it mounted, and is this root? "
				 "mount -t tracefs tracefs /sys/kernel/tracing", item);
			continue;
		}
		if (kprobe_is(item))
			error = want_probe(d, s, item, reason);
		else
			error = want_tracepoints(d, s, item + 3);
	}
	if (error == -ENOMEM)
		snprintf(reason, KPROBE_REASON_MAX, "%s", strerror(ENOMEM));
	return error;
}

/* As want_tracepoints() and want_probe() find it. */
bool dynamic_matches(const char *item, const struct dynamic_event *e)
{
	char pattern[PATH_MAX];
	const char *colon;

	item += strspn(item, " ");
	if (e->item)
		return !strcmp(item, e->item);
	if (!dynamic_is(item) || kprobe_is(item))
		return false;
	item += strlen("tp:");
	colon = strchr(item, ':');
	snprintf(pattern, sizeof(pattern), "%.*s/%s", (int)(colon - item), item, colon + 1);
	return !fnmatch(pattern, e->path, FNM_PATHNAME | FNM_PERIOD);
}

void dynamic_switch(struct dynamic *d, struct ktrace_session *s)
{
	for (size_t i = 0; i < d->nr; i++) {
		struct dynamic_event *e = &d->events[i];
		int error;

		if (e->is_on == e->is_wanted)
			continue;
		error = ktrace_session_enable(s, KTRACE_CHANNEL_KERNEL, e->id, e->is_wanted);
		if (error)
			note_refused(d, e->name, error);
		else
			e->is_on = e->is_wanted;
	}
	if (d->skipped)
		log_note("%u tracepoint%s cannot be recorded, the first is %s", d->skipped,
			 d->skipped == 1 ? "" : "s", d->refused);
}

int dynamic_choose(struct dynamic *d, struct ktrace_session *s, const char *events, char *reason)
{
	d->skipped = 0;
	for (size_t i = 0; i < d->nr; i++)
		d->events[i].is_wanted = false;
	return want_all(d, s, events ? events : "", reason);
}

void dynamic_meta(struct dynamic *d, struct ktrace_text *t)
{
	for (size_t i = 0; i < d->nr; i++) {
		struct dynamic_event *e = &d->events[i];

		if (e->is_told)
			continue;
		e->is_told = true;
		ktrace_text_line(t, "format");
		ktrace_text_u64(t, "id", e->id);
		ktrace_text_str(t, "name", e->name);
		if (e->item)
			ktrace_text_str(t, "probe", e->item);
		ktrace_text_str(t, "text", e->format);
	}
}

void dynamic_end(struct dynamic *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		struct dynamic_event *e = &d->events[i];
		__u64 missed = e->item ? kprobe_missed(e->path) : 0;

		if (missed)
			log_error("%s: the kernel missed %llu hits", e->name,
				  (unsigned long long)missed);
		free_event(e);
	}
	free(d->events);
	kprobe_remove_all(&d->probes);
	*d = (struct dynamic){ 0 };
}

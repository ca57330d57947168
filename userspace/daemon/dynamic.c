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

#include "entries.h"
#include "functions.h"
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
	d->events[d->nr++] = *e;
	return 0;
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
	if (error && reason)
		snprintf(reason, KPROBE_REASON_MAX, "%s: %s%s", item, strerror(-error),
			 hint_of(error));
	if (error)
		free_event(&e);
	return error;
}

/**
 * struct probing - probes on the functions of one pattern
 * @item:	the pattern's item of -e
 * @made:	so many functions have one
 * @refused:	the kernel has refused so many
 * @first:	the first of those
 * @reason:	and why
 */
struct probing {
	const char *item;
	size_t made;
	size_t refused;
	char first[128];
	char reason[KPROBE_REASON_MAX];
};

/* Without numbers or memory for one there is none for the next. */
static int want_function(struct dynamic *d, struct ktrace_session *s, struct probing *p,
			 const char *function)
{
	char *item = kprobe_expand(p->item, function);
	int error = item ? want_probe(d, s, item, p->refused ? NULL : p->reason) : -ENOMEM;

	free(item);
	if (!error)
		p->made++;
	else if (error == -ENOMEM || error == -ENOSPC)
		return error;
	else if (!p->refused++)
		snprintf(p->first, sizeof(p->first), "%s", function);
	return 0;
}

/* How many there are is said before the first one is made. */
static int check_functions(const struct functions *f, const char *item, char *reason)
{
	const int n = (int)strcspn(item, " ");
	char barred[200] = "";

	if (f->barred)
		snprintf(barred, sizeof(barred), "; %zu more cannot be probed, e.g. %s", f->barred,
			 f->example);
	if (f->nr && f->nr <= FUNCTIONS_MAX) {
		log_note("%.*s: %zu function%s%s", n, item, f->nr, f->nr == 1 ? "" : "s", barred);
		return 0;
	}
	if (f->nr)
		snprintf(reason, KPROBE_REASON_MAX, "%.*s: %zu functions, and one pattern may "
			 "mean %u: one that means fewer will do, or several%s", n, item, f->nr,
			 FUNCTIONS_MAX, barred);
	else
		snprintf(reason, KPROBE_REASON_MAX, "%.*s: no function is called so%s", n, item,
			 f->barred ? barred : ", or /proc/kallsyms cannot be read");
	return f->nr ? -E2BIG : -ENOENT;
}

static int end_probing(const struct probing *p, int error, char *reason)
{
	const int n = (int)strcspn(p->item, " ");

	if (error) {
		snprintf(reason, KPROBE_REASON_MAX, "%.*s: %s after %zu functions: at most %u "
			 "tracepoints and probes can be recorded at a time", n, p->item,
			 strerror(-error), p->made, KTRACE_EV_DYNAMIC_NR);
		return error;
	}
	if (!p->made) {
		snprintf(reason, KPROBE_REASON_MAX, "%s", p->reason);
		return -EINVAL;
	}
	if (p->refused)
		log_note("%.*s: the kernel refuses %zu of these functions, the first is %s: %.*s",
			 n, p->item, p->refused, p->first, (int)strcspn(p->reason, "\n"),
			 p->reason);
	return 0;
}

static int want_probes(struct dynamic *d, struct ktrace_session *s, const char *item, char *reason)
{
	char *pattern = kprobe_pattern(item);
	struct probing *p = calloc(1, sizeof(*p));
	struct functions f = { 0 };
	int error = pattern && p ? functions_find(pattern, &f) : -ENOMEM;

	free(pattern);
	if (!error)
		error = check_functions(&f, item, reason);
	if (!error) {
		p->item = item;
		for (size_t i = 0; i < f.nr && !error; i++)
			error = want_function(d, s, p, f.names[i]);
		error = end_probing(p, error, reason);
	}
	functions_free(&f);
	free(p);
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
		if (kprobe_is_pattern(item))
			error = want_probes(d, s, item, reason);
		else if (kprobe_is(item))
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
		return kprobe_is(item) && kprobe_matches(item, e->item);
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

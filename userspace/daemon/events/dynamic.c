// SPDX-License-Identifier: GPL-2.0
/*
 * dynamic.c - tracepoints and dynamic probes of the kernel that -e names
 *
 * tracefs lists them, their numbers and the layout of their records. The session gives each
 * number an event id; the description goes into the file unchanged. Once created, a probe is
 * an event like any other.
 */
#include "dynamic.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ktrace/decode.h>
#include <ktrace/nearest.h>

#include "base/grow.h"
#include "base/lockdown.h"
#include "base/log.h"
#include "event_rules.h"
#include "functions.h"
#include "tracefs.h"

/* Tracepoints with missed hits that are reported one by one */
#define MISSED_LINES 8

bool dynamic_is(const char *item)
{
	return kprobe_is(item) || (!strncmp(item, "tp:", 3) && strchr(item + 3, ':'));
}

/* Takes the next item of a list, without the blanks around it; NULL = there is none. */
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

	event_rules_strip(events ? events : "", list, sizeof(list));
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

/* Root gets EPERM, too, for functions that recording itself would hit. */
static const char *hint_of(int error)
{
	if (error != -EPERM && error != -EACCES)
		return "";
	return lockdown_is_on() ? "; " LOCKDOWN_WHY : geteuid() ? "; it needs CAP_PERFMON" : "";
}

/* Notes an event that cannot be recorded; with a pattern, such events are skipped. */
static void note_refused(struct dynamic *d, const char *name, int error)
{
	if (!d->skipped++)
		snprintf(d->refused, sizeof(d->refused), "%s: %s%s", name, strerror(-error),
			 hint_of(error));
}

/* Reports an unreadable description; such events are recorded, and shown as bytes. */
static int check_format(const struct dynamic_event *e)
{
	struct ktrace_format_error wrong;
	struct ktrace_event_type *type = NULL;
	int error = ktrace_event_type_read_format(e->name, e->format, &type, &wrong);

	if (error == -EINVAL)
		log_note("%s: cannot parse the kernel's description of its fields: line %u, column "
			 "%u: %s; its events are shown as bytes", e->name, wrong.line,
			 wrong.column, wrong.message);
	ktrace_event_type_free(type);
	return error == -EINVAL ? 0 : error;
}

static int add(struct dynamic *d, struct ktrace_session *s, struct dynamic_event *e)
{
	__u32 number = 0;
	int error;

	if (!LIST_RESIZE(d->events, d->nr + 1))
		return -ENOMEM;
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

/* Tries all names below @folder of tracefs, each prefixed by @head. */
static void try_folder(struct ktrace_nearest *near, const char *folder, const char *head)
{
	char path[PATH_MAX], name[KTRACE_NEAREST_MAX];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", tracefs_dir(), folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.' && snprintf(name, sizeof(name), "%s%s", head, e->d_name) <
		    (int)sizeof(name))
			ktrace_nearest_try(near, name);
	if (dir)
		closedir(dir);
}

/* Finds the nearest event of the item's system, or else the nearest system. */
static void find_nearest(struct ktrace_nearest *near, char name[KTRACE_NEAREST_MAX],
			 const char *item)
{
	const int size = (int)strcspn(item, ":");
	char folder[PATH_MAX], head[KTRACE_NEAREST_MAX];

	snprintf(folder, sizeof(folder), "events/%.*s", size, item);
	snprintf(head, sizeof(head), "%.*s:", size, item);
	snprintf(name, KTRACE_NEAREST_MAX, "%s", item);
	ktrace_nearest_init(near, name);
	try_folder(near, folder, head);
	if (*near->name)
		return;
	snprintf(name, KTRACE_NEAREST_MAX, "%.*s", size, item);
	ktrace_nearest_init(near, name);
	try_folder(near, "events", "");
}

/* True if the system of @item has the name of a module of this kernel. */
static bool is_of_module(const char *item)
{
	char path[PATH_MAX], line[4096], file[256];
	struct utsname kernel;
	bool is_found = false;
	FILE *f;

	uname(&kernel);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", kernel.release);
	snprintf(file, sizeof(file), "/%.*s.ko", (int)strcspn(item, ":"), item);
	f = fopen(path, "re");
	while (f && !is_found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ":")] = '\0';
		is_found = strstr(line, file);
	}
	if (f)
		fclose(f);
	return is_found;
}

/*
 * Handles an item that matches no tracepoint. If no event is similar, a module that is loaded later
 * may define it, and only the end of the recording shows that. Return: 0 or -ENOENT.
 */
static int no_tracepoint(const char *item, char *reason)
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];

	find_nearest(&near, name, item);
	if (!*near.name || is_of_module(item)) {
		log_note("-e tp:%.256s: the kernel has no such tracepoint, unless a module defines "
			 "it later", item);
		return 0;
	}
	snprintf(reason, KPROBE_REASON_MAX, "tp:%.256s: the kernel has no such tracepoint%s", item,
		 strcmp(near.name, name) ? ktrace_nearest_hint(&near) : "");
	return -ENOENT;
}

/* Adds the events that "SYSTEM:EVENT" matches, except probes of other recordings. */
static int want_tracepoints(struct dynamic *d, struct ktrace_session *s, const char *item,
			    char *reason)
{
	const char *dir = tracefs_dir(), *colon = strchr(item, ':');
	const unsigned int skipped = d->skipped;
	unsigned int tried = 0;
	char pattern[PATH_MAX];
	size_t head;
	glob_t found;
	int error = 0;

	if (strchr(item, '/'))
		return no_tracepoint(item, reason);
	head = (size_t)snprintf(pattern, sizeof(pattern), "%s/events/", dir);
	snprintf(pattern + head, sizeof(pattern) - head, "%.*s/%s/id", (int)(colon - item), item,
		 colon + 1);
	if (glob(pattern, 0, NULL, &found))
		return d->is_again ? 0 : no_tracepoint(item, reason);
	for (size_t i = 0; i < found.gl_pathc && !error; i++) {
		char *path = found.gl_pathv[i] + head;

		path[strlen(path) - strlen("/id")] = '\0';
		if (kprobe_is_group(path))
			continue;
		error = want_path(d, s, path);
		tried++;
	}
	globfree(&found);
	if (error || d->skipped - skipped < tried)
		return error;
	if (!tried)
		return no_tracepoint(item, reason);
	snprintf(reason, KPROBE_REASON_MAX, "tp:%.256s: the kernel does not allow recording it: %s",
		 item, d->refused);
	return -EOPNOTSUPP;
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
 * @made:	number of functions that have a probe
 * @refused:	number of functions that the kernel has refused
 * @first:	the first refused function
 * @reason:	why it was refused
 */
struct probing {
	const char *item;
	size_t made;
	size_t refused;
	char first[128];
	char reason[KPROBE_REASON_MAX];
};

/* Fails only if numbers or memory ran out: then the next function would fail, too. */
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

/* Reports the number of functions before probing the first. @is_again: already reported */
static int check_functions(const struct functions *f, const char *item, bool is_again,
			   char *reason)
{
	const int n = (int)strcspn(item, " ");
	char barred[200] = "";

	if (f->barred)
		snprintf(barred, sizeof(barred), "; %zu more cannot be probed, e.g. %s", f->barred,
			 f->example);
	if (f->nr && f->nr <= FUNCTIONS_MAX) {
		if (!is_again)
			log_note("%.*s: %zu function%s%s", n, item, f->nr, f->nr == 1 ? "" : "s",
				 barred);
		return 0;
	}
	if (f->nr)
		snprintf(reason, KPROBE_REASON_MAX, "%.*s: the pattern matches %zu functions, but "
			 "the limit is %u; use a narrower pattern, or several%s", n, item, f->nr,
			 FUNCTIONS_MAX, barred);
	else
		snprintf(reason, KPROBE_REASON_MAX, "%.*s: no function matches%s", n, item,
			 f->barred ? barred : ", or /proc/kallsyms is not readable");
	return f->nr ? -E2BIG : -ENOENT;
}

static int end_probing(const struct probing *p, int error, bool is_again, char *reason)
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
	if (p->refused && !is_again)
		log_note("%.*s: the kernel refuses probes in %zu of these functions; the first is "
			 "%s: %.*s", n, p->item, p->refused, p->first,
			 (int)strcspn(p->reason, "\n"), p->reason);
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
		error = check_functions(&f, item, d->is_again, reason);
	if (!error) {
		p->item = item;
		for (size_t i = 0; i < f.nr && !error; i++)
			error = want_function(d, s, p, f.names[i]);
		error = end_probing(p, error, d->is_again, reason);
	}
	functions_free(&f);
	free(p);
	return error;
}

/* ---- all of them ---- */

static int want_item(struct dynamic *d, struct ktrace_session *s, const char *item, char *reason)
{
	if (!tracefs_dir()) {
		snprintf(reason, KPROBE_REASON_MAX, "%.256s: cannot read tracefs; as root, mount "
			 "it with: mount -t tracefs tracefs /sys/kernel/tracing", item);
		return -ENOENT;
	}
	if (kprobe_is_pattern(item))
		return want_probes(d, s, item, reason);
	return kprobe_is(item) ? want_probe(d, s, item, reason) :
				 want_tracepoints(d, s, item + 3, reason);
}

/* Continues after a failure, to report all errors: @reason gets the lines of each entry. */
static int want_all(struct dynamic *d, struct ktrace_session *s, const char *events, char *reason)
{
	char list[KTRACE_FILTER_SIZE], one[KPROBE_REASON_MAX], *rest = list, *item;
	int error = 0, ret;
	size_t len = 0;

	*reason = '\0';
	event_rules_strip(events, list, sizeof(list));
	while (error != -ENOMEM && (item = next_item(&rest))) {
		ret = dynamic_is(item) ? want_item(d, s, item, one) : 0;
		if (ret == -ENOMEM)
			snprintf(one, sizeof(one), "%s", strerror(ENOMEM));
		/* Refusals of an earlier call have been reported. */
		if (!ret || (d->is_again && ret != -ENOMEM))
			continue;
		error = !error || ret == -ENOMEM ? ret : error;
		if (len < KPROBE_REASON_MAX)
			len += (size_t)snprintf(reason + len, KPROBE_REASON_MAX - len, "%s%s",
						len ? "\n" : "", one);
	}
	return error;
}

/* Matches like want_tracepoints() and want_probe(). */
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

bool dynamic_lacks(const struct dynamic *d, const char *item)
{
	if (!dynamic_is(item) || kprobe_is(item))
		return false;
	for (size_t i = 0; i < d->nr; i++)
		if (dynamic_matches(item, &d->events[i]))
			return false;
	return true;
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
	if (d->skipped && !d->is_again)
		log_note("%u tracepoint%s cannot be recorded; the first is %s", d->skipped,
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

void dynamic_missed(const struct dynamic *d, struct ktrace_session *s, struct ktrace_text *t)
{
	__u64 missed, others = 0;
	unsigned int nr = 0;

	for (size_t i = 0; i < d->nr; i++) {
		const struct dynamic_event *e = &d->events[i];

		if (ktrace_session_missed(s, e->id, &missed) || !missed)
			continue;
		ktrace_text_line(t, "missed");
		ktrace_text_str(t, "name", e->name);
		ktrace_text_u64(t, "count", missed);
		if (nr++ < MISSED_LINES)
			log_error("%s: the kernel dropped %llu hits, because it was recording "
				  "another one or a BPF program filtered them out", e->name,
				  (unsigned long long)missed);
		else
			others += missed;
	}
	if (others)
		log_error("%u other tracepoints: the kernel dropped %llu hits", nr - MISSED_LINES,
			  (unsigned long long)others);
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

// SPDX-License-Identifier: GPL-2.0
/* event_select.c - selects the events that a command shows */
#include "event_select.h"

#include "base/event_glob.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Translates "syscall:openat" to a filter for events that do not have this name. Return: 0,
 * -ENOMEM.
 */
static int make_calls(struct event_select_glob *g)
{
	char *calls, *text = NULL;
	int ret;

	if (!ktrace_calls_is(g->text))
		return 0;
	calls = ktrace_calls_expression(g->text);
	if (!calls || asprintf(&text, "event.family == syscall && %s", calls) < 0)
		text = NULL;
	free(calls);
	ret = text ? ktrace_filter_parse(text, NULL, &g->calls, NULL) : -ENOMEM;
	free(text);
	return ret;
}

static bool add_glob(struct event_select *s, const char *glob)
{
	struct event_select_glob *globs = realloc(s->globs, (s->glob_nr + 1) * sizeof(*globs));

	if (!globs)
		return false;
	s->globs = globs;
	globs[s->glob_nr] = (struct event_select_glob){ .text = strdup(glob) };
	if (!globs[s->glob_nr].text)
		return false;
	return !make_calls(&globs[s->glob_nr++]);
}

const char *event_select_add_globs(void *to, const char *list)
{
	struct event_select *s = to;
	char *copy = strdup(list), *rest = copy, *glob;
	bool is_done = copy;

	while (is_done && (glob = strsep(&rest, ",")))
		is_done = add_glob(s, glob);
	free(copy);
	return is_done ? NULL : "out of memory";
}

const char *event_select_add_pids(void *to, const char *list)
{
	struct event_select *s = to;
	struct event_select_pid *pids;
	unsigned long pid;
	char *end;

	for (;; list = end + 1) {
		pid = strtoul(list, &end, 10);
		if (*list < '0' || *list > '9' || (*end && *end != ',') || pid > KTRACE_TID_MASK)
			return "-p: not a process id";
		pids = realloc(s->pids, (s->pid_nr + 1) * sizeof(*pids));
		if (!pids)
			return "out of memory";
		s->pids = pids;
		pids[s->pid_nr++] = (struct event_select_pid){ .id = (__u32)pid };
		if (!*end)
			return NULL;
	}
}

/* Returns "filter: line 2, column 8: text has no order", valid until the next call. */
static const char *filter_message(const struct ktrace_filter_error *error)
{
	static char message[sizeof(*error) + 64];

	if (error->line == 1)
		snprintf(message, sizeof(message), "filter: column %u: %s", error->column,
			 error->message);
	else
		snprintf(message, sizeof(message), "filter: line %u, column %u: %s", error->line,
			 error->column, error->message);
	return message;
}

const char *event_select_add_filter(void *to, const char *text)
{
	struct event_select *s = to;
	const struct ktrace_filter_source *const source = &s->source;
	const struct ktrace_filter_options opts = {
		.size = sizeof(opts), .sources = &source, .source_nr = 1,
	};
	struct ktrace_filter_error error;
	int ret;

	if (s->filter_nr == FILTERS_MAX)
		return "--filter: too many of them";
	ktrace_state_source(NULL, &s->source);
	ret = ktrace_filter_parse(text, &opts, &s->filters[s->filter_nr], &error);
	s->filter_nr += !ret;
	return ret == -EINVAL ? filter_message(&error) : ret ? "out of memory" : NULL;
}

const char *event_select_add_filter_file(void *to, const char *path)
{
	struct event_select *s = to;
	static char text[KTRACE_FILTER_TEXT_MAX + 2];
	FILE *file = fopen(path, "re");
	size_t n = 0;
	int error = errno;

	if (file) {
		n = fread(text, 1, sizeof(text) - 1, file);
		error = ferror(file) ? errno : 0;
		fclose(file);
	}
	if (error) {
		complain_about(path, "%s", strerror(error));
		return "no filter to be read";
	}
	text[n] = '\0';
	return strlen(text) == n ? event_select_add_filter(s, text) : "the file is no text";
}

const struct option_row events_options[] = {
	{ .letter = 'e', .name = "events", .value = "GLOB[,GLOB...]",
	  .set = event_select_add_globs,
	  .help = "only events whose provider:name matches; a glob without\n"
		  "colon is a provider or family; a system call is\n"
		  "syscall:openat" },
	{ .help = NULL },
};

const struct option_row pid_options[] = {
	{ .letter = 'p', .name = "pid", .value = "N[,N...]", .set = event_select_add_pids,
	  .help = "only these processes and threads" },
	{ .help = NULL },
};

const struct option_row filter_options[] = {
	{ .name = "filter", .value = "EXPRESSION", .set = event_select_add_filter,
	  .help = "only events for which it is true, see ktrace-grep(1)" },
	{ .name = "filter-file", .value = "FILE", .set = event_select_add_filter_file,
	  .help = "the same, with an expression read from FILE" },
	{ .help = NULL },
};

bool event_select_uses_state(const struct event_select *s)
{
	size_t i;

	for (i = 0; i < s->filter_nr; i++)
		if (ktrace_filter_uses(s->filters[i], &s->source))
			return true;
	return false;
}

bool event_select_uses_past(const struct event_select *s)
{
	size_t i;

	for (i = 0; i < s->filter_nr; i++)
		if (ktrace_filter_uses(s->filters[i], NULL))
			return true;
	return s->pid_nr;
}

void event_select_begin(struct event_select *s, __u64 start, struct ktrace_states *state)
{
	size_t i;

	s->source.arg = state;
	for (i = 0; i < s->filter_nr; i++)
		ktrace_filter_start(s->filters[i], start);
}

static bool matches(const struct event_select *s, const struct ktrace_trace_event *e)
{
	char name[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = name, .cap = sizeof(name) - 1 };
	size_t i;

	if (!e->type)
		ktrace_event_name(&out, e);
	name[out.len] = '\0';
	for (i = 0; i < s->glob_nr; i++)
		if (event_glob_matches(s->globs[i].text, e->type ? e->type->full_name : name))
			return true;
	return false;
}

static bool is_wanted_type(struct event_select *s, const struct ktrace_trace_event *e)
{
	struct verdict *v = &s->verdicts[((uintptr_t)e->type >> 4) % VERDICT_NR];

	if (!e->type)
		return matches(s, e);
	if (v->type != e->type) {
		v->type = e->type;
		v->is_wanted = matches(s, e);
	}
	return v->is_wanted;
}

/* True if a pattern names its system call. */
static bool is_wanted_call(struct event_select *s, const struct ktrace_trace_event *e)
{
	size_t i;

	for (i = 0; i < s->glob_nr; i++)
		if (s->globs[i].calls && ktrace_filter_match(s->globs[i].calls, e))
			return true;
	return false;
}

bool event_select_thread(const struct event_select *s, __u32 tid, __u32 pid)
{
	struct event_select_pid *p;

	for (p = s->pids; p < s->pids + s->pid_nr; p++) {
		if (p->id != tid && (!pid || p->id != pid))
			continue;
		/* Several threads may ask; who reads it does so after all of them. */
		if (!__atomic_load_n(&p->is_met, __ATOMIC_RELAXED))
			__atomic_store_n(&p->is_met, true, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

static bool is_wanted_pid(const struct event_select *s, const struct ktrace_trace_event *e)
{
	return e->id == KTRACE_ID_LOST ||
	       event_select_thread(s, e->tid, ktrace_trace_pid(e->stream->trace, e->tid, e->raw));
}

bool event_select_type(const struct event_select *s, const struct ktrace_event_type *type)
{
	const struct ktrace_trace_event e = { .type = type };
	const bool is_call = !strcmp(type->provider, "syscall");
	size_t i;

	for (i = 0; is_call && i < s->glob_nr; i++)
		if (s->globs[i].calls)
			return true;
	return !s->glob_nr || matches(s, &e);
}

bool event_select_passes_filters(const struct event_select *s, const struct ktrace_trace_event *e)
{
	size_t i;

	for (i = 0; i < s->filter_nr; i++)
		if (!ktrace_filter_match(s->filters[i], e))
			return false;
	return true;
}

bool event_select_event(struct event_select *s, const struct ktrace_trace_event *e)
{
	return (!s->glob_nr || is_wanted_type(s, e) || is_wanted_call(s, e)) &&
	       (!s->pid_nr || is_wanted_pid(s, e)) && event_select_passes_filters(s, e);
}

/*
 * True if the glob can match lost events, or events that the file does not describe; we name both.
 */
static bool is_always_there(const char *glob)
{
	static const char *const numbered[] = { "kernel", "user", "unknown" };
	const size_t n = strcspn(glob, ":");
	const char *after = glob[n] ? glob + n + 1 : "";
	const bool is_number = strspn(after, "0123456789*?[-]") == strlen(after);
	char provider[64], name[64];
	size_t i;

	snprintf(provider, sizeof(provider), "%.*s", (int)n, glob);
	for (i = 0; is_number && i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		snprintf(name, sizeof(name), "%s:", numbered[i]);
		if (event_glob_matches(provider, name))
			return true;
	}
	return event_glob_matches(glob, "ktrace:lost");
}

/* Finds the nearest event name, or "PROVIDER:*". */
static void try_types(struct ktrace_nearest *near, const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	char all[KTRACE_NEAREST_MAX];
	__u32 kind, id;

	for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			if (!type)
				continue;
			snprintf(all, sizeof(all), "%s:*", type->provider);
			ktrace_nearest_try(near, type->full_name);
			ktrace_nearest_try(near, strchr(near->wanted, ':') ? all : type->provider);
		}
}

static void complain_glob(const char *glob, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	struct ktrace_nearest near;
	size_t i;

	ktrace_nearest_init(&near, glob);
	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		try_types(&near, trace);
	complain_safely("ktrace: -e '%s': no such event%s; 'ktrace events FILE' lists them",
			glob, ktrace_nearest_hint(&near));
}

static bool is_described(const char *glob, const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	__u32 kind, id;

	for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			if (type && event_glob_matches(glob, type->full_name))
				return true;
		}
	return false;
}

/* Reports a bad comparison. A word that is not a value of the field is wrong for any file. */
static void complain_field(int ret, const struct ktrace_filter_error *error)
{
	complain_safely("ktrace: %s%s", filter_message(error),
			ret == 1 ? "; 'ktrace grep -l FILE' lists them" :
			ret == 3 ? "; 'ktrace events FILE' lists them" : "");
	if (ret == 2)
		command_wrong();
}

void event_select_complain_fields(const struct event_select *s, const struct ktrace_traceset *a,
				  const struct ktrace_traceset *b)
{
	struct ktrace_filter_error error;
	size_t i;
	__u32 t;
	int ret;

	for (i = 0; i < s->filter_nr; i++)
		for (t = 0; (ret = ktrace_filter_unknown(s->filters[i], a, t, &error)) >= 0; t++) {
			if (ret)
				ret = ktrace_filter_unknown(s->filters[i], b, t, &error);
			if (ret)
				complain_field(ret, &error);
		}
}

/*
 * True if the pattern names a system call. If the files have system calls but not this one, reports
 * that, sets @is_said and returns false.
 */
static bool is_call(const struct event_select_glob *g, const struct ktrace_traceset *set,
		    bool *is_said)
{
	struct ktrace_filter_error error;
	int ret, worst = 0;
	__u32 t;

	if (!g->calls)
		return false;
	for (t = 0; (ret = ktrace_filter_unknown(g->calls, set, t, &error)) >= 0; t++) {
		worst = ret > worst ? ret : worst;
		if (ret != 2 || ktrace_calls_are_events(g->text))
			continue;
		complain_safely("ktrace: -e '%s': %s", g->text, error.message);
		command_wrong();
		*is_said = true;
	}
	return !worst;
}

static void complain_about_glob(const struct event_select_glob *g,
				const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	bool is_said = false, found = is_call(g, set, &is_said) || is_always_there(g->text);
	size_t t;

	for (t = 0; !found && (trace = ktrace_traceset_trace(set, t)); t++)
		found = is_described(g->text, trace);
	if (!found && !is_said)
		complain_glob(g->text, set);
}

void event_select_complain(const struct event_select *s, const struct ktrace_traceset *set)
{
	size_t i;

	for (i = 0; i < s->glob_nr; i++)
		complain_about_glob(&s->globs[i], set);
	event_select_complain_fields(s, set, set);
}

void event_select_complain_pids(const struct event_select *s)
{
	size_t i;

	for (i = 0; i < s->pid_nr; i++)
		if (!s->pids[i].is_met)
			complain_safely("ktrace: -p %u: nothing of this process or thread was "
					"found", s->pids[i].id);
}

void event_select_free(struct event_select *s)
{
	while (s->glob_nr) {
		s->glob_nr--;
		free(s->globs[s->glob_nr].text);
		ktrace_filter_free(s->globs[s->glob_nr].calls);
	}
	while (s->filter_nr)
		ktrace_filter_free(s->filters[--s->filter_nr]);
	free(s->globs);
	free(s->pids);
}

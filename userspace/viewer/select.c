// SPDX-License-Identifier: GPL-2.0
/* select.c - which events a command is to show */
#include "select.h"

#include "viewer.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *select_add_globs(struct select *s, const char *list)
{
	char *copy = strdup(list), *rest = copy, *glob;
	char **globs;

	while (rest && (glob = strsep(&rest, ","))) {
		globs = realloc(s->globs, (s->glob_nr + 1) * sizeof(*globs));
		if (!globs)
			break;
		s->globs = globs;
		globs[s->glob_nr] = strdup(glob);
		s->glob_nr += globs[s->glob_nr] != NULL;
	}
	free(copy);
	return copy && !rest ? NULL : "out of memory";
}

const char *select_add_pids(struct select *s, const char *list)
{
	unsigned long pid;
	__u32 *pids;
	char *end;

	for (;; list = end + 1) {
		pid = strtoul(list, &end, 10);
		if (*list < '0' || *list > '9' || (*end && *end != ',') || pid > KTRACE_TID_MASK)
			return "-p: not a process id";
		pids = realloc(s->pids, (s->pid_nr + 1) * sizeof(*pids));
		if (!pids)
			return "out of memory";
		s->pids = pids;
		pids[s->pid_nr++] = (__u32)pid;
		if (!*end)
			return NULL;
	}
}

/* As ktraced has it: a glob without a colon names providers, one with it whole names. */
static bool matches_one(const char *glob, const char *provider, const char *full_name)
{
	return !fnmatch(glob, strchr(glob, ':') ? full_name : provider, 0);
}

static bool matches(const struct select *s, const struct ktrace_trace_event *e)
{
	char name[KTRACE_OUT_MIN + 1], provider[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = name, .cap = sizeof(name) - 1 };
	size_t i;

	if (!e->type)
		out_event_name(&out, e);
	name[out.len] = '\0';
	memcpy(provider, name, out.len + 1);
	provider[strcspn(provider, ":")] = '\0';
	for (i = 0; i < s->glob_nr; i++)
		if (matches_one(s->globs[i], e->type ? e->type->provider : provider,
				e->type ? e->type->full_name : name))
			return true;
	return false;
}

static bool is_wanted_type(struct select *s, const struct ktrace_trace_event *e)
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

static bool is_wanted_pid(const struct select *s, const struct ktrace_trace_event *e)
{
	__u32 pid = ktrace_trace_pid(e->stream->trace, e->tid, e->raw);
	size_t i;

	if (e->id == KTRACE_ID_LOST)
		return true;
	for (i = 0; i < s->pid_nr; i++)
		if (s->pids[i] == e->tid || (pid && s->pids[i] == pid))
			return true;
	return false;
}

bool select_event(struct select *s, const struct ktrace_trace_event *e)
{
	return (!s->glob_nr || is_wanted_type(s, e)) && (!s->pid_nr || is_wanted_pid(s, e));
}

/* Losses, and events that no file describes, have names of ours. */
static bool is_always_there(const char *glob)
{
	static const char *const providers[] = { "ktrace", "kernel", "user", "unknown" };
	size_t n = strcspn(glob, ":*?["), i;
	bool is_whole = !glob[n] || glob[n] == ':';

	for (i = 0; i < sizeof(providers) / sizeof(providers[0]); i++)
		if (!strncmp(glob, providers[i], n) && (!is_whole || !providers[i][n]))
			return true;
	return false;
}

static bool is_described(const char *glob, const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	__u32 kind, id;

	for (kind = KTRACE_CHANNEL_KERNEL; kind <= KTRACE_CHANNEL_USER; kind++)
		for (id = 0; id < ktrace_trace_types(trace, kind); id++) {
			type = ktrace_trace_type(trace, kind, id);
			if (type && matches_one(glob, type->provider, type->full_name))
				return true;
		}
	return false;
}

void select_complain(const struct select *s, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	size_t i, t;

	for (i = 0; i < s->glob_nr; i++) {
		bool found = is_always_there(s->globs[i]);

		for (t = 0; !found && (trace = ktrace_traceset_trace(set, t)); t++)
			found = is_described(s->globs[i], trace);
		if (!found)
			fprintf(stderr, "ktrace: -e '%s': no such event; 'ktrace events FILE' "
				"lists them\n", s->globs[i]);
	}
}

void select_free(struct select *s)
{
	while (s->glob_nr)
		free(s->globs[--s->glob_nr]);
	free(s->globs);
	free(s->pids);
}

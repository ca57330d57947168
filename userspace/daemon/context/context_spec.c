// SPDX-License-Identifier: GPL-2.0
/*
 * context_spec.c - parses --context: what to record with kernel events
 *
 *   context = clause { ";" clause }
 *   clause  = [ globs "=" ] word { "," word }
 *   globs   = glob { "," glob }		as in -e
 *   word    = "kstack" | "ustack" | "cgroup" | "nspid" | "perf:" counter
 *
 * Errors name their column, counted from 1.
 */
#include "context_spec.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/context.h>

#include "events/select.h"

#define NAME_SIZE 64
#define KINDS_MAX 64u

static const struct {
	const char *name;
	__u16 bit;
} words[] = {
	{ "kstack", KTRACE_CONTEXT_KSTACK },
	{ "ustack", KTRACE_CONTEXT_USTACK },
	{ "cgroup", KTRACE_CONTEXT_CGROUP },
	{ "nspid", KTRACE_CONTEXT_NSPID },
};

static const char counter_head[] = "perf:", tracepoint_head[] = "tp:";

/* struct place - position of the parser, and where its error goes */
struct place {
	const char *text;
	const char *at;
	char *reason;
	size_t size;
};

static bool fail(const struct place *p, const char *at, size_t len, const char *what)
{
	snprintf(p->reason, p->size, "column %zu: '%.*s' %s", (size_t)(at - p->text) + 1,
		 (int)(len < 40 ? len : 40), at, what);
	return false;
}

/* Same for a name that does not exist; @try collects candidates for a similar one. */
static bool no_such(const struct place *p, const char *at, size_t len, const char *what,
		    void (*try)(struct ktrace_nearest *near))
{
	char name[NAME_SIZE], all[128];
	struct ktrace_nearest near;

	snprintf(name, sizeof(name), "%.*s", (int)len, at);
	ktrace_nearest_init(&near, len < sizeof(name) ? name : "");
	try(&near);
	snprintf(all, sizeof(all), "%s%s", what, ktrace_nearest_hint(&near));
	return fail(p, at, len, all);
}

static void try_words(struct ktrace_nearest *near)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ktrace_nearest_try(near, words[i].name);
}

static void try_counters(struct ktrace_nearest *near)
{
	char name[NAME_SIZE];

	for (__u32 kind = KTRACE_ITEM_COUNTER; kind < KINDS_MAX; kind++) {
		if (!ktrace_item_name(kind))
			continue;
		snprintf(name, sizeof(name), "%s%s", counter_head, ktrace_item_name(kind));
		ktrace_nearest_try(near, name);
	}
}

static bool is_called(const char *at, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(at, name, len);
}

static bool take_counter(struct context_spec *w, const char *at, size_t len)
{
	for (__u32 kind = KTRACE_ITEM_COUNTER; kind < KINDS_MAX; kind++)
		if (ktrace_item_name(kind) && is_called(at, len, ktrace_item_name(kind))) {
			w->counters |= 1ull << kind;
			return true;
		}
	return false;
}

static bool take_word(struct place *p, struct context_spec *w)
{
	const size_t len = strcspn(p->at, ",;"), head = strlen(counter_head);
	const char *at = p->at;

	p->at += len;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_called(at, len, words[i].name)) {
			w->bits |= words[i].bit;
			return true;
		}
	if (len < head || memcmp(at, counter_head, head))
		return no_such(p, at, len, "is not kstack, ustack, cgroup, nspid or perf:COUNTER",
			       try_words);
	return take_counter(w, at + head, len - head) ||
	       no_such(p, at, len, "is not one of the counters in ktraced(8)",
		       try_counters);
}

/* Matches tracepoints without the "tp:" that -e requires. */
static bool matches_one(const char *glob, const char *family, const char *name)
{
	glob += strncmp(glob, tracepoint_head, strlen(tracepoint_head)) ? 0 :
		strlen(tracepoint_head);
	return !fnmatch(glob, strchr(glob, ':') ? name : family, 0);
}

/* Accepts all names of dynamic events: they are not in the table and cannot be checked here. */
static bool is_known(const char *glob)
{
	const struct ktrace_kernel_event *ev;
	char name[NAME_SIZE];

	if (!strncmp(glob, tracepoint_head, strlen(tracepoint_head)) ||
	    !strncmp(glob, "kprobe:", 7) || !strncmp(glob, "kretprobe:", 10))
		return true;
	for (__u32 i = 0; (ev = ktrace_kernel_event(i)); i++) {
		snprintf(name, sizeof(name), "%s:%s", ev->family, ev->name);
		if (matches_one(glob, ev->family, name))
			return true;
	}
	return false;
}

/* Copies the next glob of a list that ends at @end; it may be empty. Returns its length. */
static size_t take_glob(const char *at, const char *end, char glob[NAME_SIZE])
{
	size_t len = 0;

	while (at + len < end && at[len] != ',')
		len++;
	snprintf(glob, NAME_SIZE, "%.*s", (int)len, at);
	return len;
}

static bool take_globs(struct place *p, struct context_spec *w)
{
	const char *end = p->at + strcspn(p->at, "=;");
	char glob[NAME_SIZE];
	size_t len;

	if (*end != '=')
		return true;
	w->globs = p->at;
	w->globs_len = (size_t)(end - p->at);
	do {
		len = take_glob(p->at, end, glob);
		if (len >= NAME_SIZE || !is_known(glob))
			return no_such(p, p->at, len, "is not a kernel event", select_try_kernel);
		p->at += len + 1;
	} while (p->at <= end);
	return true;
}

static bool take_clause(struct place *p, struct context_spec *w)
{
	*w = (struct context_spec){ NULL, 0, 0, 0 };
	if (!take_globs(p, w))
		return false;
	while (take_word(p, w)) {
		if (*p->at != ',')
			return true;
		p->at++;
	}
	return false;
}

bool context_specs_parse(struct context_specs *w, const char *text, char *reason, size_t size)
{
	struct place p = { text, text, reason, size };

	for (;;) {
		if (w->nr == CONTEXT_SPECS_MAX)
			return fail(&p, p.at, strlen(p.at), "exceeds the limit of clauses");
		if (!take_clause(&p, &w->list[w->nr]))
			return false;
		w->nr++;
		if (!*p.at)
			return true;
		p.at++;
	}
}

static bool is_meant(const struct context_spec *w, const char *family, const char *name)
{
	const char *at = w->globs, *end = w->globs + w->globs_len;
	char glob[NAME_SIZE];

	if (!at)
		return true;
	for (; at <= end; at++) {
		at += take_glob(at, end, glob);
		if (matches_one(glob, family, name))
			return true;
	}
	return false;
}

static void join(struct context_spec *to, const struct context_spec *w)
{
	to->bits |= w->bits;
	to->counters |= w->counters;
}

struct context_spec context_specs_for(const struct context_specs *w, const char *family,
				      const char *name)
{
	struct context_spec sum = { NULL, 0, 0, 0 };

	for (__u32 i = 0; i < w->nr; i++)
		if (is_meant(&w->list[i], family, name))
			join(&sum, &w->list[i]);
	return sum;
}

struct context_spec context_specs_all(const struct context_specs *w)
{
	struct context_spec sum = { NULL, 0, 0, 0 };

	for (__u32 i = 0; i < w->nr; i++)
		join(&sum, &w->list[i]);
	return sum;
}

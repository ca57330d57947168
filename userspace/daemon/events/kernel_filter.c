// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_filter.c - filters that the kernel evaluates to select its events
 *
 * Parses all expressions first. Then each chosen kernel event gets one program: the entries of -e
 * that match it joined by "or", and --filter joined by "and". A field that none of an expression's
 * events has is most likely a mistake, and is refused.
 *
 * Fields of tracepoints and probes are known only once the session has these events. Before that,
 * expressions that use them are only parsed.
 */
#include "kernel_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <ktrace/kernel_filter.h>
#include <ktrace/tracefile.h>

#include "base/grow.h"
#include "base/log.h"
#include "calls.h"
#include "event_rules.h"

#define WIDTH 64u

/* ---- expressions ---- */

/**
 * struct rule - an expression, and the events that it is for
 * @option:	option that it was given to
 * @text:	the whole argument of the option
 * @off:	offset of the expression in @text
 * @glob:	glob of events; NULL = all
 * @glob_off:	offset of the glob in @text
 * @before:	bytes before the expression in the text of @filter, which select system calls;
 *		0 = none are selected
 * @filter:	the expression; NULL = true
 * @is_used:	it is for at least one kernel event
 */
struct rule {
	const char *option;
	const char *text;
	size_t off;
	char *glob;
	size_t glob_off;
	size_t before;
	struct ktrace_filter *filter;
	bool is_used;
};

struct rules {
	struct rule *list;
	size_t nr;
	struct kernel_filter_error *error;
};

/* Fills in @error and returns -EINVAL. @at: offset in the text of the rule's filter */
static int fail(struct kernel_filter_error *error, const struct rule *r, size_t at,
		const char *message)
{
	const size_t off = at >= r->before ? r->off + at - r->before : r->glob_off;
	const char *line = r->text + off;

	error->option = r->option;
	error->text = r->text;
	error->at = off;
	while (line > r->text && line[-1] != '\n')
		line--;
	error->column = (__u32)(r->text + error->at - line) + 1;
	snprintf(error->message, sizeof(error->message), "%s", message);
	return -EINVAL;
}

/* Adds @rule before it parses the expression, so that free_rules() frees it in any case. */
static int add_rule(struct rules *rules, struct rule rule, const char *expr, size_t len)
{
	struct ktrace_filter_error wrong;
	char *text;
	int ret;

	if (!LIST_RESIZE(rules->list, rules->nr + 1)) {
		free(rule.glob);
		return -ENOMEM;
	}
	rules->list[rules->nr++] = rule;
	if (!expr)
		return 0;
	text = strndup(expr, len);
	if (!text)
		return -ENOMEM;
	ret = ktrace_kernel_filter_parse(text, &rules->list[rules->nr - 1].filter, &wrong);
	free(text);
	return ret == -EINVAL ? fail(rules->error, &rule, wrong.at, wrong.message) : ret;
}

static int no_call(struct rules *rules, struct rule rule)
{
	static const char head[] = "syscall:";
	struct ktrace_nearest near;
	char message[sizeof(rules->error->message)];

	calls_nearest(rule.glob, &near);
	snprintf(message, sizeof(message), "there is no system call '%.40s'%s",
		 rule.glob + strlen(head), ktrace_nearest_hint(&near));
	rule.off = rule.glob_off + strlen(head);
	fail(rules->error, &rule, 0, message);
	return -EINVAL;
}

/* Parses the expression alone first: the text put around it must not make it valid. */
static int add_calls(struct rules *rules, struct rule rule, const struct wanted_entry *e)
{
	const size_t nr = rules->nr;
	char *expr;
	int ret = add_rule(rules, rule, e->expr, e->expr_len);

	if (ret)
		return ret;
	expr = calls_expression(rule.glob, e->expr, e->expr_len, &rule.before);
	if (!expr)
		return -ENOMEM;
	ktrace_filter_free(rules->list[nr].filter);
	rules->list[nr].filter = NULL;
	rules->list[nr].before = rule.before;
	ret = ktrace_kernel_filter_parse(expr, &rules->list[nr].filter, NULL);
	free(expr);
	return ret;
}

static int add_entry(struct rules *rules, const char *events, const struct wanted_entry *e)
{
	struct rule rule = { .option = "-e", .text = events };
	enum calls_kind kind;
	int ret;

	rule.off = (size_t)((e->expr ? e->expr : e->glob) - events);
	rule.glob_off = (size_t)(e->glob - events);
	if (!e->is_closed)
		return fail(rules->error, &rule, e->expr_len,
			    e->expr[e->expr_len] ? "expected , or the end after }" :
			    "the closing } is missing");
	rule.glob = strndup(e->glob, e->glob_len);
	if (!rule.glob)
		return -ENOMEM;
	kind = calls_kind(rule.glob);
	if (kind == CALLS_UNKNOWN) {
		ret = no_call(rules, rule);
		free(rule.glob);
		return ret;
	}
	return kind == CALLS ? add_calls(rules, rule, e) :
			       add_rule(rules, rule, e->expr, e->expr_len);
}

static int add_entries(struct rules *rules, const char *events)
{
	const char *rest = events;
	struct wanted_entry e;
	int ret = 0;

	while (!ret && event_rules_next(&rest, &e))
		ret = add_entry(rules, events, &e);
	return ret;
}

static int add_rules(struct rules *rules, const struct choice *choice)
{
	const struct rule where = { .option = "--filter", .text = choice->where };
	int ret = 0;

	if (choice->events)
		ret = add_entries(rules, choice->events);
	if (!ret && choice->where)
		ret = add_rule(rules, where, choice->where, strlen(choice->where));
	return ret;
}

static void free_rules(struct rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++) {
		free(rules->list[i].glob);
		ktrace_filter_free(rules->list[i].filter);
	}
	free(rules->list);
}

/* ---- events ---- */

/* struct event - an event that gets a filter; either @row or @dynamic is set */
struct event {
	const struct ktrace_kernel_event *row;
	const struct dynamic_event *dynamic;
	__u16 id;
	struct ktrace_event_type *type;
	struct ktrace_place *places;
	__u32 place_nr;
};

static int join(struct rule *r, const struct event *ev, struct ktrace_program *p,
		enum ktrace_join how, struct kernel_filter_error *error)
{
	struct ktrace_filter_error wrong;
	int ret;

	r->is_used = true;
	if (!r->filter) {
		ktrace_program_init(p, true);
		return 0;
	}
	ret = ktrace_program_join(p, how, r->filter, ev->type, ev->places, ev->place_nr, &wrong);
	return ret == -EINVAL ? fail(error, r, wrong.at, wrong.message) : ret;
}

static bool is_for(const struct rule *r, const struct event *ev)
{
	if (!r->glob)
		return false;
	if (r->before)
		return ev->row && !strcmp(ev->row->family, "syscall");
	return ev->row ? select_matches(r->glob, ev->row) : dynamic_matches(r->glob, ev->dynamic);
}

static int make_program(struct rules *rules, const struct event *ev, struct ktrace_program *p)
{
	struct rule *r;
	int ret = 0;

	ktrace_program_init(p, false);
	for (r = rules->list; r < rules->list + rules->nr && !ret; r++)
		if (is_for(r, ev))
			ret = join(r, ev, p, KTRACE_JOIN_OR, rules->error);
	if (!rules->nr || !rules->list[0].glob)
		ktrace_program_init(p, true);
	for (r = rules->list; r < rules->list + rules->nr && !ret; r++)
		if (!r->glob)
			ret = join(r, ev, p, KTRACE_JOIN_AND, rules->error);
	return ret;
}

/* Takes over the type. */
static int set_event(struct ktrace_session *s, struct rules *rules, struct event *ev)
{
	static struct ktrace_program program;
	struct ktrace_kernel_filter filter;
	int ret = ktrace_places(ev->type, &ev->places);

	if (ret >= 0) {
		ev->type->id = ev->id;
		ev->place_nr = (__u32)ret;
		ret = make_program(rules, ev, &program);
	}
	if (!ret && s) {
		filter = ktrace_program_filter(&program, ev->id);
		ret = ktrace_session_filter(s, &filter);
		if (ret == -ENOENT || ret == -EOPNOTSUPP)
			ret = 0;
	}
	free(ev->places);
	ktrace_event_type_free(ev->type);
	return ret;
}

static int set_rows(struct ktrace_session *s, struct rules *rules, const char *events)
{
	const bool has_x32 = ktrace_host_has_x32();
	const struct ktrace_kernel_event *row;
	struct utsname host;
	int ret = 0;

	uname(&host);
	for (__u32 i = 0; !ret && (row = ktrace_kernel_event(i)); i++) {
		struct event ev = { .row = row, .id = row->id };

		if (!select_is_on(events, row))
			continue;
		ret = ktrace_event_type_parse(row->desc, &ev.type);
		if (ret)
			break;
		ktrace_syscall_bind(ev.type, host.machine, has_x32);
		ret = set_event(s, rules, &ev);
	}
	return ret;
}

/* True if the event is recorded whatever its fields are. */
static bool is_wanted_anyway(const struct rules *rules, const struct event *ev)
{
	bool is_wanted = false;

	for (const struct rule *r = rules->list; r < rules->list + rules->nr; r++) {
		if (!r->glob)
			return false;
		is_wanted |= !r->filter && is_for(r, ev);
	}
	return is_wanted;
}

/* Handles an event with unknown fields: records it if no expression asks for them. */
static int set_unreadable(struct ktrace_session *s, const struct rules *rules,
			  const struct event *ev)
{
	static struct ktrace_program program;
	const bool is_wanted = is_wanted_anyway(rules, ev);
	struct ktrace_kernel_filter filter;
	int ret;

	if (!is_wanted)
		log_note("%s: not recorded, because the filter cannot parse its description",
			 ev->dynamic->name);
	ktrace_program_init(&program, is_wanted);
	filter = ktrace_program_filter(&program, ev->id);
	ret = ktrace_session_filter(s, &filter);
	return ret == -ENOENT || ret == -EOPNOTSUPP ? 0 : ret;
}

static int set_dynamic(struct ktrace_session *s, struct rules *rules, const struct dynamic *d)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < d->nr; i++) {
		const struct dynamic_event *e = &d->events[i];
		struct event ev = { .dynamic = e, .id = e->id };

		if (!e->is_wanted)
			continue;
		ret = ktrace_event_type_parse_format(e->name, e->format, &ev.type);
		if (ret == -EINVAL)
			ret = set_unreadable(s, rules, &ev);
		else if (!ret)
			ret = set_event(s, rules, &ev);
	}
	return ret;
}

/* True if the entry is for events that only the session knows; missing ones have been reported. */
static bool is_deferred(const struct rule *r, const struct choice *choice, bool is_session)
{
	if (r->glob && dynamic_is(r->glob + strspn(r->glob, " ")))
		return !is_session || !r->is_used;
	return !r->glob && !is_session && dynamic_wants(choice->events);
}

/* Refuses fields that no event has: a mistake, or meant for events of programs. */
static int check_use(const struct rules *rules, const struct choice *choice, bool is_session)
{
	struct ktrace_filter_error wrong;

	for (const struct rule *r = rules->list; r < rules->list + rules->nr; r++) {
		if (!r->filter || is_deferred(r, choice, is_session))
			continue;
		if (!r->is_used)
			return fail(rules->error, r, 0, "this filter applies to no kernel event; "
				    "filter events of programs when reading the trace");
		if (ktrace_filter_unmet(r->filter, &wrong))
			return fail(rules->error, r, wrong.at, wrong.message);
	}
	return 0;
}

bool kernel_filter_is_used(const struct choice *choice)
{
	return choice->where || (choice->events && strchr(choice->events, '{')) ||
	       calls_are_in(choice->events);
}

int kernel_filter_set(struct ktrace_session *s, const struct dynamic *d,
		      const struct choice *choice,
		      struct kernel_filter_error *error)
{
	struct rules rules = { .error = error };
	const struct rule all = {
		.option = choice->where ? "--filter" : "-e",
		.text = choice->where ? choice->where : choice->events ? choice->events : "",
	};
	int ret;

	error->option = NULL;
	ret = add_rules(&rules, choice);
	if (!ret)
		ret = set_rows(s, &rules, choice->events);
	if (!ret && d)
		ret = set_dynamic(s, &rules, d);
	if (!ret)
		ret = check_use(&rules, choice, s != NULL);
	free_rules(&rules);
	if (ret && !error->option)
		fail(error, &all, 0, ret == -EINVAL ? "the kernel refuses this filter" :
		     strerror(-ret));
	return ret;
}

void kernel_filter_reason(const struct kernel_filter_error *error, char *reason, size_t size)
{
	snprintf(reason, size, "%s: column %u: %s", error->option, error->column, error->message);
}

/* Shows the line with the error, or a piece of it, and a mark below. */
void kernel_filter_say(const struct kernel_filter_error *error)
{
	const char *at = error->text + error->at, *from = at - (error->column - 1);
	size_t before = error->column - 1, len;

	if (before > WIDTH / 2) {
		from += before - WIDTH / 2;
		before = WIDTH / 2;
	}
	len = strcspn(from, "\n");
	log_error("%s: column %u: %s", error->option, error->column, error->message);
	log_error("  %.*s", (int)(len < WIDTH ? len : WIDTH), from);
	log_error("  %*s^", (int)before, "");
}

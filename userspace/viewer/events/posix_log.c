// SPDX-License-Identifier: GPL-2.0
/* posix_log.c - the log of a POSIX trace stream: its stream, policies and status */
#include "posix_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/table.h"

/*
 * Size of struct ktrace_posix_event before the data, and of a set of event types; bit 0 of a set is
 * not a type
 */
#define HEAD_SIZE 24u
#define SET_SIZE 512u

static const char *fact(const struct ktrace_trace *trace, const char *key)
{
	const char *value = ktrace_trace_meta(trace, "posix", key);

	return value ? value : "";
}

/* Returns the name of a policy of <trace.h>. */
static const char *policy_of(const struct ktrace_trace *trace, const char *key)
{
	static const char *const names[] = { "not set", "loop", "until full", "flush", "append" };
	const char *value = fact(trace, key);
	unsigned long policy = strtoul(value, NULL, 10);

	return *value && policy < sizeof(names) / sizeof(names[0]) ? names[policy] : "";
}

static bool is_set(const struct ktrace_trace *trace, const char *key)
{
	return strtoul(fact(trace, key), NULL, 10);
}

/* True if the log has its final status. */
static bool is_finished(const struct ktrace_trace *trace)
{
	return ktrace_trace_meta(trace, "posix", "log_full");
}

bool posix_log_is(const struct ktrace_trace *trace)
{
	return ktrace_trace_meta(trace, "posix", "version");
}

void posix_log_put(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	const char *name = fact(trace, "name");

	ktrace_out_str(out, "stream ");
	ktrace_out_quoted(out, name, strlen(name));
	out_printf(out, ", full: %s, log full: %s%s%s%s", policy_of(trace, "stream_policy"),
		   policy_of(trace, "log_policy"), is_set(trace, "log_full") ? ", full" : "",
		   is_set(trace, "log_overrun") ? ", overrun" : "",
		   is_finished(trace) ? "" : ", unfinished");
}

__u32 posix_log_set_nr(const struct ktrace_trace_event *e)
{
	static const char *const names[] = {
		"posix:posix_trace_start", "posix:posix_trace_filter",
	};
	__u32 nr;

	/* Check the length first: this is called for every printed event. */
	for (nr = 1; nr <= 2; nr++)
		if (e->len == HEAD_SIZE + nr * SET_SIZE)
			break;
	return nr <= 2 && e->type && !strcmp(e->type->full_name, names[nr - 1]) &&
	       posix_log_is(e->stream->trace) ? nr : 0;
}

/*
 * Returns the name of the next type from @bit on that is in a set and has a name, and moves @bit
 * after it. NULL: there is none.
 */
static const char *next_name(const struct ktrace_trace_event *e, __u32 set, __u32 *bit)
{
	const char *bytes = e->payload + HEAD_SIZE + set * SET_SIZE;
	const struct ktrace_event_type *type;
	__u32 i;

	while (*bit < 8 * SET_SIZE) {
		i = (*bit)++;
		if (!(bytes[i / 8] >> i % 8 & 1))
			continue;
		type = ktrace_trace_type(e->stream->trace, KTRACE_CHANNEL_USER,
					 KTRACE_ID_FIRST + i);
		if (type)
			return type->full_name;
	}
	return NULL;
}

void posix_log_put_sets(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const __u32 nr = posix_log_set_nr(e);

	for (__u32 set = 0; set < nr; set++) {
		const char *name, *between = "";
		__u32 bit = 1;

		ktrace_out_str(out, set + 1 < nr ? " before=" : " filter=");
		while ((name = next_name(e, set, &bit))) {
			ktrace_out_str(out, between);
			ktrace_out_safe(out, name);
			between = "|";
		}
		ktrace_out_str(out, *between ? "" : "none");
	}
}

void posix_log_json_set(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 set)
{
	const char *name, *between = "";
	__u32 bit = 1;

	ktrace_out_char(out, '[');
	while ((name = next_name(e, set, &bit))) {
		ktrace_out_str(out, between);
		ktrace_out_json(out, name, strlen(name));
		between = ",";
	}
	ktrace_out_char(out, ']');
}

void posix_log_json(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	if (!posix_log_is(trace))
		return;
	json_open(out, "posix", '{');
	json_str(out, "stream", fact(trace, "name"));
	json_str(out, "stream_policy", policy_of(trace, "stream_policy"));
	json_str(out, "log_policy", policy_of(trace, "log_policy"));
	json_bool(out, "log_full", is_set(trace, "log_full"));
	json_bool(out, "log_overrun", is_set(trace, "log_overrun"));
	json_bool(out, "finished", is_finished(trace));
	ktrace_out_char(out, '}');
}

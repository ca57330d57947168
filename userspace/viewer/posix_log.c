// SPDX-License-Identifier: GPL-2.0
/* posix_log.c - the log of a POSIX stream: whose it is, and how it went */
#include "posix_log.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

static const char *fact(const struct ktrace_trace *trace, const char *key)
{
	const char *value = ktrace_trace_meta(trace, "posix", key);

	return value ? value : "";
}

/* Name of a policy of <trace.h>. */
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

/* Its final status is there. */
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
	ktrace_out_str(out, ", full: ");
	ktrace_out_str(out, policy_of(trace, "stream_policy"));
	ktrace_out_str(out, ", log full: ");
	ktrace_out_str(out, policy_of(trace, "log_policy"));
	ktrace_out_str(out, is_set(trace, "log_full") ? ", full" : "");
	ktrace_out_str(out, is_set(trace, "log_overrun") ? ", overrun" : "");
	ktrace_out_str(out, is_finished(trace) ? "" : ", unfinished");
}

static void json_bool(struct ktrace_out *out, const char *key, bool value)
{
	json_key(out, key);
	ktrace_out_str(out, value ? "true" : "false");
}

void posix_log_json(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	if (!posix_log_is(trace))
		return;
	json_key(out, "posix");
	ktrace_out_char(out, '{');
	json_str(out, "stream", fact(trace, "name"));
	json_str(out, "stream_policy", policy_of(trace, "stream_policy"));
	json_str(out, "log_policy", policy_of(trace, "log_policy"));
	json_bool(out, "log_full", is_set(trace, "log_full"));
	json_bool(out, "log_overrun", is_set(trace, "log_overrun"));
	json_bool(out, "finished", is_finished(trace));
	ktrace_out_char(out, '}');
}

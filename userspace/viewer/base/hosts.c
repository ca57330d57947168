// SPDX-License-Identifier: GPL-2.0
/* hosts.c - hosts of a traceset, each one boot of a machine; errors of their times */
#include "hosts.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static bool is_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

size_t hosts_count(const struct ktrace_traceset *set)
{
	size_t i, nr = 0;

	for (i = 0; ktrace_traceset_trace(set, i); i++)
		nr += ktrace_traceset_host(set, i) == i;
	return nr;
}

static const char *name_of(const struct ktrace_trace *trace)
{
	const char *name = ktrace_trace_meta(trace, "host", "name");

	return name && *name ? name : NULL;
}

/* True if a trace other than @trace has the name; with @machine only one of another host counts. */
static bool is_taken(const struct ktrace_traceset *set, const char *name,
		     const struct ktrace_trace *trace, bool is_of_machine)
{
	const struct ktrace_trace *other;
	size_t i;

	for (i = 0; (other = ktrace_traceset_trace(set, i)); i++)
		if (other != trace && is_equal(name, name_of(other)) &&
		    (!is_of_machine || machine_of(set, other) != machine_of(set, trace)))
			return true;
	return false;
}

static void put(struct ktrace_out *out, const struct ktrace_traceset *set,
		const struct ktrace_trace *trace, bool is_of_machine)
{
	char text[HOST_LABEL_MAX - 16];
	const char *name = name_of(trace);

	if (name) {
		snprintf(text, sizeof(text), "%s", name);
		ktrace_out_safe(out, text);
	}
	if (name && !is_taken(set, name, trace, is_of_machine))
		return;
	ktrace_out_char(out, '#');
	ktrace_out_u64(out, ktrace_trace_index(trace));
}

void hosts_put_label(struct ktrace_out *out, const struct ktrace_traceset *set,
		     const struct ktrace_trace *trace)
{
	put(out, set, trace, false);
}

void hosts_put_name(struct ktrace_out *out, const struct ktrace_traceset *set, __u32 machine)
{
	put(out, set, ktrace_traceset_trace(set, machine), true);
}

size_t hosts_label_width(const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	size_t i, width = 0;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++) {
		char text[KTRACE_OUT_MIN];
		struct ktrace_out out = { .buf = text, .cap = sizeof(text) };

		hosts_put_label(&out, set, trace);
		width = out.len > width ? out.len : width;
	}
	return width < HOST_LABEL_MAX ? width : HOST_LABEL_MAX;
}

struct time_error time_error_of(const struct ktrace_trace *trace, __u64 raw)
{
	struct ktrace_time_error e;
	const bool is_known = ktrace_trace_error(trace, raw, &e);

	return (struct time_error){
		.is_known = is_known, .early_ns = e.early_ns, .late_ns = e.late_ns,
	};
}

static __u64 sum(__u64 a, __u64 b)
{
	return a > ~0ull - b ? ~0ull : a + b;
}

struct time_error time_error_between(const struct time_error *from, const struct time_error *to)
{
	return (struct time_error){
		.is_known = from->is_known && to->is_known,
		.early_ns = sum(to->early_ns, from->late_ns),
		.late_ns = sum(to->late_ns, from->early_ns),
	};
}

__u64 time_error_larger(const struct time_error *error)
{
	return error->early_ns > error->late_ns ? error->early_ns : error->late_ns;
}

const char *plus_minus(void)
{
	static const char *text;
	const char *codes;
	locale_t user;

	if (text)
		return text;
	user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	codes = user ? nl_langinfo_l(CODESET, user) : "";
	text = strcmp(codes, "UTF-8") ? "+-" : "\xc2\xb1";
	if (user)
		freelocale(user);
	return text;
}

/* Writes @ns in tenths of a unit, from 100 on in whole ones; rounded up, as it is a bound. */
static void put_short(struct ktrace_out *out, __u64 ns)
{
	static const char *const units[] = { "us", "ms", "s" };
	__u64 unit = 1000, tenths;
	size_t i = 0;

	if (ns < 1000) {
		ktrace_out_u64(out, ns);
		ktrace_out_str(out, "ns");
		return;
	}
	while (i < 2 && ns > 999 * unit) {
		unit *= 1000;
		i++;
	}
	tenths = ns / (unit / 10) + (ns % (unit / 10) != 0);
	if (tenths > 999)
		tenths = (ns / unit + (ns % unit != 0)) * 10;
	ktrace_out_u64(out, tenths / 10);
	if (tenths <= 999) {
		ktrace_out_char(out, '.');
		ktrace_out_u64(out, tenths % 10);
	}
	ktrace_out_str(out, units[i]);
}

void out_time_error(struct ktrace_out *out, const struct time_error *error)
{
	if (error->is_known && !time_error_larger(error))
		return;
	ktrace_out_str(out, plus_minus());
	if (error->is_known)
		put_short(out, time_error_larger(error));
	else
		ktrace_out_char(out, '?');
}

static void json_side(struct ktrace_out *out, const char *key, __u64 ns)
{
	ktrace_out_str(out, ",\"");
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
	ktrace_out_u64(out, ns);
}

void json_time_error(struct ktrace_out *out, const struct time_error *error)
{
	if (!error->is_known) {
		ktrace_out_str(out, ",\"error_ns\":null");
		return;
	}
	json_side(out, "error_ns", time_error_larger(error));
	if (error->early_ns == error->late_ns)
		return;
	json_side(out, "early_ns", error->early_ns);
	json_side(out, "late_ns", error->late_ns);
}

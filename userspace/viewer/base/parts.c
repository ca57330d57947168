// SPDX-License-Identifier: GPL-2.0
/* parts.c - recordings in several files: which parts exist and which are missing */
#include "parts.h"

#include "json.h"
#include "table.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MIN 4u

/**
 * struct part_gap - a range of missing parts
 * @from:	the first of them; set to 0 before the first next_gap()
 * @to:		the last one; 0 = all from @from on, their number is not known
 * @is_removed:	the recorder has removed them, as requested
 */
struct part_gap {
	__u32 from;
	__u32 to;
	bool is_removed;
};

static __u64 fact(const struct ktrace_trace *trace, const char *key)
{
	const char *value = ktrace_trace_meta(trace, "part", key);

	return value ? strtoull(value, NULL, 10) : 0;
}

bool parts_any(const struct ktrace_trace *trace)
{
	struct ktrace_part part;

	return ktrace_trace_part(trace, 0, &part) && part.number;
}

/* Returns the last part that had been removed when the newest known part began. */
static __u32 removed_until(const struct ktrace_trace *trace)
{
	return (__u32)fact(trace, "removed");
}

/* Makes a gap of the parts from @from up to @to, @to not included. */
static bool set_gap(const struct ktrace_trace *trace, struct part_gap *gap, __u32 from, __u32 to)
{
	__u32 removed = removed_until(trace);

	*gap = (struct part_gap){ from, to - 1, from <= removed };
	if (gap->is_removed && removed < gap->to)
		gap->to = removed;
	return true;
}

/* Finds the next gap after @gap; false if there is none. */
static bool next_gap(const struct ktrace_trace *trace, struct part_gap *gap)
{
	__u32 expected = gap->from ? gap->to + 1 : 1;
	struct ktrace_part part;
	size_t i;

	if (gap->from && !gap->to)
		return false;
	for (i = 0; ktrace_trace_part(trace, i, &part); i++) {
		if (part.number > expected)
			return set_gap(trace, gap, expected, part.number);
		if (part.number == expected)
			expected++;
	}
	*gap = (struct part_gap){ .from = expected };
	/*
	 * Only the last part has an end reason; an earlier one is closed when the next one begins.
	 */
	return ktrace_trace_is_closed(trace) && !ktrace_trace_meta(trace, "end", "reason");
}

static void put_range(struct ktrace_out *out, __u32 from, __u32 to)
{
	if (to > from)
		out_printf(out, "%u to %u", from, to);
	else
		out_printf(out, "%u", from);
}

static void put_gap(struct ktrace_out *out, const struct ktrace_trace *trace,
		    const struct part_gap *gap)
{
	ktrace_out_str(out, ", ");
	if (gap->to)
		put_range(out, gap->from, gap->to);
	if (!gap->to)
		ktrace_out_str(out, "others missing behind");
	else if (gap->is_removed)
		out_printf(out, " removed: %llu events", fact(trace, "removed_events"));
	else
		ktrace_out_str(out, " missing");
}

void parts_put(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	struct ktrace_part first, last;
	struct part_gap gap = { 0 };
	size_t i;

	if (!ktrace_trace_part(trace, 0, &first))
		return;
	for (i = 0; ktrace_trace_part(trace, i, &last);)
		i++;
	ktrace_trace_part(trace, i - 1, &last);
	put_range(out, first.number, last.number);
	while (next_gap(trace, &gap))
		put_gap(out, trace, &gap);
}

static void json_missing(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	struct part_gap gap = { 0 };
	char comma = '[';
	__u32 i;

	json_key(out, "missing");
	while (next_gap(trace, &gap)) {
		for (i = gap.from; !gap.is_removed && i <= gap.to; i++) {
			output_line_begin(out);
			ktrace_out_char(out, comma);
			ktrace_out_u64(out, i);
			comma = ',';
		}
	}
	ktrace_out_str(out, comma == '[' ? "[]" : "]");
}

void parts_json(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	struct ktrace_part part;
	size_t i;

	json_open(out, "parts", '[');
	for (i = 0; ktrace_trace_part(trace, i, &part); i++) {
		json_item(out);
		json_str(out, "file", part.path);
		json_u64(out, "part", part.number);
		json_u64(out, "bytes", part.size);
		json_bool(out, "closed", part.is_closed);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
	if (ktrace_trace_meta(trace, "part", "keep"))
		json_u64(out, "keep", fact(trace, "keep"));
	json_u64(out, "removed", removed_until(trace));
	json_u64(out, "removed_events", fact(trace, "removed_events"));
	json_missing(out, trace);
}

static void complain(const struct ktrace_trace *trace)
{
	struct part_gap gap = { 0 };
	struct ktrace_part first;

	if (!ktrace_trace_part(trace, 0, &first))
		return;
	while (next_gap(trace, &gap)) {
		if (gap.from < first.number || !gap.to)
			continue;
		if (gap.from == gap.to)
			complain_about(first.path, "part %u is missing", gap.from);
		else
			complain_about(first.path, "parts %u to %u are missing", gap.from, gap.to);
	}
}

void parts_complain(const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		if (parts_any(trace))
			complain(trace);
}

/* Returns the offset of the last dot in the name, or the end of the path. */
static size_t number_at(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

/* True if @name is a part of @whole: "t.0001.bin" is one of "t.bin". */
static bool is_part_name(const char *name, const char *whole)
{
	size_t at = number_at(whole), digits;

	if (strncmp(name, whole, at) || name[at] != '.')
		return false;
	digits = strspn(name + at + 1, "0123456789");
	return digits >= DIGITS_MIN && !strcmp(name + at + 1 + digits, whole + at);
}

/* Compares paths of parts: a longer number is larger. */
static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t m = strlen(x), n = strlen(y);

	return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

/* Returns false without memory. */
static bool add_name(char ***names, size_t nr, const char *path, size_t folder, const char *name)
{
	char **more = realloc(*names, (nr + 1) * sizeof(*more));

	if (!more)
		return false;
	*names = more;
	return asprintf(&more[nr], "%.*s%s", (int)folder, path, name) >= 0;
}

size_t parts_find(const char *path, char ***names)
{
	const char *slash = strrchr(path, '/'), *whole = slash ? slash + 1 : path;
	size_t folder = (size_t)(whole - path), nr = 0;
	char *name = folder ? strndup(path, folder) : strdup(".");
	DIR *dir = name && *whole ? opendir(name) : NULL;
	struct dirent *e;

	*names = NULL;
	while (dir && (e = readdir(dir)))
		if (is_part_name(e->d_name, whole))
			nr += add_name(names, nr, path, folder, e->d_name);
	if (dir)
		closedir(dir);
	free(name);
	if (nr)
		qsort(*names, nr, sizeof(**names), by_number);
	return nr;
}

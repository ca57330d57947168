/* SPDX-License-Identifier: GPL-2.0 */
/* parts.h - recordings in several files: which of them there are */
#ifndef VIEWER_PARTS_H
#define VIEWER_PARTS_H

#include "viewer.h"

/**
 * struct part_gap - parts that are not there
 * @from:	the first of them; 0 to begin with, for parts_next_gap()
 * @to:		the last one; 0 = all from @from on, how many is not known
 * @is_removed:	the recorder has removed them, as it was told to
 */
struct part_gap {
	__u32 from;
	__u32 to;
	bool is_removed;
};

/* Is the trace, or what was given of it, a part of a recording? */
bool parts_any(const struct ktrace_trace *trace);
/* The next parts that are not there, behind those of @gap; false: there are no more. */
bool parts_next_gap(const struct ktrace_trace *trace, struct part_gap *gap);
/* "3 to 7, 1 to 2 removed: 1000 events, 5 missing" */
void parts_put(struct ktrace_out *out, const struct ktrace_trace *trace);
/* Members parts, keep, removed_events, missing of a JSON object */
void parts_json(struct ktrace_out *out, const struct ktrace_trace *trace);
/* Says which parts are missing between others. */
void parts_complain(const struct ktrace_traceset *set);
/*
 * The parts that ktraced -o @path makes, in their order, to be freed one by one, and the list.
 * Return: how many, 0 = none.
 */
size_t parts_find(const char *path, char ***names);

#endif

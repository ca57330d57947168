/* SPDX-License-Identifier: GPL-2.0 */
/* parts.h - recordings in several files: which of them there are */
#ifndef VIEWER_BASE_PARTS_H
#define VIEWER_BASE_PARTS_H

#include "viewer.h"

/* Is the trace, or what was given of it, a part of a recording? */
bool parts_any(const struct ktrace_trace *trace);
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

/* SPDX-License-Identifier: GPL-2.0 */
/* parts.h - recordings in several files: which parts exist */
#ifndef VIEWER_BASE_PARTS_H
#define VIEWER_BASE_PARTS_H

#include "viewer.h"

/* True if the given trace is a part of a recording, or several. */
bool parts_any(const struct ktrace_trace *trace);
/* Writes "3 to 7, 1 to 2 removed: 1000 events, 5 missing". */
void parts_put(struct ktrace_out *out, const struct ktrace_trace *trace);
/* Writes members parts, keep, removed, removed_events, missing of a JSON object. */
void parts_json(struct ktrace_out *out, const struct ktrace_trace *trace);
/* Reports the parts that are missing between others. */
void parts_complain(const struct ktrace_traceset *set);
/*
 * Lists the parts that ktraced -o @path has made, in order. The caller frees each name and the
 * list. Return: their number, 0 = none.
 */
size_t parts_find(const char *path, char ***names);

#endif

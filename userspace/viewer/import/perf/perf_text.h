/* SPDX-License-Identifier: GPL-2.0 */
/* perf_text.h - fields of an event from the text that perf prints */
#ifndef VIEWER_IMPORT_PERF_PERF_TEXT_H
#define VIEWER_IMPORT_PERF_PERF_TEXT_H

#include <ktrace/decode.h>

/*
 * Parses the fields in the text of an event: description without braces, and payload. Text in any
 * other format becomes a field "text". @text is changed.
 */
void perf_text_parse(const char *event, char *text, struct ktrace_out *desc,
		     struct ktrace_out *data);
/* Append one field. */
void perf_text_string(struct ktrace_out *desc, struct ktrace_out *data, const char *name,
		      const char *value);
void perf_text_number(struct ktrace_out *desc, struct ktrace_out *data, const char *type,
		      const char *name, __u64 value);

#endif

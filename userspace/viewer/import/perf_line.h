/* SPDX-License-Identifier: GPL-2.0 */
/* perf_line.h - parses a line of perf script */
#ifndef VIEWER_IMPORT_PERF_LINE_H
#define VIEWER_IMPORT_PERF_LINE_H

#include <ktrace/decode.h>

/**
 * struct perf_line - a line about an event
 * @comm:	name of the thread
 * @pid:	its process, 0 = unknown
 * @tid:	its thread id
 * @cpu:	CPU it ran on, -1 = unknown
 * @ns:		time
 * @event:	name of the event, "" = none; then @text is a record of perf's own
 * @text:	the rest of the line
 */
struct perf_line {
	const char *comm;
	__u32 pid;
	__u32 tid;
	int cpu;
	__u64 ns;
	const char *event;
	const char *text;
};

/* Parses and cuts up @line; false if it is not about an event. */
bool perf_line_parse(char *line, struct perf_line *out);

/*
 * Parses the fields in the text of an event: description without braces, and payload. Text in any
 * other format becomes a field "text". @text is changed.
 */
void perf_text_parse(const char *event, char *text, struct ktrace_out *desc,
		     struct ktrace_out *data);

#endif

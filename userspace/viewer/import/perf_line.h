/* SPDX-License-Identifier: GPL-2.0 */
/* perf_line.h - a line of perf script taken apart */
#ifndef VIEWER_IMPORT_PERF_LINE_H
#define VIEWER_IMPORT_PERF_LINE_H

#include <ktrace/decode.h>

/**
 * struct perf_line - a line about an event
 * @comm:	name of the thread
 * @pid:	its process, 0 = not said
 * @tid:	its number
 * @cpu:	where it ran, -1 = not said
 * @ns:		time
 * @event:	name of the event, "" = of no event, but @text is a record of perf's own
 * @text:	what is behind it
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

/* Cuts up @line. False: it is none about an event. */
bool perf_line_parse(char *line, struct perf_line *out);

/*
 * The fields that the text of an event says: description without braces, and payload. Text that
 * is made otherwise becomes a field "text". @text is changed.
 */
void perf_text_parse(const char *event, char *text, struct ktrace_out *desc,
		     struct ktrace_out *data);

#endif

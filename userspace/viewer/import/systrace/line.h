/* SPDX-License-Identifier: GPL-2.0 */
/* line.h - parses lines of the kernel's trace */
#ifndef VIEWER_IMPORT_SYSTRACE_LINE_H
#define VIEWER_IMPORT_SYSTRACE_LINE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/** enum line_kind - what a line is */
enum line_kind {
	LINE_EVENT, LINE_LOSS, LINE_STACK, LINE_GRAPH, LINE_HEADER, LINE_EMPTY, LINE_OTHER,
};

/**
 * struct line - a line; texts are within it, and not terminated
 * @comm:	name of the thread; "<...>" if the kernel did not know it; NULL = not told
 * @tid:	thread
 * @tgid:	process, 0 = not told
 * @cpu:	CPU, -1 = not told
 * @is_irq:	in an interrupt
 * @ns:		time
 * @has_time:	there is one; LINE_GRAPH may lack it
 * @is_integer:	the time has no fraction: it may have any unit
 * @text:	what follows the time; the rest of a line without one
 * @lost:	LINE_LOSS: number of events, 0 = not told
 */
struct line {
	enum line_kind kind;
	const char *comm;
	size_t comm_size;
	__u32 tid;
	__u32 tgid;
	int cpu;
	bool is_irq;
	__u64 ns;
	bool has_time;
	bool is_integer;
	const char *text;
	size_t size;
	__u64 lost;
};

/* Parses a line of @size bytes, without its newline. */
void line_parse(const char *s, size_t size, struct line *out);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* systrace.h - converts text of the kernel's trace: trace, trace_pipe, trace-cmd report, atrace */
#ifndef VIEWER_IMPORT_SYSTRACE_SYSTRACE_H
#define VIEWER_IMPORT_SYSTRACE_SYSTRACE_H

#include "import/event_builder.h"
#include "import/foreign_asyncs.h"

#include "line.h"

/**
 * struct task - a thread; tid is the key
 * @tgid:	its process, 0 = unknown
 * @comm:	its name, "" = unknown
 * @slices:	slices of marks that have begun
 */
struct task {
	__u32 tid;
	__u32 tgid;
	char comm[KTRACE_COMM_LEN];
	struct open_slices slices;
};

/* Files and instances that trace-cmd report has named, at most */
#define SYSTRACE_SOURCES 16

/**
 * struct systrace - one conversion; @b and @threads are the caller's
 * @b:		the events
 * @threads:	for tracks that are no threads
 * @asyncs:	ids of asynchronous marks
 * @tasks:	struct task
 * @copy:	text of the event being parsed, which parsing cuts up; @whole: the same, unchanged
 * @name:	its name
 * @stack:	functions of the stack that is being read; @at: its event
 * @has_stack:	there is one
 * @shift:	added to times
 * @ns:		time of the last event, @first_ns: of the first one
 * @has_time:	there was an event
 * @real_ns:	time since the epoch at clock 0, 0 = unknown
 * @has_calls:	there are system calls by number or name
 * @nr:		number of the current line
 * @other:	lines that are not events; @other_at: number of the first one
 * @bad_marks:	marks of programs that are malformed, and kept as text
 * @graph:	lines of function_graph without a time
 * @integers:	events whose time has no unit
 * @backwards:	events whose time is before that of the event before; @back_at: line of the first
 * @overrun:	events that were overwritten before the trace was read
 * @sources:	names of files or instances in front of lines, with a colon
 * @source_nr:	number of them
 * @has_top:	others have no name: the names are those of instances
 * @source:	the one of the current line, NULL = none
 */
struct systrace {
	struct event_builder *b;
	struct foreign_threads *threads;
	struct foreign_asyncs asyncs;
	struct hash_table tasks;
	struct ktrace_out copy;
	struct ktrace_out whole;
	struct ktrace_out name;
	struct ktrace_out stack;
	struct line at;
	bool has_stack;
	__u64 shift;
	__u64 ns;
	__u64 first_ns;
	bool has_time;
	__u64 real_ns;
	bool has_calls;
	__u64 nr;
	__u64 other;
	__u64 other_at;
	__u64 bad_marks;
	__u64 graph;
	__u64 integers;
	__u64 backwards;
	__u64 back_at;
	__u64 overrun;
	struct source {
		char name[64];
		size_t size;
	} sources[SYSTRACE_SOURCES];
	__u32 source_nr;
	bool has_top;
	const struct source *source;
};

void systrace_init(struct systrace *s, struct event_builder *b, struct foreign_threads *threads);
void systrace_free(struct systrace *s);
/* Reads names of threads, clocks and losses, before the conversion. Return: 0, -errno. */
int systrace_learn(struct systrace *s, const char *text, size_t size);
/* True if lines are of several files, which may be of several machines. Reports it. */
bool systrace_is_mixed(const struct systrace *s, const char *path);
/*
 * Learns from a list of processes, as ps prints it; *@is_known: false if it has no known columns.
 * Return: 0, -errno.
 */
int systrace_processes(struct systrace *s, const char *text, size_t size, bool *is_known);
/* Converts all lines. Return: 0, -errno. */
int systrace_convert(struct systrace *s, const char *text, size_t size);
/* Reports what was left out. Return: STATUS_DAMAGED if there is any, 0. */
int systrace_complain(const struct systrace *s, const char *path);

/* event.c: converts the text of an event. Return: 0, -errno. */
int systrace_event(struct systrace *s, const struct line *l);
/* Returns the thread of a line; NULL: out of memory */
struct task *systrace_task(struct systrace *s, const struct line *l);
/* Puts the event of @b. @kind: enum ktrace_channel_kind */
int systrace_put(struct systrace *s, __u32 kind, const struct line *l);
/* mark.c: converts a mark of a program; *@is_mark: false if the text is something else */
int systrace_mark(struct systrace *s, const struct line *l, const char *text, size_t size,
		  bool *is_mark);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * analysis.h - what commands share that follow the state of processes and CPUs
 *
 * The files are read from their beginning, so that the state is known at the start of the window;
 * events before it are not counted. Events lost in the window are reported.
 */
#ifndef VIEWER_ANALYSIS_ANALYSIS_H
#define VIEWER_ANALYSIS_ANALYSIS_H

#include <ktrace/state.h>

#include "base/hash_table.h"
#include "base/json.h"
#include "base/plot.h"
#include "base/required_events.h"
#include "base/table.h"
#include "base/thread_label.h"
#include "base/viewer.h"
#include "base/when.h"
#include "events/event_select.h"

struct sheet;

/**
 * struct analysis - one run of a command; first member of the command's own struct
 * @check:	checks all options together; returns an error message or NULL; may be NULL
 * @begin:	called when the window is known, before reading; may be NULL; 0, -errno
 * @early:	called for an event of the window or before it, before the state is updated; may be
 *		NULL; 0, -errno
 * @event:	called for an event of the window, after the state is updated; may be NULL; 0,
 *		-errno
 * @finish:	called after the last event, before the result; may be NULL
 * @show:	prints the result: after the line about the window, or into the JSON object
 * @plot:	draws the result, if the command has ANALYSIS_SVG_SET; may be NULL
 * @svg:	file for the picture, NULL = print text
 * @watch:	called by the state, in the window as well as before it
 * @needs:	events without which there is no result
 * @select:	the selected processes
 * @since:	as given
 * @until:	as given
 * @number:	maximum number of rows to print
 * @is_json:	print JSON
 * @is_bare:	text has no line about the window
 * @set:	the files
 * @state:	their state
 * @out:	where to print
 * @sheet:	format of the rows that are being printed
 * @start:	time of the first event of all
 * @end:	time of the last event
 * @from:	first time of the window
 * @until_ns:	first time after it, ~0 = no end
 * @has_begun:	the window has begun: later events are in it even if their clock went back
 * @to:		where the window ends: @until_ns, or the last event
 * @events:	events in the window
 * @lost:	events lost in it, by reason
 * @error:	-errno of a callback
 */
struct analysis {
	const char *(*check)(struct analysis *a);
	int (*begin)(struct analysis *a);
	int (*early)(struct analysis *a, const struct ktrace_trace_event *e);
	int (*event)(struct analysis *a, const struct ktrace_trace_event *e);
	void (*finish)(struct analysis *a);
	void (*show)(struct analysis *a);
	void (*plot)(struct analysis *a, const struct plot_note *note);
	const char *svg;
	struct ktrace_state_watch watch;
	struct required_events needs;
	struct event_select select;
	struct when since;
	struct when until;
	__u64 number;
	bool is_json;
	bool is_bare;
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_out *out;
	const struct sheet *sheet;
	__u64 start;
	__u64 end;
	__u64 from;
	__u64 until_ns;
	bool has_begun;
	__u64 to;
	__u64 events;
	__u64 lost[KTRACE_LOST_NR];
	int error;
};

/* -n and --json; they refer to a struct analysis, the first member of the command's struct. */
extern const struct option_row analysis_options[];
/* Takes -n, for commands where N does not mean rows. */
const char *analysis_set_number(void *to, const char *text);
/* Options of analyses that are not by thread but by interrupt or CPU */
#define ANALYSIS_WINDOW_SETS \
	{ since_options, offsetof(struct analysis, since) }, \
	{ until_options, offsetof(struct analysis, until) }, \
	{ analysis_options, 0 }
#define ANALYSIS_PID_SET { pid_options, offsetof(struct analysis, select) }
#define ANALYSIS_SVG_SET { svg_options, offsetof(struct analysis, svg) }
#define ANALYSIS_SETS ANALYSIS_WINDOW_SETS, ANALYSIS_PID_SET

/* Runs the command. Returns the exit status. */
int analysis_main(struct analysis *a, const struct command *cmd, int argc, char **argv);

/* Clips [*from, *to) to the window; false if nothing is left. */
bool analysis_clip(const struct analysis *a, __u64 *from, __u64 *to);
/* Returns the ns of [since, until) that are in the window. */
__u64 analysis_ns(const struct analysis *a, __u64 since, __u64 until);
/*
 * Reads [from, until) again, calling @early and the watches; then flushes the state, so that open
 * spans end at @end. Return: 0, -errno.
 */
int analysis_repeat(struct analysis *a, __u64 from, __u64 until, __u64 end);
/* True if this thread was selected. Idle threads are not, unless --pid 0 is given. */
bool analysis_wants(const struct analysis *a, const struct ktrace_process *p);
bool analysis_is_selected(const struct analysis *a, __u32 tid, __u32 pid);
/* True if @level was inherited from the parent: a system call from which both return. */
static inline bool analysis_inherited(const struct ktrace_process *p,
				      const struct ktrace_mode_level *level)
{
	return p->created && p->created == level->since;
}

/* Returns the ABI of a system call, NULL for other modes; @number becomes the sub-mode. */
const char *analysis_sub(const struct analysis *a, const struct ktrace_mode_level *level,
			 __s64 *number);
/* Formats "100/101 name". */
void analysis_name(const struct analysis *a, const struct ktrace_process *p, char *text,
		   size_t size);
/* Returns the time since the first event of all. */
__u64 analysis_since_start(const struct analysis *a, __u64 time);
/* Returns how long something that began at @since has lasted at the end of the window. */
static inline __u64 analysis_age(const struct analysis *a, __u64 since)
{
	return a->to > since ? a->to - since : 0;
}
/* Writes "cpu 0 ", "irq 19 ahci", "block 8:0". */
void analysis_resource_name(const struct analysis *a, const struct ktrace_resource *r, char *text,
			    size_t size);

/* Fills a picture with the rows that @order sorts first; @fill converts a row. */
void analysis_plot_rows(struct analysis *a, struct hash_table *rows, struct plot_rows *p,
			int (*order)(const void *x, const void *y),
			void (*fill)(struct analysis *a, struct plot_row *to, const void *row));

/**
 * struct thread_row - start of all rows about threads
 * @serial:	the key
 * @who:	name of the thread
 */
struct thread_row {
	__u64 serial;
	struct thread_label who;
};

/* Returns the row of a thread. NULL: no memory, and @a->error is set. */
void *analysis_thread(struct analysis *a, struct hash_table *rows, const struct ktrace_process *p);

/**
 * struct sheet - format of rows
 * @name:	member of the JSON object
 * @order:	order of the rows
 * @head:	prints the heading
 * @text:	prints a line
 * @json:	prints members of an object
 */
struct sheet {
	const char *name;
	int (*order)(const void *x, const void *y);
	void (*head)(struct analysis *a);
	void (*text)(struct analysis *a, const void *row);
	void (*json)(struct analysis *a, const void *row);
};

/* Sorts the rows and prints the requested number of them. */
void analysis_rows(struct analysis *a, struct hash_table *rows, const struct sheet *sheet);

#endif

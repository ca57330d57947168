/* SPDX-License-Identifier: GPL-2.0 */
/* html_model.h - which rows events belong to, and how events change rows */
#ifndef VIEWER_HTML_HTML_MODEL_H
#define VIEWER_HTML_HTML_MODEL_H

#include <ktrace/messages.h>

#include "analysis/flow_class.h"
#include "events/event_select.h"
#include "html_rows.h"
#include "model/pthread_model.h"
#include "model/slices.h"

/* struct html_touched - a thread that an event changes; @serial: the one before the event */
struct html_touched {
	const struct ktrace_process *process;
	__u64 serial;
};

#define HTML_TOUCHED_MAX 32u

/**
 * struct html_model - the models, and what an event changes
 * @rows:	rows
 * @select:	processes asked for
 * @state:	model of threads and CPUs
 * @watch:	of @state
 * @sync:	model of mutexes and other pthread objects
 * @sync_watch:	of @sync
 * @releases:	latest threads that changed each object
 * @left_out:	locks without a row: a byte each, by serial
 * @left_nr:	how many
 * @left_cap:	room for this many
 * @locks_nr:	locks with a row
 * @slices:	open spans of threads, by their row
 * @spans:	types of events that begin a span, and its state
 * @deep_nr:	spans without a row: too many were open
 * @begin:	where the page begins
 * @now:	time of the event, since @begin
 * @event:	the event
 * @doing:	states of threads, + 1
 * @working:	states of CPUs and so on, + 1
 * @locks:	states of objects, + 1
 * @threads:	threads that the event changes
 * @thread_nr:	how many
 * @resources:	CPUs and so on that the event changes
 * @resource_nr: how many
 * @self:	row of the event's thread
 * @error:	0, -errno
 */
struct html_model {
	struct html_options *rows;
	const struct event_select *select;
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct model *sync;
	struct model_watch sync_watch;
	struct hash_table releases;
	__u8 *left_out;
	__u64 left_nr;
	size_t left_cap;
	__u32 locks_nr;
	struct slices slices;
	struct hash_table spans;
	__u64 deep_nr;
	__u64 begin;
	__u64 now;
	const struct ktrace_trace_event *event;
	__u32 doing[FLOW_NR];
	__u32 working[KTRACE_RES_MODE_NR];
	__u32 locks[MODEL_STATE_NR];
	struct html_touched threads[HTML_TOUCHED_MAX];
	__u32 thread_nr;
	const struct ktrace_resource *resources[HTML_TOUCHED_MAX];
	__u32 resource_nr;
	__u32 self;
	int error;
};

/* Return: 0, -errno. */
int html_model_init(struct html_model *f, struct html_options *rows, struct ktrace_traceset *set);
void html_model_free(struct html_model *f);
/* Takes the next event in; @now: its time since the page's beginning. Return: 0, -errno. */
int html_model_event(struct html_model *f, const struct ktrace_trace_event *e, __u64 now);
/* Draws the arrow of a message between hosts, after the event that received it. */
void html_model_message(struct html_model *f, const struct ktrace_message *m);

#endif

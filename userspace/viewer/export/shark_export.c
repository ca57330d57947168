// SPDX-License-Identifier: GPL-2.0
/*
 * shark_export.c - writes events of S.Ha.R.K. in its own file format, and as text
 *
 *   shark	events of 16 bytes each, stamps as recorded
 *   shark-text   "code tsc args", numbered as by its converter
 *   kiwi	 "time event arg1 arg2 arg3", after a line with colours
 *
 * Leaves out events that a format cannot express, and reports their number at the end.
 */
#include "export.h"

#include <stdio.h>

#include "events/shark.h"

/**
 * struct shark_writing - one run
 * @x:		options and files
 * @out:	output stream
 * @put:	writes an event; false if the format cannot express it
 * @has_ticks:	an event told the length of a tick
 * @nr:		number of S.Ha.R.K. events
 * @others:	events of other tracers
 * @left_out:	events that cannot be expressed
 * @start:	time of the first event
 */
struct shark_writing {
	struct export *x;
	struct ktrace_out *out;
	bool (*put)(struct shark_writing *w, const struct ktrace_trace_event *event,
		    const struct shark_event *e);
	bool has_ticks;
	__u64 nr;
	__u64 others;
	__u64 left_out;
	__u64 start;
};

static void say(__u64 nr, const char *what)
{
	if (nr)
		fprintf(stderr, "ktrace: left out: %llu event%s %s\n", (unsigned long long)nr,
			nr == 1 ? "" : "s", what);
}

static int write_events(struct shark_writing *w)
{
	const struct ktrace_trace_event *event;
	struct shark_event e;
	int ret = time_range_begin(&w->x->scope, w->x->set);

	w->start = w->x->scope.start;
	while (!ret && !w->out->error) {
		ret = time_range_next(&w->x->scope, &event);
		if (ret <= 0)
			return ret;
		ret = 0;
		if (event->id == KTRACE_ID_LOST)
			continue;
		if (!shark_event_of(event, &e)) {
			w->others++;
			continue;
		}
		w->has_ticks |= shark_ticks(&e) != 0;
		w->nr++;
		w->left_out += !w->put(w, event, &e);
	}
	return ret;
}

static bool put_slot(struct shark_writing *w, const struct ktrace_trace_event *event,
		     const struct shark_event *e)
{
	unsigned char slot[SHARK_SLOT];

	(void)event;
	if (!e->code)
		return false;
	shark_put(slot, e);
	ktrace_out_bytes(w->out, (const char *)slot, sizeof(slot));
	return true;
}

static int write_shark(struct export *x)
{
	struct shark_writing w = { .x = x, .out = output(), .put = put_slot };
	struct ktrace_clock_info clock;
	int ret;

	ret = write_events(&w);
	say(w.others, "other than " SHARK_EVENT);
	say(w.left_out, "with code 0, which is an empty slot");
	ktrace_trace_clock(ktrace_traceset_trace(x->set, 0), &clock);
	if (!ret && w.nr && !w.has_ticks)
		fprintf(stderr, "ktrace: no event says what a tick is: import with "
			"--ticks-per-ms %llu\n", (unsigned long long)(clock.hz / 1000));
	return ret;
}

const struct export_format export_shark = {
	.name = "shark",
	.is_single = true,
	.write = write_shark,
};

/* struct text - how the converter writes a code: its number and the parameters that follow */
struct text {
	__u16 code;
	__u16 number;
	enum { NOTHING, PAR1, PAR2, BOTH, ZERO } args;
};

static const struct text texts[] = {
	{ FTrace_EVT_trace_start, 0, BOTH },
	{ FTrace_EVT_trace_stop, 1, NOTHING },
	{ FTrace_EVT_interrupt_start, 2, PAR1 },
	{ FTrace_EVT_timer_wakeup_start, 2, ZERO },
	{ FTrace_EVT_interrupt_end, 3, PAR1 },
	{ FTrace_EVT_timer_wakeup_end, 3, PAR1 },
	{ FTrace_EVT_context_switch, 4, PAR1 },
	{ FTrace_EVT_task_create, 5, BOTH },
	{ FTrace_EVT_task_activate, 6, PAR1 },
	{ FTrace_EVT_task_end, 7, PAR1 },
	{ FTrace_EVT_task_end_cycle, 8, PAR1 },
	{ FTrace_EVT_id, 9, BOTH },
	{ FTrace_EVT_cycles_per_msec, 10, PAR2 },
	{ FTrace_EVT_server_active, 16, PAR2 },
	{ FTrace_EVT_task_deadline_miss, 20, PAR1 },
	{ FTrace_EVT_task_wcet_violation, 21, PAR1 },
};

static void put_number(struct ktrace_out *out, __u64 v)
{
	ktrace_out_char(out, ' ');
	ktrace_out_u64(out, v);
}

static void put_text_line(struct ktrace_out *out, const struct text *t, const struct shark_event *e)
{
	ktrace_out_u64(out, t->number);
	put_number(out, e->tsc);
	if (t->args == PAR1 || t->args == BOTH)
		put_number(out, e->par1);
	if (t->args == PAR2 || t->args == BOTH)
		put_number(out, e->par2);
	if (t->args == ZERO)
		put_number(out, 0);
	ktrace_out_char(out, '\n');
}

/* The converter looks only at the lower byte of a code. */
static bool put_text(struct shark_writing *w, const struct ktrace_trace_event *event,
		     const struct shark_event *e)
{
	const unsigned int code = e->code & 0xffu;

	(void)event;
	if (code == FTrace_EVT_ipoint) {
		const struct text ipoint = { FTrace_EVT_ipoint, e->par1, NOTHING };

		put_text_line(w->out, &ipoint, e);
		return true;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code) {
			put_text_line(w->out, &texts[i], e);
			return true;
		}
	return false;
}

static int write_text(struct export *x)
{
	struct shark_writing w = { .x = x, .out = output(), .put = put_text };
	int ret;

	ret = write_events(&w);
	say(w.others, "other than " SHARK_EVENT);
	say(w.left_out, "that the converter has no number for");
	return ret;
}

const struct export_format export_shark_text = {
	.name = "shark-text",
	.is_single = true,
	.write = write_text,
};

/* Colours of tasks, by their context number modulo the number of colours */
#define COLOURS "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf"

static bool put_kiwi(struct shark_writing *w, const struct ktrace_trace_event *event,
		     const struct shark_event *e)
{
	const __u64 ns = event->time > w->start ? event->time - w->start : 0;
	const struct ktrace_event_type *type = event->type;
	const char *name = type->field_nr ?
		ktrace_enumerator_find(type->fields, (__s64)shark_code(e)) : NULL;

	ktrace_out_u64(w->out, ns / 1000);
	ktrace_out_char(w->out, '.');
	ktrace_out_dec(w->out, ns % 1000, 3);
	ktrace_out_char(w->out, ' ');
	if (name) {
		ktrace_out_str(w->out, name);
	} else {
		ktrace_out_str(w->out, "0x");
		ktrace_out_hex(w->out, e->code, 2);
	}
	put_number(w->out, e->par1);
	put_number(w->out, e->par2);
	put_number(w->out, event->tid);
	ktrace_out_char(w->out, '\n');
	return true;
}

static int write_kiwi(struct export *x)
{
	struct shark_writing w = { .x = x, .out = output(), .put = put_kiwi };
	int ret;

	ktrace_out_str(w.out, "start " COLOURS "\n");
	ret = write_events(&w);
	say(w.others, "other than " SHARK_EVENT);
	return ret;
}

const struct export_format export_kiwi = {
	.name = "kiwi",
	.write = write_kiwi,
};

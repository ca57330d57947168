// SPDX-License-Identifier: LGPL-2.1
/*
 * state_change.c - apply the changes of events, and notify watches
 *
 * A stack has at least one level. Leaving a mode whose entry is missing, because it was before the
 * recording or was lost, leaves "unknown". Levels beyond the maximum depth are counted, so that
 * leaving them does not remove other levels.
 */
#include "state.h"

#include <string.h>

void ktrace_tell_span(const struct ktrace_states *s, const struct ktrace_process *p, __u64 until)
{
	__u32 i;

	for (i = 0; !s->is_muted && i < s->watch_nr; i++)
		if (s->watches[i]->span)
			s->watches[i]->span(s->watches[i]->arg, p, until);
}

void ktrace_tell_resource(const struct ktrace_states *s, const struct ktrace_resource *r,
			 __u64 until)
{
	__u32 i;

	for (i = 0; !s->is_muted && i < s->watch_nr; i++)
		if (s->watches[i]->resource)
			s->watches[i]->resource(s->watches[i]->arg, r, until);
}

static void tell_left(const struct step *st, const struct ktrace_process *p,
		      const struct ktrace_mode_level *level, __s64 value)
{
	const struct ktrace_states *s = st->state;
	__u32 i;

	for (i = 0; !s->is_muted && i < s->watch_nr; i++)
		if (s->watches[i]->left)
			s->watches[i]->left(s->watches[i]->arg, p, level, st->time, value);
}

/* Ends a span. Stamps of one stream may go backwards; @since does not. */
static void end_span(struct step *st, struct ktrace_process *p)
{
	ktrace_tell_span(st->state, p, st->time);
	if (st->time > p->since)
		p->since = st->time;
}

/* Sets the status. In a recording of followed processes, that of other processes is unknown. */
void ktrace_step_status(struct step *st, struct ktrace_process *p, __u32 status)
{
	if (!st->is_partial)
		p->is_followed = 1;
	if (!p->is_followed)
		status = KTRACE_STATUS_UNNAMED;
	if (p->status == status)
		return;
	end_span(st, p);
	p->status = status;
}

/* Sets the stack to the single level @mode. */
void ktrace_step_stack(struct step *st, struct ktrace_process *p, __u32 mode)
{
	if (p->depth == 1 && !p->over && p->stack[0].mode == mode)
		return;
	end_span(st, p);
	p->depth = 1;
	p->over = 0;
	p->stack[0] = (struct ktrace_mode_level){ .since = st->time, .mode = mode };
}

void ktrace_step_push(struct step *st, struct ktrace_process *p, __u32 mode, __u32 sub)
{
	if (p->depth == KTRACE_MODE_DEPTH) {
		p->over++;
		return;
	}
	end_span(st, p);
	p->stack[p->depth++] = (struct ktrace_mode_level){ st->time, mode, sub };
}

/* Leaves the topmost level of @mode, and all levels above it, whose end was not recorded. */
void ktrace_step_pop(struct step *st, struct ktrace_process *p, __u32 mode, __s64 value)
{
	__u32 i = p->depth;

	if (p->over) {
		p->over--;
		return;
	}
	while (i && p->stack[i - 1].mode != mode)
		i--;
	if (i < 2) {
		ktrace_step_stack(st, p, KTRACE_MODE_UNKNOWN);
		return;
	}
	end_span(st, p);
	tell_left(st, p, &p->stack[i - 1], value);
	p->depth = i - 1;
}

/* Removes levels of @mode from the top of the stack, whose end was not recorded. */
void ktrace_step_drop(struct step *st, struct ktrace_process *p, __u32 mode)
{
	if (ktrace_process_mode(p)->mode != mode || p->depth < 2)
		return;
	end_span(st, p);
	while (p->depth > 1 && ktrace_process_mode(p)->mode == mode)
		p->depth--;
	p->over = 0;
}

static void end_resource(struct step *st, struct ktrace_resource *r)
{
	ktrace_tell_resource(st->state, r, st->time);
	if (st->time > r->since)
		r->since = st->time;
}

void ktrace_step_begin(struct step *st, struct ktrace_resource *r, __u32 mode)
{
	if (r->depth == KTRACE_RESOURCE_DEPTH) {
		r->over++;
		return;
	}
	end_resource(st, r);
	if (r->depth == 1 && r->modes[0] == KTRACE_RES_UNKNOWN)
		r->modes[0] = KTRACE_RES_IDLE;
	r->modes[r->depth++] = (__u8)mode;
}

void ktrace_step_end(struct step *st, struct ktrace_resource *r)
{
	if (r->over) {
		r->over--;
		return;
	}
	end_resource(st, r);
	if (r->depth > 1)
		r->depth--;
	else
		r->modes[0] = KTRACE_RES_UNKNOWN;
}

/* Derives a block device's mode from its pending requests, which end in any order. */
void ktrace_step_requests(struct step *st, struct ktrace_resource *r, __u32 reads, __u32 writes)
{
	const __u8 mode = writes ? KTRACE_RES_WRITE : KTRACE_RES_READ;
	const __u32 depth = reads || writes ? 2 : 1;

	r->reads = reads;
	r->writes = writes;
	if (r->depth == depth && r->modes[0] == KTRACE_RES_IDLE &&
	    (depth == 1 || r->modes[1] == mode))
		return;
	end_resource(st, r);
	r->depth = depth;
	r->modes[0] = KTRACE_RES_IDLE;
	r->modes[1] = mode;
}

void ktrace_step_forget(struct step *st, struct ktrace_resource *r)
{
	end_resource(st, r);
	r->depth = 1;
	r->modes[0] = KTRACE_RES_UNKNOWN;
}

static __u8 base_mode(const struct ktrace_process *p)
{
	if (p->status == KTRACE_STATUS_UNNAMED)
		return KTRACE_RES_UNKNOWN;
	return p->tid ? KTRACE_RES_BUSY : KTRACE_RES_IDLE;
}

/* Derives a CPU's modes from its thread: unknown if the thread's status is. */
void ktrace_step_run_on(struct step *st, struct ktrace_resource *cpu,
			const struct ktrace_process *p)
{
	static const __u8 modes[KTRACE_MODE_NR] = {
		[KTRACE_MODE_TRAP] = KTRACE_RES_TRAP,
		[KTRACE_MODE_IRQ] = KTRACE_RES_IRQ,
		[KTRACE_MODE_SOFTIRQ] = KTRACE_RES_SOFTIRQ,
	};
	__u8 now[KTRACE_RESOURCE_DEPTH] = { base_mode(p) };
	__u32 i, depth = 1;

	for (i = 0; now[0] != KTRACE_RES_UNKNOWN && i < p->depth; i++)
		if (modes[p->stack[i].mode])
			now[depth++] = modes[p->stack[i].mode];
	if (cpu->tid == p->tid && cpu->depth == depth && !memcmp(cpu->modes, now, depth))
		return;
	end_resource(st, cpu);
	cpu->tid = p->tid;
	cpu->depth = depth;
	memcpy(cpu->modes, now, sizeof(now));
}

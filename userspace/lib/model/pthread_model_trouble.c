// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model_trouble.c - impossible transitions
 *
 * Each is kept with its place. It stays only if no later event explains it:
 *
 *   lost events, reported after the gap in which they are missing, withdraw all troubles from
 *   that gap on: model_withdraw();
 *
 *   stamps of two CPUs in the wrong order: the event recorded first, such as the unlock, has a
 *   stamp up to MODEL_SKEW_NS after that of what it made possible: model_excuse().
 *
 * Nothing is reported for an object whose events are not all recorded, that other processes may
 * use, or that a call under way may be changing.
 */
#include "pthread_model_state.h"

#include "base/grow.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define TROUBLES_MAX 1000u

static bool is_sure(const struct model_step *st, const struct object *o)
{
	if (!st->t->t.process->pid)
		return false;
	if (st->s->is_partial[st->b->kind])
		return false;
	return o ? !o->o.is_partial && !o->o.is_pshared && !o->doubts :
		   !st->s->is_partial[MODEL_THREAD];
}

static struct model_trouble *new_trouble(struct model *s)
{
	if (s->trouble_nr == TROUBLES_MAX)
		return NULL;
	if (!LIST_GROW(s->troubles, s->trouble_nr, s->trouble_cap)) {
		s->error = -ENOMEM;
		return NULL;
	}
	return &s->troubles[s->trouble_nr++];
}

static void complain(struct model_step *st, struct object *o, bool is_misuse, const char *format,
		     va_list ap)
{
	struct model_trouble *t = is_sure(st, o) ? new_trouble(st->s) : NULL;
	const struct model_thread *by = &st->t->t;

	if (!t)
		return;
	*t = (struct model_trouble){
		.time = st->e->time, .raw = st->e->raw, .trace = st->e->stream->trace,
		.cpu = st->e->stream->cpu, .name = st->b->type->name, .pid = by->process->pid,
		.tid = by->tid, .address = o ? o->o.address : 0, .kind = st->b->kind,
		.is_misuse = is_misuse,
	};
	vsnprintf(t->text, sizeof(t->text), format, ap);
	if (!o)
		return;
	o->trouble = (__u32)st->s->trouble_nr;
	o->trouble_time = t->time;
}

void model_complain(struct model_step *st, struct object *o, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain(st, o, false, format, ap);
	va_end(ap);
}

void model_complain_misuse(struct model_step *st, struct object *o, const char *format, ...)
{
	va_list ap;

	if (o->is_blamed)
		return;
	o->is_blamed = true;
	va_start(ap, format);
	complain(st, o, true, format, ap);
	va_end(ap);
}

bool model_excuse(struct model_step *st, struct object *o)
{
	if (!o->trouble || st->e->time - o->trouble_time > MODEL_SKEW_NS)
		return false;
	/* An empty text marks a withdrawn one. */
	st->s->troubles[o->trouble - 1].text[0] = '\0';
	return true;
}

void model_withdraw(struct model *s, __u64 time)
{
	size_t i;

	for (i = s->trouble_nr; i-- && s->troubles[i].time >= time;)
		s->troubles[i].text[0] = '\0';
}

const struct model_trouble *model_trouble(const struct model *s, size_t i)
{
	size_t at;

	for (at = 0; at < s->trouble_nr; at++)
		if (s->troubles[at].text[0] && !i--)
			return &s->troubles[at];
	return NULL;
}

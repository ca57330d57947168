// SPDX-License-Identifier: LGPL-2.1
/*
 * pthread_model.c - threads and objects: finding threads, lost events, queries of callers
 *
 * A thread is found by machine and tid, its process by what META tells of that tid at that stamp.
 * The parts are listed in pthread_model_state.h.
 */
#include "pthread_model_state.h"

#include "base/grow.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void model_stir(struct model *s, struct thread *t)
{
	if (t->is_stirred)
		return;
	t->is_stirred = true;
	STAILQ_INSERT_TAIL(&s->stirred, t, stirred);
}

static struct thread *new_thread(struct model_step *st, __u32 machine, struct process *p)
{
	struct model *s = st->s;
	struct thread *t;

	if (!LIST_GROW(s->threads, s->thread_nr, s->thread_cap))
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t || model_map_set(&s->by_tid, machine, st->e->tid, t)) {
		free(t);
		return NULL;
	}
	t->process = p;
	t->t = (struct model_thread){
		.process = &p->p, .serial = (__u32)s->thread_nr, .tid = st->e->tid,
		.trace = st->e->stream->trace, .raw = st->e->raw, .since = st->time,
	};
	s->threads[s->thread_nr++] = t;
	STAILQ_INSERT_TAIL(&p->threads, t, of_process);
	return t;
}

int model_thread_renew(struct model_step *st)
{
	struct thread *old = st->t;
	struct thread *t = new_thread(st, old->process->p.machine, old->process);

	if (!t)
		return -ENOMEM;
	model_calls_drop(st, old, false);
	if (!old->is_joined) {
		old->has_ended = old->t.is_detached = true;
		model_settle(st, old);
	}
	t->until = old->until;
	t->trace_index = old->trace_index;
	t->t.calls = 1;
	model_stir(st->s, t);
	st->t = t;
	return 0;
}

/* Sets all objects of the process with a known state to @state. */
static void set_all(struct model_step *st, struct process *p, __u32 state)
{
	struct object *o;

	while ((o = p->known)) {
		p->known = o->next_known;
		o->is_listed = false;
		o->o.owner = NULL;
		o->o.count = o->o.readers = 0;
		o->o.has_value = false;
		o->o.value = o->o.kind == MODEL_BARRIER ? 0 : o->o.value;
		o->reader = o->ghost = NULL;
		if (o->o.state != MODEL_GONE)
			model_set_state(st, o, state);
	}
}

/* Handles the end of a process, or the start of another program in it. */
static void end_image(struct model_step *st, struct process *p)
{
	struct object *o;
	struct thread *t;

	STAILQ_FOREACH(t, &p->threads, of_process)
		while (t->hold_nr)
			model_hold_remove(st, t, t->holds[t->hold_nr - 1].object);
	set_all(st, p, MODEL_GONE);
	STAILQ_FOREACH(o, &p->objects, of_process)
		model_set_state(st, o, MODEL_GONE);
	STAILQ_FOREACH(t, &p->threads, of_process) {
		if (t->has_ended)
			continue;
		model_calls_drop(st, t, false);
		t->has_ended = t->t.is_detached = true;
		model_settle(st, t);
	}
}

static struct process *find_process(struct model_step *st, __u32 machine,
				    const struct ktrace_image *image)
{
	__u64 a = (__u64)machine << 32 | image->pid, b = image->pid ? 0 : st->e->tid;
	struct model_step gone = { .s = st->s, .time = st->time };
	struct process *p = model_map_get(&st->s->by_pid, a, b), *old = p;

	if (p && (!image->begin || p->p.begin == image->begin))
		return p;
	p = calloc(1, sizeof(*p));
	if (!p || model_map_set(&st->s->by_pid, a, b, p)) {
		free(p);
		return NULL;
	}
	STAILQ_INIT(&p->threads);
	STAILQ_INIT(&p->objects);
	p->next = st->s->processes;
	st->s->processes = p;
	p->p = (struct model_process){
		.serial = ++st->s->process_nr, .machine = machine, .pid = image->pid,
		.tid = image->pid ? 0 : st->e->tid, .begin = image->begin,
	};
	if (old)
		end_image(&gone, old);
	return p;
}

/* Asks META whether the thread now belongs to another process. NULL: no memory */
static struct thread *look_up(struct model_step *st, struct thread *t, __u32 machine)
{
	const struct ktrace_trace *trace = st->e->stream->trace;
	struct ktrace_image image;
	struct process *p;

	ktrace_trace_image(trace, st->e->tid, st->e->raw, &image);
	p = find_process(st, machine, &image);
	if (!p)
		return NULL;
	if (!t || t->process != p)
		t = new_thread(st, machine, p);
	if (!t)
		return NULL;
	t->until = image.until;
	t->trace_index = ktrace_trace_index(trace);
	return t;
}

static int find_thread(struct model_step *st)
{
	const struct ktrace_trace *trace = st->e->stream->trace;
	__u32 machine = ktrace_state_machine(st->s->states, trace);
	struct thread *t = model_map_get(&st->s->by_tid, machine, st->e->tid);

	if (!t || st->e->raw >= t->until || st->e->raw < t->t.raw ||
	    t->trace_index != ktrace_trace_index(trace))
		t = look_up(st, t, machine);
	if (!t)
		return -ENOMEM;
	t->t.trace = trace;
	t->t.raw = st->e->raw;
	model_stir(st->s, t);
	st->t = t;
	return 0;
}

/* Forgets calls, owners and values: none is certain any more. */
static void forget(struct model_step *st)
{
	struct model *s = st->s;
	struct process *p;
	struct thread *t;

	while ((t = STAILQ_FIRST(&s->stirred))) {
		STAILQ_REMOVE_HEAD(&s->stirred, stirred);
		t->is_stirred = false;
		model_calls_drop(st, t, true);
		model_holds_forget(st, t);
		if (!t->has_ended && t->t.life != MODEL_NOT_KNOWN)
			model_forget_life(st, t);
	}
	while ((p = s->knowing)) {
		s->knowing = p->next_knowing;
		p->is_knowing = false;
		set_all(st, p, MODEL_UNKNOWN);
	}
}

static struct stream_end *end_of(struct model *s, const struct ktrace_trace_stream *stream)
{
	struct stream_end *end = s->last_end;

	if (end && end->stream == stream)
		return end;
	end = model_map_get(&s->by_stream, (uintptr_t)stream, 0);
	if (!end) {
		end = calloc(1, sizeof(*end));
		if (!end || model_map_set(&s->by_stream, (uintptr_t)stream, 0, end)) {
			free(end);
			return NULL;
		}
		end->stream = stream;
	}
	s->last_end = end;
	return end;
}

/* Handles lost events between the stream's latest event and this one. Return: 0, -ENOMEM. */
static int on_loss(struct model *s, const struct ktrace_trace_event *e)
{
	struct model_step st = { .s = s, .time = e->time };
	struct stream_end *end = end_of(s, e->stream);

	if (!end)
		return -ENOMEM;
	model_withdraw(s, end->time);
	forget(&st);
	return 0;
}

static __s32 result_of(const struct model_step *st)
{
	if (st->b->phase == MODEL_IN || !model_has(st, MODEL_F_RESULT))
		return 0;
	return (__s32)model_value(st, MODEL_F_RESULT);
}

/* Counts the event. A joined thread can make no calls, so its join was wrong. */
static void begin_event(struct model_step *st)
{
	struct thread *t = st->t;

	if (t->frame_nr && !t->frames[t->frame_nr - 1].next)
		t->frames[t->frame_nr - 1].next = st->time;
	t->t.calls++;
	if (t->is_joined && st->b->op != MODEL_OP_START) {
		if (t->is_surely_joined)
			model_complain(st, NULL, "by a thread that was joined");
		t->is_joined = t->has_ended = false;
		model_settle(st, t);
	}
	if (t->t.life == MODEL_NOT_KNOWN)
		model_settle(st, t);
}

static int take(struct model_step *st)
{
	int ret = find_thread(st);

	if (ret)
		return ret;
	begin_event(st);
	st->result = result_of(st);
	if (st->b->kind == MODEL_THREAD || !model_has(st, MODEL_F_OBJECT) ||
	    (st->b->op == MODEL_OP_OPEN && st->result))
		return model_apply(st);
	st->o = model_object_at(st, model_value(st, MODEL_F_OBJECT), st->b->kind);
	if (!st->o)
		return -ENOMEM;
	if (st->o->o.state == MODEL_GONE && st->b->phase != MODEL_OUT)
		model_object_renew(st, st->o, st->b->kind);
	st->o->o.uses += st->b->phase != MODEL_OUT;
	st->o->o.raw = st->e->raw;
	st->o->o.trace = st->e->stream->trace;
	return model_apply(st);
}

/*
 * Ends a program that may have no final event, by @last: its successor makes none, or there is
 * none.
 */
static void take_birth(struct model *s, const struct ktrace_trace *trace, const struct lifetime *b,
		       __u64 last)
{
	const __u64 time = ktrace_trace_time(trace, b->raw);
	struct model_step gone = { .s = s, .time = time < last ? time : last };
	struct process *p = model_map_get(&s->by_pid, (__u64)b->machine << 32 | b->pid, 0);

	if (p && !b->is_fork && p->p.begin && p->p.begin < b->raw)
		end_image(&gone, p);
}

int model_update(struct model *s, const struct ktrace_trace_event *e)
{
	struct model_step st = { .s = s, .time = e->time, .e = e };
	struct stream_end *end;
	struct lifetime birth;
	int ret;

	s->actor = NULL;
	s->target = NULL;
	while (lifetimes_next(s->births, e, &birth))
		take_birth(s, e->stream->trace, &birth, e->time);
	if (e->stream->kind == KTRACE_CHANNEL_KERNEL)
		return 0;
	if (e->id == KTRACE_ID_LOST)
		return on_loss(s, e);
	st.b = e->type ? model_bind(s, e->type) : NULL;
	if (e->type && !st.b)
		return -ENOMEM;
	if (!st.b || !st.b->is_ours)
		return 0;
	/* An event without its fields or in the wrong order is as good as lost. */
	if (e->len < st.b->need || e->flags & (KTRACE_EVENT_INCOMPLETE | KTRACE_EVENT_NO_START |
					       KTRACE_EVENT_BACKWARDS))
		return on_loss(s, e);
	if (e->raw >= s->choice_raw || s->choice_trace != e->stream->trace)
		if (model_choice_is_new(s, e))
			forget(&st);
	ret = take(&st);
	end = end_of(s, e->stream);
	if (!end)
		return -ENOMEM;
	end->time = e->time;
	s->events++;
	s->actor = st.t ? &st.t->t : NULL;
	s->target = st.o ? &st.o->o : NULL;
	return ret ? ret : s->error;
}

const struct model_thread *model_actor(const struct model *s)
{
	return s->actor;
}

const struct model_object *model_target(const struct model *s)
{
	return s->target;
}

void model_end(struct model *s, __u64 until, __u64 last)
{
	const struct ktrace_trace *trace;
	struct lifetime birth;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(s->set, i)); i++)
		while (lifetimes_rest(s->births, i, &birth) &&
		       ktrace_trace_time(trace, birth.raw) < until)
			take_birth(s, trace, &birth, last);
}

void model_flush(struct model *s, __u64 until)
{
	struct model_step st = { .s = s, .time = until };
	size_t i;

	for (i = 0; i < s->thread_nr; i++) {
		model_calls_flush(&st, s->threads[i]);
		model_holds_flush(&st, s->threads[i]);
	}
}

int model_new(struct ktrace_traceset *set, const struct ktrace_states *states,
	      const struct model_watch *watch, struct model **out)
{
	struct model *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return -ENOMEM;
	s->set = set;
	s->states = states;
	STAILQ_INIT(&s->stirred);
	if (watch)
		s->watch = *watch;
	return lifetimes_new(set, &s->births) ? -ENOMEM : model_choices(s);
}

static void free_values(struct model_map *m)
{
	size_t i;

	for (i = 0; i < m->slot_nr; i++)
		free(m->slots[i].at);
	model_map_free(m);
}

void model_free(struct model *s)
{
	struct process *p;
	size_t i;

	if (!s)
		return;
	lifetimes_free(s->births);
	free_values(&s->by_type);
	free_values(&s->by_stream);
	model_map_free(&s->by_pid);
	model_map_free(&s->by_tid);
	model_map_free(&s->by_handle);
	for (i = 0; i < s->thread_nr; i++) {
		free(s->threads[i]->frames);
		free(s->threads[i]->holds);
		free(s->threads[i]);
	}
	model_objects_free(&s->objects);
	for (i = 0; i < s->stem_nr; i++)
		free(s->stems[i]);
	while ((p = s->processes)) {
		s->processes = p->next;
		free(p);
	}
	free(s->threads);
	free(s->stems);
	free(s->troubles);
	free(s);
}

const struct model_thread *model_thread(const struct model *s, size_t i)
{
	return i < s->thread_nr ? &s->threads[i]->t : NULL;
}

__u64 model_events(const struct model *s)
{
	return s->events;
}

__u64 model_waits_lost(const struct model *s)
{
	return s->waits_lost;
}

__u64 model_holds_lost(const struct model *s)
{
	return s->holds_lost;
}

static const char *name_of(const char *const *names, __u32 nr, __u32 i)
{
	return i < nr ? names[i] : "?";
}

const char *model_kind_name(__u32 kind)
{
	static const char *const names[] = { "thread", "mutex", "cond", "barrier", "sem",
					     "rwlock", "spin", "once" };

	return name_of(names, MODEL_KIND_NR, kind);
}

const char *model_state_name(__u32 state)
{
	static const char *const names[] = { "unknown", "free", "taken", "shared", "done",
					     "gone" };

	return name_of(names, MODEL_STATE_NR, state);
}

const char *model_life_name(__u32 life)
{
	static const char *const names[] = { "unknown", "running", "waiting", "zombie", "joined",
					     "dead" };

	return name_of(names, MODEL_LIFE_NR, life);
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * state.c - threads and resources, and saved states
 *
 * A state is saved only before an event whose time is above all earlier ones. A seek to that time
 * finds in each stream the first event at that time or later, so it continues with the same event.
 * So a saved state plus the events after it give the same result as reading from the start. Dead
 * threads are removed at fixed numbers of events, so this does not affect the result.
 */
#include <ktrace/state.h>

#include "base/grow.h"
#include "state.h"
#include "decode/syscall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 4u		/* threads and resources that one event can add */
#define IDLE_KEY (1ull << 31)

static __u64 thread_key(__u32 machine, __u32 tid, __s32 cpu)
{
	tid &= KTRACE_TID_MASK;
	return (__u64)machine << 32 | (tid ? tid : IDLE_KEY | ((__u32)cpu & 0xffffff));
}

static __u64 resource_key(__u32 machine, __u32 kind, __u32 number)
{
	return ((__u64)machine * KTRACE_RESOURCE_NR + kind) << 32 | number;
}

static __u64 key_of_process(const struct ktrace_process *p)
{
	return thread_key(p->machine, p->tid, p->cpu);
}

static __u64 key_of_resource(const struct ktrace_resource *r)
{
	return resource_key(r->machine, r->kind, r->number);
}

/* Makes room before an event is applied, so that nothing moves meanwhile. Returns 0 or -ENOMEM. */
static int make_room(struct ktrace_states *s)
{
	struct core *c = &s->now;
	int ret;

	if (!LIST_GROW(c->processes, c->process_nr + ROOM - 1, c->process_cap) ||
	    !LIST_GROW(c->resources, c->resource_nr + ROOM - 1, c->resource_cap))
		return -ENOMEM;
	ret = ktrace_map_reserve(&s->by_thread, ROOM);
	return ret ? ret : ktrace_map_reserve(&s->by_resource, ROOM);
}

/* Replaces the thread with a new one of the same number, about which nothing is known. */
void ktrace_step_renew(struct step *st, struct ktrace_process *p)
{
	struct core *c = &st->state->now;
	struct ktrace_process fresh = {
		.serial = c->next_serial++,
		.inserted = st->time,
		.since = st->time,
		.machine = st->machine,
		.tid = p->tid,
		.pid = p->pid,
		.cpu = p->cpu,
		.depth = 1,
	};

	ktrace_tell_span(st->state, p, st->time);
	fresh.stack[0].since = st->time;
	*p = fresh;
}

struct ktrace_process *ktrace_step_known(struct step *st, __u32 tid)
{
	__u32 place = ktrace_map_get(&st->state->by_thread, thread_key(st->machine, tid, -1));

	return place == ~0u ? NULL : &st->state->now.processes[place];
}

/* Returns thread @tid, which is created if necessary; @cpu selects the idle task for @tid 0. */
struct ktrace_process *ktrace_step_thread(struct step *st, __u32 tid, __s32 cpu)
{
	struct core *c = &st->state->now;
	__u64 key = thread_key(st->machine, tid, cpu);
	__u32 place = ktrace_map_get(&st->state->by_thread, key);
	struct ktrace_process *p;

	if (place != ~0u)
		return &c->processes[place];
	p = &c->processes[c->process_nr];
	*p = (struct ktrace_process){
		.serial = c->next_serial++,
		.inserted = st->time,
		.since = st->time,
		.machine = st->machine,
		.tid = tid & KTRACE_TID_MASK,
		.cpu = cpu,
		.depth = 1,
	};
	p->stack[0].since = st->time;
	ktrace_map_set(&st->state->by_thread, key, c->process_nr++);
	return p;
}

struct ktrace_resource *ktrace_step_resource(struct step *st, __u32 kind, __u32 number)
{
	struct core *c = &st->state->now;
	__u64 key = resource_key(st->machine, kind, number);
	__u32 place = ktrace_map_get(&st->state->by_resource, key);
	struct ktrace_resource *r;

	if (place != ~0u)
		return &c->resources[place];
	r = &c->resources[c->resource_nr];
	*r = (struct ktrace_resource){
		.since = st->time,
		.machine = st->machine,
		.kind = kind,
		.number = number,
		.depth = 1,
	};
	ktrace_map_set(&st->state->by_resource, key, c->resource_nr++);
	return r;
}

void ktrace_step_leave(struct step *st, const struct ktrace_process *p)
{
	const __u64 key = resource_key(st->machine, KTRACE_RESOURCE_CPU, (__u32)p->cpu);
	const __u32 place = ktrace_map_get(&st->state->by_resource, key);
	struct ktrace_resource *cpu;

	if (!p->tid || p->status != KTRACE_STATUS_RUN || p->cpu == st->event->stream->cpu ||
	    place == ~0u)
		return;
	cpu = &st->state->now.resources[place];
	if (cpu->tid == p->tid && ktrace_resource_mode(cpu) != KTRACE_RES_UNKNOWN)
		ktrace_step_forget(st, cpu);
}

static void index_all(struct ktrace_states *s)
{
	__u32 i;

	ktrace_map_clear(&s->by_thread);
	ktrace_map_clear(&s->by_resource);
	for (i = 0; i < s->now.process_nr; i++)
		ktrace_map_set(&s->by_thread, key_of_process(&s->now.processes[i]), i);
	for (i = 0; i < s->now.resource_nr; i++)
		ktrace_map_set(&s->by_resource, key_of_resource(&s->now.resources[i]), i);
}

static void forget_the_dead(struct ktrace_states *s)
{
	struct core *c = &s->now;
	__u32 i, kept = 0;

	for (i = 0; i < c->process_nr; i++)
		if (c->processes[i].status != KTRACE_STATUS_DEAD)
			c->processes[kept++] = c->processes[i];
	if (kept == c->process_nr)
		return;
	c->process_nr = kept;
	index_all(s);
}

static size_t saved_size(const struct core *c)
{
	return c->process_nr * sizeof(*c->processes) + c->resource_nr * sizeof(*c->resources);
}

static void free_core(struct core *c)
{
	free(c->processes);
	free(c->resources);
}

/* Copies @from to @to with separate memory and room to grow. Returns 0 or -ENOMEM. */
static int copy_core(struct core *to, const struct core *from)
{
	struct core copy = *from;

	copy.process_cap = from->process_nr + ROOM;
	copy.resource_cap = from->resource_nr + ROOM;
	copy.processes = malloc(copy.process_cap * sizeof(*copy.processes));
	copy.resources = malloc(copy.resource_cap * sizeof(*copy.resources));
	if (!copy.processes || !copy.resources) {
		free_core(&copy);
		return -ENOMEM;
	}
	if (from->process_nr)
		memcpy(copy.processes, from->processes,
		       from->process_nr * sizeof(*copy.processes));
	if (from->resource_nr)
		memcpy(copy.resources, from->resources,
		       from->resource_nr * sizeof(*copy.resources));
	*to = copy;
	return 0;
}

/* Drops every second saved state, and saves half as often from now on. */
static void thin_out(struct ktrace_states *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->saved_nr; i++) {
		if (i % 2) {
			s->saved[kept++] = s->saved[i];
			continue;
		}
		s->saved_bytes -= saved_size(&s->saved[i].core);
		free_core(&s->saved[i].core);
	}
	s->saved_nr = kept;
	s->interval *= 2;
}

static int save(struct ktrace_states *s, __u64 time)
{
	int ret;

	if (!LIST_RESIZE(s->saved, s->saved_nr + 1))
		return -ENOMEM;
	ret = copy_core(&s->saved[s->saved_nr].core, &s->now);
	if (ret)
		return ret;
	s->saved[s->saved_nr++].time = time;
	s->saved_bytes += saved_size(&s->now);
	while (s->saved_bytes > STATE_SAVED_MAX && s->saved_nr > 1)
		thin_out(s);
	return 0;
}

static int save_if_due(struct ktrace_states *s, __u64 time)
{
	__u64 last = s->saved_nr ? s->saved[s->saved_nr - 1].core.events : 0;

	if (time <= s->now.latest || s->now.events < last + s->interval)
		return 0;
	return save(s, time);
}

/* Returns the trace's machine: its own number, or that of an earlier trace of the same boot. */
static __u32 find_machine(const struct ktrace_states *s, const struct ktrace_trace *trace)
{
	const char *boot = ktrace_trace_meta(trace, "host", "boot"), *other;
	size_t i, index = ktrace_trace_index(trace);

	for (i = 0; i < index && boot; i++) {
		other = ktrace_trace_meta(ktrace_traceset_trace(s->set, i), "host", "boot");
		if (other && !strcmp(other, boot))
			return (__u32)i;
	}
	return (__u32)index;
}

__u32 ktrace_state_machine(const struct ktrace_states *s, const struct ktrace_trace *trace)
{
	size_t index = ktrace_trace_index(trace);

	return index < s->trace_nr && s->traces[index].machine ? s->traces[index].machine - 1 :
	       find_machine(s, trace);
}

static bool is_partial(const struct ktrace_trace *trace)
{
	const char *scope = ktrace_trace_meta(trace, "trace", "scope");

	return scope && !strcmp(scope, "followed");
}

static int learn_trace(struct ktrace_states *s, const struct ktrace_trace *trace)
{
	size_t index = ktrace_trace_index(trace);

	if (index >= s->trace_nr) {
		if (!LIST_RESIZE(s->traces, index + 1))
			return -ENOMEM;
		memset(s->traces + s->trace_nr, 0, (index + 1 - s->trace_nr) * sizeof(*s->traces));
		s->trace_nr = index + 1;
	}
	if (!s->traces[index].machine)
		s->traces[index] = (struct state_trace){
			find_machine(s, trace) + 1, is_partial(trace),
		};
	return 0;
}

/*
 * Marks the thread that recorded the event as running, on the event's CPU. A thread assumed to run
 * there does not: the switch was lost or is not recorded. The rings of programs do not help: if
 * their stamps equal the kernel's, the order means nothing. Nothing records when a thread that is
 * not followed leaves the CPU: it ran at that moment, and no more is known.
 */
static void see_running(struct step *st)
{
	const struct ktrace_trace_stream *stream = st->event->stream;
	struct ktrace_process *p = ktrace_step_thread(st, st->event->tid, stream->cpu), *other;

	st->self = p;
	if (ktrace_trace_index(stream->trace) == st->machine)
		p->stamp = st->event->raw;
	if (stream->kind != KTRACE_CHANNEL_KERNEL || stream->cpu < 0)
		return;
	st->cpu = ktrace_step_resource(st, KTRACE_RESOURCE_CPU, (__u32)stream->cpu);
	if (ktrace_resource_mode(st->cpu) != KTRACE_RES_UNKNOWN && st->cpu->tid != p->tid) {
		other = ktrace_step_thread(st, st->cpu->tid, stream->cpu);
		if (other->status == KTRACE_STATUS_RUN && other->cpu == stream->cpu)
			ktrace_step_status(st, other, KTRACE_STATUS_UNNAMED);
	}
	if (p->status == KTRACE_STATUS_ZOMBIE || p->status == KTRACE_STATUS_DEAD)
		ktrace_step_renew(st, p);
	if (!st->binding || !st->binding->rule || !st->binding->rule->is_of_others)
		p->is_followed = 1;
	ktrace_step_leave(st, p);
	if (p->status == KTRACE_STATUS_RUN && p->cpu != stream->cpu)
		ktrace_step_status(st, p, KTRACE_STATUS_UNNAMED);
	if (p->status != KTRACE_STATUS_EXIT)
		ktrace_step_status(st, p, KTRACE_STATUS_RUN);
	p->cpu = stream->cpu;
}

static void take_in(struct step *st)
{
	see_running(st);
	if (st->binding && st->binding->rule && st->binding->rule->apply &&
	    st->event->len >= st->binding->need)
		st->binding->rule->apply(st);
	if (st->cpu)
		ktrace_step_run_on(st, st->cpu, st->self);
}

int ktrace_state_update(struct ktrace_states *s, const struct ktrace_trace_event *e)
{
	struct step st = { .state = s, .event = e, .time = e->time };
	const struct state_trace *trace;
	int ret = 0;

	if (e->id == KTRACE_ID_LOST)
		return 0;
	if (s->now.events && s->now.events % STATE_INTERVAL == 0)
		forget_the_dead(s);
	ret = save_if_due(s, e->time);
	if (!ret)
		ret = make_room(s);
	if (!ret)
		ret = learn_trace(s, e->stream->trace);
	if (!ret && e->type && !(e->flags & KTRACE_EVENT_NO_START))
		ret = ktrace_step_bind(s, e->type, &st.binding);
	if (ret)
		return ret;
	trace = &s->traces[ktrace_trace_index(e->stream->trace)];
	st.machine = trace->machine - 1;
	st.is_partial = trace->is_partial;
	take_in(&st);
	s->now.events++;
	if (e->time > s->now.latest)
		s->now.latest = e->time;
	return 0;
}

/* Restores the latest saved state at or before @time, or the initial state if there is none. */
static int restore(struct ktrace_states *s, __u64 time, __u64 *from)
{
	static const struct core nothing;
	struct core copy;
	size_t i = s->saved_nr;
	int ret;

	while (i && s->saved[i - 1].time > time)
		i--;
	*from = i ? s->saved[i - 1].time : 0;
	ret = copy_core(&copy, i ? &s->saved[i - 1].core : &nothing);
	if (ret)
		return ret;
	free_core(&s->now);
	s->now = copy;
	index_all(s);
	return 0;
}

static int replay(struct ktrace_states *s, __u64 time)
{
	struct ktrace_trace_event e;
	int ret;

	for (;;) {
		ret = ktrace_traceset_next(s->set, &e);
		if (ret < 1 || e.time >= time)
			return ret < 0 ? ret : 0;
		ret = ktrace_state_update(s, &e);
		if (ret)
			return ret;
	}
}

int ktrace_state_seek(struct ktrace_states *s, __u64 time)
{
	__u64 from;
	int ret = restore(s, time, &from);

	if (ret)
		return ret;
	s->is_muted = true;
	ret = ktrace_traceset_seek(s->set, from);
	if (!ret)
		ret = replay(s, time);
	s->is_muted = false;
	return ret ? ret : ktrace_traceset_seek(s->set, time);
}

/* Applies all events in front of @pos. */
static int replay_to(struct ktrace_states *s, const struct ktrace_position *pos)
{
	struct ktrace_until until = KTRACE_UNTIL_INIT;
	struct ktrace_trace_event e;
	int ret;

	until.position = pos;
	while ((ret = ktrace_traceset_next_until(s->set, &until, &e)) == 1) {
		ret = ktrace_state_update(s, &e);
		if (ret)
			return ret;
	}
	return ret;
}

/* Seeks to @pos and returns the time of the next event there, however the files have grown. */
static int look_at(struct ktrace_states *s, const struct ktrace_position *pos, __u64 *time)
{
	struct ktrace_position *here;
	int ret = ktrace_position_new(&here);

	if (!ret)
		ret = ktrace_traceset_seek_position(s->set, pos);
	if (!ret)
		ret = ktrace_position_save(s->set, here);
	if (!ret)
		*time = ktrace_position_time(here);
	ktrace_position_free(here);
	return ret;
}

int ktrace_state_seek_position(struct ktrace_states *s, const struct ktrace_position *pos)
{
	__u64 time, from;
	int ret;

	if (!ktrace_position_is_set(pos))
		return 0;
	ret = look_at(s, pos, &time);
	if (!ret)
		ret = restore(s, time, &from);
	if (ret)
		return ret;
	s->is_muted = true;
	ret = ktrace_traceset_seek(s->set, from);
	if (!ret)
		ret = replay_to(s, pos);
	s->is_muted = false;
	return ret ? ret : ktrace_traceset_seek_position(s->set, pos);
}

int ktrace_state_new(struct ktrace_traceset *set, struct ktrace_states **out)
{
	struct ktrace_states *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->set = set;
	s->interval = STATE_INTERVAL;
	s->compat_abi = KTRACE_SYSCALL_I386;
	*out = s;
	return 0;
}

void ktrace_state_free(struct ktrace_states *s)
{
	if (!s)
		return;
	while (s->saved_nr)
		free_core(&s->saved[--s->saved_nr].core);
	free(s->saved);
	free_core(&s->now);
	ktrace_map_free(&s->by_thread);
	ktrace_map_free(&s->by_resource);
	ktrace_map_free(&s->by_type);
	free(s->bindings);
	free(s->traces);
	free(s);
}

int ktrace_state_watch(struct ktrace_states *s, const struct ktrace_state_watch *watch)
{
	if (s->watch_nr == KTRACE_STATE_WATCHES)
		return -ENOSPC;
	s->watches[s->watch_nr++] = watch;
	return 0;
}

void ktrace_state_flush(struct ktrace_states *s, __u64 until)
{
	__u32 i;

	for (i = 0; i < s->now.process_nr; i++)
		ktrace_tell_span(s, &s->now.processes[i], until);
	for (i = 0; i < s->now.resource_nr; i++)
		ktrace_tell_resource(s, &s->now.resources[i], until);
}

const struct ktrace_process *ktrace_state_process(const struct ktrace_states *s, size_t i)
{
	return i < s->now.process_nr ? &s->now.processes[i] : NULL;
}

const struct ktrace_process *ktrace_state_find(const struct ktrace_states *s, __u32 machine,
					       __u32 tid, __s32 cpu)
{
	__u32 place = ktrace_map_get(&s->by_thread, thread_key(machine, tid, cpu));

	return place == ~0u ? NULL : &s->now.processes[place];
}

const struct ktrace_resource *ktrace_state_find_resource(const struct ktrace_states *s,
							 __u32 machine, __u32 kind, __u32 number)
{
	__u32 place = ktrace_map_get(&s->by_resource, resource_key(machine, kind, number));

	return place == ~0u ? NULL : &s->now.resources[place];
}

const struct ktrace_resource *ktrace_state_resource(const struct ktrace_states *s, size_t i)
{
	return i < s->now.resource_nr ? &s->now.resources[i] : NULL;
}

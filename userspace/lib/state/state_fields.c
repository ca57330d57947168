// SPDX-License-Identifier: LGPL-2.1
/*
 * state_fields.c - provide the state of an event's thread as filter fields: state.*
 *
 * The thread is the one that recorded the event, in its state after the event: a thread that enters
 * a system call is in it. Unknown facts have no value.
 */
#include "decode/syscall.h"
#include "state.h"

#include <linux/ktrace_events.h>
#include <stdio.h>
#include <string.h>

typedef const struct ktrace_process *process_ptr;

static bool put_number(struct ktrace_filter_value *v, __u64 number, bool is_known)
{
	v->number = (__s64)number;
	return is_known;
}

static bool put_text(struct ktrace_filter_value *v, const char *text)
{
	v->text = text;
	v->len = text ? strlen(text) : 0;
	return text;
}

static bool get_pid(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	__u32 pid = ktrace_process_pid(s, p);

	return put_number(v, pid, pid || !p->tid);
}

static bool get_ppid(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_number(v, p->ppid, p->ppid);
}

static bool get_creation(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_number(v, p->created, p->created);
}

static bool get_insertion(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_number(v, p->inserted, true);
}

static bool get_name(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	return put_text(v, ktrace_process_name(s, p));
}

static bool get_mode(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_text(v, ktrace_mode_name(ktrace_process_mode(p)->mode));
}

static __s64 number_of(const struct ktrace_mode_level *level)
{
	return level->mode == KTRACE_MODE_SYSCALL ? ktrace_syscall_sub_nr(level->sub) : level->sub;
}

/* Gets the name of the sub-mode, or its number if it has no name; user has no sub-modes. */
static bool get_submode(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	const struct ktrace_mode_level *level = ktrace_process_mode(p);
	const char *name = ktrace_mode_sub_name(s, p->machine, level->mode, level->sub);

	if (!name) {
		snprintf(s->room, sizeof(s->room), "%lld", number_of(level));
		name = s->room;
	}
	return put_text(v, name) && level->mode > KTRACE_MODE_USER;
}

static bool get_submode_number(struct ktrace_states *s, process_ptr p,
			       struct ktrace_filter_value *v)
{
	const struct ktrace_mode_level *level = ktrace_process_mode(p);

	(void)s;
	return put_number(v, number_of(level), level->mode > KTRACE_MODE_USER);
}

static bool get_status(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_text(v, ktrace_status_name(p->status));
}

static bool get_wait(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_text(v, ktrace_wait_name(p->wait)) && p->status == KTRACE_STATUS_WAIT;
}

static bool get_cpu(struct ktrace_states *s, process_ptr p, struct ktrace_filter_value *v)
{
	(void)s;
	return put_number(v, (__u64)p->cpu, p->cpu >= 0);
}

static const char *const modes[] = { "user", "syscall", "trap", "irq", "softirq", "unknown", NULL };
static const char *const statuses[] = {
	"run", "wait-cpu", "wait", "wait-fork", "exit", "zombie", "dead", "unnamed", NULL
};
static const char *const reasons[] = {
	"sleep", "disk", "stopped", "traced", "idle", "parked", NULL
};

/* Name, description, type, getter, and the possible texts, NULL = any */
#define FIELDS(X)										\
	X("state.pid", "process of the thread, where known", NUMBER, get_pid, NULL)		\
	X("state.ppid", "its parent process, where known", NUMBER, get_ppid, NULL)		\
	X("state.creation_time", "when it was created, if recorded", TIME, get_creation, NULL)	\
	X("state.insertion_time", "first event about it", TIME, get_insertion, NULL)		\
	X("state.process_name", "name of the thread, where known", TEXT, get_name, NULL)	\
	X("state.execution_mode", "user syscall trap irq softirq unknown",			\
	  TEXT, get_mode, modes)								\
	X("state.execution_submode", "which system call, trap, irq, softirq: name or number",	\
	  TEXT, get_submode, NULL)								\
	X("state.submode_number", "the same as a number", NUMBER, get_submode_number, NULL)	\
	X("state.process_status", "run wait-cpu wait wait-fork exit zombie dead unnamed",	\
	  TEXT, get_status, statuses)								\
	X("state.wait_reason", "of wait: sleep disk stopped traced idle parked",		\
	  TEXT, get_wait, reasons)								\
	X("state.cpu", "CPU where it runs, last ran or will run", NUMBER, get_cpu, NULL)

static const struct ktrace_filter_field fields[] = {
#define X(name, what, type, get, texts) { name, what, KTRACE_FILTER_##type },
	FIELDS(X)
#undef X
};

static bool (*const getters[])(struct ktrace_states *s, process_ptr p,
			       struct ktrace_filter_value *v) = {
#define X(name, what, type, get, texts) get,
	FIELDS(X)
#undef X
};

static const char *const *const values[] = {
#define X(name, what, type, get, texts) texts,
	FIELDS(X)
#undef X
};

_Static_assert(sizeof(modes) / sizeof(modes[0]) == KTRACE_MODE_NR + 1 &&
	       sizeof(statuses) / sizeof(statuses[0]) == KTRACE_STATUS_NR + 1,
	       "all modes and statuses have their names here");

static bool get(void *arg, __u32 i, const struct ktrace_trace_event *e,
		struct ktrace_filter_value *v)
{
	const struct ktrace_process *p;
	struct ktrace_states *s = arg;

	if (!s || e->id == KTRACE_ID_LOST)
		return false;
	p = ktrace_state_find(s, ktrace_state_machine(s, e->stream->trace), e->tid,
			      e->stream->cpu);
	return p && getters[i](s, p, v);
}

void ktrace_state_source(struct ktrace_states *state, struct ktrace_filter_source *source)
{
	*source = (struct ktrace_filter_source){
		.prefix = "state.", .fields = fields,
		.field_nr = sizeof(fields) / sizeof(fields[0]), .values = values,
		.get = get, .arg = state,
	};
}

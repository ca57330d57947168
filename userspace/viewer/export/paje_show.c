// SPDX-License-Identifier: GPL-2.0
/*
 * paje_show.c - writes containers, states and variables of a Paje trace
 *
 * Containers: machine M, process P, thread T, and one type for each kind of object, O1 to O7 as in
 * enum model_kind. A container begins where its thread or object first occurs, and ends with it;
 * an object's next life is another container. State types are S and the container type's name: ST,
 * SO1, ...; values V and number: of threads VT0.., of objects VO0.. .
 */
#include "paje.h"

#include "base/table.h"

#include <stdio.h>
#include <string.h>

/* struct value - name and colour of a state */
struct value {
	const char *name;
	const char *color;
};

static const struct value lives[MODEL_LIFE_NR] = {
	[MODEL_NOT_KNOWN] = { "unknown", "0.8 0.8 0.8" },
	[MODEL_RUNNING] = { "running", "0.2 0.6 0.3" },
	[MODEL_WAITING] = { "waiting", "0.8 0.3 0.2" },
	[MODEL_ZOMBIE] = { "ended", "0.4 0.4 0.4" },
	[MODEL_JOINED] = { "joined", "0.4 0.4 0.4" },
	[MODEL_DEAD] = { "dead", "0.4 0.4 0.4" },
};

static const struct value states[MODEL_STATE_NR] = {
	[MODEL_UNKNOWN] = { "unknown", "0.8 0.8 0.8" },
	[MODEL_FREE] = { "free", "0.7 0.9 0.7" },
	[MODEL_TAKEN] = { "taken", "0.8 0.3 0.2" },
	[MODEL_SHARED] = { "shared", "0.9 0.7 0.2" },
	[MODEL_DONE] = { "done", "0.2 0.6 0.3" },
	[MODEL_GONE] = { "gone", "0.4 0.4 0.4" },
};

/* Kinds of objects: name and colour of a wait for one; name of its number */
static const struct kind {
	const char *name;
	const char *color;
	const char *level;
} kinds[MODEL_KIND_NR] = {
	[MODEL_THREAD] = { "thread", "0.5 0.5 0.7", NULL },
	[MODEL_MUTEX] = { "mutex", "0.8 0.2 0.2", "count" },
	[MODEL_COND] = { "condition", "0.9 0.6 0.2", NULL },
	[MODEL_BARRIER] = { "barrier", "0.6 0.3 0.7", "left" },
	[MODEL_SEM] = { "semaphore", "0.2 0.4 0.8", "value" },
	[MODEL_RWLOCK] = { "rwlock", "0.8 0.3 0.5", "readers" },
	[MODEL_SPIN] = { "spin lock", "0.7 0.1 0.4", NULL },
	[MODEL_ONCE] = { "once", "0.4 0.6 0.7", NULL },
};

static void define_thread(struct ktrace_out *out)
{
	__u32 i;

	out_printf(out, "%u M 0 \"machine\"\n", PAJE_CONTAINER_TYPE);
	out_printf(out, "%u P M \"process\"\n", PAJE_CONTAINER_TYPE);
	out_printf(out, "%u T P \"thread\"\n", PAJE_CONTAINER_TYPE);
	out_printf(out, "%u ST T \"thread state\"\n", PAJE_STATE_TYPE);
	out_printf(out, "%u ET T \"call\"\n", PAJE_EVENT_TYPE);
	for (i = 0; i < MODEL_LIFE_NR; i++)
		out_printf(out, "%u VT%u ST \"%s\" \"%s\"\n", PAJE_VALUE, i, lives[i].name,
			   lives[i].color);
	for (i = 0; i < MODEL_KIND_NR; i++)
		out_printf(out, "%u VW%u ST \"waiting for %s\" \"%s\"\n", PAJE_VALUE, i,
			   kinds[i].name, kinds[i].color);
	out_printf(out, "%u LC P T T \"creation\"\n", PAJE_LINK_TYPE);
}

static void define_object(struct ktrace_out *out, __u32 kind)
{
	const char *name = kinds[kind].name;
	__u32 i;

	output_line_begin(out);
	out_printf(out, "%u O%u P \"%s\"\n", PAJE_CONTAINER_TYPE, kind, name);
	out_printf(out, "%u SO%u O%u \"%s state\"\n", PAJE_STATE_TYPE, kind, kind, name);
	for (i = 0; i < MODEL_STATE_NR; i++)
		out_printf(out, "%u VO%u.%u SO%u \"%s\" \"%s\"\n", PAJE_VALUE, kind, i, kind,
			   states[i].name, states[i].color);
	out_printf(out, "%u WO%u O%u \"%s waiters\" \"0.8 0.3 0.2\"\n", PAJE_VARIABLE_TYPE, kind,
		   kind, name);
	if (kinds[kind].level)
		out_printf(out, "%u NO%u O%u \"%s %s\" \"%s\"\n", PAJE_VARIABLE_TYPE, kind, kind,
			   name, kinds[kind].level, kinds[kind].color);
}

void paje_show_types(struct ktrace_out *out)
{
	__u32 i;

	output_line_begin(out);
	define_thread(out);
	for (i = 0; i < MODEL_KIND_NR; i++) {
		if (i != MODEL_THREAD)
			define_object(out, i);
		out_printf(out, "%u L%u P T T \"%s\"\n", PAJE_LINK_TYPE, i,
			   i == MODEL_THREAD ? "join" : kinds[i].name);
	}
}

bool paje_wants(const struct paje *p, __u32 tid, __u32 pid)
{
	const struct event_select *s = &p->x->scope.select;

	return !s->pid_nr || event_select_thread(s, tid, pid);
}

static bool is_shown(const struct paje *p, __u32 tid, __u32 pid)
{
	return p->is_open && p->is_second && paje_wants(p, tid, pid);
}

static void put_line(struct paje *p, enum paje_line line)
{
	paje_put_kind(p->out, line);
	paje_put_time(p->out, p->now - p->start);
}

/* Returns the row of a container still to be created; NULL: created before, or out of memory */
static struct paje_made *find(struct paje *p, struct hash_table *rows, __u64 serial)
{
	struct paje_made *made = hash_table_need(rows, &serial, &p->error);

	return made && (made->is_made || made->is_over) ? NULL : made;
}

static const struct ktrace_trace *trace_number(const struct paje *p, __u32 i)
{
	return ktrace_traceset_trace(p->x->set, i);
}

static void make_machine(struct paje *p, __u32 machine)
{
	struct paje_made *made = find(p, &p->machines, machine);
	const struct ktrace_trace *trace = trace_number(p, machine);
	const char *name = trace ? ktrace_trace_meta(trace, "host", "name") : NULL;

	if (!made)
		return;
	made->is_made = true;
	put_line(p, PAJE_CREATE);
	out_printf(p->out, " M%u M 0", machine);
	paje_put_text(p->out, "%s", name ? name : "?");
	out_printf(p->out, "\n");
}

static void make_process(struct paje *p, const struct model_process *process)
{
	const struct ktrace_trace *trace = p->e ? p->e->stream->trace : NULL;
	struct paje_made *made = find(p, &p->processes, process->serial);
	const __u32 pid = process->pid ? process->pid : process->tid;
	const char *comm;

	if (!made)
		return;
	made->is_made = true;
	make_machine(p, process->machine);
	comm = trace ? ktrace_trace_comm(trace, pid, p->e->raw) : NULL;
	put_line(p, PAJE_CREATE);
	out_printf(p->out, " P%u P M%u", process->serial, process->machine);
	paje_put_text(p->out, "%u %s", pid, comm ? comm : "?");
	out_printf(p->out, "\n");
}

/* Writes a string: @text, followed by the name given by the program. */
static void put_named(struct paje *p, const char *text, const struct paje_name *name)
{
	if (name && name->text)
		paje_put_text(p->out, "%s %s", text, name->text);
	else
		paje_put_string(p->out, text);
}

static void make_thread(struct paje *p, const struct model_thread *t)
{
	struct paje_made *made = find(p, &p->threads, t->serial);
	const struct paje_name *name = hash_table_find(&p->thread_names, &(__u64){ t->serial });
	char text[64];

	if (!made)
		return;
	made->is_made = true;
	make_process(p, t->process);
	model_name_text(t, name ? name->raw : t->raw, text, sizeof(text));
	put_line(p, PAJE_CREATE);
	out_printf(p->out, " T%u T P%u", t->serial, t->process->serial);
	put_named(p, text, name);
	out_printf(p->out, "\n");
}

static void put_destroy(struct paje *p, const char *type, __u64 serial)
{
	put_line(p, PAJE_DESTROY);
	out_printf(p->out, " %s %s%llu\n", type, type, serial);
}

static void put_awaited(struct paje *p, const struct model_thread *t)
{
	const struct model_thread *other;

	if (t->life != MODEL_WAITING) {
		paje_put_string(p->out, "");
	} else if (t->object) {
		paje_put_text(p->out, "%s 0x%llx", kinds[t->object->kind].name, t->object->address);
	} else {
		other = model_find_handle(p->sync, t->process, t->joins);
		paje_put_text(p->out, "thread %u", other ? other->tid : 0);
	}
}

/* Creates the thread's container if needed; true if it exists. */
static bool has_thread(struct paje *p, const struct model_thread *t)
{
	const struct paje_made *made;

	if (!is_shown(p, t->tid, t->process->pid))
		return false;
	make_thread(p, t);
	made = hash_table_get(&p->threads, &(__u64){ t->serial });
	return made && made->is_made;
}

static void end_thread(struct paje *p, const struct model_thread *t)
{
	struct paje_made *made = hash_table_get(&p->threads, &(__u64){ t->serial });

	if (!made)
		return;
	if (made->is_made)
		put_destroy(p, "T", t->serial);
	made->is_made = false;
	made->is_over = true;
}

bool paje_show_begin(struct paje *p, const struct model_thread *t, enum paje_line line)
{
	const bool is_there = has_thread(p, t);

	if (is_there)
		put_line(p, line);
	return is_there;
}

void paje_show_thread(struct paje *p, const struct model_thread *t)
{
	if (t->life == MODEL_JOINED) {
		if (is_shown(p, t->tid, t->process->pid))
			end_thread(p, t);
		return;
	}
	if (!paje_show_begin(p, t, PAJE_THREAD_STATE))
		return;
	if (t->life == MODEL_WAITING)
		out_printf(p->out, " ST T%u VW%u", t->serial, t->object ? t->object->kind : 0);
	else
		out_printf(p->out, " ST T%u VT%u", t->serial, t->life);
	put_awaited(p, t);
	out_printf(p->out, "\n");
}

static void put_variable(struct paje *p, const struct model_object *o, char type, __s64 value)
{
	put_line(p, PAJE_VARIABLE);
	out_printf(p->out, " %cO%u O%u.%u %lld\n", type, o->kind, o->serial, o->life, value);
}

static void put_object_state(struct paje *p, const struct model_object *o)
{
	put_line(p, PAJE_OBJECT_STATE);
	out_printf(p->out, " SO%u O%u.%u VO%u.%u", o->kind, o->serial, o->life, o->kind, o->state);
	if (o->owner)
		paje_put_text(p->out, "thread %u", o->owner->tid);
	else
		paje_put_string(p->out, "");
	out_printf(p->out, "\n");
}

static void destroy_object(struct paje *p, const struct model_object *o, struct paje_object *made)
{
	put_line(p, PAJE_DESTROY);
	out_printf(p->out, " O%u O%u.%u\n", made->kind, o->serial, made->life);
	made->is_made = false;
}

static void make_object(struct paje *p, const struct model_object *o, struct paje_object *made)
{
	const struct paje_name *name = hash_table_find(&p->object_names,
						       &(__u64){ paje_object_key(o) });
	char text[64];

	make_process(p, o->process);
	if (o->life > 1)
		snprintf(text, sizeof(text), "%s 0x%llx #%u", kinds[o->kind].name, o->address,
			 o->life);
	else
		snprintf(text, sizeof(text), "%s 0x%llx", kinds[o->kind].name, o->address);
	put_line(p, PAJE_CREATE);
	out_printf(p->out, " O%u.%u O%u P%u", o->serial, o->life, o->kind, o->process->serial);
	put_named(p, text, name);
	out_printf(p->out, "\n");
	*made = (struct paje_object){ .serial = o->serial, .is_made = true, .kind = o->kind,
				      .life = o->life, .state = MODEL_STATE_NR };
}

/* Returns the number shown for an object's kind; 0 if there is none or it is unknown */
static __s64 level_of(const struct model_object *o)
{
	switch (o->kind) {
	case MODEL_MUTEX:
		return o->count;
	case MODEL_RWLOCK:
		return o->readers;
	case MODEL_SEM:
		return o->has_value ? o->value : 0;
	case MODEL_BARRIER:
		return o->left;
	default:
		return 0;
	}
}

void paje_show_object(struct paje *p, const struct model_object *o)
{
	const __u32 owner = o->owner ? o->owner->serial + 1 : 0;
	struct paje_object *made;

	if (!is_shown(p, o->process->tid, o->process->pid))
		return;
	made = hash_table_need(&p->objects, &(__u64){ o->serial }, &p->error);
	if (!made)
		return;
	if (made->is_made && (o->state == MODEL_GONE || made->life != o->life))
		destroy_object(p, o, made);
	if (o->state == MODEL_GONE)
		return;
	if (!made->is_made)
		make_object(p, o, made);
	if (made->state != o->state || made->owner != owner)
		put_object_state(p, o);
	if (made->waiters != o->waiters)
		put_variable(p, o, 'W', o->waiters);
	if (kinds[o->kind].level && made->level != level_of(o))
		put_variable(p, o, 'N', level_of(o));
	made->state = o->state;
	made->owner = owner;
	made->waiters = o->waiters;
	made->level = level_of(o);
}

void paje_show_all(struct paje *p)
{
	const struct model_thread *t;
	const struct model_object *o;
	size_t i;

	for (i = 0; (t = model_thread(p->sync, i)); i++)
		if (t->life != MODEL_NOT_KNOWN)
			paje_show_thread(p, t);
	for (i = 0; (o = model_object(p->sync, i)); i++)
		if (o->state != MODEL_UNKNOWN)
			paje_show_object(p, o);
}

static void end_made(struct paje *p, struct hash_table *rows, const char *type)
{
	const struct paje_made *made;

	hash_table_for_each(made, rows)
		if (made->is_made)
			put_destroy(p, type, made->serial);
}

void paje_show_end(struct paje *p)
{
	const struct model_object *o;
	struct paje_object *made;

	hash_table_for_each(made, &p->objects) {
		o = model_object(p->sync, made->serial);
		if (made->is_made)
			destroy_object(p, o, made);
	}
	end_made(p, &p->threads, "T");
	end_made(p, &p->processes, "P");
	end_made(p, &p->machines, "M");
}

void paje_show_event(struct paje *p, const struct model_thread *t)
{
	char text[PAJE_STRING_MAX];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) - 1 };
	const struct ktrace_trace_event *e = p->e;

	if (!paje_show_begin(p, t, PAJE_EVENT))
		return;
	out_printf(p->out, " ET T%u", t->serial);
	paje_put_string(p->out, e->type->name);
	ktrace_fields_text(&out, e->type, e->payload, e->len);
	text[out.len] = '\0';
	paje_put_string(p->out, text + (out.len > 0));
	out_printf(p->out, "\n");
}

// SPDX-License-Identifier: LGPL-2.1
/*
 * object_names.c - readable names of addresses and threads, tracked event by event
 *
 * A space has the names of one program in one process. A child of fork(2) gets a space of its own
 * that refers to its parent's: names not found in the child's space are looked up in the parent's,
 * as it was at the fork. So forking is cheap, however many names there are. The end of a name is a
 * version without text. Space 0 has the names in the file that apply to all processes.
 *
 * Versions are numbered; none is freed before the end, so that returned names stay valid.
 */
#include "object_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "object_names_file.h"
#include "object_names_role.h"
#include "process_lifetimes.h"

enum { KIND_OBJECT, KIND_THREAD };

/**
 * struct version - the name of an object from one event on
 * @before:	previous version, NULL = none
 * @seq:	its number
 * @is_used:	for an object: later events used it; for a thread: it has ended since
 * @text:	the name, empty = the name has ended
 */
struct version {
	struct version *before;
	__u64 seq;
	bool is_used;
	char text[];
};

/* struct named - an object or thread that has or had a name; @id is an address or thread id */
struct named {
	__u64 id;
	__u32 space;
	__u32 kind;
	struct version *version;
};

/* struct space - see above: refers to @parent as of version @seq */
struct space {
	__u32 parent;
	bool is_used;
	__u64 seq;
};

/* struct process - a process, its @space, and the stamp @raw of the event that began it */
struct process {
	__u32 machine;
	__u32 pid;
	__u64 raw;
	__u32 space;
};

/**
 * struct object_names - the names
 * @names:	struct named
 * @processes:	struct process
 * @spaces:	spaces by number
 * @space_nr:	number of spaces
 * @seq:	number of the latest version
 * @file:	names from a file
 * @roles:	roles of event types
 * @births:	starts of processes; NULL = there can be no names
 * @ending:	the name that ends after the last event; @space 0 = none
 */
struct object_names {
	struct hash_table names;
	struct hash_table processes;
	struct space *spaces;
	__u32 space_nr;
	__u64 seq;
	struct object_name_file file;
	struct object_name_roles roles;
	struct lifetimes *births;
	struct named ending;
};

bool object_name_is_address(const struct ktrace_value *v)
{
	return v->field->shape == KTRACE_ONE && !v->is_cut && v->count &&
	       (v->field->scalar == KTRACE_PTR ||
		(v->field->scalar == KTRACE_X64 && !strcmp(v->field->name, "thread")));
}

__u32 object_name_pid(const struct ktrace_trace_event *e)
{
	__u32 pid = ktrace_trace_pid(e->stream->trace, e->tid, e->raw);

	return pid ? pid : e->tid;
}

/* Appends a space. Return: its number, 0 = no memory. */
static __u32 add_space(struct object_names *a, __u32 parent, __u64 seq)
{
	struct space *spaces;

	if (!(a->space_nr & (a->space_nr - 1))) {
		spaces = realloc(a->spaces, (a->space_nr ? 2 * a->space_nr : 1) * sizeof(*spaces));
		if (!spaces)
			return 0;
		a->spaces = spaces;
	}
	a->spaces[a->space_nr] = (struct space){ .parent = parent, .seq = seq };
	return a->space_nr++;
}

int object_names_new(struct object_names **out)
{
	struct object_names *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->names = (struct hash_table)HASH_TABLE_INIT(struct named, kind);
	a->processes = (struct hash_table)HASH_TABLE_INIT(struct process, pid);
	add_space(a, 0, 0);
	if (!a->space_nr) {
		free(a);
		return -ENOMEM;
	}
	*out = a;
	return 0;
}

void object_names_free(struct object_names *a)
{
	struct version *v, *before;
	size_t i;

	for (i = 0; a && i < a->names.nr; i++)
		for (v = ((struct named *)hash_table_at(&a->names, i))->version; v; v = before) {
			before = v->before;
			free(v);
		}
	if (a) {
		object_name_file_free(&a->file);
		hash_table_free(&a->names);
		hash_table_free(&a->processes);
		free(a->spaces);
		lifetimes_free(a->births);
	}
	free(a);
}

const char *object_names_read(struct object_names **a, const char *path)
{
	if (!*a && object_names_new(a))
		return strerror(ENOMEM);
	return object_name_file_read(&(*a)->file, path);
}

/* Adds a version. Return: 0, -ENOMEM. */
static int set_name(struct object_names *a, const struct named *what, const char *text, size_t size)
{
	struct named *row = hash_table_get(&a->names, what);
	struct version *v;

	if (!row)
		return -ENOMEM;
	v = row->version;
	if (v && strlen(v->text) == size && !memcmp(v->text, text, size)) {
		v->is_used = false;
		return 0;
	}
	v = malloc(sizeof(*v) + size + 1);
	if (!v)
		return -ENOMEM;
	v->before = row->version;
	v->seq = ++a->seq;
	v->is_used = false;
	memcpy(v->text, text, size);
	v->text[size] = '\0';
	row->version = v;
	a->spaces[what->space].is_used = true;
	return 0;
}

/* Adds the names in the file for process @pid, or those for all processes if it is 0. */
static int add_names_of_file(struct object_names *a, __u32 pid, __u32 space)
{
	const struct object_name_line *l = a->file.lines;
	struct named what = { .space = space, .kind = KIND_OBJECT };
	int ret = 0;

	for (; l < a->file.lines + a->file.nr && !ret; l++) {
		what.id = l->address;
		if (l->pid == pid)
			ret = set_name(a, &what, l->name, strlen(l->name));
	}
	return ret;
}

/* Makes a space for a process; it inherits from @parent, NULL = nothing. Return: 0, -ENOMEM. */
static int begin_program(struct object_names *a, struct process *p, const struct space *parent)
{
	__u32 number = parent ? (__u32)(parent - a->spaces) : 0;
	__u64 seq = a->seq;

	/*
	 * Skip a parent without own names, so that lookups in long chains of children stay short.
	 */
	if (number && !parent->is_used) {
		seq = parent->seq;
		number = parent->parent;
	}
	p->space = add_space(a, number, number ? seq : ~0ull);
	return p->space ? add_names_of_file(a, p->pid, p->space) : -ENOMEM;
}

/* Returns the process, with a space; NULL: no memory. */
static struct process *get_process(struct object_names *a, __u32 machine, __u32 pid)
{
	const struct { __u32 machine, pid; } key = { machine, pid };
	struct process *p = hash_table_get(&a->processes, &key);

	if (p && !p->space && begin_program(a, p, NULL))
		return NULL;
	return p;
}

static const struct process *find_process(const struct object_names *a, __u32 machine, __u32 pid)
{
	const struct { __u32 machine, pid; } key = { machine, pid };

	return hash_table_find(&a->processes, &key);
}

static bool has_names(const struct ktrace_trace *trace)
{
	const struct ktrace_event_type *type;
	__u32 id;

	for (id = 0; id < ktrace_trace_types(trace, KTRACE_CHANNEL_USER); id++) {
		type = ktrace_trace_type(trace, KTRACE_CHANNEL_USER, id);
		if (type && !strcmp(type->provider, "name"))
			return true;
	}
	return false;
}

int object_names_begin(struct object_names *a, const struct ktrace_traceset *set)
{
	const struct ktrace_trace *trace;
	bool is_active = a->file.nr;
	int ret;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(set, i)); i++)
		is_active |= has_names(trace);
	if (!is_active)
		return 0;
	ret = lifetimes_new(set, &a->births);
	if (!ret)
		ret = add_names_of_file(a, 0, 0);
	return ret ? ret : 1;
}

/* Handles the start of a process or a new program in it. Each part of a trace reports it once. */
static int take_birth(struct object_names *a, const struct lifetime *birth)
{
	struct process *parent = birth->is_fork ?
				 get_process(a, birth->machine, birth->ppid) : NULL;
	__u32 space = parent ? parent->space : 0;
	struct process *p = get_process(a, birth->machine, birth->pid);

	if (!p || (birth->is_fork && !space))
		return -ENOMEM;
	if (p->raw && birth->raw <= p->raw)
		return 0;
	p->raw = birth->raw;
	return begin_program(a, p, space ? &a->spaces[space] : NULL);
}

/* Returns the current version for @what, NULL: none; @is_own tells if it is in its own space. */
static struct version *find_version(const struct object_names *a, const struct named *what,
				    bool *is_own)
{
	struct named key = *what;
	const struct named *row;
	const struct space *space;
	struct version *v;
	__u64 seq = ~0ull;

	for (;;) {
		row = hash_table_find(&a->names, &key);
		for (v = row ? row->version : NULL; v && v->seq > seq; v = v->before)
			;
		*is_own = key.space == what->space;
		if (v || !key.space || what->kind == KIND_THREAD)
			return v;
		space = &a->spaces[key.space];
		if (space->seq < seq)
			seq = space->seq;
		key.space = space->parent;
	}
}

/* Ends the name of @what if it has one. */
static int end_name(struct object_names *a, const struct named *what)
{
	bool is_own;
	const struct version *v = find_version(a, what, &is_own);

	return v && *v->text ? set_name(a, what, "", 0) : 0;
}

/* Handles a new object or thread: an earlier object with its address loses its name. */
static int begin_object(struct object_names *a, const struct named *what)
{
	bool is_own;
	const struct version *v = find_version(a, what, &is_own);

	return v && (v->is_used || !is_own) ? end_name(a, what) : 0;
}

static void use(struct object_names *a, const struct named *what)
{
	bool is_own;
	struct version *v = find_version(a, what, &is_own);

	if (v && is_own)
		v->is_used = true;
}

/*
 * Marks all objects of the event as used. A thread may be named, and joined, before it reports its
 * start; so a start ends the name of the handle only if the previous thread has ended.
 */
static void use_all(struct object_names *a, const struct ktrace_trace_event *e, __u32 space)
{
	struct named what = { .space = space, .kind = KIND_OBJECT };
	struct ktrace_values it;
	struct ktrace_value v;

	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		if (!object_name_is_address(&v) || v.field->scalar != KTRACE_PTR)
			continue;
		what.id = (__u64)ktrace_value_s64(&v, 0);
		use(a, &what);
	}
}

static int take_role(struct object_names *a, const struct ktrace_trace_event *e,
		     const struct object_name_role_args *args, struct named *what)
{
	const struct named thread = { .id = e->tid, .space = what->space, .kind = KIND_THREAD };
	int ret;

	switch (args->role) {
	case OBJECT_NAME_ROLE_NAME_THREAD:
		return set_name(a, &thread, args->text, args->size);
	case OBJECT_NAME_ROLE_NAME_OBJECT:
		return set_name(a, what, args->text, args->size);
	case OBJECT_NAME_ROLE_BEGIN:
		return begin_object(a, what);
	case OBJECT_NAME_ROLE_END:
		if (!args->result)
			a->ending = *what;
		return 0;
	case OBJECT_NAME_ROLE_THREAD_START:
		ret = end_name(a, &thread);
		return ret ? ret : begin_object(a, what);
	case OBJECT_NAME_ROLE_THREAD_END:
		a->ending = thread;
		use(a, what);
		return 0;
	default:
		return 0;
	}
}

int object_names_update(struct object_names *a, const struct ktrace_trace_event *e)
{
	struct object_name_role_args args;
	struct named what = { .kind = KIND_OBJECT };
	const struct process *p;
	struct lifetime birth;
	int ret = 0;

	if (!a->births)
		return 0;
	if (a->ending.space)
		ret = end_name(a, &a->ending);
	a->ending.space = 0;
	while (!ret && lifetimes_next(a->births, e, &birth))
		ret = take_birth(a, &birth);
	if (ret || !e->type || object_name_role(&a->roles, e->type) == OBJECT_NAME_ROLE_NONE)
		return ret;
	p = get_process(a, lifetimes_machine(a->births, e->stream->trace), object_name_pid(e));
	if (!p)
		return -ENOMEM;
	object_name_role_args(&a->roles, e, &args);
	what.id = args.address;
	what.space = p->space;
	ret = args.is_whole ? take_role(a, e, &args, &what) : 0;
	if (args.role != OBJECT_NAME_ROLE_NAME_OBJECT && args.role != OBJECT_NAME_ROLE_NAME_THREAD)
		use_all(a, e, what.space);
	return ret;
}

static const char *find(const struct object_names *a, const struct ktrace_trace *trace, __u32 pid,
			const struct named *id)
{
	const struct process *p;
	struct named what = *id;
	const struct version *v;
	bool is_own;

	if (!a || !a->births)
		return NULL;
	p = find_process(a, lifetimes_machine(a->births, trace), pid);
	what.space = p ? p->space : 0;
	v = find_version(a, &what, &is_own);
	return v && *v->text ? v->text : NULL;
}

const char *object_names_find_object(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u64 address)
{
	const struct named what = { .id = address, .kind = KIND_OBJECT };

	return find(a, trace, pid, &what);
}

const char *object_names_find_thread(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u32 tid)
{
	const struct named what = { .id = tid, .kind = KIND_THREAD };

	return find(a, trace, pid, &what);
}

const char *object_names_object(const struct object_names *a, const struct ktrace_trace_event *e,
				__u64 address)
{
	return a && a->births ?
	       object_names_find_object(a, e->stream->trace, object_name_pid(e), address) : NULL;
}

const char *object_names_thread(const struct object_names *a, const struct ktrace_trace_event *e)
{
	return a && a->births ?
	       object_names_find_thread(a, e->stream->trace, object_name_pid(e), e->tid) : NULL;
}

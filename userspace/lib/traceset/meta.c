// SPDX-License-Identifier: LGPL-2.1
/*
 * meta.c - META text: one fact a line, <linux/ktrace_file.h> has the grammar
 *
 * The text is cut up in place. An invalid line or value is reported with the offset of its section
 * and left out; unknown keywords and keys are ignored.
 */
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ktrace/tracefile.h>

#include "base/grow.h"
#include "base/percent.h"
#include "context.h"
#include "decode/syscall.h"
#include "meta_line.h"
#include "meta_ties.h"
#include "tracefile/line.h"

#define CHOICES_MAX 4096u

/* Splits a line into its parts; returns false if a value is invalid. */
static bool take_apart(char *text, struct line *l)
{
	char *pair, *value, *rest = text;

	memset(l, 0, sizeof(*l));
	l->keyword = strsep(&rest, " ");
	while ((pair = strsep(&rest, " ")) && l->nr < PAIRS_MAX) {
		value = strchr(pair, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (!percent_decode(value))
			return false;
		l->keys[l->nr] = pair;
		l->values[l->nr++] = value;
	}
	return true;
}

static __u32 get_kind(const struct line *l)
{
	const char *kind = get_str(l, "kind");

	if (kind && !strcmp(kind, "kernel"))
		return KTRACE_CHANNEL_KERNEL;
	if (kind && !strcmp(kind, "user"))
		return KTRACE_CHANNEL_USER;
	return KTRACE_KIND_UNKNOWN;
}

static __u32 get_policy(const struct line *l)
{
	const char *policy = get_str(l, "policy");

	return policy ? ktrace_policy_find(policy) : KTRACE_POLICY_NR;
}

static int add_clock(struct trace *t, const struct line *l)
{
	struct segment reading = { 0 };
	__u64 hz = 0;
	int ret;

	if (!get_u64(l, "raw", &reading.raw) || !get_u64(l, "mono_ns", &reading.mono) ||
	    !get_u64(l, "real_ns", &reading.wall))
		return -EINVAL;
	get_u64(l, "boot_ns", &reading.boot);
	get_u64(l, "hz", &hz);
	if (t->parts[0].part && ktrace_clock_has(&t->clock, &reading))
		return 0;
	t->has_new_clock = true;
	ret = ktrace_clock_add(&t->clock, &reading, hz);
	return ret ? ret : ktrace_meta_add_tie(t, l, &reading);
}

/* Losses before the first part that is present do not count as losses of the present parts. */
static void take_base(struct stream *s, const char *counts)
{
	ktrace_line_counts(counts, s->base_lost);
	memcpy(s->seen, s->base_lost, sizeof(s->seen));
}

static int add_stream(struct trace *t, const struct line *l)
{
	const char *lost = get_str(l, "lost");
	struct stream *s;
	__u64 id, cpu;

	if (!get_u64(l, "id", &id) || id > 0xffffffffu)
		return -EINVAL;
	s = ktrace_trace_get_stream(t, (__u32)id);
	if (!s)
		return -ENOMEM;
	s->pub.kind = get_kind(l);
	s->pub.cpu = get_u64(l, "cpu", &cpu) && cpu < 1u << 20 ? (__s32)cpu : -1;
	s->pub.policy = get_policy(l);
	get_u64(l, "ring", &s->pub.ring_size);
	s->pub.block_size = get_u32(l, "block", KTRACE_BLOCK_MAX);
	if (s->pub.block_size & (s->pub.block_size - 1))
		s->pub.block_size = 0;
	if (lost && t->parts[0].part && !s->entry_nr)
		take_base(s, lost);
	return 0;
}

static int grow_types(struct type_table *table, __u32 id)
{
	__u32 nr = (id | 63) + 1;

	if (id < table->nr)
		return 0;
	if (!LIST_RESIZE(table->types, nr))
		return -ENOMEM;
	memset(table->types + table->nr, 0, (nr - table->nr) * sizeof(*table->types));
	table->nr = nr;
	return 0;
}

/* Binds system call names: the meaning of the numbers depends on the machine. */
static void name_syscalls(const struct trace *t, struct ktrace_event_type *type)
{
	const char *has_x32 = ktrace_meta_fact(t, "host", "x32");

	if (type->kind == KTRACE_CHANNEL_KERNEL)
		ktrace_syscall_bind(type, ktrace_meta_fact(t, "host", "machine"),
				    has_x32 && !strcmp(has_x32, "1"));
}

/* The first description of an id stays: delivered events point to it. */
static int add_event(struct trace *t, const struct line *l)
{
	const char *desc = get_str(l, "desc");
	__u32 kind = get_kind(l);
	struct ktrace_event_type *type;
	__u64 id;
	int ret;

	if (kind == KTRACE_KIND_UNKNOWN)
		return get_str(l, "kind") ? 0 : -EINVAL;
	if (!desc || !get_u64(l, "id", &id) || id > 0xffff || id < KTRACE_ID_FIRST)
		return -EINVAL;
	ret = grow_types(&t->types[kind], (__u32)id);
	if (ret || t->types[kind].types[id])
		return ret;
	ret = ktrace_event_type_parse(desc, &type);
	if (ret)
		return ret;
	type->kind = (__u16)kind;
	type->id = (__u16)id;
	name_syscalls(t, type);
	t->types[kind].types[id] = type;
	return 0;
}

static void report_format(const struct trace *t, const struct line *l, const char *name,
			  const struct ktrace_format_error *wrong)
{
	char message[320], *c;

	snprintf(message, sizeof(message), "cannot parse the kernel's description of %.128s: line "
		 "%u, column %u: %s", name, wrong->line, wrong->column, wrong->message);
	for (c = message; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	trace_report(t, l->offset, message);
}

/*
 * Does the same for a tracepoint, described by the kernel; if that is unreadable, its events are
 * bytes.
 */
static int add_format(struct trace *t, const struct line *l)
{
	struct ktrace_format_error wrong;
	const char *name = get_str(l, "name"), *text = get_str(l, "text");
	struct type_table *types = &t->types[KTRACE_CHANNEL_KERNEL];
	struct ktrace_event_type *type;
	__u64 id;
	int ret;

	if (!name || !text || !get_u64(l, "id", &id) || id > 0xffff || id < KTRACE_EV_DYNAMIC)
		return -EINVAL;
	ret = grow_types(types, (__u32)id);
	if (ret || types->types[id])
		return ret;
	ret = ktrace_event_type_read_format(name, text, &type, &wrong);
	if (ret == -EINVAL)
		report_format(t, l, name, &wrong);
	if (ret)
		return ret == -EINVAL ? -EBADMSG : ret;
	type->id = (__u16)id;
	types->types[id] = type;
	return 0;
}

static int add_name(struct trace *t, const struct line *l, const char *tid_key)
{
	const bool is_process = !strcmp(tid_key, "pid");
	const char *comm = get_str(l, "comm");
	struct name name = { .pid = get_u32(l, "pid", KTRACE_TID_MASK) };
	__u64 tid;

	if (!get_u64(l, tid_key, &tid) || tid > KTRACE_TID_MASK)
		return -EINVAL;
	get_u64(l, "ts", &name.raw);
	name.begin = is_process ? name.raw : 0;
	if (comm)
		memcpy(name.comm, comm, strnlen(comm, sizeof(name.comm) - 1));
	return ktrace_names_add(&t->names, (__u32)tid, &name);
}

/* Adds the beginning of a process, with code of its own or with its parent's. */
static int add_origin(struct trace *t, const struct line *l)
{
	struct map_fact fact = { .kind = MAP_OWN, .pid = get_u32(l, "pid", KTRACE_TID_MASK) };
	const char *maps = get_str(l, "maps");

	if (!maps)
		return 0;
	if (!strcmp(maps, "parent")) {
		fact.kind = MAP_PARENT;
		fact.parent = get_u32(l, "ppid", KTRACE_TID_MASK);
	}
	get_u64(l, "ts", &fact.raw);
	return ktrace_maps_add(&t->maps, &fact);
}

static int add_process(struct trace *t, const struct line *l)
{
	struct ktrace_trace_process p = {
		.pid = get_u32(l, "pid", KTRACE_TID_MASK),
		.ppid = get_u32(l, "ppid", KTRACE_TID_MASK),
	};
	const char *maps = get_str(l, "maps");
	int ret = add_name(t, l, "pid");

	get_u64(l, "ts", &p.raw);
	p.is_fork = maps && !strcmp(maps, "parent");
	if (ret)
		return ret;
	if (!LIST_GROW(t->processes, t->process_nr, t->process_cap))
		return -ENOMEM;
	t->processes[t->process_nr++] = p;
	return add_origin(t, l);
}

static int add_ids(struct trace *t, const struct line *l)
{
	struct ktrace_trace_ids ids = {
		.first = get_u32(l, "first", KTRACE_TID_MASK),
		.nr = get_u32(l, "nr", KTRACE_TID_MASK),
		.inner = get_u32(l, "inner", ~0u),
	};

	if (!ids.first || !ids.nr || !get_u64(l, "ns", &ids.space))
		return -EINVAL;
	if (!LIST_GROW(t->ids, t->ids_nr, t->ids_cap))
		return -ENOMEM;
	t->ids[t->ids_nr++] = ids;
	return 0;
}

static int add_map(struct trace *t, const struct line *l)
{
	struct map_fact fact = { .kind = MAP_CODE, .pid = get_u32(l, "pid", KTRACE_TID_MASK) };
	int ret;

	if (!fact.pid || !get_u64(l, "ts", &fact.raw) || !get_u64(l, "start", &fact.map.start) ||
	    !get_u64(l, "end", &fact.map.end))
		return -EINVAL;
	get_u64(l, "offset", &fact.map.offset);
	ret = ktrace_maps_text(&fact, get_str(l, "path"), get_str(l, "build"));
	return ret ? ret : ktrace_maps_add(&t->maps, &fact);
}

static int add_stack(struct trace *t, const struct line *l)
{
	const char *addresses = get_str(l, "addresses"), *kind = get_str(l, "kind");
	struct ktrace_trace_stack stack = { .pid = get_u32(l, "pid", KTRACE_TID_MASK) };
	__u64 cut = 0;

	if (!addresses || !kind || !get_u64(l, "id", &stack.number))
		return -EINVAL;
	stack.kind = strcmp(kind, "kernel") ? KTRACE_STACK_USER : KTRACE_STACK_KERNEL;
	stack.is_cut = get_u64(l, "cut", &cut) && cut;
	return ktrace_context_add_stack(t, &stack, addresses, get_str(l, "code"));
}

/* A function that the recorder of an imported trace has named */
static int add_code(struct trace *t, const struct line *l)
{
	struct ktrace_trace_code code = {
		.function = get_str(l, "name"), .module = get_str(l, "module"),
		.file = get_str(l, "file"), .line = get_u32(l, "line", ~0u),
	};
	__u64 number, inlined = 0;

	if (!get_u64(l, "id", &number) || !number)
		return -EINVAL;
	code.has_offset = get_u64(l, "offset", &code.offset);
	code.is_inlined = get_u64(l, "inlined", &inlined) && inlined;
	return ktrace_context_add_code(t, number, &code);
}

static int add_cgroup(struct trace *t, const struct line *l)
{
	const char *path = get_str(l, "path");
	__u64 id;

	if (!path || !get_u64(l, "id", &id))
		return -EINVAL;
	return ktrace_context_add_name(&t->cgroups, id, id, path);
}

static int add_symbol(struct trace *t, const struct line *l)
{
	const char *name = get_str(l, "name");
	__u64 start, end;

	if (!name || !get_u64(l, "start", &start) || !get_u64(l, "end", &end))
		return -EINVAL;
	return ktrace_context_add_name(&t->symbols, start, end, name);
}

static int add_image(struct trace *t, const struct line *l)
{
	const char *name = get_str(l, "name");
	__u64 text = 0;

	get_u64(l, "text", &text);
	return name ? ktrace_context_add_image(t, name, get_str(l, "build"), text) : -EINVAL;
}

static int add_thread(struct trace *t, const struct line *l)
{
	return add_name(t, l, "tid");
}

static const struct fact *find_fact(const struct trace *t, const char *keyword, const char *key)
{
	size_t n = strlen(keyword), i;

	for (i = 0; i < t->fact_nr; i++)
		if (!strncmp(t->facts[i].name, keyword, n) && t->facts[i].name[n] == '.' &&
		    !strcmp(t->facts[i].name + n + 1, key))
			return &t->facts[i];
	return NULL;
}

static int add_fact(struct trace *t, const char *keyword, const char *key, const char *value)
{
	const struct fact *known = find_fact(t, keyword, key);
	struct fact *f = &t->facts[known ? (size_t)(known - t->facts) : t->fact_nr];
	char *copy;

	if (!known && t->fact_nr == FACTS_MAX)
		return -EINVAL;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	if (!known && asprintf(&f->name, "%s.%s", keyword, key) < 0) {
		free(copy);
		return -ENOMEM;
	}
	free(f->value);
	f->value = copy;
	t->fact_nr += !known;
	return 0;
}

static int add_facts(struct trace *t, const struct line *l)
{
	__u32 i;
	int ret = 0;

	for (i = 0; i < l->nr && !ret; i++)
		ret = add_fact(t, l->keyword, l->keys[i], l->values[i]);
	return ret;
}

/* Copies the value of a key, if there is one. */
static int copy_str(const struct line *l, const char *key, char **to)
{
	const char *value = get_str(l, key);

	*to = value ? strdup(value) : NULL;
	return value && !*to ? -ENOMEM : 0;
}

static int add_choice(struct trace *t, const struct line *l)
{
	struct chosen *c;

	if (t->choice_nr == CHOICES_MAX)
		return -EINVAL;
	if (!LIST_RESIZE(t->choices, t->choice_nr + 1))
		return -ENOMEM;
	c = &t->choices[t->choice_nr++];
	*c = (struct chosen){ 0 };
	get_u64(l, "ts", &c->raw);
	return copy_str(l, "levels", &c->levels) || copy_str(l, "events", &c->events) ||
	       copy_str(l, "filters", &c->filters) || copy_str(l, "where", &c->where) ?
	       -ENOMEM : 0;
}

static const struct {
	const char *name;
	int (*add)(struct trace *t, const struct line *l);
} keywords[] = {
	{ "trace", add_facts },
	{ "host", add_facts },
	{ "end", add_facts },
	{ "registry", add_facts },
	{ "part", add_facts },
	{ "posix", add_facts },
	{ "clock", add_clock },
	{ "stream", add_stream },
	{ "event", add_event },
	{ "format", add_format },
	{ "process", add_process },
	{ "exit", add_process },	/* from then on the process is an unknown one */
	{ "thread", add_thread },
	{ "origin", add_origin },
	{ "ids", add_ids },
	{ "map", add_map },
	{ "stack", add_stack },
	{ "code", add_code },
	{ "cgroup", add_cgroup },
	{ "symbol", add_symbol },
	{ "image", add_image },
	{ "choice", add_choice },
	{ "timesource", ktrace_meta_add_source },
	{ "ping", ktrace_meta_add_ping },
};

static int add_line(struct trace *t, const struct line *l)
{
	size_t i;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (!strcmp(l->keyword, keywords[i].name))
			return keywords[i].add(t, l);
	return 0;
}

/* Parses a line of @size bytes; @text[@size] is a NUL. -EBADMSG: the error has been reported. */
static int parse_line(struct trace *t, __u64 offset, char *text, size_t size)
{
	struct line line;

	if (memchr(text, '\0', size) || !take_apart(text, &line))
		return -EINVAL;
	line.offset = offset;
	return add_line(t, &line);
}

/* Takes in the text of a META section; @text has room for a NUL after @size bytes. */
void ktrace_meta_parse(struct trace *t, __u64 offset, char *text, size_t size)
{
	char *const end = text + size;
	bool is_reported = false;
	char *next;
	int ret;

	*end = '\n';
	for (; text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text) + 1);
		*next = '\0';
		ret = parse_line(t, offset, text, (size_t)(next - text));
		if (ret == -ENOMEM)
			t->error = ret;
		if ((ret == -EINVAL || ret == -E2BIG) && !is_reported) {
			trace_report(t, offset, ret == -EINVAL ? "META line is invalid" :
				     "too many names of a thread that are not in order of time");
			is_reported = true;
		}
	}
}

const char *ktrace_meta_fact(const struct trace *t, const char *keyword, const char *key)
{
	const struct fact *f = find_fact(t, keyword, key);

	return f ? f->value : NULL;
}

// SPDX-License-Identifier: GPL-2.0
/* line.c - prints an event as a line of text or a JSON object */
#include "line.h"

#include "base/json.h"
#include "base/pager.h"

#include "base/viewer.h"
#include "base/when.h"
#include "context.h"
#include "posix_log.h"
#include "shark.h"

#include <stdio.h>
#include <string.h>

/* Goes through the flags that an event has and that have a name. */
#define for_each_flag(name, flag, flags) \
	for ((flag) = 1; (flag) < KTRACE_EVENT_CONTEXT; (flag) *= 2) \
		if ((flags) & (flag) && ((name) = ktrace_event_flag_name(flag)))

#define FLAGS_NAMED (KTRACE_EVENT_CONTEXT - 1u)

struct line_before line_before(const struct ktrace_trace_event *e)
{
	return (struct line_before){
		.time = e->time, .trace = e->stream->trace, .raw = e->raw,
	};
}

static __u64 since(__u64 time, __u64 start)
{
	return time > start ? time - start : 0;
}

void line_put_time(struct lines *l, const struct ktrace_trace_event *e)
{
	switch (l->time) {
	case TIME_WALL:
		out_date(l->out, ktrace_trace_wall(e->stream->trace, e->raw));
		break;
	case TIME_RAW:
		ktrace_out_u64(l->out, e->raw);
		break;
	case TIME_DELTA:
		ktrace_out_char(l->out, '+');
		out_seconds(l->out, since(e->time, l->before.time), 13);
		break;
	default:
		out_seconds(l->out, since(e->time, l->start), 15);
		break;
	}
}

static void put_cpu(struct ktrace_out *out, __s32 cpu)
{
	ktrace_out_str(out, " [");
	if (cpu < 0)
		ktrace_out_str(out, "---");
	else
		ktrace_out_dec(out, (__u64)cpu, 3);
	ktrace_out_str(out, "] ");
}

/* @alias: name that the program has given the thread, NULL = none */
static void put_thread(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 pid,
		       const char *comm, const char *alias)
{
	size_t from = out->len;

	if (e->id == KTRACE_ID_LOST) {
		ktrace_out_str(out, "-/- -");
	} else if (!e->tid) {
		ktrace_out_str(out, "0/0 swapper");
	} else {
		if (pid)
			ktrace_out_u64(out, pid);
		else
			ktrace_out_char(out, '-');
		ktrace_out_char(out, '/');
		ktrace_out_u64(out, e->tid);
		ktrace_out_char(out, ' ');
		ktrace_out_safe(out, *comm ? comm : "?");
		if (alias) {
			ktrace_out_char(out, ':');
			ktrace_out_quoted(out, alias, strlen(alias));
		}
	}
	ktrace_out_char(out, ' ');
	ktrace_out_pad(out, from, 26);
}

/* Keeps the text from @from on for events like @e. */
static void keep(struct same *same, const struct ktrace_out *out, size_t from,
		 const struct ktrace_trace_event *e)
{
	if (out->error || out->len < from || out->len - from > sizeof(same->text) || !e->type)
		return;
	same->stream = e->stream;
	same->type = e->type;
	same->tid = e->tid;
	same->len = (__u32)(out->len - from);
	memcpy(same->text, out->buf + from, same->len);
}

/* Writes the part between time and fields: file or host, CPU, thread, name of the event. */
static void put_middle(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		       const char *comm, const char *alias)
{
	struct same *same = &l->same[(e->tid + e->stream->id * 7 + e->id * 31) % SAME_NR];
	struct ktrace_out *out = l->out;
	size_t from = out->len;

	if (!alias && same->stream == e->stream && same->type == e->type && same->tid == e->tid &&
	    same->pid == pid && !strcmp(same->comm, comm)) {
		ktrace_out_bytes(out, same->text, same->len);
		return;
	}
	same->stream = NULL;
	same->pid = pid;
	snprintf(same->comm, sizeof(same->comm), "%s", comm);
	line_put_file(l, e);
	put_cpu(out, e->stream->cpu);
	put_thread(out, e, pid, comm, alias);
	ktrace_event_name(out, e);
	if (!alias)
		keep(same, out, from, e);
}

/* True for a pointer, and for the address of a kernel probe event. */
static bool is_code(const struct ktrace_value *v)
{
	return v->field->shape == KTRACE_ONE && !v->is_cut &&
	       (v->field->scalar == KTRACE_PTR || !strcmp(v->field->name, "__probe_ip"));
}

/* Looks an address up; kernel addresses are the upper half. */
static const struct symbol *find_symbol(const struct lines *l, const struct ktrace_trace_event *e,
					__u32 pid, const struct ktrace_value *v)
{
	const __u64 address = (__u64)ktrace_value_s64(v, 0);
	const bool is_return = !strcmp(v->field->name, "caller");

	if (address >> 63)
		return symbols_find_kernel(l->symbols, e->stream->trace, address, is_return);
	return symbols_find(l->symbols, e->stream->trace, pid, e->raw, address, is_return);
}

void line_put_symbols(struct lines *l, const struct ktrace_trace_event *e, __u32 pid)
{
	const struct symbol *symbol;
	struct ktrace_values it;
	struct ktrace_value v;
	char comma = '{';

	line_for_each_value(v, it, e) {
		if (!is_code(&v))
			continue;
		symbol = find_symbol(l, e, pid, &v);
		if (!symbol)
			continue;
		if (!l->is_json) {
			ktrace_out_str(l->out, " (");
			ktrace_out_str(l->out, v.field->name);
			ktrace_out_char(l->out, ' ');
			symbols_put(l->out, symbol);
			ktrace_out_char(l->out, ')');
			continue;
		}
		ktrace_out_str(l->out, comma == '{' ? ",\"symbols\":" : "");
		ktrace_out_char(l->out, comma);
		ktrace_out_json(l->out, v.field->name, strlen(v.field->name));
		ktrace_out_char(l->out, ':');
		symbols_put_json(l->out, symbol);
		comma = ',';
	}
	if (comma == ',')
		ktrace_out_char(l->out, '}');
}

void line_put_bytes(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	__u32 i;

	for (i = 0; i < e->len && !out->error; i++)
		ktrace_out_hex(out, (unsigned char)e->payload[i], 2);
}

void line_put_name(struct ktrace_out *out, const char *name)
{
	ktrace_out_char(out, ':');
	ktrace_out_quoted(out, name, strlen(name));
}

/* Like ktrace_fields_text(), with names after addresses. */
static bool put_fields_named(struct ktrace_out *out, const struct ktrace_trace_event *e,
			     const struct line_names *names)
{
	struct ktrace_values it;
	struct ktrace_value v;
	bool is_cut = false;
	__u32 i = 0;

	line_for_each_value(v, it, e) {
		ktrace_out_bytes(out, v.field->label, v.field->label_size);
		ktrace_value_text(out, &v);
		is_cut = v.is_cut;
		if (!object_name_is_address(&v))
			continue;
		if (i < LINE_NAMES_MAX && names->objects[i])
			line_put_name(out, names->objects[i]);
		i++;
	}
	return is_cut || it.next < e->type->field_nr;
}

static void put_param(struct ktrace_out *out, const char **before, const char *name, __u32 value)
{
	if (!name)
		return;
	ktrace_out_str(out, *before);
	ktrace_out_str(out, name);
	ktrace_out_char(out, ' ');
	ktrace_out_u64(out, value);
	*before = ", ";
}

/*
 * Names the parameters of S.Ha.R.K. events, which depend on the code; the type does not name fast
 * codes.
 */
static void put_params(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const struct shark_params *params;
	const char *before = " (", *name;
	struct shark_event event;

	if (!shark_event_of(e, &event))
		return;
	params = shark_params(shark_code(&event));
	name = event.code & KTRACE_SHARK_FAST && e->type->field_nr ?
		ktrace_enumerator_find(e->type->fields, (__s64)shark_code(&event)) : NULL;
	if (name) {
		ktrace_out_str(out, " (fast ");
		ktrace_out_str(out, name);
		before = ", ";
	}
	put_param(out, &before, params ? params->par1 : NULL, event.par1);
	put_param(out, &before, params ? params->par2 : NULL, event.par2);
	if (*before == ',')
		ktrace_out_char(out, ')');
}

static void put_text(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		     const char *comm, const struct line_names *names)
{
	struct ktrace_out *out = l->out;
	bool is_cut = false;
	const char *name;
	__u32 flag;

	line_put_time(l, e);
	line_put_error(l, e);
	put_middle(l, e, pid, comm, names->thread);
	if (line_has_fields(e)) {
		is_cut = names->has_any ? put_fields_named(out, e, names) :
			 ktrace_fields_text(out, e->type, e->payload, e->len);
		put_params(out, e);
		posix_log_put_sets(out, e);
		if (l->symbols)
			line_put_symbols(l, e, pid);
	} else {
		ktrace_out_str(out, " bytes=");
		line_put_bytes(out, e);
	}
	if (e->flags & KTRACE_EVENT_CONTEXT)
		context_put(out, e);
	for_each_flag(name, flag, e->flags) {
		ktrace_out_str(out, " (");
		ktrace_out_str(out, name);
		ktrace_out_char(out, ')');
	}
	if (is_cut && !(e->flags & (KTRACE_EVENT_TRUNCATED | KTRACE_EVENT_INCOMPLETE)))
		ktrace_out_str(out, " (short)");
	ktrace_out_char(out, '\n');
	if (l->has_stacks)
		context_put_stacks(out, l->symbols, e);
}

static void put_key(struct ktrace_out *out, const char *key)
{
	ktrace_out_str(out, ",\"");
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
}

static void put_key_u64(struct ktrace_out *out, const char *key, __u64 value)
{
	put_key(out, key);
	ktrace_out_u64(out, value);
}

bool line_find_thread(const struct ktrace_trace_event *e, struct line_thread *thread)
{
	if (e->id == KTRACE_ID_LOST)
		return false;
	thread->comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &thread->pid);
	if (!e->tid)
		thread->comm = "swapper";
	else if (!thread->comm)
		thread->comm = "";
	thread->has_pid = thread->pid || !e->tid;
	return true;
}

static void put_json_thread(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 pid,
			    const char *comm)
{
	if (e->id == KTRACE_ID_LOST)
		return;
	if (!e->tid)
		comm = "swapper";
	if (pid || !e->tid)
		put_key_u64(out, "pid", pid);
	put_key_u64(out, "tid", e->tid);
	if (*comm) {
		put_key(out, "comm");
		ktrace_out_json(out, comm, strlen(comm));
	}
}

void line_put_json_name(struct ktrace_out *out, const char *key, const char *name)
{
	ktrace_out_char(out, '"');
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
	ktrace_out_json(out, name, strlen(name));
}

void line_put_json_fields(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	ktrace_fields_json(out, e->type, e->payload, e->len);
}

void line_put_flags(struct ktrace_out *out, __u32 flags)
{
	const char *blank = "", *name;
	__u32 flag;

	for_each_flag(name, flag, flags) {
		ktrace_out_str(out, blank);
		ktrace_out_str(out, name);
		blank = " ";
	}
}

static void put_json_flags(struct ktrace_out *out, __u32 flags)
{
	char comma = '[';
	const char *name;
	__u32 flag;

	if (!(flags & FLAGS_NAMED))
		return;
	put_key(out, "flags");
	for_each_flag(name, flag, flags) {
		ktrace_out_char(out, comma);
		ktrace_out_quoted(out, name, strlen(name));
		comma = ',';
	}
	ktrace_out_char(out, ']');
}

void line_put_json_begin(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
			 const char *comm)
{
	struct ktrace_out *out = l->out;

	ktrace_out_str(out, "{\"time\":\"");
	out_seconds(out, e->time, 0);
	ktrace_out_char(out, '"');
	put_key_u64(out, "ns", since(e->time, l->start));
	line_put_json_error(l, e);
	put_key_u64(out, "raw", e->raw);
	put_key_u64(out, "trace", ktrace_trace_index(e->stream->trace));
	if (l->has_hosts)
		json_str(out, "host", ktrace_trace_meta(e->stream->trace, "host", "name"));
	put_key_u64(out, "stream", e->stream->id);
	if (e->stream->cpu >= 0)
		put_key_u64(out, "cpu", (__u64)e->stream->cpu);
	put_json_thread(out, e, pid, comm);
	ktrace_out_str(out, ",\"event\":\"");
}

/* Writes the names of fields that have one. */
static void put_json_names(struct ktrace_out *out, const struct ktrace_trace_event *e,
			   const struct line_names *names)
{
	struct ktrace_values it;
	struct ktrace_value v;
	char comma = '{';
	__u32 i = 0;

	put_key(out, "names");
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v) && i < LINE_NAMES_MAX) {
		if (!object_name_is_address(&v) || !names->objects[i++])
			continue;
		ktrace_out_char(out, comma);
		line_put_json_name(out, v.field->name, names->objects[i - 1]);
		comma = ',';
	}
	if (names->thread) {
		ktrace_out_char(out, comma);
		line_put_json_name(out, "tid", names->thread);
	}
	ktrace_out_char(out, '}');
}

static void put_json_context(struct lines *l, const struct ktrace_trace_event *e)
{
	put_key(l->out, "context");
	context_put_json(l->out, e);
	if (!l->has_stacks)
		return;
	put_key(l->out, "stacks");
	context_put_stacks_json(l->out, l->symbols, e);
}

/* Writes the event sets that the fields of START and FILTER in a POSIX stream leave out. */
static void put_json_sets(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const __u32 nr = posix_log_set_nr(e);

	if (nr > 1) {
		put_key(out, "before");
		posix_log_json_set(out, e, 0);
	}
	if (nr) {
		put_key(out, "filter");
		posix_log_json_set(out, e, nr - 1);
	}
}

static void put_json(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		     const char *comm, const struct line_names *names)
{
	struct ktrace_out *out = l->out;

	line_put_json_begin(l, e, pid, comm);
	ktrace_event_name(out, e);
	ktrace_out_char(out, '"');
	put_json_flags(out, e->flags);
	if (line_has_fields(e)) {
		put_key(out, "fields");
		line_put_json_fields(out, e);
		put_json_sets(out, e);
		if (l->symbols)
			line_put_symbols(l, e, pid);
		if (names->has_any)
			put_json_names(out, e, names);
	} else {
		ktrace_out_str(out, ",\"bytes\":\"");
		line_put_bytes(out, e);
		ktrace_out_char(out, '"');
	}
	if (e->flags & KTRACE_EVENT_CONTEXT)
		put_json_context(l, e);
	ktrace_out_str(out, "}\n");
}

void line_put_named(struct lines *l, const struct ktrace_trace_event *e, __u32 pid,
		    const char *comm, const struct line_names *names)
{
	const bool is_marked = l->has_colours && e->id == KTRACE_ID_LOST && !l->is_json;

	output_line_begin(l->out);
	if (is_marked)
		ktrace_out_str(l->out, colour_bad());
	if (l->is_json)
		put_json(l, e, pid, comm, names);
	else
		put_text(l, e, pid, comm, names);
	if (is_marked)
		ktrace_out_str(l->out, colour_end());
	l->before = line_before(e);
}

void line_find_names(const struct lines *l, const struct ktrace_trace_event *e,
		     struct line_names *names)
{
	struct ktrace_values it;
	struct ktrace_value v;
	__u32 i = 0;

	*names = (struct line_names){ 0 };
	if (!l->aliases || !line_has_fields(e))
		return;
	names->thread = object_names_thread(l->aliases, e);
	names->has_any = names->thread;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (i < LINE_NAMES_MAX && ktrace_values_next(&it, &v))
		if (object_name_is_address(&v)) {
			names->objects[i] = object_names_object(l->aliases, e,
								(__u64)ktrace_value_s64(&v, 0));
			names->has_any |= names->objects[i++] != NULL;
		}
}

void line_put(struct lines *l, const struct ktrace_trace_event *e)
{
	struct line_names names;
	__u32 pid;
	const char *comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &pid);

	line_find_names(l, e, &names);
	line_put_named(l, e, pid, comm ? comm : "", &names);
}

void line_put_position(struct lines *l, const char *text)
{
	output_line_begin(l->out);
	ktrace_out_str(l->out, l->is_json ? "{\"position\":\"" : "position ");
	ktrace_out_str(l->out, text);
	ktrace_out_str(l->out, l->is_json ? "\"}\n" : "\n");
}

static const char *set_time_format(void *to, const char *text)
{
	static const char *const names[] = {
		[TIME_REL] = "rel", [TIME_WALL] = "wall", [TIME_RAW] = "raw",
		[TIME_DELTA] = "delta", NULL
	};
	const char *wrong;
	const int i = command_choice("--time", text, names, &wrong);

	if (i < 0)
		return wrong;
	*(enum time_format *)to = (enum time_format)i;
	return NULL;
}

const struct option_row time_options[] = {
	{ .name = "time", .value = "rel|wall|raw|delta", .set = set_time_format,
	  .help = "times as seconds since the first event (default),\n"
		  "dates, stamps, or seconds since the previous line" },
	{ .help = NULL },
};

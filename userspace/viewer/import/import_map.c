// SPDX-License-Identifier: GPL-2.0
/*
 * import_map.c - converts kernel events of other tracers to those of ktrace
 *
 * The table of import_known.h lists events with the fields that have another name or encoding;
 * events not in it are looked up by their own name. If the other tracer's event lacks a field of
 * ours, it has no plan and stays as it is. Fields without a counterpart are appended, so nothing is
 * lost.
 */
#include "import_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "base/viewer.h"
#include "import_known.h"
#include "import_packet.h"

#define FIELDS_MAX 64u
#define ARGS 6u
/* Fields of struct ktrace_ev_sched_switch by number */
enum { SWITCH_PREV_TID = 0, SWITCH_NEXT_TID = 1, SWITCH_PREV_STATE = 4, SWITCH_PREV_COMM = 5 };

/**
 * struct import_map - how a type of events is converted to ours
 * @to:		type of our event
 * @id:		its number
 * @desc:	description of @to
 * @from:	by field of @to: number + 1 of its source field, 0 = none
 * @convert:	by field of @to: its conversion
 * @constant:	by field of @to: its value without a source
 * @is_args:	an event of a system call: its fields are the arguments
 * @is_packet:	all fields of @to come from import_packet.h
 * @is_copied:	by source field: appended after those of @to
 */
struct import_map {
	struct ktrace_event_type *to;
	__u16 id;
	const char *desc;
	unsigned char from[FIELDS_MAX];
	import_convert_fn convert[FIELDS_MAX];
	__s64 constant[FIELDS_MAX];
	bool is_args;
	bool is_packet;
	bool is_copied[FIELDS_MAX];
};

static int find_field(const struct ktrace_event_type *type, const char *names)
{
	size_t n;

	for (; names && *names; names += n + (names[n] == '|')) {
		n = strcspn(names, "|");
		for (__u32 i = 0; i < type->field_nr && i < FIELDS_MAX; i++)
			if (!strncmp(type->fields[i].name, names, n) && !type->fields[i].name[n])
				return (int)i;
	}
	return -1;
}

static const struct import_source *find_source(const struct import_known *k, const char *to)
{
	const size_t nr = sizeof(k->sources) / sizeof(k->sources[0]);

	for (size_t i = 0; i < nr && k->sources[i].to; i++)
		if (!strcmp(k->sources[i].to, to))
			return &k->sources[i];
	return NULL;
}

/* True if a field can be copied: numbers from numbers, text from text, arrays of equal size. */
static bool fits(const struct ktrace_field *to, const struct ktrace_field *from)
{
	if (to->scalar == KTRACE_CHAR)
		return from->scalar == KTRACE_CHAR;
	if (to->shape == KTRACE_FIXED)
		return from->shape == KTRACE_FIXED && from->count == to->count &&
		       from->size == to->size;
	return from->shape == KTRACE_ONE && from->scalar != KTRACE_F32 &&
	       from->scalar != KTRACE_F64 && from->scalar != KTRACE_CHAR;
}

/* Plans one field of ours; false if it has no source. */
static bool plan_field(struct import_map *p, const struct import_known *k,
		       const struct ktrace_event_type *type, __u32 i)
{
	const struct ktrace_field *to = &p->to->fields[i];
	const struct import_source *s = k ? find_source(k, to->name) : NULL;
	int from = find_field(type, s ? s->from : to->name);

	if (s && !s->from)
		return true;
	if (from < 0 || (!(s && s->convert) && !fits(to, &type->fields[from])))
		return false;
	p->from[i] = (unsigned char)(from + 1);
	p->convert[i] = s ? s->convert : NULL;
	p->is_copied[from] = false;
	return true;
}

/*
 * Plans a system call that has an event of its own: its number is in the name, arguments are
 * fields.
 */
static bool plan_syscall(struct import_map *p, const struct import_known *k,
			 const struct ktrace_event_type *type, const char *machine)
{
	const __u32 abi = strncmp(k->name, "compat_", 7) ? KTRACE_SYSCALL_NATIVE :
							    KTRACE_SYSCALL_I386;
	const char *name = type->name + strlen(k->name) - 1;
	const bool is_enter = k->id == KTRACE_EV_SYSCALL_ENTER;
	const int again = find_field(type, "__syscall_nr");
	__s32 nr;

	if (again >= 0)
		p->is_copied[again] = false;
	if (!machine || !ktrace_syscall_find(machine, false, abi, name, &nr))
		return false;
	p->constant[0] = nr;
	p->constant[1] = abi;
	p->is_args = is_enter;
	return is_enter || plan_field(p, NULL, type, 2);
}

/* Plans an event with headers of a packet, which are in many fields. */
static bool plan_packet(struct import_map *p, const struct ktrace_event_type *type)
{
	if (!import_packet_is(type))
		return false;
	p->is_packet = true;
	for (__u32 i = 0; i < type->field_nr; i++)
		p->is_copied[i] = import_packet_is_copied(type->fields[i].name);
	return true;
}

static bool plan_fields(struct import_map *p, const struct import_known *k,
			const struct ktrace_event_type *type, const char *machine)
{
	memset(p->from, 0, sizeof(p->from));
	for (__u32 i = 0; i < FIELDS_MAX; i++)
		p->is_copied[i] = i < type->field_nr;
	if (k && strchr(k->name, '*'))
		return plan_syscall(p, k, type, machine);
	if (k && (k->id == KTRACE_EV_NET_QUEUE || k->id == KTRACE_EV_NET_RECEIVE))
		return plan_packet(p, type);
	for (__u32 i = 0; i < p->to->field_nr; i++)
		if (!plan_field(p, k, type, i))
			return false;
	return true;
}

static bool is_called(const struct import_known *k, const char *name)
{
	const size_t n = strcspn(k->name, "*");

	return !strncmp(k->name, name, n) && (k->name[n] ? name[n] : !name[n]);
}

/*
 * Returns the description to convert to. Only events of LTTng and ktrace, and ftrace's events per
 * call, tell the ABI of a system call: others get the description without the ABI that ktrace had
 * before.
 */
static const char *desc_of(const struct ktrace_event_type *type, const struct import_known *k,
			   const struct ktrace_kernel_event *ours)
{
	if ((k && strchr(k->name, '*')) || find_field(type, "abi") >= 0)
		return ours->desc;
	if (ours->id == KTRACE_EV_SYSCALL_ENTER)
		return "syscall:enter{s64 nr;x64[6] args;}";
	return ours->id == KTRACE_EV_SYSCALL_EXIT ? "syscall:exit{s64 nr;s64 ret;}" : ours->desc;
}

/* Tries a known event, or one with the name of ours. */
static int try_plan(struct import_writer *f, const struct ktrace_event_type *type,
		    const struct import_known *k,
		    const struct ktrace_kernel_event *ours, struct import_map **out)
{
	struct import_map *p = calloc(1, sizeof(*p));
	int ret = p ? ktrace_event_type_parse(desc_of(type, k, ours), &p->to) : -ENOMEM;

	if (p) {
		p->desc = desc_of(type, k, ours);
		p->id = ours->id;
	}
	if (!ret && plan_fields(p, k, type, import_writer_machine(f)))
		*out = p;
	else
		import_map_free(p);
	return ret;
}

static const struct ktrace_kernel_event *ours_by(__u16 id, const char *name)
{
	const struct ktrace_kernel_event *e;

	for (__u32 i = 0; (e = ktrace_kernel_event(i)); i++)
		if (name ? !strncmp(e->desc, name, strlen(name)) && e->desc[strlen(name)] == '{' :
			   e->id == id)
			return e;
	return NULL;
}

int import_map_make(struct import_writer *f, const struct ktrace_event_type *type,
		    struct import_map **out)
{
	const struct ktrace_kernel_event *ours = ours_by(0, type->full_name);
	const struct import_known *k;
	int ret = 0;

	*out = NULL;
	if (type->field_nr > FIELDS_MAX)
		return 0;
	if (ours)
		return try_plan(f, type, NULL, ours, out);
	for (size_t i = 0; (k = import_known(i)) && !*out && !ret; i++)
		if (is_called(k, type->name))
			ret = try_plan(f, type, k, ours_by(k->id, NULL), out);
	return ret;
}

/* Declares a copied field; renames it if ours has a field of that name. */
static void put_declaration(struct ktrace_out *out, const struct ktrace_event_type *ours,
			    const struct ktrace_field *f)
{
	if (f->enum_nr)
		ktrace_out_str(out, "enum<");
	ktrace_out_str(out, f->shape == KTRACE_STRING ? "string" : ktrace_scalar_name(f->scalar));
	for (__u32 i = 0; i < f->enum_nr; i++) {
		ktrace_out_str(out, i ? "," : ">(");
		ktrace_out_str(out, f->enums[i].name);
		ktrace_out_char(out, '=');
		ktrace_out_s64(out, f->enums[i].value);
	}
	if (f->enum_nr)
		ktrace_out_char(out, ')');
	if (f->shape == KTRACE_COUNTED)
		ktrace_out_str(out, "[]");
	if (f->shape == KTRACE_FIXED) {
		ktrace_out_char(out, '[');
		ktrace_out_u64(out, f->count);
		ktrace_out_char(out, ']');
	}
	ktrace_out_str(out, find_field(ours, f->name) < 0 ? " " : " other.");
	ktrace_out_str(out, f->name);
	ktrace_out_char(out, ';');
}

char *import_map_desc(const struct import_map *plan, const struct ktrace_event_type *type)
{
	struct ktrace_out out = { .flush = output_grow };
	const char *ours = plan->desc;

	ktrace_out_bytes(&out, ours, strlen(ours) - 1);
	for (__u32 i = 0; i < type->field_nr; i++)
		if (plan->is_copied[i])
			put_declaration(&out, plan->to, &type->fields[i]);
	ktrace_out_str(&out, "}");
	ktrace_out_bytes(&out, "", 1);
	if (!out.error)
		return out.buf;
	free(out.buf);
	return NULL;
}

__u16 import_map_id(const struct import_map *plan)
{
	return plan->id;
}

static void put_number(struct ktrace_out *out, __s64 v, __u32 size)
{
	/* Assumes little-endian, as on all supported machines. */
	ktrace_out_bytes(out, (const char *)&v, size);
}

static void put_text(struct ktrace_out *out, const struct ktrace_field *to,
		     const struct ktrace_value *v)
{
	const size_t have = v->count ? strnlen(v->data, v->count) : 0;
	const bool is_cut = to->shape == KTRACE_FIXED && have >= to->count;
	const size_t tail = is_cut && to->count == KTRACE_COMM_LEN ? KTRACE_IRQ_NAME_TAIL : 0;
	size_t n = is_cut ? to->count - 1 : have;

	/* Shortens the text like the module, see <linux/ktrace_events.h> */
	if (tail) {
		ktrace_out_bytes(out, v->data, n - tail - 1);
		ktrace_out_char(out, '~');
		ktrace_out_bytes(out, v->data + have - tail, tail);
	} else if (n) {
		ktrace_out_bytes(out, v->data, n);
	}
	for (; to->shape == KTRACE_FIXED && n < to->count; n++)
		ktrace_out_char(out, 0);
	if (to->shape == KTRACE_STRING)
		ktrace_out_char(out, 0);
}

/* Writes one of our fields; missing values are 0. */
static void put_field(struct ktrace_out *out, const struct ktrace_field *to,
		      const struct ktrace_value *v)
{
	__s64 number;

	if (to->scalar == KTRACE_CHAR) {
		put_text(out, to, v);
		return;
	}
	for (__u32 i = 0; i < (to->shape == KTRACE_FIXED ? to->count : 1); i++) {
		number = i < v->count ? ktrace_value_s64(v, i) : 0;
		put_number(out, number, to->size);
	}
}

static void put_args(struct ktrace_out *out, const struct ktrace_event_type *type,
		     const struct ktrace_value *values)
{
	__u32 nr = 0;

	for (__u32 i = 0; i < type->field_nr && nr < ARGS; i++) {
		const struct ktrace_field *f = &type->fields[i];

		if (!strncmp(f->name, "context.", 8) || !strcmp(f->name, "__syscall_nr"))
			continue;
		nr++;
		put_number(out, f->shape == KTRACE_ONE && values[i].count ?
			   ktrace_value_s64(&values[i], 0) : 0, 8);
	}
	for (; nr < ARGS; nr++)
		put_number(out, 0, 8);
}

static void put_copy(struct ktrace_out *out, const struct ktrace_field *f,
		     const struct ktrace_value *v)
{
	__u32 count = v->count;

	if (f->scalar == KTRACE_CHAR && f->shape != KTRACE_COUNTED) {
		put_text(out, f, v);
		return;
	}
	if (f->shape == KTRACE_COUNTED)
		ktrace_out_bytes(out, (const char *)&count, sizeof(count));
	if (count)
		ktrace_out_bytes(out, v->data, (size_t)count * f->size);
	for (; f->shape == KTRACE_FIXED && count < f->count; count++)
		put_number(out, 0, f->size);
}

/* Writes the fields of a packet, which follow each other as in the struct. */
static void put_packet(struct ktrace_out *out, const struct import_map *p,
		       const struct ktrace_event_type *type, const struct ktrace_value *values)
{
	struct ktrace_ev_net net;

	import_packet_read(type, values, p->id == KTRACE_EV_NET_QUEUE, &net);
	ktrace_out_bytes(out, (const char *)&net, sizeof(net));
}

void import_map_apply(const struct import_map *p, const struct import_writer *f,
		      const struct import_writer_event *e, struct ktrace_out *out)
{
	const struct ktrace_event_type *type = e->type->parsed;
	struct ktrace_value values[FIELDS_MAX] = { 0 };
	struct ktrace_values it;
	__u32 nr = 0;

	ktrace_values_init(&it, type, e->len ? e->data : "", e->len);
	while (nr < type->field_nr && ktrace_values_next(&it, &values[nr]))
		nr++;
	if (p->is_packet)
		put_packet(out, p, type, values);
	for (__u32 i = 0; i < p->to->field_nr && !p->is_packet; i++) {
		const struct ktrace_field *to = &p->to->fields[i];
		const int from = p->from[i] - 1;

		if (p->is_args && to->shape == KTRACE_FIXED)
			put_args(out, type, values);
		else if (from < 0)
			put_number(out, p->constant[i], to->size);
		else if (p->convert[i] && from < (int)nr)
			put_number(out, p->convert[i](f, &values[from]), to->size);
		else
			put_field(out, to, &values[from]);
	}
	for (__u32 i = 0; i < nr; i++)
		if (p->is_copied[i])
			put_copy(out, &type->fields[i], &values[i]);
	/* Copies the packet after the fields, see perfetto_packet.h. */
	if (nr == type->field_nr)
		ktrace_out_bytes(out, it.at, (size_t)(it.end - it.at));
}

/* struct sources - values of fields by field of our event; count 0 = missing */
struct sources {
	struct ktrace_value values[FIELDS_MAX];
	__u32 nr;
};

static void take_values(struct sources *x, const struct import_writer_event *e)
{
	const struct ktrace_event_type *type = e->type->parsed;
	struct ktrace_values it;

	x->nr = 0;
	ktrace_values_init(&it, type, e->len ? e->data : "", e->len);
	while (x->nr < type->field_nr && ktrace_values_next(&it, &x->values[x->nr]))
		x->nr++;
}

/* Returns the value that becomes field @i of our event; NULL = missing */
static const struct ktrace_value *value_for(const struct sources *x, const struct import_map *p,
					    __u32 i)
{
	const struct ktrace_value *v = p->from[i] && p->from[i] <= x->nr ?
				       &x->values[p->from[i] - 1] : NULL;

	return v && v->count ? v : NULL;
}

static __u32 tid_for(const struct sources *x, const struct import_map *p, __u32 i)
{
	const struct ktrace_value *v = value_for(x, p, i);

	return v ? (__u32)ktrace_value_s64(v, 0) & KTRACE_TID_MASK : 0;
}

bool import_map_switch(const struct import_writer_event *e, struct task_switch *s)
{
	const struct import_map *p = e->type->plan;
	const struct ktrace_value *v;
	struct sources x;

	if (!p || p->id != KTRACE_EV_SCHED_SWITCH)
		return false;
	take_values(&x, e);
	*s = (struct task_switch){ .prev_tid = tid_for(&x, p, SWITCH_PREV_TID),
				   .next_tid = tid_for(&x, p, SWITCH_NEXT_TID) };
	v = value_for(&x, p, SWITCH_PREV_COMM);
	if (v && import_known_is_text(v))
		snprintf(s->prev_comm, sizeof(s->prev_comm), "%.*s", (int)v->count, v->data);
	v = value_for(&x, p, SWITCH_PREV_STATE);
	s->is_bits = v && !import_known_is_text(v) &&
		     p->convert[SWITCH_PREV_STATE] == import_known_state;
	s->bits = s->is_bits ? ktrace_value_s64(v, 0) : 0;
	return true;
}

bool import_map_exit(const struct import_writer_event *e, __u32 *tid)
{
	const struct import_map *p = e->type->plan;
	struct sources x;

	if (!p || p->id != KTRACE_EV_SCHED_EXIT)
		return false;
	take_values(&x, e);
	*tid = tid_for(&x, p, 0);
	return true;
}

void import_map_free(struct import_map *p)
{
	if (p)
		ktrace_event_type_free(p->to);
	free(p);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * own.c - events that ktrace export --to chrome has written become what they were
 *
 * The category is the event's name. Arrows, counters, and ends without a category were added by
 * the export for the picture. Kernel events get their description back; the numbers of others are
 * as large as JSON's.
 */
#include "chrome.h"

#include "base/ip_address.h"

#include <errno.h>
#include <ktrace/session.h>
#include <stdlib.h>

#define MACHINE_SHIFT 24
#define CPUS (1u << 22)		/* the process of tracks of CPUs */

static struct json_value arg_of(const struct chrome_event *e, const char *name)
{
	return json_member(&e->args, name);
}

static __u64 number_of(const struct json_value *v)
{
	struct json_value number = *v;
	bool is_big;
	__u64 n;
	char text[24];

	number.kind = JSON_NUMBER;
	if (!v->at)
		return 0;
	if (json_integer(&number, &n, &is_big))
		return n;
	json_copy(v, text, sizeof(text));
	return strtoull(text, NULL, 0);
}

/* Returns the number of an enum's name, or of a number */
static __u64 scalar_of(const struct ktrace_field *f, const struct json_value *v)
{
	for (__u32 i = 0; v->at && v->kind == JSON_STRING && i < f->enum_nr; i++)
		if (json_is(v, f->enums[i].name))
			return (__u64)f->enums[i].value;
	return number_of(v);
}

static void put_scalar(struct chrome *c, const struct ktrace_field *f, const struct json_value *v)
{
	const __u64 n = f->scalar < KTRACE_F32 || f->scalar > KTRACE_F64 ? scalar_of(f, v) : 0;
	const double real = v->at && v->kind == JSON_NUMBER ? json_double(v) : 0;
	const float single = (float)real;

	if (f->scalar == KTRACE_F32)
		ktrace_out_bytes(&c->b.payload, (const char *)&single, sizeof(single));
	else if (f->scalar == KTRACE_F64)
		ktrace_out_bytes(&c->b.payload, (const char *)&real, sizeof(real));
	else
		ktrace_out_bytes(&c->b.payload, (const char *)&n, f->size);
}

static void put_text(struct chrome *c, const struct ktrace_field *f, const struct json_value *v)
{
	size_t n;

	c->text.len = 0;
	if (v->at && v->kind == JSON_STRING)
		json_text(&c->text, v);
	n = c->text.len;
	if (f->shape == KTRACE_FIXED && n > f->count)
		n = f->count;
	if (n)
		ktrace_out_bytes(&c->b.payload, c->text.buf, n);
	for (; f->shape == KTRACE_FIXED && n < f->count; n++)
		ktrace_out_char(&c->b.payload, 0);
	if (f->shape == KTRACE_STRING)
		ktrace_out_char(&c->b.payload, 0);
}

static void put_elements(struct chrome *c, const struct ktrace_field *f, const struct json_value *v)
{
	const size_t at = c->b.payload.len;
	struct json_value key, one;
	struct json_iterator it;
	__u32 nr = 0;

	if (f->shape == KTRACE_COUNTED)
		ktrace_out_bytes(&c->b.payload, (const char *)&nr, sizeof(nr));
	if (v->at && v->kind == JSON_ARRAY) {
		json_enter(&it, v);
		while ((f->shape == KTRACE_COUNTED || nr < f->count) &&
		       json_next(&it, &key, &one) == 1) {
			put_scalar(c, f, &one);
			nr++;
		}
	}
	one = (struct json_value){ 0 };
	for (; f->shape == KTRACE_FIXED && nr < f->count; nr++)
		put_scalar(c, f, &one);
	if (f->shape == KTRACE_COUNTED && !c->b.payload.error)
		memcpy(c->b.payload.buf + at, &nr, sizeof(nr));
}

/* An invalid address becomes none. */
static void put_address(struct chrome *c, const struct json_value *v)
{
	char text[IP_ADDRESS_TEXT], address[IP_ADDRESS_SIZE];

	json_copy(v, text, sizeof(text));
	if (!ip_address_parse(text, address))
		memset(address, 0, sizeof(address));
	ktrace_out_bytes(&c->b.payload, address, sizeof(address));
}

/* Finds the declaration of a field in a description: "s32 tid". Return: its length, 0 = none */
static size_t declaration_of(const char *desc, const char *name, const char **out)
{
	const char *at = strchr(desc, '{') + 1, *end;

	for (; (end = strchr(at, ';')); at = end + 1) {
		const char *word = memrchr(at, ' ', (size_t)(end - at));

		*out = at;
		if (word && (size_t)(end - word) == strlen(name) + 1 &&
		    !memcmp(word + 1, name, strlen(name)))
			return (size_t)(end - at);
	}
	return 0;
}

/* Returns the number of a system call, by its name. */
static __u64 call_of(struct chrome *c, const struct chrome_event *e,
		     const struct ktrace_event_type *type, const struct json_value *v)
{
	const struct json_value abi = arg_of(e, "abi");
	const struct json_value machine = json_member(&c->facts, "machine");
	char name[64], host[32] = "";
	__u32 number = KTRACE_SYSCALL_NATIVE;
	__s32 nr;

	for (__u32 i = 0; abi.at && i < type->field_nr; i++)
		if (!strcmp(type->fields[i].name, "abi"))
			number = (__u32)scalar_of(&type->fields[i], &abi);
	json_copy(v, name, sizeof(name));
	if (machine.at)
		json_copy(&machine, host, sizeof(host));
	return ktrace_syscall_find(host, true, number, name, &nr) ? (__u64)nr : number_of(v);
}

static void put_known(struct chrome *c, const struct chrome_event *e,
		      const struct ktrace_event_type *type, const struct ktrace_field *f,
		      const struct json_value *v)
{
	const bool is_call = !strcmp(type->provider, "syscall") && !strcmp(f->name, "nr");
	__u64 nr;

	if (is_call && v->kind == JSON_STRING) {
		nr = call_of(c, e, type, v);
		ktrace_out_bytes(&c->b.payload, (const char *)&nr, f->size);
	} else if (f->shape == KTRACE_STRING ||
		   (f->scalar == KTRACE_CHAR && f->shape != KTRACE_ONE)) {
		put_text(c, f, v);
	} else if (f->shape == KTRACE_ONE) {
		put_scalar(c, f, v);
	} else if (f->is_address && v->kind == JSON_STRING) {
		put_address(c, v);
	} else {
		put_elements(c, f, v);
	}
}

/* True if a value is a name that the enum of a field lacks: another tool's. */
static bool is_other_name(const struct ktrace_field *f, const struct json_value *v)
{
	if (!f->enum_nr || v->kind != JSON_STRING || !v->size || (*v->at >= '0' && *v->at <= '9') ||
	    *v->at == '-')
		return false;
	for (__u32 i = 0; i < f->enum_nr; i++)
		if (json_is(v, f->enums[i].name))
			return false;
	return true;
}

static const struct ktrace_field *field_of(const struct ktrace_event_type *type,
					   const struct json_value *key, const struct json_value *v)
{
	for (__u32 i = 0; i < type->field_nr; i++)
		if (json_is(key, type->fields[i].name))
			return is_other_name(&type->fields[i], v) ? NULL : &type->fields[i];
	return NULL;
}

/*
 * Writes the fields of a kernel event: those that ktrace's description has, with their types, and
 * any others.
 */
static int put_kernel_fields(struct chrome *c, const struct chrome_event *e, const char *desc)
{
	struct ktrace_event_type *type;
	const struct ktrace_field *f;
	struct json_value key, value;
	struct json_iterator it;
	const char *declaration;
	size_t n;
	int ret = ktrace_event_type_parse(desc, &type);

	if (ret)
		return ret;
	builder_begin_event(&c->b, type->provider, type->name);
	if (e->args.at && e->args.kind == JSON_OBJECT) {
		json_enter(&it, &e->args);
		while (json_next(&it, &key, &value) == 1) {
			f = field_of(type, &key, &value);
			n = f ? declaration_of(desc, f->name, &declaration) : 0;
			if (n) {
				ktrace_out_bytes(&c->b.desc, declaration, n + 1);
				put_known(c, e, type, f, &value);
			} else if (!key.size || *key.at != '@') {
				chrome_put_field(c, &key, &value);
			}
		}
	}
	ktrace_event_type_free(type);
	return 0;
}

static const char *kernel_desc(const struct json_value *name)
{
	const struct ktrace_kernel_event *k;

	for (__u32 i = 0; (k = ktrace_kernel_event(i)); i++)
		if (!strncmp(k->desc, name->at, name->size) && k->desc[name->size] == '{')
			return k->desc;
	return NULL;
}

static void put_bytes(struct chrome *c, const struct json_value *v)
{
	__u32 nr = (__u32)(v->size / 2);
	char digits[3] = "";

	ktrace_out_str(&c->b.desc, "x8[] bytes;");
	ktrace_out_bytes(&c->b.payload, (const char *)&nr, sizeof(nr));
	for (__u32 i = 0; i < nr; i++) {
		memcpy(digits, v->at + 2 * i, 2);
		ktrace_out_char(&c->b.payload, (char)strtoul(digits, NULL, 16));
	}
}

/* Writes the fields of any other event; members that begin with @ are not fields. */
static void put_fields(struct chrome *c, const struct chrome_event *e)
{
	struct json_value key, value;
	struct json_iterator it;

	if (!e->args.at || e->args.kind != JSON_OBJECT)
		return;
	json_enter(&it, &e->args);
	while (json_next(&it, &key, &value) == 1)
		if (json_is(&key, "@bytes"))
			put_bytes(c, &value);
		else if (!key.size || *key.at != '@')
			chrome_put_field(c, &key, &value);
}

static __u32 flags_of(const struct chrome_event *e)
{
	const struct json_value v = arg_of(e, "@flags");
	__u32 flags = 0;

	if (!v.at)
		return 0;
	flags |= memmem(v.at, v.size, "irq", 3) ? KTRACE_REC_IRQ : 0;
	flags |= memmem(v.at, v.size, "truncated", 9) ? KTRACE_REC_TRUNCATED : 0;
	flags |= memmem(v.at, v.size, "critical", 8) ? KTRACE_REC_CRITICAL : 0;
	return flags;
}

/* Fills in where an event happened. */
static int take_place(struct chrome *c, const struct chrome_event *e, struct spooled *to)
{
	const struct json_value tid = arg_of(e, "@tid"), cpu = arg_of(e, "@cpu");
	const __u64 pid = e->pid.at ? number_of(&e->pid) : 0;
	struct foreign_thread *thread;

	to->cpu = cpu.at && number_of(&cpu) < IMPORT_WRITER_CPUS ? (__s32)number_of(&cpu) : -1;
	if (pid >> MACHINE_SHIFT || number_of(&e->tid) >> MACHINE_SHIFT) {
		c->further++;
		thread = chrome_thread_of(c, e);
		if (!thread)
			return -ENOMEM;
		to->tid = thread->own_tid;
		to->pid = thread->own_pid;
		memcpy(to->comm, thread->comm, sizeof(to->comm));
		return 0;
	}
	to->tid = tid.at ? (__u32)number_of(&tid) & KTRACE_TID_MASK :
		  (__u32)number_of(&e->tid) & KTRACE_TID_MASK;
	to->pid = pid == CPUS ? 0 : (__u32)pid;
	if (pid == CPUS || !to->tid)
		return 0;
	thread = threads_get(&c->threads, (__s64)pid, (__s64)to->tid);
	if (!thread)
		return -ENOMEM;
	if (thread->is_named || thread->pid == thread->tid)
		memcpy(to->comm, thread->comm, sizeof(to->comm));
	return 0;
}

static int put_loss(struct chrome *c, const struct chrome_event *e, const struct spooled *at)
{
	const struct json_value reason = arg_of(e, "reason"), count = arg_of(e, "count");
	const __u64 nr = number_of(&count);
	__u32 i = 0;

	while (reason.at && i < KTRACE_LOST_NR && !json_is(&reason, ktrace_lost_name(i)))
		i++;
	if (i < KTRACE_LOST_NR)
		c->told[i] += nr;
	return builder_lost(&c->b, at->cpu, at->ts, i < KTRACE_LOST_NR ? i : KTRACE_LOST_FULL, nr);
}

int chrome_put_own_losses(struct chrome *c)
{
	int ret = 0;

	for (__u32 i = 0; i < KTRACE_LOST_NR && !ret; i++)
		if (c->lost[i] > c->told[i])
			ret = builder_lost(&c->b, -1, (__u64)(c->last + c->shift), i,
					   c->lost[i] - c->told[i]);
	return ret;
}

int chrome_convert_own(struct chrome *c, const struct chrome_event *e)
{
	struct spooled to = { .flags = flags_of(e) };
	const char *desc, *colon;
	__s64 ns;
	int ret;

	if (!e->cat.at || !e->phase || !strchr("BEXi", e->phase) ||
	    !(colon = memchr(e->cat.at, ':', e->cat.size)))
		return 0;
	chrome_time(&e->ts, &ns);
	to.ts = (__u64)(ns + c->shift);
	ret = take_place(c, e, &to);
	if (ret)
		return ret;
	if (json_is(&e->cat, "ktrace:lost"))
		return put_loss(c, e, &to);
	desc = to.cpu >= 0 && !arg_of(e, "@bytes").at ? kernel_desc(&e->cat) : NULL;
	if (desc) {
		ret = put_kernel_fields(c, e, desc);
	} else {
		c->category.len = 0;
		ktrace_out_bytes(&c->category, e->cat.at, e->cat.size);
		ktrace_out_char(&c->category, 0);
		if (c->category.error)
			return c->category.error;
		c->category.buf[colon - e->cat.at] = 0;
		builder_begin_event(&c->b, c->category.buf,
				    c->category.buf + (colon - e->cat.at) + 1);
		put_fields(c, e);
	}
	return ret ? ret : builder_put(&c->b, desc ? KTRACE_CHANNEL_KERNEL : KTRACE_CHANNEL_USER,
				       to);
}
